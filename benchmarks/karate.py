"""Karate beside a C loop: `python -m benchmarks.karate`.

One row for random play and for readers of the last two moves, each against itself: rounds a second
on one thread, and the ratio to C, the median of turns by processor time of the thread. Both play
the same games, and a difference in any outcome ends the benchmark. Compilation is left out of every
figure, and kinds are linked with one another, as they are in long runs.
"""

from benchmarks.beside_c import Duel
from benchmarks.peers import karate_loop
from tournaments.arena import arena

DUEL = Duel(
    name="karate",
    unit="rounds",
    heads=("game", "player", "opponent"),
    jobs=karate_loop.JOBS,
    compared={"random": 2000, "markov": 2000},
    specs=(f"karate:rounds={karate_loop.ROUNDS}",),
    label=lambda game: game.name,
    loop=karate_loop.loop,
    steps=(lambda outcomes: karate_loop.ROUNDS, "rounds"),
)

if __name__ == "__main__":
    arena.LINKED_FROM = 0  # as after millions of games
    DUEL.main(__doc__)
