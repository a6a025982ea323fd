"""Whether what a game may offer beside its rules agrees with what its rules say.

Part of :func:`tournaments.contract.check_game`.
"""

from __future__ import annotations

import numpy as np

from tournaments import action_sets, oracle
from tournaments.encoding import layers_for
from tournaments.hooks import action_value_by_play
from tournaments.kernels import build
from tournaments.types import State


def broken_law(before: State, action: int, after: State) -> str | None:
    """The law that an offered kernel breaks in going from one position to the next, if any."""
    for check in (_encode_change, _legal_set, _action_value):
        law = check(before, action, after)
        if law is not None:
            return law
    return None


def _encode_change(before: State, action: int, after: State) -> str | None:
    game = after.game
    if game.rules.encode is None or game.rules.encode_change is None:
        return None
    old, new = np.zeros(layers_for(game)[0]), np.zeros(layers_for(game)[0])
    game.rules.encode(game.board, before.array, old)
    game.rules.encode(game.board, after.array, new)
    inputs, changed = old.copy(), np.zeros(old.size, dtype=np.int16)
    count = game.rules.encode_change(game.board, after.array, action, old, inputs, changed)
    if not np.array_equal(inputs, new) or {*changed[:count]} != {*np.flatnonzero(old != new)}:
        return "encode_change() must bring the inputs to those of encode() and list what it changed"
    return None


def _legal_set(before: State, action: int, after: State) -> str | None:
    """Both kernels are held to ``legal``; a position that ends the game has no set."""
    rules, board = after.game.rules, after.game.board
    if rules.legal_set is None or rules.legal_set_change is None:
        return None
    words = np.full_like(action_sets.empty(after.game.num_actions), 99)
    count = rules.legal_set(board, before.array, words)
    if (count, action_sets.members(words)) != _expected(before):
        return "legal_set() must write the actions of legal() and return how many there are"
    if after.is_over:
        return None
    count = rules.legal_set_change(board, after.array, action, words)
    if (count, action_sets.members(words)) != _expected(after):
        return "legal_set_change() must bring the set to that of legal_set() and return its size"
    return None


def _expected(state: State) -> tuple[int, list[int]]:
    legal = state.legal_actions()
    return len(legal), legal


def _action_value(before: State, action: int, after: State) -> str | None:
    game = after.game
    if game.rules.action_value is None or not oracle.can_solve(game):
        return None
    assert game.rules.position is not None
    values = oracle.values(game)
    by_play = build(action_value_by_play, game.hooks, compiled=False)
    number = game.rules.position(game.board, before.array)
    asked = game.board, before.array, number, action, values
    if game.rules.action_value(*asked, before.array.copy()) != by_play(*asked, before.array.copy()):
        return "action_value() must be what is scored by the action and the value of what follows"
    return None
