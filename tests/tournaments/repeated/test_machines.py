"""Machines: the classics against what they say, tables, scripted people, recorded games."""

from __future__ import annotations

import json
import pickle
import random as python_random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import repeated as naive

from evo.genomes.finite_state import FiniteStateOptions
from evo.genomes.memory_one import MemoryOneOptions
from tournaments import TournamentError, games, players
from tournaments.arena.match import play_game, play_match
from tournaments.game import Game
from tournaments.kernels.rng import Stream, generator
from tournaments.player import identity, sit_down
from tournaments.players.table import TableEncoding
from tournaments.repeated.exact import machine_of
from tournaments.repeated.machines import machine_player
from tournaments.repeated.rules import FIRST, HELD, NONE, SECOND
from tournaments.repeated.scripted import SCRIPTED, recorded

DILEMMA = games.parse("iterated-prisoners-dilemma:rounds=30")
NOISY = games.parse("iterated-prisoners-dilemma:rounds=30,noise=0.2")
KARATE = games.parse("karate:rounds=24")


def course_of(game: Game, player, seed: int, seat: int = 0):
    """The rounds of a game against random moves, each with what the player chose in it."""
    rng, state = python_random.Random(seed), game.start(seed)
    seated, stream, rounds, meant = sit_down(player, state, seat), Stream(seed), [], []
    while not state.is_over:
        mover = state.seat_to_move
        action = seated.choose(state, stream) if mover == seat else rng.choice([0, 1])
        if mover == seat:
            meant.append(action)
        state.play(action)
        if not state.is_over:
            seated.watch(state.view(seat), action if mover == seat else -1)
        if state.array[HELD] == NONE:
            both = int(state.array[FIRST + seat]), int(state.array[SECOND - seat])
            rounds.append(both)
    return rounds, meant


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(sorted(naive.CLASSICS)),
    st.sampled_from([DILEMMA, NOISY]),
    st.integers(0, 2**30),
    st.integers(0, 1),
)
def test_the_classics_do_what_they_say_also_after_slips(name, game, seed, seat):
    rounds, meant = course_of(game, players.make(name, game), seed, seat)
    rule = naive.CLASSICS[name]
    assert meant == [rule(rounds[:number]) for number in range(len(rounds))]


@pytest.mark.parametrize(
    ("name", "after", "cooperates"),
    [
        ("generous-tit-for-tat", (0, 1), 1 / 3),
        ("joss", (0, 0), 0.9),
        ("joss", (0, 1), 0.0),
        ("extort-2", (0, 0), 8 / 9),
        ("extort-2", (1, 0), 1 / 3),
    ],
)
def test_those_that_draw_cooperate_as_often_as_is_published(name, after, cooperates):
    machine = machine_of(players.make(name, DILEMMA))
    state = machine.following[0][after]
    assert machine.chances[state, 0] == pytest.approx(cooperates)


@pytest.mark.slow
def test_extort_2_gains_twice_as_much_over_the_punishment_as_its_opponents():
    """What Press and Dyson (PNAS 2012) prove of long games."""
    game = games.make("iterated-prisoners-dilemma", rounds=6000)
    extort = players.make("extort-2", game)
    for other in ("always-cooperate", "joss", "pavlov"):
        own, others = play_match(game, extort, players.make(other, game), 3, games=1)[0]
        assert own / 6000 - 1 == pytest.approx(2 * (others / 6000 - 1), abs=0.1)


def test_win_stay_lose_shift_is_pavlov_in_the_dilemma_but_for_the_first_move():
    ours = machine_of(players.make("win-stay-lose-shift", DILEMMA))
    theirs = machine_of(players.make("pavlov", DILEMMA))
    assert np.array_equal(ours.chances[1:], theirs.chances[1:])


def test_win_stay_lose_shift_never_repeats_a_miss_and_always_a_hit():
    player = players.make("win-stay-lose-shift", KARATE)
    payoffs = KARATE.rules.stage.payoffs(KARATE.board)
    for seed in range(20):
        rounds, meant = course_of(KARATE, player, seed)
        for (own, other), following in zip(rounds, meant[1:], strict=False):
            assert (following == own) == (payoffs[own, other] > 0)


