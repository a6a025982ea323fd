"""What one file of ``tournaments/games`` says of a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from tournaments.players.table.encoding import TableForm

Kernel = Callable[..., Any]

HEADER = 3
"""Length of a state's common part: the seat to move (-1: over) and the scores of two seats."""


MOST = 32_767
"""Actions of a game, and numbers in a state."""


class Symmetries(NamedTuple):
    """Turns and mirrors that leave a game as it is, K of them with the identity.

    Attributes:
        inputs: int64 ``[K, I]``, where each input of a network goes.
        hidden: int64 ``[K, H]``, where each hidden node of a network of the game's own layers goes.
        actions: int64 ``[K, A]``, where each action goes.
    """

    inputs: np.ndarray
    hidden: np.ndarray
    actions: np.ndarray


@dataclass(frozen=True)
class Rules:
    """What one file of ``tournaments/games`` says; everything else is built from it.

    The kernels are described in :mod:`tournaments.kernels.hooks`. ``encode``, ``encode_change`` and
    ``num_inputs`` let networks play the game; ``position``, ``num_positions`` and ``solve`` let it
    be solved. ``legal_set`` with ``legal_set_change``, and ``action_value``, change no move: random
    and perfect play are faster where they are offered.

    Attributes:
        name: as users type it.
        summary: one line for lists.
        seats: what the seats are called.
        has_roles: whether the seats are unlike, so that each has players of its own.
        options: for each option of the game its default.
        board: options -> int16 array of the game's constants; raises TournamentError.
        state_size: board -> length of the state array, the header of three included.
        num_actions: board -> how many actions there are.
        text: (board, state) -> the position as text.
        parse: (board, text) -> the state array that :attr:`text` shows so.
        describe: (board, action) -> what the action is called.
        measure: kernel (board, state) -> a number that tells finished games with equal scores
            apart, such as how far the cat was from the mouse; the smaller, the better for seat 0.
        emoji: (board, state) -> the picture alone, for terminals that can show emoji.
        solve: kernel (board, values int8 [positions], scratch int64 [board size]): fill the table
            of exact values, each the score that the seat to move gains over the other from here on
            under best play.
        tables: by name, the forms of table that genomes of this game may have.
        symmetries: board -> what turns and mirrors of it do to a network of the game's own layers.
    """

    name: str
    summary: str
    seats: tuple[str, ...]
    options: Mapping[str, Any]
    board: Callable[..., np.ndarray]
    state_size: Callable[[np.ndarray], int]
    num_actions: Callable[[np.ndarray], int]
    start: Kernel
    legal: Kernel
    play: Kernel
    text: Callable[[np.ndarray, np.ndarray], str]
    parse: Callable[[np.ndarray, str], np.ndarray]
    describe: Callable[[np.ndarray, int], str]
    has_roles: bool = False
    emoji: Callable[[np.ndarray, np.ndarray], str] | None = None
    num_inputs: Callable[[np.ndarray], int] | None = None
    num_hidden: Callable[[np.ndarray], int] | None = None
    encode: Kernel | None = None
    encode_change: Kernel | None = None
    legal_set: Kernel | None = None
    legal_set_change: Kernel | None = None
    position: Kernel | None = None
    num_positions: Callable[[np.ndarray], int] | None = None
    solve: Kernel | None = None
    action_value: Kernel | None = None
    measure: Kernel | None = None
    tables: Mapping[str, TableForm] = field(default_factory=dict)
    symmetries: Callable[[np.ndarray], Symmetries] | None = None
