"""Nash shares and alpha-rank: known games, laws, and slow oracles."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.naive import equilibria as naive
from tournaments.analysis.equilibria import alpha_rank, nash_shares
from tournaments.errors import TournamentError


def game(*leads: float) -> np.ndarray:
    """The antisymmetric matrix whose upper half is this, row by row."""
    size = round((1 + (1 + 8 * len(leads)) ** 0.5) / 2)
    matrix = np.zeros((size, size))
    matrix[np.triu_indices(size, 1)] = leads
    return matrix - matrix.T


CYCLE = game(1, -1, 1)


def some_games(values: st.SearchStrategy[float]) -> st.SearchStrategy[np.ndarray]:
    """Games of one to five players."""
    return st.sampled_from([1, 3, 6, 10]).flatmap(
        lambda pairs: st.lists(values, min_size=pairs, max_size=pairs).map(lambda x: game(*x))
    )


TENTHS = st.integers(-10, 10).map(lambda tenths: tenths / 10)


def test_rock_paper_scissors_are_worth_the_same():
    np.testing.assert_allclose(nash_shares(CYCLE), [1 / 3] * 3, atol=1e-9)
    np.testing.assert_allclose(alpha_rank(CYCLE), [1 / 3] * 3, atol=1e-9)


def test_biased_rock_paper_scissors_are_those_of_the_paper():
    """Omidshafiei et al. 2019: (1/16, 10/16, 5/16) for Nash, a third each for alpha-rank."""
    biased = game(-0.5, 1, -0.1)
    np.testing.assert_allclose(nash_shares(biased), [1 / 16, 10 / 16, 5 / 16], atol=1e-6)
    np.testing.assert_allclose(alpha_rank(biased), [1 / 3] * 3, atol=1e-3)


def test_of_a_transitive_game_the_best_has_all():
    for shares in (nash_shares(game(1, 1, 1)), alpha_rank(game(1, 1, 1))):
        np.testing.assert_allclose(shares, [1, 0, 0], atol=1e-6)


def test_copies_share_what_one_would_have():
    """Balduzzi et al. 2018, "Re-evaluating evaluation": Nash averaging is invariant."""
    shares = nash_shares(CYCLE[np.ix_([0, 1, 2, 2], [0, 1, 2, 2])])
    np.testing.assert_allclose(shares, [1 / 3, 1 / 3, 1 / 6, 1 / 6], atol=1e-7)


def test_equals_have_equal_shares():
    for size in (1, 2, 5):
        for shares in (nash_shares, alpha_rank):
            np.testing.assert_allclose(shares(np.zeros((size, size))), [1 / size] * size)


@settings(max_examples=25, deadline=None)
@given(some_games(TENTHS))
def test_nobody_gains_against_the_nash_shares(payoffs):
    shares = nash_shares(payoffs)
    assert shares.min() >= 0
    assert shares.sum() == pytest.approx(1)
    assert (payoffs @ shares).max() <= 2e-4


@settings(max_examples=8, deadline=None)
@given(some_games(st.integers(-2, 2).map(lambda halves: halves / 2)))
def test_nash_shares_are_those_of_greatest_entropy(payoffs):
    exact = [[Fraction(value) for value in row] for row in payoffs.tolist()]
    expected = naive.greatest_entropy(exact)
    # entropy is flat at its top, so it is compared, and the shares less closely
    assert naive.entropy(nash_shares(payoffs).tolist()) == pytest.approx(
        naive.entropy(expected), abs=1e-4
    )
    np.testing.assert_allclose(nash_shares(payoffs), expected, atol=5e-3)


@settings(max_examples=20, deadline=None)
@given(some_games(TENTHS), st.sampled_from([(0.1, 3), (1.0, 10), (4.0, 5)]))
def test_alpha_rank_is_where_the_population_comes_to_rest(payoffs, setting):
    np.testing.assert_allclose(
        alpha_rank(payoffs, *setting), naive.walked(payoffs.tolist(), *setting), atol=1e-6
    )


@pytest.mark.parametrize(
    "payoffs", [np.zeros((2, 3)), np.zeros(4), np.ones((2, 2)), game(1.5), game(float("nan"))]
)
@pytest.mark.parametrize("shares", [nash_shares, alpha_rank])
def test_what_is_no_symmetric_game_is_refused(payoffs, shares):
    with pytest.raises(TournamentError, match="a square of numbers from -1 to 1 is expected"):
        shares(payoffs)
