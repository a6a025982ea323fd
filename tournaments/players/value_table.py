"""``value-table``: for each position of a seat, what each of its legal actions is worth.

A row is a position (:mod:`tournaments.solver.states`), column k its k-th legal action. Values are
float32; NaN stands for an action that was never tried, which is worth ``initial``. So a table tells
which positions its player has seen. A player takes one of the actions worth most, or now and then
any action.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.kernels import choices
from tournaments.kernels.hooks import legal, state_number
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import below, draw, generator
from tournaments.player import CompiledPlayer, Kind, Representation, player_of
from tournaments.players.encodings import SeatNumbers, player_of_numbers
from tournaments.players.files import read_array
from tournaments.rules import PlayerOffer
from tournaments.solver.states import States, may_have_states, states_of

MOST_VALUES = 200_000_000
FEW_VALUES = 1_000_000
"""Of a table that a test may fill."""


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


# --- how a table plays --------------------------------------------------------------------------

INITIAL, EPSILON = 0, 1
"""Places in ``ValueTables.numbers``."""
U11 = np.uint64(11)
GRID = 2.0**-53


class Actions(NamedTuple):
    """Room for the legal actions, int16 [A], and their values, float64 [A]."""

    actions: np.ndarray
    worth: np.ndarray


def room_for_actions(game: Game, parameters: object) -> Actions:
    """Return the memory of one side."""
    return Actions(np.zeros(game.num_actions, dtype=np.int16), np.zeros(game.num_actions))


@kernel
def is_due(stream, share):
    """Whether it is the turn of what happens in this share of all cases."""
    return share > 0.0 and np.float64(draw(stream) >> U11) * GRID < share


@kernel
def row_of(board, state, parameters):
    """Where the values of a position begin; of one that cannot come up, those of the first."""
    layout = parameters.layout
    number = max(0, state_number(board, parameters.states, parameters.slots, state))
    return layout[state[0]] + layout[2 + state[0]] * number


@kernel
def is_known(board, state, parameters):
    """Whether a position has values: one that a person has pasted may have none."""
    return state_number(board, parameters.states, parameters.slots, state) >= 0


@kernel
def value_at(parameters, row, place):
    """The value of an action, tried or not."""
    value = parameters.values[np.uint64(row), np.uint64(place)]
    return parameters.numbers[INITIAL] if value != value else np.float64(value)


@kernel
def best_of(parameters, row, place, count):
    """The best value of a position's ``count`` actions, and how many have it."""
    best = value_at(parameters, row, place)
    ties = 1
    for column in range(1, count):
        value = value_at(parameters, row, place + column)
        if value > best:
            best = value
            ties = 1
        elif value == best:
            ties += 1
    return best, ties


@kernel
def column_of_best(parameters, row, place, best, nth):
    """The column of the n-th of the actions that have the best value."""
    column = -1
    while nth >= 0:
        column += 1
        nth -= value_at(parameters, row, place + column) == best
    return column


@kernel
def weigh(board, state, parameters, row, memory):
    """List the legal actions and their values; return how many, and the best value."""
    count = legal(board, state, memory.actions)
    place = row_of(board, state, parameters)
    best = -np.inf
    for column in range(count):
        value = value_at(parameters, row, place + column)
        memory.worth[column] = value
        best = max(best, value)
    return count, best


choose, candidates = choices.best_of(weigh)


@kernel
def choose_or_explore(board, state, parameters, row, memory, stream):
    """:func:`choose`, but in the share ``epsilon`` of turns any legal action."""
    if is_due(stream, parameters.numbers[EPSILON]):
        return memory.actions[below(stream, legal(board, state, memory.actions))]
    return choose(board, state, parameters, row, memory, stream)


KIND = Kind(
    "value-table", choose, memory=room_for_actions, candidates=candidates, by_row=("values",)
)
EXPLORING = Kind("value-table", choose_or_explore, memory=room_for_actions, by_row=("values",))


