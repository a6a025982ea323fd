"""The study of the cat trap: win rates, times of a move, evolved cats and blockers.

Chawla, Zertucheserna and Zhu, "Solving the cat trap game" (2021). The text does not state
the scale of a pseudo-reward relative to the +100 and -100 of the ends, whether the cats of its
table 1 knew these, or how many tiles were blocked at the start. Each reward is therefore measured
under several readings.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evo.evaluation.players import champion
from evo.studies.claims import FAILS, HOLDS, IN_PART, Finding, read_toml, verdict_on
from evo.studies.intervals import Interval, median_interval
from evo.studies.play import evolve, play_two
from evo.studies.report import Evidence, StudyReport
from evo.studies.settings import Announce, QuickSettings, runs_setting, setting
from tournaments import games, players
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
_DATA = read_toml(__package__, "study.toml")
READINGS: Mapping[str, tuple[str, str]] = _DATA["readings"]
"""Options of the game, and of the planner."""
PUBLISHED_TIMES = {-1: (30.0, 46.0), 1: (200.0, 7_400.0), 2: (None, 900_000.0)}
"""Milliseconds of a move by ``max_depth``, for ``num_states`` of 1 and 25 on an empty board of 5x5,
read off the source's plots; the first of depth 2 cannot be read."""
TIMED = (1, 2, 5, 10, 20, 30, 40, -1)
DEPTHS = (0, 1, 2)
LEAST_GAP = 0.1
"""The least difference by which a reward is clearly lowest."""
ALIKE = 0.02
"""The largest distance of a win rate from the published one at which they count as the same."""
BLOCKERS = ("random", "shortest-path", "planner", "optimal")


@dataclass(frozen=True)
class CatTrapSettings(QuickSettings):
    """Options of the study.

    Attributes:
        quick: few games, and evolution for a few generations: about a minute
        games: games of each reward and reading
        held_out: games of each cat and blocker
        seeds: runs of evolution
        generations: generations of a run
        population: individuals a role
        size: rows of the board of evolution
        seed: seed of games and runs
    """

    games: int = setting(10_000, high=10**7, quick=300)
    held_out: int = setting(200, quick=20)
    seeds: int = setting(10, high=1000, quick=2)
    generations: int = setting(30, quick=3)
    population: int = option(24, low=4, high=1000)
    size: int = option(11, low=5, high=15)
    seed: int = option(1, low=0, high=2**62)
    runs: str = runs_setting("reproduced/cat-trap/runs")


def win_rate(game: Game, cat: Player, blocker: Player, number: int, seed: int, what: str) -> float:
    """Return the share of games of cat trap that a cat wins against a blocker.

    Args:
        game: cat trap.
        cat: the player of the cat.
        blocker: the player who blocks tiles.
        number: number of games.
        seed: seed of the study.
        what: name of the random stream of the starts.
    """
    outcomes = play_two(game, (cat, blocker), match_seeds(seed, what, 0, number), 1)
    return float((outcomes[:, 0, 0] > outcomes[:, 0, 1]).mean())


def planner_of(reward: int, options: str) -> str:
    """Return the name of the planner for cat trap with a pseudo-reward, 1 to 4, and options."""
    return f"planner:reward={reward}" + (f",{options}" if options else "")


# --- the four rewards --------------------------------------------------------------------------


def measure_readings(settings: CatTrapSettings, announce: Announce) -> Iterator[dict[str, Any]]:
    """Yield the win rate of each pseudo-reward in cat trap, a row per reading of the source."""
    for name, (board, options) in READINGS.items():
        announce(f"{name}, four rewards")
        game = games.parse(f"cat-trap:{board}" if board else "cat-trap")
        blocker, row = players.make("random", game), {"reading": name, "board": board}
        cats = {
            f"reward_{reward}": players.make(planner_of(reward, options), game)
            for reward in REWARDS
        }
        rates = {
            reward: win_rate(game, cat, blocker, settings.games, settings.seed, "cat-trap readings")
            for reward, cat in cats.items()
        }
        yield {**row, "options": options, **rates}


# --- the time of a move ------------------------------------------------------------------------


def measure_times(settings: CatTrapSettings, announce: Announce) -> Iterator[dict[str, Any]]:
    """Yield milliseconds of processor time of a cat's move in cat trap on 7x7.

    Each is the median over positions.
    """
    game = games.make("cat-trap")
    starts = [_cat_to_move(game, seed) for seed in range(3 if settings.quick else 9)]
    for depth in DEPTHS:
        announce(f"the time of a move, max_depth={depth}")
        for states in TIMED[:: 3 if settings.quick else 1]:
            taken = _time_of(planner.player(game, max_depth=depth, num_states=states), starts)
            yield {"max_depth": depth, "num_states": states, "milliseconds": taken}


