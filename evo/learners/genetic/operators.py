"""Operators of the genetic algorithm: built-in ones by name, others by dotted name or file.

Reading data never runs code: a configuration is checked without importing or calling the functions
that it names. A name is resolved when a learner is made for evolution. A name that a folder holds
is then resolved only if it belongs to DEAP, to this project or to an installed package that offers
it, see :data:`GROUP`.
"""

from __future__ import annotations

import importlib
import inspect
import os
import random
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np

from evo.genomes.base import Genome
from evo.learners.genetic.selection import LARGEST_TOURNAMENT, SELECTIONS
from evo.learners.genetic.variation import CROSSOVERS, MUTATIONS
from tournaments.code_files import is_code, module_of, names_thing, on_path, read
from tournaments.errors import ConfigError, TournamentError, nearest
from tournaments.guard import Plugin
from tournaments.kernels.rng import generator
from tournaments.named_files import named_by
from tournaments.options import checked, option
from tournaments.registry import loaded as load

GROUP = "evo.operators"
"""Group of the entry points by which an installed package offers operators, by name."""
KNOWN = {"selection": SELECTIONS, "crossover": CROSSOVERS, "mutation": MUTATIONS}
"""Built-in operators, by the field that names one."""
SAFE_MODULES = (
    "deap.tools",
    *sorted({function.__module__ for own in KNOWN.values() for function in own.values()}),
)
"""Modules, and packages, whose functions a folder may name."""
PROBABILITIES = ("probability", "indpb")
"""The arguments of operators that are probabilities, of built-in operators and of DEAP's."""
POSITIONAL = {"selection": 2, "crossover": 2, "mutation": 1}
"""Number of positional arguments of an operator, by field."""


@dataclass(frozen=True)
class Arguments:
    """The arguments of operators that have a limited range.

    Attributes:
        probability: probability that a gene changes
        indpb: probability that a gene changes, for DEAP's operators
        sigma: standard deviation of a step
        share: share of the population that reproduces
        tournament_size: rows of a tournament
    """

    probability: float = option(0.5, low=0.0, high=1.0)
    indpb: float = option(0.5, low=0.0, high=1.0)
    sigma: float = option(1.0, above=0)
    share: float = option(0.5, above=0, high=1)
    tournament_size: int = option(3, low=1, high=LARGEST_TOURNAMENT)


Function = Callable[..., Any]
Named = Mapping[str, tuple[str, Mapping[str, Any]]]
"""The name and the arguments of the operators ``selection``, ``crossover`` and ``mutation``."""
_one_at_a_time = threading.RLock()
"""Lock of the seeded global generators, since islands evolve side by side in threads."""


@dataclass(frozen=True)
class Operator:
    """An operator as configured.

    Attributes:
        field: ``selection``, ``crossover`` or ``mutation``.
        name: as configured.
        function: a built-in function over rows, or a function that DEAP's toolbox could hold.
        arguments: keyword arguments from the configuration.
        over_rows: whether the function is built in; a built-in crossover takes the rows to join.
    """

    field: str
    name: str
    function: Function
    arguments: Mapping[str, Any]
    over_rows: bool

    @property
    def plugin(self) -> Plugin:
        """The operator's field and name, by which errors in calls of its function name it."""
        return Plugin(f"learner.{self.field}", self.name, self.over_rows)

    @cached_property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """The parameters of the operator's function; empty for a builtin without a signature."""
        try:
            return inspect.signature(self.function).parameters
        except (TypeError, ValueError):
            return {}

    def bound(self, seed: int, purpose: str, generation: int) -> Function:
        """Return the operator's function with its arguments for a generation.

        If it takes ``rng``, the random stream of the seed, purpose and generation is among them.
        """
        if "rng" not in self.parameters:
            return partial(self.function, **self.arguments)
        return partial(self.function, **self.arguments, rng=generator(seed, purpose, generation))

    def completed(self, about: Mapping[str, Any]) -> Operator:
        """Return the operator with the arguments of ``about`` that its function takes."""
        asked_for = {name: value for name, value in about.items() if name in self.parameters}
        return replace(self, arguments={**asked_for, **self.arguments})


