"""The genetic algorithm: elites, children, lineage, and operators by name."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import operators_of_a_user
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evo.genomes.bit_network import BitNetwork
from evo.learners.genetic import variation
from evo.learners.genetic.learner import Genetic
from evo.learners.genetic.learner import GeneticOptions as LearnerOptions
from evo.population import NO_PARENT, Evaluated, Population
from tournaments.arena.outcomes import Tally
from tournaments.errors import ConfigError, TournamentError
from tournaments.kernels.rng import generator
from tournaments.players.network import Encoding

LENGTH = 40
BITS = BitNetwork(Encoding((3, 1, 1)))
OWN = "operators_of_a_user"


def evaluated(
    size: int, generation: int = 3, seed: int = 1, length: int = LENGTH, distinct: bool = False
) -> Evaluated:
    """A population that has played, with random genes (or a row's own) and fitness without ties."""
    rng = generator(seed, "a population of a test")
    genes = rng.integers(0, 2, (size, length), dtype=np.uint8)
    if distinct:
        genes[:] = np.arange(size)[:, None]  # not bits: every gene tells whose it is
    fitness = rng.permutation(size) + 1.0
    none = np.zeros(size, dtype=np.int32)
    parents = np.full((size, 2), NO_PARENT, dtype=np.int64)
    tally = Tally(none, none, none, none)
    return Evaluated(Population(generation, genes, parents), fitness, fitness, tally)


def learner(seed: int = 1, **options: Any) -> Genetic:
    return Genetic(LearnerOptions(**options), seed, BITS)


def next_of(parents: Evaluated, seed: int = 1, **options: Any) -> Population:
    return learner(seed, **options).next_population(parents)


@pytest.fixture(autouse=True)
def nothing_seen() -> Iterator[None]:
    operators_of_a_user.seen.clear()
    yield
    operators_of_a_user.seen.clear()


# --- elites and sizes --------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 3, 10, 11])
@pytest.mark.parametrize("elites", [0, 1, 5])
@pytest.mark.parametrize("operators", ["ours", "of deap"])
def test_every_size_of_population_is_kept(size: int, elites: int, operators: str):
    options: dict[str, Any] = {"elites": elites, "mutation_probability": 0.1}
    if operators == "of deap":
        options |= {
            "selection": "deap.tools.selTournament",
            "selection_options": {"tournsize": 2},
            "crossover": "deap.tools.cxTwoPoint",
            "mutation": "deap.tools.mutFlipBit",
        }
    parents = evaluated(size)
    children = next_of(parents, **options)
    assert children.generation == 4
    assert children.genes.shape == (size, LENGTH)
    assert children.genes.dtype == np.uint8
    assert children.parents.shape == (size, 2)
    assert children.parents.dtype == np.int64
    assert children.ids.tolist() == list(range(4 * size, 5 * size))
    assert set(np.unique(children.genes)) <= {0, 1}
    best = np.argsort(-parents.fitness, kind="stable")[:elites]
    kept = min(elites, size)
    assert np.array_equal(children.genes[:kept], parents.population.genes[best])
    assert children.parents[:kept, 0].tolist() == parents.population.ids[best].tolist()
    assert (children.parents[:kept, 1] == NO_PARENT).all()
    assert np.isin(children.parents[:, 0], parents.population.ids).all()


def test_the_elite_is_unchanged_though_everything_else_is_mutated():
    parents = evaluated(9)
    children = next_of(parents, elites=2, mutation_probability=1.0, crossover_probability=1.0)
    first, second = np.argsort(-parents.fitness)[:2]
    assert np.array_equal(children.genes[0], parents.population.genes[first])
    assert np.array_equal(children.genes[1], parents.population.genes[second])


def test_of_equals_the_first_is_the_elite():
    parents = evaluated(6)
    parents.fitness[:] = 2.0
    children = next_of(parents)
    assert np.array_equal(children.genes[0], parents.population.genes[0])
    assert children.parents[0].tolist() == [parents.population.ids[0], NO_PARENT]


def test_elites_may_breed():
    """Elitism takes nothing from selection: the best is among the parents of others, too."""
    parents = evaluated(20)
    parents.fitness[:] = 0.0
    parents.fitness[7] = 1.0
    children = next_of(parents)
    assert (children.parents[:, 0] == parents.population.ids[7]).all()


def test_the_parents_are_left_as_they_were():
    parents = evaluated(12)
    population = parents.population
    before = population.genes.copy(), parents.fitness.copy(), population.parents.copy()
    for crossover in ("single-point", "deap.tools.cxTwoPoint"):
        next_of(parents, crossover=crossover, mutation_probability=0.5, crossover_probability=1.0)
        assert np.array_equal(parents.population.genes, before[0])
        assert np.array_equal(parents.fitness, before[1])
        assert np.array_equal(parents.population.parents, before[2])


@pytest.mark.parametrize("probability", [0.00072, 0.3])
def test_children_take_little_more_memory_than_they_are(probability: float, monkeypatch):
    monkeypatch.setattr(variation, "BLOCK", 1 << 16)
    parents = evaluated(1001, length=4650)
    genetic = learner(mutation_probability=probability, crossover_probability=1.0)
    genetic.next_population(parents)
    tracemalloc.start()
    children = genetic.next_population(parents)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Besides them: lineage, and the numbers of the bits of a block, of which flips are drawn.
    assert peak < 1.1 * children.genes.nbytes + 16 * variation.BLOCK


# --- lineage -----------------------------------------------------------------------------------


@given(st.integers(2, 30), st.integers(0, 3), st.integers(0, 1000), st.floats(0, 1))
def test_a_child_is_made_of_its_parents(size: int, elites: int, seed: int, probability: float):
    """Each gene tells whose it was, so a child's own genes say who its parents are."""
    parents = evaluated(size, seed=seed, distinct=True)
    elites = min(elites, size)
    children = next_of(
        parents,
        seed,
        elites=elites,
        crossover_probability=probability,
        mutation_probability=0.0,
    )
    rows = children.parents - 3 * size
    for genes, (first, second) in zip(children.genes[elites:], rows[elites:], strict=True):
        if second < 0:
            assert second == NO_PARENT - 3 * size
            assert (genes == first).all()
        elif first != second:
            point = int(np.argmax(genes != first))
            assert 1 <= point < LENGTH
            assert (genes[:point] == first).all()
            assert (genes[point:] == second).all()
    # The two children of a pair have the same parents, the other way round.
    bred = rows[elites:]
    for one, other in zip(bred[0::2], bred[1::2], strict=False):
        if one[1] >= 0:
            assert one.tolist() == other.tolist()[::-1]


def test_without_crossover_a_child_has_one_parent_and_is_its_copy():
    parents = evaluated(30)
    children = next_of(parents, crossover_probability=0.0, mutation_probability=0.0)
    assert (children.parents[:, 1] == NO_PARENT).all()
    rows = children.parents[:, 0] - 90
    assert np.array_equal(children.genes, parents.population.genes[rows])


def test_with_certain_crossover_every_child_has_two_parents():
    children = next_of(evaluated(31), crossover_probability=1.0)
    assert (children.parents[1:, 1] != NO_PARENT).all()


def test_pairs_are_joined_as_often_as_the_probability_says():
    joined = [
        (next_of(evaluated(200, length=2), seed, elites=0).parents[::2, 1] != NO_PARENT).mean()
        for seed in range(40)
    ]
    # 4,000 pairs: five standard errors of a share of .6 are .039.
    assert abs(np.mean(joined) - 0.6) < 0.039


def test_parents_are_chosen_in_proportion_to_their_fitness():
    parents = evaluated(4, length=2)
    parents.fitness[:] = [1.0, 0.0, 2.0, 5.0]
    counts = np.zeros(4)
    for seed in range(2000):
        first = next_of(parents, seed, elites=0).parents[:, 0] - 12
        counts += np.bincount(first, minlength=4)
    shares = parents.fitness / 8
    error = np.sqrt(shares * (1 - shares) / 8000)
    assert (np.abs(counts / 8000 - shares) <= 5 * error).all()


def test_mutation_flips_as_many_bits_as_its_probability_says():
    parents = evaluated(101, length=2000)
    children = next_of(parents, crossover_probability=0.0, mutation_probability=0.005)
    rows = children.parents[:, 0] - 303
    flips = (children.genes != parents.population.genes[rows])[1:].mean()
    assert abs(flips - 0.005) < 5 * np.sqrt(0.005 / 200_000)


# --- determinism -------------------------------------------------------------------------------

DEAP: dict[str, Any] = {
    "selection": "deap.tools.selTournament",
    "selection_options": {"tournsize": 3},
    "crossover": "deap.tools.cxUniform",
    "crossover_options": {"indpb": 0.3},
    "mutation": "deap.tools.mutFlipBit",
    "mutation_probability": 0.05,
}
USER: dict[str, Any] = {"mutation": f"{OWN}.flip_by_global_generators"}


@pytest.mark.parametrize("options", [{}, DEAP, USER], ids=["ours", "deap", "user"])
def test_children_depend_on_the_seed_and_on_the_generation_alone(options: dict[str, Any]):
    parents = evaluated(20)
    first = next_of(parents, 5, **options)
    random.seed(99)
    np.random.seed(99)
    again = next_of(parents, 5, **options)
    assert np.array_equal(first.genes, again.genes)
    assert np.array_equal(first.parents, again.parents)
    assert not np.array_equal(first.genes, next_of(parents, 6, **options).genes)
    later = next_of(evaluated(20, generation=4), 5, **options)
    assert not np.array_equal(first.genes, later.genes)


def test_each_step_is_drawn_anew_in_each_generation():
    selected, joined, cut, flipped = [], [], [], []
    for generation in (3, 4):
        parents = evaluated(40, generation, distinct=True)
        children = next_of(parents, mutation_probability=0.0)
        selected.append(children.parents[:, 0] - parents.population.ids[0])
        joined.append(children.parents[:, 1] != NO_PARENT)
        genes = next_of(parents, mutation_probability=0.0, crossover_probability=1.0).genes
        cut.append((genes == genes[:, :1]).sum(axis=1))
        parents.population.genes[:] = 0
        flipped.append(next_of(parents, mutation_probability=0.5).genes[1:])
    for first, later in (selected, joined, cut, flipped):
        assert (first != later).mean() > 0.3


@pytest.mark.parametrize(
    "options",
    [{}, DEAP, USER, {"mutation": f"{OWN}.fails"}],
    ids=["ours", "deap", "user", "failing"],
)
def test_the_global_generators_are_left_as_they_were(options: dict[str, Any]):
    random.seed(7)
    np.random.seed(7)
    python = random.getstate()
    numpy: Any = np.random.get_state(legacy=True)
    try:
        next_of(evaluated(8), **options)
    except TournamentError:
        assert options["mutation"].endswith("fails")
    assert random.getstate() == python
    after: Any = np.random.get_state(legacy=True)
    assert all(np.array_equal(now, then) for now, then in zip(after, numpy, strict=True))


def test_global_generators_differ_from_seed_to_seed_and_generation_to_generation():
    firsts = []
    options: dict[str, Any] = USER
    for seed, generation in ((1, 1), (2, 1), (1, 2)):
        operators_of_a_user.seen.clear()
        next_of(evaluated(4, generation=generation), seed, **options)
        firsts.append(operators_of_a_user.seen[0])
    assert len({python for python, _ in firsts}) == 3
    assert len({numpy for _, numpy in firsts}) == 3


# --- operators by dotted name ------------------------------------------------------------------


def test_deaps_tournament_chooses_by_fitness():
    parents = evaluated(10)
    arguments = {"tournsize": 200}
    children = next_of(parents, selection="deap.tools.selTournament", selection_options=arguments)
    best = parents.population.ids[parents.fitness.argmax()]
    assert (children.parents[:, 0] == best).all()


@pytest.mark.parametrize(
    ("crossover", "options", "most_changes"),
    [
        ("deap.tools.cxOnePoint", {}, 1),
        ("deap.tools.cxTwoPoint", {}, 2),
        ("deap.tools.cxUniform", {"indpb": 0.5}, LENGTH),
    ],
)
def test_deaps_crossovers_join_the_parents_that_the_lineage_names(
    crossover: str, options: dict[str, Any], most_changes: int
):
    """Parents of zeros and of ones: a child changes from one to the other at its cut points."""
    parents = evaluated(41)
    parents.population.genes[:] = (np.arange(41) % 2)[:, None]
    children = next_of(
        parents,
        crossover=crossover,
        crossover_options=options,
        crossover_probability=1.0,
        mutation_probability=0.0,
    )
    rows = children.parents[1:] - 123
    mixed = rows[:, 0] % 2 != rows[:, 1] % 2
    changes = np.abs(np.diff(children.genes[1:].astype(int), axis=1)).sum(axis=1)
    assert mixed.sum() > 5
    assert (changes[mixed] >= 1).mean() > 0.9
    assert changes.max() <= most_changes
    assert not changes[~mixed].any()


def test_deaps_bit_flip_takes_the_mutation_probability():
    flips: dict[str, Any] = {"mutation": "deap.tools.mutFlipBit", "crossover_probability": 0.0}
    parents = evaluated(20)
    for probability, expected in ((0.0, 0.0), (1.0, 1.0)):
        children = next_of(parents, mutation_probability=probability, **flips)
        rows = children.parents[:, 0] - 60
        changed = (children.genes != parents.population.genes[rows])[1:]
        assert changed.mean() == expected
    chosen = next_of(parents, mutation_options={"indpb": 1.0}, **flips)
    rows = chosen.parents[1:, 0] - 60
    assert np.array_equal(chosen.genes[1:], 1 - parents.population.genes[rows])


def test_a_users_operator_gets_the_runs_stream_if_it_takes_one():
    next_of(evaluated(6), 5, crossover=f"{OWN}.take_bits", crossover_probability=1.0)
    streams = operators_of_a_user.seen
    assert len(streams) == 3
    assert all(stream is streams[0] for stream in streams)
    assert isinstance(streams[0], np.random.Generator)
    operators_of_a_user.seen.clear()
    mutation = f"{OWN}.flip_by_the_stream"
    next_of(evaluated(6), 5, mutation=mutation, mutation_probability=0.25)
    expected = generator(5, "mutate", 4).random(5)
    assert operators_of_a_user.seen == [(draw, 0.25) for draw in expected]


def test_a_users_operators_do_what_they_say():
    parents = evaluated(7, distinct=False)
    children = next_of(
        parents,
        selection=f"{OWN}.last_ones",
        crossover=f"{OWN}.swap_all",
        mutation=f"{OWN}.keep",
        crossover_probability=1.0,
    )
    assert np.array_equal(children.genes[1:], parents.population.genes[[6] * 6])
    assert (children.parents[1:] == parents.population.ids[6]).all()


def test_a_users_crossover_may_return_its_arguments_in_any_order():
    parents = evaluated(9)
    options: dict[str, Any] = {"crossover_probability": 1.0, "mutation_probability": 0.0}
    children = next_of(parents, crossover=f"{OWN}.swap_all", **options)
    rows = children.parents[1:, 1] - 27
    assert np.array_equal(children.genes[1:], parents.population.genes[rows])


def test_options_reach_an_operator_that_takes_any():
    next_of(evaluated(2), mutation=f"{OWN}.any_arguments", mutation_options={"a": 1, "b": "c"})
    assert operators_of_a_user.seen == [{"a": 1, "b": "c"}]


def test_the_rows_that_are_joined_are_no_option():
    with pytest.raises(ConfigError, match="takes no argument 'rows'"):
        learner(crossover_options={"rows": [0]})


BAD_VARIATIONS = {
    "returns_none": "gave None; give a tuple of",
    "returns_a_list": "gave a list; give a tuple of",
    "returns_too_many": "give a tuple of",
    "makes_twos": "0 or 1",
    "makes_halves": "0 or 1",
    "cuts_short": rf"\({LENGTH - 1},\) that is not {LENGTH} bits",
    "fails": "raised KeyError",
}


@pytest.mark.parametrize("kind", ["crossover", "mutation"])
@pytest.mark.parametrize("operator", BAD_VARIATIONS)
def test_an_operator_that_spoils_genomes_is_named(kind: str, operator: str):
    options: dict[str, Any] = {kind: f"{OWN}.{operator}", "crossover_probability": 1.0}
    with pytest.raises(TournamentError, match=BAD_VARIATIONS[operator]) as refused:
        next_of(evaluated(6), **options)
    assert f"learner.{kind} '{OWN}.{operator}'" in str(refused.value)
    assert "\n" not in str(refused.value)


BAD_SELECTIONS = {
    "strangers": "0 individuals of the population and 6 others",
    "strangers_with_a_place": "0 individuals of the population and 6 others",
    "plain_lists": "0 individuals of the population and 6 others",
    "too_few": "5 individuals of the population and 0 others; give a list of 6",
    "returns_none": "give a list of 6",
    "fails": "raised KeyError",
}


@pytest.mark.parametrize("operator", BAD_SELECTIONS)
def test_a_selection_that_returns_strangers_is_named(operator: str):
    with pytest.raises(TournamentError, match=BAD_SELECTIONS[operator]) as refused:
        next_of(evaluated(7), selection=f"{OWN}.{operator}")
    assert f"learner.selection '{OWN}.{operator}'" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_builtin_that_does_not_tell_its_arguments_is_refused_when_it_fails():
    with pytest.raises(TournamentError, match=r"learner\.mutation 'builtins\.max'"):
        next_of(evaluated(3), mutation="builtins.max")
