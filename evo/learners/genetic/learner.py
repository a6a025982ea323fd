"""The genetic algorithm: proportional selection, crossover, mutation and elitism.

Weaver and Bossomaier 1998, section 3.5. Built-in operators work on all rows of a population at
once. Any other operator (``deap.tools.cxTwoPoint``, a user's ``my_package.operators.blend``) is
called as DEAP calls it, with one :class:`evo.learners.genetic.individual.DeapIndividual` or pair at
a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from evo.genomes.base import Genome
from evo.learners.base import Learner, LearnerOptions, Problem
from evo.learners.by_scheme import ByScheme
from evo.learners.genetic.individual import DeapIndividual
from evo.learners.genetic.operators import (
    PROBABILITIES,
    Function,
    Named,
    Operator,
    all_over_rows,
    check,
    operators_of,
    seeded_globals,
)
from evo.learners.genetic.selection import elite_rows
from evo.learners.genetic.variation import MUTATIONS
from evo.population import (
    ALL,
    Evaluated,
    EvaluatedGeneration,
    Generation,
    Migrants,
    Population,
    lineage,
)
from tournaments.arena.outcomes import Tally
from tournaments.code_files import file_of_function
from tournaments.errors import ConfigError
from tournaments.guard import Hook, call_hook, expect, type_and_shape
from tournaments.kernels.rng import generator
from tournaments.options import option, table

AUTO = "auto"
"""Name for the default mutation of the genomes."""


@dataclass(frozen=True)
class GeneticOptions(LearnerOptions):
    """The genetic algorithm (Weaver and Bossomaier 1998, section 3.5).

    An operator is a built-in operator by name, or any function that DEAP's toolbox could hold, by
    dotted name or by file: ``deap.tools.selRoulette``, ``deap.tools.cxBlend`` with
    ``crossover_options = { alpha = 0.5 }``, ``myops.py:select``.

    Attributes:
        selection: selection of parents: proportional, stochastic-universal, tournament, truncation
        selection_options: arguments of the selection operator
        crossover: crossover of two parents: single-point, two-point, uniform
        crossover_options: arguments of the crossover operator
        crossover_probability: share of the pairs that are joined
        mutation: mutation of an individual; auto: bit-flip for networks of bits, gaussian for real
            weights, reset for tables
        mutation_options: arguments of the mutation operator
        mutation_probability: probability that a gene changes; the study used 0.00072 and 0.005
        elites: best individuals that are reproduced unchanged
    """

    starts_from_all: ClassVar[bool] = True
    name: str = option("genetic")
    selection: str = option("proportional")
    selection_options: dict[str, Any] = table()
    crossover: str = option("single-point")
    crossover_options: dict[str, Any] = table()
    crossover_probability: float = option(0.6, low=0.0, high=1.0)
    mutation: str = option(AUTO)
    mutation_options: dict[str, Any] = table()
    mutation_probability: float = option(0.00072, low=0.0, high=1.0)
    elites: int = option(1, low=0)

    @property
    def code_files(self) -> tuple[str, ...]:
        """The Python files that hold the configured operators, such as ``myops.py:select``.

        ``myops.select`` counts as well if ``myops.py`` is in the current folder.
        """
        names = self.selection, self.crossover, self.mutation
        return tuple(dict.fromkeys(filter(None, map(file_of_function, names))))

    @property
    def in_words(self) -> str:
        return f"{self.name} ({self.selection}, {self.mutation_probability:g})"

    def named(self, genome: Genome) -> Named:
        """Return the configured names of the genetic operators; none is imported yet."""
        mutation = self.mutation if self.mutation != AUTO else genome.default_mutation
        arguments = dict(self.mutation_options)
        if mutation in MUTATIONS:
            arguments.setdefault("probability", self.mutation_probability)
        return {
            "selection": (self.selection, self.selection_options),
            "crossover": (self.crossover, self.crossover_options),
            "mutation": (mutation, arguments),
        }

    def checked(self, problem: Problem) -> Any:
        """Return these options of the genetic algorithm if elites and operators fit the problem.

        The mutation is named in the result.

        Raises:
            ConfigError: they do not fit; see :func:`evo.learners.genetic.operators.check`.
        """
        if self.elites > problem.population:
            raise ConfigError(
                f"learner.elites={self.elites} given; a population of {problem.population} has at "
                "most that many"
            )
        for plan in problem.plans:
            check(self.named(plan.genome), plan.genome)
        if self.mutation == AUTO:
            return replace(self, mutation=problem.plans[0].genome.default_mutation)
        return self

    def room_for_migrants(self, problem: Problem) -> int:
        """Return how many individuals of a population migrants may replace: all but one."""
        return problem.population - 1

    def learner(self, problem: Problem) -> Learner:
        """Return a :class:`GeneticLearner` with these options, for the problem of a run."""
        return GeneticLearner(problem, self)


class GeneticLearner(ByScheme):
    """A learner that breeds each population separately.

    A scheme arranges the matches and gives the points. Operators are loaded and tried out when the
    learner is made.

    Raises:
        ConfigError: an operator does not exist, or a folder may not name it.
        TournamentError: an operator raises, or returns an invalid result.
    """

    def __init__(self, problem: Problem, options: GeneticOptions) -> None:
        super().__init__(problem)
        self.breeders = [
            Genetic(options, problem.seed, plan.genome, plan.name, problem.read_from)
            for plan in problem.plans
        ]
        for breeder in self.breeders:
            if not all_over_rows(breeder.operators):
                try_out(breeder, min(problem.population, 3))

    def first(self) -> Generation:
        """Return generation 0: random genomes, or those of the run that this run starts from."""
        return Generation(0, self.first_populations(lambda plan: stream_of("initial", plan.name)))

    def next(self, parents: EvaluatedGeneration) -> Generation:
        """Return the next generation: children of the individuals of each population.

        Both parents of a child are of the same population.
        """
        return self.next_with(parents, {})

    def next_with(
        self, parents: EvaluatedGeneration, migrants: Mapping[str, Migrants]
    ) -> Generation:
        """Return the :meth:`next` generation, with migrants among the parents.

        A migrant is as fit as the individual of the same standing here.
        """
        children = [
            breeder.next_population(with_migrants(population, migrants.get(breeder.name)))
            for breeder, population in zip(self.breeders, parents.living, strict=True)
        ]
        return self.following(parents, children)


def with_migrants(parents: Evaluated, migrants: Migrants | None) -> Evaluated:
    """Return a population with migrants in the places of some individuals.

    Each migrant has the fitness of the individual whose standing here equals the migrant's standing
    at home.
    """
    if migrants is None:
        return parents
    population, fitness = parents.population, parents.fitness.copy()
    genes, ids = population.genes.copy(), population.ids.copy()
    equals = (migrants.standing * len(population)).astype(np.int64)
    fitness[migrants.rows] = parents.fitness[elite_rows(parents.fitness, len(population))[equals]]
    genes[migrants.rows], ids[migrants.rows] = migrants.genes, migrants.ids
    return replace(parents, population=replace(population, genes=genes, ids=ids), fitness=fitness)


def stream_of(purpose: str, name: str) -> str:
    """Return the name of a population's random stream for a purpose.

    The population's name is left out if it is the only one.
    """
    return purpose if name == ALL else f"{purpose}/{name}"


def try_out(breeder: Genetic, individuals: int) -> None:
    """Breed one generation of random individuals, so that a bad operator fails before a run.

    All pairs are joined and all genes mutated as far as possible. Otherwise an operator that spoils
    few genes might pass by luck.

    Raises:
        TournamentError: an operator raises, or returns an invalid result.
    """
    options, rng = breeder.options, generator(0, "operators on trial")
    genes, fitness = breeder.genome.random(individuals, rng), 1.0 + np.arange(individuals)
    nobody = Tally(*np.zeros((4, individuals), dtype=np.int32))
    trial = Evaluated(Population(0, genes, lineage(individuals)), fitness, fitness, nobody)
    everything_changes = replace(
        options,
        crossover_probability=1.0,
        mutation_probability=math.ceil(options.mutation_probability),
        mutation_options={
            name: math.ceil(value) if name in PROBABILITIES else value
            for name, value in options.mutation_options.items()
        },
        elites=min(options.elites, individuals - 1),
    )
    replace(breeder, options=everything_changes, seed=0).next_population(trial)


# --- one population ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Genetic:
    """The breeder of one population, which makes the next generation from an evaluated one.

    Attributes:
        options: the operators and their numbers.
        seed: of the run.
        genome: the encoding, which decides which genes are valid.
        name: of the population; each population has streams of its own.
        read_from: the folder that names the operators; empty: the user names them.

    Raises:
        ConfigError: an operator cannot be loaded.
    """

    options: GeneticOptions
    seed: int
    genome: Genome
    name: str = ALL
    read_from: str = ""

    def __post_init__(self) -> None:
        _ = self.operators  # refuses operators before any work

    @cached_property
    def operators(self) -> dict[str, Operator]:
        """The selection, crossover and mutation of this population's breeder, by name."""
        options, named = self.options, self.options.named(self.genome)
        return operators_of(named, self.genome, options.mutation_probability, self.read_from)

    def next_population(self, parents: Evaluated) -> Population:
        """Return the next generation of a population: the elite, and children of selected pairs.

        The elite is unchanged. Children are crossed and mutated.
        """
        generation = parents.population.generation + 1
        plugged: AbstractContextManager[None] = nullcontext()
        if not all_over_rows(self.operators):
            purpose = stream_of("plugged operators", self.name)
            plugged = seeded_globals(self.seed, purpose, generation)
        with plugged:
            return self._bred(parents, generation)

    def _bred(self, parents: Evaluated, generation: int) -> Population:
        size = len(parents.population)
        elites = elite_rows(parents.fitness, self.options.elites)
        first = len(elites)
        pairs = (size - first + 1) // 2  # an unpaired child gets a partner, which is dropped
        rows = np.concatenate([elites, self._select(parents, 2 * pairs, generation)])
        crossing_stream = generator(self.seed, stream_of("crossing", self.name), generation)
        draws = crossing_stream.random(pairs)
        crossing = (draws < self.options.crossover_probability).nonzero()[0]
        genes = parents.population.genes.take(rows, axis=0)  # the only copy of the population
        self._mate(genes[first:], crossing, generation)
        self._mutate(genes[first:size], generation)
        ancestry = _ancestry(parents, rows, first + 2 * crossing)
        return Population(generation, genes[:size], ancestry, self.name)

    def _bound(self, field: str, purpose: str, generation: int) -> tuple[Operator, Function]:
        """Return an operator with its function, ready to be called in a generation.

        The function has its arguments and the random stream named ``purpose``. ``field`` is
        ``selection``, ``crossover`` or ``mutation``.
        """
        operator = self.operators[field]
        return operator, operator.bound(self.seed, stream_of(purpose, self.name), generation)

    def _select(self, parents: Evaluated, count: int, generation: int) -> np.ndarray:
        operator, select = self._bound("selection", "select", generation)
        if operator.over_rows:
            return select(parents.fitness, count)
        individuals = [
            DeapIndividual(genes, row, parents.fitness[row])
            for row, genes in enumerate(parents.population.genes)
        ]

        def selected(*arguments: Any) -> list[int]:
            chosen = select(*arguments)  # a generator may fail only when it is read
            individuals = chosen if isinstance(chosen, Iterable) else []
            return [getattr(individual, "row", -1) for individual in individuals]

        hook = Hook("the operator", _expect_rows)
        rows = call_hook(operator.plugin, hook, selected, individuals, count)
        return np.array(rows, dtype=np.int64)

    def _mate(self, genes: np.ndarray, pairs: np.ndarray, generation: int) -> None:
        """Cross over the genes of pairs of individuals, in place; pair p is rows 2p and 2p + 1.

        ``pairs`` are the numbers of the pairs.
        """
        operator, mate = self._bound("crossover", "mate", generation)
        if operator.over_rows:
            mate(genes[0::2], genes[1::2], rows=pairs)
            return
        for row in 2 * pairs:
            self._vary(operator, mate, genes[row : row + 2])

    def _mutate(self, genes: np.ndarray, generation: int) -> None:
        """Mutate the genes of every individual of a generation, in place."""
        operator, mutate = self._bound("mutation", "mutate", generation)
        if operator.over_rows:
            mutate(genes)
            return
        for row in range(len(genes)):
            self._vary(operator, mutate, genes[row : row + 1])

    def _vary(self, operator: Operator, function: Function, rows: np.ndarray) -> None:
        """Replace the genes of individuals, ``rows``, by the results of a user's operator."""
        individuals = map(DeapIndividual, rows)
        hook = Hook("the operator", self._expect_individuals)
        for row, made in zip(
            rows, call_hook(operator.plugin, hook, function, *individuals), strict=True
        ):
            row[:] = self.genome.settled(np.asarray(made))

    def _expect_individuals(self, given: Any, *individuals: DeapIndividual) -> None:
        """Raise if a user's operator did not return a tuple of as many valid individuals as it got.

        ``given`` is what it returned.
        """
        count, length, genome = len(individuals), individuals[0].size, self.genome
        fits = isinstance(given, tuple) and len(given) == count
        mend = f"give a tuple of {count} individuals, as DEAP's operators do"
        expect(fits, type_and_shape(given), mend)
        for individual in given:
            genes = np.asarray(individual)
            fits = genes.shape == (length,) and genome.are_alleles(genes)
            what = f"an individual of shape {genes.shape} that is not {length} {genome.unit}"
            expect(fits, what, genome.rule)


def _expect_rows(given: list[int], individuals: list[DeapIndividual], count: int) -> None:
    """Raise if a selection did not return ``count`` individuals of the population.

    ``given`` are the rows that it returned, -1 for others.
    """
    known = sum(0 <= row < len(individuals) for row in given)
    what = f"{known} individuals of the population and {len(given) - known} others"
    mend = f"give a list of {count} of those that it was given"
    expect(len(given) == known == count, what, mend)


def _ancestry(parents: Evaluated, rows: np.ndarray, joined: np.ndarray) -> np.ndarray:
    """Return the ids of the parents of each child, int64 ``[N, 2]``.

    Args:
        parents: a population of N.
        rows: the first parent of each child, int64 ``[N]``, or one more that is dropped.
        joined: the first child of each pair that was joined; the second is the next one.
    """
    ids, size = parents.population.ids.take(rows), len(parents.population)
    ancestry = lineage(len(rows))
    ancestry[:, 0] = ids
    ancestry[joined, 1] = ids[joined + 1]
    ancestry[joined + 1, 1] = ids[joined]
    return ancestry[:size]
