"""Genomes as bits, as packed rows and as DEAP individuals."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
from typing import Any

import numpy as np
import pytest
from deap import creator, tools
from hypothesis import given
from hypothesis import strategies as st

from evo.genomes import ENCODINGS
from evo.genomes import base as genome
from evo.genomes.bit_network import BitNetwork
from evo.learners.genetic.individual import DeapIndividual, Fitness
from results.format.genomes import decode_genomes
from tournaments import games
from tournaments.kernels.rng import generator
from tournaments.players.network import Encoding

PUBLISHED = Encoding((24, 9, 24))


def bits(individuals: int, length: int, seed: int = 1) -> np.ndarray:
    return generator(seed, "bits of a test").integers(0, 2, (individuals, length), dtype=np.uint8)


# --- bits and bytes ----------------------------------------------------------------------------


@given(
    st.tuples(st.integers(1, 7), st.integers(1, 4), st.integers(1, 7)),
    st.integers(1, 16),
    st.integers(0, 5),
)
def test_packed_bits_come_back_and_unused_ones_are_zero(layers: Any, width: int, individuals: int):
    encoding = Encoding(layers, width)
    genes = BitNetwork(encoding).random(individuals, generator(1, "initial"))
    packed = BitNetwork(PUBLISHED).pack(genes)
    assert genes.shape == (individuals, encoding.num_bits)
    assert (packed.shape, packed.dtype) == ((individuals, encoding.num_bytes), np.uint8)
    assert np.array_equal(BitNetwork(encoding).unpack(packed), genes)
    for row, packed_row in zip(genes, packed, strict=True):
        written = "".join(f"{byte:08b}" for byte in packed_row)
        assert written == "".join(map(str, row)).ljust(8 * encoding.num_bytes, "0")


def test_the_published_genome_has_582_bytes_of_which_the_last_six_bits_are_unused():
    packed = BitNetwork(PUBLISHED).pack(np.ones((1, PUBLISHED.num_bits), dtype=np.uint8))
    assert packed.shape == (1, 582)
    assert packed[0, -1] == 0b11000000
    assert (packed[0, :-1] == 255).all()


def test_rows_that_are_not_contiguous_are_unpacked():
    packed = BitNetwork(PUBLISHED).pack(bits(6, PUBLISHED.num_bits))
    assert np.array_equal(
        BitNetwork(PUBLISHED).unpack(packed[::2]), BitNetwork(PUBLISHED).unpack(packed)[::2]
    )


def test_random_genes_are_fair_bits():
    genes = BitNetwork(PUBLISHED).random(200, generator(3, "initial"))
    assert set(np.unique(genes)) == {0, 1}
    # 930,000 fair bits: five standard deviations about a half are .0026.
    assert abs(genes.mean() - 0.5) < 0.0026
    # 200 fair bits at each of 4,650 loci: six standard deviations are .21.
    assert np.abs(genes.mean(axis=0) - 0.5).max() < 0.21


# --- diversity ---------------------------------------------------------------------------------


@given(st.integers(2, 12), st.integers(1, 40), st.integers(0, 1000))
def test_diversity_is_the_mean_share_of_genes_in_which_two_individuals_differ(
    individuals: int, length: int, seed: int
):
    genes = bits(individuals, length, seed)
    pairs = list(itertools.combinations(range(individuals), 2))
    differing = sum(int(genes[a][g] != genes[b][g]) for a, b in pairs for g in range(length))
    assert genome.diversity(genes) == pytest.approx(differing / (len(pairs) * length), rel=1e-12)


@given(st.integers(1, 1100), st.integers(1, 6), st.integers(0, 1000))
def test_diversity_of_many_individuals_counts_them_all(individuals: int, length: int, seed: int):
    """Beyond 255 individuals a gene that all have no longer fits the bytes that count it."""
    genes = bits(individuals, length, seed)
    genes[:, 0] = 1
    differing = 0
    for column in genes.T.tolist():
        ones = column.count(1)
        differing += ones * (individuals - ones)
    pairs = individuals * (individuals - 1) // 2
    expected = differing / (pairs * length) if pairs else 0.0
    assert genome.diversity(genes) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("individuals", [254, 255, 256, 257, 510, 511, 1000])
def test_a_gene_that_all_have_adds_nothing_to_diversity(individuals: int):
    assert genome.diversity(np.ones((individuals, 3), dtype=np.uint8)) == 0.0


def test_diversity_of_copies_one_individual_complements_and_random_bits():
    assert genome.diversity(np.tile(bits(1, 50), (9, 1))) == 0.0
    assert genome.diversity(bits(1, 50)) == 0.0
    row = bits(1, 50)
    assert genome.diversity(np.concatenate([row, 1 - row])) == 1.0
    assert abs(genome.diversity(bits(100, 4650)) - 0.5) < 0.01


# --- individuals -------------------------------------------------------------------------------

COPIES = {
    "pickle": lambda individual: pickle.loads(pickle.dumps(individual)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "deepcopy in a list": lambda individual: copy.deepcopy([individual])[0],
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("fitness", [None, 0.0, 2.5])
def test_a_copy_keeps_genes_fitness_and_row_and_shares_none(way: str, fitness: float | None):
    individual = DeapIndividual([1, 0, 1], row=7, fitness=fitness)
    again = COPIES[way](individual)
    assert type(again) is DeapIndividual
    assert again.tolist() == [1, 0, 1]
    assert again.dtype == np.uint8
    assert again.row == 7
    assert again.fitness.values == (() if fitness is None else (fitness,))
    assert again.fitness.valid == (fitness is not None)
    again[0] = 0
    again.fitness.values = (9.0,)
    assert individual[0] == 1
    assert individual.fitness.values != (9.0,)


def test_an_individual_does_not_write_into_the_genes_that_it_was_made_of():
    genes = bits(2, 5)
    before = genes.copy()
    individual = DeapIndividual(genes[0])
    individual[:] = 1 - individual[:]
    assert np.array_equal(individual, 1 - before[0])
    assert np.array_equal(genes, before)


@pytest.mark.parametrize("key", [slice(1, 3), slice(None), slice(None, None, -1), [0, 2]])
def test_a_slice_is_a_copy(key: Any):
    individual = DeapIndividual([1, 0, 1, 1])
    part = individual[key]
    part[...] = 5
    assert (np.asarray(part) == 5).all()
    assert individual.tolist() == [1, 0, 1, 1]


def test_assigning_to_a_slice_changes_the_individual():
    individual = DeapIndividual([1, 0, 1, 1])
    individual[1:3] = individual[:2]
    individual[3] = 0
    assert individual.tolist() == [1, 1, 0, 0]
    individual[[0, 1]] = 0
    individual[individual == 0] = 1
    assert individual.tolist() == [1, 1, 1, 1]


def test_the_larger_fitness_is_the_better():
    assert DeapIndividual([1], fitness=2.0).fitness > DeapIndividual([1], fitness=1.0).fitness


@pytest.mark.parametrize(
    "crossover",
    [tools.cxOnePoint, tools.cxTwoPoint, lambda a, b: tools.cxUniform(a, b, 0.3)],
    ids=["cxOnePoint", "cxTwoPoint", "cxUniform"],
)
def test_deaps_crossovers_give_what_they_give_on_lists(crossover: Any):
    state = random.getstate()
    try:
        for seed in range(300):
            first, second = bits(2, 2 + seed % 17, seed)
            random.seed(seed)
            expected = crossover(first.tolist(), second.tolist())
            random.seed(seed)
            joined = crossover(DeapIndividual(first), DeapIndividual(second))
            assert [child.tolist() for child in joined] == list(expected)
    finally:
        random.setstate(state)


@pytest.mark.parametrize("mutation", [tools.mutFlipBit, tools.mutShuffleIndexes])
def test_deaps_mutations_give_what_they_give_on_lists(mutation: Any):
    state = random.getstate()
    try:
        for seed in range(100):
            genes = bits(1, 12, seed)[0]
            random.seed(seed)
            (expected,) = mutation(genes.tolist(), indpb=0.4)
            random.seed(seed)
            (mutant,) = mutation(DeapIndividual(genes), indpb=0.4)
            assert mutant.tolist() == expected
    finally:
        random.setstate(state)


@pytest.mark.parametrize("select", [tools.selBest, tools.selWorst, tools.selRoulette])
def test_deaps_selections_choose_by_fitness(select: Any):
    individuals = [DeapIndividual([0], row, float(row)) for row in range(5)]
    rows = [individual.row for individual in select(individuals, 3)]
    assert len(rows) == 3
    if select is not tools.selRoulette:
        assert rows == ([4, 3, 2] if select is tools.selBest else [0, 1, 2])
    assert 0 not in rows or select is tools.selWorst  # no fitness, no place on the wheel


def test_deaps_creator_is_left_untouched():
    """A class made there would clash with one of the same name that a user makes."""
    known = {name for name in vars(creator) if not name.startswith("__")}
    copy.deepcopy(DeapIndividual([1, 0], 1, 1.0))
    assert {name for name in vars(creator) if not name.startswith("__")} == known
    assert not {"Individual", "Fitness", "FitnessMax"} & known
    assert DeapIndividual.__module__ == Fitness.__module__ == "evo.learners.genetic.individual"


# --- every encoding ----------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ENCODINGS.own())
def test_results_decode_the_genomes_of_each_encoding(encoding):
    small = "tic-tac-toe", "cat-and-mouse:rows=5,cols=5", "iterated-prisoners-dilemma", "cat-trap"
    made = [games.parse(spec) for spec in small]
    options = ENCODINGS.load(encoding)
    game = next(each for each in made if options.fits(each))
    for plan in options().plans(game):
        genes = plan.genome.random(3, generator(1, "initial"))
        numbers = decode_genomes(plan.genome.pack(genes), plan.genome.representation.layout)
        own = plan.genome.representation.decode(plan.genome.pack(genes))
        assert len(numbers) == 3
        np.testing.assert_array_equal(numbers.reshape(3, -1), own)
        assert numbers.dtype == own.dtype
