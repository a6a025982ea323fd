"""What all studies share where they say what they found: settings, columns, tables and pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from tournaments.errors import ConfigError
from tournaments.options import as_options, checked

Settings = TypeVar("Settings")
Announce = Callable[[str], None]


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
        if getattr(settings, name) % 2:
            raise ConfigError(
                f"{name}={getattr(settings, name)} given; an even number is expected, a match is "
                "two games"
            )
    return settings


def columns_of(rows: Sequence[Any]) -> dict[str, list[Any]]:
    """Rows, dictionaries or records of one kind, by column."""
    tables = [row if isinstance(row, Mapping) else vars(row) for row in rows]
    return {name: [table[name] for table in tables] for name in tables[0]}


def text_table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> list[str]:
    """The lines of an aligned table, an empty one before it; see :func:`results.report.table`."""
    from results import report  # late: the list of studies needs no numpy

    return ["", *report.table(rows, columns).splitlines()]


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], rule: str = " --- ") -> str:
    """A table of Markdown; ``rule`` stands below each heading."""
    lines = [
        "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (head, *rows)
    ]
    return "\n".join([lines[0], f"|{'|'.join([rule] * len(head))}|", *lines[1:]])
