"""Limits on the memory that files from unknown sources may take, and strict parsing of JSON.

The sizes that a file declares may be wrong, and 46 kB can expand to gigabytes. A table may
therefore take ``RATIO`` times the bytes of its file, or ``FLOOR`` if that is more. Users with
larger runs of their own raise the limits with the variable ``EVO_MOST_BYTES``.
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
"""The environment variable that raises every limit in this module, in bytes."""
FLOOR = 256 << 20
"""Number of bytes that any decoded table may take."""
RATIO = 64
"""Number of bytes that a decoded table may take per byte of its file."""
MOST_JSON = 16 << 20
"""Maximum size of a JSON file, in bytes."""
MOST_FILE = 1 << 30
"""Maximum size of any other file that is read as a whole, in bytes."""
MOST_NUMBERS = 256 << 20
"""Maximum size of the decoded numbers of a snapshot's genomes, in bytes."""

MOST_LEVELS = 60
"""Maximum nesting of tables and lists."""
MOST_DIGITS = 400
"""Maximum number of digits of a whole number. The greatest float has 309."""
_HALVES = re.compile(rb"\\u[dD][89a-fA-F]")
_TEXTS = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)


def check_size(what: object, size: int, most: int) -> None:
    """Raise if data would take more bytes than both ``most`` and the limit that the user set.

    ``what`` names the data in the message.

    Raises:
        ResultsError: the size is too large. The message says how to raise the limit.
    """
    own_limit = count_in(os.environ.get(VARIABLE, "").strip()) or 0
    if size > max(most, own_limit):
        raise ResultsError(
            f"{what} would take {size:,} bytes of memory; a file may take at most {most:,}: if you "
            f"trust it, set the variable {VARIABLE}={size}"
        )


def most_decoded(file_bytes: int) -> int:
    """Return the maximum memory in bytes of the decoded table of a file of ``file_bytes`` bytes."""
    return max(FLOOR, RATIO * file_bytes)


def count_in(text: str) -> int | None:
    """Return the whole number in a text; None if the text is not a number, or is too long."""
    return int(text) if text.isdecimal() and len(text) < 19 else None


def json_of(data: bytes) -> Any:
    """Parse a JSON text strictly and return its content.

    Raises:
        ValueError: the text is not JSON in UTF-8, is nested beyond ``MOST_LEVELS``, has a duplicate
            key in a table, an unpaired surrogate, a number that is not finite (NaN, 1e999), or a
            number with more digits than ``MOST_DIGITS``.
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
    """Raise if a JSON text is nested too deeply, which would overflow the stack of the parser."""
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
        raise ValueError(f"{shown(twice)} occurs twice")
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
