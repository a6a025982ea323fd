"""Repeated games: what is paid, shown and hidden, text boards, options, a stranger's game."""

from __future__ import annotations

import random as python_random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import repeated as naive

from tournaments import TournamentError, games, players
from tournaments.arena.match import play_game
from tournaments.contract.views import broken_view
from tournaments.drawing.shapes import Polygon, Scene, Text
from tournaments.game import Game
from tournaments.kernels.chance import STREAM
from tournaments.repeated.game import repeated_game
from tournaments.repeated.rules import FIRST, HELD, NONE, ROUND, SECOND

DILEMMA = "iterated-prisoners-dilemma"
ROCK_PAPER_SCISSORS = repeated_game(
    "rock-paper-scissors",
    "rock, paper, scissors, round after round",
    ("rock", "paper", "scissors"),
    ((0, -1, 1), (1, 0, -1), (-1, 1, 0)),
)
SPECS = st.sampled_from(["karate:rounds=9", f"{DILEMMA}:rounds=7", f"{DILEMMA}:rounds=7,noise=0.4"])


def played(game: Game, seed: int):
    """A random game: each position with what was carried out so far, and the last one."""
    state, rng, rounds = game.start(seed), python_random.Random(seed), []
    while not state.is_over:
        yield state.clone(), tuple(rounds)
        state.play(rng.choice(state.legal_actions()))
        if state.array[HELD] == NONE:
            rounds.append((int(state.array[FIRST]), int(state.array[SECOND])))
    yield state, tuple(rounds)


@settings(max_examples=60)
@given(SPECS, st.integers(0, 2**40))
def test_both_are_paid_by_what_is_carried_out_when_both_have_moved(spec, seed):
    game = games.parse(spec)
    payoffs = game.rules.stage.payoffs(game.board)
    states = list(played(game, seed))
    for ply, (state, rounds) in enumerate(states):
        assert state.scores == naive.scores(payoffs, rounds)
        assert (state.array[ROUND], len(rounds)) == (ply // 2, ply // 2)
        assert state.is_over == (len(rounds) == game.options["rounds"])
        assert state.is_over or state.seat_to_move == ply % 2


@settings(max_examples=60)
@given(SPECS, st.integers(0, 2**40))
def test_the_second_seat_never_sees_what_the_first_one_holds(spec, seed):
    game = games.parse(spec)
    for state, _ in played(game, seed):
        if state.seat_to_move == 1:
            others = []
            for action in range(game.num_actions):
                other = state.clone()
                other.array[HELD] = action
                if game.state_size > 7:
                    other.array[STREAM : STREAM + 4] = action
                others.append(other.view(1))
            assert all(other == state.view(1) for other in others)
            assert "holds" not in str(state.view(1))
        for seat in (0, 1):
            seen = state.view(seat)
            assert seen.view(seat) == seen
            assert game.parse(str(seen)) == seen
            assert "stream" not in str(seen)
            assert np.array_equal(seen.array[[0, 1, 2, ROUND]], state.array[[0, 1, 2, ROUND]])


def test_a_game_that_denies_a_secret_breaks_the_contract():
    denies = replace(games.parse("karate").rules, has_secret=lambda board, state, seat: False)
    state = Game(denies, {}).start()
    assert broken_view(state) is None
    state.play(1)
    assert "has_secret()" in (broken_view(state) or "")


def test_without_noise_moves_are_carried_out_and_with_it_as_often_as_it_says():
    flips = {}
    for noise in (0.0, 0.1):
        game = games.make(DILEMMA, rounds=2000, noise=noise)
        state, slips = game.start(7), 0
        while not state.is_over:
            state.play(0)
            state.play(1)
            slips += int(state.array[FIRST] != 0) + int(state.array[SECOND] != 1)
        flips[noise] = slips / 4000
    assert flips[0.0] == 0.0
    assert abs(flips[0.1] - 0.1) < 6 * (0.09 / 4000) ** 0.5


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("karate:rounds=0", "rounds=0 given; a whole number from 1 to 3276 is expected"),
        ("karate:rounds=3277", "from 1 to 3276"),
        ("karate:rounds=2.5", "rounds=2.5 given"),
        ("karate:noise=0.1", "option of karate"),
        (f"{DILEMMA}:noise=0.7", "noise=0.7 given; a probability from 0 to 0.5"),
        (f"{DILEMMA}:noise=0.00001", "at most four decimals"),
        (f"{DILEMMA}:sucker=2", "temptation > reward > punishment > sucker is expected"),
        (f"{DILEMMA}:temptation=2000", "whole numbers from -1000 to 1000"),
    ],
)
def test_options_that_are_none_are_refused_in_one_line(spec, words):
    with pytest.raises(TournamentError) as refused:
        games.parse(spec)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "picture",
    [
        "",
        "0 of 9 rounds\nfirst 10: -\nsecond 0: -\nfirst to move",
        "1 of 9 rounds\nfirst 10: punch\nsecond 0: -\nfirst to move",
        "1 of 9 rounds\nfirst 40: punch\nsecond 0: punch\nfirst to move",
        "9 of 9 rounds\nfirst 40: punch\nsecond 0: punch\nfirst to move",
        "10 of 9 rounds\nfirst 40: punch\nsecond 0: punch\nover",
        "1 of 9 rounds\nfirst 10: punch\nsecond 10: headbutt\nfirst to move",
        "1 of 9 rounds\nfirst 10: punch\nsecond 10: punch\nfirst to move, first holds kick",
        "1 of 9 rounds\nfirst 10: punch\nsecond 10: punch\nfirst to move, first holds -",
    ],
)
def test_boards_that_cannot_be_are_refused(picture):
    with pytest.raises(TournamentError, match="no position of this game"):
        games.parse("karate:rounds=9").parse(picture)


