"""The vocabulary: what a game is, what a player is, and the law that both obey.

Letters used for shapes: N genomes, G genes, M matches, S seats, A actions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np

from tournaments.errors import TournamentError, unknown
from tournaments.kernels.hooks import (
    action_value_by_play,
    encode_anew,
    note_legal_list,
    note_legal_list_change,
    note_legal_set,
    note_legal_set_change,
    nothing_to_measure,
)
from tournaments.kernels.rng import Stream
from tournaments.rules import HEADER as HEADER
from tournaments.rules import MOST as MOST
from tournaments.rules import Kernel as Kernel
from tournaments.rules import Rules as Rules


class IllegalAction(TournamentError):
    """An action that the rules do not allow here; the state is as it was."""


@dataclass(frozen=True, eq=False)
class Game:
    """A game with its options chosen; :func:`tournaments.games.make` makes one."""

    rules: Rules
    options: Mapping[str, Any]

    def __post_init__(self) -> None:
        for name in self.options:
            if name not in self.rules.options:
                raise unknown(f"option of {self.name}", name, self.rules.options)
        object.__setattr__(self, "options", {**self.rules.options, **self.options})
        _ = self.board  # refuses bad options here, before any work
        if max(self.num_actions, self.state_size) > MOST:
            raise TournamentError(
                f"{self.spec} has {self.num_actions} actions and states of {self.state_size} "
                f"numbers; at most {MOST} of each are taken, as both are counted in 16 bits"
            )

    @property
    def name(self) -> str:
        return self.rules.name

    @property
    def seats(self) -> tuple[str, ...]:
        return self.rules.seats

    @cached_property
    def spec(self) -> str:
        """The game as a user types it: ``dots-and-boxes:rows=3,cols=3``."""
        chosen = ",".join(f"{key}={value}" for key, value in self.options.items())
        return f"{self.name}:{chosen}" if chosen else self.name

    @property
    def short_spec(self) -> str:
        """:attr:`spec` without the options that are as they would be anyway: for people."""
        defaults = self.rules.options
        given = {key: value for key, value in self.options.items() if value != defaults[key]}
        chosen = ",".join(f"{key}={value}" for key, value in given.items())
        return f"{self.name}:{chosen}" if chosen else self.name

    @cached_property
    def board(self) -> np.ndarray:
        """The game's constants, int16; never written to."""
        board = self.rules.board(**self.options)
        board.flags.writeable = False
        return board

    @cached_property
    def num_actions(self) -> int:
        return self.rules.num_actions(self.board)

    @cached_property
    def state_size(self) -> int:
        return self.rules.state_size(self.board)

    @property
    def hooks(self) -> dict[str, Kernel]:
        """The kernels with which this game fills :mod:`tournaments.kernels.hooks`."""
        rules = self.rules
        as_set = rules.legal_set is not None and rules.legal_set_change is not None
        offered = {
            "start": rules.start,
            "legal": rules.legal,
            "play": rules.play,
            "legal_set": rules.legal_set,
            "legal_set_change": rules.legal_set_change,
            "note_legal": note_legal_set if as_set else note_legal_list,
            "note_legal_change": note_legal_set_change if as_set else note_legal_list_change,
            "encode": rules.encode,
            "encode_change": rules.encode_change or encode_anew,
            "position": rules.position,
            "measure": rules.measure or nothing_to_measure,
            "action_value": rules.action_value or action_value_by_play,
        }
        return {name: filling for name, filling in offered.items() if filling is not None}

    def start(self, seed: int = 0) -> State:
        """The first position; ``seed`` matters only to games that open at random."""
        array = np.zeros(self.state_size, dtype=np.int16)
        with np.errstate(over="ignore"):  # random numbers wrap around
            self.rules.start(self.board, array, np.uint64(seed))
        return State(self, array)

    def parse(self, text: str) -> State:
        """The position that a text board shows; ``str(state)`` prints one."""
        return State(self, self.rules.parse(self.board, text))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.spec == other.spec

    def __hash__(self) -> int:
        return hash(self.spec)

    def __repr__(self) -> str:
        return f"Game({self.spec!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        from tournaments import games

        return games.parse, (self.spec,)


class State:
    """A position of a game; :meth:`play` changes it in place.

    ``array`` is what kernels see (int16, see :mod:`tournaments.kernels.hooks`).
    """

    __slots__ = ("array", "game")

    def __init__(self, game: Game, array: np.ndarray) -> None:
        self.game = game
        self.array = array

    @property
    def seat_to_move(self) -> int:
        """0 or 1, or -1 when the game is over."""
        return int(self.array[0])

    @property
    def is_over(self) -> bool:
        return bool(self.array[0] < 0)

    @property
    def scores(self) -> tuple[int, ...]:
        """One number a seat."""
        return tuple(int(score) for score in self.array[1:HEADER])

    def returns(self) -> tuple[int, ...]:
        """+1, 0 or -1 a seat once the game is over, zeros before."""
        if not self.is_over:
            return (0,) * len(self.scores)
        first, second = self.scores
        sign = (first > second) - (first < second)
        return (sign, -sign)

    def measure(self) -> int:
        """What the game says of how near its end was, see :attr:`Rules.measure`; 0: nothing."""
        kernel = self.game.rules.measure
        return int(kernel(self.game.board, self.array)) if kernel else 0

    def legal_actions(self) -> list[int]:
        """The actions that may be played here, in rising order; none when the game is over."""
        if self.is_over:
            return []
        actions = np.empty(self.game.num_actions, dtype=np.int16)
        count = self.game.rules.legal(self.game.board, self.array, actions)
        return [int(action) for action in actions[:count]]

    def play(self, action: int) -> None:
        """Play an action in place.

        Raises:
            IllegalAction: the action is not legal here; the state is as it was.
        """
        legal = self.legal_actions()
        if action not in legal:
            raise self._illegal(action, legal)
        self.game.rules.play(self.game.board, self.array, int(action))

    def _illegal(self, action: object, legal: list[int]) -> IllegalAction:
        why = "the game is over" if self.is_over else f"legal here: {legal}"
        return IllegalAction(
            f"action {action!r} is illegal in {self.game.spec}; {why}. The position:\n{self}"
        )

    def clone(self) -> State:
        """A copy that shares nothing that changes."""
        return State(self.game, self.array.copy())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.game.spec == other.game.spec and bool(np.array_equal(self.array, other.array))

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return self.game.rules.text(self.game.board, self.array)

    def __repr__(self) -> str:
        return f"<State of {self.game.spec}, seat {self.seat_to_move} to move>\n{self}"


