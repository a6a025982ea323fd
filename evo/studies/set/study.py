"""What the study of Set measures: tables at random and in play, players that choose, and speeds.

Pietro Berkes, "Solving the game Set" (2010). A game there is of one player, who takes a set at
random; two seats that both do give the same tables. The article counts the table at each turn, the
last one, which has no set, among them; both ways of counting are measured.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import comb, sqrt
from typing import Any, ClassVar

import numpy as np

from evo.studies.intervals import CONFIDENCE, Interval
from evo.studies.kept import kept_record
from evo.studies.page import Announce, QuickOrWhole
from evo.studies.set import in_python
from results.statistics import wilson
from tournaments import games, players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.game import Game
from tournaments.games.set import preferences, solvers
from tournaments.games.set.board import features_of
from tournaments.games.set.caps import count_without_set
from tournaments.games.set.tables import Tables, sets_at_random, tables_of
from tournaments.kernels.linker import build
from tournaments.kernels.rng import generator, match_seeds
from tournaments.options import option
from tournaments.player import CompiledPlayer
from tournaments.rules import Kernel

CARDS = 12
Z = statistics.NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
PYTHON_TABLES, COMPILED_TABLES = 5, 20_000
"""Tables of one measurement of a solver."""
MANY = 3
"""So many sets, or more, are many."""
READINGS = {
    "with the last table": "every turn, and the table without a set that ends the game",
    "without the last table": "every turn alone",
    "of twelve cards": "every turn, where no more cards were dealt and none are missing",
}
CHOOSERS = (
    "any",
    *(f"taker:order={kind}" for kind in (1, 2, 3, 4)),
    "alike-first",
    "all-different-first",
    "spoiler",
)
"""Players; ``any`` is random play."""


@dataclass(frozen=True)
class Settings(QuickOrWhole):
    """What the study lets one choose."""

    NAME: ClassVar = "set"
    USUAL: ClassVar = {
        "draws": (1_000_000, 5_000),
        "games": (100_000, 500),
        "matches": (20_000, 100),
        "rounds": (15, 3),
    }

    quick: bool = option(False, "few tables and games: some seconds")
    draws: int = option(0, "tables at random; 0: 1,000,000, quick 5,000", 0, 10**8)
    games: int = option(0, "games whose tables are counted; 0: 100,000, quick 500", 0, 10**7)
    matches: int = option(0, "matches of each player; 0: 20,000, quick 100", 0, 10**7)
    rounds: int = option(0, "turns in which speeds are measured; 0: 15, quick 3", 0, 1000)
    seed: int = option(1, "of tables and games", 0, 2**62)
    runs: str = option("", "folder of finished parts; empty: reproduced/set/runs, quick runs-quick")
    page: str = option("", "file of the page that is to be written")


def part(settings: Settings, name: str, compute: Callable[[], Any]) -> Any:
    """A part of the study, computed once for these settings and rules of the game."""
    numbers = [f"{option}={settings.usual(option)}" for option in Settings.USUAL]
    what = name, f"seed={settings.seed}", *numbers, games.make("set").fingerprint(())
    return kept_record(settings.folder, name.replace(":", "-").replace("=", "-"), what, compute)


def share_of(parts: np.ndarray, wholes: np.ndarray) -> Interval:
    """A share of tables, where tables of one game are alike: all parts by all wholes, by game.

    The interval is that of a ratio of two means over games (Cochran, "Sampling Techniques", 1977,
    section 2.11).
    """
    parts, wholes = parts.astype(np.float64), wholes.astype(np.float64)
    ratio = float(parts.sum() / wholes.sum())
    residuals = parts - ratio * wholes
    number = len(parts)
    spread = sqrt(float((residuals * residuals).sum()) / max(1, number - 1))
    error = Z * spread / (sqrt(number) * float(wholes.mean()))
    return Interval(ratio, ratio - error, ratio + error, CONFIDENCE)


def proportion(part: int, whole: int) -> Interval:
    """A share of independent tables."""
    low, high = wilson(part, whole)
    return Interval(part / whole, float(low), float(high), CONFIDENCE)


# --- tables at random --------------------------------------------------------------------------


def count_exactly(settings: Settings, announce: Announce) -> dict[str, Any]:
    """How many hands of twelve cards hold no set, and their share."""
    announce("hands of twelve cards without a set, counted")
    number, hands = count_without_set(CARDS), comb(81, CARDS)
    return {"without_set": number, "hands": hands, "share": number / hands}


def measure_draws(settings: Settings, announce: Announce) -> dict[str, Any]:
    """How many sets there are among twelve cards at random."""
    number = settings.usual("draws")
    announce(f"{number:,} tables at random")
    seeds = match_seeds(settings.seed, "set draws", 0, number)
    sets = sets_at_random(games.make("set"), seeds)
    return {
        "counts": np.bincount(sets).tolist(),
        "mean": share_of(sets, np.ones(number)),
        "none": proportion(int((sets == 0).sum()), number),
        "many": proportion(int((sets >= MANY).sum()), number),
    }


# --- tables in play ----------------------------------------------------------------------------


def chooser(game: Game, name: str) -> CompiledPlayer:
    """A player of :data:`CHOOSERS`."""
    if name == "any":
        width = len(preferences.names(game, 0))
        return preferences.player(game, [0.0] * width, name)
    made = players.make(name, game)
    assert isinstance(made, CompiledPlayer)
    return made


def played(settings: Settings, first: str, second: str) -> Tables:
    """The tables of games between two players; all pairs play the same starts."""
    game = games.make("set")
    seeds = match_seeds(settings.seed, "set games", 0, settings.usual("games"))
    return tables_of(game, chooser(game, first), chooser(game, second), seeds)


def counted(tables: Tables, reading: str) -> np.ndarray:
    """Which tables count, bool ``[G, T]``."""
    is_table = tables.sets >= 0
    if reading == "with the last table":
        return is_table
    behind = np.pad(is_table[:, 1:], ((0, 0), (0, 1)))
    return behind & (tables.cards == CARDS) if reading == "of twelve cards" else behind


def summary(sets: np.ndarray, counts: np.ndarray) -> dict[str, Any]:
    """The share of tables with no set, and with many, and the mean; ``counts`` are those meant."""
    wholes = counts.sum(axis=1)
    return {
        "none": share_of((counts & (sets == 0)).sum(axis=1), wholes),
        "many": share_of((counts & (sets >= MANY)).sum(axis=1), wholes),
        "mean": share_of(np.where(counts, sets, 0).sum(axis=1), wholes),
    }


def measure_play(settings: Settings, announce: Announce) -> dict[str, Any]:
    """Tables of games in which sets are taken at random: by reading, and by turn."""
    announce(f"{settings.usual('games'):,} games of random play")
    tables = played(settings, "any", "any")
    readings = [
        {
            "reading": reading,
            "tables": int(counted(tables, reading).sum()),
            "counts": np.bincount(tables.sets[counted(tables, reading)]).tolist(),
            **summary(tables.sets, counted(tables, reading)),
        }
        for reading in READINGS
    ]
    turns = (tables.sets >= 0).sum(axis=1) - 1
    return {
        "readings": readings,
        "turns": _by_turn(tables),
        "lengths": np.bincount(turns).tolist(),
        "mean_turns": float(turns.mean()),
    }


def _by_turn(tables: Tables) -> list[dict[str, Any]]:
    """A row a turn, from 1: of the games that come so far, as long as they are one in a hundred."""
    rows = []
    turns = counted(tables, "without the last table")
    for turn in range(tables.sets.shape[1]):
        sets = tables.sets[turns[:, turn], turn]
        if 100 * len(sets) < len(tables.sets):
            break
        row = {"turn": turn + 1, "tables": len(sets), "mean": float(sets.mean())}
        for name, meant in (("none", sets == 0), ("many", sets >= MANY)):
            row |= proportion(int(meant.sum()), len(sets)).columns(name)
        rows.append(row)
    return rows


# --- players that choose -----------------------------------------------------------------------


def measure_choosers(settings: Settings, announce: Announce) -> list[dict[str, Any]]:
    """What each player does to the tables of the other, who takes any set, and what it gets by it.

    The player has the first seat; a table of the other is one at which that is to move.
    """
    return [part(settings, name, partial(_chooser, settings, announce, name)) for name in CHOOSERS]


def _chooser(settings: Settings, announce: Announce, name: str) -> dict[str, Any]:
    announce(f"{name} against any: the others' tables")
    tables = played(settings, name, "any")
    theirs = counted(tables, "without the last table")
    theirs[:, ::2] = False
    return {
        "player": name,
        **summary(tables.sets, theirs),
        "alone": summary(*_of_two(settings, name)),
        "points": _points(settings, name),
    }


def _of_two(settings: Settings, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The tables of games in which both seats choose alike."""
    tables = played(settings, name, name)
    return tables.sets, counted(tables, "without the last table")


