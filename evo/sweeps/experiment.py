"""An experiment file: populations, factors and seeds, each combination of which is a run.

    name = "pilot"
    seeds = 10

    [base]
    games = 2_000_000
    snapshot_games = 100_000

    [populations.direct-level-0]
    scheme = { name = "direct", opponent = "level-0" }

    [populations.round-robin]
    scheme = "round-robin"

    [factors]
    "learner.mutation_probability" = [0.00072, 0.005]

    [evaluation]
    opponents = ["level-0", "level-1"]
    games = 300
    again = 1000

A population is a configuration of ``evo run`` whose values override those of ``base``. The values
of the factors override those of each population, or of ``base`` if there are no populations. A cell
is a combination of a population and a value of each factor. It is run once for each seed.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from evo.config import config as configuration
from evo.config import toml
from evo.config.config import Config
from evo.config.run_options import LARGEST_SEED, RunOptions
from evo.config.tables import nested
from evo.evaluation.players import named
from evo.requests.evaluation import EvaluateRequest
from results.format.schema import BEST_RESPONSE
from results.read.sweep import BASE
from tournaments.errors import ConfigError, TournamentError, nearest
from tournaments.options import GAMES, checked, option, table

SHIPPED = Path(__file__).parents[1] / "studies"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}")
FIRST_SEEDS = 1_000_000
"""Maximum number of seeds, if only their number is given."""


@dataclass(frozen=True)
class Evaluation:
    """The evaluation of a completed run: games of every individual of each snapshot.

    Attributes:
        opponents: fixed opponents; none: nothing is measured
        games: games of each individual against each opponent
        again: fresh games of the individual that won most, so that the luck by which it was chosen
            does not count; 0: none
    """

    opponents: tuple[str, ...] = option(())
    games: int = option(300, **GAMES)
    again: int = option(0, low=0, even=True)


@dataclass(frozen=True)
class Sections:
    """The top level of an experiment file, before its tables are validated."""

    name: str = option("", "what the folder of its runs is called")
    about: str = option("", "what it is for, in a line")
    seeds: Any = option(1, "how many seeds, or a list of them")
    base: dict[str, Any] = table("a configuration, of which populations say what differs")
    populations: dict[str, Any] = table("a configuration a population, by name")
    factors: dict[str, Any] = table("lists of values by dotted field, crossed with the populations")
    evaluation: dict[str, Any] = table("what is measured once a run is over")


@dataclass(frozen=True)
class Cell:
    """A combination of a population and a value of each factor.

    Attributes:
        name: name of the cell and of its folder.
        variant: the name of the population in the file.
        factors: values by dotted field.
        table: the configuration, without a seed.
    """

    name: str
    variant: str
    factors: Mapping[str, Any]
    table: Mapping[str, Any]

    def config(self, seed: int) -> Config:
        """Return the configuration of the cell's run with a seed.

        The table is validated once for all seeds.

        Raises:
            ConfigError, TournamentError: the table is not a valid configuration.
        """
        return replace(self._config, run=replace(self._config.run, seed=seed))

    @cached_property
    def _config(self) -> Config:
        return configuration.from_dict(self.table)


@dataclass(frozen=True)
class Experiment:
    """A validated experiment file. Make one with :func:`load_experiment`."""

    name: str
    about: str
    seeds: tuple[int, ...]
    cells: tuple[Cell, ...]
    evaluation: Evaluation


def load_experiment(
    source: str | Path, changes: Mapping[str, Any] | None = None, quick: bool = False
) -> Experiment:
    """Load the experiment of a TOML file, or a built-in experiment by name.

    Args:
        source: a path, or a name such as ``dots-and-boxes-1998``.
        changes: a table laid over the file's.
        quick: lay the file's table ``quick`` over it first.

    Raises:
        ConfigError: the first field that is wrong, in one line.
    """
    file = _path(source)
    given = dict(toml.load(file))
    small = given.pop("quick", None)
    if quick and not isinstance(small, Mapping):
        raise ConfigError(f"--quick given, but {source} has no table [quick]: leave it out")
    for layer in (small if quick else {}, changes or {}):
        given = _laid_over(given, layer)
    with toml.fields_of(file):
        return from_dict(given)


def _path(source: str | Path) -> Path:
    shipped = {
        path.stem.replace("_", "-"): path
        for path in sorted(SHIPPED.glob("*/*.toml"))
        if path.stem.startswith(path.parent.name)
    }
    if not Path(source).exists() and str(source) in shipped:
        return shipped[str(source)]
    if not Path(source).exists():
        raise ConfigError(
            f"{source}: there is no such file, nor an experiment of that name"
            f"{nearest(str(source), shipped)}; a TOML file or one of {', '.join(shipped)} is "
            "expected"
        )
    return Path(source)


def _laid_over(given: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return an experiment table with changes made. Both name factors by dotted field."""
    tables = [
        {**table, "factors": flat(table["factors"])} if "factors" in table else dict(table)
        for table in (given, changes)
    ]
    return configuration.merge(*tables)


