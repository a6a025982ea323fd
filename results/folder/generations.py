"""The tables ``generations`` and ``lineage``: part files, each of a range of generations.

A part holds the rows from one snapshot to the next. While a run goes on, ten parts are merged into
one, ten of these into a larger one, and ten of those into one of the largest. This limits the
number of files. The merged file is on the disk before the files that it replaces are removed. A
crash in between leaves rows in two files, so readers take each row once.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from results.errors import DamagedError
from results.folder import parquet
from results.folder.files import Place, remove
from results.folder.parquet import Part, parquet_files, read_part
from results.format import metadata, tables

FOLDER = "generations"
LINEAGE = metadata.LINEAGE
"""Name of the table of parents, which has the same form and which a run has on request."""
_NAME = re.compile(r"(\d{6,10})-(\d{6,10})(?:-[0-9a-f]{16})?\.parquet")
_TOGETHER = 10
_LARGEST = 3
"""The largest files span 10 ** 3 snapshot intervals, which bounds the cost of a merge."""


class GenerationSpan(NamedTuple):
    """A part file and the generations in its name, both ends included."""

    first: int
    last: int
    path: Place


def write_rows(run: Place, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows of the table ``generations`` of a run into a single new file."""
    write_part_of(run, tables.table_of_rows(FOLDER, rows), FOLDER)


def write_part_of(run: Place, table: pa.Table, name: str) -> Place:
    """Write rows of a run's table ``name``, in order of their generations, into one new file."""
    numbers = numbers_of([table])
    stem = f"{numbers[0]:06d}-{numbers[-1]:06d}"
    return parquet.write_part(run / name, stem, tables.encode(table))


def has_lineage(config: Mapping[str, Any]) -> bool:
    """Whether a run with this configuration stores the table ``lineage``."""
    return bool(config.get(LINEAGE, False))


def stretched_tables(config: Mapping[str, Any]) -> list[str]:
    """Return the names of a run's tables whose files each hold a range of generations.

    They are in the order of writing; ``generations`` is the last.
    """
    return [*([LINEAGE] if has_lineage(config) else []), FOLDER]


def stretches(run: Place, name: str = FOLDER) -> list[GenerationSpan]:
    """Return the files of a run's table ``name``, each with the range of generations in its name.

    They are ordered by first generation; among equals, the longest range comes first. Files with
    other names do not belong to the run and are ignored.
    """
    return stretches_among(parquet_files(run / name))


def stretches_among(files: Sequence[Place]) -> list[GenerationSpan]:
    """Return the files whose names are ranges of generations, ordered as by ``stretches``."""
    named = [(_NAME.fullmatch(path.name), path) for path in files]
    parts = [GenerationSpan(int(name[1]), int(name[2]), path) for name, path in named if name]
    return sorted(parts, key=lambda part: (part.first, -part.last, part.path.name))


def read_parts(run: Place, name: str = FOLDER) -> tuple[list[Part], list[Place]]:
    """Read the files of a run's table ``name`` that hold ranges of generations.

    Returns:
        The files with their rows, of which several may hold the same; and the paths of all files
        of the table's folder.

    The same row may be in several parts.

    Raises:
        ResultsError: a file is damaged, or the system refused.
    """

    def read() -> tuple[list[Part], list[Place]]:
        files = parquet_files(run / name)
        return [read_part(name, part.path) for part in stretches_among(files)], files

    return parquet.again(read)


def numbers_of(parts: Sequence[pa.Table]) -> np.ndarray:
    """Return the generations of which tables of a run have rows, int32, ascending, each once."""
    columns = [tables.numpy_column(part.column("generation")) for part in parts]
    return np.unique(np.concatenate([*columns, np.zeros(0, np.int32)]))


def rows_until(run: Place, name: str = FOLDER) -> int:
    """Return the last generation up to which a run's table ``name`` lacks no row.

    The result is -1 if even the first row is missing or damaged.
    """
    read = map(_undamaged, stretches(run, name))
    numbers = numbers_of([table for table in read if table is not None])
    gaps = np.flatnonzero(numbers != np.arange(len(numbers)))
    return int(gaps[0]) - 1 if len(gaps) else len(numbers) - 1


