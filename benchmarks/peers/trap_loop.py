"""The cat trap by a straight C loop, compiled for one board: the yardstick for one core.

It draws as the package does, so every game is the same, move for move. Needs `gcc`.
"""

from benchmarks.peers.c_loop import EXACT, Outcomes, compiled, job_of
from tournaments.game import Game
from tournaments.games.cat_trap.board import LEAST, MOST, SIZE

JOBS = {"random": ("random", "random"), "planner": ("planner:max_depth=1", "random")}
"""Job -> its cat, and the blocker."""


def loop(job: str, game: Game) -> Outcomes:
    """One job on one board whose blocks are drawn: scores, plies, distance at the end."""
    names = (("SIZE", SIZE), ("LEAST", LEAST), ("MOST", MOST))
    defines = (f"-D{name}={game.board[at]}" for name, at in names)
    return job_of(compiled("trap_loop.c", *defines, EXACT), job, 4)
