"""Cat and mouse beside a C loop: `python -m benchmarks.pursuit`.

One row for each board, end rule and job: games and moves a second on one thread, and the ratio to
C, the median of turns by processor time of the thread. Both play the same games, and a difference
in any outcome ends the benchmark. Compilation is left out of every figure.
"""

import argparse
import ctypes
import statistics
import time
from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.beside_c import as_play, refuse_difference
from benchmarks.peers import c_loop
from benchmarks.report import emit, emit_row, machine
from benchmarks.timing import Plan, Play, compare, rates
from cluster import Entrants
from tournaments import games, players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Genomes
from tournaments.game import Game
from tournaments.games.cat_and_mouse.board import COLS, ENDS, FIRST, LIMIT, ROWS
from tournaments.games.cat_and_mouse.solver import plies_to_capture
from tournaments.kernels.rng import generator, match_seeds
from tournaments.player import Player
from tournaments.players.table import TableEncoding

JOBS = {
    "random-random": ("level-0", "level-0"),
    "random-table": ("level-0", "position-table"),
    "table-table": ("position-table", "position-table"),
    "greedy-careful": ("greedy", "careful"),
    "optimal-random": ("optimal", "level-0"),
    "window-random": ("window-table", "level-0"),
}
"""Job -> the kinds of its cat and its mouse."""

Sides = tuple[NDArray[np.int8], NDArray[np.int8]]
"""The tables of the cats and of the mice, int8 [tables, genes]; one row, not read, of others."""

BOARDS = ((8, 7, "cat"), (15, 15, "mouse"))
"""Rows, columns and who moves first, so that perfect cats win."""
QUICK_BOARDS = BOARDS[:1]
TABLES = 100
"""Random tables a side from which a job draws its pairs."""
COMPARED, QUICK_COMPARED = 100_000, 5_000
"""Games whose outcomes are compared, one by one."""
PLAN, QUICK_PLAN = Plan(0.05, 9, time.thread_time), Plan(0.01, 3, time.thread_time)


class Games(NamedTuple):
    """Games to play: rows of the two sides' tables, int32 [M, 2], and seeds, uint64 [M]."""

    rows: NDArray[np.int32]
    seeds: NDArray[np.uint64]


Outcomes = Callable[[Games], NDArray[np.int16]]
"""Plays games; int16 [M, 1, 4]: the score of each seat, plies, distance at the end."""


class Measured(NamedTuple):
    """Our games and moves a second; with gcc, C's games a second, and ours to C's."""

    games: float
    moves: float
    c_games: float | None = None
    ratio: float | None = None


class _Knowledge(ctypes.Structure):
    """What the C file calls so."""

    _fields_ = (
        ("tables", ctypes.c_void_p * 2),
        ("genes", ctypes.c_int64 * 2),
        ("plies", ctypes.c_void_p),
    )


class Loop:
    """One job of one game in C, with opposite corners, one cat and one mouse, a step a turn.

    It draws as the package does, so every game is the same, move for move.

    Raises ValueError for an unknown job, RuntimeError where the compiler is absent or fails.
    """

    def __init__(self, job: str, game: Game, tables: Sides) -> None:
        if job not in JOBS:
            raise ValueError(f"unknown job {job!r}; expected one of {', '.join(JOBS)}")
        board = game.board
        names = (("ROWS", ROWS), ("COLUMNS", COLS), ("FIRST", FIRST), ("LIMIT", LIMIT))
        library = c_loop.compiled(
            "pursuit_loop.c", *(f"-D{name}={board[at]}" for name, at in names)
        )
        self._function = library["play_" + job.replace("-", "_")]
        self._tables = [np.ascontiguousarray(side) for side in tables]
        self._plies = np.ascontiguousarray(plies_to_capture(game))
        pointers = (ctypes.c_void_p * 2)(*(side.ctypes.data for side in self._tables))
        genes = (ctypes.c_int64 * 2)(*(side.shape[1] for side in self._tables))
        self._knowledge = _Knowledge(pointers, genes, self._plies.ctypes.data)

    def play(self, chosen: Games) -> NDArray[np.int16]:
        """Outcomes of one game each, int16 [M, 1, 4]: scores, plies, distance at the end."""
        rows, seeds = np.ascontiguousarray(chosen.rows), np.ascontiguousarray(chosen.seeds)
        outcomes = np.empty((len(seeds), 1, 4), dtype=np.int16)
        self._function(
            ctypes.byref(self._knowledge),
            ctypes.c_void_p(rows.ctypes.data),
            ctypes.c_void_p(seeds.ctypes.data),
            ctypes.c_int64(len(seeds)),
            ctypes.c_void_p(outcomes.ctypes.data),
        )
        return outcomes


