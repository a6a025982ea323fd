"""The cat trap beside a C loop: `python -m benchmarks.cat_trap`.

One row for each board and cat against random blocks: games a second on one thread, and the ratio to
C, the median of turns by processor time of the thread. Both play the same games, and a difference
in any outcome ends the benchmark. Compilation is left out of every figure.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks import Results
from benchmarks.games import INSTALL_GCC
from benchmarks.peers import c_loop
from benchmarks.peers.trap_loop import JOBS, Loop
from benchmarks.report import emit, emit_row, machine
from benchmarks.timing import Comparison, Plan, Play, compare
from cluster import Entrants
from tournaments import games, players
from tournaments.arena.arena import play_pairs
from tournaments.game import Game
from tournaments.kernels.rng import match_seeds

SIZES = (7, 11)
COMPARED = {"random": 20_000, "planner": 100}
"""Games of each job whose outcomes are compared, one by one."""
PLAN, QUICK_PLAN = Plan(0.1, 9, time.thread_time), Plan(0.02, 3, time.thread_time)

Outcomes = Callable[[NDArray[np.uint64]], NDArray[np.int16]]
"""Plays a game a seed; int16 [M, 1, 4]: the score of each seat, plies, distance at the end."""


def our_arena(job: str, game: Game) -> Outcomes:
    """A job in our arena."""
    entrants = Entrants(game, [players.make(name, game) for name in (JOBS[job], "random")])

    def play(seeds: NDArray[np.uint64]) -> NDArray[np.int16]:
        pairs = np.tile(np.array([[-1, -2]], dtype=np.int32), (len(seeds), 1))
        return play_pairs(entrants, pairs, seeds, 1, ((-1, -2),), measured=True)

    return play


def as_play(outcomes: Outcomes, seeds: NDArray[np.uint64]) -> Play:
    """The same as a number of matches: the first so many of these games, over and over."""

    def play(matches: int) -> Results:
        won = 0
        for first in range(0, matches, len(seeds)):
            won += int(outcomes(seeds[: min(matches - first, len(seeds))])[:, 0, 0].sum())
        return won, 0, matches - won

    return play


def check_equal(job: str, game: Game, seeds: NDArray[np.uint64]) -> float:
    """The mean plies of a game; RuntimeError where an outcome differs."""
    ours, theirs = our_arena(job, game)(seeds), Loop(job, game).play(seeds)
    differing = np.flatnonzero((ours != theirs).any(axis=(1, 2)))
    if len(differing):
        number = differing[0]
        raise RuntimeError(
            f"{job} of {game.spec}: {len(differing)} of {len(ours)} games differ, the first "
            f"{number}: ours {ours[number, 0].tolist()}, C's {theirs[number, 0].tolist()}"
        )
    return float(ours[:, 0, 2].mean())


def measure(job: str, game: Game, plan: Plan) -> tuple[Comparison, float]:
    """One job on one board: the outcomes compared, then the rates in turns; and plies of a game."""
    seeds = match_seeds(0, "benchmark", 0, COMPARED[job])
    plies = check_equal(job, game, seeds)
    ours, theirs = as_play(our_arena(job, game), seeds), as_play(Loop(job, game).play, seeds)
    return compare(ours, theirs, plan), plies


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", nargs="+", choices=JOBS, default=list(JOBS))
    parser.add_argument("--quick", action="store_true", help="short turns, 7x7 only")
    parser.add_argument("--json", action="store_true", help="JSON objects in place of a table")
    return parser.parse_args()


def main() -> None:
    """Print every job on every board."""
    chosen = options()
    if not c_loop.available():
        raise SystemExit(f"c is left out: {INSTALL_GCC}")
    if chosen.json:
        emit("machine", 1, "machine", **machine())
    else:
        emit_row("board", "cat", "blocker", "games/s", "moves/s", "ours/C", "C's games/s")
    for size in SIZES[:1] if chosen.quick else SIZES:
        game = games.make("cat-trap", size=size)
        for job in chosen.jobs:
            found, plies = measure(job, game, QUICK_PLAN if chosen.quick else PLAN)
            if chosen.json:
                emit("cat-trap-games", found.ours, "games/s", job=job, game=game.spec)
                emit("cat-trap-ratio", found.ratio, "times c", job=job, game=game.spec)
            else:
                rates = f"{found.ours:,.0f}", f"{found.ours * plies:,.0f}", f"{found.ratio:.2f}"
                emit_row(f"{size}x{size}", job, "random", *rates, f"{found.theirs:,.0f}")


if __name__ == "__main__":
    main()