def drop_after(run: Place, generation: int | None, name: str = FOLDER) -> None:
    """Remove the rows of a run's table ``name`` after a generation (None: all rows).

    The run will compute them again.
    """
    end = -1 if generation is None else generation
    beyond = [part for part in stretches(run, name) if part.last > end]
    remove(part.path for part in reversed(beyond) if part.first > end)
    for part in beyond:
        if part.first <= end:
            _shorten(run, part, end)


def is_merge_due(generation: int, interval: int) -> bool:
    """Return whether files of generations are to be merged after the snapshot of a generation.

    ``interval`` is the number of generations between two snapshots.
    """
    return generation > 0 and generation % (_TOGETHER * interval) == 0


def merge(run: Place, generation: int, interval: int, name: str = FOLDER) -> None:
    """Merge files of a run's table ``name`` into files of 10, 100 and 1000 snapshot intervals.

    Afterwards, the files up to ``generation`` are the same as in a run that was never interrupted.
    A range with a missing or damaged row is not merged.

    Raises:
        ResultsError: the system refused. No row is lost.
    """
    parts = stretches(run, name)
    for start, end in _blocks(generation // interval):
        _merge(run, parts, start * interval, end * interval)


def _blocks(snapshots: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of snapshots whose files are merged once a run has ``snapshots`` snapshots.

    A range is a pair of numbers, end exclusive. The first snapshot is not counted.
    """
    start = 0
    for level in range(_LARGEST, 0, -1):
        size = _TOGETHER**level
        while start + size <= snapshots:
            yield start, start + size
            start += size


def _merge(run: Place, parts: Sequence[GenerationSpan], after: int, end: int) -> None:
    """Merge the files of a run's table that lie within one range of generations.

    Args:
        run: the folder of the run.
        parts: the files of the table.
        after: generation before the range; 0: the range begins with the run.
        end: last generation of the range.
    """
    start = after + 1 if after else 0
    inside = [part for part in parts if start <= part.first and part.last <= end]
    if len(inside) < 2:
        return
    taken, reached = _cover(inside, start - 1)
    if reached < max(part.last for part in inside):
        return
    kept = taken[0][0]
    if len(taken) > 1:
        table = pa.concat_tables([table for _, table in taken]).combine_chunks()
        kept = write_part_of(run, table, kept.parent.name)
    remove(part.path for part in inside if part.path != kept)


def _cover(
    parts: Sequence[GenerationSpan], reached: int
) -> tuple[list[tuple[Place, pa.Table]], int]:
    """Select the files of a table that continue from generation ``reached`` without a gap.

    Damaged files are left out.

    Returns:
        The files with their further rows, and the last generation that they cover.
    """
    taken = []
    for part in parts:
        if part.first > reached + 1:
            break
        table = _undamaged(part) if part.last > reached else None
        if table is not None and is_as_named(part, table):
            if part.first <= reached:
                table = table.filter(pc.greater(table.column("generation"), reached))
            taken.append((part.path, table))
            reached = part.last
    return taken, reached


def _undamaged(part: GenerationSpan) -> pa.Table | None:
    with contextlib.suppress(DamagedError, FileNotFoundError):
        return read_part(part.path.parent.name, part.path).table.replace_schema_metadata(None)
    return None


def is_as_named(part: GenerationSpan, table: pa.Table) -> bool:
    """Whether a file of a table holds exactly the generations that its name states."""
    return np.array_equal(numbers_of([table]), np.arange(part.first, part.last + 1))


def _shorten(run: Place, part: GenerationSpan, end: int) -> None:
    # What is damaged here is in other files, too: else the run would not go on from after it.
    if (table := _undamaged(part)) is not None:
        kept = table.filter(pc.less_equal(table.column("generation"), end))
        if len(kept):
            write_part_of(run, kept, part.path.parent.name)
    remove([part.path])
