"""What a run is: typed, documented field by field, validated as one thing before any work starts.

A configuration is a TOML file, the flags of the command line, or keyword arguments; each becomes
the same nested table, of which every field has a default. It is written whole into every run. Where
a run is played (threads, Ray) is no part of it: the result does not depend on that.

    generations = 1200
    seed = 1

    [game]
    name = "dots-and-boxes"
    rows = 3
    cols = 3

    [scheme]
    name = "antibody-antigen"
    points = 33.0

    [learner]
    mutation_probability = 0.005
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from evo.errors import ConfigError
from tournaments import fields, games, players, schemes
from tournaments.encoding import Encoding, layers_for
from tournaments.errors import nearest
from tournaments.fields import option, table
from tournaments.types import Game, Player

LARGEST_SEED = 2**63 - 1
LARGEST_RANGE = 65536.0
MOST_MATCHES = 2_000_000_000
MOST_WEIGHTS = 200_000_000


@dataclass(frozen=True)
class RunOptions:
    """The top level of a configuration."""

    generations: int = option(
        1200,
        "generations to evolve after the first, random one (number 0); 1200 are two million games "
        "of the default scheme",
        low=0,
    )
    population: int = option(100, "individuals in a generation", low=1, high=10_000_000)
    seed: int = option(
        1, "the result depends on it and on this configuration alone", 0, LARGEST_SEED
    )
    snapshot_interval: int = option(
        10, "generations from one snapshot to the next; first and last are always written", low=1
    )


@dataclass(frozen=True)
class GenomeOptions:
    """The encoding of individuals: a direct encoding of weights as bits."""

    encoding: str = option("bit-network", "how an individual is written down")
    bits: int = option(10, "bits a weight", low=1, high=16)
    low: float = option(-64.0, "the smallest weight")
    high: float = option(64.0, "the largest weight")


@dataclass(frozen=True)
class LearnerOptions:
    """The genetic algorithm (Weaver and Bossomaier 1998, section 3.5).

    An operator is one of ours by name, or any function that DEAP's toolbox could hold, by dotted
    name: ``deap.tools.selTournament`` with ``selection_options = { tournsize = 3 }``.
    """

    name: str = option("genetic", "the learner")
    selection: str = option("proportional", "who reproduces")
    selection_options: dict[str, Any] = table("arguments of the selection operator")
    crossover: str = option("single-point", "how two parents are joined")
    crossover_options: dict[str, Any] = table("arguments of the crossover operator")
    crossover_probability: float = option(0.6, "share of the pairs that are joined", 0.0, 1.0)
    mutation: str = option("bit-flip", "how an individual is changed")
    mutation_options: dict[str, Any] = table("arguments of the mutation operator")
    mutation_probability: float = option(
        0.00072, "probability that a bit flips; the study used 0.00072 and 0.005", 0.0, 1.0
    )
    elites: int = option(1, "best individuals that are reproduced unchanged", low=0)


TABLES = {"genome": GenomeOptions, "learner": LearnerOptions}
DEFAULT_GAME = "dots-and-boxes"
DEFAULT_SCHEME = schemes.AntibodyAntigen.name
NAMED = {"game": DEFAULT_GAME, "scheme": DEFAULT_SCHEME}


@dataclass(frozen=True)
class Config:
    """A run, validated. Make one with :func:`from_dict`; :meth:`to_dict` gives every field."""

    run: RunOptions
    game: Game
    scheme: schemes.Scheme
    genome: GenomeOptions
    learner: LearnerOptions
    encoding: Encoding = field(repr=False)

    @property
    def seed(self) -> int:
        return self.run.seed

    @cached_property
    def panel(self) -> tuple[Player, ...]:
        """The fixed opponents that the scheme names."""
        return tuple(players.make(name, self.game) for name in self.scheme.panel)

    def to_dict(self) -> dict[str, Any]:
        """Every field with its value; :func:`from_dict` of it is this configuration again."""
        return {
            **fields.as_options(self.run),
            "game": {"name": self.game.name, **self.game.options},
            "scheme": {"name": self.scheme.name, **fields.as_options(self.scheme)},
            "genome": fields.as_options(self.genome),
            "learner": fields.as_options(self.learner),
        }

    def genome_spec(self) -> dict[str, Any]:
        """The encoding, complete: what a reader of the genomes needs to decode them."""
        return {
            "encoding": self.genome.encoding,
            "layers": list(self.encoding.layers),
            "bits": self.encoding.bits,
            "low": self.encoding.low,
            "high": self.encoding.high,
            "bytes": self.encoding.num_bytes,
        }


def from_dict(given: Mapping[str, Any]) -> Config:
    """A configuration from a nested table; what is absent takes its default.

    ``game`` and ``scheme`` are tables with a ``name``, or a text such as
    ``dots-and-boxes:rows=5,cols=5``.

    Raises:
        ConfigError, TournamentError: the first field that is wrong, in one line.
    """
    tables = {"game", "scheme", *TABLES}
    top = {key: value for key, value in given.items() if key not in tables}
    _refuse_unknown(top, tables)
    run = fields.checked(RunOptions, "", top, ConfigError)
    game = games.make(*_named(given, "game", DEFAULT_GAME)[:1], **_named(given, "game", "")[1])
    scheme_name, scheme_options = _named(given, "scheme", DEFAULT_SCHEME)
    scheme = schemes.make(scheme_name, **scheme_options)
    scheme.check(run.population)
    _check_size("matches a generation", scheme.num_matches(run.population), MOST_MATCHES)
    genome = fields.checked(GenomeOptions, "genome.", _table(given, "genome"), ConfigError)
    learner = fields.checked(LearnerOptions, "learner.", _table(given, "learner"), ConfigError)
    if genome.encoding != "bit-network":
        raise ConfigError(f"genome.encoding={genome.encoding!r} given; 'bit-network' is expected")
    if genome.high - genome.low > LARGEST_RANGE:
        raise ConfigError(
            f"genome.low={genome.low:g}, genome.high={genome.high:g} given; a range of at most "
            f"{LARGEST_RANGE:g} is expected"
        )
    encoding = Encoding(layers_for(game), genome.bits, genome.low, genome.high)
    weights = run.population * encoding.num_weights
    _check_size("weights in the population", weights, MOST_WEIGHTS)
    config = Config(run, game, scheme, genome, learner, encoding)
    _check_learner(config)
    _ = config.panel  # an unknown opponent is refused here
    return config


def _check_size(what: str, number: int, most: int) -> None:
    if number > most:
        raise ConfigError(
            f"{number:,} {what}; at most {most:,} fit in memory: take a smaller population, a "
            "smaller board or another scheme"
        )


def _refuse_unknown(top: Mapping[str, Any], tables: set[str]) -> None:
    known = [name for name, _, _ in fields.documentation(RunOptions)] + sorted(tables)
    for name in top:
        if name not in known:
            raise ConfigError(
                f"unknown field {name!r}{nearest(name, known)} (known: {', '.join(known)})"
            )


def _named(given: Mapping[str, Any], key: str, default: str) -> tuple[str, dict[str, Any]]:
    """The name and the options of ``[game]`` or ``[scheme]``, a table or a text."""
    value = given.get(key, {})
    if isinstance(value, str):
        return games.parse_spec(value)
    table = dict(_table(given, key))
    name = table.pop("name", default)
    if not isinstance(name, str):
        raise ConfigError(f"{key}.name={name!r} given; a name is expected")
    return name, table


def _table(given: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = given.get(key, {})
    if not isinstance(value, Mapping):
        raise ConfigError(f"{key}={value!r} given; a table is expected: [{key}]")
    return value


def _check_learner(config: Config) -> None:
    from evo.learners import genetic

    if config.learner.name != genetic.NAME:
        raise ConfigError(
            f"unknown learner {config.learner.name!r}"
            f"{nearest(config.learner.name, [genetic.NAME])} (known: {genetic.NAME})"
        )
    if config.learner.elites > config.run.population:
        raise ConfigError(
            f"learner.elites={config.learner.elites} given; a population of "
            f"{config.run.population} has at most that many"
        )
    if not genetic.Operators.from_options(config.learner).all_over_rows:
        genetic.try_out(config.learner, config.encoding.num_bits, min(config.run.population, 3))


def load(path: str | Path) -> dict[str, Any]:
    """The table in a TOML file.

    Raises:
        ConfigError: the file cannot be read or is not TOML.
    """
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be read ({error.strerror}); a TOML file is expected"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: is not TOML ({error})") from None


def merge(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """A table with changes laid over it; a game or scheme of another name replaces the whole."""
    merged = dict(base)
    for key, value in changes.items():
        if key in NAMED:
            merged[key] = _merged_named(merged.get(key, {}), value, NAMED[key])
        elif isinstance(value, Mapping) and isinstance(merged.get(key), Mapping):
            merged[key] = merge(merged[key], value)
        else:
            merged[key] = value
    return merged


def _merged_named(present: Any, value: Any, default: str) -> Any:
    """``[game]`` or ``[scheme]``, each a table or a text, with a change laid over it."""
    before, after = _as_table(present), _as_table(value)
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return value
    name = before.get("name", default)
    return dict(after) if after.get("name", name) != name else {**before, **after}


def _as_table(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    name, options = games.parse_spec(value)
    return {"name": name, **options}


def assignment(text: str) -> dict[str, Any]:
    """``learner.elites=2`` as the table that it stands for; values are TOML, or plain text."""
    name, equals, value = text.partition("=")
    if not equals or not all(part.strip() for part in name.split(".")):
        raise ConfigError(f"--set {text!r} given; FIELD=VALUE is expected, as in learner.elites=2")
    try:
        parsed = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        parsed = value.strip()
    for part in reversed(name.split(".")):
        parsed = {part.strip(): parsed}
    return parsed
