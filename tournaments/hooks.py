"""The places that games and players fill: the arena is written against these alone.

Arrays: ``board`` int16, a game's constants; ``state`` int16, a position (``state[0]`` is the seat to
move, -1 when the game is over; ``state[1]`` and ``state[2]`` the scores of the two seats; the rest
is the game's own); ``parameters`` what the player kind made of its entrants, an array or a tuple of
arrays, of which entrant ``row`` is meant; ``memory`` the kind's scratch arrays; ``stream`` uint64[1].
"""

from __future__ import annotations

from tournaments.kernels import hook

# --- filled by a game -------------------------------------------------------------------------


@hook
def start(board, state, seed):
    """Write the first position into ``state``; ``seed`` (uint64) is for games that open at random."""


@hook
def legal(board, state, actions):
    """Write the legal actions into ``actions``, in rising order; return how many there are."""


@hook
def play(board, state, action):
    """Play a legal action: change ``state`` in place, the header with it."""


@hook
def encode(board, state, inputs):
    """Write what a network is shown into ``inputs`` (float64), for the seat to move."""


@hook
def position(board, state):
    """The number of this position in the game's table of exact values (int64)."""


# --- filled by the player kinds of the two sides ---------------------------------------------


@hook
def begin(board, parameters, row, memory):
    """Set ``memory`` up for a new game."""


@hook
def choose(board, state, parameters, row, memory, stream):
    """A legal action for the seat to move; draws, if any, are taken from ``stream``."""


@hook
def begin_a(board, parameters, row, memory):
    """:func:`begin` of entrant a."""


@hook
def choose_a(board, state, parameters, row, memory, stream):
    """:func:`choose` of entrant a."""


@hook
def begin_b(board, parameters, row, memory):
    """:func:`begin` of entrant b."""


@hook
def choose_b(board, state, parameters, row, memory, stream):
    """:func:`choose` of entrant b."""