@runtime_checkable
class Player(Protocol):
    """Anything that can choose. A user's own player needs no more than this."""

    @property
    def name(self) -> str:
        """What tables call it."""
        ...

    def choose(self, state: State, rng: Stream) -> int:
        """A legal action; all randomness is drawn from ``rng``, the stream of this game."""
        ...


@dataclass(frozen=True)
class Abreast:
    """The kernels of a kind that plays both seats of several games at once, one game a lane.

    A step that waits for the one before it is taken for all games before the next step. It gives
    the moves that the kernels of the kind give, game by game.

    Attributes:
        choose: kernel, see :func:`tournaments.kernels.hooks.choose_abreast`.
        begin: kernel, see :func:`tournaments.kernels.hooks.begin_abreast`.
        watch: kernel, see :func:`tournaments.kernels.hooks.watch_abreast`.
        memory: (game, parameters, lanes) -> the scratch arrays of all lanes.
        lanes: (parameters) -> how many games at once go fastest.
    """

    choose: Kernel
    begin: Kernel
    watch: Kernel
    memory: Callable[[Game, Any, int], Any]
    lanes: Callable[[Any], int]


@dataclass(frozen=True)
class Kind:
    """A kind of player that can be compiled: three kernels over a parameter row.

    Attributes:
        name: as users type it.
        choose: kernel, see :func:`tournaments.kernels.hooks.choose`.
        begin: kernel, see :func:`tournaments.kernels.hooks.begin`.
        watch: kernel, see :func:`tournaments.kernels.hooks.watch`.
        memory: (game, parameters) -> the scratch arrays of one side, allocated once for many
            matches: an array or a named tuple of arrays.
        abreast: how entrants of one population meet at higher speed; None: like all others.
        candidates: kernel, see :func:`tournaments.games.dots_and_boxes.edge_sets.candidates`: the
            actions that ``choose`` draws from, each as likely as the others, where the position's
            number alone determines them; None: the kind cannot be measured exactly.
    """

    name: str
    choose: Kernel
    begin: Kernel
    watch: Kernel
    memory: Callable[[Game, Any], Any]
    abreast: Abreast | None = None
    candidates: Kernel | None = None


class Representation(Protocol):
    """What the genomes of a population stand for: how packed rows become players of a kind."""

    @property
    def kind(self) -> Kind: ...

    @property
    def seats(self) -> tuple[int, ...]:
        """Those that these players can play."""

    def parameters(self, genomes: np.ndarray) -> Any:
        """Packed genomes, ``[N, B]``, as the kind's kernels take them."""
        ...


@dataclass(frozen=True, eq=False)
class CompiledPlayer:
    """A player of a :class:`Kind`: plays in the arena, and move by move through the same kernels.

    Attributes:
        name: what tables call it.
        kind: its kernels.
        game: the game that it plays.
        parameters: what the kernels take: an array, or a named tuple of arrays.
        row: which entrant of ``parameters`` it is.
        options: with ``kind.name``, what :func:`tournaments.players.make` needs to make it again
            in another process; None: the kernels travel by name and the parameters as they are.
        seats: those that it can play; a table may be for one alone.
    """

    name: str
    kind: Kind
    game: Game
    parameters: Any
    row: int = 0
    options: Mapping[str, Any] | None = None
    seats: tuple[int, ...] = (0, 1)

    @cached_property
    def _kernels(self) -> tuple[Kernel, Kernel]:
        from tournaments.kernels.linker import build

        hooks = self.game.hooks
        begin = build(self.kind.begin, hooks, compiled=False)
        return begin, build(self.kind.choose, hooks, compiled=False)

    def choose(self, state: State, rng: Stream | np.random.Generator) -> int:
        """The action that the compiled player would choose here with the same stream.

        Raises:
            TournamentError: this player does not play the seat to move, or ``rng`` is no stream.
        """
        stream = Stream.of(rng)
        if state.seat_to_move not in self.seats:
            own = self.game.seats[self.seats[0]]
            raise TournamentError(
                f"player {self.name!r} plays the {own} only: it has no other policy"
            )
        begin, choose = self._kernels
        memory = self.kind.memory(self.game, self.parameters)
        with np.errstate(over="ignore"):
            begin(self.game.board, state.array, self.parameters, self.row, memory)
            action = choose(
                self.game.board, state.array, self.parameters, self.row, memory, stream.state
            )
        return int(action)

    def __reduce__(self) -> tuple[Any, ...]:
        from tournaments.players import remake

        if self.options is None:
            row = self.parameters, self.row, None, self.seats
            return type(self), (self.name, self.kind, self.game, *row)
        return remake, (self.kind.name, self.game, dict(self.options), self.name)

    def __repr__(self) -> str:
        return f"<{self.name} player of {self.game.spec}>"