def our_arena(job: str, game: Game) -> tuple[Outcomes, Sides]:
    """Return a job as games of our arena, and the tables that play."""
    panel: list[Player] = []
    populations: list[Genomes] = []
    firsts, groups, tables = [], [], []
    for seat, kind in enumerate(JOBS[job]):
        rows = np.zeros((1, 1), dtype=np.int8)
        if kind.endswith("-table"):
            encoding = TableEncoding(game, kind, (seat,))
            rows = encoding.random(TABLES, generator(0, "benchmark", index=seat))
            firsts.append(TABLES * len(populations))
            groups.append(len(populations))
            populations.append(Genomes(encoding, rows))
        else:
            panel.append(players.make(kind, game))
            firsts.append(-len(panel))
            groups.append(-len(panel))
        tables.append(rows)
    entrants = Entrants(game, panel, populations)
    meeting = ((groups[0], groups[1]),)

    def play(chosen: Games) -> NDArray[np.int16]:
        pairs = chosen.rows + np.array(firsts, dtype=np.int32)
        return play_pairs(entrants, pairs, chosen.seeds, 1, meeting, measured=True)

    return play, (tables[0], tables[1])


def games_of(tables: Sides, count: int) -> Games:
    """Pairs of any two tables, with their seeds."""
    rng = generator(0, "benchmark pairs")
    rows = [rng.integers(0, len(side), count, dtype=np.int32) for side in tables]
    return Games(np.stack(rows, axis=1), match_seeds(0, "benchmark", 0, count))


def measure(job: str, game: Game, plan: Plan, compared: int) -> Measured:
    """One job of one game: the outcomes compared, then the rates in turns."""
    arena, tables = our_arena(job, game)
    some = games_of(tables, compared)
    outcomes = arena(some)
    plies = float(outcomes[:, 0, 2].mean())

    def in_turn(played: Outcomes) -> Play:
        return as_play(lambda seeds: played(Games(some.rows[: len(seeds)], seeds)), some.seeds)

    ours = in_turn(arena)
    if not c_loop.available():
        rate = statistics.median(rates(ours, plan))
        return Measured(rate, rate * plies)
    loop = Loop(job, game, tables)
    refuse_difference(f"{job} of {game.spec}", outcomes, loop.play(some))
    found = compare(ours, in_turn(loop.play), plan)
    return Measured(found.ours, found.ours * plies, found.theirs, found.ratio)


def show_json(job: str, game: Game, found: Measured) -> None:
    """Print the rates as JSON objects, and the ratio as another object."""
    fields: dict[str, Any] = {"job": job, "game": game.spec}
    emit("pursuit-games", found.games, "games/s", **fields)
    emit("pursuit-moves", found.moves, "moves/s", **fields)
    if found.ratio is not None:
        emit("pursuit-ratio", found.ratio, "times c", **fields)


def show_row(job: str, game: Game, found: Measured) -> None:
    """Print the rates and the ratio as a row of a table."""
    board, end = f"{game.board[ROWS]}x{game.board[COLS]}", ENDS[int(game.board[LIMIT] > 0)]
    theirs = "" if found.c_games is None else f"{found.c_games:,.0f}"
    ratio = "" if found.ratio is None else f"{found.ratio:.2f}"
    emit_row(board, job, end, f"{found.games:,.0f}", f"{found.moves:,.0f}", ratio, theirs)


def options() -> argparse.Namespace:
    """Return the parsed command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", nargs="+", choices=JOBS, default=list(JOBS))
    parser.add_argument("--quick", action="store_true", help="short turns, 8x7 only")
    parser.add_argument("--json", action="store_true", help="JSON objects in place of a table")
    return parser.parse_args()


def main() -> None:
    """Print every job on every board under both end rules."""
    chosen = options()
    plan = QUICK_PLAN if chosen.quick else PLAN
    compared = QUICK_COMPARED if chosen.quick else COMPARED
    if chosen.json:
        emit("machine", 1, "machine", **machine())
    else:
        emit_row("board", "job", "end", "games/s", "moves/s", "ours/C", "C's games/s")
    for (rows, cols, first), end in product(QUICK_BOARDS if chosen.quick else BOARDS, ENDS):
        game = games.make("cat-and-mouse", rows=rows, cols=cols, first=first, end=end)
        for job in chosen.jobs:
            show = show_json if chosen.json else show_row
            show(job, game, measure(job, game, plan, compared))
    if not c_loop.available() and chosen.json:
        emit("pursuit-ratio", 0.0, "times c", left_out=c_loop.INSTALL)
    elif not c_loop.available():
        print(f"c is left out: {c_loop.INSTALL}")


if __name__ == "__main__":
    main()
