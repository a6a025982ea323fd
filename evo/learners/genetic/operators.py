"""Operators of the genetic algorithm: ours by name, DEAP's and users' by dotted name or file.

Data names no code: a configuration is checked without importing or calling what it names. A name is
resolved when a learner is made to evolve. The names that a folder holds are then resolved only
where they are of DEAP, of this project or of an installed package that offers them, see
:data:`GROUP`.
"""

from __future__ import annotations

import importlib
import inspect
import os
import random
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np

from evo.genomes.base import Genome
from evo.learners.genetic.selection import SELECTIONS
from evo.learners.genetic.variation import CROSSOVERS, MUTATIONS
from tournaments.code_files import is_code, module_of, names_thing, read
from tournaments.errors import ConfigError, TournamentError, nearest
from tournaments.kernels.rng import generator
from tournaments.named_files import named_by
from tournaments.registry import loaded as load

GROUP = "evo.operators"
"""The entry points by which an installed package offers operators, by name."""
KNOWN = {"selection": SELECTIONS, "crossover": CROSSOVERS, "mutation": MUTATIONS}
"""Operators of ours, by the field that names one."""
SAFE_MODULES = (
    "deap.tools",
    *sorted({function.__module__ for own in KNOWN.values() for function in own.values()}),
)
"""Modules, and packages, whose functions a folder may name."""
PROBABILITIES = ("probability", "indpb")
"""What arguments of operators are called that are probabilities: of ours, and of DEAP's."""


Function = Callable[..., Any]
Named = Mapping[str, tuple[str, Mapping[str, Any]]]
"""For ``selection``, ``crossover`` and ``mutation`` the operator's name and its arguments."""
_one_at_a_time = threading.RLock()
"""Held by who has seeded the global generators: islands evolve side by side in threads."""


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
    function: Function
    arguments: Mapping[str, Any]
    over_rows: bool

    @cached_property
    def takes_rng(self) -> bool:
        """Whether it takes the run's stream, by the name ``rng``; asked once, as that is slow."""
        return "rng" in _parameters(self.function)

    def bound(self, seed: int, purpose: str, generation: int) -> Function:
        """The operator with its arguments, and with a generation's stream if it takes one."""
        if not self.takes_rng:
            return partial(self.function, **self.arguments)
        return partial(self.function, **self.arguments, rng=generator(seed, purpose, generation))

    def completed(self, about: Mapping[str, Any]) -> Operator:
        """The operator with those of these arguments that it takes."""
        taken = _parameters(self.function)
        asked_for = {name: value for name, value in about.items() if name in taken}
        return replace(self, arguments={**asked_for, **self.arguments})


def resolve(
    where: str,
    name: str,
    arguments: Mapping[str, Any],
    defaults: Mapping[str, Any],
    read_from: str = "",
) -> Operator:
    """The operator behind a name: ours, one that a package offers, or any by dotted name or file.

    Args:
        where: the field that names it, such as ``learner.mutation``.
        defaults: arguments that it gets, unless they are given, if it is not ours and takes them.
        read_from: the folder that the name comes from; empty: it is the user's wish.

    Raises:
        ConfigError: there is no such function, it does not take these arguments, or a folder names
            a function that it may not.
        TournamentError: an installed package offers it, and it cannot be loaded.
    """
    own = KNOWN[_field(where)]
    check_name(where, name)
    if name in own:
        operator = Operator(name, own[name], arguments, over_rows=True)
    else:
        offered = _offered().get(name)
        find = _of_file if is_code(name) else _imported
        function = find(where, name, read_from) if offered is None else _loaded(where, offered)
        operator = Operator(name, function, arguments, over_rows=False).completed(defaults)
    _check_arguments(where, operator)
    return operator


def check_name(where: str, name: str) -> None:
    """Refuse what names no operator; nothing is imported.

    Raises:
        ConfigError: it is no operator of ours, nor one offered, nor a dotted name, nor in a file.
    """
    own = KNOWN[_field(where)]
    if name in own or name in (offered := _offered()) or names_thing(name):
        return
    if "." not in name:
        known = [*own, *sorted(offered)]
        raise ConfigError(
            f"unknown operator {where}={name!r}{nearest(name, known)} (known: {', '.join(known)}, "
            "or any function by dotted name or file, as deap.tools.cxTwoPoint or myops.py:mate)"
        )
    if not all(part.isidentifier() for part in name.split(".")):
        raise ConfigError(
            f"{where}={name!r} given; the name of a function is expected, such as "
            "deap.tools.cxTwoPoint or myops.py:mate"
        )


def _field(where: str) -> str:
    return where.rpartition(".")[2]


def _offered() -> dict[str, EntryPoint]:
    """Operators of installed packages, by name."""
    return {point.name: point for point in entry_points(group=GROUP)}


def _loaded(where: str, point: EntryPoint) -> Function:
    function: Function = load(point, "operator")
    if not callable(function):
        raise ConfigError(
            f"{where}={point.name!r} given, but its package offers a {type(function).__name__}; a "
            "function is expected"
        )
    return function


def _of_file(where: str, name: str, read_from: str) -> Function:
    """The function that a Python file holds, as ``myops.py:select``."""
    path, _, attribute = name.partition(":")
    try:
        with named_by(read_from):
            module = module_of(read(path))
    except TournamentError as error:
        raise ConfigError(f"{where}={name!r} given, but {error}") from error
    return _function(f"{where}={name!r}", module, path, attribute)


def _function(given: str, module: ModuleType, called: str, attribute: str) -> Function:
    if not callable(function := getattr(module, attribute, None)):
        known = [key for key, value in vars(module).items() if callable(value)]
        near = nearest(attribute, known)
        raise ConfigError(f"{given} given, but {called} has no function {attribute!r}{near}")
    return function


