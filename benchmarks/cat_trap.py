"""The cat trap beside a C loop: `python -m benchmarks.cat_trap`.

One row for each board and cat against random blocks: games a second on one thread, and the ratio to
C, the median of turns by processor time of the thread. Both play the same games, and a difference
in any outcome ends the benchmark. Compilation is left out of every figure.
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
from benchmarks.peers.trap_loop import JOBS, Loop
from benchmarks.report import emit, emit_row, machine
from benchmarks.timing import Comparison, Plan, compare
from tournaments import games
from tournaments.game import Game
from tournaments.kernels.rng import match_seeds

SIZES = (7, 11)
COMPARED = {"random": 20_000, "planner": 100}
"""Games of each job whose outcomes are compared, one by one."""


def cats(job: str, game: Game) -> Outcomes:
    """A job in our arena; the blocker plays at random."""
    return our_arena((JOBS[job], "random"), game)


def check_equal(job: str, game: Game, seeds: NDArray[np.uint64]) -> float:
    """The mean plies of a game; RuntimeError where an outcome differs."""
    ours = cats(job, game)(seeds)
    refuse_difference(f"{job} of {game.spec}", ours, Loop(job, game).play(seeds))
    return float(ours[:, 0, 2].mean())


def measure(job: str, game: Game, plan: Plan) -> tuple[Comparison, float]:
    """One job on one board: the outcomes compared, then the rates in turns; and plies of a game."""
    seeds = match_seeds(0, "benchmark", 0, COMPARED[job])
    plies = check_equal(job, game, seeds)
    ours, theirs = as_play(cats(job, game), seeds), as_play(Loop(job, game).play, seeds)
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