def test_payoffs_are_those_of_the_article():
    stage = games.make("karate").rules.stage
    payoffs = stage.payoffs(games.make("karate").board)
    punch, kick, block_punch, block_kick = range(4)
    for hit, block in ((punch, block_punch), (kick, block_kick)):
        assert payoffs[hit, block] == 0
        assert payoffs[block, hit] == 5
    assert payoffs[kick].tolist() == [10, 10, 10, 0]  # three of four
    assert payoffs[punch, kick] == 0  # the kick is first
    assert payoffs.sum() == 20 + 30 + 5 + 5
    assert stage.moves == ("punch", "kick", "block-punch", "block-kick")


def test_a_stranger_has_a_repeated_game_with_all_players_by_its_payoffs():
    game = Game(ROCK_PAPER_SCISSORS, {"rounds": 6})
    names = players.names(game)
    assert {"markov", "equilibrium", "win-stay-lose-shift", "table", "vector"} <= {*names}
    markov, cycle = players.make("markov", game), players.make("cycle", game)
    *_, (last, _, _) = play_game(game, markov, cycle, seed=3)
    assert last.is_over
    assert (game.most_plies, Game(ROCK_PAPER_SCISSORS, {"rounds": 16_383}).most_plies) == (
        12,
        32_766,
    )
    assert players.make("equilibrium", game).parameters.chances.tolist() == [[[1 / 3] * 3]]


def test_a_game_of_payoffs_that_do_not_fit_the_moves_is_refused():
    with pytest.raises(TournamentError, match="2 to 8 moves"):
        repeated_game("odd", "odd", ("a", "b"), ((1, 2), (3, 4), (5, 6)))


def test_the_picture_names_moves_when_both_are_made_and_shows_the_lead():
    game = games.parse("karate:rounds=2")
    state, scenes = game.start(), []
    for action in (1, 0, 0, 3):  # the kick hits first; then the punch
        seat = state.seat_to_move
        state.play(action)
        scenes.append(Scene(state.clone(), seat, action, ()))
    frames = game.rules.draw(scenes).frames
    words = [[shape.text for shape in frame if isinstance(shape, Text)] for frame in frames]
    assert words[0] == ["...", "0", "...", "0"]
    assert words[1] == ["kick", "10", "punch", "0"]
    assert words[3] == ["punch", "20", "block-kick", "0"]
    assert [sum(isinstance(shape, Polygon) for shape in frame) for frame in frames] == [0, 1, 1, 2]
