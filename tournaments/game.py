"""Games, their positions, and the lookup of games by name.

Built-in games are the folders of ``tournaments/games``. A package offers a game as a
:class:`tournaments.rules.Rules` object through the entry point group ``tournaments.games``. A game
in a user's file is named by its path: ``./connect.py:rows=4``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from tournaments import code_files
from tournaments.errors import TournamentError, shown, unknown
from tournaments.guard import refuse
from tournaments.kernels.chance import hide_chance
from tournaments.kernels.hooks import (
    action_value_by_play,
    encode_anew,
    every_action,
    legal,
    measure,
    no_action,
    note_legal_list,
    note_legal_list_change,
    note_legal_set,
    note_legal_set_change,
    nothing_to_measure,
    play,
    start,
    state_number_by_index,
    state_number_by_search,
    state_number_by_solver,
    view,
    view_of_all,
    view_of_part,
    view_of_secrets,
)
from tournaments.kernels.linker import fingerprint
from tournaments.kernels.moves import LEGAL, PLAY, START, VIEW, Moves, moves_of, view_all
from tournaments.registry import ADAPTERS, Registry, late, parse_spec
from tournaments.rules import HEADER, MOST, OBJECTIVES, Kernel, Rules

GAMES = Registry(
    what="game",
    package="tournaments.games",
    attribute="RULES",
    group="tournaments.games",
    expected="a tournaments.rules.Rules",
    more="; a contest is named by its function: {}:FUNCTION",
    kind=Rules,
    called=lambda thing, name, module: _of_file(thing, name, module),
    is_one=lambda thing: isinstance(thing, Rules | Game),
)


FIRST_PLAYER = "{0}"
"""Part of the command line of a simulator: the place of the first player's file."""
MOST_LETTERS = 10_000
"""Of an option that is a text."""
MOST_NUMBER = 10**18


class EndlessGame(TournamentError):
    """An error for a game that does not end within the number of plies that its rules state."""

    def __init__(self, game: Game, match_seed: int, number: int) -> None:
        super().__init__(
            f"{game.spec}: game {number} of the match with seed {match_seed} did not end within "
            f"{game.most_plies:,} plies, the most that its rules state (Rules.most_plies); an end "
            "that every game comes to must be among the rules"
        )


class IllegalAction(TournamentError):
    """An error for an action that is illegal in a position. The position is unchanged."""


