"""What is exact in repeated games: equilibria, best responses to machines, meetings of two."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import repeated as naive

from evo.evaluation.exact import computable
from tournaments import TournamentError, games, players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.kernels.rng import match_seeds
from tournaments.repeated.equilibrium import net_equilibrium, zero_sum
from tournaments.repeated.exact import (
    chances_of_leads,
    expected_scores,
    loss_to_best_response,
    machine_of,
)
from tournaments.solver.every_game import best_responses, meetings

KARATE = games.make("karate")
DILEMMA = "iterated-prisoners-dilemma"
TABLES = st.integers(2, 4).flatmap(
    lambda moves: st.lists(
        st.lists(st.integers(-4, 4), min_size=moves, max_size=moves),
        min_size=moves,
        max_size=moves,
    )
)


def test_karate_is_a_punch_in_five_and_two_kicks_and_two_kick_blocks():
    payoffs = KARATE.rules.stage.payoffs(KARATE.board)
    fifth = Fraction(1, 5)
    assert net_equilibrium(payoffs) == (fifth, 2 * fifth, 0, 2 * fifth)
    assert zero_sum((payoffs - payoffs.T).tolist())[1] == 0


@settings(max_examples=60, deadline=None)
@given(TABLES, st.integers(-3, 3))
def test_no_move_gains_more_than_the_value_on_an_equilibrium_of_a_zero_sum_game(rows, shift):
    gains = np.array(rows) + shift
    mix, value = zero_sum(gains.tolist())
    against, other_value = zero_sum((-gains.T).tolist())
    assert (sum(mix), sum(against), other_value) == (1, 1, -value)
    assert min(*mix, *against) >= 0
    assert all(sum(mix * column) >= value for column in gains.T)
    assert all(sum(against * row) <= value for row in gains)


@pytest.mark.parametrize("spec", ["karate", "karate:rounds=7", DILEMMA, f"{DILEMMA}:noise=0.3"])
def test_nobody_gains_on_the_equilibrium(spec):
    game = games.parse(spec)
    assert loss_to_best_response(game, machine_of(players.make("equilibrium", game))) < 1e-9


@pytest.mark.parametrize("name", ["tit-for-tat", "pavlov", "grim", "joss", "tit-for-two-tats"])
def test_the_loss_to_a_best_response_is_that_of_trying_all_games(name):
    game = games.make(DILEMMA, rounds=5)
    machine = machine_of(players.make(name, game))
    payoffs = game.rules.stage.payoffs(game.board)

    def chances(rounds):
        state = 0
        for both in rounds:
            state = machine.following[state][both]
        return machine.chances[state].tolist()

    by_trying = naive.loss_of((payoffs - payoffs.T).tolist(), chances, 5)
    assert loss_to_best_response(game, machine) == pytest.approx(by_trying, abs=1e-12)


def test_tit_for_tat_loses_one_round_at_most():
    """It is never behind by more than the last temptation (Axelrod 1984)."""
    game = games.make(DILEMMA)
    proof = best_responses(game).proof(players.make("tit-for-tat", game), print)
    assert (proof.exploitability, proof.games) == (5.0, 0)
    assert "0.0250 a round" in proof.sentences[0]


@pytest.mark.parametrize(
    ("noise", "a"), [(0.0, "pavlov"), (0.25, "tit-for-two-tats"), (0.1, "joss")]
)
def test_a_meeting_is_the_sum_over_all_games(noise, a):
    game = games.make(DILEMMA, rounds=3, noise=noise)
    pair = [machine_of(players.make(name, game)) for name in (a, "two-tits-for-tat")]
    payoffs = game.rules.stage.payoffs(game.board).tolist()
    by_trying = naive.leads_of(payoffs, *pair, noise, 3)
    leads, chances = chances_of_leads(game, *pair)
    shares = dict(zip(leads.tolist(), chances.tolist(), strict=True))
    assert {lead: share for lead, share in shares.items() if share} == pytest.approx(by_trying)
    margin = sum(lead * share for lead, share in by_trying.items())
    own, other = expected_scores(game, *pair)
    assert own - other == pytest.approx(margin)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "a", "b"),
    [
        ("karate:rounds=20", "win-stay-lose-shift", "biased"),
        (f"{DILEMMA}:rounds=15,noise=0.1", "tit-for-tat", "pavlov"),
        (f"{DILEMMA}:rounds=15", "joss", "generous-tit-for-tat"),
    ],
)
def test_a_meeting_is_the_mean_of_games_that_are_played(spec, a, b):
    game = games.parse(spec)
    pair = players.make(a, game), players.make(b, game)
    computed = meetings(game).meeting(*pair, print)
    scores = expected_scores(game, *map(machine_of, pair))
    matches = 3000
    pairs = np.tile(np.array([[-1, -2]], dtype=np.int32), (matches, 1))
    played = play_pairs(Entrants(game, pair), pairs, match_seeds(1, "test", 0, matches), 2)
    own = np.concatenate([played[:, 0, 0], played[:, 1, 1]]).astype(float)
    other = np.concatenate([played[:, 0, 1], played[:, 1, 0]]).astype(float)
    for values, expected in (
        (own, scores[0]),
        (other, scores[1]),
        (own - other, computed.margin),
        (own > other, computed.win_rate),
        (own == other, computed.draw_rate),
    ):
        error = values.std() / (2 * matches) ** 0.5
        assert abs(values.mean() - expected) <= 6 * error + 1e-9
    assert chances_of_leads(game, *map(machine_of, pair))[1].sum() == pytest.approx(1.0)
    assert computed.sentence("a", "b").startswith("a wins")


def test_random_play_is_a_machine_and_yardsticks_that_are_none_are_left_out():
    machine = machine_of(players.make("random", KARATE))
    assert machine.chances.tolist() == [[0.25] * 4]
    assert loss_to_best_response(KARATE, machine) == pytest.approx(100 * 3.75)
    usual = players.yardsticks(KARATE)
    assert computable(usual, KARATE) == ["random", "win-stay-lose-shift", "equilibrium"]
    assert computable(["markov"], KARATE) == ["markov"]  # who computes is told why not


def test_players_that_are_no_machines_are_refused():
    with pytest.raises(TournamentError, match="markov is no finite-state machine"):
        meetings(KARATE).checked(players.make("markov", KARATE))
    long = games.make("karate", rounds=3000)
    shift = players.make("win-stay-lose-shift", long)
    with pytest.raises(TournamentError, match="take too long"):
        meetings(long).meeting(shift, shift, print)