def check_name(field: str, name: str) -> None:
    """Raise if a configured name is not that of a genetic operator. Nothing is imported.

    Raises:
        ConfigError: the name is neither a built-in operator, nor an offered one, nor a dotted name,
            nor a function in a file.
    """
    own = KNOWN[field]
    if name in own or name in (offered := _offered()) or names_thing(name):
        return
    if "." not in name:
        known = [*own, *sorted(offered)]
        raise ConfigError(
            f"unknown operator learner.{field}={name!r}{nearest(name, known)} (known: "
            f"{', '.join(known)}, or any function by dotted name or file, as deap.tools.cxTwoPoint "
            "or myops.py:mate)"
        )
    if not all(part.isidentifier() for part in name.split(".")):
        raise ConfigError(
            f"learner.{field}={name!r} given; the name of a function is expected, such as "
            "deap.tools.cxTwoPoint or myops.py:mate"
        )


def _offered() -> dict[str, EntryPoint]:
    """Return the genetic operators that installed packages offer, by name."""
    return {point.name: point for point in entry_points(group=GROUP)}


def _found(given: str, name: str, read_from: str) -> Function:
    """Return the function of a genetic operator, for a configured name that is not built in.

    Args:
        given: the field and the name, for messages.
        name: as configured.
        read_from: the folder that the name comes from; empty: the name comes from the user.

    Raises:
        ConfigError: there is no such function, or a folder names a function that it may not.
        TournamentError: an installed package offers it, and it cannot be loaded.
    """
    if point := _offered().get(name):
        function: Function = load(point, "operator")
        if not callable(function):
            raise ConfigError(
                f"{given} given, but its package offers a {type(function).__name__}; a function is "
                "expected"
            )
        return function
    return (_of_file if is_code(name) else _imported)(given, name, read_from)


def _of_file(given: str, name: str, read_from: str) -> Function:
    """Return the operator's function in a Python file, for a name like ``myops.py:select``.

    Args:
        given: the field and the name, for messages.
        name: as configured.
        read_from: the folder that the name comes from; empty: the name comes from the user.
    """
    path, _, attribute = name.partition(":")
    try:
        with named_by(read_from):
            module = module_of(read(path))
    except TournamentError as error:
        raise ConfigError(f"{given} given, but {error}") from error
    return _function(given, module, path, attribute)


def _function(given: str, module: ModuleType, called: str, attribute: str) -> Function:
    if not callable(function := getattr(module, attribute, None)):
        known = [key for key, value in vars(module).items() if callable(value)]
        near = nearest(attribute, known)
        raise ConfigError(f"{given} given, but {called} has no function {attribute!r}{near}")
    return function


def _imported(given: str, name: str, read_from: str) -> Function:
    """Return the function of a genetic operator by its dotted name.

    The module may also be a file in the current folder. Arguments are those of :func:`_of_file`.
    """
    module_name, _, attribute = name.rpartition(".")
    offered = {point.value for point in _offered().values()}
    is_trusted = not read_from or f"{module_name}:{attribute}" in offered
    if not is_trusted:
        _check_safe(module_name, given, read_from)
    package = module_name.partition(".")[0]
    try:
        is_installed = package in sys.modules or find_spec(package) is not None
        with nullcontext() if is_installed else on_path(os.getcwd()):
            module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # a module of the user's may fail in any way
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise ConfigError(
            f"{given} given, but {module_name} cannot be imported ({why}); give the dotted name of "
            "a function in an installed module"
        ) from error
    function = _function(given, module, module_name, attribute)
    defined_in = getattr(function, "__module__", None) or ""  # not the names that a module imports
    if not is_trusted:
        _check_safe(defined_in, given, read_from)
    return function


def _check_safe(module: str, given: str, read_from: str) -> None:
    """Raise if a run's folder may not name functions of this module as operators.

    Functions of safe packages alone are imported without the user's trust. ``given`` is the field
    and the name, for the message.
    """
    if not any(module == safe or module.startswith(f"{safe}.") for safe in SAFE_MODULES):
        raise ConfigError(
            f"{read_from}: {given} given; a folder may name functions of {', '.join(SAFE_MODULES)} "
            f"and of installed entry points ({GROUP}) alone: if you trust what this function does, "
            "add --trust (trust=True)"
        )


