"""What the study of the cat trap measures: win rates, times of a move, evolved cats and blockers.

Chawla, Zertucheserna and Zhu, "Solving the cat trap game" (2021). The text leaves open on what
scale a pseudo-reward stands beside the +100 and -100 of the ends, whether these were known to the
cats of its table 1, and how many tiles were blocked at the start; so each reward is measured under
several readings.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from evo.evaluation.players import champion
from evo.evolution.runs import run
from evo.studies.page import Announce, QuickOrWhole
from tournaments import games, players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.game import Game
from tournaments.games.cat_trap import planner
from tournaments.kernels.linker import build
from tournaments.kernels.rng import Stream, match_seeds
from tournaments.options import option
from tournaments.player import CompiledPlayer, Player

REWARDS = (1, 2, 3, 4)
PUBLISHED = {1: 0.63, 2: 0.92, 3: 0.97, 4: 0.99}
"""Table 1 of the source: wins of 10,000 games against random blocks."""
THEIRS = "by=authors,gamma=0.85,epsilon=0.1"
READINGS: dict[str, tuple[str, str]] = {
    "text: one step, ends as any tile": ("", "gamma=0.0,ends=0.0"),
    "text: the same, empty board": ("blocks=none", "gamma=0.0,ends=0.0"),
    "text: one step, escape 100": ("", "gamma=0.0"),
    "text: value iteration": ("", ""),
    "text: value iteration, rewards x 30": ("", "scale=30.0"),
    "text: value iteration, ends as any tile": ("", "ends=0.0"),
    "text: one round ahead, 5 blocks": ("", "max_depth=1,num_states=5,beyond=nothing"),
    **{
        f"program {version}: the board as it is": ("", f"{THEIRS},max_depth=0,version={version}")
        for version in (1, 2, 3)
    },
    **{
        f"program {version}: one round, worst block": (
            "",
            f"{THEIRS},max_depth=-1,num_states=1,version={version}",
        )
        for version in (1, 2, 3)
    },
    "program 3: the same, empty board": (
        "blocks=none",
        f"{THEIRS},max_depth=-1,num_states=1,version=3",
    ),
    "program 3: the same, empty board of 9x9": (
        "size=9,blocks=none",
        f"{THEIRS},max_depth=-1,num_states=1,version=3",
    ),
}
"""Options of the game, and of the planner."""
PUBLISHED_TIMES = {-1: (30.0, 46.0), 1: (200.0, 7_400.0), 2: (0.0, 900_000.0)}
"""Milliseconds of a move by ``max_depth``, for ``num_states`` of 1 and 25 on an empty board of 5x5,
read off the source's plots; the first of depth 2 cannot be read."""
TIMED = (1, 2, 5, 10, 20, 30, 40, -1)
DEPTHS = (0, 1, 2)
MATCHES = 3
"""Games of each cat against each blocker in a generation of evolution."""
BLOCKERS = ("random", "shortest-path", "planner", "optimal")


@dataclass(frozen=True)
class Settings(QuickOrWhole):
    """What the study lets one choose."""

    NAME: ClassVar = "cat-trap"
    USUAL: ClassVar = {
        "games": (10_000, 300),
        "held_out": (200, 20),
        "seeds": (10, 2),
        "generations": (30, 3),
    }

    quick: bool = option(False, "few games, and evolution for a few generations: about a minute")
    games: int = option(0, "games of each reward and reading; 0: 10,000, quick 300", 0, 10**7)
    held_out: int = option(0, "games of each cat and blocker; 0: 200, quick 20", 0, 10**6)
    seeds: int = option(0, "runs of evolution; 0: 10, quick 2", 0, 1000)
    generations: int = option(0, "of a run; 0: 30, quick 3", 0, 10**6)
    population: int = option(24, "individuals a role", 4, 1000)
    size: int = option(11, "rows of the board of evolution", 5, 15)
    seed: int = option(1, "of games and runs", 0, 2**62)
    runs: str = option("", "folder of the runs; empty: reproduced/cat-trap/runs, quick runs-quick")
    page: str = option("", "file of the page that is to be written")


