"""Results as text: aligned tables for people, JSON lines for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from results.errors import ResultsError, printable

_GAP = "  "
_NOTHING = "-"


def table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> str:
    """Return rows as text: an aligned table with a heading, without trailing blanks.

    ``columns`` maps the columns, in order, to format specifications ("" for text, "d", ".3f",
    ".1%", ",d"). Numbers are aligned to the right, text to the left. Missing values, None and NaN
    are shown as a dash. Control characters are escaped.
    """
    cells = [[_cell(row.get(name), form) for name, form in columns.items()] for row in rows]
    right = [_is_numeric(name, rows) for name in columns]
    return aligned([list(columns), *cells], right)


def json_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield one JSON object per row. numpy values become plain ones, NaN and infinity null.

    Raises:
        ResultsError: a value has a type that JSON cannot represent.
    """
    for row in rows:
        yield json.dumps({str(key): plain(value) for key, value in row.items()}, allow_nan=False)


def cross_table(names: Sequence[str], scores: Any) -> str:
    """Return a tournament's cross table: the share of the points of the row against the column.

    ``scores`` is float64 [n, n], 0..1. Its diagonal is ignored. NaN marks pairs that did not meet.
    The last column is the mean over the opponents met. Columns are headed by the row numbers.
    """
    shares = np.array(scores, dtype=np.float64)
    np.fill_diagonal(shares, np.nan)
    heading = ["", "player", *(str(number) for number in range(1, len(names) + 1)), "mean"]
    body = [
        [str(number), printable(name), *(_cell(x, ".3f") for x in row), _mean(row)]
        for number, (name, row) in enumerate(zip(names, shares, strict=True), start=1)
    ]
    return aligned([heading, *body], [True, False, *[True] * (len(names) + 1)])


def _mean(row: np.ndarray) -> str:
    met = row[~np.isnan(row)]
    return f"{met.mean():.3f}" if met.size else _NOTHING


def aligned(lines: list[list[str]], right: list[bool]) -> str:
    """Return rows of cells as lines of an aligned table of text.

    ``right`` says which columns are aligned to the right.
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        _GAP.join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    )


def _cell(value: Any, form: str) -> str:
    known = plain(value)
    return _NOTHING if known is None else printable(format(known, form))


def _is_numeric(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    values = [value for row in rows if (value := plain(row.get(name))) is not None]
    return bool(values) and all(isinstance(value, int | float) for value in values)


def plain(value: Any) -> Any:
    """Return a value as JSON types: numpy values unpacked; NA, NaN and infinity as None."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if type(value).__name__ in ("NAType", "NaTType"):  # pandas, which this module does not import
        return None
    raise ResultsError(f"{value!r} ({type(value).__name__}) cannot be reported; give numbers")
