"""A game that a person plays against a player, and the names by which a person calls moves.

A person, as any player, is shown what its seat sees. Nothing here knows a terminal. Where a game
begins and what the opponent draws follow from the seed and the number of plies so far: the same
moves give the same game, taken back in between or not.
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
"""What a person is called among players."""
FEW_MOVES = 12
"""So many are listed in an error."""


class Ply(NamedTuple):
    """What was done in a game.

    Attributes:
        seat: who moved; -1: nobody, the position was changed.
        player: the name of who moved.
        action: what was played; -1: nothing.
        words: how the position was changed, such as ``edit 2:3``; empty: by a move.
        before, after: the positions.
        foreseen: the chances of the other's moves and of its own by which a player chose that
            models the other; empty: it models nothing.
    """

    seat: int
    player: str
    action: int
    words: str
    before: State
    after: State
    foreseen: Foreseen | tuple[()] = ()

    def __str__(self) -> str:
        """What was done, in words."""
        return self.words or move(self.after.game, self.seat, self.action)


class FollowedGame(NamedTuple):
    """What a seated player has followed of a game.

    Attributes:
        player: who sits there.
        begin: the number of plies after which it sat down.
        plies: those that it has watched since.
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
        game: what is played.
        seat: the person's.
        opponent: whoever plays the other seat from now on.
        seed: of the start and of all that the opponent draws.
        opponents: the names of all who played the other seat, in order.
        plies: what was done so far.

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
        """The position."""
        return self.plies[-1].after if self.plies else self.start

    @property
    def seen(self) -> State:
        """The position as the person sees it."""
        return self.state.view(self.seat)

    def shown_action(self, ply: Ply) -> int:
        """The action of a ply as the person is told of it, ``HIDDEN`` or what it was."""
        is_secret = self.game.hides and ply.seat == 1 - self.seat
        return HIDDEN if is_secret else ply.action

    def words(self, ply: Ply) -> str:
        """What was done, as the person is told of it."""
        is_shown = self.shown_action(ply) == ply.action
        return str(ply) if is_shown else f"{self.game.seats[ply.seat]} has moved"

    @property
    def names(self) -> tuple[str, str]:
        """Who played the seats; of several opponents all of them."""
        names = [PERSON, ", then ".join(self.opponents)]
        return (names[self.seat], names[1 - self.seat])

    @property
    def moves(self) -> int:
        """How many moves were made."""
        return sum(ply.seat >= 0 for ply in self.plies)

    @property
    def legal(self) -> dict[int, str]:
        """The actions that may be played here, with their names."""
        describe, board = self.game.rules.describe, self.game.board
        return {action: describe(board, action) for action in self.state.legal_actions()}

    @property
    def result(self) -> str:
        """Who has won, of a game that is over."""
        return result(self.state, self.names, self.moves)

    def stream(self, purpose: str) -> Stream:
        """The random numbers of a purpose at this point of the game."""
        number = np.array([len(self.plies)])
        return Stream(int(seeds_of(self.seed, purpose, 0, number)[0]))

    def meet(self, opponent: Player) -> None:
        """Take another opponent, from the next move on."""
        if 1 - self.seat not in seats_of(opponent):
            raise ConfigError(
                f"{opponent.name} does not play the {self.game.seats[1 - self.seat]}, the seat "
                "that you leave free; name another opponent, or another seat of yours"
            )
        self.opponent = opponent
        if self.opponents[-1:] != [opponent.name]:
            self.opponents.append(opponent.name)

    def play(self, action: int) -> Ply:
        """The person's move."""
        return self._played(self.seat, PERSON, action)

    def reply(self) -> Ply:
        """Play the opponent's move, where the opponent is to move."""
        seated = self.seated(self.opponent, 1 - self.seat)
        foreseen = seated.foreseen() if isinstance(seated, CompiledSeat) else ()
        action = choice_of(seated, self.state, self.stream("reply"))
        return self._played(1 - self.seat, self.opponent.name, action, foreseen)

    def seated(self, player: Player, seat: int) -> SeatedPlayer:
        """A player at a seat, which has followed the game from its start.

        It sits down anew where the position was changed.
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
        """Whether what a player has followed still stands; plies are taken back at the end."""
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
            How many plies that were.

        Raises:
            ConfigError: there is none.
        """
        own = [place for place, ply in enumerate(self.plies) if ply.seat in (self.seat, -1)]
        if not own:
            raise ConfigError("nothing to take back: you have not moved yet")
        count = len(self.plies) - own[-1]
        del self.plies[own[-1] :]
        return count

    def edit(self, words: str) -> Ply:
        """Change the position as the game offers it (``Rules.edit``).

        Raises:
            ConfigError: the game offers nothing of the kind, or is over.
            TournamentError: words that it does not take.
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
        """Go on from the position that a text board shows.

        Raises:
            ConfigError, TournamentError: it is none of this game, or one without moves.
        """
        after = self.game.parse(text)
        stream = slice(STREAM, STREAM + STREAM_SIZE)
        draws = self.game.rules.chance is not None and self.start.array[stream].any()
        if draws and not after.array[stream].any():  # a board as a person sees it has none
            with np.errstate(over="ignore"):
                seed_chance(after.array, self.stream("play").draw())
        if not (after.is_over or after.legal_actions()):
            raise ConfigError("there is no legal move on this board; give another one")
        return self._added(Ply(-1, PERSON, -1, "another board", self.state, after))


# --- moves by name -------------------------------------------------------------------------------


def action_named(state: State, words: str) -> int:
    """The legal action that a person names.

    By its whole name; by the beginning of it; by the beginnings of some of its words, in their
    order, as ``3`` for ``column 3``; or by its number, ``#2``, for which ``2`` will do where no
    name has it. A number alone is never the beginning of a longer word.

    Raises:
        ConfigError: none is called so, or several; the message names those that may be played.
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
    """Return the one action that is named, if it is legal; an error tells none that is."""
    if len(named) == 1 and named[0] in legal:
        return named[0]
    if len(named) > 1:
        raise ConfigError(
            f"{words!r} may be {len(named)} moves, here or elsewhere; give more of it"
        )
    what = names[named[0]] if named else f"a name such as {names[0]!r} is expected"
    raise ConfigError(f"{words!r} is no move here: {what}; moves and hint tell what is")


def _listed(names: dict[int, str], actions: list[int]) -> str:
    return " or ".join(names[action] for action in actions)


def _readings(words: str, names: dict[int, str]) -> Iterator[list[int]]:
    """The actions that words may mean, the most literal reading first."""
    typed = words.lower().split()
    split = {action: name.lower().split() for action, name in names.items()}
    for stands_for in (eq, _begins, _is_among, _are_in_any_order):
        yield [action for action, name in split.items() if stands_for(typed, name)]
    number = "".join(typed).removeprefix("#")
    yield [int(number)] if number.isdecimal() and int(number) in names else []


def _is_short_for(typed: str, word: str) -> bool:
    return typed == word or (word.startswith(typed) and not typed.isdecimal())


def _begins(typed: list[str], name: list[str]) -> bool:
    """Whether the words begin a name, word by word."""
    return len(typed) <= len(name) and all(map(_is_short_for, typed, name))


def _are_in_any_order(typed: list[str], name: list[str]) -> bool:
    """Whether the words are some of a name's."""
    return len(typed) > 1 and all(
        any(_is_short_for(short, word) for word in name) for short in typed
    )


def _is_among(typed: list[str], name: list[str]) -> bool:
    """Whether the words are some of a name's, in their order."""
    left = iter(name)
    return all(any(_is_short_for(short, word) for word in left) for short in typed)
