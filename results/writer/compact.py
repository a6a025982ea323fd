"""The reduction of an existing run to few files and the snapshots that a rule keeps."""

from __future__ import annotations

import os

from results.errors import ResultsError
from results.folder import generations, snapshots
from results.folder.files import names_in, place_of, size_of
from results.writer.writer import RunWriter


def size(path: str | os.PathLike[str]) -> dict[str, int]:
    """Return the sizes of the tables of a run, in files, generations and bytes.

    Returns:
        ``generations``, the number of generations with rows; ``parts`` and ``snapshots``, the
        number of files of the two tables; ``part_bytes``, ``snapshot_bytes`` and
        ``lineage_bytes``, the bytes of the files of each table.
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
    """Merge the parts of ``generations``, and remove snapshots that need not be kept.

    A second call changes nothing. A kill at any moment loses no row and no snapshot to be kept.

    Args:
        path: the run's folder.
        keep_every: keep every n-th snapshot from now on; None: as configured in the run.
        keep_last: also keep the newest n snapshots; None: as configured in the run.

    Returns:
        The run's ``size`` before and after.

    Raises:
        ResultsError: no run, another process writes it, it is damaged, or snapshots that the rule
            keeps were removed before.
    """
    before = size(path)
    with RunWriter.open(path) as writer:
        if writer.damaged:
            raise ResultsError(f"{writer.damaged[0]}; nothing was changed: mend it by evo resume")
        if keep_every is not None or keep_last is not None:
            writer.set_retention(keep_every, keep_last)
    return before, size(path)
