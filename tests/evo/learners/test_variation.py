"""Crossover and mutation: what they keep, and how often they do what."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from positions import chi_square_bound

from evo.learners.genetic import variation
from evo.learners.genetic.individual import DeapIndividual
from evo.learners.genetic.variation import bit_flip, reset, single_point
from tournaments.kernels.rng import generator


def bits(individuals: int, length: int, seed: int = 1) -> np.ndarray:
    return generator(seed, "bits of a test").integers(0, 2, (individuals, length), dtype=np.uint8)


# --- crossover ---------------------------------------------------------------------------------


@given(st.integers(1, 8), st.integers(2, 30), st.integers(0, 10**6))
def test_single_point_swaps_a_suffix_and_loses_no_bit(pairs: int, length: int, seed: int):
    first = np.tile(np.arange(length), (pairs, 1))
    second = -1 - first
    before = first.copy(), second.copy()
    returned = single_point(first, second, generator(seed, "mate"))
    assert returned[0] is first  # in place
    assert returned[1] is second
    for row in range(pairs):
        swapped = first[row] < 0
        point = int(np.argmax(swapped))
        assert 1 <= point <= length - 1
        assert swapped[point:].all()
        assert not swapped[:point].any()
        # Locus by locus the two children have what the two parents had.
        assert np.array_equal(np.minimum(first, second)[row], before[1][row])
        assert np.array_equal(np.maximum(first, second)[row], before[0][row])


def test_single_point_takes_a_single_pair_too():
    first, second = np.zeros(9, dtype=np.uint8), np.ones(9, dtype=np.uint8)
    a, b = single_point(first, second, generator(1, "mate"))
    assert a is first
    assert 1 <= a.sum() <= 8
    assert (a + b == 1).all()
    assert (np.diff(a.astype(int)) >= 0).all()


def test_single_point_leaves_genomes_of_one_gene_as_they_are():
    first, second = np.zeros((3, 1)), np.ones((3, 1))
    single_point(first, second, generator(1, "mate"))
    assert not first.any()
    assert second.all()


def test_every_cut_point_is_as_likely_as_the_others():
    length, pairs = 31, 60_000
    first = np.zeros((pairs, length), dtype=np.uint8)
    single_point(first, np.ones_like(first), generator(11, "mate"))
    counts = np.bincount(length - first.sum(axis=1), minlength=length + 1)
    assert counts[0] == counts[length] == 0
    counts, expected = counts[1:length], pairs / (length - 1)
    assert counts.min() > 0
    assert ((counts - expected) ** 2 / expected).sum() < chi_square_bound(length - 2)


@given(st.integers(1, 12), st.integers(2, 20), st.integers(0, 10**6), st.data())
def test_single_point_joins_the_rows_that_it_is_told_and_no_other(
    pairs: int, length: int, seed: int, data: st.DataObject
):
    """As the genetic algorithm calls it: parents side by side in one array, so views of it."""
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, pairs - 1)))), dtype=np.int64)
    genes = np.repeat(np.arange(2 * pairs)[:, None], length, axis=1)
    single_point(genes[0::2], genes[1::2], generator(seed, "mate"), rows=rows)
    joined = (genes != np.arange(2 * pairs)[:, None]).any(axis=1)
    assert np.flatnonzero(joined[0::2]).tolist() == rows.tolist()
    assert np.array_equal(joined[0::2], joined[1::2])
    # The points are those of a call with these rows alone.
    alone = np.repeat(np.arange(2 * pairs)[:, None], length, axis=1)
    first, second = alone[2 * rows], alone[2 * rows + 1]
    single_point(first, second, generator(seed, "mate"))
    assert np.array_equal(first, genes[2 * rows])
    assert np.array_equal(second, genes[2 * rows + 1])


def test_operators_of_ours_take_the_individuals_of_deap_too():
    first, second = DeapIndividual([0] * 9), DeapIndividual([1] * 9)
    single_point(first, second, generator(1, "mate"))
    assert 1 <= first.sum() <= 8
    assert (np.asarray(first) + np.asarray(second) == 1).all()
    bit_flip(first, generator(1, "mutate"), 1.0)
    assert np.array_equal(first, second)


# --- mutation ----------------------------------------------------------------------------------


@given(st.integers(1, 6), st.integers(1, 50), st.floats(0, 1), st.integers(0, 10**6))
def test_bit_flip_changes_bits_in_place_and_returns_them(
    individuals: int, length: int, probability: float, seed: int
):
    genes = bits(individuals, length, seed)
    (mutants,) = bit_flip(genes, generator(seed, "mutate"), probability)
    assert mutants is genes
    assert set(np.unique(genes)) <= {0, 1}


def test_bit_flip_flips_none_at_probability_0_and_all_at_1():
    genes = bits(5, 70)
    before = genes.copy()
    bit_flip(genes, generator(1, "mutate"), 0.0)
    assert np.array_equal(genes, before)
    bit_flip(genes, generator(1, "mutate"), 1.0)
    assert np.array_equal(genes, 1 - before)


def test_bit_flip_takes_one_individual_and_none():
    genes = np.zeros(40, dtype=np.uint8)
    bit_flip(genes, generator(1, "mutate"), 1.0)
    assert genes.all()
    (none,) = bit_flip(np.zeros((0, 40), dtype=np.uint8), generator(1, "mutate"), 0.5)
    assert none.shape == (0, 40)


def test_bit_flip_refuses_an_array_that_it_cannot_change_in_place():
    with pytest.raises(ValueError, match="contiguous"):
        bit_flip(bits(4, 10)[:, ::3], generator(1, "mutate"), 0.5)


@pytest.mark.parametrize("block", [variation.BLOCK, 300])
@pytest.mark.parametrize("probability", [0.00072, 0.005, 0.3, 0.9])
def test_flips_have_the_mean_and_the_variance_of_independent_draws(
    probability: float, block: int, monkeypatch
):
    monkeypatch.setattr(variation, "BLOCK", block)
    repeats, individuals, length = 3000, 4, 250
    size = individuals * length
    rng = generator(5, "mutate")
    flips = np.empty((repeats, individuals))
    for repeat in range(repeats):
        genes = np.zeros((individuals, length), dtype=np.uint8)
        flips[repeat] = bit_flip(genes, rng, probability)[0].sum(axis=1)
    variance = size * probability * (1 - probability)
    totals = flips.sum(axis=1)
    # Five standard errors of the mean, and of the variance (its kurtosis is 3 + (1 - 6pq) / npq).
    assert abs(totals.mean() - size * probability) < 5 * math.sqrt(variance / repeats)
    excess = (1 - 6 * probability * (1 - probability)) / variance
    error = variance * math.sqrt((2 + excess) / repeats)
    assert abs(totals.var() - variance) < 5 * error
    # A row's flips say nothing about another row's: no correlation beyond five standard errors.
    between = np.asarray(np.corrcoef(flips.T))[np.triu_indices(individuals, 1)]
    assert np.abs(between).max() < 5 / math.sqrt(repeats)


@pytest.mark.parametrize("block", [5, 12])  # three blocks, the last of them short; one block
def test_every_locus_flips_as_often_as_the_others_and_apart_from_them(block: int, monkeypatch):
    monkeypatch.setattr(variation, "BLOCK", block)
    repeats, length, probability = 40_000, 12, 0.25
    rng = generator(6, "mutate")
    flipped = np.zeros((repeats, length), dtype=np.uint8)
    for row in flipped:
        bit_flip(row, rng, probability)
    error = math.sqrt(probability * (1 - probability) / repeats)
    assert np.abs(flipped.mean(axis=0) - probability).max() < 5 * error
    together = np.asarray(np.corrcoef(flipped.T))[np.triu_indices(length, 1)]
    assert np.abs(together).max() < 5 / math.sqrt(repeats)
    # All 16 patterns of the first four loci, each as often as independent flips make it.
    patterns = np.bincount(flipped[:, :4] @ (8, 4, 2, 1), minlength=16)
    ones = np.array([bin(pattern).count("1") for pattern in range(16)])
    expected = repeats * probability**ones * (1 - probability) ** (4 - ones)
    assert ((patterns - expected) ** 2 / expected).sum() < chi_square_bound(15)


# --- mutation of alleles -------------------------------------------------------------------------

ALLELES = np.array(
    [[0, -1, -1, -1], [2, 3, -1, -1], [0, 1, 3, -1], [0, 1, 2, 3], [3, -1, -1, -1]], dtype=np.int8
)
COUNTS = np.array([1, 2, 3, 4, 1])


def tables(individuals: int, seed: int = 1) -> np.ndarray:
    drawn = generator(seed, "tables of a test").integers(COUNTS, size=(individuals, len(COUNTS)))
    return np.ascontiguousarray(ALLELES[np.arange(len(COUNTS)), drawn])


def test_reset_changes_each_gene_alike_to_each_of_its_other_alleles():
    genes = tables(40_000)
    before = genes.copy()
    (same,) = reset(genes, generator(2, "mutate"), 0.25, ALLELES, COUNTS)
    assert same is genes
    for gene, count in enumerate(COUNTS):
        changed = (genes[:, gene] != before[:, gene]).sum()
        assert abs(changed - (10_000 if count > 1 else 0)) < 450  # 5 s.d.: 433
        for held in ALLELES[gene, :count]:
            given_up = before[:, gene] == held
            became = [
                ((genes[:, gene] == other) & given_up).sum()
                for other in ALLELES[gene, :count]
                if other != held
            ]
            expected = given_up.sum() * 0.25 / max(1, count - 1)
            assert all(abs(number - expected) < 5 * math.sqrt(expected) for number in became)


@pytest.mark.parametrize("probability", [0.0, 1.0])
def test_reset_changes_nothing_or_all_that_can_be_changed(probability):
    genes = tables(50)
    before = genes.copy()
    reset(genes, generator(2, "mutate"), probability, ALLELES, COUNTS)
    assert np.array_equal(genes != before, np.tile(COUNTS > 1, (50, 1)) & (probability == 1))


def test_reset_works_in_blocks_and_on_one_individual(monkeypatch):
    monkeypatch.setattr(variation, "BLOCK", 7)
    genes = tables(100)
    before = genes.copy()
    reset(genes, generator(2, "mutate"), 1.0, ALLELES, COUNTS)
    assert np.array_equal(genes != before, np.tile(COUNTS > 1, (100, 1)))
    one = before[0].copy()
    reset(one, generator(2, "mutate"), 1.0, ALLELES, COUNTS)
    assert np.array_equal(one != before[0], COUNTS > 1)


def test_reset_of_what_is_not_contiguous_is_refused():
    with pytest.raises(ValueError, match="reset changes its array in place"):
        reset(tables(4)[:, ::2], generator(2, "mutate"), 0.5, ALLELES, COUNTS)
