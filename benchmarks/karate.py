"""Karate beside a C loop: `python -m benchmarks.karate`.

One row for random play and for readers of the last two moves, each against itself: rounds a second
on one thread, and the ratio to C, the median of turns by processor time of the thread. Both play
the same games, and a difference in any outcome ends the benchmark. Compilation is left out of every
figure, and kinds are linked with one another, as they are in long runs.
"""

import ctypes

from benchmarks.beside_c import Duel
from benchmarks.peers.c_loop import EXACT, Outcomes, compiled, job_of
from tournaments.arena import arena
from tournaments.game import Game

ROUNDS = 100
"""Of a game."""


def loop(job: str, game: Game) -> Outcomes:
    """One job in games of `ROUNDS`: the scores."""
    return job_of(compiled("karate_loop.c", EXACT), job, 2, ctypes.c_int(ROUNDS))


DUEL = Duel(
    name="karate",
    unit="rounds",
    heads=("game", "player", "opponent"),
    jobs={"random": ("random", "random"), "markov": ("markov", "markov")},
    compared={"random": 2000, "markov": 2000},
    specs=(f"karate:rounds={ROUNDS}",),
    label=lambda game: game.name,
    loop=loop,
    steps=(lambda outcomes: ROUNDS, "rounds"),
)

if __name__ == "__main__":
    arena.LINKED_FROM = 0  # as after millions of games
    DUEL.main(__doc__)
