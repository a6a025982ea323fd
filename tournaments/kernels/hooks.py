"""The places that games and players fill: the arena is written against these alone.

Arrays: ``board`` int16, a game's constants; ``state`` int16, a position (``state[0]`` is the seat
to move, -1 when the game is over; ``state[1]`` and ``state[2]`` the scores of the two seats; the
rest is the game's own); ``parameters`` what the player kind made of its entrants, an array or a
tuple of arrays, of which entrant ``row`` is meant; ``memory`` the kind's scratch arrays; ``stream``
uint64[1].
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
"""The largest input of a network."""
HIDDEN = -1
"""In place of the other side's action, in a game that hides some of the position."""

# --- filled by a game -------------------------------------------------------------------------


@hook
def start(board, state, seed):
    """Write the first position into ``state``; ``seed`` (uint64) serves random openings."""


@hook
def legal(board, state, actions):
    """Write the legal actions into ``actions``, in rising order; return how many there are."""


@hook
def legal_set(board, state, words):
    """Write the legal actions as a set (:mod:`tournaments.kernels.bitset`); return how many."""


@hook
def legal_set_change(board, state, action, words):
    """Bring the set of legal actions up to the action just played; return how many there are."""


@hook
def note_legal(board, state, words, actions):
    """Write the legal actions as a set; ``actions`` (int16, a place an action) may be overwritten.

    Filled for every game, by one of the kernels below.
    """


@hook
def note_legal_change(board, state, action, words, actions):
    """Bring the set of :func:`note_legal` up to the action just played."""


@kernel
def note_legal_set(board, state, words, actions):
    """:func:`note_legal` of games that offer a set."""
    legal_set(board, state, words)


@kernel
def note_legal_set_change(board, state, action, words, actions):
    """:func:`note_legal_change` of games that offer a set."""
    legal_set_change(board, state, action, words)


@kernel
def note_legal_list(board, state, words, actions):
    """:func:`note_legal` of games that offer a list alone."""
    count = legal(board, state, actions)
    for index in range(words.size):
        words[index] = np.uint64(0)
    for place in range(count):
        words[actions[place] >> 5] |= bit(actions[place])


@kernel
def note_legal_list_change(board, state, action, words, actions):
    """:func:`note_legal_change` of games that offer a list alone."""
    if state[0] >= 0:
        note_legal_list(board, state, words, actions)


@hook
def play(board, state, action):
    """Play a legal action: change ``state`` in place, the header with it."""


@hook
def view(board, state, seat, seen):
    """Write what a seat may see of a position into ``seen``, which is laid out as a state.

    It shows the seat to move and, where that is ``seat``, its legal actions. What is hidden has the
    same numbers there, whatever it is; the view of a view is that view.
    """


@hook
def view_of(board, state, seat, seen):
    """What a seat sees of a position: the state itself, or ``seen``, which is filled.

    Filled for every game, by one of the kernels below.
    """


@kernel
def view_of_all(board, state, seat, seen):
    """:func:`view_of` of games that hide nothing."""
    return state


@kernel
def view_of_part(board, state, seat, seen):
    """:func:`view_of` of games that do."""
    view(board, state, seat, seen)
    return seen


@hook
def has_secret(board, state, seat):
    """Whether the view of a seat is another thing than the position; see ``Rules.has_secret``."""


@kernel
def view_of_secrets(board, state, seat, seen):
    """:func:`view_of` of games that tell where they hide something: nothing is copied elsewhere."""
    if has_secret(board, state, seat):
        view(board, state, seat, seen)
        return seen
    return state


@hook
def view_watched(board, state, seat, seen):
    """:func:`view_of` for :func:`watch` alone: the state itself for a kind that watches nothing."""


@hook
def seen_action(action):
    """The other side's action as a seat is told of it; filled for every game."""


@kernel
def every_action(action):
    """:func:`seen_action` of games that do not hide what is played."""
    return action


@kernel
def no_action(action):
    """:func:`seen_action` of games that hide: what may be known of it stands in the view."""
    return HIDDEN


@hook
def outcomes(board, state, action):
    """How many outcomes an action has, each as likely as the others; 1: nothing is drawn.

    ``state`` is a position whose stream is zeros.
    """


@hook
def settle(board, state, action, outcome):
    """Play an action that comes out so; the stream, zeros, is left alone."""


@hook
def measure(board, state):
    """What the game says of how near its end was (int16): see ``Rules.measure``."""


