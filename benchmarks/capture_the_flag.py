"""Capture the flag beside a C loop: `python -m benchmarks.capture_the_flag`.

One row for each maze and job, random play or tracking teams on both sides: games and moves a second
on one thread, and the ratio to C, the median of turns by processor time of the thread. Both play
the same games, and a difference in any outcome ends the benchmark. Compilation is left out of every
figure.
"""

from benchmarks.beside_c import Duel
from benchmarks.peers import flag_loop
from tournaments.arena import arena

DUEL = Duel(
    name="flag",
    unit="moves",
    heads=("maze", "red", "blue"),
    jobs=flag_loop.JOBS,
    compared={"random": 500, "team": 60},
    specs=("capture-the-flag:maze=3,width=18,height=9,dots=8,moves=300", "capture-the-flag"),
    label=lambda game: f"{game.board[0]}x{game.board[1]}",
    loop=flag_loop.loop,
)

if __name__ == "__main__":
    arena.LINKED_FROM = 0  # as after millions of games
    DUEL.main(__doc__)
