"""Capture the flag beside a C loop: `python -m benchmarks.capture_the_flag`.

One row for each maze and job, random play or tracking teams on both sides: games and moves a second
on one thread, and the ratio to C, the median of turns by processor time of the thread. Both play
the same games, and a difference in any outcome ends the benchmark. Compilation is left out of every
figure.
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
from benchmarks.peers.flag_loop import JOBS, Loop
from benchmarks.report import emit, emit_row, machine
from benchmarks.timing import Comparison, Plan, compare
from tournaments import games
from tournaments.arena import arena
from tournaments.game import Game
from tournaments.kernels.rng import match_seeds

GAMES = ("capture-the-flag:maze=3,width=18,height=9,dots=8,moves=300", "capture-the-flag")
COMPARED = {"random": 500, "team": 60}
"""Games of each job whose outcomes are compared, one by one."""


def teams(job: str, game: Game) -> Outcomes:
    """A job in our arena, the same player on both sides."""
    return our_arena((JOBS[job],) * 2, game)


def check_equal(job: str, game: Game, seeds: NDArray[np.uint64]) -> float:
    """The mean plies of a game; RuntimeError where an outcome differs."""
    ours = teams(job, game)(seeds)
    refuse_difference(f"{job} of {game.spec}", ours, Loop(job, game).play(seeds))
    return float(ours[:, 0, 2].mean())


def measure(job: str, game: Game, plan: Plan) -> tuple[Comparison, float]:
    """One job in one maze: the outcomes compared, then the rates in turns; and plies of a game."""
    seeds = match_seeds(0, "benchmark", 0, COMPARED[job])
    plies = check_equal(job, game, seeds)
    ours, theirs = as_play(teams(job, game), seeds), as_play(Loop(job, game).play, seeds)
    return compare(ours, theirs, plan), plies


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", nargs="+", choices=JOBS, default=list(JOBS))
    parser.add_argument("--quick", action="store_true", help="short turns, the small maze only")
    parser.add_argument("--json", action="store_true", help="JSON objects in place of a table")
    return parser.parse_args()


def main() -> None:
    """Print every job in every maze."""
    chosen = options()
    if not c_loop.available():
        raise SystemExit(f"c is left out: {INSTALL_GCC}")
    arena.LINKED_FROM = 0  # as after millions of games
    if chosen.json:
        emit("machine", 1, "machine", **machine())
    else:
        emit_row("maze", "red", "blue", "games/s", "moves/s", "ours/C", "C's games/s")
    for spec in GAMES[:1] if chosen.quick else GAMES:
        game = games.parse(spec)
        for job in chosen.jobs:
            compared, plies = measure(job, game, QUICK_PLAN if chosen.quick else PLAN)
            if chosen.json:
                emit("flag-moves", compared.ours * plies, "moves/s", job=job, game=game.spec)
                emit("flag-ratio", compared.ratio, "times c", job=job, game=game.spec)
            else:
                rates = f"{compared.ours:,.0f}", f"{compared.ours * plies:,.0f}"
                maze, ratio = f"{game.board[0]}x{game.board[1]}", f"{compared.ratio:.2f}"
                emit_row(maze, job, job, *rates, ratio, f"{compared.theirs:,.0f}")


if __name__ == "__main__":
    main()
