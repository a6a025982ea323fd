"""The players that predict: their chances against those of a slow one, level by level; priors."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import repeated as naive

from tournaments import TournamentError, games, players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.arena.match import play_match
from tournaments.game import Game
from tournaments.kernels.hooks import HIDDEN
from tournaments.kernels.rng import Stream, match_seeds
from tournaments.player import CompiledPlayer
from tournaments.players.vector import VectorEncoding
from tournaments.repeated import markov
from tournaments.repeated.counts import count_moves, learnt_prior, moves_against, written

GAMES = {name: games.make(name) for name in ("karate", "iterated-prisoners-dilemma")}


def chances_of(player: CompiledPlayer, game: Game, rounds, seat: int) -> np.ndarray:
    """The chances from which a player draws its move after these rounds, own moves first."""
    state = game.start()
    seated = player.sit(state.view(seat), seat)
    for own, other in rounds:
        moves = (own, other) if seat == 0 else (other, own)
        for mover, move in enumerate(moves):
            state.play(move)
            seated.watch(state.view(seat), move if mover == seat else HIDDEN)
    if seat == 1:
        state.play(0)
        seated.watch(state.view(seat), HIDDEN)
    seated.choose(state, Stream(1))
    weights = seated._own[2].chances
    return weights / weights.sum()


@settings(max_examples=80, deadline=None)
@given(
    name=st.sampled_from(sorted(GAMES)),
    moves=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=25),
    seat=st.integers(0, 1),
    order=st.integers(0, 4),
    level=st.integers(1, 3),
    beta=st.sampled_from([0.0, 0.3, 2.0]),
    prior=st.sampled_from([0.0, 0.5, 1.0]),
    threshold=st.sampled_from([0.0, 1.0, 3.0]),
    net=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_chances_are_those_of_the_definition(name, moves, seat, order, level, beta, **model):
    game, net = GAMES[name], model.pop("net")
    rounds = [(a % game.num_actions, b % game.num_actions) for a, b in moves]
    player = players.make("markov", game, order=order, level=level, beta=beta, net=net, **model)
    expected = naive.markov_chances(
        game.rules.stage.payoffs(game.board), rounds, level, beta, net, order=order, **model
    )
    assert np.allclose(chances_of(player, game, rounds, seat), expected, rtol=1e-9, atol=1e-12)


def test_the_low_kick_is_best_before_anything_is_known():
    player = players.make("markov:beta=best", GAMES["karate"])
    assert chances_of(player, GAMES["karate"], [], 0).tolist() == [0, 1, 0, 0]
    assert chances_of(player, GAMES["karate"], [(1, 3)] * 9, 0).argmax() == 0  # a punch hits then


def test_level_0_is_random_and_draws_every_move():
    game = GAMES["karate"]
    player, state = players.make("markov:level=0", game), game.start()
    drawn = [player.choose(state, Stream(seed)) for seed in range(400)]
    assert np.bincount(drawn, minlength=4).min() > 60


@pytest.mark.parametrize(
    "genes", [[-9.0] * 6, [0.0] * 6, [9.0] * 6, [0.3, 1.1, -0.7, 0.2, 1.4, -2]]
)
def test_a_genome_plays_as_the_player_of_its_numbers(genes):
    game = GAMES["karate"]
    (numbers,) = markov.numbers_of(np.array([genes]))
    named = players.make(
        "markov",
        game,
        **{
            name: int(value) if name in ("order", "level") else float(value)
            for name, value in zip(markov.NAMES, numbers, strict=True)
        },
    )
    vector = players.make("vector", game, weights=genes)
    rounds = [(1, 3), (1, 3), (0, 2), (1, 0), (3, 3)]
    if numbers[markov.LEVEL] > 0:
        ours, theirs = (chances_of(player, game, rounds, 1) for player in (vector, named))
        assert ours.tobytes() == theirs.tobytes()
    assert VectorEncoding(game, "markov", (0, 1), 64.0).num_genes == 6


def test_compiled_games_are_those_that_are_played_move_by_move():
    game = games.parse("karate:rounds=40")
    a = players.make("markov:order=3,level=2,threshold=2", game)
    b = players.make("markov:beta=best", game)
    seeds, pairs = match_seeds(3, "test", 0, 3), np.array([[-1, -2]] * 3, dtype=np.int32)
    outcomes = play_pairs(Entrants(game, (a, b)), pairs, seeds, 2)
    assert outcomes.tolist() == [play_match(game, a, b, int(seed)).tolist() for seed in seeds]


def test_the_prediction_beats_whoever_repeats_itself():
    game = GAMES["karate"]
    for other in ("cycle", "cycle:moves=kick+kick+punch", "biased", "win-stay-lose-shift"):
        pair = players.make("markov:beta=best,net=1", game), players.make(other, game)
        outcomes = np.array([play_match(game, *pair, seed) for seed in range(3)])
        lead = outcomes[:, 0, 0] - outcomes[:, 0, 1] + outcomes[:, 1, 1] - outcomes[:, 1, 0]
        assert lead.mean() > 300, other


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("markov:order=5", "order=5 given; a value from 0 to 4"),
        ("markov:order=1.5", "order=1.5 given"),
        ("markov:level=4", "from 0 to 3"),
        ("markov:beta=-1", "beta=-1 given; a value from 0 to"),
        ("markov:beta=most", "beta='most' given"),
        ("markov:net=2", "from 0 to 1"),
        ("markov:counts=no.json", "evo evaluate karate --counts writes it"),
        ("markov:memory=2", "(known: order"),
    ],
)
def test_numbers_that_are_none_are_refused_in_one_line(spec, words):
    with pytest.raises(TournamentError) as refused:
        players.make(spec, GAMES["karate"])
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_it_plays_repeated_games_alone():
    with pytest.raises(TournamentError, match="markov does not play nim"):
        players.make("markov", games.make("nim"))


# --- priors --------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 2), max_size=30))
def test_moves_are_counted_after_each_run(moves):
    counts, begin = count_moves(moves, 3), 0
    for order in range(5):
        part = counts[begin : begin + 3 ** (order + 1)].reshape([3] * (order + 1))
        begin += part.size
        naive_counts = np.zeros_like(part)
        for place in range(order, len(moves)):
            naive_counts[tuple(moves[place - order : place + 1])] += 1
        assert np.array_equal(part, naive_counts)
    assert begin == counts.size


def test_a_prior_is_what_earlier_opponents_did_and_a_run_never_seen_is_as_the_shorter_one(tmp_path):
    game = GAMES["iterated-prisoners-dilemma"]
    file = tmp_path / "counts.json"
    file.write_text(json.dumps(written(game, [[0, 0, 1, 0, 0, 1, 0, 0, 1]])))
    prior = learnt_prior(game, file)
    assert prior[:2].tolist() == [2 * 6.5 / 10, 2 * 3.5 / 10]
    after_defection = 2 * (2 + 0.65) / 3
    assert prior[4] == pytest.approx(after_defection)
    two_defections = 2 + 4 + 2 * 3
    assert prior[two_defections : two_defections + 2].tolist() == pytest.approx(
        [after_defection, 2 - after_defection]
    )
    player = players.make("markov", game, counts=str(file), order=1, prior=1.5, beta=0.0)
    assert player.parameters.learnt.tolist() == prior.tolist()


def test_a_learnt_prior_is_used_of_the_other_and_from_the_first_move(tmp_path):
    game = GAMES["karate"]
    file = tmp_path / "counts.json"
    file.write_text(json.dumps(written(game, [[3] * 50])))
    kickers = players.make("markov", game, counts=str(file), prior=4.0, beta="best")
    assert chances_of(kickers, game, [], 0).argmax() == 0  # a punch hits who blocks kicks
    both = [players.make("markov", game, counts=name, level=2) for name in (str(file), "")]
    plain, learnt = (chances_of(player, game, [(1, 1), (2, 3)], 0).tolist() for player in both)
    assert plain == learnt  # level 2 counts its own moves


def test_the_moves_of_a_player_are_those_that_it_carries_out():
    game = games.parse("karate:rounds=7")
    cycle, other = players.make("cycle:moves=kick+punch", game), players.make("random", game)
    assert moves_against(game, cycle, other, 5) == [1, 0, 1, 0, 1, 0, 1]
