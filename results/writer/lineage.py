"""Rows of ``lineage`` on their way to the disk: of the generations since the last snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from results.errors import ResultsError
from results.folder import generations
from results.format import tables


class LineageRows:
    """Collects who descends from whom until a snapshot is written."""

    def __init__(self, is_kept: bool) -> None:
        """``is_kept`` says whether the run has such a table."""
        self._is_kept = is_kept
        self._parts: list[dict[str, np.ndarray]] = []

    def take(self, columns: Mapping[str, Any], generation: int, reached: int) -> None:
        """Take the rows of the next generation; ``reached`` is the last snapshot's.

        Raises:
            ResultsError: bad columns, another generation, or a run without this table.
        """
        expected = reached + 1 + len(self._parts)
        if not self._is_kept or generation != expected:
            wanted = f"expected is that of {expected}" if self._is_kept else "this run keeps none"
            raise ResultsError(f"lineage of generation {generation!r} given; {wanted}")
        rows = np.full(len(columns["id"]), generation, np.int32)
        made = tables.checked_columns(generations.LINEAGE, {**columns, "generation": rows})
        self._parts.append(made)

    def until(self, generation: int, reached: int) -> pa.Table | None:
        """Return the rows after the snapshot before, up to a generation; None: the run keeps none.

        Raises:
            ResultsError: those of a generation are missing.
        """
        if not self._is_kept:
            return None
        if reached + len(self._parts) != generation:
            raise ResultsError(
                f"lineage goes up to generation {reached + len(self._parts)}, the snapshot is of "
                f"generation {generation}; give that of each generation before"
            )
        parts = [tables.table_of(generations.LINEAGE, columns) for columns in self._parts]
        return pa.concat_tables(parts).combine_chunks()

    def clear(self) -> None:
        """Forget the rows that were handed over."""
        self._parts = []
