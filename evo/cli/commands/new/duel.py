"""The contest duel. CHANGE: describe what the simulator does.

evo tournament ./duel.py:duel duel.py:low duel.py:high
"""

import numpy as np

import tournaments


def play(players, seed):
    """Play a match, and return a score for each player; more is better.

    CHANGE: this is the simulator. All of its random numbers come from the seed.
    """
    luck = np.random.default_rng(seed).normal(size=len(players))
    return [sum(player) + chance for player, chance in zip(players, luck, strict=True)]


duel = tournaments.contest(play, seats=2)

# CHANGE: players of a first tournament. They may be functions, vectors, or any other objects.
low = [0.0, 0.5]
high = [1.0, 1.5]