def flat(factors: Any, before: str = "") -> Any:
    """Return nested tables as a single table whose keys are dotted names of fields.

    ``before`` is put before each name.
    """
    if not isinstance(factors, Mapping):
        return factors
    found: dict[str, Any] = {}
    for key, value in factors.items():
        inner = isinstance(value, Mapping)
        found |= flat(value, f"{before}{key}.") if inner else {f"{before}{key}": value}
    return found


def from_dict(given: Mapping[str, Any]) -> Experiment:
    """Return the experiment that a nested table describes.

    Raises:
        ConfigError: the first field that is wrong, in one line; a mistake in a configuration names
            the cell before it.
    """
    of_runs = (*configuration.TABLES, *RunOptions.__dataclass_fields__)
    sections = checked(
        Sections,
        "",
        given,
        ConfigError,
        lambda name: "it stands below [base]" if name in of_runs else "",
    )
    if not NAME.fullmatch(sections.name):
        raise ConfigError(f"name={sections.name!r} given; {_EXPECTED_NAME}")
    if not sections.populations and not sections.factors:
        raise ConfigError(
            "no populations given, and no factors; a table [populations.NAME], or a list of values "
            "in [factors], is expected"
        )
    if not sections.populations:
        sections = replace(sections, populations={BASE: {}})
    seeds = _seeds(sections.seeds)
    cells = tuple(_cells(sections))
    evaluation = checked(Evaluation, "evaluation.", sections.evaluation, ConfigError)
    for cell in cells:
        _check(cell, seeds[0], evaluation)
    return Experiment(sections.name, sections.about, seeds, cells, evaluation)


_EXPECTED_NAME = "letters, digits, dots, hyphens and underscores are expected, at most 61"


def _seeds(given: Any) -> tuple[int, ...]:
    """Return the seeds of an experiment: a list, or 1 to n for a number n."""
    expected = "a number of seeds from 1 on, or a list of different seeds, is expected"
    is_number = isinstance(given, int) and not isinstance(given, bool)
    if is_number and 1 <= given <= FIRST_SEEDS:
        return tuple(range(1, given + 1))
    listed = isinstance(given, list | tuple) and given
    if not listed or not all(type(n) is int and 0 <= n <= LARGEST_SEED for n in given):
        raise ConfigError(f"seeds={given!r} given; {expected}")
    if len(set(given)) < len(given):
        raise ConfigError(f"seeds={given!r} given, one of them twice; {expected}")
    return tuple(given)


def _cells(sections: Sections) -> Iterator[Cell]:
    factors = flat(sections.factors)
    for field, values in factors.items():
        if not isinstance(values, list | tuple) or not values:
            raise ConfigError(f"factors.{field}={values!r} given; a list of values is expected")
    _refuse_seed(sections, factors)
    names: set[str] = set()
    for variant, changes in sections.populations.items():
        if not NAME.fullmatch(variant) or not isinstance(changes, Mapping):
            raise ConfigError(
                f"populations.{variant}={changes!r} given; a table is expected, and as its name: "
                f"{_EXPECTED_NAME}"
            )
        for values in itertools.product(*factors.values()):
            cell = _cell(variant, changes, sections.base, dict(zip(factors, values, strict=True)))
            if cell.name in names:
                raise ConfigError(f"cell {cell.name} comes twice; give each value of a factor once")
            names.add(cell.name)
            yield cell


def _refuse_seed(sections: Sections, factors: Mapping[str, Any]) -> None:
    places = {"base": sections.base, "factors": factors}
    places |= {f"populations.{name}": given for name, given in sections.populations.items()}
    for place, given in places.items():
        if isinstance(given, Mapping) and "seed" in given:
            raise ConfigError(f"{place}.seed given; set seeds at the top: seeds = [1, 2, 3]")


def _cell(
    variant: str, changes: Mapping[str, Any], base: Mapping[str, Any], factors: Mapping[str, Any]
) -> Cell:
    config = configuration.merge(base, changes)
    parts = [variant]
    for field, value in factors.items():
        config = configuration.merge(config, nested(field, value))
        text = re.sub(r"[^A-Za-z0-9._-]+", "-", str(value)).strip("-.")
        parts.append(f"{field.rpartition('.')[2]}={text}")
    return Cell(",".join(parts), variant, factors, config)


def _check(cell: Cell, seed: int, evaluation: Evaluation) -> None:
    """Raise if the runs of an experiment's cell cannot be made or measured."""
    try:
        config = cell.config(seed)
        if evaluation.opponents and evaluation.again:
            EvaluateRequest("", games=evaluation.again, best_by=evaluation.games)
        for opponent in evaluation.opponents:
            if opponent != BEST_RESPONSE:
                named(opponent, config.game)
    except (ConfigError, TournamentError) as error:
        raise ConfigError(f"{cell.name}: {error}") from None
