"""Requests for runs: a new one, one that goes on, and the configuration that flags make."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from evo.requests.base import PLAYS, REPORTS, Request, run_folder
from tournaments.options import REQUIRED, OptionError, option, table

OUT = "folder of the run, or an address (default: a new one in runs/)"


def or_resume() -> Any:
    """A field that lets a run go on."""
    return option(
        False,
        "go on with the run in the folder where there is one of this configuration, whatever its "
        "end; it gets the end given here, unless it has gone beyond that",
    )


def any_of(names: Callable[[], Iterable[str]], what: str = "") -> Callable[[], str]:
    """A sentence that lists names, once it is read."""

    def sentence() -> str:
        *others, last = sorted(names())
        return f"{', '.join(others)} or {last}{what}"

    return sentence


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
    return option((), "fork the run by evo run --set start=RUN", hidden=True, action="append")


@dataclass(frozen=True)
class RunRequest(Request):
    """A run from nothing: its folder and its configuration."""

    execution: ClassVar[tuple[str, ...]] = (
        *("evaluator", *PLAYS, "faults", "stop", *REPORTS),
        *("profile", "json"),
    )
    rest: ClassVar[str] = "fields"

    out: Any = option(
        REQUIRED, "the folder of the run; it must not hold one yet", type="str | Path"
    )
    options: Any = option(
        None,
        "a configuration, or a nested table as in a TOML file",
        type="Mapping[str, Any] | Config | None",
    )
    _: KW_ONLY
    command: Any = option(
        None,
        "the command line that started the run, for run.json",
        flag=None,
        type="Sequence[str] | None",
    )
    or_resume: bool = or_resume()
    fields: dict[str, Any] = table("fields of the configuration")


@dataclass(frozen=True)
class ResumeRequest(Request):
    """A run that goes on, to its end or to another one."""

    execution: ClassVar[tuple[str, ...]] = (
        *("evaluator", "trust", *PLAYS, "faults", "stop", *REPORTS),
        *("profile", "json"),
    )

    run: Any = run_folder()
    generations: int | None = option(None, "the last generation, to extend the run", low=0)
    games: int | None = option(
        None, "end with the generation that reaches so many games, to extend the run", low=1
    )


@dataclass(frozen=True)
class ConfigurationRequest(Request):
    """A configuration, as a file and flags make it together."""

    execution: ClassVar[tuple[str, ...]] = ()

    config: str | None = option(
        None,
        "a configuration; flags change it",
        argument=True,
        metavar="CONFIG.toml",
        nargs="?",
    )
    game: str | None = option(None, "such as dots-and-boxes:rows=5,cols=5")
    scheme: str | None = option(None, any_of(_schemes))
    genome: str | None = option(
        None, "such as real-network (default: the game's first)", metavar="ENCODING"
    )
    learner: str | None = option(None, any_of(_learners))
    population: int | None = option(None, "individuals")
    generations: int | None = option(None, "the last generation")
    seed: int | None = option(None, "the result depends on it alone")
    islands: int | None = option(
        None, "populations that evolve by themselves, and migrate", metavar="K"
    )
    migration: str | None = option(
        None, any_of(_topologies, ": ways of migrants"), metavar="TOPOLOGY"
    )
    every: int | None = option(None, "generations from one migration to the next")
    set: tuple[str, ...] = option(
        (),
        "any other field, such as learner.mutation_probability=0.005 (evo config lists them)",
        metavar="FIELD=VALUE",
        action="append",
    )


@dataclass(frozen=True)
class RunFlags(ConfigurationRequest):
    """The flags of ``evo run``, which make a :class:`RunRequest`."""

    execution: ClassVar[tuple[str, ...]] = RunRequest.execution

    out: str | None = option(None, OUT, metavar="DIR")
    or_resume: bool = or_resume()

    def __post_init__(self) -> None:
        if self.or_resume and self.out is None:
            raise OptionError(
                "or_resume", True, " without --out; add the folder of the run: --out DIR"
            )


@dataclass(frozen=True)
class ResumeFlags(ResumeRequest):
    """The flags of ``evo resume``, with those of ``evo run`` that a run cannot take any more."""

    set: tuple[str, ...] = forked()
    game: tuple[str, ...] = forked()
    scheme: tuple[str, ...] = forked()
    learner: tuple[str, ...] = forked()
    population: tuple[str, ...] = forked()
    seed: tuple[str, ...] = forked()
