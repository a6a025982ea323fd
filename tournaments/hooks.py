"""The places that games and players fill: the arena is written against these alone.

Arrays: ``board`` int16, a game's constants; ``state`` int16, a position (``state[0]`` is the seat
to move, -1 when the game is over; ``state[1]`` and ``state[2]`` the scores of the two seats; the
rest is the game's own); ``parameters`` what the player kind made of its entrants, an array or a
tuple of arrays, of which entrant ``row`` is meant; ``memory`` the kind's scratch arrays; ``stream``
uint64[1].
"""

from __future__ import annotations

from tournaments.kernels import hook, kernel

MOST_SHOWN = 16
"""The largest input of a network."""

# --- filled by a game -------------------------------------------------------------------------


@hook
def start(board, state, seed):
    """Write the first position into ``state``; ``seed`` (uint64) serves random openings."""


@hook
def legal(board, state, actions):
    """Write the legal actions into ``actions``, in rising order; return how many there are."""


@hook
def play(board, state, action):
    """Play a legal action: change ``state`` in place, the header with it."""


@hook
def encode(board, state, inputs):
    """Write what a network is shown into ``inputs`` (float64), for the seat to move.

    Whole numbers within ``+-MOST_SHOWN``, so that sums of weighted inputs are exact.
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


# --- filled by the player kinds of the two sides ---------------------------------------------


@hook
def begin(board, state, parameters, row, memory):
    """Set ``memory`` up for a game that stands at this position."""


@hook
def watch(board, state, action, parameters, row, memory):
    """An action was played, by either side; ``state`` is the position after it."""


@hook
def choose(board, state, parameters, row, memory, stream):
    """A legal action for the seat to move; draws, if any, are taken from ``stream``."""


@hook
def begin_a(board, state, parameters, row, memory):
    """:func:`begin` of entrant a."""


@hook
def watch_a(board, state, action, parameters, row, memory):
    """:func:`watch` of entrant a."""


@hook
def choose_a(board, state, parameters, row, memory, stream):
    """:func:`choose` of entrant a."""


@hook
def begin_b(board, state, parameters, row, memory):
    """:func:`begin` of entrant b."""


@hook
def watch_b(board, state, action, parameters, row, memory):
    """:func:`watch` of entrant b."""


@hook
def choose_b(board, state, parameters, row, memory, stream):
    """:func:`choose` of entrant b."""
