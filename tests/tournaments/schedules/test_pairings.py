"""Who plays whom next: everybody once, nobody twice, and who is left at the end."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations, islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.errors import TournamentError
from tournaments.kernels.rng import generator
from tournaments.schedules.pairings import (
    Knockout,
    SwissPairing,
    gauntlet,
    most_rounds,
    pairing,
    round_robin,
    swiss_rounds,
)


@given(st.integers(2, 40))
def test_in_a_round_robin_each_pair_meets_once_and_nobody_twice_in_a_round(players):
    rounds = list(round_robin(players))
    assert len(rounds) == players - 1 + players % 2
    for pairs in rounds:
        busy = [player for pair in pairs for player in pair]
        assert len(busy) == len(set(busy)) == players - players % 2
    assert sorted(pair for pairs in rounds for pair in pairs) == list(
        combinations(range(players), 2)
    )


def test_rounds_are_made_as_they_are_asked_for():
    """All pairs of a hundred thousand players would not fit into memory."""
    first, second = islice(round_robin(100_000), 2)
    assert len(first) == len(second) == 50_000
    assert not set(first) & set(second)


@given(players=st.integers(2, 20), data=st.data())
def test_in_a_gauntlet_the_first_meet_all_others(players, data):
    challengers = data.draw(st.integers(1, players - 1))
    met = [pair for pairs in gauntlet(players, challengers) for pair in pairs]
    assert met == [(a, b) for a in range(challengers) for b in range(challengers, players)]


def test_a_gauntlet_of_nobody_or_against_nobody_is_refused():
    for challengers in (0, 4):
        with pytest.raises(TournamentError, match="from 1 to 3 of 4"):
            next(gauntlet(4, challengers))


def swiss(players: int, rounds: int, strengths: list[int], lowest_rests: bool):
    """Rounds of a Swiss tournament that the stronger always wins: results, pairs, who rested."""
    swiss, met, rested = SwissPairing(players, lowest_rests), [], []
    for number in range(rounds):
        pairs = swiss.pairs(generator(1, "swiss", number)).tolist()
        busy = [player for pair in pairs for player in pair]
        assert len(busy) == len(set(busy)) == players - players % 2
        swiss.enter(np.array([np.sign(strengths[a] - strengths[b]) for a, b in pairs]))
        rested += set(range(players)) - set(busy)
        met += [tuple(sorted(pair)) for pair in pairs]
    return swiss.results, met, rested


@given(players=st.integers(4, 60), seed=st.integers(0, 9), lowest_rests=st.booleans())
def test_in_a_swiss_tournament_nobody_meets_twice_and_nobody_rests_twice(
    players, seed, lowest_rests
):
    rounds = min(swiss_rounds(players), players // 2)
    strengths = random.Random(seed).sample(range(players), players)
    results, met, rested = swiss(players, rounds, strengths, lowest_rests)
    assert len(met) == len(set(met))
    assert len(rested) == len(set(rested))
    wins = Counter(max(pair, key=strengths.__getitem__) for pair in met) + Counter(rested)
    assert results.tolist() == [[rounds - wins[who], 0, wins[who]] for who in range(players)]


@pytest.mark.parametrize("players", [8, 33, 64])
def test_a_swiss_tournament_finds_the_best(players):
    strengths = random.Random(players).sample(range(players), players)
    results, _, _ = swiss(players, swiss_rounds(players), strengths, True)
    assert results[:, 2].argmax() == strengths.index(players - 1)


def test_the_later_rounds_of_a_swiss_tournament_pair_equals():
    strengths = random.Random(1).sample(range(64), 64)
    _, met, _ = swiss(64, swiss_rounds(64), strengths, True)
    apart = [abs(strengths[a] - strengths[b]) for a, b in met]
    assert np.mean(apart[:32]) > 16  # of random pairs a third of 64
    assert np.mean(apart[-96:]) < 10


def test_the_lowest_in_rank_who_has_not_rested_rests():
    """The order is that of the tie-break, as nothing is entered and a rest is taken back."""
    swiss, rested = SwissPairing(3, lowest_rests=True), []
    for tie_break in ([9, 8, 7], [0, 5, 1], [9, 5, 0], [9, 5, 0]):
        pairs = swiss.pairs(generator(1, "swiss"), np.array(tie_break))
        rested += set(range(3)) - set(pairs.reshape(-1).tolist())
        swiss.results[:] = 0
    assert rested == [2, 0, 1, 2]  # the last one again, as all have rested


def test_players_are_ranked_by_half_points_and_then_by_the_tie_break():
    swiss, rng = SwissPairing(6), generator(1, "swiss")
    swiss.results[:] = [[0, 2, 0], [2, 0, 2], [0, 0, 1], [1, 0, 1], [3, 0, 0], [0, 0, 0]]
    tie_break = np.array([1, 9, 0, 5, 3, 4])
    assert swiss.pairs(rng, tie_break).tolist() == [[1, 3], [0, 2], [5, 4]]
    swiss.enter(np.array([1, 0, -1]))
    assert swiss.results.tolist() == [
        [0, 3, 0], [2, 0, 3], [0, 1, 1], [2, 0, 1], [3, 0, 1], [1, 0, 0]
    ]  # fmt: skip


def test_neighbours_in_rank_meet_unless_they_have():
    assert pairing([0, 2, 3, 1], set()) == [(0, 2), (3, 1)]
    assert pairing([0, 2, 3, 1], {(0, 2)}) == [(0, 3), (2, 1)]
    # 0 would take 2, and leave 1 and 3, who have met: they change opponents
    assert sorted(map(sorted, pairing([0, 2, 3, 1], {(1, 3)}))) == [[0, 3], [1, 2]]
    everybody = set(combinations(range(4), 2))
    assert pairing([0, 2, 3, 1], everybody) == [(0, 2), (3, 1)]  # met again


@given(half=st.integers(1, 9), seed=st.integers(0, 2**32))
def test_a_round_is_found_up_to_half_of_all_whoever_has_met(half, seed):
    """Up to there one always exists; here earlier rounds are any, not those of a tournament."""
    rng, met = np.random.default_rng(seed), set()
    for _ in range(half):
        pairs = pairing(rng.permutation(2 * half).tolist(), met)
        assert sorted(player for pair in pairs for player in pair) == list(range(2 * half))
        new = {(min(pair), max(pair)) for pair in pairs}
        assert not new & met
        met |= new


def test_equal_scores_are_ordered_by_the_generator():
    rounds = {str(SwissPairing(6).pairs(generator(seed, "swiss"))) for seed in range(9)}
    assert len(rounds) > 5


@pytest.mark.parametrize(("players", "most"), [(2, 1), (3, 3), (4, 3), (5, 5), (64, 63)])
def test_everybody_has_met_after_as_many_rounds_as_a_round_robin_has(players, most):
    assert most_rounds(players) == most == len(list(round_robin(players)))


def played_out(knockout: Knockout, wins) -> tuple[list[tuple[int, int]], list[list[int]]]:
    """All matches, and the winners of each round."""
    met, won = [], []
    while pairs := knockout.pairs().tolist():
        winners = [wins(pair) for pair in pairs]
        knockout.enter(winners)
        met += pairs
        won.append(winners)
    return met, won


@given(players=st.integers(2, 40), losses=st.integers(1, 2), seed=st.integers(0, 99))
def test_a_knockout_leaves_one_and_the_others_have_lost_as_often_as_it_takes(players, losses, seed):
    rng = random.Random(seed)
    knockout = Knockout(rng.sample(range(players), players), losses)
    lost = [0] * players

    def wins(pair):
        winner = rng.choice(pair)
        lost[pair[0] if winner == pair[1] else pair[1]] += 1
        return winner

    met, _ = played_out(knockout, wins)
    places = knockout.places()
    (champion,) = (player for player in range(players) if places[player] == 1)
    assert lost[champion] < losses
    assert [lost[player] for player in range(players) if player != champion] == (
        [losses] * (players - 1)
    )
    assert len(met) == losses * (players - 1) + lost[champion]
    # a place is one more than the number of those who are better
    assert all(place == 1 + sum(other < place for other in places) for place in places)


@pytest.mark.parametrize("losses", [1, 2])
def test_the_strongest_wins_and_of_two_losses_the_second_comes_second(losses):
    knockout = Knockout([3, 7, 0, 5, 6, 1, 2, 4], losses)
    _, won = played_out(knockout, max)
    places = knockout.places()
    assert places[7] == 1
    if losses == 2:
        assert places[6] == 2  # which lost to 7 alone
    assert len(won) == (3 if losses == 1 else 6)


def test_players_rest_in_the_first_round_alone_when_they_are_no_power_of_two():
    knockout = Knockout(range(6))
    assert knockout.pairs().tolist() == [[2, 3], [4, 5]]
    knockout.enter([2, 5])
    assert knockout.pairs().tolist() == [[0, 1], [2, 5]]
    knockout.enter([1, 2])
    assert knockout.pairs().tolist() == [[1, 2]]
    knockout.enter([2])
    assert knockout.pairs().tolist() == []
    assert knockout.survived.tolist() == [1, 2, 3, 0, 0, 1]
    assert knockout.places() == [3, 2, 1, 5, 5, 3]


def test_who_loses_the_final_for_the_first_time_plays_it_again():
    knockout = Knockout([0, 1], 2)
    knockout.enter([0])
    assert knockout.pairs().tolist() == [[0, 1]]
    knockout.enter([1])
    assert sorted(knockout.pairs()[0].tolist()) == [0, 1]
    knockout.enter([1])
    assert knockout.places() == [2, 1]


def test_a_winner_who_did_not_play_is_refused():
    knockout = Knockout([0, 1, 2, 3])
    for winners in ([0], [0, 1]):
        with pytest.raises(TournamentError, match="one player of each pair is expected"):
            knockout.enter(winners)
