"""Games of entrant a by stretch and seat."""

from __future__ import annotations

import numpy as np

from tournaments.arena.outcomes import Played, count_by_seat


def test_games_are_counted_in_the_seat_in_which_they_were_played():
    """Entrant a holds the first seat in games 0, 2, 4..., and the second seat in 1, 3, 5..."""
    rng = np.random.default_rng(3)
    pairs = rng.integers(-2, 4, (200, 2)).astype(np.int32)
    outcomes = rng.integers(0, 3, (200, 3, 2)).astype(np.int16)
    ends = np.array([30, 31, 31, 200])
    expected = np.zeros((4, 2, 3), dtype=np.int64)
    for place, games in enumerate(outcomes.tolist()):
        stretch = next(number for number, end in enumerate(ends) if place < end)
        for game, scores in enumerate(games):
            lead = (scores[0] - scores[1]) * (1 if game % 2 == 0 else -1)
            expected[stretch, game % 2, 0 if lead > 0 else 1 if lead == 0 else 2] += 1
    cuts = [(150, 200), (0, 40), (40, 150)]
    parts = [Played(first, pairs[first:last], outcomes[first:last]) for first, last in cuts]
    np.testing.assert_array_equal(count_by_seat(parts, ends), expected)