def win_rate(game: Game, cat: Player, blocker: Player, number: int, seed: int, what: str) -> float:
    """Share of games that a cat wins, by starts that belong to ``what``."""
    entrants = Entrants(game, (cat, blocker))
    pairs = np.tile(np.array([[-1, -2]], dtype=np.int32), (number, 1))
    outcomes = play_pairs(entrants, pairs, match_seeds(seed, what, 0, number), 1)
    return float((outcomes[:, 0, 0] > outcomes[:, 0, 1]).mean())


def planner_of(reward: int, options: str) -> str:
    """A planner as users name it."""
    return f"planner:reward={reward}" + (f",{options}" if options else "")


# --- the four rewards --------------------------------------------------------------------------


def measure_readings(settings: Settings, announce: Announce) -> list[dict[str, Any]]:
    """The win rate of each reward under each reading, a row a reading."""
    number, rows = settings.usual("games"), []
    for name, (board, options) in READINGS.items():
        announce(f"{name}, four rewards")
        game = games.parse(f"cat-trap:{board}" if board else "cat-trap")
        blocker = players.make("random", game)
        rates = {
            f"reward_{reward}": win_rate(
                game,
                players.make(planner_of(reward, options), game),
                blocker,
                number,
                settings.seed,
                "cat-trap readings",
            )
            for reward in REWARDS
        }
        rows.append({"reading": name, "board": board, "options": options, **rates})
    return rows


# --- the time of a move ------------------------------------------------------------------------


def measure_times(settings: Settings, announce: Announce) -> list[dict[str, Any]]:
    """Milliseconds of processor time of a cat's move on 7x7, the median over positions."""
    game, rows = games.make("cat-trap"), []
    starts = [_cat_to_move(game, seed) for seed in range(3 if settings.quick else 9)]
    for depth in DEPTHS:
        announce(f"the time of a move, max_depth={depth}")
        for states in TIMED[:: 3 if settings.quick else 1]:
            made = planner.player(game, max_depth=depth, num_states=states)
            rows.append(
                {"max_depth": depth, "num_states": states, "milliseconds": _time_of(made, starts)}
            )
    return rows


def measure_their_times(settings: Settings, announce: Announce) -> list[dict[str, Any]]:
    """Milliseconds of the first move by the authors' planner, beside the published times."""
    game, rows = games.parse("cat-trap:size=5,blocks=none"), []
    start = game.start().array
    start[0] = 0  # the cat moves first, as in the source's timing
    announce("the time of a move by the authors' planner")
    for depth, published in PUBLISHED_TIMES.items():
        row: dict[str, Any] = {"max_depth": depth}
        for states, theirs in zip((1, 25), published, strict=True):
            options = f"{THEIRS},max_depth={depth},num_states={states}"
            made: Any = players.make(planner_of(4, options), game)
            row |= {f"ours_{states}": _time_of(made, [start] * 3), f"published_{states}": theirs}
        rows.append(row)
    return rows


def _cat_to_move(game: Game, seed: int) -> np.ndarray:
    state, stream = game.start(seed), Stream(seed)
    state.play(stream.choice(state.legal_actions()))
    return state.array


def _time_of(player: CompiledPlayer, starts: list[np.ndarray]) -> float:
    """The median time of a move; the first call, which may compile, is left out."""
    choose = build(player.kind.choose, player.game.hooks)
    memory, stream = player.kind.memory(player.game, player.parameters), np.zeros(1, np.uint64)
    times = []
    for state in (starts[0], *starts):
        begun = time.thread_time()
        choose(player.game.board, state, player.parameters, 0, memory, stream)
        times.append(time.thread_time() - begun)
    return 1000.0 * float(np.median(times[1:]))


# --- against blockers that do better -----------------------------------------------------------


