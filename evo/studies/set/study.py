"""The study of Set: tables at random and in play, players that choose, and speeds.

Pietro Berkes, "Solving the game Set" (2010). A game there has a single player, who takes a set at
random. Two seats that both take sets at random give the same tables. The article counts the table
at each turn, including the last table, which has no set. The study measures both ways of counting.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import comb, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from evo.studies.claims import read_toml
from evo.studies.intervals import CONFIDENCE, Interval, exactly, share_interval
from evo.studies.kept import kept_record
from evo.studies.play import play_two
from evo.studies.report import Evidence, StudyReport
from evo.studies.set import in_python
from evo.studies.settings import Announce, QuickSettings, runs_setting, setting
from tournaments import games, players
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
"""The least number of sets that counts as many."""
EVERY = 5
"""Turns from one row of the report to the next."""
NUMBERS = ("draws", "games", "matches", "rounds")
"""Settings on which all parts of the study depend."""
READINGS = ("with the last table", "without the last table", "of twelve cards")
"""Ways to count the tables of a game; the page explains them."""
CHOOSERS = read_toml(__package__, "study.toml")["choosers"]
"""Players; ``any`` is random play."""


@dataclass(frozen=True)
class SetSettings(QuickSettings):
    """Options of the study.

    Attributes:
        quick: few tables and games: some seconds
        draws: tables at random
        games: games whose tables are counted
        matches: matches of each player
        rounds: turns in which speeds are measured
        seed: seed of tables and games
    """

    draws: int = setting(1_000_000, high=10**8, quick=5_000)
    games: int = setting(100_000, high=10**7, quick=500)
    matches: int = setting(20_000, high=10**7, quick=100)
    rounds: int = setting(15, high=1000, quick=3)
    seed: int = option(1, low=0, high=2**62)
    runs: str = runs_setting("reproduced/set/runs")


def part(settings: SetSettings, name: str, compute: Callable[[], Any]) -> Any:
    """Return a part of the study of Set, computed once and kept for these settings and rules.

    ``compute`` makes the part if no file has it.
    """
    numbers = [f"{name}={getattr(settings, name)}" for name in NUMBERS]
    what = name, f"seed={settings.seed}", *numbers, games.make("set").fingerprint(())
    file = name.replace(":", "-").replace("=", "-")
    return kept_record(Path(settings.runs), file, what, compute)


def share_of(parts: np.ndarray, wholes: np.ndarray) -> Interval:
    """Return a share of tables of Set with its interval, if tables of a game are dependent.

    The share is the sum of all parts by the sum of all wholes; each has a number per game. The
    interval is that of a ratio of two means over games (Cochran, "Sampling Techniques", 1977,
    section 2.11).
    """
    parts, wholes = parts.astype(np.float64), wholes.astype(np.float64)
    ratio = float(parts.sum() / wholes.sum())
    residuals = parts - ratio * wholes
    number = len(parts)
    spread = sqrt(float((residuals * residuals).sum()) / max(1, number - 1))
    error = Z * spread / (sqrt(number) * float(wholes.mean()))
    return Interval(ratio, ratio - error, ratio + error, CONFIDENCE)


# --- tables at random --------------------------------------------------------------------------


def count_exactly(settings: SetSettings, announce: Announce) -> dict[str, Any]:
    """Count the hands of twelve cards of Set that hold no set, and return their exact share."""
    announce("hands of twelve cards without a set, counted")
    number, hands = count_without_set(CARDS), comb(81, CARDS)
    return {"without_set": number, "hands": hands, "share": number / hands}


def measure_draws(settings: SetSettings, announce: Announce) -> dict[str, Any]:
    """Count the sets among twelve random cards of Set, over many draws."""
    number = settings.draws
    announce(f"{number:,} tables at random")
    seeds = match_seeds(settings.seed, "set draws", 0, number)
    sets = sets_at_random(games.make("set"), seeds)
    return {
        "counts": np.bincount(sets).tolist(),
        "mean": share_of(sets, np.ones(number)),
        "none": share_interval(int((sets == 0).sum()), number),
        "many": share_interval(int((sets >= MANY).sum()), number),
    }


# --- tables in play ----------------------------------------------------------------------------


def chooser(game: Game, name: str) -> CompiledPlayer:
    """Return a player of Set by its name in :data:`CHOOSERS`."""
    if name == "any":
        width = len(preferences.names(game, 0))
        return preferences.player(game, [0.0] * width, name)
    made = players.make(name, game)
    assert isinstance(made, CompiledPlayer)
    return made


def played(settings: SetSettings, first: str, second: str) -> Tables:
    """Return the tables that come up in games of Set between two players.

    All pairs of players play the same starts.
    """
    game = games.make("set")
    seeds = match_seeds(settings.seed, "set games", 0, settings.games)
    return tables_of(game, chooser(game, first), chooser(game, second), seeds)


def counted(tables: Tables, reading: str) -> np.ndarray:
    """Return which tables of games of Set count under a reading of the article, bool ``[G, T]``."""
    is_table = tables.sets >= 0
    if reading == "with the last table":
        return is_table
    behind = np.pad(is_table[:, 1:], ((0, 0), (0, 1)))
    return behind & (tables.cards == CARDS) if reading == "of twelve cards" else behind


def summary(sets: np.ndarray, counts: np.ndarray) -> dict[str, Any]:
    """Return the share of tables of Set with no set and with many, and the mean number of sets.

    Args:
        sets: number of sets of each table, ``[G, T]``.
        counts: which tables count, bool ``[G, T]``.
    """
    wholes = counts.sum(axis=1)
    return {
        "none": share_of((counts & (sets == 0)).sum(axis=1), wholes),
        "many": share_of((counts & (sets >= MANY)).sum(axis=1), wholes),
        "mean": share_of(np.where(counts, sets, 0).sum(axis=1), wholes),
    }


def measure_play(settings: SetSettings, announce: Announce) -> dict[str, Any]:
    """Count the sets on tables in games where sets are taken at random, by reading and by turn."""
    announce(f"{settings.games:,} games of random play")
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
    """Return a row on the tables of Set at each turn that at least one game in a hundred reaches.

    Turns are counted from 1.
    """
    rows = []
    turns = counted(tables, "without the last table")
    for turn in range(tables.sets.shape[1]):
        sets = tables.sets[turns[:, turn], turn]
        if 100 * len(sets) < len(tables.sets):
            break
        row = {"turn": turn + 1, "tables": len(sets), "mean": float(sets.mean())}
        for name, meant in (("none", sets == 0), ("many", sets >= MANY)):
            row |= share_interval(int(meant.sum()), len(sets)).columns(name)
        rows.append(row)
    return rows


# --- players that choose -----------------------------------------------------------------------


def measure_choosers(settings: SetSettings, announce: Announce) -> list[dict[str, Any]]:
    """Measure how each player of Set changes the tables of its opponent, and the points it wins.

    The player has the first seat, and the opponent takes any set. A table of the opponent is one at
    which the opponent moves.
    """
    return [part(settings, name, partial(_chooser, settings, announce, name)) for name in CHOOSERS]


def _chooser(settings: SetSettings, announce: Announce, name: str) -> dict[str, Any]:
    announce(f"{name} against any: the others' tables")
    tables = played(settings, name, "any")
    theirs = counted(tables, "without the last table")
    theirs[:, ::2] = False
    alike = played(settings, name, name)
    return {
        "player": name,
        **summary(tables.sets, theirs),
        "alone": summary(alike.sets, counted(alike, "without the last table")),
        "points": _points(settings, name),
    }


def _points(settings: SetSettings, name: str) -> Interval:
    """Return the share of points of a player of Set against random play: a win 1, a draw 1/2."""
    game, number = games.make("set"), settings.matches
    seeds = match_seeds(settings.seed, "set points", 0, number)
    scores = play_two(game, (chooser(game, name), chooser(game, "any")), seeds, 2)
    points = ((1 + np.sign(scores[..., 0] - scores[..., 1])) / 2).sum(axis=1)
    return share_of(points, np.full(number, 2.0))


# --- speeds ------------------------------------------------------------------------------------


def measure_speeds(settings: SetSettings, announce: Announce) -> dict[str, Any]:
    """Measure the microseconds of processor time for each solver to find all sets on a table.

    Solvers take turns. Ratios are those of a round, and medians over rounds are returned.
    """
    announce("speeds of the solvers, in Python and compiled")
    jobs = solver_jobs()
    rounds = [{name: _time(job) for name, job in jobs.items()} for _ in range(settings.rounds)]
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
    """Return how many times longer one solver takes than another: the median over rounds.

    The interval is that from the least ratio to the greatest.
    """
    ratios = [times[one] / times[other] for times in rounds]
    return Interval(statistics.median(ratios), min(ratios), max(ratios))


def tables_at_random(number: int) -> np.ndarray:
    """Return different random tables of twelve cards of Set, int8 ``[T, 12, 4]``.

    There are many, since a processor learns the branches of a few that return again and again.
    """
    decks = np.tile(np.arange(81), (number, 1))
    hands = generator(0, "set speeds").permuted(decks, axis=1)[:, :CARDS]
    return features_of(hands.ravel(), 4).astype(np.int8).reshape(number, CARDS, 4)


def solver_jobs() -> Mapping[str, tuple[Callable[[], Any], int]]:
    """Return for each solver of Set a call that solves tables, and the number of tables.

    The kernels are compiled.
    """
    many = tables_at_random(COMPILED_TABLES)
    few = many[:PYTHON_TABLES]
    jobs: dict[str, tuple[Callable[[], Any], int]] = {
        f"python {name}": (partial(_solve_each, solver, few), len(few))
        for name, solver in in_python.SOLVERS.items()
    }
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
    """Return the microseconds of processor time that a solver takes for a table of Set."""
    call, tables = job
    begun = time.thread_time()
    call()
    return 1e6 * (time.thread_time() - begun) / tables


# --- claims ------------------------------------------------------------------------------------


def exact_odds(evidence: Evidence) -> Interval:
    """Return the ratio of all hands of Set to hands without a set."""
    return exactly(1 / evidence.record["exact"]["share"])


def times_as_often(evidence: Evidence, reading: int) -> Interval:
    """Return the share of tables in play with no set, as a multiple of that of random tables."""
    share = evidence.record["play"]["readings"][reading]["none"]
    return share.scaled(1 / evidence.record["exact"]["share"])


# --- the study ---------------------------------------------------------------------------------

PARTS = {
    "exact": count_exactly,
    "draws": measure_draws,
    "play": measure_play,
    "speeds": measure_speeds,
}


def measure(settings: SetSettings, announce: Announce) -> Evidence:
    """Measure all parts of the study of Set."""
    record = {
        name: part(settings, name, partial(measure_part, settings, announce))
        for name, measure_part in PARTS.items()
    }
    record["choosers"] = measure_choosers(settings, announce)
    return Evidence(record, tables={"turns": record["play"]["turns"]})


def texts(evidence: Evidence) -> dict[str, Any]:
    """Return texts for the page: rows of all tables of the study, and the effects of players."""
    record = evidence.record
    play, choosers, ratios = record["play"], record["choosers"], record["speeds"]["ratios"]
    drawn = {**record["draws"], "where": "", "reading": "random"}
    drawn["tables"] = sum(drawn["counts"])
    random_play = choosers[0]
    changes = [
        {
            "player": row["player"],
            "none": 100 * (row["none"].middle - random_play["none"].middle),
            "mean": row["mean"].middle - random_play["mean"].middle,
        }
        for row in choosers[1:]
    ]
    is_slower = ratios["compiled_groups_by_pairs"].low > 1
    solver_names = ("triples", "pairs", "groups")
    return {
        "odds": 1 / record["exact"]["share"],
        "tables": [drawn, *({**row, "where": "in play, "} for row in play["readings"])],
        "turns": [
            {**row, **{name: Interval.of_row(row, name) for name in ("none", "many")}}
            for row in play["turns"]
            if row["turn"] == 1 or row["turn"] % EVERY == 0
        ],
        "far": max(changes[:-1], key=lambda change: abs(change["none"])),
        "spoiler": changes[-1],
        "solvers": [_solver_row(record["speeds"], name) for name in solver_names],
        "triples": ratios["compiled_triples_by_pairs"],
        "groups": ratios["compiled_groups_by_pairs"],
        "calls": "so calls alone do not make them slow" if is_slower else "and no slower",
    }


def _solver_row(speeds: Mapping[str, Any], name: str) -> dict[str, Any]:
    times = {how: speeds["microseconds"][f"{how} {name}"] for how in ("python", "compiled")}
    return {"solver": name, **times, "ratio": speeds["ratios"][f"python_by_compiled_{name}"]}


REPORT = StudyReport(__package__, SetSettings, measure, texts)
