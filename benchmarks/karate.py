"""Karate beside a C loop: `python -m benchmarks.karate`.

One row for random play and for readers of the last two moves, each against itself: rounds a second
on one thread, and the ratio to C, the median of turns by processor time of the thread. Both play
the same games, and a difference in any outcome ends the benchmark. Compilation is left out of every
figure, and kinds are linked with one another, as they are in long runs.
"""

import argparse

import numpy as np
from numpy.typing import NDArray

from benchmarks.beside_c import (
    PLAN,
    QUICK_PLAN,
    Outcomes,
    as_play,
    our_arena,
    refuse_difference,
)
from benchmarks.games import INSTALL_GCC
from benchmarks.peers import c_loop
from benchmarks.peers.karate_loop import JOBS, Loop
from benchmarks.report import emit, emit_row, machine
from benchmarks.timing import compare
from tournaments import games
from tournaments.arena import arena
from tournaments.kernels.rng import match_seeds

ROUNDS = 100
COMPARED = 2000
"""Games of each job whose outcomes are compared, one by one."""


def readers(job: str) -> Outcomes:
    """A job in our arena, the same player in both seats."""
    return our_arena((JOBS[job],) * 2, games.make("karate", rounds=ROUNDS), measured=False)


def check_equal(job: str, seeds: NDArray[np.uint64]) -> None:
    """RuntimeError where an outcome differs."""
    refuse_difference(job, readers(job)(seeds), Loop(job, ROUNDS).play(seeds))


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
        ours, theirs = as_play(readers(job), seeds), as_play(Loop(job, ROUNDS).play, seeds)
        rates = compare(ours, theirs, QUICK_PLAN if chosen.quick else PLAN)
        if chosen.json:
            emit("karate-rounds", rates.ours * ROUNDS, "rounds/s", job=job)
            emit("karate-ratio", rates.ratio, "times c", job=job)
        else:
            each = f"{rates.ours:,.0f}", f"{rates.ours * ROUNDS:,.0f}", f"{rates.ratio:.2f}"
            emit_row("karate", job, job, *each, f"{rates.theirs * ROUNDS:,.0f}")


if __name__ == "__main__":
    main()