# --- genomes -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ValueEncoding(SeatNumbers):
    """Tables of values for a game.

    Attributes:
        game: the game that is played.
        seats: the seats whose tables a genome holds. Where the seats of the game are alike one
            table is for both.
        initial: the value of an action that was never tried.
        epsilon: the share of turns in which any action is played.

    Raises:
        TournamentError: the game has too many positions.
    """

    game: Game
    seats: tuple[int, ...]
    initial: float = 0.0
    epsilon: float = field(default=0.0, compare=False)

    numbers: ClassVar[str] = "values"
    label: ClassVar[str] = "value-table"
    offer: ClassVar[str] = "value-table:file"
    unit: ClassVar[str] = "values"

    def __post_init__(self) -> None:
        if self.num_genes > MOST_VALUES:
            raise TournamentError(
                f"a value-table for {self.game.short_spec} has {self.num_genes:,} values; at most "
                f"{MOST_VALUES:,} are taken: choose a smaller board"
            )

    @property
    def kind(self) -> Kind:
        """See :attr:`tournaments.player.Representation.kind`."""
        return EXPLORING if self.epsilon else KIND

    @cached_property
    def states(self) -> States:
        """The positions of the game by number."""
        return states_of(self.game)

    @cached_property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Rows and columns of the table of each owner."""
        rows, most = self.states.rows, self.states.most_legal
        if not self.game.rules.has_roles:
            return ((max(rows), max(most)),)
        return tuple((rows[seat], most[seat]) for seat in self.seats)

    @property
    def widths(self) -> tuple[int, ...]:
        """See :attr:`tournaments.players.encodings.SeatNumbers.widths`."""
        return tuple(rows * columns for rows, columns in self.shapes)

    @property
    def layout(self) -> dict[str, Any]:
        """See :attr:`tournaments.player.Representation.layout`."""
        (shape,) = self.shapes  # genomes of a run are of one table
        return {**super().layout, "shape": list(shape)}

    def decode(self, genomes: np.ndarray) -> np.ndarray:
        """Return packed genomes as values, float32 ``[N, V]``."""
        return genomes.view(self.dtype)

    def from_numbers(self, numbers: np.ndarray) -> ValueTables:
        """Return values, float32 ``[N, V]``, as kernels take them."""
        columns = [0, 0]
        for place, seat in enumerate(self.seats):
            columns[seat] = self.shapes[place % len(self.shapes)][1]
        layout = np.array([*self.begins, *columns], dtype=np.int64)
        shares = np.array([self.initial, self.epsilon])
        return ValueTables(numbers, layout, shares, self.states.states, self.states.slots)

    def checked(self, numbers: np.ndarray) -> np.ndarray:
        """Return values from outside as float32 ``[N, V]``; NaN stands for what was never tried.

        Raises:
            TournamentError: values that are infinite or no real numbers.
        """
        if numbers.dtype.kind != "f":
            raise TournamentError(f"holds {numbers.dtype}; values are real numbers")
        if np.isinf(numbers).any():
            raise TournamentError(f"infinite values given for {self}; numbers are expected, or NaN")
        return np.ascontiguousarray(numbers, dtype=self.dtype)

    def for_game(self, game: Game) -> Representation:
        """Return this representation; a game with other options has other positions."""
        if game.spec != self.game.spec:
            raise TournamentError(f"{self} given; it cannot play {game.spec}")
        return self

    def file_options(self, game: Game, file: str) -> dict[str, Any]:
        """See :meth:`tournaments.player.Representation.file_options`."""
        return {"initial": f"{self.initial:g}"} if self.initial else {}

    def spec(self) -> dict[str, Any]:
        """Return what ``run.json`` says of the encoding."""
        (shape,) = self.shapes
        return {
            "encoding": "value-table",
            "game": self.game.spec,
            "seats": [self.game.seats[seat] for seat in self.seats],
            "positions": shape[0],
            "actions": shape[1],
            "initial": self.initial,
            "bytes": self.num_bytes,
        }


# --- by name -------------------------------------------------------------------------------------


def player(
    game: Game,
    *,
    file: str | Path,
    seat: str = "",
    initial: float = 0.0,
    epsilon: float = 0.0,
    name: str = "",
) -> CompiledPlayer:
    """Return a player of the table of values in a file.

    Args:
        game: the game that is played.
        file: ``.npy`` or ``.json`` with numbers of any shape: the table of a seat, or of the first
            seat and then of the second; NaN: never tried.
        seat: the seat whose table the file holds; by default the one that has as many values.
        initial: the value of an action of the file that was never tried.
        epsilon: the share of turns in which any action is played, 0 to 1.
        name: of the player; by default the file.

    Raises:
        TournamentError: the file cannot be read, or holds no table for this game.
    """
    if not (isinstance(epsilon, int | float) and 0.0 <= epsilon <= 1.0):
        raise TournamentError(f"epsilon={epsilon!r} given; a value from 0 to 1 is expected")
    values = read_array(Path(file), "a file of values", "a table")
    return player_of_numbers(
        game,
        str(file),
        values,
        seat,
        lambda seats: [ValueEncoding(game, seats, float(initial), float(epsilon))],
        name,
    )


def samples(game: Game) -> Iterator[CompiledPlayer]:
    """Yield a random table of both seats, where the game numbers its positions and they are few."""
    if game.rules.states is None and game.rules.solver is None:
        return
    encoding = ValueEncoding(game, (0, 1))
    if encoding.num_genes <= FEW_VALUES:
        values = (
            generator(0, "contract").standard_normal((1, encoding.num_genes)).astype(np.float32)
        )
        yield player_of(game, representation=encoding, numbers=values, name="value-table")


PLAYER = PlayerOffer(
    "learned values of actions, from a file: value-table:file=FILE.npy,seat=fox,epsilon=0.1",
    player,
    may_have_values,
    of_file="file",
    samples=samples,
)