def _check_arguments(operator: Operator) -> None:
    """Raise if a user's function does not take the arguments of a genetic operator.

    The message names an argument that is missing, or needed beyond those.
    """
    parameters, where = operator.parameters, f"learner.{operator.field}"
    kinds = {parameter.kind for parameter in parameters.values()}
    if not parameters or inspect.Parameter.VAR_KEYWORD in kinds:
        return
    positional = POSITIONAL[operator.field]
    if len(parameters) < positional and inspect.Parameter.VAR_POSITIONAL not in kinds:
        raise ConfigError(
            f"{where}={operator.name!r} given, but it takes {len(parameters)} argument; a function "
            f"of {positional} is expected"
        )
    given_by_us = {"rng", *list(parameters)[:positional]}
    if operator.over_rows:
        given_by_us |= {"rows", "alleles", "counts", "limit"}
    free = {
        name: parameter.default is parameter.empty
        for name, parameter in parameters.items()
        if name not in given_by_us and parameter.kind is not parameter.VAR_POSITIONAL
    }
    for name in operator.arguments:
        if name not in free:
            raise ConfigError(
                f"{where}_options: {operator.name} takes no argument {name!r}{nearest(name, free)}"
            )
    missing = [name for name in free if free[name] and name not in operator.arguments]
    if missing:
        raise ConfigError(
            f"{where}={operator.name!r} needs {', '.join(missing)}: add "
            f"{where}_options = {{ {missing[0]} = ... }}"
        )


def check(named: Named, genome: Genome) -> None:
    """Raise if configured genetic operators are wrong, as far as this shows without an import.

    Raises:
        ConfigError: a name that is unknown, an operator for other genomes, or arguments that a
            built-in operator does not take or that are out of range.
    """
    for field, (name, arguments) in named.items():
        check_name(field, name)
        own = KNOWN[field].get(name)
        if own is not None:
            operator = Operator(field, name, own, arguments, over_rows=True)
            _check_arguments(operator)
            if field == "mutation":
                _check_mutation(operator, genome)
        ranged = vars(Arguments()) if own else PROBABILITIES if field != "selection" else ()
        values = {key: value for key, value in arguments.items() if key in ranged}
        checked(Arguments, f"learner.{field}_options.", values, ConfigError)


def _check_mutation(mutation: Operator, genome: Genome) -> None:
    """Raise if a built-in mutation does not fit the genes of an encoding.

    The genome's ``mutation_arguments`` hold the arguments about genes for a mutation.
    """
    if mutation.name != genome.default_mutation:
        raise ConfigError(
            f"learner.mutation={mutation.name!r} given; genomes of {genome.unit} take "
            f"{genome.default_mutation!r}"
        )
    told = {"genes", "rng", "probability", *genome.mutation_arguments}
    missing = [
        name
        for name, parameter in mutation.parameters.items()
        if parameter.default is parameter.empty and name not in told
    ]
    if missing:
        raise ConfigError(
            f"encoding {genome.spec()['encoding']!r}: its default_mutation is {mutation.name!r}, "
            f"which needs {' and '.join(missing)}; return them by name from its genome's property "
            "mutation_arguments"
        )


def operators_of(
    named: Named, genome: Genome, mutation_probability: float, read_from: str = ""
) -> dict[str, Operator]:
    """Return the selection, crossover and mutation of a checked configuration, ready to use.

    Args:
        named: the operators by name.
        genome: of the individuals.
        mutation_probability: passed to a mutation of DEAP, as ``indpb``.
        read_from: the folder that the names come from; empty: they come from the user.

    Raises:
        ConfigError: there is no such function, it does not take these arguments, or a folder names
            a function that it may not.
        TournamentError: an installed package offers it, and it cannot be loaded.
    """
    operators = {}
    for field, (name, arguments) in named.items():
        own = KNOWN[field].get(name)
        function = own or _found(f"learner.{field}={name!r}", name, read_from)
        operator = Operator(field, name, function, arguments, over_rows=own is not None)
        if field == "mutation" and own is None:
            operator = operator.completed({"indpb": mutation_probability})
        _check_arguments(operator)
        operators[field] = operator
    return {**operators, "mutation": operators["mutation"].completed(genome.mutation_arguments)}


def all_over_rows(operators: Mapping[str, Operator]) -> bool:
    """Return whether all genetic operators are built in and work on all individuals at once."""
    return all(operator.over_rows for operator in operators.values())


@contextmanager
def seeded_globals(seed: int, purpose: str, generation: int) -> Iterator[None]:
    """Seed the global generators of Python and numpy for a block, and restore them at its end.

    Seeds come from the run's stream. DEAP's operators draw from these generators; built-in
    operators do not. A lock lets one thread at a time use them.
    """
    with _one_at_a_time:
        before = random.getstate(), np.random.get_state()
        stream = generator(seed, purpose, generation)
        random.seed(int(stream.integers(2**63)))
        np.random.seed(stream.integers(2**32, size=4))
        try:
            yield
        finally:
            random.setstate(before[0])
            np.random.set_state(before[1])
