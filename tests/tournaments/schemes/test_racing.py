"""Races of direct evolution: further matches where the order of the best is in doubt."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tournaments import Competition, TournamentError, contest, schemes


def luck(players, seed):
    """The chance to win is the player's number; an opponent has -1."""
    chance = np.random.default_rng(seed).random()
    own = 0 if players[0] >= 0 else 1
    won = chance < players[own]
    return [float(won), 1.0 - won] if own == 0 else [1.0 - won, float(won)]


LUCK = contest(luck)


def played(players, seed=1, **options):
    scheme = schemes.make("direct", **options)
    return Competition(LUCK, scheme, seed, opponents=[-1.0]).evaluate(players)


def test_points_are_the_mean_of_all_matches_and_each_round_has_its_number():
    players = [*np.linspace(0.1, 0.9, 20)]
    result = played(players, matches=5, race=4, race_rounds=3)
    rounds = [each.pairs[:, 0] for each in result._rounds]
    assert [len(each) for each in rounds] == [100, 20, 20, 20]
    worth = {0: 0.0, 1: 0.5, 2: 1.0}
    points, matches = np.zeros(20), np.zeros(20)
    for part in result._rounds:
        for (own, _), games in zip(part.pairs, part.outcomes, strict=True):
            won = sum(games[turn][turn] > games[turn][1 - turn] for turn in range(2))
            points[own] += worth[won]
            matches[own] += 1
    assert result.fitness == pytest.approx(points / matches * 5)
    assert matches.sum() == 160
    scheme = schemes.make("direct", matches=5, race=4, race_rounds=3)
    assert scheme.num_matches((20,)) == 160


def test_those_race_that_are_near_the_border_of_the_best():
    players = [0.05] * 8 + [0.5, 0.55] + [0.95] * 2  # the best quarter ends in the middle
    raced = Counter()
    for seed in range(20):
        result = played(players, seed, matches=10, race=2, race_rounds=1, race_best=0.25)
        raced.update(result._rounds[1].pairs[:, 0].tolist())
    assert raced[8] + raced[9] > 0.8 * sum(raced.values())


@pytest.mark.slow
def test_more_of_the_best_are_found_in_the_same_number_of_games():
    """With a race, at equal games, more of the ten best are among those chosen."""
    rng, found = np.random.default_rng(3), {}
    for name, options in {
        "race": {"matches": 4, "race": 10, "race_rounds": 6},  # 50 * 4 + 6 * 40 = 440
        "plain": {"matches": 9},  # 450
    }.items():
        right = []
        for seed in range(100):
            players = np.random.default_rng(seed).uniform(0.2, 0.8, 50)
            best = {*np.argsort(-players)[:10].tolist()}
            fitness = played([*players], seed, **options).fitness
            right.append(len(best & {*np.argsort(-fitness, kind="stable")[:10].tolist()}))
        found[name] = right
    gain = np.subtract(found["race"], found["plain"])
    means = rng.choice(gain, (2000, 100)).mean(axis=1)
    assert np.quantile(means, 0.025) > 0, (gain.mean(), np.quantile(means, [0.025, 0.975]))


def test_a_race_goes_by_matches_won_alone():
    with pytest.raises(TournamentError, match="a race goes by matches won alone"):
        played([0.1, 0.2], race=1, score=1.0)