def _points(settings: Settings, name: str) -> Interval:
    """The share of points of a player against random play, a win 1 and a draw 1/2, both seats."""
    game, number = games.make("set"), settings.usual("matches")
    entrants = Entrants(game, (chooser(game, name), chooser(game, "any")))
    pairs = np.tile(np.array([[-1, -2]], dtype=np.int32), (number, 1))
    outcomes = play_pairs(entrants, pairs, match_seeds(settings.seed, "set points", 0, number), 2)
    leads = outcomes[:, :, 0].astype(np.int64) - outcomes[:, :, 1]
    leads[:, 1] *= -1  # seats are swapped in the second game
    points = ((1 + np.sign(leads)) / 2).sum(axis=1)
    return share_of(points, np.full(number, 2.0))


# --- speeds ------------------------------------------------------------------------------------


def measure_speeds(settings: Settings, announce: Announce) -> dict[str, Any]:
    """Microseconds of processor time for a table of twelve cards, and ratios, all in turns.

    Of each round, in which each solver has its turn, the ratios are taken; the medians of the
    rounds are told.
    """
    announce("speeds of the solvers, in Python and compiled")
    jobs = solver_jobs()
    rounds = [
        {name: _time(job) for name, job in jobs.items()} for _ in range(settings.usual("rounds"))
    ]
    rows = {name: statistics.median(times[name] for times in rounds) for name in jobs}
    ratios = {
        f"{how}_{one}_by_{other}": _ratio(rounds, f"{how} {one}", f"{how} {other}")
        for how in ("python", "compiled")
        for one, other in (("triples", "pairs"), ("groups", "pairs"))
    }
    ratios |= {
        f"python_by_compiled_{name}": _ratio(rounds, f"python {name}", f"compiled {name}")
        for name in solvers.SOLVERS
    }
    return {"microseconds": rows, "ratios": ratios}


