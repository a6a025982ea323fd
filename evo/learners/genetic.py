"""The genetic algorithm: proportional selection, crossover, mutation and elitism in a DEAP toolbox.

Weaver and Bossomaier 1998, section 3.5. Operators of ours work on all rows of a population at once;
any other (``deap.tools.cxTwoPoint``, a user's ``my_package.operators.blend``) is called as DEAP
calls it, one :class:`evo.genome.Individual` or pair at a time.
"""

from __future__ import annotations

import importlib
import inspect
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from deap import base

from evo.config import LearnerOptions
from evo.errors import ConfigError
from evo.genome import Individual
from evo.population import NO_PARENT, Evaluated, Population
from evo.selection import SELECTIONS, elite_rows
from evo.variation import CROSSOVERS, MUTATIONS
from tournaments.errors import nearest
from tournaments.rng import generator
from tournaments.scoring import Tally

NAME = "genetic"


# --- operators by name -------------------------------------------------------------------------


@dataclass(frozen=True)
class Operator:
    """An operator as configured.

    Attributes:
        name: as configured.
        function: ours, over rows, or one that DEAP's toolbox could hold.
        arguments: keyword arguments from the configuration.
        over_rows: whether it is ours; a crossover of ours is told the rows that it joins.
    """

    name: str
    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    over_rows: bool

    @cached_property
    def takes_rng(self) -> bool:
        """Whether it takes the run's stream, by the name ``rng``; asked once, as that is slow."""
        return "rng" in _parameters(self.function)

    def bound(self, seed: int, purpose: str, generation: int) -> Callable[..., Any]:
        """The operator with its arguments, and with a generation's stream if it takes one."""
        if not self.takes_rng:
            return partial(self.function, **self.arguments)
        return partial(self.function, **self.arguments, rng=generator(seed, purpose, generation))


def resolve(
    where: str, name: str, own: Mapping[str, Callable[..., Any]], arguments: Mapping[str, Any]
) -> Operator:
    """The operator behind a name: one of ours, or any function by dotted name.

    Raises:
        ConfigError: there is no such function, or it does not take these arguments.
    """
    if name in own:
        operator = Operator(name, own[name], arguments, over_rows=True)
    elif "." in name:
        operator = Operator(name, _imported(where, name), arguments, over_rows=False)
    else:
        raise ConfigError(
            f"unknown operator {where}={name!r}{nearest(name, own)} (known: {', '.join(own)}, or "
            "any function by dotted name, such as deap.tools.cxTwoPoint)"
        )
    _check_arguments(where, operator)
    return operator


def _imported(where: str, name: str) -> Callable[..., Any]:
    module_name, _, attribute = name.rpartition(".")
    if not all(part.isidentifier() for part in name.split(".")):
        raise ConfigError(
            f"{where}={name!r} given; the dotted name of a function is expected, such as "
            "deap.tools.cxTwoPoint"
        )
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # a module of the user's may fail in any way
        raise ConfigError(
            f"{where}={name!r} given, but {module_name} cannot be imported ({_in_a_line(error)}); "
            "give the dotted name of a function in an installed module"
        ) from error
    function = getattr(module, attribute, None)
    if not callable(function):
        known = [key for key, value in vars(module).items() if callable(value)]
        raise ConfigError(
            f"{where}={name!r} given, but {module_name} has no function {attribute!r}"
            f"{nearest(attribute, known)}"
        )
    return function


def _in_a_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):  # some builtins do not tell
        return {}


def _check_arguments(where: str, operator: Operator) -> None:
    parameters = _parameters(operator.function)
    kinds = {parameter.kind for parameter in parameters.values()}
    if not parameters or inspect.Parameter.VAR_KEYWORD in kinds:
        return
    positional = {"selection": 2, "crossover": 2, "mutation": 1}[where.rpartition(".")[2]]
    if len(parameters) < positional and inspect.Parameter.VAR_POSITIONAL not in kinds:
        raise ConfigError(
            f"{where}={operator.name!r} given, but it takes {len(parameters)} argument; a function "
            f"of {positional} is expected"
        )
    given_by_us = {"rng", *list(parameters)[:positional]}
    if operator.over_rows:
        given_by_us.add("rows")
    for name in operator.arguments:
        if name not in parameters or name in given_by_us:
            known = [key for key in parameters if key not in given_by_us]
            raise ConfigError(
                f"{where}_options: {operator.name} takes no argument {name!r}{nearest(name, known)}"
            )
    missing = [
        name
        for name, parameter in list(parameters.items())
        if parameter.default is parameter.empty
        and parameter.kind is not parameter.VAR_POSITIONAL
        and name not in operator.arguments
        and name not in given_by_us
    ]
    if missing:
        raise ConfigError(
            f"{where}={operator.name!r} needs {', '.join(missing)}: add "
            f"{where}_options = {{ {missing[0]} = ... }}"
        )