def measure_their_times(settings: CatTrapSettings, announce: Announce) -> Iterator[dict[str, Any]]:
    """Yield milliseconds of the first move in cat trap by the authors' planner.

    The rows have the published times, too.
    """
    game = games.parse("cat-trap:size=5,blocks=none")
    start = game.start().array
    start[0] = 0  # the cat moves first, as in the source's timing
    announce("the time of a move by the authors' planner")
    for depth, published in PUBLISHED_TIMES.items():
        row: dict[str, Any] = {"max_depth": depth}
        for states, theirs in zip((1, 25), published, strict=True):
            options = f"{THEIRS},max_depth={depth},num_states={states}"
            made: Any = players.make(planner_of(4, options), game)
            row |= {f"ours_{states}": _time_of(made, [start] * 3), f"published_{states}": theirs}
        yield row


def _cat_to_move(game: Game, seed: int) -> np.ndarray:
    state, stream = game.start(seed), Stream(seed)
    state.play(stream.choice(state.legal_actions()))
    return state.array


def _time_of(player: CompiledPlayer, starts: list[np.ndarray]) -> float:
    """Return the median time in milliseconds of a player's move in cat trap, over some positions.

    The first call is left out, since it may compile.
    """
    choose = build(player.kind.choose, player.game.hooks)
    memory, stream = player.kind.memory(player.game, player.parameters), np.zeros(1, np.uint64)
    times = []
    for state in (starts[0], *starts):
        begun = time.thread_time()
        choose(player.game.board, state, player.parameters, 0, memory, stream)
        times.append(time.thread_time() - begun)
    return 1000.0 * float(np.median(times[1:]))


# --- against blockers that do better -----------------------------------------------------------


def measure_blockers(settings: CatTrapSettings, announce: Announce) -> Iterator[dict[str, Any]]:
    """Yield the share of games of cat trap on 7x7 that each reward and perfect play win.

    There is a row per cat.
    """
    game = games.make("cat-trap")
    for name in (*(planner_of(reward, "") for reward in REWARDS), "shortest-path", "optimal"):
        announce(f"{name} against {', '.join(BLOCKERS)}")
        cats = [players.make(name, game)]
        yield {"cat": name} | {
            blocker: shares_of(game, cats, players.make(blocker, game), settings)[0]
            for blocker in BLOCKERS
        }


def shares_of(
    game: Game, cats: Sequence[Player], blocker: Player, settings: CatTrapSettings
) -> list[float]:
    """Return the share of games of cat trap that each cat wins against a blocker.

    The games begin from starts that evolution did not use.
    """
    number, seed = settings.held_out, settings.seed
    return [win_rate(game, cat, blocker, number, seed, "cat-trap held out") for cat in cats]


# --- evolution ---------------------------------------------------------------------------------


def evolved(settings: CatTrapSettings, announce: Announce) -> list[CompiledPlayer]:
    """Evolve cats and blockers in all runs and return their champions."""
    champions = []
    for seed in range(1, settings.seeds + 1):
        announce(f"evolution of cats and blockers, seed {seed}")
        name, game = f"ways-{settings.size}-seed-{seed}", f"cat-trap:size={settings.size}"
        evolution = evolve(__package__, settings, name, game=game, seed=settings.seed * 1000 + seed)
        champions.append(champion(evolution.path))
    return champions


def measure_evolved(settings: CatTrapSettings, announce: Announce) -> Iterator[dict[str, Any]]:
    """Yield the share of games of cat trap that cats win from starts unused in evolution.

    ``by_seed`` of a row has the share against the evolved blockers of all other seeds, for each
    seed; an evolved cat is that of the seed.
    """
    champions = evolved(settings, announce)
    game = champions[0].game
    cats: dict[str, list[Any]] = {
        cat: [players.make(name, game)] for cat, name in _DATA["cats"].items()
    }
    for name, some in {**cats, "evolved": champions}.items():
        announce(f"{name} against blockers of all kinds")
        rates = {
            against: float(np.mean(shares_of(game, some, players.make(against, game), settings)))
            for against in ("random", "shortest-path")
        }
        met = np.array([shares_of(game, some, blocker, settings) for blocker in champions]).T
        met = np.broadcast_to(met, (len(champions), len(champions)))
        others = ~np.eye(len(champions), dtype=np.bool_)
        by_seed = [float(met[seed, others[seed]].mean()) for seed in range(len(champions))]
        yield {"cat": name, **rates, "evolved": float(np.mean(by_seed)), "by_seed": by_seed}


