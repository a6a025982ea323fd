"""Blocks of a page as plain data: facts, tables, curves, maps of colours and games.

The function ``NAME`` of this module returns a block that the function ``NAME`` of
``static/blocks.js`` draws.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from results.errors import MissingWarning, ResultsError
from tournaments.errors import ConfigError, TournamentError

if TYPE_CHECKING:
    from results import DataFrame

Block = dict[str, Any]
Sections = list[tuple[str, Callable[[], Iterable[Block]]]]
"""Titles of sections, each with the function that makes its blocks."""

EXACT = 2**53
"""Limit of the whole numbers that scripts of a page hold exactly; others become texts."""
MOST_POINTS = 1_000
"""Maximum number of points of a line on a page: about one per pixel."""
MOST_LINES, MOST_LETTERS = 400, 40_000
"""Maximum number of lines and of letters of a program that a page shows."""


FAULTS = ("player", "opponent", "seat", "cause", "what")
"""Columns of the table of faults."""


def page(
    title: str,
    subtitle: str,
    sections: Iterable[tuple[str, Sequence[Block]]],
    links: Sequence[Block] = (),
) -> Block:
    """Return a page. Sections are pairs (title, blocks); sections without blocks are left out.

    ``links`` lead to the pages above, see :func:`link`.
    """
    kept = [{"title": name, "blocks": list(blocks)} for name, blocks in sections if blocks]
    return {"title": title, "subtitle": subtitle, "sections": kept, "links": [*links]}


def link(text: Any, to: str) -> Block:
    """Return a value of :func:`facts` or a cell of :func:`table` that leads to another place.

    Args:
        text: what is shown, and by which a table is sorted.
        to: address relative to the page, or ``#`` and the name of a figure of the same page.
    """
    return {"text": plain(text), "to": to}


def filled_page(title: str, subtitle: str, makers: Sections) -> tuple[Block, list[str]]:
    """Return a page and the problems that it reports: what is missing or cannot be read.

    A section that cannot be made contains the reason.
    """
    problems: list[str] = []
    sections = [(name, made_section(make, problems)) for name, make in makers]
    if problems:
        sections.insert(1, ("Problems", [text(*dict.fromkeys(problems), tone="warning")]))
    return page(title, subtitle, sections), problems


def made_section(make: Callable[[], Iterable[Block]], problems: list[str]) -> list[Block]:
    """Return the blocks of a section, and add warnings and errors to the problems."""
    made: list[Block] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made.extend(make())
        except (ResultsError, TournamentError, ConfigError) as error:
            if isinstance(error, ResultsError):  # not: players that cannot be made again
                problems.append(str(error))
            made.append(text(f"Not shown: {error}", tone="warning"))
    problems += [str(each.message) for each in caught if each.category is MissingWarning]
    return made


def faults(rows: DataFrame, number: str) -> Iterator[Block]:
    """Yield a table of the games that were lost by faults, if there are any.

    Args:
        rows: the table ``faults`` of a run or a tournament.
        number: column of the number of the generation or the match.
    """
    columns = [each for each in (number, *FAULTS) if each in rows]
    forms = {name: "d" if name == number else "" for name in columns}
    if not rows.empty:
        yield table(forms, rows[columns].to_numpy(object), "faults")


def text(*paragraphs: str, tone: str = "") -> Block:
    """Return a block of paragraphs for a page.

    ``tone``, which is that of the whole block, is ``warning`` for problems, otherwise empty.
    """
    return {"kind": "text", "paragraphs": list(paragraphs), "tone": tone}


def facts(rows: Mapping[str, Any]) -> Block:
    """Return pairs of a name and a value, without values that are None or empty."""
    return {
        "kind": "facts",
        "rows": [[k, plain(v)] for k, v in rows.items() if v not in (None, "")],
    }


def command(words: str, what: str) -> Block:
    """Return a command line with a button that copies it."""
    return {"kind": "command", "command": words, "what": what}


def code(title: str, content: str, note: str = "", *, is_diff: bool = False) -> Block:
    """Return the text of a program, which a page shows as it is. A long text is cut.

    Args:
        title: heading.
        content: the text.
        note: explanation below the heading.
        is_diff: whether the text consists of changes in unified format.
    """
    whole = content.rstrip("\n")
    lines = whole.split("\n")
    shown = "\n".join(lines[:MOST_LINES])[:MOST_LETTERS]
    cut = ""
    if len(shown) < len(whole):
        part = f"{shown.count(chr(10)) + 1:,} of {len(lines):,} lines"
        cut = f"Only the beginning is shown: {part}, {len(shown):,} of {len(whole):,} letters."
    return {
        "kind": "code",
        "title": title,
        "note": note,
        "code": shown,
        "cut": cut,
        "is_diff": is_diff,
    }


def table(
    columns: Mapping[str, str], rows: Iterable[Sequence[Any]], name: str, sort: str = ""
) -> Block:
    """Return a table that readers can sort and filter.

    Args:
        columns: format of each column by its title: ``""`` text, ``"d"`` whole numbers, ``"%"``
            shares, ``"time"`` seconds since 1970, ``"g"`` other numbers.
        rows: the values, row by row.
        name: name of the file when the table is saved.
        sort: title of the column by which the table is sorted at first. Empty: as given.
    """
    return {
        "kind": "table",
        "columns": [[title, form] for title, form in columns.items()],
        "rows": [plain(list(row)) for row in rows],
        "name": name,
        "sort": sort,
    }


def line(
    name: str, x: Any, y: Any, low: Any = None, high: Any = None, *, dashed: bool = False
) -> Block:
    """Return a line of :func:`curves`, thinned to what a page can show.

    Args:
        name: label of the line.
        x: float ``[K]``, ascending.
        y: float ``[K]``; NaN for no value.
        low: lower end of a band about the line, float ``[K]``.
        high: upper end of the band.
        dashed: whether the line is dashed.
    """
    kept = thinned(np.asarray(y, dtype=float))
    held = {"x": x, "y": y, "low": low, "high": high}
    ends = {k: plain(np.asarray(v, float)[kept]) for k, v in held.items() if v is not None}
    return {"name": name, "dashed": dashed, **ends}


def curves(
    title: str,
    axes: tuple[str, str],
    lines: Sequence[Block],
    name: str,
    *,
    scale: str = "plain",
    note: str = "",
) -> Block:
    """Return a chart of lines whose values can be read off by pointing.

    Args:
        title: heading of the chart.
        axes: labels of the horizontal and the vertical axis.
        lines: the lines, see :func:`line`.
        name: name of the file when the chart is saved.
        scale: scale of the vertical axis: ``plain``, ``share``, or ``odds`` for shares on a scale
            of log odds, which separates values near 0 and 1.
        note: explanation below the chart.
    """
    return {
        "kind": "curves",
        "title": title,
        "axes": list(axes),
        "lines": list(lines),
        "name": name,
        "scale": scale,
        "note": note,
    }


def heat(
    title: str,
    axes: tuple[str, str],
    labels: tuple[Sequence[Any], Sequence[Any]],
    values: np.ndarray,
    name: str,
    note: str = "",
    opens: Mapping[tuple[int, int], Sequence[Block]] | None = None,
) -> Block:
    """Return a map of shares by colour, with a row per first label and a column per second one.

    Args:
        title: heading of the map.
        axes: what the rows and the columns are.
        labels: names of the rows and of the columns.
        values: float ``[R, C]``, shares between 0 and 1; NaN for none.
        name: name of the file when the map is saved.
        note: explanation below the map.
        opens: for cells (row, column) the blocks that a click shows below the map.
    """
    parts: dict[int, Sequence[Block]] = {}
    for shown in (opens or {}).values():
        parts.setdefault(id(shown), shown)
    places = {part: place for place, part in enumerate(parts)}
    return {
        "kind": "heat",
        "opens": list(map(list, parts.values())),
        "cells": {
            f"{row},{column}": places[id(part)] for (row, column), part in (opens or {}).items()
        },
        "title": title,
        "axes": list(axes),
        "rows": [str(label) for label in labels[0]],
        "columns": [str(label) for label in labels[1]],
        "values": [plain(row) for row in np.round(values, 4)],
        "name": name,
        "note": note,
    }


def thinned(values: np.ndarray, most: int = MOST_POINTS) -> np.ndarray:
    """Return the rows of a line that a page shows: of each stretch the lowest and the highest.

    The first and the last row are kept.

    Args:
        values: float ``[K]``.
        most: maximum number of rows.
    """
    count = len(values)
    if count <= most:
        return np.arange(count)
    edges = np.linspace(0, count, most // 2).astype(int)
    known = np.where(np.isnan(values), 0.0, values)
    ends = [
        (low + np.argmin(known[low:high]), low + np.argmax(known[low:high]))
        for low, high in pairwise(edges)
    ]
    return np.unique([0, count - 1, *np.ravel(ends)])


def plain(values: Any) -> Any:
    """Return numbers, texts and links as JSON can hold them: NaN, infinity, NA become None."""
    if isinstance(values, np.ndarray | list | tuple):
        return [plain(value) for value in values]
    if isinstance(values, np.generic):
        values = values.item()
    if values is None or type(values).__name__ == "NAType":
        return None
    if isinstance(values, dict):
        return values
    if isinstance(values, float):
        if not math.isfinite(values):
            return None
        is_whole = values.is_integer() and abs(values) < EXACT
        return int(values) if is_whole else float(f"{values:.6g}")
    is_exact = isinstance(values, str) or (isinstance(values, int) and abs(values) < EXACT)
    return values if is_exact else str(values)