@dataclass(frozen=True, eq=False)
class Game:
    """A game with given options, created by :func:`make`."""

    rules: Rules
    options: Mapping[str, Any]
    at_speed: bool = True
    """Whether positions use compiled rules once that pays (:class:`State`)."""

    def __post_init__(self) -> None:
        for name in self.options:
            if name not in self.rules.options:
                raise unknown(f"option of {self.name}", name, self.rules.options)
            self._check_option(name, self.options[name])
        object.__setattr__(self, "options", {**self.rules.options, **self.options})
        _ = self.board  # raise for invalid options now, before any work
        if max(self.num_actions, self.state_size) > MOST:
            raise TournamentError(
                f"{self.spec} has {self.num_actions} actions and states of {self.state_size} "
                f"numbers; at most {MOST} of each are taken, as both are counted in 16 bits"
            )

    def _check_option(self, name: str, value: Any) -> None:
        """Raise if the value of a game's option is neither a number nor a text, or is too long."""
        is_number = isinstance(value, int | float | np.number)
        if not is_number and not isinstance(value, str):
            raise TournamentError(
                f"{self.name}: {name}={shown(value)} given; a number or a text is expected"
            )
        is_long = len(value) > MOST_LETTERS if isinstance(value, str) else abs(value) > MOST_NUMBER
        if is_long:
            raise TournamentError(
                f"{self.name}: {name}={shown(value)} given; a text of at most {MOST_LETTERS:,} "
                "letters, or a number of at most 18 digits is expected"
            )

    @property
    def name(self) -> str:
        return self.rules.name

    @property
    def seats(self) -> tuple[str, ...]:
        return self.rules.seats

    @cached_property
    def spec(self) -> str:
        """The game with all options as a user types them: ``dots-and-boxes:rows=3,cols=3``."""
        return self._spec_of(self.options)

    @property
    def short_spec(self) -> str:
        """The game as a user types it, without options that have default values, for display."""
        defaults = self.rules.options
        given = {key: value for key, value in self.options.items() if value != defaults[key]}
        return self._spec_of(given)

    def _spec_of(self, options: Mapping[str, Any]) -> str:
        if self.name in ADAPTERS.own():
            return f"{self.name}:{self.options['game']}"
        values = ",".join(f"{key}={value}" for key, value in options.items())
        return f"{self.name}:{values}" if values else self.name

    @cached_property
    def board(self) -> np.ndarray:
        """The game's constants as kernels read them, int16; never written to."""
        board = self.rules.call("board", form=_expect_array, **self.options)
        board.flags.writeable = False
        return board

    @cached_property
    def num_actions(self) -> int:
        return self.rules.number("num_actions", self.board)

    @cached_property
    def state_size(self) -> int:
        return self.rules.number("state_size", self.board)

    @cached_property
    def most_plies(self) -> int:
        """Maximum number of plies of a game by its rules."""
        return min(self.rules.number("most_plies", self.board), MOST)

    @cached_property
    def is_interpreted(self) -> bool:
        """Whether the game's rules are plain Python, so that all players play move by move."""
        return hasattr(self.rules.play, "__interpreted__")

    @property
    def counts_points(self) -> bool:
        """Whether the game's objective is points rather than wins: ``Rules.objective``."""
        return self.rules.objective == "points"

    @property
    def unit(self) -> str:
        """The unit of the game's exact values: ``net wins`` or ``net points``."""
        return OBJECTIVES[self.rules.objective]

    @property
    def hides(self) -> bool:
        """Whether the game hides part of a position from a seat: ``Rules.view``."""
        return self.rules.view is not None

    @property
    def view(self) -> Kernel | None:
        """The kernel that computes a seat's view of a position; None if seats see everything."""
        return self.rules.view or (hide_chance if self.rules.chance else None)

    @cached_property
    def moves(self) -> Moves:
        """The game's rules (start, legal, play and view) as functions that positions call."""
        rules = self.rules
        kernels = rules.start, rules.legal, rules.play, self.view or view_all
        return moves_of(kernels) if self.at_speed else Moves(kernels, may_compile=False)

    @cached_property
    def hooks(self) -> dict[str, Kernel]:
        """The kernels by which this game fills the hooks of :mod:`tournaments.kernels.hooks`."""
        self.check_has_positions()
        if self.rules.module:
            self.check_first_position()
        return self.unchecked_hooks

    @cached_property
    def unchecked_hooks(self) -> dict[str, Kernel]:
        """The kernels by which this game fills the hooks, without a check of the first position."""
        rules, view = self.rules, self.view
        sets, network, solver, chance = rules.sets, rules.network, rules.solver, rules.chance
        has_secret = rules.has_secret if rules.view else None
        number_of_states = state_number_by_solver if solver else state_number_by_search
        fillings: dict[str, Any] = {
            "start": rules.start,
            "legal": rules.legal,
            "legal_set": sets and sets.legal_set,
            "legal_set_change": sets and sets.legal_set_change,
            "note_legal": note_legal_set if sets else note_legal_list,
            "note_legal_change": note_legal_set_change if sets else note_legal_list_change,
            "play": rules.play,
            "view": view,
            "view_of": view_of_secrets if has_secret else view_of_part if view else view_of_all,
            "has_secret": has_secret,
            "seen_action": no_action if self.hides else every_action,
            "outcomes": chance and chance.is_offered and chance.outcomes,
            "settle": chance and chance.is_offered and chance.settle,
            "measure": rules.measure or nothing_to_measure,
            "encode": network and network.encode,
            "encode_change": network and (network.encode_change or encode_anew),
            "position": solver and solver.position,
            "action_value": solver and (solver.action_value or action_value_by_play),
            "seat_number": rules.states and rules.states.number,
            "state_number": state_number_by_index if rules.states else number_of_states,
        }
        return {name: kernel for name, kernel in fillings.items() if kernel}

    def check_first_position(self) -> None:
        """Raise if the game's rules write beyond their arrays in the first position.

        Compiled code has no bounds checks, so such rules could crash the process. A contest has no
        positions to check.
        """
        if self.rules.contest is not None:
            return
        try:
            self.start().legal_actions()
        except IndexError as error:
            raise TournamentError(
                f"{self.spec}: start or legal goes beyond its arrays ({error}): state_size and "
                "num_actions must suffice for all options; evo check-game says more"
            ) from error

    def fingerprint(self, kinds: Iterable[Any] = ()) -> str:
        """Return a digest of the game's rules and of kinds of player, twelve hexadecimal digits.

        Args:
            kinds: objects of :class:`tournaments.player.Kind`.
        """
        if self.rules.contest is not None:
            return self.rules.contest.identity.removeprefix("program@")[:12]
        kernels = [kind.hooks.values() for kind in kinds]
        own: set[Kernel] = {start, legal, play, measure}
        own |= {view} if self.view else set()
        return fingerprint({*own, *chain(*kernels)}, self.hooks, self.board)

    def start(self, seed: int = 0) -> State:
        """Return the first position of a game. Only games with random openings use ``seed``.

        Raises:
            TournamentError: the game is a contest, which has no positions.
        """
        self.check_has_positions()
        array, own = np.zeros(self.state_size, dtype=np.int16), np.uint64(seed)
        with np.errstate(over="ignore"):  # random numbers wrap around
            self.moves.call(START, self.board, array, own, number=int(own.astype(np.int64)))
        return State(self, array)

    def check_has_positions(self) -> None:
        """Raise if this is a contest, which has no positions.

        Raises:
            TournamentError: the message names the commands that take contests.
        """
        if self.rules.contest is not None:
            raise TournamentError(
                f"{self.name} is a contest, which has no positions; contests are for evo run, "
                "tournament, league, compare, evaluate and analyse, and for tournaments.Competition"
            )

    def parse(self, text: str) -> State:
        """Return the position that a text board shows, in the format of ``str(state)``."""
        return State(self, self.rules.parse(self.board, text))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Game)
            and self.spec == other.spec
            and self.rules.module == other.rules.module
        )

    def __hash__(self) -> int:
        return hash(self.spec)

    def __repr__(self) -> str:
        return f"Game({self.spec!r})"

    def _repr_html_(self) -> str:
        return late("tournaments.drawing.notebook", "html_of_game")(self)

    def __reduce__(self) -> tuple[Any, ...]:
        module = self.rules.module
        return (_of_module, (module, self.spec)) if module else (parse, (self.spec,))


