"""``value-table``: a table with the value of each legal action in each position of a seat.

A row is a position (:mod:`tournaments.solver.states`), column k its k-th legal action. Values are
float32. NaN marks an action that was never tried. Its value is ``initial``. So a table shows which
positions its player has seen. A player chooses one of the actions with the highest value. In a
share ``epsilon`` of its turns it chooses any legal action.
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
"""Number of values of the largest table that tests fill."""


def may_have_values(game: Game) -> bool:
    """Return whether a game can have tables of values, as far as known.

    Its number of positions must not be known to be too large.
    """
    if not may_have_states(game):
        return False
    if game.rules.states is None and game.rules.solver is None:
        return True
    states = states_of(game)
    return max(states.rows) * sum(states.most_legal) <= MOST_VALUES


class ValueTables(NamedTuple):
    """Tables of values in the form that kernels read.

    Attributes:
        values: float32 ``[N, V]``.
        layout: int64 ``[4]``: the start of each seat's table in a row (-1: no table), then the
            number of columns of each seat's table.
        numbers: float64: the value of an untried action, and the share of turns in which any legal
            action is played. Those of a pupil go on with its other learning rates.
        states, slots: see :class:`tournaments.solver.states.States`.
    """

    values: np.ndarray
    layout: np.ndarray
    numbers: np.ndarray
    states: np.ndarray
    slots: np.ndarray


# --- how a table plays --------------------------------------------------------------------------

INITIAL, EPSILON = 0, 1
"""Indices in ``ValueTables.numbers``."""
U11 = np.uint64(11)
GRID = 2.0**-53


class Actions(NamedTuple):
    """Working memory: the legal actions, int16 [A], and their values, float64 [A]."""

    actions: np.ndarray
    worth: np.ndarray


def room_for_actions(game: Game, parameters: object) -> Actions:
    """Allocate the memory of a player with a table of values, for one side."""
    return Actions(np.zeros(game.num_actions, dtype=np.int16), np.zeros(game.num_actions))


@kernel
def is_due(stream, share):
    """Return whether a random event of probability ``share`` happens."""
    return share > 0.0 and np.float64(draw(stream) >> U11) * GRID < share


@kernel
def row_of(board, state, parameters):
    """Return the index of a position's first value in a table of values of the seat to move.

    Unknown positions share the first row.
    """
    layout = parameters.layout
    number = max(0, state_number(board, parameters.states, parameters.slots, state))
    return layout[state[0]] + layout[2 + state[0]] * number


@kernel
def is_known(board, state, parameters):
    """Return whether a table of values has the position.

    A position that a person enters may be new.
    """
    return state_number(board, parameters.states, parameters.slots, state) >= 0


@kernel
def value_at(parameters, row, place):
    """Return a value of a table of values, or the initial value if the action was never tried.

    ``row`` is the table, ``place`` the index in it.
    """
    value = parameters.values[np.uint64(row), np.uint64(place)]
    return parameters.numbers[INITIAL] if value != value else np.float64(value)


@kernel
def best_of(parameters, row, place, count):
    """Return the best value of a position's actions in a table of values.

    The number of actions with this value is returned, too. ``row`` is the table, ``place`` the
    index of the position's first value, and ``count`` the number of its actions.
    """
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
    """Return the column, in a position's row, of the n-th action with the best value.

    ``row`` is the table of values, ``place`` the index of the position's first value.
    """
    column = -1
    while nth >= 0:
        column += 1
        nth -= value_at(parameters, row, place + column) == best
    return column


@kernel
def weigh(board, state, parameters, row, memory):
    """List the legal actions and their values in a table of values.

    Returns:
        The number of actions, and the best value.
    """
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
    """Return the action with the best value, or sometimes any legal action.

    The share of turns with any action is ``epsilon``.
    """
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
    """Genomes that are tables of values for a game.

    Attributes:
        game: the game that is played.
        seats: the seats whose tables a genome holds. In games without roles, both seats share one
            table.
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
        """The kind of player of tables of values.

        See :attr:`tournaments.player.Representation.kind`.
        """
        return EXPLORING if self.epsilon else KIND

    @cached_property
    def states(self) -> States:
        """The positions of the game, numbered as rows of tables of values."""
        return states_of(self.game)

    @cached_property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Numbers of rows and columns of the table of values of each seat that has its own."""
        rows, most = self.states.rows, self.states.most_legal
        if not self.game.rules.has_roles:
            return ((max(rows), max(most)),)
        return tuple((rows[seat], most[seat]) for seat in self.seats)

    @property
    def widths(self) -> tuple[int, ...]:
        """The number of values of each seat's table.

        See :attr:`tournaments.players.encodings.SeatNumbers.widths`.
        """
        return tuple(rows * columns for rows, columns in self.shapes)

    @property
    def layout(self) -> dict[str, Any]:
        """The layout of a packed table of values.

        See :attr:`tournaments.player.Representation.layout`.
        """
        (shape,) = self.shapes  # the genomes of a run hold one table
        return {**super().layout, "shape": list(shape)}

    def decode(self, genomes: np.ndarray) -> np.ndarray:
        """Return packed genomes of tables of values as float32 ``[N, V]``."""
        return genomes.view(self.dtype)

    def from_numbers(self, numbers: np.ndarray) -> ValueTables:
        """Return tables of values, float32 ``[N, V]``, as the parameters that kernels read."""
        columns = [0, 0]
        for place, seat in enumerate(self.seats):
            columns[seat] = self.shapes[place % len(self.shapes)][1]
        layout = np.array([*self.begins, *columns], dtype=np.int64)
        shares = np.array([self.initial, self.epsilon])
        return ValueTables(numbers, layout, shares, self.states.states, self.states.slots)

    def checked(self, numbers: np.ndarray) -> np.ndarray:
        """Return tables of values as float32 ``[N, V]`` after a check. NaN marks an untried action.

        Raises:
            TournamentError: the values are infinite or no real numbers.
        """
        if numbers.dtype.kind != "f":
            raise TournamentError(f"holds {numbers.dtype}; values are real numbers")
        if np.isinf(numbers).any():
            raise TournamentError(f"infinite values given for {self}; numbers are expected, or NaN")
        return np.ascontiguousarray(numbers, dtype=self.dtype)

    def for_game(self, game: Game) -> Representation:
        """Return this encoding of tables of values; raise if the game or its options differ."""
        if game.spec != self.game.spec:
            raise TournamentError(f"{self} given; it cannot play {game.spec}")
        return self

    def file_options(self, game: Game, file: str) -> dict[str, Any]:
        """Return the options with which a player reads an exported table of values.

        See :meth:`tournaments.player.Representation.file_options`.
        """
        return {"initial": f"{self.initial:g}"} if self.initial else {}

    def spec(self) -> dict[str, Any]:
        """Return the description of the encoding for ``run.json``."""
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
    """Return a player that follows the table of values of a file.

    Args:
        game: the game that is played.
        file: ``.npy`` or ``.json`` with numbers of any shape: the table of one seat, or the tables
            of the first and of the second seat. NaN marks an untried action.
        seat: the seat whose table the file holds; by default the seat whose table has this size.
        initial: the value of an untried action of the file.
        epsilon: the share of turns in which any legal action is played, 0 to 1.
        name: name of the player; by default the file.

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
    """Yield a player with random tables of values, if the game numbers its positions.

    No player is yielded if the tables would be large.
    """
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
