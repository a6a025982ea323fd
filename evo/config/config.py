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

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from evo import genomes
from evo.config.run_options import RunOptions
from evo.genomes.base import Plan
from evo.learners import LEARNERS
from evo.learners.base import FirstGenes, Problem, from_nothing
from evo.population import ARCHIVE
from tournaments import games, players, schemes
from tournaments import options as fields
from tournaments.errors import ConfigError, TournamentError, nearest, shown
from tournaments.game import Game
from tournaments.named_files import named_by
from tournaments.player import Player, seats_of

MOST_MATCHES = 2_000_000_000
MOST_GENES = 2_000_000_000

DEFAULT_GAME = "dots-and-boxes"
DEFAULT_SCHEME = "antibody-antigen"
DEFAULT_LEARNER = "genetic"
TABLES = ("game", "scheme", "genome", "learner")
NAMED = {
    "game": ("name", DEFAULT_GAME),
    "scheme": ("name", DEFAULT_SCHEME),
    "genome": ("encoding", ""),
    "learner": ("name", DEFAULT_LEARNER),
}
"""Tables that are of one kind or another, by the field that says which, and what it is unsaid."""


@dataclass(frozen=True)
class Config:
    """A run, validated. Make one with :func:`from_dict`; :meth:`to_dict` gives every field.

    Attributes:
        scheme: who meets whom; None where the learner says it.
        genome: the options of the encoding.
        learner: the options of the learner.
        populations: one, or one a role.
        read_from: the folder that names operators, see :mod:`evo.learners.genetic.operators`, and
            files, see :mod:`tournaments.named_files`; empty: a user does, and wishes to take them.
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
        with named_by(self.read_from):
            return tuple(players.make(name, self.game) for name in self.panel_names)

    @property
    def panel_names(self) -> tuple[str, ...]:
        return self.learner.panel if self.scheme is None else self.scheme.panel

    def plan(self, name: str) -> Plan:
        """The population of a name; an archive of earlier individuals is written as they are.

        Raises:
            ConfigError: there is none.
        """
        for plan in self.populations:
            if plan.name == name.removesuffix(ARCHIVE):
                return plan
        names = ", ".join(plan.name for plan in self.populations)
        raise ConfigError(f"population {name!r} given; this configuration has {names}")

    def to_dict(self) -> dict[str, Any]:
        """Every field with its value; :func:`from_dict` of it is this configuration again."""
        scheme = self.scheme
        top = self.run.written()
        if scheme is None:
            del top["population"]  # the learner says how many there are
        return {
            **top,
            "game": {"name": self.game.name, **self.game.options},
            **({"scheme": {"name": scheme.name, **fields.as_options(scheme)}} if scheme else {}),
            "genome": fields.as_options(self.genome),
            "learner": fields.as_options(self.learner),
        }

    @property
    def games_a_match(self) -> int:
        """A match is two games with the seats exchanged, or one where seats are roles."""
        return 2 if len(self.populations) == 1 else 1

    @property
    def games_a_generation(self) -> int | None:
        """Games that the scheme plays in a generation; None where the learner arranges matches."""
        if self.scheme is None:
            return None
        return self.scheme.num_matches(self.sizes) * self.games_a_match

    @property
    def laws(self) -> str:
        """The laws by which generations are made and matches arranged, each with its number."""
        laws = [(self.learner.name, self.learner.law), (self.genome.encoding, self.genome.law)]
        if self.scheme is not None:
            laws.append((self.scheme.name, self.scheme.law))
        return ", ".join(f"{name} {number}" for name, number in laws)

    @property
    def kernels(self) -> str:
        """The digest of the kernels of the game and of all kinds of player that evolve."""
        return self.game.fingerprint(plan.genome.representation.kind for plan in self.populations)

    def changed(self, changes: Mapping[str, Any]) -> Config:
        """This configuration with a table laid over it.

        Raises:
            ConfigError, TournamentError: as for :func:`from_dict`.
        """
        if not changes:
            return self
        return replace(from_dict(merge(self.to_dict(), changes)), read_from=self.read_from)

    def problem(self, first_genes: FirstGenes = from_nothing) -> Problem:
        """What the learner is to solve."""
        return Problem(
            self.seed,
            self.game,
            self.populations,
            self.run.population,
            self.scheme,
            self.panel_names,
            first_genes,
            self.read_from,
        )

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
    config = _validated(given)
    _check_panel(config)
    return config


def _validated(given: Mapping[str, Any]) -> Config:
    """A configuration whose fixed opponents nobody has made yet."""
    top = {key: value for key, value in given.items() if key not in TABLES}
    _refuse_unknown(top)
    run = fields.checked(RunOptions, "", top, ConfigError)
    game_name, game_options = _named(given, "game")
    game = games.make(game_name, **game_options)
    learner = _learner(given)
    if learner.arranges_matches and "population" in given:
        raise ConfigError(
            f"population={shown(given['population'])} and learner={learner.name!r} given; a round "
            f"of {learner.name} has an incumbent and learner.candidates variants of it: set that"
        )
    scheme = _scheme(given, learner)
    genome = _genome(given, game, learner)
    config = Config(run, game, scheme, genome, learner, genome.plans(game))
    games_a_generation = config.games_a_generation
    run = run.resolved(games_a_generation, learner.name, "generations" in given)
    config = replace(config, run=run)
    _check_sizes(config)
    return replace(config, learner=learner.checked(config.problem()))


def of_run(
    table: Mapping[str, Any], spec: Mapping[str, Any], where: object, trust: bool = False
) -> Config:
    """The configuration of a run, once it makes the genomes that the run holds.

    Args:
        table, spec: the configuration and the description of the genomes in ``run.json``.
        where: the run's folder.
        trust: whether any function that it names may be called once it evolves, and any file that
            it names be read. Fixed opponents are not made before they are asked for.

    Raises:
        ConfigError: ``run.json`` was changed.
        TournamentError: it names a file, and is not trusted.
    """
    read_from = "" if trust else str(where)
    with named_by(read_from):
        config = replace(_validated(table), read_from=read_from)
    if config.genome_spec() != spec:
        raise ConfigError(
            f"{where}: the genomes are {shown(spec)}, but its configuration makes "
            f"{shown(config.genome_spec())}; run.json was changed, so put it back as it was"
        )
    return config


def _learner(given: Mapping[str, Any]) -> Any:
    name, options = _named(given, "learner")
    try:
        record = LEARNERS.load(name)
    except TournamentError as error:
        raise ConfigError(str(error)) from None
    return fields.checked(record, "learner.", {**options, "name": name}, ConfigError)


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
    """The options of the encoding: by default of the first that fits the game and the learner."""
    name, options = _named(given, "genome")
    every = genomes.fitting(game)
    able = {key: each for key, each in every.items() if each.values == learner.by_reward}
    _check_values(name, game, learner)
    if not able:
        raise ConfigError(
            f"{game.name} offers neither inputs for networks nor policy tables, so nothing can "
            "evolve; its players can meet in evo tournament"
        )
    if learner.real_weights:
        real = {key: encoding for key, encoding in able.items() if encoding.real_weights}
        _check_real(name, able, real, game, learner.name)
        able = real
    name = name or next(iter(able))
    if name not in able:
        raise ConfigError(
            f"genome.encoding={shown(name)} given{nearest(name, able)}; "
            f"{' or '.join(map(repr, able))} is expected for {game.name}"
        )
    return fields.checked(able[name], "genome.", {**options, "encoding": name}, ConfigError)


def _check_values(name: str, game: Game, learner: Any) -> None:
    """Refuse values of actions without a learner by reward, and such a learner without them."""
    every = genomes.fitting(game)
    values = [key for key, encoding in every.items() if encoding.values]
    if learner.by_reward and not values:
        raise ConfigError(
            f"learner={learner.name!r} given; it takes a table with a row for each position, and "
            f"{game.short_spec} has too many: choose a smaller board, or another learner"
        )
    if name in every and every[name].values != learner.by_reward:
        wanted = f"genome.encoding={values[0]}" if learner.by_reward else "learner=q-learning"
        raise ConfigError(
            f"genome.encoding={name!r} and learner={learner.name!r} given; the values of actions "
            f"are what learners by reward learn, and these alone: set {wanted}"
        )


def _check_real(
    name: str, able: Mapping[str, Any], real: Mapping[str, Any], game: Game, learner: str
) -> None:
    """Refuse a learner of real weights where there are none."""
    if not real:
        raise ConfigError(
            f"learner={learner!r} given; it takes networks of real weights, and {game.name} shows "
            "networks nothing: take another learner, such as genetic"
        )
    if name in able and name not in real:
        raise ConfigError(
            f"genome.encoding={name!r} and learner={learner!r} given; it takes real weights: set "
            f"genome.encoding={next(iter(real))}, or leave the encoding out"
        )


def _check_sizes(config: Config) -> None:
    if config.scheme is not None:
        config.scheme.check(config.sizes)
    individuals, matches = config.learner.size(config.problem())
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
        if len(seats := seats_of(player)) < 2:
            raise ConfigError(
                f"opponent {player.name!r} given; it plays the {config.game.seats[seats[0]]} only "
                "and is to play both seats: take one that holds both, such as random"
            )


def _refuse_unknown(top: Mapping[str, Any]) -> None:
    known = [name for name, _, _ in fields.documentation(RunOptions)] + sorted(TABLES)
    for name in top:
        if name not in known:
            raise ConfigError(
                f"unknown field {shown(name)}{nearest(name, known)} (known: {', '.join(known)})"
            )


def _named(given: Mapping[str, Any], key: str) -> tuple[str, dict[str, Any]]:
    """What kind of thing a table is, and its options; a text stands for such a table."""
    field, default = NAMED[key]
    table = _as_table(key, given.get(key, {}))
    if not isinstance(table, Mapping):
        raise ConfigError(f"{key}={shown(table)} given; a table is expected: [{key}]")
    options = dict(table)
    name = options.pop(field, default)
    if not isinstance(name, str):
        raise ConfigError(f"{key}.{field}={shown(name)} given; a name is expected")
    return name, options


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
