"""What is read of a stranger's file: bounds on its memory, checked before any of it is taken, and
JSON that all readers understand alike.

What a file says of itself may be a lie, and 46 kB can stand for gigabytes. So a table may take
``RATIO`` times the bytes of its file, or ``FLOOR``, whichever is more; a user whose own runs are
greater says so by the variable ``EVO_MOST_BYTES``.
"""

from __future__ import annotations

import json
import math
import os
import re
from typing import Any

import numpy as np

from results.errors import ResultsError, shown

VARIABLE = "EVO_MOST_BYTES"
"""The variable of the environment that raises every limit here to so many bytes."""
FLOOR = 256 << 20
"""What any table may take when it is decoded."""
RATIO = 64
"""And so many times the bytes of its file."""
MOST_JSON = 16 << 20
"""Bytes of a JSON file."""
MOST_FILE = 1 << 30
"""Bytes of any other file that is read as a whole."""
MOST_NUMBERS = 256 << 20
"""Bytes of the numbers that genomes of a snapshot are decoded into."""

MOST_LEVELS = 60
"""Of tables and lists within one another."""
MOST_DIGITS = 400
"""Of a whole number; the greatest float has 309."""
_HALVES = re.compile(rb"\\u[dD][89a-fA-F]")
_TEXTS = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)


def check_size(what: object, size: int, most: int) -> None:
    """Refuse what would take more bytes than ``most``, and than the user's own limit.

    Raises:
        ResultsError: it would; the message says how to raise the limit.
    """
    if size > most and size > _own_limit():
        raise ResultsError(
            f"{what} would take {size:,} bytes of memory, and at most {most:,} are taken for what "
            f"a file says; if you trust it: {VARIABLE}={size} allows so many"
        )


def most_decoded(file_bytes: int) -> int:
    """Return the bytes that a table may take whose file has so many."""
    return max(FLOOR, RATIO * file_bytes)


def _own_limit() -> int:
    return count_in(os.environ.get(VARIABLE, "").strip()) or 0


def count_in(text: str) -> int | None:
    """Return the whole number that a text is; None if the text is none, or too long a one."""
    return int(text) if text.isdecimal() and len(text) < 19 else None


def json_of(data: bytes) -> Any:
    """Return what a JSON text holds.

    Raises:
        ValueError: it is no JSON in UTF-8; or it is nested beyond ``MOST_LEVELS``, names a key of a
            table twice, has half a character, or a number that is none (NaN, 1e999) or has more
            digits than ``MOST_DIGITS``.
    """
    _check_levels(data)
    content = json.loads(
        data.decode(),
        object_pairs_hook=_table,
        parse_constant=_real_number,
        parse_float=_real_number,
        parse_int=_whole_number,
    )
    if _HALVES.search(data):
        json.dumps(content, ensure_ascii=False).encode()
    return content


def _check_levels(data: bytes) -> None:
    """Before the text is parsed, which would end in the middle of the stack."""
    signs = np.frombuffer(_TEXTS.sub(b"", data), np.uint8)
    opening = (signs == ord("[")) | (signs == ord("{"))
    closing = (signs == ord("]")) | (signs == ord("}"))
    levels = np.cumsum(opening.astype(np.int32) - closing)
    if levels.size and levels.max() > MOST_LEVELS:
        raise ValueError(f"{levels.max()} tables or lists within one another")


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{shown(twice)} stands there twice")
    return table


def _real_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is no finite number")
    return number


def _whole_number(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError(f"a number of {len(text)} digits")
    return int(text)