def _check_probabilities(where: str, arguments: Mapping[str, Any]) -> None:
    for name in {"probability", "indpb"} & set(arguments):
        value = arguments[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise ConfigError(f"{where}.{name}={value!r} given; a value from 0 to 1 is expected")


@dataclass(frozen=True)
class Operators:
    """Selection, crossover and mutation as configured."""

    selection: Operator
    crossover: Operator
    mutation: Operator

    @classmethod
    def from_options(cls, options: LearnerOptions) -> Operators:
        """The operators that a configuration names; mutation gets its probability."""
        mutation = dict(options.mutation_options)
        if options.mutation in MUTATIONS:
            mutation.setdefault("probability", options.mutation_probability)
        elif "." in options.mutation:
            function = _imported("learner.mutation", options.mutation)
            if "indpb" in _parameters(function):
                mutation.setdefault("indpb", options.mutation_probability)
        _check_probabilities("learner.mutation_options", mutation)
        _check_probabilities("learner.crossover_options", options.crossover_options)
        return cls(
            resolve("learner.selection", options.selection, SELECTIONS, options.selection_options),
            resolve("learner.crossover", options.crossover, CROSSOVERS, options.crossover_options),
            resolve("learner.mutation", options.mutation, MUTATIONS, mutation),
        )

    @property
    def all_over_rows(self) -> bool:
        return all(item.over_rows for item in (self.selection, self.crossover, self.mutation))


@contextmanager
def seeded_globals(seed: int, generation: int) -> Iterator[None]:
    """Python's and numpy's global generators, seeded from the run's stream, then put back.

    DEAP's operators draw from them; nothing of ours does.
    """
    before = random.getstate(), np.random.get_state()
    stream = generator(seed, "plugged operators", generation)
    random.seed(int(stream.integers(2**63)))
    np.random.seed(stream.integers(2**32, size=4))
    try:
        yield
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])


def try_out(options: LearnerOptions, length: int, individuals: int) -> None:
    """Make one generation of a few random individuals, so that a bad operator fails before a run.

    Raises:
        ConfigError: an operator fails, or returns what it must not.
    """
    rng = generator(0, "operators on trial")
    genes = rng.integers(0, 2, (individuals, length), dtype=np.uint8)
    parents = np.full((individuals, 2), NO_PARENT, dtype=np.int64)
    fitness = 1.0 + np.arange(individuals)
    nobody = Tally(*np.zeros((4, individuals), dtype=np.int32))
    trial = Evaluated(Population(0, genes, parents), fitness, fitness, nobody)
    everybody_mates = replace(
        options, crossover_probability=1.0, elites=min(options.elites, individuals - 1)
    )
    Genetic(everybody_mates, seed=0).next_population(trial)


# --- the algorithm -----------------------------------------------------------------------------