class State:
    """A position of a game. :meth:`play` changes it in place.

    The rules are interpreted at first, and compiled once that is faster. Results are the same
    (:mod:`tournaments.kernels.moves`).

    ``array`` is the state array of the kernels (int16, see :mod:`tournaments.kernels.hooks`).
    """

    __slots__ = ("array", "game")

    def __init__(self, game: Game, array: np.ndarray) -> None:
        self.game = game
        self.array = array

    @property
    def seat_to_move(self) -> int:
        """The seat to move in this position: 0 or 1, or -1 if the game is over."""
        return int(self.array[0])

    @property
    def is_over(self) -> bool:
        return bool(self.array[0] < 0)

    @property
    def scores(self) -> tuple[int, ...]:
        """The score of each seat in this position."""
        return tuple(int(score) for score in self.array[1:HEADER])

    def returns(self) -> tuple[int, ...]:
        """Return +1, 0 or -1 for each seat (won, drawn, lost) if the game is over, else zeros."""
        first, second = self.scores
        sign = (first > second) - (first < second) if self.is_over else 0
        return (sign, -sign)

    def measure(self) -> int:
        """Return the game's measure of this position, or 0 if it has none.

        See :attr:`Rules.measure`.
        """
        kernel = self.game.rules.measure
        return int(kernel(self.game.board, self.array)) if kernel else 0

    def legal_actions(self) -> list[int]:
        """Return the legal actions of the position, in rising order; none if the game is over."""
        if self.is_over:
            return []
        game, actions = self.game, np.empty(self.game.num_actions, dtype=np.int16)
        count = game.moves.call(LEGAL, game.board, self.array, actions, numbers=actions)
        return actions[:count].tolist()

    def play(self, action: int) -> None:
        """Play an action: change this position in place.

        Raises:
            IllegalAction: the action is not legal in this position, which is unchanged.
        """
        legal = self.legal_actions()
        if action not in legal:
            why = "the game is over" if self.is_over else f"legal here: {legal}"
            raise IllegalAction(
                f"action {shown(action)} is illegal in {self.game.spec}; {why}. The position:\n"
                f"{self}"
            )
        self.play_legal(int(action))

    def play_legal(self, action: int) -> None:
        """Play a legal action: change this position in place, without a check.

        An illegal action corrupts the position.
        """
        self.game.moves.call(PLAY, self.game.board, self.array, action, number=int(action))

    def clone(self) -> State:
        """Return an independent copy of the position."""
        return State(self.game, self.array.copy())

    def view(self, seat: int) -> State:
        """Return a copy of the position without the information that is hidden from a seat."""
        if self.game.view is None:
            return self.clone()
        game, seen = self.game, np.zeros_like(self.array)
        game.moves.call(VIEW, game.board, self.array, seat, seen, number=seat, numbers=seen)
        return State(game, seen)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.game.spec == other.game.spec and bool(np.array_equal(self.array, other.array))

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return self.game.rules.text(self.game.board, self.array)

    def _repr_html_(self) -> str:
        return late("tournaments.drawing.notebook", "html_of_state")(self)

    def __repr__(self) -> str:
        return f"<State of {self.game.spec}, seat {self.seat_to_move} to move>\n{self}"


