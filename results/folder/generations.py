"""The table ``generations``: part files, each with the rows from one snapshot to the next."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow.compute as pc

from results.errors import DamagedError
from results.folder.files import Place, atomic_write, remove
from results.folder.parquet import parquet_files, read_table
from results.format import tables

FOLDER = "generations"
_NAME = re.compile(r"(\d{6,10})-(\d{6,10})\.parquet")


def write_part(run: Place, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write ``rows`` (each as ``tables.checked_row`` gives it) as one part file."""
    first, last = rows[0]["generation"], rows[-1]["generation"]
    data = tables.encode(tables.table_of_rows(FOLDER, rows))
    atomic_write(run / FOLDER / f"{first:06d}-{last:06d}.parquet", data, run)


def drop_after(run: Place, generation: int | None) -> None:
    """Remove the rows after ``generation`` (all rows for None); they will be computed again."""
    end = -1 if generation is None else generation
    files = parquet_files(run / FOLDER)
    ranges = {path: match for path in files if (match := _NAME.fullmatch(path.name))}
    beyond = [path for path, match in ranges.items() if int(match[2]) > end]
    across = [path for path in beyond if int(ranges[path][1]) <= end]
    remove(sorted(set(beyond) - set(across), reverse=True))
    for path in across:
        _shorten(run, path, end)


def rows_until(run: Place) -> int:
    """Return the last generation before which no generation's row is lost, -1 for none."""
    there: set[int] = set()
    for path in parquet_files(run / FOLDER):
        with contextlib.suppress(DamagedError, FileNotFoundError):
            there.update(read_table(FOLDER, path).column("generation").to_pylist())
    until = -1
    while until + 1 in there:
        until += 1
    return until


def _shorten(run: Place, path: Place, end: int) -> None:
    # Under its old name: a new one would stand beside the old for a moment, rows twice.
    table = read_table(FOLDER, path)
    kept = table.filter(pc.less_equal(table.column("generation"), end))
    if len(kept):
        atomic_write(path, tables.encode(kept), run)
    else:
        remove([path])
