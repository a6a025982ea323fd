"""Which snapshots of a run are whole: the list of digests, and the rule for where to go on.

``snapshots.sha256`` stands in the run folder in the format of ``sha256sum``, one line a snapshot,
so that ``sha256sum -c snapshots.sha256`` checks a run without this package. A snapshot is whole
when its file is there and its digest is the one of its line; the line is written last.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from results import tables
from results.errors import ResultsError, refused
from results.files import append_line, atomic_write, remove
from results.schema import arrow_schema

MANIFEST = "snapshots.sha256"
FOLDER = "snapshots"
_NAME = re.compile(r"generation-(\d{6,10})\.parquet")
_LINE = re.compile(r"([0-9a-f]{64}) [ *]snapshots/" + _NAME.pattern)


@dataclass(frozen=True)
class Survey:
    """The state of the snapshots of a run, as ``survey`` found it.

    Attributes:
        last: the generation to go on from; None when not even generation 0 is whole.
        keep: digests of the snapshots that stay when writing goes on, by generation.
        damaged: one message a snapshot that is not whole, and one on what follows from it.
    """

    last: int | None
    keep: dict[int, str]
    damaged: list[str]


def snapshot_name(generation: int) -> str:
    """Return the path of a snapshot inside its run folder."""
    return f"{FOLDER}/generation-{generation:06d}.parquet"


def manifest_line(generation: int, digest: str) -> str:
    """Return the line of a snapshot, as ``sha256sum`` would write it."""
    return f"{digest}  {snapshot_name(generation)}\n"


def read_manifest(run: Path) -> dict[int, str] | None:
    """Return the digests by generation, or None when there is no list; torn lines are left out."""
    try:
        text = (run / MANIFEST).read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise refused("read", run / MANIFEST, error) from error
    whole_lines = text[: text.rfind("\n") + 1].splitlines()
    found = (_LINE.fullmatch(line) for line in whole_lines)
    return {int(match[2]): match[1] for match in found if match}


def snapshot_files(run: Path) -> set[int]:
    """Return the generations of which there is a snapshot file, whole or not."""
    try:
        names = [path.name for path in (run / FOLDER).iterdir()]
    except FileNotFoundError:
        return set()
    except OSError as error:
        raise refused("read", run / FOLDER, error) from error
    return {int(match[1]) for match in map(_NAME.fullmatch, names) if match}


def listed_snapshots(run: Path) -> list[int]:
    """Return the generations that a reader may open: those with a file and a line, ascending.

    A file whose line is still to come is not yet part of the run. Where the list itself is gone
    (a folder copied in part), the files alone count.
    """
    digests, files = read_manifest(run), snapshot_files(run)
    return sorted(files if digests is None else files & digests.keys())


def read_snapshot(run: Path, generation: int, genome_bytes: int, digest: str | None) -> pa.Table:
    """Return one snapshot as an Arrow table, checked against its ``digest`` where there is one.

    Raises:
        FileNotFoundError: there is no such file (a writer may just have removed it).
        ResultsError: the file cannot be read or is damaged.
    """
    path = run / snapshot_name(generation)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise refused("read", path, error) from error
    if digest is not None and hashlib.sha256(data).hexdigest() != digest:
        raise ResultsError(
            f"{path} is damaged: its SHA-256 is not the one in {MANIFEST}; evo resume "
            f"{shlex.quote(str(run))} computes it again"
        )
    table = tables.decode(data, arrow_schema(FOLDER, genome_bytes), path)
    if tables.metadata_of(table).get("generation") != str(generation):
        raise ResultsError(f"{path} holds another generation than its name says; remove it")
    return table


def append_digest(run: Path, generation: int, digest: str) -> None:
    """Add the line of a snapshot that is already on the disk: from now on it is whole."""
    append_line(run / MANIFEST, manifest_line(generation, digest).encode())


def survey(run: Path, interval: int) -> Survey:
    """Digest every snapshot and tell from which generation the run can go on.

    That is the last one before which every snapshot of the interval (0, interval, 2 * interval...)
    is whole: one that is damaged in the middle must be computed again, and so all after it.
    """
    listed, files = read_manifest(run), snapshot_files(run)
    digests = listed or {}
    newest = max([*digests, *files], default=-1)
    faults = {
        generation: fault
        for generation in sorted({*digests, *files})
        if (fault := _fault(run, generation, digests, files))
    }
    expected = range(0, newest + 1, interval)
    broken = next((g for g in expected if g in faults or g not in files), newest + 1)
    if broken not in files and broken <= newest:
        faults[broken] = f"{snapshot_name(broken)} is missing"
    last = max((g for g in files if g < broken and g not in faults), default=None)
    keep = {
        g: digests[g]
        for g in sorted(files)
        if last is not None and g <= last and (g == last or g % interval == 0)
    }
    for generation in [g for g in faults if last is not None and g < last and g % interval]:
        del faults[generation]  # off the interval and outlived: it was being removed
    return Survey(last, keep, _messages(faults, last, listed is None and bool(files)))


def discard(run: Path, keep: dict[int, str]) -> None:
    """Remove every snapshot, and every line, that ``keep`` does not name.

    The list goes first: a crash in between leaves files without a line, which are not whole.
    """
    text = "".join(manifest_line(g, digest) for g, digest in sorted(keep.items())).encode()
    path = run / MANIFEST
    if (path.read_bytes() if path.exists() else b"") != text:
        atomic_write(path, text)
    remove(run / snapshot_name(g) for g in _descending(snapshot_files(run) - keep.keys()))


def _fault(run: Path, generation: int, digests: dict[int, str], files: set[int]) -> str | None:
    name = snapshot_name(generation)
    if generation not in files:
        return f"{name} is missing"
    if generation not in digests:
        return f"{name} has no line in {MANIFEST} (writing it was cut short?)"
    try:
        with (run / name).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        return str(refused("read", name, error))
    if digest != digests[generation]:
        return f"{name} is damaged: its SHA-256 is not the one in {MANIFEST}"
    return None


def _messages(faults: dict[int, str], last: int | None, no_manifest: bool) -> list[str]:
    if not faults:
        return []
    onward = (
        "the run starts over from generation 0"
        if last is None
        else f"the run goes on from generation {last}"
    )
    if no_manifest:
        return [
            f"{MANIFEST} is missing, so no snapshot can be trusted: {onward}; if you trust them, "
            f"write it before going on: sha256sum {FOLDER}/*.parquet > {MANIFEST}"
        ]
    again = f"{onward}; later snapshots are computed again, to the same bytes"
    return [*(faults[generation] for generation in sorted(faults)), again]


def _descending(generations: Iterable[int]) -> list[int]:
    return sorted(generations, reverse=True)
