"""A game whose first move never ends, for the tests of signals: in the kernel itself."""

from __future__ import annotations

from dataclasses import replace

import game_of_a_stranger

from tournaments.kernels.linker import kernel


@kernel
def play(board, state, action):
    state[0] = 0
    while state[0] == 0:
        state[1] = 1 - state[1]


RULES = replace(
    game_of_a_stranger.RULES,
    name="endless",
    summary="a move that never ends",
    play=play,
)