def _imported(where: str, name: str, read_from: str) -> Function:
    module_name, _, attribute = name.rpartition(".")
    offered = {point.value for point in _offered().values()}
    is_offered = f"{module_name}:{attribute}" in offered
    if read_from and not is_offered and not _is_safe(module_name):
        raise _untrusted(where, name, read_from)
    try:
        with _current_folder_for(module_name.partition(".")[0]):
            module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # a module of the user's may fail in any way
        raise ConfigError(
            f"{where}={name!r} given, but {module_name} cannot be imported ({in_a_line(error)}); "
            "give the dotted name of a function in an installed module"
        ) from error
    function = _function(f"{where}={name!r}", module, module_name, attribute)
    defined_in = getattr(function, "__module__", None) or ""  # what a module imports is not its own
    if read_from and not is_offered and not _is_safe(defined_in):
        raise _untrusted(where, name, read_from)
    return function


def _is_safe(module: str) -> bool:
    return any(module == safe or module.startswith(f"{safe}.") for safe in SAFE_MODULES)


def _untrusted(where: str, name: str, read_from: str) -> ConfigError:
    return ConfigError(
        f"{read_from}: {where}={name!r} given; a folder may name functions of "
        f"{', '.join(SAFE_MODULES)} and of installed entry points ({GROUP}) alone: if you trust "
        "what this function does, add --trust (trust=True)"
    )


@contextmanager
def _current_folder_for(module: str) -> Iterator[None]:
    """Let a module be found in the current folder, after all others, where nothing else has it."""
    here = os.getcwd()
    elsewhere = module in sys.modules or find_spec(module) is not None
    if elsewhere or PathFinder.find_spec(module, [here]) is None:
        yield
        return
    sys.path.append(here)
    try:
        yield
    finally:
        sys.path.remove(here)


def in_a_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def _parameters(function: Function) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):  # some builtins do not tell
        return {}


def _check_arguments(where: str, operator: Operator) -> None:
    parameters = _parameters(operator.function)
    kinds = {parameter.kind for parameter in parameters.values()}
    if not parameters or inspect.Parameter.VAR_KEYWORD in kinds:
        return
    positional = {"selection": 2, "crossover": 2, "mutation": 1}[_field(where)]
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


def all_own(named: Named) -> bool:
    """Return whether all operators are ours, so that calling them calls nothing that data names."""
    return all(name in KNOWN[field] for field, (name, _) in named.items())


def check(named: Named, genome: Genome) -> None:
    """Refuse operators as far as that can be done without importing or calling what is named.

    Raises:
        ConfigError: a name that stands for nothing, an operator for other genomes, arguments that
            an operator of ours does not take, or a probability that is none.
    """
    for field, (name, arguments) in named.items():
        where = f"learner.{field}"
        if field == "mutation" and name in MUTATIONS and name != genome.default_mutation:
            raise ConfigError(
                f"{where}={name!r} given; genomes of {genome.unit} take {genome.default_mutation!r}"
            )
        check_name(where, name)
        if field != "selection":
            _check_probabilities(f"{where}_options", arguments)
        if own := KNOWN[field].get(name):
            _check_arguments(where, Operator(name, own, arguments, over_rows=True))
            if field == "mutation":
                _check_told(name, own, genome)


def _check_told(name: str, mutation: Function, genome: Genome) -> None:
    """Refuse an encoding that does not tell its mutation what that needs to know of the genes."""
    told = {"genes", "rng", "probability", *genome.mutation_arguments}
    needed = [key for key, each in _parameters(mutation).items() if each.default is each.empty]
    if missing := [key for key in needed if key not in told]:
        raise ConfigError(
            f"encoding {genome.spec()['encoding']!r}: its default_mutation is {name!r}, which "
            f"needs {' and '.join(missing)}; return them by name from its genome's property "
            "mutation_arguments"
        )


def operators_of(
    named: Named, genome: Genome, mutation_probability: float, read_from: str = ""
) -> dict[str, Operator]:
    """Return the selection, crossover and mutation of a configuration.

    Args:
        named: the operators as they are named.
        genome: of the individuals.
        mutation_probability: passed to a mutation of DEAP, as ``indpb``.
        read_from: see :func:`resolve`.

    Raises:
        ConfigError: as for :func:`check` and :func:`resolve`.
    """
    check(named, genome)
    defaults = {"mutation": {"indpb": mutation_probability}}
    operators = {
        field: resolve(f"learner.{field}", name, arguments, defaults.get(field, {}), read_from)
        for field, (name, arguments) in named.items()
    }
    mutation = operators["mutation"].completed(genome.mutation_arguments)
    return {**operators, "mutation": mutation}


def all_over_rows(operators: Mapping[str, Operator]) -> bool:
    """Return whether all operators are ours, over rows."""
    return all(operator.over_rows for operator in operators.values())


@contextmanager
def seeded_globals(seed: int, purpose: str, generation: int) -> Iterator[None]:
    """Python's and numpy's global generators, seeded from the run's stream, then put back.

    DEAP's operators draw from them; nothing of ours does. One thread at a time has them.
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


def called(name: str, operator: Function, *arguments: Any) -> Any:
    """What a plugged operator returns; what it raises is a mistake in it or in its arguments."""
    try:
        return operator(*arguments)
    except (Exception, SystemExit) as error:
        raise ConfigError(
            f"{name} failed ({in_a_line(error)}); it must keep the length of genomes and take the "
            "arguments in its _options"
        ) from error


def write_back(name: str, rows: np.ndarray, returned: Any, genome: Genome) -> None:
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
