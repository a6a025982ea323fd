"""A game played again by the compiled rules, for :mod:`tournaments.contract.check`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tournaments.game import Game
from tournaments.kernels.hooks import legal, play, start
from tournaments.kernels.linker import build, kernel


@kernel
def replay(board, seed, actions, states, choices):
    """Play given actions from the start.

    Fills ``states [P + 1, size]`` with every position and ``choices [P + 1, A]`` with its legal
    actions, -1 after the last.
    """
    start(board, states[0], seed)
    for ply in range(states.shape[0]):
        if states[ply, 0] >= 0:
            count = legal(board, states[ply], choices[ply])
            for place in range(count, choices.shape[1]):
                choices[ply, place] = -1
        if ply < actions.size:
            for place in range(states.shape[1]):
                states[ply + 1, place] = states[ply, place]
            play(board, states[ply + 1], actions[ply])


def compiled_course(game: Game, actions: Sequence[int], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The positions of a game, int16 ``[P + 1, size]``, and their legal actions, ``[P + 1, A]``, -1
    after the last."""
    positions = np.zeros((len(actions) + 1, game.state_size), dtype=np.int16)
    choices = np.full((len(actions) + 1, game.num_actions), -1, dtype=np.int16)
    run = build(replay, game.hooks)
    run(game.board, np.uint64(seed), np.array(actions, dtype=np.int64), positions, choices)
    return positions, choices
