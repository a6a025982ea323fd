"""The descent of an individual through all generations, for runs that store their lineage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from results.errors import ResultsError
from results.format import tables
from results.format.tables import frame_of, newest_rows

if TYPE_CHECKING:
    import pandas as pd

OPERATORS = ("start", "mutation", "crossover")
"""The origin of an individual with no parent, with one and with two."""


def descent(rows: pa.Table, individual: int) -> pd.DataFrame:
    """Return an individual and all its ancestors from the rows of ``lineage``.

    See ``results.read.run.Run.lineage``.
    """
    table = newest_rows(rows.sort_by([("generation", "descending")]), ["id"])  # the first of each
    columns = tables.columns_of(table.select(["id", "parent_a", "parent_b"]))
    ids, parents = columns["id"], np.stack([columns["parent_a"], columns["parent_b"]], axis=1)
    start = _places(ids, np.array([individual]))
    if start[0] < 0:
        raise ResultsError(
            f"no individual {individual} in the lineage of this run; ids are those of its "
            f"snapshots, {ids.min() if len(ids) else 0} to {ids.max() if len(ids) else 0}"
        )
    kept = np.flatnonzero(_ancestors(ids, parents, start))
    frame = frame_of(table.take(pa.array(kept)))
    frame["operator"] = np.array(OPERATORS)[(parents[kept] >= 0).sum(axis=1)]
    frame["operator"] = frame["operator"].astype("string")
    line = _first_line(ids, parents, int(start[0]))
    frame["is_first_line"] = np.isin(kept, line)
    return frame.sort_values(["generation", "id"], kind="stable").reset_index(drop=True)


def _places(ids: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Return the row of each wanted id in a table ordered by id, int64 [K]; -1 for missing ids.

    ``ids`` are the ids of the table, ascending.
    """
    if not len(ids):
        return np.full(len(wanted), -1)
    places = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return np.where(ids[places] == wanted, places, -1)


def _ancestors(ids: np.ndarray, parents: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Return which individuals are ancestors of an individual, itself included, bool [K].

    Args:
        ids: ids of the individuals, ascending.
        parents: ids of their parents; negative for none.
        start: row of the individual in ``ids``, as an array.
    """
    taken = np.zeros(len(ids), dtype=bool)
    front = start
    while len(front):
        taken[front] = True
        places = _places(ids, np.unique(parents[front]))
        places = places[places >= 0]  # of another run, where this one started
        front = places[~taken[places]]
    return taken


def _first_line(ids: np.ndarray, parents: np.ndarray, row: int) -> list[int]:
    """Return the rows of an individual, its first parent, that one's first parent, and so on.

    Args:
        ids: ids of the individuals, ascending.
        parents: ids of their parents, the first parent in column 0.
        row: row of the individual in ``ids``.
    """
    line: list[int] = []
    seen: set[int] = set()
    while row >= 0 and row not in seen:  # a third-party table may have cycles
        line.append(row)
        seen.add(row)
        row = int(_places(ids, parents[row, :1])[0])
    return line
