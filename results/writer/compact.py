"""A run that is there made small: few files, and the snapshots that a rule keeps."""

from __future__ import annotations

import os
from dataclasses import dataclass

from results.errors import ResultsError
from results.folder import generations, snapshots
from results.folder.files import Place, names_in, place_of, size_of
from results.writer.writer import RunWriter


@dataclass(frozen=True)
class Size:
    """How large a run is.

    Attributes:
        generations: that there are rows of.
        parts, snapshots: files of the two tables.
        part_bytes, snapshot_bytes: what they hold.
        lineage_bytes: what the table ``lineage`` holds; 0 where the run has none.
    """

    generations: int
    parts: int
    snapshots: int
    part_bytes: int
    snapshot_bytes: int
    lineage_bytes: int = 0


def size(path: str | os.PathLike[str]) -> Size:
    """Return how large the tables of a run are, by their files alone."""
    run = place_of(path)
    parts = generations.stretches(run)
    files = [run / snapshots.FOLDER / name for name in names_in(run / snapshots.FOLDER)]
    last = max((part.last for part in parts), default=-1)
    lineage = _bytes([part.path for part in generations.stretches(run, generations.LINEAGE)])
    held = _bytes([part.path for part in parts])
    return Size(last + 1, len(parts), len(files), held, _bytes(files), lineage)


def compact(
    path: str | os.PathLike[str], keep_every: int | None = None, keep_last: int | None = None
) -> tuple[Size, Size]:
    """Make one file of many parts of ``generations``, and remove snapshots that need not stay.

    A second time it does nothing. A kill at any moment costs no row, and no snapshot that stays.

    Args:
        path: the run's folder.
        keep_every: each so many-th snapshot stays from now on; None: as the run says.
        keep_last: and so many of the newest; None: as the run says.

    Returns:
        The run's size before and after.

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


def _bytes(files: list[Place]) -> int:
    return sum(map(size_of, files))
