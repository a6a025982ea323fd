"""The hooks that games and players fill. The arena uses only these.

Arguments of several hooks:

* ``board``: int16, the constants of a game.
* ``state``: int16, a position. ``state[0]`` is the seat to move, or -1 when the game is over.
  ``state[1]`` and ``state[2]`` are the scores of the two seats. The game defines the rest.
* ``parameters``, ``row``: the parameters of a population of players, an array or a tuple of arrays,
  and the row of the player.
* ``memory``: the scratch arrays of the kind of player.
* ``stream``: uint64[1], a stream of random numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from tournaments.kernels.bitset import bit
from tournaments.kernels.linker import hook, kernel
from tournaments.kernels.positions import number_of

MOST_SHOWN = 16
"""Largest input of a network."""
HIDDEN = -1
"""Placeholder of the other side's action in games with hidden information."""

# --- filled by a game -------------------------------------------------------------------------


@hook
def start(board, state, seed):
    """Write the first position of a game into ``state``. Random openings use ``seed`` (uint64)."""


@hook
def legal(board, state, actions):
    """Write the legal actions of a position into ``actions``, rising, and return their number."""


@hook
def legal_set(board, state, words):
    """Write the legal actions of a position into ``words`` as a set of bits; return their number.

    See :mod:`tournaments.kernels.bitset`.
    """


@hook
def legal_set_change(board, state, action, words):
    """Update the set of legal actions (bits of ``words``) after an action; return its size.

    ``state`` is the position after the action.
    """


@hook
def note_legal(board, state, words, actions):
    """Write the legal actions of a position into ``words`` as a set of bits.

    ``actions`` (int16 ``[A]``) may be overwritten. The hook is filled for every game, by one of the
    kernels below.
    """


@hook
def note_legal_change(board, state, action, words, actions):
    """Update the set of legal actions that :func:`note_legal` has written after an action."""


@kernel
def note_legal_set(board, state, words, actions):
    """Fill the hook :func:`note_legal` for games that offer ``legal_set``."""
    legal_set(board, state, words)


@kernel
def note_legal_set_change(board, state, action, words, actions):
    """Fill the hook :func:`note_legal_change` for games that offer ``legal_set_change``."""
    legal_set_change(board, state, action, words)


@kernel
def note_legal_list(board, state, words, actions):
    """Fill the hook :func:`note_legal` for games that only list their legal actions."""
    count = legal(board, state, actions)
    for index in range(words.size):
        words[index] = np.uint64(0)
    for place in range(count):
        words[actions[place] >> 5] |= bit(actions[place])


@kernel
def note_legal_list_change(board, state, action, words, actions):
    """Fill the hook :func:`note_legal_change` for games that only list their legal actions."""
    if state[0] >= 0:
        note_legal_list(board, state, words, actions)


@hook
def play(board, state, action):
    """Play a legal action of a game: change ``state`` in place, including its header."""


@hook
def view(board, state, seat, seen):
    """Write a seat's view of a position into ``seen``, which has the layout of a state.

    The view shows the seat to move and, if ``seat`` is to move, its legal actions. Hidden numbers
    are replaced by constants. The view of a view is that view.
    """


@hook
def view_of(board, state, seat, seen):
    """Return a seat's view of a position: the state itself, or ``seen``, which is filled.

    The hook is filled for every game, by one of the kernels below.
    """


@kernel
def view_of_all(board, state, seat, seen):
    """Fill the hook :func:`view_of` for games that hide nothing."""
    return state


@kernel
def view_of_part(board, state, seat, seen):
    """Fill the hook :func:`view_of` for games that hide part of every position."""
    view(board, state, seat, seen)
    return seen


@hook
def has_secret(board, state, seat):
    """Return whether the view of a seat differs from the position, see ``Rules.has_secret``."""


@kernel
def view_of_secrets(board, state, seat, seen):
    """Fill the hook :func:`view_of` for games with ``has_secret``.

    Other positions are not copied.
    """
    if has_secret(board, state, seat):
        view(board, state, seat, seen)
        return seen
    return state


@hook
def view_watched(board, state, seat, seen):
    """Return the view of a position for a player's hook :func:`watch`.

    If the kind of player does not watch, it is the state itself.
    """


@hook
def seen_action(action):
    """Return the action of the other side as a seat observes it.

    The hook is filled for every game.
    """


@kernel
def every_action(action):
    """Fill the hook :func:`seen_action` for games that do not hide actions."""
    return action


@kernel
def no_action(action):
    """Fill the hook :func:`seen_action` for games that hide actions.

    The view shows what is known.
    """
    return HIDDEN


@hook
def outcomes(board, state, action):
    """Return the number of equally likely outcomes of an action in a game of chance.

    1 means that nothing is drawn. ``state`` is a position whose random stream is zeros.
    """


@hook
def settle(board, state, action, outcome):
    """Play an action of a game of chance with a given outcome. The random stream stays zeros."""


@hook
def measure(board, state):
    """Return the measure of a finished game (int16) that its rules declare: ``Rules.measure``."""


@kernel
def nothing_to_measure(board, state):
    """Fill the hook :func:`measure` for games without a measure."""
    return 0


@hook
def encode(board, state, inputs):
    """Write the inputs of a network for a position, seen by the seat to move.

    ``inputs`` is a float64 or int32 array. Inputs are whole numbers within ``+-MOST_SHOWN``, so
    that sums of weighted inputs are exact. :func:`tournaments.kernels.arithmetic.scaled` scales
    larger counts. The hook is also called for finished positions, where ``state[0]`` is -1; the
    inputs of these are not used.
    """


