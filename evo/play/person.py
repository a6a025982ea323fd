"""A game of a person against a player, and the move names that a person types.

A person is shown what the person's seat sees, as any player. This module is independent of a
terminal. The start of a game and the random numbers of the opponent depend only on the seed and
the number of plies so far. The same moves therefore lead to the same game, even if some moves were
taken back in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import eq
from typing import NamedTuple

import numpy as np

from evo.play.watched import move, result
from tournaments.arena.match import choice_of
from tournaments.errors import ConfigError
from tournaments.game import Game, State
from tournaments.kernels.chance import STREAM, STREAM_SIZE, seed_chance
from tournaments.kernels.hooks import HIDDEN
from tournaments.kernels.rng import Stream, seeds_of
from tournaments.player import CompiledSeat, Foreseen, Player, SeatedPlayer, seats_of, sit_down

PERSON = "you"
"""Name of the person among the players."""
FEW_MOVES = 12
"""Maximum number of moves that an error message lists."""


class Ply(NamedTuple):
    """A ply of a game: a move, or a change of the position.

    Attributes:
        seat: the seat that moved. -1 for a change of the position.
        player: name of the player that moved.
        action: the action. -1 for a change of the position.
        words: description of the change, such as ``edit 2:3``. Empty for a move.
        before, after: the positions.
        foreseen: probabilities of the opponent's moves and of the player's own moves, if the
            player has a model of its opponent. Empty for other players.
    """

    seat: int
    player: str
    action: int
    words: str
    before: State
    after: State
    foreseen: Foreseen | tuple[()] = ()

    def __str__(self) -> str:
        """Return a move, or a change of the position, in words."""
        return self.words or move(self.after.game, self.seat, self.action)


class FollowedGame(NamedTuple):
    """The part of a game that a seated player has watched.

    Attributes:
        player: the player.
        begin: number of plies before the player sat down.
        plies: the plies that the player has watched since.
        seated: the player at its seat.
    """

    player: Player
    begin: int
    plies: list[Ply]
    seated: SeatedPlayer


@dataclass
class PersonGame:
    """A game between a person and an opponent, ply by ply.

    Attributes:
        game: the game.
        seat: seat of the person.
        opponent: the player of the other seat from now on.
        seed: seed of the start and of the opponent's random numbers.
        opponents: names of all opponents so far, in order.
        plies: the plies so far.

    Raises:
        ConfigError: the opponent does not play the other seat.
    """

    game: Game
    seat: int
    opponent: Player
    seed: int = 1
    opponents: list[str] = field(init=False, default_factory=list)
    plies: list[Ply] = field(init=False, default_factory=list)
    _courses: dict[int, FollowedGame] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.meet(self.opponent)
        self.start = self.game.start(self.stream("play").draw())

    @property
    def state(self) -> State:
        """The current position of the person's game."""
        return self.plies[-1].after if self.plies else self.start

    @property
    def seen(self) -> State:
        """The current position as the person sees it."""
        return self.state.view(self.seat)

    def shown_action(self, ply: Ply) -> int:
        """Return the action of a move, or ``HIDDEN`` if the person must not see the action."""
        is_secret = self.game.hides and ply.seat == 1 - self.seat
        return HIDDEN if is_secret else ply.action

    def words(self, ply: Ply) -> str:
        """Return a move in words, without an action that the person must not see."""
        is_shown = self.shown_action(ply) == ply.action
        return str(ply) if is_shown else f"{self.game.seats[ply.seat]} has moved"

    @property
    def names(self) -> tuple[str, str]:
        """The names of the players by seat. The opponents so far are joined into one name."""
        names = [PERSON, ", then ".join(self.opponents)]
        return (names[self.seat], names[1 - self.seat])

    @property
    def moves(self) -> int:
        """Number of moves so far in the person's game."""
        return sum(ply.seat >= 0 for ply in self.plies)

    @property
    def legal(self) -> dict[int, str]:
        """The legal actions at this point of the person's game, with their names."""
        describe, board = self.game.rules.describe, self.game.board
        return {action: describe(board, action) for action in self.state.legal_actions()}

    @property
    def result(self) -> str:
        """The result of a finished game, in words."""
        return result(self.state, self.names, self.moves)

    def stream(self, purpose: str) -> Stream:
        """Return the random numbers for a purpose at this point of the person's game."""
        number = np.array([len(self.plies)])
        return Stream(int(seeds_of(self.seed, purpose, 0, number)[0]))

    def meet(self, opponent: Player) -> None:
        """Change the person's opponent, from the next move on.

        Raises:
            ConfigError: the opponent does not play the other seat.
        """
        if 1 - self.seat not in seats_of(opponent):
            raise ConfigError(
                f"{opponent.name} does not play the {self.game.seats[1 - self.seat]}, the seat "
                "that you leave free; name another opponent, or another seat of yours"
            )
        self.opponent = opponent
        if self.opponents[-1:] != [opponent.name]:
            self.opponents.append(opponent.name)

    def play(self, action: int) -> Ply:
        """Play a move of the person in the game."""
        return self._played(self.seat, PERSON, action)

    def reply(self) -> Ply:
        """Play the opponent's move. The opponent must be to move."""
        seated = self.seated(self.opponent, 1 - self.seat)
        foreseen = seated.foreseen() if isinstance(seated, CompiledSeat) else ()
        action = choice_of(seated, self.state, self.stream("reply"))
        return self._played(1 - self.seat, self.opponent.name, action, foreseen)

    def seated(self, player: Player, seat: int) -> SeatedPlayer:
        """Return a player at a seat that has watched the game from its start.

        After a change of the position the player is seated anew.
        """
        begin = max((place + 1 for place, ply in enumerate(self.plies) if ply.seat < 0), default=0)
        course = self._courses.get(seat)
        if course is None or not self._goes_on(course, player, begin):
            at = self.plies[begin - 1].after if begin else self.start
            course = FollowedGame(player, begin, [], sit_down(player, at, seat))
            self._courses[seat] = course
        for ply in self.plies[begin + len(course.plies) :]:
            is_shown = ply.seat == seat or not self.game.hides
            if not ply.after.is_over:
                course.seated.watch(ply.after.view(seat), ply.action if is_shown else HIDDEN)
            course.plies.append(ply)
        return course.seated

    def _goes_on(self, course: FollowedGame, player: Player, begin: int) -> bool:
        """Whether a player that has followed the game may go on, after moves were taken back.

        The moves that it has watched must still be part of the game. Plies are only taken back at
        the end of the game.

        Args:
            course: the seated player, and the moves that it has watched.
            player: the player that is to move.
            begin: number of plies before the position in which it was seated.
        """
        if course.player is not player or course.begin != begin:
            return False
        watched = begin + len(course.plies)
        last = self.plies[watched - 1 : watched]
        return not course.plies or (bool(last) and last[0] is course.plies[-1])

    def _played(
        self, seat: int, player: str, action: int, foreseen: Foreseen | tuple[()] = ()
    ) -> Ply:
        after = self.state.clone()
        after.play(action)
        return self._added(Ply(seat, player, action, "", self.state, after, foreseen))

    def _added(self, ply: Ply) -> Ply:
        self.plies.append(ply)
        return ply

    def undo(self) -> int:
        """Take back the person's last move, or change of the position, and the replies to it.

        Returns:
            The number of plies taken back.

        Raises:
            ConfigError: the person has not moved yet.
        """
        own = [place for place, ply in enumerate(self.plies) if ply.seat in (self.seat, -1)]
        if not own:
            raise ConfigError("nothing to take back: you have not moved yet")
        count = len(self.plies) - own[-1]
        del self.plies[own[-1] :]
        return count

    def edit(self, words: str) -> Ply:
        """Change the position as the person asks, by the game's own edit function (``Rules.edit``).

        Raises:
            ConfigError: the game has no edit function, or is over.
            TournamentError: the game does not accept the words.
        """
        change = self.game.rules.edit
        if change is None:
            raise ConfigError(f"{self.game.name} offers no edit; type board, and paste a position")
        if self.state.is_over:
            raise ConfigError("the game is over; undo takes your last move back")
        array = change(self.game.board, self.state.array.copy(), words)
        after = State(self.game, array)
        return self._added(Ply(-1, PERSON, -1, f"edit {words}", self.state, after))

    def put(self, text: str) -> Ply:
        """Continue the person's game from the position of a text board.

        Raises:
            ConfigError, TournamentError: the text is not a board of this game, or the position has
                no legal move.
        """
        after = self.game.parse(text)
        stream = slice(STREAM, STREAM + STREAM_SIZE)
        draws = self.game.rules.chance is not None and self.start.array[stream].any()
        if draws and not after.array[stream].any():  # a board from the person's view has no stream
            with np.errstate(over="ignore"):
                seed_chance(after.array, self.stream("play").draw())
        if not (after.is_over or after.legal_actions()):
            raise ConfigError("there is no legal move on this board; give another one")
        return self._added(Ply(-1, PERSON, -1, "another board", self.state, after))


