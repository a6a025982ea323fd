"""How much memory a file may ask for: its sizes are checked before any of it is taken.

What a file says of itself may be a lie, and 46 kB can stand for gigabytes. So a table may take
``RATIO`` times the bytes of its file, or ``FLOOR``, whichever is more; a user whose own runs are
greater says so by the variable ``EVO_MOST_BYTES``.
"""

from __future__ import annotations

import os

from results.errors import ResultsError

VARIABLE = "EVO_MOST_BYTES"
"""The variable of the environment that raises every limit here to so many bytes."""
FLOOR = 64 << 20
"""What any table may take when it is decoded."""
RATIO = 64
"""And so many times the bytes of its file."""
MOST_JSON = 16 << 20
"""Bytes of a JSON file."""
MOST_FILE = 1 << 30
"""Bytes of any other file that is read as a whole."""
MOST_NUMBERS = 256 << 20
"""Bytes of the numbers that genomes of a snapshot are decoded into."""


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
    text = os.environ.get(VARIABLE, "").strip()
    return int(text) if text.isdecimal() and len(text) < 20 else 0
