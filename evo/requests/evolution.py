"""Requests for runs: start a run, resume a run, and build a configuration from flags."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from evo.requests.base import PLAYS, REPORTS, Request, argument, flag
from tournaments.options import REQUIRED, table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def _schemes() -> Iterable[str]:
    from tournaments import schemes

    return schemes.names()


def _learners() -> Iterable[str]:
    from evo.learners import LEARNERS

    return LEARNERS.names()


def _topologies() -> Iterable[str]:
    from evo.topologies import TOPOLOGIES

    return TOPOLOGIES


def fork_field() -> Any:
    """Return a hidden flag for a setting that cannot change in a resumed run."""
    return flag((), hidden=True, action="append")


@dataclass(frozen=True)
class RunRequest(Request):
    """A new run: its folder and its configuration.

    Attributes:
        out: folder of the run; it must not contain a run
        options: a configuration, or a nested table with the structure of a TOML file
        command: command line that started the run, stored in run.json
        or_resume: if the folder already holds a run with the same configuration, apart from its
            end, resume that run; its end becomes the one given here, unless the run is past it
        replay: folder of a run of a recorded contest, or of programs; its configuration is that of
            the new run, and no match is played and no mutator called: all outcomes and answers are
            taken from its recording
    """

    execution: ClassVar = (
        "evaluator",
        "trust",
        *PLAYS,
        "faults",
        "stop",
        *REPORTS,
        "profile",
        "json",
    )
    rest: ClassVar[str] = "fields"

    out: str | Path = flag(REQUIRED)
    options: Any = flag(None, type="Mapping[str, Any] | Config | None")
    _: KW_ONLY
    command: Sequence[str] | None = flag(None, flag=None)
    or_resume: bool = flag(False)
    replay: str | Path | None = flag(None, metavar="RUN")
    fields: dict[str, Any] = table("fields of the configuration")


@dataclass(frozen=True)
class ResumeRequest(Request):
    """A run to be resumed, with the same end or a later one.

    Attributes:
        run: folder of the run, or its address, such as s3://bucket/runs/x (docs/storage.md)
        generations: new number of the last generation, to extend the run
        games: new number of games, to extend the run; it ends with the generation that reaches this
            number
    """

    execution: ClassVar = RunRequest.execution

    run: str | Path = argument("RUN")
    generations: int | None = flag(None, low=0)
    games: int | None = flag(None, low=1)


@dataclass(frozen=True)
class ConfigurationRequest(Request):
    """Print a complete configuration, with a description of each field.

    Print the configuration that evo run would use, as TOML. Save it to a file to edit it: evo
    config > my.toml

    Attributes:
        config: TOML file with a configuration; flags override its fields
        game: game with its options, such as dots-and-boxes:rows=5,cols=5
        scheme: scheme that selects opponents and scores the games
        genome: encoding of players as genes, such as real-network (default: the first encoding of
            the game)
        learner: learning algorithm that makes the next generation
        population: number of individuals
        generations: number of the last generation; the random initial population is generation 0
        games: end with the generation in which this number of games is reached
        seed: random seed; it determines the result of a configuration
        islands: number of islands: populations that evolve separately and exchange migrants
        migration: migration topology
        every: generations between two migrations
        set: set any other field, such as learner.mutation_probability=0.005 (evo config lists the
            fields); may be repeated
    """

    execution: ClassVar[tuple[str, ...]] = ()

    config: str | None = argument("CONFIG.toml", None, nargs="?")
    game: str | None = flag(None)
    scheme: str | None = flag(None, names=_schemes)
    genome: str | None = flag(None, metavar="ENCODING")
    learner: str | None = flag(None, names=_learners)
    population: int | None = flag(None)
    generations: int | None = flag(None)
    games: int | None = flag(None)
    seed: int | None = flag(None)
    islands: int | None = flag(None, metavar="K")
    migration: str | None = flag(None, names=_topologies, metavar="TOPOLOGY")
    every: int | None = flag(None)
    set: tuple[str, ...] = flag((), metavar="FIELD=VALUE", action="append")


@dataclass(frozen=True)
class RunFlags(ConfigurationRequest):
    """Evolve a population from scratch, in a new folder.

    Without arguments, evolve 24-9-24 networks for dots and boxes on a 3x3 board with the
    antibody-antigen scheme. If only a game is given, print and use default settings that suit this
    game.

    Attributes:
        out: folder of the run, or an address (default: a new folder in runs/)
        or_resume: if the folder already holds a run with the same configuration, apart from its
            end, resume that run; its end becomes the one given here, unless the run is past it
        replay: run of a recorded contest, or of programs, that is played again from its recording,
            with its configuration
    """

    execution: ClassVar[tuple[str, ...]] = RunRequest.execution

    out: str | None = flag(None, metavar="DIR")
    or_resume: bool = flag(False)
    replay: str | None = flag(None, metavar="RUN")

    def __post_init__(self) -> None:
        if self.or_resume and self.out is None:
            self.refuse("or_resume", " without --out; add the folder of the run: --out DIR")
        if self.replay is not None and self.out is None:
            self.refuse("replay", " without --out; add the folder of the new run: --out DIR")


@dataclass(frozen=True)
class ResumeFlags(ResumeRequest):
    """Resume a run from its last complete snapshot.

    The result is identical to that of an uninterrupted run, byte for byte. Give --generations or
    --games to extend a finished run.
    """

    set: tuple[str, ...] = fork_field()
    game: tuple[str, ...] = fork_field()
    scheme: tuple[str, ...] = fork_field()
    learner: tuple[str, ...] = fork_field()
    population: tuple[str, ...] = fork_field()
    seed: tuple[str, ...] = fork_field()
