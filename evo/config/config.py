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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from evo.config import length as budget
from evo.config.run_options import (
    GENOMES,
    LEARNERS,
    GenomeOptions,
    GradientOptions,
    RealGenomeOptions,
    RunOptions,
    StrategyOptions,
    WindowTableOptions,
)
from evo.config.run_options import LearnerOptions as LearnerOptions
from evo.errors import ConfigError
from evo.genomes.base import BitNetwork, Genome, PolicyTable
from evo.genomes.real_network import RealNetwork
from evo.population import ALL, ARCHIVE
from tournaments import games, players, schemes
from tournaments import options as fields
from tournaments.errors import nearest
from tournaments.player import CompiledPlayer, Game, Player
from tournaments.players.network.bits import Encoding, layers_for
from tournaments.players.table.encoding import TableEncoding

LARGEST_RANGE = 65536.0
MOST_MATCHES = 2_000_000_000
MOST_GENES = 2_000_000_000

DEFAULT_GAME = "dots-and-boxes"
DEFAULT_SCHEME = schemes.AntibodyAntigen.name
DEFAULT_LEARNER = "genetic"
TABLES = ("game", "scheme", "genome", "learner")
NAMED = {
    "game": ("name", DEFAULT_GAME),
    "scheme": ("name", DEFAULT_SCHEME),
    "genome": ("encoding", ""),
    "learner": ("name", DEFAULT_LEARNER),
}
"""Tables that are of one kind or another, by the field that says which, and what it is unsaid."""


class Plan(NamedTuple):
    """A population: its name and how its individuals are written down."""

    name: str
    genome: Genome


