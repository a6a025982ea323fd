"""The configuration of a run: typed, documented by field, and validated before any work starts.

A configuration is a TOML file, the flags of the command line, or keyword arguments. Each becomes
the same nested table, of which every field has a default. The complete table is written into every
run. The place where a run is played (threads, Ray) is not part of it, since the result does not
depend on that.

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

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evo.config.encoding import encoding_options
from evo.config.islands import Islands, islands_of
from evo.config.run_options import RunOptions
from evo.config.tables import as_mapping, merge, named_table
from evo.genomes import ENCODINGS
from evo.genomes.base import Plan
from evo.genomes.guarded import plans_of
from evo.learners import LEARNERS
from evo.learners.base import FirstGenes, Problem, from_nothing
from evo.population import ARCHIVE
from results.format.islands import on_island, role_and_island
from tournaments import code_files, games, players, schemes
from tournaments import options as fields
from tournaments.errors import ConfigError, TournamentError, shown
from tournaments.game import Game, is_program
from tournaments.guard import Hook, call_hook, expect, type_and_shape
from tournaments.named_files import named_by
from tournaments.player import Player, seats_of
from tournaments.players.bot.command import files_of_program
from tournaments.players.programs import remember

if TYPE_CHECKING:
    from results import Run, RunWriter

MOST_MATCHES = 2_000_000_000
MOST_GENES = 2_000_000_000
COMPETITION, IDENTITY = "competition", "identity"
"""The learner of a run that keeps a competition, and the encoding of players without genomes."""
TABLES = ("game", "scheme", "genome", "learner", "islands")


@dataclass(frozen=True)
class Config:
    """A validated configuration.

    Make one with :func:`from_dict`; :meth:`to_dict` returns every field.

    Attributes:
        scheme: the scheme that arranges the matches; None if the learner arranges them.
        genome: the options of the encoding.
        learner: the options of the learner.
        populations: one, or one per role; of a run with islands, of each island.
        islands: the islands; None: a run without islands.
        read_from: the folder that names operators, see :mod:`evo.learners.genetic.operators`, and
            files, see :mod:`tournaments.named_files`; empty: the user names and wants them.
    """

    run: RunOptions
    game: Game
    scheme: schemes.Scheme | None
    genome: Any
    learner: Any
    populations: tuple[Plan, ...] = field(repr=False)
    islands: Islands | None = None
    read_from: str = field(default="", repr=False, compare=False)

    @property
    def seed(self) -> int:
        return self.run.seed

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of individuals of each population, if a scheme arranges the matches."""
        return (self.run.population,) * len(self.populations)

    @cached_property
    def panel(self) -> tuple[Player, ...]:
        """The fixed opponents of the run, which the scheme or the learner names."""
        with named_by(self.read_from):
            return tuple(players.as_player(name, self.game) for name in self.panel_names)

    @property
    def panel_names(self) -> tuple[str, ...]:
        if self.islands is not None:
            return tuple(dict.fromkeys(n for kind in self.islands.kinds for n in kind.panel_names))
        return self.learner.panel if self.scheme is None else self.scheme.panel

    @property
    def evolving(self) -> tuple[Plan, ...]:
        """Every population of the run by its name in snapshots; with islands, those of each."""
        return tuple(
            plan._replace(name=on_island(plan.name, number))
            for number in self.island_numbers
            for plan in self.populations
        )

    def role(self, name: str) -> int:
        """Return the index in :attr:`populations` of a population of the run by its name.

        The population may be on any island. An archive has the index of its population.
        """
        role, _ = role_and_island(name.removesuffix(ARCHIVE))
        names = [plan.name for plan in self.populations]
        if role not in names:
            raise ConfigError(
                f"population {shown(name)} given; this configuration has {', '.join(names)}"
            )
        return names.index(role)

    def plan(self, name: str) -> Plan:
        """Return the plan of a population or of its archive: its name and its encoding."""
        return self.populations[self.role(name)]

    @property
    def island_numbers(self) -> Sequence[int | None]:
        """The numbers of the run's islands; a single None in a run without islands."""
        return (None,) if self.islands is None else range(self.islands.count)

    @cached_property
    def of_islands(self) -> tuple[Config, ...]:
        """Return the configuration of each island, each with its own seed.

        A run without islands returns this configuration alone.
        """
        if self.islands is None:
            return (self,)
        configs = []
        for number in range(self.islands.count):
            kind, seed = self.islands.kind(number), self.islands.seed(self.seed, number)
            run = replace(self.run, population=kind.run.population, seed=seed, games=0)
            configs.append(replace(kind, run=run, read_from=self.read_from))
        return tuple(configs)

    def to_dict(self) -> dict[str, Any]:
        """Return the configuration as a table with every field. :func:`from_dict` restores it."""
        scheme, top = self.scheme, fields.as_options(self.run)
        if scheme is None:
            del top["population"]  # the learner says how many there are
        return {
            **top,
            "game": {"name": self.game.name, **self.game.options},
            **({"scheme": {"name": scheme.name, **fields.as_options(scheme)}} if scheme else {}),
            "genome": fields.as_options(self.genome),
            "learner": fields.as_options(self.learner),
            **({"islands": self.islands.written()} if self.islands else {}),
        }

    @property
    def games_a_match(self) -> int:
        """Number of games of a match: one per seat if seats are alike, or one if they are roles."""
        return len(self.game.seats) if len(self.populations) == 1 else 1

    @property
    def games_a_generation(self) -> int | None:
        """Number of games of the scheme per generation; None if the learner arranges matches."""
        if self.islands is not None:
            return self.islands.total(lambda kind: kind.games_a_generation)
        if self.scheme is None:
            return None
        return self.scheme.num_tables(self.sizes, len(self.game.seats)) * self.games_a_match

    @property
    def code_files(self) -> tuple[str, ...]:
        """Paths of the Python files that the run's results depend on, as configured."""
        if self.islands is not None:
            names = [name for kind in self.islands.kinds for name in kind.code_files]
            return tuple(dict.fromkeys(names))
        specs = [self.game.name, self.genome.encoding, self.learner.name, *self.panel_names]
        specs += [] if self.scheme is None else [self.scheme.name]
        names = [code_files.split_spec(spec)[0] for spec in specs]
        paths = [code_files.path_of(name) for name in names if code_files.is_code(name)]
        return tuple(dict.fromkeys([*paths, *self.learner.code_files]))

    @property
    def panel_files(self) -> tuple[str, ...]:
        """The files of the run's fixed opponents, and of the program that plays its matches."""
        files = [players.files_of(name, self.game) for name in self.panel_names]
        if is_program(self.game.name):
            files.append(tuple(files_of_program(self.game.name)))
        return tuple(dict.fromkeys(file for several in files for file in several))

    @property
    def laws(self) -> str:
        """The versions of learner, encoding and scheme that decide the run's results, as text."""
        if self.islands is not None:
            laws = (kind.laws for kind in self.islands.kinds)
            return "; ".join(dict.fromkeys([*laws, f"islands {self.islands.law}"]))
        numbers = [(self.learner.name, self.learner.law), (self.genome.encoding, self.genome.law)]
        if self.scheme is not None:
            numbers.append((self.scheme.name, self.scheme.law))
        return ", ".join(f"{name} {number}" for name, number in numbers)

    @property
    def kernels(self) -> str:
        """The digest of the kernels of the game and of all evolving kinds of player."""
        return self.game.fingerprint(plan.genome.representation.kind for plan in self.populations)

    def changed(self, changes: Mapping[str, Any]) -> Config:
        """Return this configuration with the fields of a table changed.

        Raises:
            ConfigError, TournamentError: as for :func:`from_dict`.
        """
        if not changes:
            return self
        return replace(from_dict(merge(self.to_dict(), changes)), read_from=self.read_from)

    def problem(self, first_genes: FirstGenes = from_nothing) -> Problem:
        """Return the problem that the run's learner is to solve.

        ``first_genes`` returns the genes of another run from which this one starts.
        """
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

    @property
    def num_genes(self) -> int:
        """Number of genes of all individuals in a generation of the run."""
        individuals, _ = self.learner.size(self.problem())
        return individuals * sum(plan.genome.num_genes for plan in self.populations)

    @cached_property
    def genome_bytes(self) -> int:
        """The width of packed genomes in a snapshot: the width of the widest encoding."""
        return self.genome_spec()["bytes"]

    def genome_spec(self) -> dict[str, Any]:
        """Return the complete description of the encoding, from which readers decode genomes."""
        specs = {plan.name: plan.genome.spec() for plan in self.evolving}
        if self.islands is None and len(specs) == 1:
            return specs[self.populations[0].name]
        return {"bytes": max(spec["bytes"] for spec in specs.values()), "populations": specs}

    def layouts(self) -> dict[str, Any]:
        """Return the layouts by which readers decode genomes, by population.

        Encodings without layout are left out.
        """
        every = {plan.name: plan.genome.representation.layout for plan in self.evolving}
        return {name: layout for name, layout in every.items() if layout}


