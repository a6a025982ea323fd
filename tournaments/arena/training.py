"""Games from which players learn while they play.

Each side is a :class:`LearningKind`, which gets the reward of each of its turns at its next turn
(:func:`tournaments.kernels.hooks.learn`), or a compiled kind that stays as it is. What is learned
is written into the side's parameters. A stretch of games depends on its arguments alone: a learner
of several pupils has them trained side by side, each by a stream of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tournaments.game import EndlessGame, Game
from tournaments.kernels import memoryless
from tournaments.kernels.choices import copied
from tournaments.kernels.hooks import (
    begin_a,
    begin_b,
    choose,
    choose_a,
    choose_b,
    learn_a,
    learn_b,
    play,
    seen_action,
    start,
    view_of,
    watch_a,
    watch_b,
)
from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import seed_game
from tournaments.player import Kind
from tournaments.rules import Kernel

TURNS, GAMES, WON_BY_A, WON_BY_B = 0, 1, 2, 3
"""Places in what is counted, int64 ``[4]``."""


@kernel
def play_on(board, state, reward, parameters, row, memory, stream):
    """Return the action of a side that does not learn, or -1 if the game is over.

    It fills :func:`tournaments.kernels.hooks.learn`.
    """
    if state[0] < 0:
        return -1
    return np.int64(choose(board, state, parameters, row, memory, stream))


(play_on_a,) = copied((play_on,), "_a", {"choose": choose_a})
(play_on_b,) = copied((play_on,), "_b", {"choose": choose_b})


class Trained(NamedTuple):
    """A side of a lesson: its player's parameters, memory and row."""

    parameters: Any
    memory: Any
    row: int


class LessonForm(NamedTuple):
    """The form of the games of a lesson.

    Attributes:
        seat_of_a: in the first game.
        swaps: 1 where the sides change seats after each game, else 0.
        most_plies: the most plies of a game.
    """

    seat_of_a: int
    swaps: int
    most_plies: int


@kernel
def lead_of(state, seat):
    """Return the lead of a seat in a position: its score less that of the other seat."""
    return np.float64(state[1 + seat]) - np.float64(state[2 - seat])


@kernel
def train(board, state, seen, streams, leads, a, b, form, seed, turns, counts):
    """Play games in which players learn until ``turns`` turns have been counted.

    The last game is played to its end.

    Args:
        board: the game's constants.
        state: a buffer for a position.
        seen: a buffer for a seat's view of the position.
        streams: a buffer for the stream of each seat.
        leads: float64 [2], a buffer for each seat's lead at its last turn.
        a: side a. Its parameters are changed as it learns.
        b: side b, likewise.
        form: see :class:`LessonForm`.
        seed: uint64 of this pupil; the streams of a game follow from it and the game's number.
        turns: at which to end, counted from the first game of all.
        counts: int64 [4], turns, games, and games won by each side; updated.

    Returns:
        Whether each game came to an end.
    """
    while counts[TURNS] < turns:
        seat_a = form.seat_of_a ^ (form.swaps & counts[GAMES])
        last = counts[TURNS] + form.most_plies
        start(board, state, seed_game(streams, seed, counts[GAMES]))
        stream_a = streams[seat_a]
        stream_b = streams[1 - seat_a]
        shown = view_of(board, state, seat_a, seen)
        begin_a(board, shown, a.parameters, a.row, a.memory)
        shown = view_of(board, state, 1 - seat_a, seen)
        begin_b(board, shown, b.parameters, b.row, b.memory)
        leads[0] = lead_of(state, 0)
        leads[1] = -leads[0]
        while state[0] >= 0:
            seat = np.int64(state[0])
            lead = lead_of(state, seat)
            reward = lead - leads[seat]
            leads[seat] = lead
            shown = view_of(board, state, seat, seen)
            if seat == seat_a:
                action = learn_a(board, shown, reward, a.parameters, a.row, a.memory, stream_a)
            else:
                action = learn_b(board, shown, reward, b.parameters, b.row, b.memory, stream_b)
            play(board, state, action)
            of_a = action if seat == seat_a else seen_action(action)
            of_b = seen_action(action) if seat == seat_a else action
            shown = view_of(board, state, seat_a, seen)
            watch_a(board, shown, of_a, a.parameters, a.row, a.memory)
            shown = view_of(board, state, 1 - seat_a, seen)
            watch_b(board, shown, of_b, b.parameters, b.row, b.memory)
            counts[TURNS] += 1
            if counts[TURNS] == last and state[0] >= 0:
                return False
        lead = lead_of(state, seat_a)
        shown = view_of(board, state, seat_a, seen)
        learn_a(board, shown, lead - leads[seat_a], a.parameters, a.row, a.memory, stream_a)
        shown = view_of(board, state, 1 - seat_a, seen)
        learn_b(board, shown, -lead - leads[1 - seat_a], b.parameters, b.row, b.memory, stream_b)
        counts[GAMES] += 1
        counts[WON_BY_A] += lead > 0
        counts[WON_BY_B] += lead < 0
    return True


