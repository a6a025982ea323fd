"""Arrays that begin with a cache line."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection
from typing import Any

import numpy as np

LINE = 64
"""Bytes of a cache line: vectors that straddle two take twice as long."""


def all_aligned(wanted: Collection[tuple[tuple[int, ...], Any]]) -> list[np.ndarray]:
    """Return arrays of zeros in one buffer, each starting at a cache line.

    Args:
        wanted: the shape and the type of each array.
    """
    sizes = [math.prod(shape) * np.dtype(kind).itemsize for shape, kind in wanted]
    lines = [-(-size // LINE) * LINE for size in sizes]
    room = np.zeros(sum(lines) + LINE, dtype=np.uint8)
    start = -room.ctypes.data % LINE
    starts = itertools.accumulate(lines, initial=start)
    return [
        np.ndarray(shape, kind, buffer=room.data, offset=start)
        for (shape, kind), start in zip(wanted, starts, strict=False)
    ]