# --- claims ------------------------------------------------------------------------------------


def near(row: Mapping[str, Any]) -> list[int]:
    """Return the pseudo-rewards whose win rate in a row of results is near the published one."""
    return [r for r in REWARDS if abs(row[f"reward_{r}"] - PUBLISHED[r]) <= ALIKE]


def _under_readings(evidence: Evidence, is_true: Callable[[list[float]], bool]) -> Finding:
    """Judge a claim about the win rates of the four rewards under each reading of the source.

    ``is_true`` tells whether the claim holds for the rates of one reading.
    """
    rows = evidence.record["readings"]
    holding = [is_true([row[f"reward_{reward}"] for reward in REWARDS]) for row in rows]
    found = f"so under {sum(holding)} of {len(rows)} readings"
    return Finding(found, verdict_on(*holding))


def reward_1_is_lowest(evidence: Evidence) -> Finding:
    """Judge whether cats with reward 1 win clearly fewer games than with each other reward."""
    return _under_readings(evidence, lambda rates: min(rates[1:]) - rates[0] >= LEAST_GAP)


def rates_rise(evidence: Evidence) -> Finding:
    """Judge whether the win rates of the planning cat rise from reward 1 to reward 4."""
    return _under_readings(evidence, lambda rates: rates == sorted(rates) and rates[0] < rates[-1])


def rates_are_as_published(evidence: Evidence) -> Finding:
    """Judge whether one reading of the source gives all published win rates of the cat."""
    rows = evidence.record["readings"]
    best = max(rows, key=lambda row: len(near(row)))
    count = len(near(best))
    found = f"'{best['reading']}' gives {count} of them, and none gives more"
    return Finding(found, HOLDS if count == len(REWARDS) else IN_PART if count else FAILS)


def times_as_long(evidence: Evidence, by: str) -> dict[str, Interval]:
    """Return how many times longer a cat's move takes with the most of an option than the least.

    The result is the median over the values of the other option, with its range. A ``num_states``
    of -1, all tiles, is the most. ``by`` is ``num_states`` or ``max_depth``.
    """
    times = evidence.record["times"]
    other = "max_depth" if by == "num_states" else "num_states"
    ratios = []
    for value in sorted({row[other] for row in times} - ({0} if by == "num_states" else set())):
        rows = [row for row in times if row[other] == value]
        rows.sort(key=lambda row: row[by] if row[by] >= 0 else np.inf)
        ratios.append(rows[-1]["milliseconds"] / rows[0]["milliseconds"])
    return {by: Interval(float(np.median(ratios)), min(ratios), max(ratios))}


def gain_of_evolution(evidence: Evidence) -> dict[str, Interval]:
    """Return the lead of evolved cats in win rate over the best reward, by the reward's name.

    It is measured against the evolved blockers of the other seeds, seed by seed.
    """
    by_cat = {row["cat"]: row["by_seed"] for row in evidence.record["evolved"]}
    rewards = {cat: rates for cat, rates in by_cat.items() if "reward" in cat}
    best = max(rewards, key=lambda cat: float(np.mean(rewards[cat])))
    return {best: median_interval(np.subtract(by_cat["evolved"], rewards[best]))}


# --- the study ---------------------------------------------------------------------------------


PARTS = {
    "readings": measure_readings,
    "times": measure_times,
    "their_times": measure_their_times,
    "blockers": measure_blockers,
    "evolved": measure_evolved,
}


def measure(settings: CatTrapSettings, announce: Announce) -> Evidence:
    """Measure all parts of the study of cat trap."""
    record = {name: list(rows(settings, announce)) for name, rows in PARTS.items()}
    return Evidence(record, tables={name: record[name] for name in ("readings", "times")})


def texts(evidence: Evidence) -> dict[str, Any]:
    """Return texts for the page: win rates beside published ones, and times of a move by depth."""
    record = evidence.record
    rows = [
        {
            **row,
            "shown": f"`{row['options']}`" if row["options"] else "",
            "near": ", ".join(map(str, near(row))),
        }
        for row in record["readings"]
    ]
    by_states: dict[int, dict[str, Any]] = {}
    for row in record["times"]:
        columns = by_states.setdefault(row["num_states"], {"num_states": row["num_states"]})
        columns[str(row["max_depth"])] = row["milliseconds"]
    return {"rows": rows, "by_states": list(by_states.values())}


REPORT = StudyReport(__package__, CatTrapSettings, measure, texts)
