"""Operators of the genetic algorithm: ours by name, DEAP's and users' by dotted name."""

from __future__ import annotations

import importlib
import inspect
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from evo.config.run_options import AUTO, LearnerOptions
from evo.errors import ConfigError
from evo.genomes.base import Bits, Genome
from evo.learners.genetic.selection import SELECTIONS
from evo.learners.genetic.variation import CROSSOVERS, MUTATIONS
from tournaments.errors import nearest
from tournaments.kernels.rng import generator

BITS = Bits()
PROBABILITIES = ("probability", "indpb")
"""What arguments of operators are called that are probabilities: of ours, and of DEAP's."""


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

    def told(self, about: Mapping[str, Any]) -> Operator:
        """The operator with those of these arguments that it takes."""
        taken = _parameters(self.function)
        told = {name: value for name, value in about.items() if name in taken}
        return replace(self, arguments={**told, **self.arguments})


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
            f"{where}={name!r} given, but {module_name} cannot be imported ({in_a_line(error)}); "
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


def in_a_line(error: Exception) -> str:
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
        given_by_us |= {"rows", "alleles", "counts", "limit"}
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
    for name in set(PROBABILITIES) & set(arguments):
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
    def from_options(cls, options: LearnerOptions, genome: Genome | Bits = BITS) -> Operators:
        """The operators that a configuration names; mutation gets its probability.

        Raises:
            ConfigError: an operator that there is not, or one for other genomes.
        """
        name = options.mutation if options.mutation != AUTO else genome.default_mutation
        if name in MUTATIONS and name != genome.default_mutation:
            raise ConfigError(
                f"learner.mutation={name!r} given; genomes of {genome.unit} take "
                f"{genome.default_mutation!r}"
            )
        arguments = dict(options.mutation_options)
        if name in MUTATIONS:
            arguments.setdefault("probability", options.mutation_probability)
        elif "." in name:
            function = _imported("learner.mutation", name)
            if "indpb" in _parameters(function):
                arguments.setdefault("indpb", options.mutation_probability)
        _check_probabilities("learner.mutation_options", arguments)
        _check_probabilities("learner.crossover_options", options.crossover_options)
        mutation = resolve("learner.mutation", name, MUTATIONS, arguments)
        return cls(
            resolve("learner.selection", options.selection, SELECTIONS, options.selection_options),
            resolve("learner.crossover", options.crossover, CROSSOVERS, options.crossover_options),
            mutation.told(genome.mutation_arguments),
        )

    @property
    def all_over_rows(self) -> bool:
        return all(item.over_rows for item in (self.selection, self.crossover, self.mutation))


@contextmanager
def seeded_globals(seed: int, purpose: str, generation: int) -> Iterator[None]:
    """Python's and numpy's global generators, seeded from the run's stream, then put back.

    DEAP's operators draw from them; nothing of ours does.
    """
    before = random.getstate(), np.random.get_state()
    stream = generator(seed, purpose, generation)
    random.seed(int(stream.integers(2**63)))
    np.random.seed(stream.integers(2**32, size=4))
    try:
        yield
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])


def called(name: str, operator: Callable[..., Any], *arguments: Any) -> Any:
    """What a plugged operator returns; what it raises is a mistake in it or in its arguments."""
    try:
        return operator(*arguments)
    except Exception as error:
        raise ConfigError(
            f"{name} failed ({in_a_line(error)}); it must keep the length of genomes and take the "
            "arguments in its _options"
        ) from error


def write_back(name: str, rows: np.ndarray, returned: Any, genome: Genome | Bits) -> None:
    """Put what an operator returned into the rows that it was given, once it is a genome still."""
    count, length = rows.shape
    if not isinstance(returned, tuple) or len(returned) != count:
        raise ConfigError(
            f"{name} returned {type(returned).__name__}; a tuple of {count} individuals "
            "is expected, as DEAP's operators return"
        )
    for row, individual in zip(rows, returned, strict=True):
        genes = np.asarray(individual)
        if genes.shape != (length,) or not genome.are_alleles(genes):
            raise ConfigError(
                f"{name} returned an individual of shape {genes.shape} that is not {length} "
                f"{genome.unit}; {genome.rule}"
            )
        row[:] = genome.settled(genes)