@dataclass(frozen=True)
class Config:
    """A run, validated. Make one with :func:`from_dict`; :meth:`to_dict` gives every field.

    Attributes:
        scheme: who meets whom; None where the learner says it.
        genome: the options of the encoding.
        learner: the options of the learner.
        populations: one, or one a role.
        read_from: the folder that names the operators, see :mod:`evo.learners.genetic.operators`;
            empty: a user does, and wishes to run them.
    """

    run: RunOptions
    game: Game
    scheme: schemes.Scheme | None
    genome: Any
    learner: Any
    populations: tuple[Plan, ...] = field(repr=False)
    read_from: str = field(default="", repr=False, compare=False)

    @property
    def seed(self) -> int:
        return self.run.seed

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many individuals each population has under a scheme."""
        return (self.run.population,) * len(self.populations)

    @cached_property
    def panel(self) -> tuple[Player, ...]:
        """The fixed opponents that the scheme or the learner names."""
        names = self.learner.panel if self.scheme is None else self.scheme.panel
        return tuple(players.make(name, self.game) for name in names)

    def plan(self, name: str) -> Plan:
        """The population of a name; an archive of earlier individuals is written as they are."""
        name = name.removesuffix(ARCHIVE)
        return next(plan for plan in self.populations if plan.name == name)

    def to_dict(self) -> dict[str, Any]:
        """Every field with its value; :func:`from_dict` of it is this configuration again."""
        scheme = self.scheme
        top = budget.top_level(self.run)
        if scheme is None:
            del top["population"]  # the learner says how many there are
        return {
            **top,
            "game": {"name": self.game.name, **self.game.options},
            **({"scheme": {"name": scheme.name, **fields.as_options(scheme)}} if scheme else {}),
            "genome": fields.as_options(self.genome),
            "learner": fields.as_options(self.learner),
        }

    @cached_property
    def genome_bytes(self) -> int:
        """The width of packed genomes in a snapshot: that of the widest."""
        return self.genome_spec()["bytes"]

    def genome_spec(self) -> dict[str, Any]:
        """The encoding, complete: what a reader of the genomes needs to decode them."""
        specs = {plan.name: plan.genome.spec() for plan in self.populations}
        if len(specs) == 1:
            return specs[self.populations[0].name]
        return {"bytes": max(spec["bytes"] for spec in specs.values()), "populations": specs}


def from_dict(given: Mapping[str, Any]) -> Config:
    """A configuration from a nested table; what is absent takes its default.

    ``game`` and ``scheme`` are tables with a ``name``, or a text such as
    ``dots-and-boxes:rows=5,cols=5``; ``learner`` may be a name. No operator is imported or called.

    Raises:
        ConfigError, TournamentError: the first field that is wrong, in one line.
    """
    top = {key: value for key, value in given.items() if key not in TABLES}
    _refuse_unknown(top)
    run = fields.checked(RunOptions, "", top, ConfigError)
    game_name, game_options = _named(given, "game")
    game = games.make(game_name, **game_options)
    learner = _learner(given)
    if learner.arranges_matches and "population" in given:
        raise ConfigError(
            f"population={given['population']!r} and learner={learner.name!r} given; a round of "
            f"{learner.name} has an incumbent and learner.candidates variants of it: set that"
        )
    scheme = _scheme(given, learner)
    genome = _genome(given, game, learner)
    config = Config(run, game, scheme, genome, learner, _populations(game, genome))
    config = replace(config, run=budget.resolved(config, given))
    _check_sizes(config)
    from evo.learners.checks import checked_learner

    config = replace(config, learner=checked_learner(config))
    _check_panel(config)
    return config


def of_run(
    table: Mapping[str, Any], spec: Mapping[str, Any], where: object, trust: bool = False
) -> Config:
    """The configuration of a run, once it makes the genomes that the run holds.

    Args:
        table, spec: the configuration and the description of the genomes in ``run.json``.
        where: the run's folder.
        trust: whether any function that it names may be called once it evolves.

    Raises:
        ConfigError: ``run.json`` was changed.
    """
    config = replace(from_dict(table), read_from="" if trust else str(where))
    if config.genome_spec() != spec:
        raise ConfigError(
            f"{where}: the genomes are {spec}, but its configuration makes "
            f"{config.genome_spec()}; run.json was changed, so put it back as it was"
        )
    return config


def _learner(given: Mapping[str, Any]) -> Any:
    name, options = _named(given, "learner")
    if name not in LEARNERS:
        raise ConfigError(
            f"unknown learner {name!r}{nearest(name, LEARNERS)} (known: {', '.join(LEARNERS)})"
        )
    return fields.checked(LEARNERS[name], "learner.", {**options, "name": name}, ConfigError)


def _scheme(given: Mapping[str, Any], learner: Any) -> schemes.Scheme | None:
    if not learner.arranges_matches:
        name, options = _named(given, "scheme")
        return schemes.make(name, **options)
    if given.get("scheme"):
        raise ConfigError(
            f"a scheme and learner={learner.name!r} given; {learner.name} says itself who meets "
            "whom (learner.current, archive, panel): leave the scheme out"
        )
    return None


def _genome(given: Mapping[str, Any], game: Game, learner: Any) -> Any:
    """The options of the encoding: networks where the game takes them, or policy tables."""
    able = ["bit-network", "real-network"] if game.rules.num_inputs is not None else []
    able += [form for form in game.rules.tables if form in GENOMES]
    name, options = _named(given, "genome")
    if not able:
        raise ConfigError(
            f"{game.name} offers neither inputs for networks nor policy tables, so nothing can "
            "evolve; its players can meet in evo tournament"
        )
    if isinstance(learner, StrategyOptions | GradientOptions):
        _check_real(name, able, game, learner.name)
        name = "real-network"
    name = name or able[0]
    if name not in able:
        raise ConfigError(
            f"genome.encoding={name!r} given{nearest(name, able)}; "
            f"{' or '.join(map(repr, able))} is expected for {game.name}"
        )
    return fields.checked(GENOMES[name], "genome.", {**options, "encoding": name}, ConfigError)


def _check_real(name: str, able: Sequence[str], game: Game, learner: str) -> None:
    """Refuse a learner of real weights where there are none."""
    if "real-network" not in able:
        raise ConfigError(
            f"learner={learner!r} given; it takes networks of real weights, and {game.name} shows "
            "networks nothing: take another learner, such as genetic"
        )
    if name not in ("", "real-network"):
        raise ConfigError(
            f"genome.encoding={name!r} and learner={learner!r} given; it takes real weights: set "
            "genome.encoding=real-network, or leave the encoding out"
        )


def _populations(game: Game, genome: Any) -> tuple[Plan, ...]:
    if isinstance(genome, GenomeOptions):
        if genome.high - genome.low > LARGEST_RANGE:
            raise ConfigError(
                f"genome.low={genome.low:g}, genome.high={genome.high:g} given; a range of at most "
                f"{LARGEST_RANGE:g} is expected"
            )
        layers = layers_for(game, genome.hidden)
        encoding = Encoding(layers, genome.bits, genome.low, genome.high)
        return (Plan(ALL, BitNetwork(encoding)),)
    if isinstance(genome, RealGenomeOptions):
        return (Plan(ALL, RealNetwork.of_options(game, genome)),)
    options = {"far": genome.far} if isinstance(genome, WindowTableOptions) else {}
    if genome.pairs or not game.rules.has_roles:
        seats: dict[str, tuple[int, ...]] = {ALL: (0, 1)}
    else:
        seats = {name: (seat,) for seat, name in enumerate(game.seats)}
    return tuple(
        Plan(name, PolicyTable(TableEncoding(game, genome.encoding, held, options)))
        for name, held in seats.items()
    )


def _check_sizes(config: Config) -> None:
    individuals, learner = config.run.population, config.learner
    if config.scheme is not None:
        config.scheme.check(config.sizes)
        matches = config.scheme.num_matches(config.sizes)
    else:
        individuals = 1 + learner.candidates + learner.archive
        opponents = learner.current + learner.archive + len(learner.panel)
        matches = (1 + learner.candidates) * opponents * learner.games
    _check_size("matches a generation", matches, MOST_MATCHES)
    genes = individuals * sum(plan.genome.num_genes for plan in config.populations)
    _check_size("genes in the population", genes, MOST_GENES)


def _check_size(what: str, number: int, most: int) -> None:
    if number > most:
        raise ConfigError(
            f"{number:,} {what}; at most {most:,} fit in memory: take a smaller population, a "
            "smaller board or another scheme"
        )


def _check_panel(config: Config) -> None:
    """Refuse a fixed opponent that there is not, or that holds but one seat: it meets both."""
    for player in config.panel:
        if isinstance(player, CompiledPlayer) and len(player.seats) < 2:
            raise ConfigError(
                f"opponent {player.name!r} given; it plays the "
                f"{config.game.seats[player.seats[0]]} only and is to play both seats: take one "
                "that holds both, such as random"
            )


def _refuse_unknown(top: Mapping[str, Any]) -> None:
    known = [name for name, _, _ in fields.documentation(RunOptions)] + sorted(TABLES)
    for name in top:
        if name not in known:
            raise ConfigError(
                f"unknown field {name!r}{nearest(name, known)} (known: {', '.join(known)})"
            )


def _named(given: Mapping[str, Any], key: str) -> tuple[str, dict[str, Any]]:
    """What kind of thing a table is, and its options; a text stands for such a table."""
    field, default = NAMED[key]
    value = given.get(key, {})
    if isinstance(value, str):
        return games.parse_spec(value)
    table = dict(_table(given, key))
    name = table.pop(field, default)
    if not isinstance(name, str):
        raise ConfigError(f"{key}.{field}={name!r} given; a name is expected")
    return name, table


def _table(given: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = given.get(key, {})
    if not isinstance(value, Mapping):
        raise ConfigError(f"{key}={value!r} given; a table is expected: [{key}]")
    return value


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
    """A table with changes laid over it; a game, scheme, encoding or learner of another name
    replaces the whole."""
    merged = dict(base)
    for key, value in changes.items():
        if key in NAMED:
            merged[key] = _merged_named(key, merged.get(key, {}), value)
        elif isinstance(value, Mapping) and isinstance(merged.get(key), Mapping):
            merged[key] = merge(merged[key], value)
        else:
            merged[key] = value
    return merged


def _merged_named(key: str, present: Any, value: Any) -> Any:
    """One of the tables that have a name, each a table or a text, with a change laid over it."""
    before, after = _as_table(key, present), _as_table(key, value)
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return value
    field, default = NAMED[key]
    name = before.get(field, default)
    return dict(after) if after.get(field, name) != name else merge(before, after)


def _as_table(key: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    name, options = games.parse_spec(value)
    return {NAMED[key][0]: name, **options}


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