def measure_blockers(settings: Settings, announce: Announce) -> list[dict[str, Any]]:
    """Shares of games on 7x7 that each reward wins, beside perfect play; a row a cat."""
    game, rows = games.make("cat-trap"), []
    number = settings.usual("held_out")
    for name in (*(planner_of(reward, "") for reward in REWARDS), "shortest-path", "optimal"):
        announce(f"{name} against {', '.join(BLOCKERS)}")
        rows.append({"cat": name, **_rates(game, players.make(name, game), number, settings.seed)})
    return rows


def _rates(game: Game, cat: Player, number: int, seed: int) -> dict[str, float]:
    return {
        name: win_rate(game, cat, players.make(name, game), number, seed, "cat-trap held out")
        for name in BLOCKERS
    }


# --- evolution ---------------------------------------------------------------------------------


def evolved(settings: Settings, announce: Announce) -> list[CompiledPlayer]:
    """The champions of all runs: each plays both roles."""
    made = []
    for seed in range(1, settings.usual("seeds") + 1):
        announce(f"evolution of cats and blockers, seed {seed}")
        path = settings.folder / f"ways-{settings.size}-seed-{seed}"
        run(path, _configuration(settings, seed), threads=1, or_resume=True)
        made.append(champion(path))
    return made


def _configuration(settings: Settings, seed: int) -> Mapping[str, Any]:
    return {
        "game": f"cat-trap:size={settings.size}",
        "population": settings.population,
        "generations": settings.usual("generations"),
        "snapshot_interval": 10,
        "scheme": {"name": "round-robin", "matches": MATCHES},
        "seed": settings.seed * 1000 + seed,
        "genome": {"encoding": "real-vector", "initial": 1.0, "form": "ways"},
        "learner": {
            "name": "genetic",
            "selection": "truncation",
            "crossover": "uniform",
            "mutation_probability": 0.2,
        },
    }


def measure_evolved(settings: Settings, announce: Announce) -> list[dict[str, Any]]:
    """Shares of games that cats win on starts that none of them was evolved on; a row a cat.

    ``by_seed`` of a row has the share against the evolved blockers of all other seeds, for each
    seed; an evolved cat is that of the seed.
    """
    champions = evolved(settings, announce)
    game = champions[0].game
    cats: dict[str, list[CompiledPlayer]] = {
        **{f"text, reward {reward}": [_planner(game, reward, "")] for reward in REWARDS},
        **{
            f"program {version}, reward {reward}": [
                _planner(game, reward, f"{THEIRS},max_depth=0,version={version}")
            ]
            for version in (2, 3)
            for reward in REWARDS
        },
        "shortest-path": [_planner(game, 0, "shortest-path")],
        "evolved": champions,
    }
    rows = []
    for name, some in cats.items():
        announce(f"{name} against blockers of all kinds")
        rates = {}
        for against in ("random", "shortest-path"):
            blocker = players.make(against, game)
            shares = [_held_out(game, cat, blocker, settings) for cat in some]
            rates[against] = float(np.mean(shares))
        met = np.array([[_held_out(game, cat, b, settings) for b in champions] for cat in some])
        met = np.broadcast_to(met, (len(champions), len(champions)))
        others = ~np.eye(len(champions), dtype=np.bool_)
        by_seed = [float(met[seed, others[seed]].mean()) for seed in range(len(champions))]
        rows.append({"cat": name, **rates, "evolved": float(np.mean(by_seed)), "by_seed": by_seed})
    return rows


def _planner(game: Game, reward: int, options: str) -> CompiledPlayer:
    made = players.make(planner_of(reward, options) if reward else options, game)
    assert isinstance(made, CompiledPlayer)
    return made


def _held_out(game: Game, cat: Player, blocker: Player, settings: Settings) -> float:
    number = settings.usual("held_out")
    return win_rate(game, cat, blocker, number, settings.seed, "cat-trap held out")
