"""What individuals make of games in each seat."""

from __future__ import annotations

import numpy as np

from tournaments.arena.outcomes import GameCounter, Played, games_by_seat


def test_games_are_counted_in_the_seat_in_which_they_were_played():
    """The first of a match holds the first seat in its games 0, 2, 4..., the other in 1, 3, 5..."""
    rng = np.random.default_rng(3)
    pairs = rng.integers(-2, 4, (200, 2)).astype(np.int32)
    outcomes = rng.integers(0, 3, (200, 3, 2)).astype(np.int16)
    expected = np.zeros((4, 2, 3), dtype=np.int64)
    for pair, games in zip(pairs.tolist(), outcomes.tolist(), strict=True):
        for number, scores in enumerate(games):
            for seat in (0, 1):
                who = pair[(seat + number) % 2]
                if who >= 0:
                    lead = scores[seat] - scores[1 - seat]
                    expected[who, seat, 0 if lead > 0 else 1 if lead == 0 else 2] += 1
    played = Played(0, pairs, outcomes)
    counts = games_by_seat(played, 4)
    np.testing.assert_array_equal(counts, expected)
    counter = GameCounter(4)
    counter.take(played)
    tally = counter.tally
    in_all = np.stack([tally.wins, tally.draws, tally.losses], axis=1)
    np.testing.assert_array_equal(counts.sum(axis=1), in_all)