@hook
def encode_change(board, state, action, before, inputs, changed):
    """Update the inputs of a network after an action; list the changed inputs, return their number.

    ``before`` holds the previous inputs, and so does ``inputs`` on entry. ``changed`` (int16, one
    element per input) receives the index of each input that differs, once.
    """


@kernel
def encode_anew(board, state, action, before, inputs, changed):
    """Fill the hook :func:`encode_change` for games without it: encode all inputs and compare."""
    encode(board, state, inputs)
    count = 0
    for index in range(inputs.size):
        changed[count] = index
        count += inputs[index] != before[index]
    return count


@hook
def position(board, state):
    """Return the number of a position in the game's table of exact values (int64)."""


@hook
def action_value(board, state, number, action, values, scratch):
    """Return the net gain of the seat to move if it plays an action and both then play best.

    ``number`` is the number of the position, ``values`` the table of exact values. ``scratch``
    (int16, as long as a state) may be overwritten.
    """


@kernel
def action_value_by_play(board, state, number, action, values, scratch):
    """Fill the hook :func:`action_value` for games without it: play the action in a copy."""
    seat = state[0]
    for index in range(state.size):
        scratch[index] = state[index]
    play(board, scratch, action)
    gain = (scratch[1 + seat] - state[1 + seat]) - (scratch[2 - seat] - state[2 - seat])
    if scratch[0] < 0:
        return gain
    rest = values[position(board, scratch)]
    return gain + rest if scratch[0] == seat else gain - rest


@hook
def seat_number(board, state):
    """Return the number of a position among those with the same seat to move (int64).

    It is the hook of ``Rules.states``.
    """


@hook
def state_number(board, states, slots, state):
    """Return the row of a position in a table of all positions of the game (int64).

    Filled for every game, by one of the kernels below. ``states`` and ``slots`` are those of
    :class:`tournaments.solver.states.States`.
    """


@kernel
def state_number_by_index(board, states, slots, state):
    """Fill the hook :func:`state_number` for games with ``Rules.states``."""
    return np.int64(seat_number(board, state))


@kernel
def state_number_by_solver(board, states, slots, state):
    """Fill the hook :func:`state_number` for games with a table of exact values."""
    return np.int64(position(board, state))


@kernel
def state_number_by_search(board, states, slots, state):
    """Fill the hook :func:`state_number` for other games, by a search among all positions."""
    return number_of(states, slots, state)


# --- filled by the player kinds of the two sides ---------------------------------------------


# ``state`` is what their seat sees of the position, see :func:`view_of`.


@hook
def begin(board, state, parameters, row, memory):
    """Prepare a player's ``memory`` for a game that begins at this position.

    ``row`` is the player's row in ``parameters``, those of all players of its kind.
    """


@hook
def watch(board, state, action, parameters, row, memory):
    """Let a player observe an action of either side. ``state`` is the position after it.

    The player may change its ``memory``. In games with hidden information, the other side's action
    is ``HIDDEN``.
    """


@hook
def choose(board, state, parameters, row, memory, stream):
    """Return the legal action that a player chooses for the seat to move.

    Random numbers come from ``stream``. ``row`` is the player's row in ``parameters``, those of all
    players of its kind. The hook must not store anything in ``memory`` for later choices;
    :func:`watch` does.
    """


@hook
def candidates(board, state, parameters, row, memory, words):
    """Write the actions among which a player draws with equal probability; return their number.

    ``words`` is a set of :mod:`tournaments.kernels.bitset`, which must not be empty. ``begin`` has
    set ``memory`` up for the position. The set must depend only on the position and the parameters.
    In a game with a table of exact values, it must not depend on the scores and the seat to move.
    """


@hook
def learn(board, state, reward, parameters, row, memory, stream):
    """Let a player learn from the result of its last turn, and return its next action.

    The hook is called at each turn of the side, and once when the game is over; then the returned
    action is not played. ``reward`` (float64) is the gain of the side's lead since its last turn,
    or since the game began. ``memory`` is set up by ``begin`` and keeps notes between turns.
    """


def of_side(each: Callable[..., Any], side: str) -> Callable[..., Any]:
    """Return a copy of a player's hook for one side of a match; the side's kind fills it."""
    return hook(FunctionType(each.__code__, each.__globals__, f"{each.__name__}_{side}"))


begin_a, watch_a, choose_a = (of_side(each, "a") for each in (begin, watch, choose))
begin_b, watch_b, choose_b = (of_side(each, "b") for each in (begin, watch, choose))
view_of_a, view_watched_a = (of_side(each, "a") for each in (view_of, view_watched))
view_of_b, view_watched_b = (of_side(each, "b") for each in (view_of, view_watched))
learn_a, learn_b = (of_side(learn, side) for side in "ab")


# --- filled by kinds that play several games abreast -------------------------------------------
# ``lanes`` is a :class:`tournaments.arena.lanes.Lanes`; ``memory`` holds both seats of every lane.


@hook
def begin_abreast(board, lanes, lane, parameters, memory):
    """Call :func:`begin` for both players of a game that is played in one of several lanes.

    The players are ``lanes.rows[lane]``, by seat.
    """


@hook
def watch_abreast(board, lanes, lane, parameters, memory):
    """Call :func:`watch` for both players of the game in a lane, with ``lanes.actions[lane]``."""


@hook
def choose_abreast(board, lanes, parameters, memory):
    """Call :func:`choose` for the games of all lanes, and fill ``lanes.actions``.

    Lanes whose seat to move is -1 have no game. Actions there are not played.
    """
