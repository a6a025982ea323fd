"""Requests for runs: a new one, one that goes on, and the configuration that flags make."""

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


def forked() -> Any:
    """A hidden field: with it a run would be another one, which takes a fork."""
    return flag((), hidden=True, action="append")


@dataclass(frozen=True)
class RunRequest(Request):
    """A run from nothing: its folder and its configuration.

    Attributes:
        out: the folder of the run; it must not hold one yet
        options: a configuration, or a nested table as in a TOML file
        command: the command line that started the run, for run.json
        or_resume: go on with the run in the folder where there is one of this configuration,
            whatever its end; it gets the end given here, unless it has gone beyond that
    """

    execution: ClassVar[tuple[str, ...]] = (
        *("evaluator", *PLAYS, "faults", "stop", *REPORTS),
        *("profile", "json"),
    )
    rest: ClassVar[str] = "fields"

    out: str | Path = flag(REQUIRED)
    options: Any = flag(None, type="Mapping[str, Any] | Config | None")
    _: KW_ONLY
    command: Sequence[str] | None = flag(None, flag=None)
    or_resume: bool = flag(False)
    fields: dict[str, Any] = table("fields of the configuration")


@dataclass(frozen=True)
class ResumeRequest(Request):
    """A run that goes on, to its end or to another one.

    Attributes:
        run: folder of the run, or its address
        generations: the last generation, to extend the run
        games: end with the generation that reaches so many games, to extend the run
    """

    execution: ClassVar[tuple[str, ...]] = (
        *("evaluator", "trust", *PLAYS, "faults", "stop", *REPORTS),
        *("profile", "json"),
    )

    run: str | Path = argument("RUN")
    generations: int | None = flag(None, low=0)
    games: int | None = flag(None, low=1)


@dataclass(frozen=True)
class ConfigurationRequest(Request):
    """Print a whole configuration, each field with what it means.

    Print the configuration that evo run would take, as TOML, each field with what it means: evo
    config > my.toml

    Attributes:
        config: a configuration; flags change it
        game: such as dots-and-boxes:rows=5,cols=5
        scheme: who meets whom, and what games are worth
        genome: such as real-network (default: the game's first)
        learner: what makes the next generation
        population: individuals
        generations: the last generation
        seed: the result depends on it alone
        islands: populations that evolve by themselves, and migrate
        migration: ways of migrants
        every: generations from one migration to the next
        set: any other field, such as learner.mutation_probability=0.005 (evo config lists them)
    """

    execution: ClassVar[tuple[str, ...]] = ()

    config: str | None = argument("CONFIG.toml", None, nargs="?")
    game: str | None = flag(None)
    scheme: str | None = flag(None, names=_schemes)
    genome: str | None = flag(None, metavar="ENCODING")
    learner: str | None = flag(None, names=_learners)
    population: int | None = flag(None)
    generations: int | None = flag(None)
    seed: int | None = flag(None)
    islands: int | None = flag(None, metavar="K")
    migration: str | None = flag(None, names=_topologies, metavar="TOPOLOGY")
    every: int | None = flag(None)
    set: tuple[str, ...] = flag((), metavar="FIELD=VALUE", action="append")


@dataclass(frozen=True)
class RunFlags(ConfigurationRequest):
    """Evolve a population from nothing, into a new folder.

    Without arguments: 24-9-24 networks on 3x3 dots and boxes by antibodies and antigens. With a
    game alone: by what suits that game, which it says.

    Attributes:
        out: folder of the run, or an address (default: a new one in runs/)
        or_resume: go on with the run in the folder where there is one of this configuration,
            whatever its end; it gets the end given here, unless it has gone beyond that
    """

    execution: ClassVar[tuple[str, ...]] = RunRequest.execution

    out: str | None = flag(None, metavar="DIR")
    or_resume: bool = flag(False)

    def __post_init__(self) -> None:
        if self.or_resume and self.out is None:
            self.refuse("or_resume", " without --out; add the folder of the run: --out DIR")


@dataclass(frozen=True)
class ResumeFlags(ResumeRequest):
    """Go on with a run from its last whole snapshot.

    What comes of it is the same to the byte as if
    the run had never stopped.
    """

    set: tuple[str, ...] = forked()
    game: tuple[str, ...] = forked()
    scheme: tuple[str, ...] = forked()
    learner: tuple[str, ...] = forked()
    population: tuple[str, ...] = forked()
    seed: tuple[str, ...] = forked()
