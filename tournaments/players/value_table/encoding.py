"""Tables of values: for each position of a seat, what each of its legal actions is worth.

A row is a position (:mod:`tournaments.solver.states`), column k its k-th legal action. Values are
float32; NaN stands for an action that was never tried, which is worth ``initial``. So a table tells
which positions its player has seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game, parse
from tournaments.solver.states import States, may_have_states, states_of

MOST_VALUES = 200_000_000
KEPT = np.dtype("<f4")


def may_have_values(game: Game) -> bool:
    """Whether a game has tables of values, or is not known yet to have too many positions."""
    if not may_have_states(game):
        return False
    if game.rules.states is None and game.rules.solver is None:
        return True
    states = states_of(game)
    return max(states.rows) * sum(states.most_legal) <= MOST_VALUES


class ValueTables(NamedTuple):
    """Tables as kernels take them.

    Attributes:
        values: float32 ``[N, V]``.
        layout: int64 ``[4]``: for each seat where its table begins in a row (-1: there is none),
            then for each seat how many columns it has.
        numbers: float64 ``[2]``: what an untried action is worth, and the share of turns in which
            any action is played.
        states, slots: see :class:`tournaments.solver.states.States`.
    """

    values: np.ndarray
    layout: np.ndarray
    numbers: np.ndarray
    states: np.ndarray
    slots: np.ndarray


@dataclass(frozen=True)
class ValueEncoding:
    """Tables of values for a game.

    Attributes:
        game: what is played.
        seats: whose tables a genome holds: ``(0,)``, ``(1,)``, or ``(0, 1)``. Where the seats have
            roles the latter is a table of each, the first seat's first; where they are alike one
            table is for both.
        initial: what an action is worth that was never tried.

    Raises:
        TournamentError: the game has too many positions.
    """

    game: Game
    seats: tuple[int, ...]
    initial: float = 0.0

    def __post_init__(self) -> None:
        if self.num_values > MOST_VALUES:
            raise TournamentError(
                f"a value-table for {self.game.short_spec} has {self.num_values:,} values; at most "
                f"{MOST_VALUES:,} are taken: choose a smaller board"
            )

    @cached_property
    def states(self) -> States:
        return states_of(self.game)

    @cached_property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Rows and columns of each table in a genome."""
        rows, most = self.states.rows, self.states.most_legal
        if not self.game.rules.has_roles:
            return ((max(rows), max(most)),)
        return tuple((rows[seat], most[seat]) for seat in self.seats)

    @property
    def num_values(self) -> int:
        return sum(rows * columns for rows, columns in self.shapes)

    @property
    def num_bytes(self) -> int:
        """A value takes four bytes."""
        return KEPT.itemsize * self.num_values

    @cached_property
    def layout(self) -> np.ndarray:
        """See :class:`ValueTables`."""
        begins, columns, begin = [-1, -1], [0, 0], 0
        for place, seat in enumerate(self.seats):
            shape = self.shapes[place if self.game.rules.has_roles else 0]
            begins[seat], columns[seat] = begin, shape[1]
            begin += shape[0] * shape[1] if self.game.rules.has_roles else 0
        return np.array([*begins, *columns], dtype=np.int64)

    def tables(self, values: np.ndarray, epsilon: float = 0.0) -> ValueTables:
        """Values, float32 ``[N, V]``, as kernels take them."""
        numbers = np.array([self.initial, epsilon])
        return ValueTables(values, self.layout, numbers, self.states.states, self.states.slots)

    def checked(self, values: np.ndarray) -> np.ndarray:
        """Values from outside as float32 ``[N, V]``; NaN stands for what was never tried.

        Raises:
            TournamentError: rows of another length, or infinite values.
        """
        if values.ndim != 2 or values.shape[1] != self.num_values:
            raise TournamentError(
                f"{values.shape[-1] if values.ndim else 0:,} values given; {self} has "
                f"{self.num_values:,}"
            )
        if np.isinf(values).any():
            raise TournamentError(f"infinite values given for {self}; numbers are expected, or NaN")
        return np.ascontiguousarray(values, dtype=KEPT)

    def spec(self) -> dict[str, Any]:
        """What a reader of the genomes needs to decode them; JSON takes it."""
        (shape,) = self.shapes  # genomes of a run are of one table
        return {
            "encoding": "value-table",
            "game": self.game.spec,
            "seats": [self.game.seats[seat] for seat in self.seats],
            "positions": shape[0],
            "actions": shape[1],
            "initial": self.initial,
            "bytes": self.num_bytes,
        }

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any]) -> ValueEncoding:
        """The encoding that :meth:`spec` describes."""
        game = parse(spec["game"])
        seats = tuple(game.seats.index(seat) for seat in spec["seats"])
        return cls(game, seats, spec["initial"])

    def __str__(self) -> str:
        seats = " and the ".join(self.game.seats[seat] for seat in self.seats)
        return f"a value-table for the {seats} of {self.game.short_spec}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.game, self.seats, self.initial)
