"""What is missing in a run, or there twice, in a line each that says what mends it."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Iterable, Sequence

import numpy as np

from results.errors import DoubledWarning, MissingWarning, RunWarning
from results.folder import generations, snapshots
from results.folder.files import Place
from results.folder.parquet import Part


def warn_of(lines: Iterable[RunWarning]) -> None:
    """Warn of each, as of the line by which a user of this package reads."""
    for line in lines:
        warnings.warn(line, stacklevel=4)


def of_snapshots(run: Place, listing: snapshots.Listing) -> list[RunWarning]:
    """The snapshots that should be there and are not."""
    lines = []
    if not listing.has_list and listing.there:
        lines.append(
            f"{run / snapshots.MANIFEST} is missing, so no snapshot can be checked; evo resume "
            f"{shlex.quote(str(run))} says how to write it again"
        )
    if listing.missing:
        lines.append(
            f"{run / snapshots.FOLDER} lacks {_counted(listing.missing)}; {_resume(run)}, and all "
            "after that, to the same bytes"
        )
    if listing.has_list and listing.unlisted and not listing.there:
        lines.append(
            f"{run / snapshots.MANIFEST} has no line that can be read, so no snapshot is read; evo "
            f"resume {shlex.quote(str(run))} says how to write it again"
        )
        return [MissingWarning(line) for line in lines]
    if listing.unlisted:
        lines.append(
            f"{run / snapshots.MANIFEST} has no line of the snapshot of "
            f"{_counted(listing.unlisted)}, which is not read; {_resume(run)}, and all after that, "
            "to the same bytes"
        )
    if listing.is_damaged:
        lines.append(f"{run / snapshots.MANIFEST} is damaged: {damaged_list(run)}")
    return [MissingWarning(line) for line in lines]


def damaged_list(run: Place) -> str:
    """Say that the list of digests is damaged, and what mends it."""
    return (
        "it holds something that is no line of a snapshot, or two lines of one; evo resume "
        f"{shlex.quote(str(run))} writes it again, and computes again what it does not name"
    )


def of_generations(
    run: Place, numbers: np.ndarray, newest: int, table: str = generations.FOLDER
) -> list[RunWarning]:
    """The generations up to the newest snapshot of which no row is among those of ``numbers``."""
    missing = np.setdiff1d(np.arange(newest + 1), numbers)
    if not len(missing):
        return []
    return [
        MissingWarning(
            f"{run / table} lacks the rows of {_counted(missing.tolist())}; "
            f"{_resume(run)}, and all after that, to the same bytes"
        )
    ]


def strange_parts(files: Sequence[Place]) -> list[tuple[Place, RunWarning]]:
    """Files of ``generations`` that no run wrote under this name, which are not read."""
    return [
        (path, DoubledWarning(f"{path} is no part of this run, and was not read; move it away"))
        for path in files
        if not generations.is_part(path.name)
    ]


def copies(parts: Sequence[Part]) -> dict[str, RunWarning]:
    """The files, by name, whose content one before them has, too."""
    first: dict[str, Part] = {}
    for part in parts:
        first.setdefault(part.digest, part)
    return {
        part.path.name: DoubledWarning(
            f"{part.path} is a copy of {first[part.digest].path.name}, and was not read; remove it"
        )
        for part in parts
        if first[part.digest] is not part
    }


def ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers in words, such as ``3, 7-20``."""
    cuts = np.flatnonzero(np.diff(numbers) != 1) + 1
    ends = [(part[0], part[-1]) for part in np.split(np.asarray(numbers), cuts)]
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in ends]
    return ", ".join(texts if len(texts) < 6 else [*texts[:4], f"... {texts[-1]}"])


def _counted(numbers: Sequence[int]) -> str:
    """Generations in words."""
    return f"generation{'s' * (len(numbers) > 1)} {ranges(numbers)}"


def _resume(run: Place) -> str:
    return f"evo resume {shlex.quote(str(run))} computes them again"