def from_dict(given: Mapping[str, Any]) -> Config:
    """Make a configuration from a nested table. Missing fields take their defaults.

    ``game`` and ``scheme`` are tables with a ``name``, or a text such as
    ``dots-and-boxes:rows=5,cols=5``; ``learner`` may be a name. No operator is imported or called.

    Raises:
        ConfigError, TournamentError: the first field that is wrong, in one line.
    """
    config = _validated(given)
    if config.scheme is not None:
        config.scheme.check_players(config.panel)
    for player in config.panel:
        if len(seats := seats_of(player)) < 2:
            raise ConfigError(
                f"opponent {player.name!r} given; it plays the {config.game.seats[seats[0]]} only, "
                "but must play both seats: name a player of both, such as random"
            )
    return config


def _validated(given: Mapping[str, Any]) -> Config:
    """Return the configuration of a nested table, validated, without making fixed opponents."""
    top = {key: value for key, value in given.items() if key not in TABLES}
    known = (*RunOptions.__dataclass_fields__, *sorted(TABLES))
    for name in top:
        if name not in known:
            raise fields.unknown_field(name, known)
    run = fields.checked(RunOptions, "", top, ConfigError)
    game_name, game_options = named_table(given, "game")
    game = games.make(game_name, **game_options)
    learner = _learner(given)
    if learner.arranges_matches and "population" in given:
        raise ConfigError(
            f"population={shown(given['population'])} and learner={learner.name!r} given; "
            f"the size of {learner.name} is learner.candidates: set it, and leave population out"
        )
    scheme = _scheme(given, learner)
    genome = encoding_options(*named_table(given, "genome"), game, learner)
    config = Config(run, game, scheme, genome, learner, plans_of(genome, game))
    _check_sizes(config)
    hook = Hook("checked(problem)")
    checked = call_hook(LEARNERS.plugin(learner.name), hook, learner.checked, config.problem())
    config = replace(config, learner=checked)
    if "islands" in given:
        config = replace(config, islands=_islands(given, config))
    run = run.resolved(config.games_a_generation, learner.name, "generations" in given)
    if genome.programs:  # so that the changes of a text can be followed
        run = replace(run, lineage=True)
    return replace(config, run=run)