def _expect_array(board: Any) -> None:
    if not isinstance(board, np.ndarray):
        given = f"{shown(board)}, a {type(board).__name__}"
        refuse(given, "give an array: np.array(..., dtype=np.int16)")


# --- by name -----------------------------------------------------------------------------------


def make(name: str, **options: Any) -> Game:
    """Return a game by name, with options: ``make("dots-and-boxes", rows=3, cols=3)``.

    The name may be the command line of a program that plays a contest.

    Raises:
        TournamentError: an unknown game or option, or an invalid value.
    """
    if is_program(name):
        return replace(late("tournaments.contests", "contest")(name), options=options)
    if name in ADAPTERS.own():
        return Game(ADAPTERS.load(name)(str(options.get("game", "")).strip()), options)
    return Game(GAMES.load(name), options)


def parse(spec: str | Game) -> Game:
    """Return the game of a text such as ``dots-and-boxes:rows=5,cols=5``.

    A :class:`Game` is returned unchanged.

    Raises:
        TournamentError: the game does not exist, or ``spec`` is neither a text nor a game.
    """
    if isinstance(spec, Game):
        return spec
    if not isinstance(spec, str):
        raise TournamentError(
            f"{shown(spec)} given as a game; a text such as 'dots-and-boxes:rows=2,cols=2', a game "
            "of tournaments.games.make, or tournaments.contest(FUNCTION) is expected"
        )
    name, options = (spec, {}) if is_program(spec) else parse_spec(spec)
    return make(name, **options)


def is_program(name: str) -> bool:
    """Return whether the name of a game is the command line of a program that plays a contest."""
    return FIRST_PLAYER in name


def _of_file(thing: Any, name: str, module: str) -> Rules:
    """Return the rules that a user's file holds: rules, a contest, or the function of a contest."""
    if not isinstance(thing, Rules):
        thing = late("tournaments.contests", "rules_of_file")(thing, name)
    return replace(thing, name=name, module=module)


def _of_module(module: str, spec: str) -> Game:
    """Return a game of a user's file, with the file's content when the game was created.

    Args:
        module: the name of the file's module.
        spec: the game as the user typed it.
    """
    name, options = parse_spec(spec)
    return Game(GAMES.of_module(name, code_files.module_called(module)), options)