def test_every_scripted_player_is_the_same_elsewhere_and_has_an_identity_of_its_own():
    names = [name for name in SCRIPTED if name != "recorded"]
    made = [
        players.make(name, KARATE)
        for name in [*names, "cycle:moves=kick", "biased:weights=1+2+3+4"]
    ]
    assert len({identity(player) for player in made}) == len(made)
    for player in made:
        again = pickle.loads(pickle.dumps(player))
        assert (again.name, identity(again)) == (player.name, identity(player))
        assert np.array_equal(again.parameters.chances, player.parameters.chances)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("cycle:moves=kick+kik", "did you mean 'kick'"),
        ("biased:weights=1+2", "a number of 0 or more for each of punch, kick"),
        ("biased:weights=0+0+0+0", "biased: weights=0+0+0+0 given"),
        ("biased:weights=a+b+c+d", "a number of 0 or more"),
        ("recorded", "no file given; a game as evo play karate --record FILE"),
        ("recorded:file=no.json", "no.json given"),
    ],
)
def test_wrong_options_are_refused_in_one_line(spec, words):
    with pytest.raises(TournamentError) as refused:
        players.make(spec, KARATE)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_recorded_person_plays_its_moves_again(tmp_path):
    file = tmp_path / "game.json"
    rows = [{"seat": seat, "action": move} for move in (1, 3, 0) for seat in ("first", "second")]
    content = {"game": "karate:rounds=3", "players": ["markov", "you"], "moves": rows}
    file.write_text(json.dumps(content))
    player = recorded(KARATE, file=str(file))
    _, meant = course_of(KARATE, player, 1)
    assert meant[:7] == [1, 3, 0, 1, 3, 0, 1]
    file.write_text(json.dumps({**content, "game": "nim"}))
    with pytest.raises(TournamentError, match="one of karate with some is expected"):
        recorded(KARATE, file=str(file))


# --- tables --------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from([(DILEMMA, "1"), (DILEMMA, "3"), (KARATE, "1"), (KARATE, "2")]),
    st.sampled_from(["memory-one", "finite-state"]),
    st.integers(0, 10**6),
    st.integers(0, 1),
)
def test_a_table_plays_as_the_machine_that_it_says_it_is(game_and_digits, form, seed, seat):
    game, digits = game_and_digits
    options = {"digits": digits} if form == "finite-state" else {}
    encoding = TableEncoding(game, form, (0, 1), options)
    (genome,) = encoding.random(1, generator(seed, "test"))
    table = encoding.player(game, [genome.tobytes()], "table")
    machine = machine_player(game, machine_of(table), "machine", players.make, {})
    other = players.make("random", game)
    sides = [(table, other), (machine, other)]
    first, second = (
        [action for _, _, action in play_game(game, *pair, seed=seed, number=seat)]
        for pair in sides
    )
    assert first == second


def test_tables_of_seats_that_are_alike_are_one(tmp_path):
    genome = MemoryOneOptions().plans(DILEMMA)[0].genome
    assert genome.num_genes == 5
    assert FiniteStateOptions(digits=2).plans(DILEMMA)[0].genome.num_genes == 4 * (1 + 2 * 2)
    file = tmp_path / "tit-for-tat.npy"
    np.save(file, np.array([0, 0, 1, 0, 1]))
    table = players.make(f"table:file={file}", DILEMMA)
    for seat in (0, 1):
        rounds, meant = course_of(DILEMMA, table, 5, seat)
        assert meant == [naive.CLASSICS["tit-for-tat"](rounds[:n]) for n in range(len(rounds))]
    np.save(file, np.zeros(2 * (1 + 2), dtype=int))
    table = players.make(f"table:file={file},digits=1", DILEMMA)
    assert machine_of(table).chances.shape == (2, 2)


def test_a_machine_of_too_many_states_is_refused():
    with pytest.raises(TournamentError, match="256 states of a machine for karate; at most 64"):
        FiniteStateOptions(digits=4).plans(KARATE)
