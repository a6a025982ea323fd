"""A run that is there made small: few files, and the snapshots that a rule keeps."""

from __future__ import annotations

import os

from results.errors import ResultsError
from results.folder import generations, snapshots
from results.folder.files import names_in, place_of, size_of
from results.writer.writer import RunWriter


def size(path: str | os.PathLike[str]) -> dict[str, int]:
    """Return how large the tables of a run are, by their files alone.

    Returns:
        ``generations``, of which there are rows; ``parts`` and ``snapshots``, the files of the two
        tables; ``part_bytes``, ``snapshot_bytes`` and ``lineage_bytes``, the bytes of the files of
        each table.
    """
    run = place_of(path)
    parts = generations.stretches(run)
    files = [run / snapshots.FOLDER / name for name in names_in(run / snapshots.FOLDER)]
    lineage = generations.stretches(run, generations.LINEAGE)
    return {
        "generations": max((part.last for part in parts), default=-1) + 1,
        "parts": len(parts),
        "snapshots": len(files),
        "part_bytes": sum(size_of(part.path) for part in parts),
        "snapshot_bytes": sum(map(size_of, files)),
        "lineage_bytes": sum(size_of(part.path) for part in lineage),
    }


def compact(
    path: str | os.PathLike[str], keep_every: int | None = None, keep_last: int | None = None
) -> tuple[dict[str, int], dict[str, int]]:
    """Make one file of many parts of ``generations``, and remove snapshots that need not stay.

    A second time it does nothing. A kill at any moment costs no row, and no snapshot that stays.

    Args:
        path: the run's folder.
        keep_every: each so many-th snapshot stays from now on; None: as the run says.
        keep_last: and so many of the newest; None: as the run says.

    Returns:
        The run's ``size`` before and after.

    Raises:
        ResultsError: no run, another process writes it, it is damaged, or snapshots that would have
            to stay were removed before.
    """
    before = size(path)
    with RunWriter.open(path) as writer:
        if writer.damaged:
            raise ResultsError(f"{writer.damaged[0]}; nothing was changed: mend it by evo resume")
        if keep_every is not None or keep_last is not None:
            writer.set_retention(keep_every, keep_last)
    return before, size(path)