def _ratio(rounds: list[dict[str, float]], one: str, other: str) -> Interval:
    """The median of the rounds' ratios, between the least and the greatest."""
    ratios = [times[one] / times[other] for times in rounds]
    return Interval(statistics.median(ratios), min(ratios), max(ratios))


def tables_at_random(number: int) -> np.ndarray:
    """Different tables of twelve cards, int8 ``[T, 12, 4]``.

    Many, since a processor learns the branches of a few that come again and again.
    """
    decks = np.tile(np.arange(81), (number, 1))
    hands = generator(0, "set speeds").permuted(decks, axis=1)[:, :CARDS]
    return features_of(hands.ravel(), 4).astype(np.int8).reshape(number, CARDS, 4)


def solver_jobs() -> Mapping[str, tuple[Callable[[], Any], int]]:
    """For each solver a call, and how many tables it solves; the compiled are compiled already."""
    many = tables_at_random(COMPILED_TABLES)
    few = many[:PYTHON_TABLES]
    jobs: dict[str, tuple[Callable[[], Any], int]] = {}
    for name, solver in in_python.SOLVERS.items():
        jobs[f"python {name}"] = partial(_solve_each, solver, few), len(few)
    for name, kernel in solvers.SOLVERS.items():
        job = partial(_solve_all, kernel, many, *solvers.room_for(many))
        job()
        jobs[f"compiled {name}"] = job, len(many)
    return jobs


def _solve_each(solver: Callable[[np.ndarray], Any], tables: np.ndarray) -> None:
    for cards in tables:
        solver(cards)


def _solve_all(kernel: Kernel, tables: np.ndarray, found: np.ndarray, room: np.ndarray) -> None:
    counts = np.zeros(len(tables), dtype=np.int64)
    build(solvers.count_sets_of, {"solve": kernel})(tables, found, room, counts)


def _time(job: tuple[Callable[[], Any], int]) -> float:
    """Microseconds of processor time of a table."""
    call, tables = job
    begun = time.thread_time()
    call()
    return 1e6 * (time.thread_time() - begun) / tables