def _islands(given: Mapping[str, Any], config: Config) -> Islands:
    """Return the islands that a nested table configures. Islands of one kind differ only in seeds.

    ``config`` is the configuration that they share.
    """
    table = as_mapping("islands", given["islands"])
    common = {key: given[key] for key in (*TABLES, "population") if key in given}
    del common["islands"]

    def kind_of(changes: Mapping[str, Any]) -> Config:
        laid = merge(common, changes)
        if _learner(laid).arranges_matches:  # leave out the scheme's fields
            laid = {
                key: value
                for key, value in laid.items()
                if key in changes or key not in ("scheme", "population")
            }
        return _validated(laid)

    islands = islands_of(table, named_table(table, "topology"), kind_of)
    islands.check(config)
    _check_size("genes on all islands", islands.total(lambda kind: kind.num_genes), MOST_GENES)
    return islands


def of_run(run: Run | RunWriter, trust: bool = False) -> Config:
    """Return the configuration of a run, after a check that it makes the genomes of the run.

    Args:
        run: the run.
        trust: whether any function that it names may be called once it evolves, and any file that
            it names be read. Fixed opponents are not made before they are used.

    Raises:
        ConfigError: ``run.json`` was changed, or the run keeps a competition whose players are not
            genomes of this project.
        TournamentError: it names a file, and is not trusted.
    """
    read_from = "" if trust else str(run.path)
    is_kept = run.config.get("learner") == {"name": COMPETITION}
    with named_by(read_from):
        given = _of_competition(run) if is_kept else run.config
        config = replace(_validated(given), read_from=read_from)
    if config.genome_spec() != run.genome:
        raise ConfigError(
            f"{run.path}: the genomes are {shown(run.genome)}, but its configuration makes "
            f"{shown(config.genome_spec())}; run.json was changed, so put it back as it was"
        )
    if config.genome.programs and hasattr(run, "pass_texts"):
        run.pass_texts(remember)
    return config


