"""Karate beside a C loop: `python -m benchmarks.karate`.

One row for random play and for readers of the last two moves, each against itself: rounds a second
on one thread, and the ratio to C, the median of turns by processor time of the thread. Both play
the same games, and a difference in any outcome ends the benchmark. Compilation is left out of every
figure, and kinds are linked with one another, as they are in long runs.
"""

import argparse
import time

import numpy as np
from numpy.typing import NDArray

from benchmarks import Results
from benchmarks.games import INSTALL_GCC
from benchmarks.peers import c_loop
from benchmarks.peers.karate_loop import JOBS, Loop
from benchmarks.report import emit, emit_row, machine
from benchmarks.timing import Plan, Play, compare
from cluster import Entrants
from tournaments import games, players
from tournaments.arena import arena
from tournaments.kernels.rng import match_seeds

ROUNDS = 100
COMPARED = 2000
"""Games of each job whose outcomes are compared, one by one."""
PLAN, QUICK_PLAN = Plan(0.1, 9, time.thread_time), Plan(0.02, 3, time.thread_time)


def our_arena(job: str):
    """A job in our arena: seeds -> outcomes int16 [M, 1, 2]."""
    game = games.make("karate", rounds=ROUNDS)
    entrants = Entrants(game, [players.make(JOBS[job], game) for _ in range(2)])

    def play(seeds: NDArray[np.uint64]) -> NDArray[np.int16]:
        pairs = np.tile(np.array([[-1, -2]], dtype=np.int32), (len(seeds), 1))
        return arena.play_pairs(entrants, pairs, seeds, 1, ((-1, -2),))

    return play


def as_play(outcomes, seeds: NDArray[np.uint64]) -> Play:
    """The same as a number of matches: the first so many of these games, over and over."""

    def play(matches: int) -> Results:
        won = 0
        for first in range(0, matches, len(seeds)):
            scores = outcomes(seeds[: min(matches - first, len(seeds))])[:, 0]
            won += int((scores[:, 0] > scores[:, 1]).sum())
        return won, 0, matches - won

    return play


def check_equal(job: str, seeds: NDArray[np.uint64]) -> None:
    """RuntimeError where an outcome differs."""
    ours, theirs = our_arena(job)(seeds), Loop(job, ROUNDS).play(seeds)
    differing = np.flatnonzero((ours != theirs).any(axis=(1, 2)))
    if len(differing):
        number = differing[0]
        raise RuntimeError(
            f"{job}: {len(differing)} of {len(ours)} games differ, the first {number}: ours "
            f"{ours[number, 0].tolist()}, C's {theirs[number, 0].tolist()}"
        )


def main() -> None:
    """Print every job."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", nargs="+", choices=JOBS, default=list(JOBS))
    parser.add_argument("--quick", action="store_true", help="short turns")
    parser.add_argument("--json", action="store_true", help="JSON objects in place of a table")
    chosen = parser.parse_args()
    if not c_loop.available():
        raise SystemExit(f"c is left out: {INSTALL_GCC}")
    arena.LINKED_FROM = 0  # as after millions of games
    if chosen.json:
        emit("machine", 1, "machine", **machine())
    else:
        emit_row("game", "player", "opponent", "games/s", "rounds/s", "ours/C", "C's rounds/s")
    for job in chosen.jobs:
        seeds = match_seeds(0, "benchmark", 0, COMPARED)
        check_equal(job, seeds)
        ours, theirs = as_play(our_arena(job), seeds), as_play(Loop(job, ROUNDS).play, seeds)
        rates = compare(ours, theirs, QUICK_PLAN if chosen.quick else PLAN)
        if chosen.json:
            emit("karate-rounds", rates.ours * ROUNDS, "rounds/s", job=job)
            emit("karate-ratio", rates.ratio, "times c", job=job)
        else:
            each = f"{rates.ours:,.0f}", f"{rates.ours * ROUNDS:,.0f}", f"{rates.ratio:.2f}"
            emit_row("karate", job, job, *each, f"{rates.theirs * ROUNDS:,.0f}")


if __name__ == "__main__":
    main()