@dataclass(frozen=True)
class LearningKind:
    """A kind of player that learns while it plays.

    Attributes:
        learn: kernel, see :func:`tournaments.kernels.hooks.learn`.
        begin: kernel, see :func:`tournaments.kernels.hooks.begin`.
        memory: (game, parameters) -> the room of one side.
    """

    learn: Kernel
    begin: Kernel
    memory: Callable[[Game, Any], Any]

    @property
    def hooks(self) -> dict[str, Kernel]:
        """The kernels with which this kind of learning player fills the hooks of a side."""
        return {"begin": self.begin, "watch": memoryless.watch, "learn": self.learn}


class Pupil(NamedTuple):
    """A side: its kind, the parameters that a learning kind changes, and its row of them."""

    kind: LearningKind | Kind
    parameters: Any
    row: int = 0


@dataclass(frozen=True, eq=False)
class Lesson:
    """A stretch of games of two pupils.

    Attributes:
        game: what is played.
        a, b: who play.
        seat_of_a: in the first game.
        swaps: whether they change seats after each game.
        seed: of their games.
        turns: at which it ends, with the game in hand, counted from the first game of all.
        counts: int64 [4] as far as they have come, see :func:`train`.
    """

    game: Game
    a: Pupil
    b: Pupil
    seat_of_a: int
    swaps: bool
    seed: int
    turns: int
    counts: np.ndarray

    def run(self, compiled: bool = True) -> Learned:
        """Play the lesson's games in this thread, and return the result.

        The parameters of the pupils are changed in place. ``compiled`` is false for the
        interpreter.

        Raises:
            EndlessGame: a game lasts longer than its rules say.
        """
        sides = [
            Trained(each.parameters, each.kind.memory(self.game, each.parameters), each.row)
            for each in (self.a, self.b)
        ]
        counts = self.counts.copy()
        state = np.zeros(self.game.state_size, dtype=np.int16)
        room = state, np.zeros_like(state), np.zeros((2, 1), dtype=np.uint64), np.zeros(2)
        form = LessonForm(self.seat_of_a, int(self.swaps), self.game.most_plies)
        end = np.uint64(self.seed), self.turns, counts
        hooks = {**self.game.hooks, "learn_a": play_on_a, "learn_b": play_on_b}
        for side, pupil in (("a", self.a), ("b", self.b)):
            hooks |= {f"{name}_{side}": kernel for name, kernel in pupil.kind.hooks.items()}
        with np.errstate(over="ignore"):  # random numbers wrap around
            work = build(train, hooks, compiled=compiled)
            if not work(self.game.board, *room, *sides, form, *end):
                raise EndlessGame(self.game, self.seed, int(counts[GAMES]))
        return Learned(counts, *sides)

    def witness(self, result: Learned) -> bytes:
        """Return a digest of what was learned, on which workers that check each other must agree.

        It covers the learned parameters and the counts.
        """
        digest = hashlib.blake2b(result.counts.tobytes())
        for side in (result.a, result.b):
            for array in _arrays(side.parameters):
                digest.update(np.ascontiguousarray(array).tobytes())
        return digest.digest()


class Learned(NamedTuple):
    """The result of a lesson: the counts, and the sides as they are at its end."""

    counts: np.ndarray
    a: Trained
    b: Trained


def _arrays(parameters: Any) -> Iterator[np.ndarray]:
    """Yield the arrays and numbers in nested tuples of parameters, in their order."""
    if isinstance(parameters, tuple):
        for part in parameters:
            yield from _arrays(part)
    else:
        yield np.asarray(parameters)
