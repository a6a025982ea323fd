"""What a game hides, no player is shown: in both arenas, in training, and move by move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from games_with_secrets import HELD, MATCHING, RACE, parse, text

from tournaments.arena import arena, match
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.arena.training import LearningKind, Lesson, Pupil
from tournaments.game import Game
from tournaments.kernels.chance import STREAM
from tournaments.kernels.hooks import HIDDEN
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import Stream, match_seeds
from tournaments.player import Kind

ROUNDS = 5
GAME = Game(MATCHING, {"rounds": ROUNDS})


@kernel
def heads(board, state, parameters, row, memory, stream):
    return 0


@kernel
def begin_spying(board, state, parameters, row, memory):
    memory[0] = 0


@kernel
def spy(board, state, action, parameters, row, memory):
    """Note a move of seat 0 that seat 1 is told, or sees before it has moved itself."""
    memory[0] |= state[HELD] >= 0 or (state[0] == 1 and action != HIDDEN)
    memory[1] += 1


@kernel
def tails_if_seen(board, state, parameters, row, memory, stream):
    return 1 if memory[0] > 0 or state[HELD] >= 0 or memory[1] == 0 else 0


@kernel
def tails_if_shown(board, state, reward, parameters, row, memory, stream):
    return 1 if state[HELD] >= 0 else 0


def notes(game, parameters):
    return np.zeros(2, dtype=np.int64)


HEADS = Kind("heads", heads)
SPY = Kind("spy", tails_if_seen, begin_spying, spy, notes)


@pytest.mark.parametrize("linked_from", [0, 10**9])
def test_the_second_seat_sees_no_move_that_was_made_at_once(linked_from, monkeypatch):
    monkeypatch.setattr(arena, "LINKED_FROM", linked_from)
    sides = HEADS.player(GAME), SPY.player(GAME)
    seeds = match_seeds(1, "games", 0, 4)
    pairs = np.array([[-1, -2]] * 4, dtype=np.int32)
    outcomes = play_pairs(Entrants(GAME, sides), pairs, seeds, games=1)
    assert outcomes.tolist() == [[[ROUNDS, 0]]] * 4
    readable = [match.play_match(GAME, *sides, int(seed), 1).tolist() for seed in seeds]
    assert readable == outcomes.tolist()


def test_who_learns_sees_no_more():
    learner = LearningKind(tails_if_shown, begin_spying, notes)
    staying, spying = Pupil(HEADS, np.zeros(0)), Pupil(learner, np.zeros(0))
    counts = np.zeros(4, dtype=np.int64)
    lesson = Lesson(GAME, staying, spying, 0, False, 1, 20 * ROUNDS, counts)
    assert lesson.run().counts.tolist() == [20 * ROUNDS, 10, 10, 0]


class Peeping:
    """A plain player that keeps all that it is shown."""

    name = "peeping"

    def __init__(self):
        self.shown, self.heard = [], []

    def sit(self, state, seat):
        self.shown.append(state)
        return self

    def watch(self, state, action):
        self.shown.append(state)
        self.heard.append(action)

    def choose(self, state, rng):
        self.shown.append(state)
        return 0


def test_a_plain_player_follows_the_game_by_what_its_seat_sees():
    first, second = Peeping(), Peeping()
    list(match.play_game(GAME, first, second, seed=1))
    assert {int(state.array[HELD]) for state in first.shown} == {HIDDEN, 0}
    assert {int(state.array[HELD]) for state in second.shown} == {HIDDEN}
    assert first.heard[:3] == [0, HIDDEN, 0]
    assert second.heard[:3] == [HIDDEN, 0, HIDDEN]


def test_no_player_sees_the_stream_and_moves_of_a_game_without_secrets_are_told():
    first, second = Peeping(), Peeping()
    states = [state.clone() for state, *_ in match.play_game(Game(RACE, {}), first, second, 1)]
    assert all(state.array[STREAM : STREAM + 4].any() for state in states)
    assert not any(state.array[STREAM : STREAM + 4].any() for state in first.shown)
    assert HIDDEN not in first.heard + second.heard


def test_chance_belongs_to_the_position():
    game = Game(RACE, {"fields": 90})
    state = game.start(3)
    again = state.clone()
    for _ in range(20):
        state.play(1)
        again.play(1)
    assert state == again
    assert state != game.parse(str(game.start(4)))


def test_a_game_that_hides_nothing_shows_the_state_itself():
    game = Game(replace(MATCHING, view=None), {})
    sides = HEADS.player(game), SPY.player(game)
    assert match.play_match(game, *sides, 1, 1).tolist() == [[0, ROUNDS]]
    assert text(game.board, parse(game.board, "0 1 2")) == "0 1 2"
    assert sides[1].choose(game.start(), Stream(1)) == 1
