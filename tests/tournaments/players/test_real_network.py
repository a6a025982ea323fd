"""Genomes of real weights: written, bred, and played as the networks that they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from run_checks import snapshot_bytes

import evo
from evo.config import config as configuration
from evo.evolution.start import learner_of
from evo.genomes.reals import RealGenes
from evo.learners.genetic.individual import DeapIndividual
from results import open_run
from results.errors import ResultsError
from results.format.genomes import decode_genomes
from tournaments import games
from tournaments.errors import ConfigError, TournamentError
from tournaments.kernels.rng import generator
from tournaments.players.network import Encoding, RealEncoding, layers_for

PUBLISHED = RealEncoding((24, 9, 24))
SMALL = RealEncoding((3, 2, 3), limit=0.3)
GENOME = RealGenes(PUBLISHED, initial=2.0)


@given(st.lists(st.floats(-1e30, 1e30), min_size=17, max_size=17))
def test_weights_come_back_from_their_bytes_to_the_bit(numbers: list[float]):
    weights = SMALL.nearest(np.array([numbers]))
    packed = SMALL.encode(weights)
    assert (packed.shape, packed.dtype) == ((1, 68), np.uint8)
    assert np.array_equal(SMALL.decode(packed), weights)
    assert np.array_equal(SMALL.nearest(weights), weights)
    assert np.abs(weights.astype(np.float64)).max() <= 0.3
    assert np.array_equal(decode_genomes(packed, SMALL.layout), weights.astype(np.float64))


def test_a_genome_is_little_endian_float32_in_the_order_of_the_encoding():
    assert (PUBLISHED.num_weights, PUBLISHED.num_bytes) == (465, 1860)
    packed = PUBLISHED.encode(np.full((1, 465), 1.0, dtype=np.float32))
    assert bytes(packed[0, :4]) == b"\x00\x00\x80\x3f"


def test_genomes_that_are_none_are_refused():
    good = SMALL.encode(np.zeros((2, 17), dtype=np.float32))
    for wrong in (np.inf, np.nan, 0.31):
        with pytest.raises(TournamentError, match="beyond"):
            SMALL.decode(SMALL.encode(np.full((1, 17), wrong, dtype=np.float32)))
    with pytest.raises(TournamentError, match="rows of 68 bytes"):
        SMALL.decode(good[:, :-1])
    with pytest.raises(ResultsError, match="need 68"):
        decode_genomes(good[:, :-1], SMALL.layout)
    with pytest.raises(TournamentError, match=r"limit=6000.* within \+-5447"):
        RealEncoding((24, 9, 24), limit=6000.0)


def test_the_same_weights_play_as_a_network_of_bits_does():
    """Of the bits' weights float32 keeps all: the parameters differ in their unit alone."""
    game = games.make("dots-and-boxes", rows=1, cols=2)
    layers = layers_for(game)
    coarse = Encoding(layers, 6, -63.0, 63.0)  # odd whole numbers
    bits = coarse.encode(63.0 * generator(1, "weights of a test").standard_normal((1, 37)))
    weights = coarse.decode(bits)
    reals = RealEncoding(layers)
    as_bits = coarse.player(game, [bits[0].tobytes()], "bits")
    packed = reals.encode(weights.astype(np.float32))[0].tobytes()
    as_reals = reals.player(game, [packed], "reals")
    made = reals.parameters(reals.encode(weights.astype(np.float32)))
    assert np.array_equal(made.first, as_reals.parameters.first)
    first = as_bits.parameters
    assert np.array_equal(made.first * made.unit, first.first * first.unit)
    assert np.array_equal(made.later, first.later)


def test_random_networks_are_as_wide_as_they_are_said_to_be():
    genes = GENOME.random(40, generator(1, "initial"))
    assert (genes.dtype, genes.shape) == (np.float32, (40, 465))
    assert abs(genes.std() - 2.0) < 0.05
    assert abs(genes.mean()) < 0.1
    assert abs(GENOME.diversity(genes) - 1.0) < 0.02
    assert GENOME.diversity(genes[:1].repeat(5, axis=0)) == 0.0
    assert GENOME.diversity(genes[:1]) == 0.0
    by_hand = np.mean([np.var(genes[:, gene].astype(float)) for gene in range(465)]) * 40 / 39
    assert GENOME.diversity(genes) == pytest.approx(by_hand**0.5 / 2.0)