def _of_competition(run: Run | RunWriter) -> Mapping[str, Any]:
    """Return the table of a run that keeps a competition, with the encoding of its genomes.

    Raises:
        ConfigError: the run is to be resumed, or its players cannot be read from a file.
    """
    if not hasattr(run, "champion"):  # a writer
        raise ConfigError(
            f"{run.path} keeps a competition, whose individuals come from your own optimiser; go "
            "on by tournaments.Competition.open(results.Recorder(FOLDER))"
        )
    spec = next(iter(run.genome.get("populations", {"": run.genome}).values()))
    if spec["encoding"] == IDENTITY:
        raise ConfigError(
            f"{run.path} keeps a competition of functions, objects and names, which no file holds, "
            "so they cannot be played again; only genomes can (tournaments.Genomes)"
        )
    known = {each.name for each in dataclasses.fields(ENCODINGS.load(spec["encoding"]))}
    genome = {name: value for name, value in spec.items() if name in known}
    if "hidden" in known:
        genome["hidden"] = spec["layers"][1:-1]
    return {**run.config, "genome": genome, "learner": {}}


def _learner(given: Mapping[str, Any]) -> Any:
    name, options = named_table(given, "learner")
    try:
        record = LEARNERS.load(name)
    except TournamentError as error:
        raise ConfigError(str(error)) from None
    others = fields.owners("learner", name, LEARNERS.loadable, "--learner")
    return fields.checked(record, "learner.", {**options, "name": name}, ConfigError, others)


def _scheme(given: Mapping[str, Any], learner: Any) -> schemes.Scheme | None:
    if not learner.arranges_matches:
        name, options = named_table(given, "scheme")
        return schemes.make(name, **options)
    if given.get("scheme"):
        raise ConfigError(
            f"a scheme and learner={learner.name!r} given; {learner.name} arranges its matches "
            "itself (learner.current, archive, panel): leave the scheme out"
        )
    return None


def _check_sizes(config: Config) -> None:
    if config.scheme is not None:
        config.scheme.check_seats(config.sizes, len(config.game.seats))
        config.scheme.check(config.sizes)
    learner, hook = config.learner, Hook("size(problem)", _expect_size)
    plugin = LEARNERS.plugin(learner.name)
    _, matches = call_hook(plugin, hook, learner.size, config.problem())
    _check_size("matches a generation", matches, MOST_MATCHES)
    _check_size("genes in the population", config.num_genes, MOST_GENES)


def _expect_size(size: Any, problem: Problem) -> None:
    is_pair = isinstance(size, tuple) and len(size) == 2
    mend = "give individuals of each population, and matches of a generation"
    expect(is_pair, type_and_shape(size), mend)


def _check_size(what: str, number: int, most: int) -> None:
    if number > most:
        raise ConfigError(
            f"{number:,} {what}; at most {most:,} fit in memory: take a smaller population, a "
            "smaller board or another scheme"
        )
