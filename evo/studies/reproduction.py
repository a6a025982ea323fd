"""What a study hands to ``evo reproduce``: what is printed, and what is kept in files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Reproduction:
    """What came of a study.

    Attributes:
        record: the JSON object; ``settings`` and ``seconds`` are among its keys.
        lines: the report for people.
        arrays: what ``NAME.npy`` holds, by name, such as policies.
        tables: columns of equal length of ``NAME.parquet``, by name.
        draw: draws the pictures into a folder and returns their paths; None: there are none.
    """

    record: Mapping[str, Any]
    lines: Sequence[str]
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    draw: Callable[[Path], list[Path]] | None = None
