"""The snapshots of a run, and the list of their digests.

``snapshots.sha256`` in the run folder has the format of ``sha256sum``, with a line per snapshot.
The command ``sha256sum -c snapshots.sha256`` therefore checks a run without this package. A
snapshot is whole if its file exists and has the digest of its line. The line is written last. The
empty list is created before the first snapshot, so a missing list means that the list was lost.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Mapping
from contextlib import suppress

import pyarrow as pa

from results.errors import ResultsError
from results.folder.files import (
    Place,
    append_line,
    atomic_write,
    names_in,
    read_file,
    remove,
)
from results.format import tables
from results.format.schema import arrow_schema

MANIFEST = "snapshots.sha256"
FOLDER = "snapshots"
NAME = re.compile(r"generation-(\d{6,10})\.parquet")
"""The name of the file of a snapshot."""
_LINES = re.compile(
    rb"^([0-9a-f]{64}) [ *]snapshots/generation-(\d{6,10})\.parquet\r?\n", re.MULTILINE
)
_BEFORE_NAME = 66
"""Number of bytes of a line before the name of the file."""


def snapshot_name(generation: int) -> str:
    """Return the path of a generation's snapshot inside its run folder."""
    return f"{FOLDER}/generation-{generation:06d}.parquet"


def manifest_line(generation: int, digest: str) -> str:
    """Return the line for a snapshot in the list of digests, in the format of ``sha256sum``."""
    return f"{digest}  {snapshot_name(generation)}\n"


def read_lines(run: Place) -> tuple[dict[int, str], bool, bytes] | None:
    """Read a run's list of digests of snapshots; return None if there is no list.

    Returns:
        The digests by generation; whether the lines are damaged, by other content before the last
        line or by a duplicate; and the bytes after the last line.
    """
    try:
        data = read_file(run / MANIFEST)
    except FileNotFoundError:
        return None
    lines = list(_LINES.finditer(data))
    digests = {int(line[2]): line[1].decode() for line in reversed(lines)}  # the first counts
    end = lines[-1].end() if lines else 0
    is_garbled = len(digests) < len(lines) or sum(len(line[0]) for line in lines) < end
    return digests, is_garbled, data[end:]


def snapshot_files(run: Place) -> set[int]:
    """Return the generations of a run that have a snapshot file, whole or not."""
    names = names_in(run / FOLDER)
    return {int(match[1]) for match in map(NAME.fullmatch, names) if match}


def listed_digest(run: Place, generation: int) -> str | None:
    """Return a snapshot's SHA-256 in the run's list of digests; None without a line or a list."""
    try:
        data = read_file(run / MANIFEST)
    except FileNotFoundError:
        return None
    name, place = snapshot_name(generation).encode(), -1
    while (place := data.find(name, place + 1)) >= 0:  # a list may be long: not line by line
        if match := _LINES.match(data, place - _BEFORE_NAME):
            return match[1].decode()
    return None


def read_snapshot(run: Place, generation: int, genome_bytes: int, digest: str | None) -> pa.Table:
    """Return a snapshot as an Arrow table, checked against its ``digest`` if that is given.

    Raises:
        FileNotFoundError: the file does not exist (a writer may just have removed it).
        ResultsError: the file cannot be read or is damaged.
    """
    path = run / snapshot_name(generation)
    data = read_file(path)
    own = hashlib.sha256(data).hexdigest()
    if digest is not None and own != digest:
        raise ResultsError(
            f"{path} is damaged: its SHA-256 is not the one in {MANIFEST}; evo resume "
            f"{shlex.quote(str(run))} computes it again"
        )
    table = tables.decode(data, arrow_schema(FOLDER, genome_bytes), path, own)
    if tables.metadata_of(table).get("generation") != str(generation):
        raise ResultsError(f"{path} holds another generation than its name says; remove it")
    if not len(table):
        raise ResultsError(f"{path} holds no individual; remove it")
    return table


def append_digest(run: Place, generation: int, digest: str, before: Mapping[int, str]) -> None:
    """Add the line of a snapshot to the run's list of digests. From then on the snapshot is whole.

    The snapshot's file is on the disk. If the list was removed in the meantime, the lines of the
    earlier snapshots are written again. Otherwise these would seem never to have been written.

    Args:
        run: the folder of the run.
        generation: generation of the snapshot.
        digest: SHA-256 of the snapshot's file.
        before: the digests of the earlier snapshots, by generation.
    """
    tables.remember_written(digest)
    if append_line(run / MANIFEST, manifest_line(generation, digest).encode()) and before:
        restore_manifest(run, {**before, generation: digest})


def restore_manifest(run: Place, digests: Mapping[int, str]) -> None:
    """Write a run's list of digests of snapshots again if it was removed or changed."""
    path = run / MANIFEST
    text = "".join(manifest_line(g, digests[g]) for g in sorted(digests)).encode()
    with suppress(FileNotFoundError):
        if read_file(path) == text:
            return
    atomic_write(path, text)


def discard(run: Place, keep: dict[int, str]) -> None:
    """Remove every snapshot of a run, and its line in the list of digests, that ``keep`` lacks.

    The list is written first, so a crash leaves files without a line, which do not count as whole.
    If no snapshot is kept, the list is written last, because an empty list beside snapshots would
    count as lost.
    """
    if not keep:
        remove(run / snapshot_name(g) for g in sorted(snapshot_files(run), reverse=True))
    restore_manifest(run, keep)
    left = snapshot_files(run) - keep.keys()
    remove(run / snapshot_name(g) for g in sorted(left, reverse=True))