# --- moves by name -------------------------------------------------------------------------------


def action_named(state: State, words: str) -> int:
    """Return the legal action that a person names.

    An action can be typed as:

    - its full name, or the beginning of the name;
    - the beginnings of some of its words, such as ``3`` for ``column 3``;
    - its number, such as ``#2``, or ``2`` if no name contains this number.

    A number is never the beginning of a longer word.

    Raises:
        ConfigError: no action or several actions match. The message lists legal actions.
    """
    game, legal = state.game, state.legal_actions()
    names = {action: game.rules.describe(game.board, action) for action in range(game.num_actions)}
    named = next(filter(None, _readings(words, names)), [])
    if game.rules.is_search:
        return _found(words, named, legal, names)
    able = [action for action in named if action in legal]
    if len(able) == 1:
        return able[0]
    if able:
        raise ConfigError(f"{words!r} may be {_listed(names, able)}; give more of it")
    if len(legal) <= FEW_MOVES:
        raise ConfigError(f"{words!r} is no move here; {_listed(names, legal)} is expected")
    raise ConfigError(f"{words!r} is no move here; type moves to see the {len(legal)} that are")


def _found(words: str, named: list[int], legal: list[int], names: dict[int, str]) -> int:
    """Return the action that a person named, if no other action matches and it is legal.

    The error messages do not reveal which actions are legal.

    Args:
        words: what the person typed.
        named: the actions that match.
        legal: the legal actions.
        names: the names of all actions.
    """
    if len(named) == 1 and named[0] in legal:
        return named[0]
    if len(named) > 1:
        raise ConfigError(
            f"{words!r} may be {len(named)} moves, here or elsewhere; give more of it"
        )
    what = names[named[0]] if named else f"a name such as {names[0]!r} is expected"
    raise ConfigError(f"{words!r} is no move here: {what}; type moves, or hint, to see what is")


