"""What all studies share where they say what they found: settings, columns, tables and pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from evo.studies.verdicts import EXPLANATION
from tournaments.errors import ConfigError
from tournaments.options import as_options, check_games, checked

Settings = TypeVar("Settings")
Announce = Callable[[str], None]


class QuickOrWhole:
    """What settings have in common of studies that have a quick form.

    Attributes:
        NAME: of the study, by which the folder of its runs is called.
        USUAL: by setting the number of the study, and of a quick one, where 0 is given.
    """

    NAME: ClassVar[str]
    USUAL: ClassVar[Mapping[str, tuple[int, int]]]
    quick: bool
    runs: str

    def usual(self, name: str) -> int:
        """A number that was given, or its default."""
        return int(getattr(self, name)) or self.USUAL[name][self.quick]

    @property
    def folder(self) -> Path:
        """Of the runs, which are gone on with where they are there."""
        return Path(self.runs or f"reproduced/{self.NAME}/runs{'-quick' * self.quick}")


def checked_settings(settings: Settings, even: Sequence[str] = ()) -> Settings:
    """The settings of a study, once each is of its type and in its range.

    Args:
        settings: a dataclass of options.
        even: the numbers of games among them that are played as matches of two.

    Raises:
        ConfigError: a setting that cannot be.
    """
    settings = checked(type(settings), "", as_options(settings), ConfigError)
    for name in even:
        if games := getattr(settings, name):  # 0: as many as the study has
            check_games(games, name)
    return settings


def command_of(study: str, settings: Mapping[str, Any], usual: Any) -> str:
    """The command that runs a study with these settings; those that are as usual are left out, and
    where runs are kept and on how many threads."""
    given = [
        _as_typed(name.replace("_", "-"), value)
        for name, value in settings.items()
        if value != getattr(usual, name) and name not in ("threads", "runs")
    ]
    return " ".join([f"evo reproduce {study}", *given])


def _as_typed(option: str, value: Any) -> str:
    if isinstance(value, bool):
        return f"--{option}" if value else f"--no-{option}"
    return f"--{option} {value}"


def last_lines(record: Mapping[str, Any], title: str = "") -> Iterator[str]:
    """The end of a report: claims with their verdicts and rules, and the seconds that it took."""
    yield from ["", title] if title else [""]
    for claim in record["claims"]:
        yield f"{claim['verdict']}: {claim['claim']}"
        yield f"    rule: {claim['rule']}"
        yield f"    found: {claim['found']}"
    yield from ("", f"{record['seconds']:.0f} s")


def what_holds(study: str, record: Mapping[str, Any], usual: Any) -> Iterator[str]:
    """The paragraphs of a page that say how it is written, and which claims hold."""
    yield f"```sh\n{command_of(study, record['settings'], usual)}\n```"
    yield "## What holds"
    yield EXPLANATION
    claims = record["claims"]
    yield markdown_table(tuple(claims[0]), [tuple(each.values()) for each in claims])


def write_page(
    file: str, paragraphs: Iterable[str], draw: Callable[[Path], object] | None = None
) -> None:
    """Write a page of Markdown; ``draw`` draws its figures, into the folder of the page.

    Raises:
        ResultsError: the system refused.
    """
    from results.folder.files import (  # late: the list of studies needs no numpy
        atomic_write,
        make_folder,
    )

    page = Path(file)
    make_folder(page.parent)
    if draw is not None:
        draw(page.parent)
    atomic_write(page, ("\n\n".join(paragraphs) + "\n").encode())


def columns_of(rows: Sequence[Any]) -> dict[str, list[Any]]:
    """Rows, dictionaries or records of one kind, by column."""
    tables = [row if isinstance(row, Mapping) else vars(row) for row in rows]
    return {name: [table[name] for table in tables] for name in tables[0]}


def text_table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> list[str]:
    """The lines of an aligned table, an empty one before it; see :func:`results.report.table`."""
    from results import report  # late, as above

    return ["", *report.table(rows, columns).splitlines()]


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], rule: str = " --- ") -> str:
    """A table of Markdown; ``rule`` stands below each heading."""
    lines = [
        "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (head, *rows)
    ]
    return "\n".join([lines[0], f"|{'|'.join([rule] * len(head))}|", *lines[1:]])
