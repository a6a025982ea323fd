"""The cat trap beside a C loop: `python -m benchmarks.cat_trap`.

One row for each board and cat against random blocks: games a second on one thread, and the ratio to
C, the median of turns by processor time of the thread. Both play the same games, and a difference
in any outcome ends the benchmark. Compilation is left out of every figure.
"""

from benchmarks.beside_c import Duel
from benchmarks.peers.c_loop import EXACT, Outcomes, compiled, job_of
from tournaments.game import Game
from tournaments.games.cat_trap.board import LEAST, MOST, SIZE


def loop(job: str, game: Game) -> Outcomes:
    """One job on one board whose blocks are drawn: scores, plies, distance at the end."""
    names = (("SIZE", SIZE), ("LEAST", LEAST), ("MOST", MOST))
    defines = (f"-D{name}={game.board[at]}" for name, at in names)
    return job_of(compiled("trap_loop.c", *defines, EXACT), job, 4)


DUEL = Duel(
    name="cat-trap",
    unit="games",
    heads=("board", "cat", "blocker"),
    jobs={"random": ("random", "random"), "planner": ("planner:max_depth=1", "random")},
    compared={"random": 20_000, "planner": 100},
    specs=("cat-trap:size=7", "cat-trap:size=11"),
    label=lambda game: f"{game.board[SIZE]}x{game.board[SIZE]}",
    loop=loop,
)

if __name__ == "__main__":
    DUEL.main(__doc__)
