"""The cat trap beside a C loop: `python -m benchmarks.cat_trap`.

One row for each board and cat against random blocks: games a second on one thread, and the ratio to
C, the median of turns by processor time of the thread. Both play the same games, and a difference
in any outcome ends the benchmark. Compilation is left out of every figure.
"""

from benchmarks.beside_c import Duel
from benchmarks.peers import trap_loop
from tournaments.games.cat_trap.board import SIZE

DUEL = Duel(
    name="cat-trap",
    unit="games",
    heads=("board", "cat", "blocker"),
    jobs=trap_loop.JOBS,
    compared={"random": 20_000, "planner": 100},
    specs=("cat-trap:size=7", "cat-trap:size=11"),
    label=lambda game: f"{game.board[SIZE]}x{game.board[SIZE]}",
    loop=trap_loop.loop,
)

if __name__ == "__main__":
    DUEL.main(__doc__)