class Genetic:
    """Makes the next generation from one that has played."""

    def __init__(self, options: LearnerOptions, seed: int) -> None:
        self.options = options
        self.seed = seed
        self.operators = Operators.from_options(options)

    def toolbox(self, generation: int) -> base.Toolbox:
        """A DEAP toolbox with ``select``, ``mate`` and ``mutate`` for making this generation."""
        toolbox = base.Toolbox()
        parts = {
            "select": self.operators.selection,
            "mate": self.operators.crossover,
            "mutate": self.operators.mutation,
        }
        for alias, operator in parts.items():
            toolbox.register(alias, operator.bound(self.seed, alias, generation))
        return toolbox

    def next_population(self, parents: Evaluated) -> Population:
        """The elite unchanged, then children of selected pairs, joined and mutated."""
        generation = parents.population.generation + 1
        if self.operators.all_over_rows:
            return self._bred(parents, generation)
        with seeded_globals(self.seed, generation):
            return self._bred(parents, generation)

    def _bred(self, parents: Evaluated, generation: int) -> Population:
        toolbox = self.toolbox(generation)
        size = len(parents.population)
        elites = elite_rows(parents.fitness, self.options.elites)
        first = len(elites)
        pairs = (size - first + 1) // 2  # an odd one out is joined, too, and then dropped
        rows = np.concatenate([elites, self._select(toolbox, parents, 2 * pairs)])
        draws = generator(self.seed, "crossing", generation).random(pairs)
        crossing = (draws < self.options.crossover_probability).nonzero()[0]
        genes = parents.population.genes.take(rows, axis=0)  # the only copy of the population
        self._mate(toolbox, genes[first:], crossing)
        self._mutate(toolbox, genes[first:size])
        return Population(generation, genes[:size], _lineage(parents, rows, first + 2 * crossing))

    def _select(self, toolbox: base.Toolbox, parents: Evaluated, count: int) -> np.ndarray:
        if self.operators.selection.over_rows:
            return toolbox.select(parents.fitness, count)
        individuals = [
            Individual(genes, row, parents.fitness[row])
            for row, genes in enumerate(parents.population.genes)
        ]
        name = f"learner.selection={self.operators.selection.name!r}"
        chosen = _called(name, toolbox.select, individuals, count)
        if isinstance(chosen, Iterable):
            chosen = _called(name, list, chosen)  # a generator may fail only now
        rows = [getattr(one, "row", -1) for one in chosen] if isinstance(chosen, list) else []
        known = [row for row in rows if 0 <= row < len(individuals)]
        if not len(rows) == len(known) == count:
            raise ConfigError(
                f"{name} returned {len(known)} individuals of the population and "
                f"{len(rows) - len(known)} others; a list of {count} of those that it was given is "
                "expected"
            )
        return np.array(rows, dtype=np.int64)

    def _mate(self, toolbox: base.Toolbox, genes: np.ndarray, pairs: np.ndarray) -> None:
        """Join rows 2p and 2p + 1 for each pair p, in place."""
        if self.operators.crossover.over_rows:
            toolbox.mate(genes[0::2], genes[1::2], rows=pairs)
            return
        name = f"learner.crossover={self.operators.crossover.name!r}"
        for row in 2 * pairs:
            joined = _called(name, toolbox.mate, Individual(genes[row]), Individual(genes[row + 1]))
            _write_back(name, genes[row : row + 2], joined)

    def _mutate(self, toolbox: base.Toolbox, genes: np.ndarray) -> None:
        """Mutate every row, in place."""
        if self.operators.mutation.over_rows:
            toolbox.mutate(genes)
            return
        name = f"learner.mutation={self.operators.mutation.name!r}"
        for row in range(len(genes)):
            mutant = _called(name, toolbox.mutate, Individual(genes[row]))
            _write_back(name, genes[row : row + 1], mutant)


def _lineage(parents: Evaluated, rows: np.ndarray, joined: np.ndarray) -> np.ndarray:
    """Ids of who each child was made of, int64 ``[N, 2]``.

    Args:
        parents: a population of N.
        rows: whose genes each child began with, int64 ``[N]``, or one more that is dropped.
        joined: the first child of each pair that was joined; the second is the next one.
    """
    ids, size = parents.population.ids.take(rows), len(parents.population)
    lineage = np.empty((len(rows), 2), dtype=np.int64)
    lineage[:, 0] = ids
    lineage[:, 1] = NO_PARENT
    lineage[joined, 1] = ids[joined + 1]
    lineage[joined + 1, 1] = ids[joined]
    return lineage[:size]


def _called(name: str, operator: Callable[..., Any], *arguments: Any) -> Any:
    """What a plugged operator returns; what it raises is a mistake in it or in its arguments."""
    try:
        return operator(*arguments)
    except Exception as error:
        raise ConfigError(
            f"{name} failed ({_in_a_line(error)}); it must keep the length of genomes and take the "
            "arguments in its _options"
        ) from error


def _write_back(name: str, rows: np.ndarray, returned: Any) -> None:
    """Put what an operator returned into the rows that it was given, once it is a genome still."""
    count, length = rows.shape
    if not isinstance(returned, tuple) or len(returned) != count:
        raise ConfigError(
            f"{name} returned {type(returned).__name__}; a tuple of {count} individuals "
            "is expected, as DEAP's operators return"
        )
    for row, individual in zip(rows, returned, strict=True):
        genes = np.asarray(individual)
        if genes.shape != (length,) or not np.isin(genes, (0, 1)).all():
            raise ConfigError(
                f"{name} returned an individual of shape {genes.shape} that is not {length} bits; "
                "every gene must stay 0 or 1, so take an operator for bit strings"
            )
        row[:] = genes