def _listed(names: dict[int, str], actions: list[int]) -> str:
    return " or ".join(names[action] for action in actions)


def _readings(words: str, names: dict[int, str]) -> Iterator[list[int]]:
    """Yield the actions whose names match what a person typed, the most literal reading first."""
    typed = words.lower().split()
    split = {action: name.lower().split() for action, name in names.items()}
    for stands_for in (eq, _begins, _is_among, _are_in_any_order):
        yield [action for action, name in split.items() if stands_for(typed, name)]
    number = "".join(typed).removeprefix("#")
    yield [int(number)] if number.isdecimal() and int(number) in names else []


def _is_short_for(typed: str, word: str) -> bool:
    return typed == word or (word.startswith(typed) and not typed.isdecimal())


def _begins(typed: list[str], name: list[str]) -> bool:
    """Whether the typed words are the beginning of an action's name, word by word."""
    return len(typed) <= len(name) and all(map(_is_short_for, typed, name))


def _are_in_any_order(typed: list[str], name: list[str]) -> bool:
    """Whether the typed words match words of an action's name, in any order."""
    return len(typed) > 1 and all(
        any(_is_short_for(short, word) for word in name) for short in typed
    )


def _is_among(typed: list[str], name: list[str]) -> bool:
    """Whether the typed words match words of an action's name, in the order of the name."""
    left = iter(name)
    return all(any(_is_short_for(short, word) for word in left) for short in typed)
