"""Whether what a game may offer beside its rules agrees with what its rules say.

Part of :func:`tournaments.contract.check.check_game`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tournaments import solver as oracle
from tournaments.kernels import bitset as action_sets
from tournaments.kernels.hooks import action_value_by_play
from tournaments.kernels.linker import build
from tournaments.player import State
from tournaments.players.network.bits import layers_for

MOST_TURNED = 30
"""Plies of a game that are played again by each symmetry: a whole game on 3x3 boxes."""


def broken_law(before: State, action: int, after: State) -> str | None:
    """The law that an offered kernel breaks in going from one position to the next, if any."""
    for check in (_encode_change, _legal_set, _action_value):
        law = check(before, action, after)
        if law is not None:
            return law
    return None


def broken_symmetry(start: State, actions: Sequence[int]) -> str | None:
    """The law that symmetries break which a game offers, over the plies of one game, if any.

    Args:
        start: where the game began.
        actions: all that were played; of a long game the first ones are looked at.
    """
    game = start.game
    if game.rules.symmetries is None:
        return None
    found = game.rules.symmetries(game.board)
    if [part.shape[1] for part in found] != list(layers_for(game)):
        return "symmetries() must say where each input, hidden node and action goes"
    if any((np.sort(part) != np.arange(part.shape[1])).any() for part in found):
        return "each row of symmetries() must name every input, hidden node or action once"
    whole = np.hstack(found)  # one symmetry a row
    shifts = np.cumsum([0, *layers_for(game)[:-1]]).repeat(layers_for(game))
    rows = {row.tobytes() for row in whole}
    if any((row[other + shifts]).tobytes() not in rows for row in whole for other in whole):
        return "two of symmetries(), one after the other, must be one of them"
    for inputs, moved in zip(found.inputs, found.actions, strict=True):
        if not _same_game(start, actions[:MOST_TURNED], inputs, moved):
            return "a game with its actions led elsewhere by symmetries() must be the same game"
    return None


def _same_game(start: State, actions: Sequence[int], inputs: np.ndarray, moved: np.ndarray) -> bool:
    """Whether the game with each action where a symmetry leads it has the same course."""
    game, here, there = start.game, start.clone(), start.clone()
    shown = np.zeros((2, len(inputs)))
    for action in actions:
        if sorted(moved[here.legal_actions()].tolist()) != there.legal_actions():
            return False
        here.play(action)
        there.play(int(moved[action]))
        for state, row in zip((here, there), shown, strict=True):
            assert game.rules.encode is not None
            game.rules.encode(game.board, state.array, row)
        if (here.seat_to_move, here.scores) != (there.seat_to_move, there.scores):
            return False
        if not np.array_equal(shown[0], shown[1][inputs]):
            return False
    return True


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