def test_a_change_steps_one_weight_of_a_row():
    genes = np.zeros((3, 465), dtype=np.float32)
    GENOME.change(genes, np.array([1, 2, 2]), generator(1, "variants"))
    assert [np.count_nonzero(row) for row in genes] == [0, 1, 2]


def test_individuals_of_real_weights_keep_them():
    genes = GENOME.random(1, generator(1, "initial"))[0]
    individual = DeapIndividual(genes)
    assert individual.dtype == np.float32
    assert np.array_equal(individual[3:9], genes[3:9])
    assert DeapIndividual([0, 1]).dtype == np.uint8


# --- bred ----------------------------------------------------------------------------------------

GAME = {"game": "dots-and-boxes:rows=1,cols=2", "scheme": {"name": "direct", "opponent": "level-1"}}
RUN = GAME | {"genome": "real-network", "population": 8, "seed": 4, "snapshot_interval": 1}
LEARNERS: dict[str, Any] = {
    "genetic": {"mutation_probability": 0.2},
    "operators": {
        "selection": "truncation",
        "selection_options": {"share": 0.4},
        "crossover": "uniform",
        "mutation_options": {"sigma": 100.0, "probability": 0.5},
    },
    "deap": {
        "selection": "tournament",
        "crossover": "deap.tools.cxBlend",
        "crossover_options": {"alpha": 50.0},
        "mutation": "deap.tools.mutGaussian",
        "mutation_options": {"mu": 0.0, "sigma": 30.0},
        "mutation_probability": 0.5,
    },
}


@pytest.mark.parametrize("name", LEARNERS)
def test_the_genetic_algorithm_breeds_real_weights_and_is_resumed(name: str, tmp_path: Path):
    options = RUN | {"learner": LEARNERS[name]}
    evo.run(tmp_path / "whole", options, generations=4, threads=1)
    evo.run(tmp_path / "parts", options, generations=2, threads=2)
    evo.resume(tmp_path / "parts", 4, threads=2)
    assert snapshot_bytes(tmp_path / "parts") == snapshot_bytes(tmp_path / "whole")
    run = open_run(tmp_path / "whole")
    first, last = run.weights(0), run.weights(4)
    assert not np.array_equal(first, last)
    assert np.abs(last).max() <= 64.0
    if name != "genetic":  # steps that wide reach the limit, and stay there
        assert np.abs(last).max() == 64.0
    assert run.config["learner"]["mutation"].endswith(("gaussian", "mutGaussian"))


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (
            {"mutation": "bit-flip"},
            "genomes of real weights take 'gaussian'",
        ),
        ({"mutation_options": {"sigma": 0}}, "learner.mutation_options.sigma=0 given"),
        ({"mutation_options": {"sigma": "x"}}, "learner.mutation_options.sigma='x' given"),
        ({"mutation_options": {"limit": 9.0}}, "gaussian takes no argument 'limit'"),
    ],
)
def test_operators_for_other_genes_are_refused(learner: dict[str, Any], message: str):
    with pytest.raises(ConfigError) as refusal:
        learner_of(configuration.from_dict(RUN | {"learner": learner}))
    assert message in str(refusal.value)


def test_the_picture_of_diversity_says_what_it_is_of_real_weights(tmp_path: Path):
    from matplotlib import pyplot

    from results.plots.run import diversity_figure

    run = evo.run(tmp_path / "run", RUN, generations=1, threads=1)
    figure = diversity_figure(run.generations, run.layouts)
    assert "spread of a weight" in figure.axes[0].get_ylabel()
    assert figure.axes[0].get_ylim()[1] > run.generations["diversity"].max() > 0.5
    pyplot.close(figure)