@kernel
def nothing_to_measure(board, state):
    """:func:`measure` of games that say nothing."""
    return 0


@hook
def encode(board, state, inputs):
    """Write what a network is shown into ``inputs`` (a float64 or int32 array), for the mover.

    Whole numbers within ``+-MOST_SHOWN``, so that sums of weighted inputs are exact; counts that
    may be larger are brought there by :func:`tournaments.kernels.arithmetic.scaled`. It is also
    called for finished positions, where ``state[0]`` is -1; what it writes there is not used.
    """


@hook
def encode_change(board, state, action, before, inputs, changed):
    """Bring ``inputs`` up to the action just played; list those that it changed, return how many.

    ``before`` has the inputs as they were, and ``inputs`` has them too on entry. ``changed``
    (int16, one place an input) takes the indices of those that differ, each once.
    """


@kernel
def encode_anew(board, state, action, before, inputs, changed):
    """:func:`encode_change` for games that offer none: encode all and compare."""
    encode(board, state, inputs)
    count = 0
    for index in range(inputs.size):
        changed[count] = index
        count += inputs[index] != before[index]
    return count


@hook
def position(board, state):
    """The number of this position in the game's table of exact values (int64)."""


@hook
def action_value(board, state, number, action, values, scratch):
    """What the seat to move gains over the other by this action and best play after it.

    ``number`` is the position's, ``values`` the table of exact values. ``scratch`` (int16, as long
    as a state) may be overwritten.
    """


@kernel
def action_value_by_play(board, state, number, action, values, scratch):
    """:func:`action_value` for games that offer none: play the action in a copy."""
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
    """The number of a position among those of the same seat to move (int64): ``Rules.states``."""


@hook
def state_number(board, states, slots, state):
    """The row of a position in a table with a row for each (int64).

    Filled for every game, by one of the kernels below. ``states`` and ``slots`` are those of
    :class:`tournaments.solver.states.States`.
    """


@kernel
def state_number_by_index(board, states, slots, state):
    """:func:`state_number` of games that number their positions."""
    return np.int64(seat_number(board, state))


@kernel
def state_number_by_solver(board, states, slots, state):
    """:func:`state_number` of games that offer a table of exact values."""
    return np.int64(position(board, state))


@kernel
def state_number_by_search(board, states, slots, state):
    """:func:`state_number` of games that offer neither: all their positions are known."""
    return number_of(states, slots, state)


# --- filled by the player kinds of the two sides ---------------------------------------------


# ``state`` is what their seat sees of the position, see :func:`view_of`.


@hook
def begin(board, state, parameters, row, memory):
    """Set ``memory`` up for a game that stands at this position."""


@hook
def watch(board, state, action, parameters, row, memory):
    """An action was played, by either side; ``state`` is the position after it.

    In a game that hides, the other side's action is ``HIDDEN``.
    """


@hook
def choose(board, state, parameters, row, memory, stream):
    """A legal action for the seat to move; draws, if any, are taken from ``stream``.

    What a later choice depends on is noted by :func:`watch`: this leaves nothing behind.
    """


@hook
def candidates(board, state, parameters, row, memory, words):
    """Write the actions among which the seat to move draws evenly into ``words``; return how many.

    A set of :mod:`tournaments.kernels.bitset`, never empty. ``begin`` has set ``memory`` up for the
    position, which must determine the set with the parameters alone. In a game that offers a table
    of exact values it must do so without the scores and the seat to move.
    """


@hook
def learn(board, state, reward, parameters, row, memory, stream):
    """Learn from what came of the side's last turn, and choose an action.

    Called at each turn of the side, and once when the game is over. ``reward`` (float64) is how
    much the side's score has gained on the other's since its last turn, or since the game began;
    the position is where that turn has led. ``memory`` is what the side noted then: ``begin`` has
    set it up for the game. What is returned when the game is over is not played.
    """


def of_side(each: Callable[..., Any], side: str) -> Callable[..., Any]:
    """A hook of the players' for the entrant of one side, whose kind fills it."""
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
    """:func:`begin` of the two entrants ``lanes.rows[lane]``, by seat, in one lane."""


@hook
def watch_abreast(board, lanes, lane, parameters, memory):
    """:func:`watch` of both entrants in one lane, of the action ``lanes.actions[lane]``."""


@hook
def choose_abreast(board, lanes, parameters, memory):
    """:func:`choose` for all lanes: fill ``lanes.actions``.

    Lanes whose seat to move is -1 have no game; what is chosen there is not played.
    """
