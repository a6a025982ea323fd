"""Which snapshots of a run are whole: the list of digests, and the rule for where to go on.

``snapshots.sha256`` stands in the run folder in the format of ``sha256sum``, one line a snapshot,
so that ``sha256sum -c snapshots.sha256`` checks a run without this package. A snapshot is whole
when its file is there and its digest is the one of its line; the line is written last. The list is
there, empty, before the first snapshot, so one that is missing was lost and not cut short.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import pyarrow as pa

from results.errors import ResultsError
from results.folder.files import (
    Place,
    append_line,
    atomic_write,
    digest_of,
    each_of,
    names_in,
    read_file,
    remove,
)
from results.folder.retention import Retention
from results.format import tables
from results.format.schema import arrow_schema

MANIFEST = "snapshots.sha256"
FOLDER = "snapshots"
_NAME = re.compile(r"generation-(\d{6,10})\.parquet")


_LINES = re.compile(
    rb"^([0-9a-f]{64}) [ *]snapshots/generation-(\d{6,10})\.parquet\r?\n", re.MULTILINE
)
_BEFORE_NAME = 66
"""Bytes of a line before the name of the file."""


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


def read_manifest(run: Place) -> dict[int, str] | None:
    """Return the digests by generation, or None when there is no list; torn lines are left out."""
    lines = _read_lines(run)
    return None if lines is None else lines[0]


def _read_lines(run: Place) -> tuple[dict[int, str], bool, bytes] | None:
    """The digests by generation, whether the list holds anything else before the last of these
    lines or one of them twice, and what it holds after them; None: there is no list."""
    try:
        data = read_file(run / MANIFEST)
    except FileNotFoundError:
        return None
    lines = list(_LINES.finditer(data))
    digests = {int(line[2]): line[1].decode() for line in reversed(lines)}  # the first counts
    end = lines[-1].end() if lines else 0
    is_garbled = len(digests) < len(lines) or sum(len(line[0]) for line in lines) < end
    return digests, is_garbled, data[end:]


def _is_cut_short(tail: bytes, generation: int | None) -> bool:
    """Whether the end of the list is what a crash leaves of the line of a snapshot: nothing, or a
    beginning of it, with zeros in place of what did not reach the disk."""
    if not tail or generation is None:
        return not tail
    line, written = manifest_line(generation, "0" * 64).encode(), tail.rstrip(b"\0")
    is_digest = not written[:64].strip(b"0123456789abcdef")
    return len(tail) <= len(line) and is_digest and line[64:].startswith(written[64:])


def snapshot_files(run: Place) -> set[int]:
    """Return the generations of which there is a snapshot file, whole or not."""
    names = names_in(run / FOLDER)
    return {int(match[1]) for match in map(_NAME.fullmatch, names) if match}


@dataclass(frozen=True)
class Listing:
    """The snapshots of a run by the list and the files, without a look into them.

    Attributes:
        there: the generations that a reader may open: those with a file and a line, ascending. A
            file whose line is still to come is not yet part of the run.
        missing: those that should be there, ascending.
        has_list: False: the list itself is gone (a folder copied in part), the files alone count.
        unlisted: those of which there is a file that should have a line, and has none, ascending.
        is_damaged: whether the list holds anything but lines and the beginning of the last one.
    """

    there: list[int]
    missing: list[int]
    has_list: bool = True
    unlisted: list[int] = field(default_factory=list)
    is_damaged: bool = False


def listing(run: Place, retention: Retention) -> Listing:
    """Return which snapshots there are, and which are missing.

    A writer may add one between two looks, or remove one, its line first; so where anything is
    wrong it is looked for again, and what both looks find counts.
    """
    seen = _look(run, retention)
    if not (seen.missing or seen.unlisted or seen.is_damaged):
        return seen
    second = _look(run, retention)
    missing = sorted({*seen.missing} & {*second.missing})
    unlisted = sorted({*seen.unlisted} & {*second.unlisted})
    is_damaged = seen.is_damaged and second.is_damaged
    return Listing(second.there, missing, second.has_list, unlisted, is_damaged)


def _look(run: Place, retention: Retention) -> Listing:
    lines, files = _read_lines(run), snapshot_files(run)
    digests, is_garbled, tail = lines or (dict.fromkeys(files, ""), False, b"")
    there, newest = sorted(files & digests.keys()), max(digests, default=-1)
    expected = {*digests, *retention.for_good(there[-1] if there else -1)}
    # A crash leaves files without a line: the snapshot that was just written, and outlived ones.
    unlisted = sorted(g for g in files - digests.keys() if g > newest or retention.stays(g, newest))
    written = unlisted.pop() if unlisted and unlisted[-1] > newest else None
    if not files | digests.keys():  # removed by a resume that a crash cut short, before the list
        written = 0
    is_damaged = is_garbled or not _is_cut_short(tail, written)
    return Listing(there, sorted(expected - files), lines is not None, unlisted, is_damaged)


def listed_digest(run: Place, generation: int) -> str | None:
    """Return the digest of a snapshot by the list; None without a line, or a list."""
    try:
        data = read_file(run / MANIFEST)
    except FileNotFoundError:
        return None
    name, place = snapshot_name(generation).encode(), -1
    while (place := data.find(name, place + 1)) >= 0:  # a list may be long: not line by line
        if match := _LINES.match(data, place - _BEFORE_NAME):
            return match[1].decode()
    return None


def newest_metadata(run: Place, there: Sequence[int], genome_bytes: int) -> dict[str, str]:
    """Return the metadata of the newest of some snapshots that can be read; nothing without any."""
    for generation in reversed(there):
        with suppress(ResultsError, FileNotFoundError):
            digest = listed_digest(run, generation)
            return tables.metadata_of(read_snapshot(run, generation, genome_bytes, digest))
    return {}


def read_snapshot(run: Place, generation: int, genome_bytes: int, digest: str | None) -> pa.Table:
    """Return one snapshot as an Arrow table, checked against its ``digest`` where there is one.

    Raises:
        FileNotFoundError: there is no such file (a writer may just have removed it).
        ResultsError: the file cannot be read or is damaged.
    """
    path = run / snapshot_name(generation)
    data = read_file(path)
    if digest is not None and hashlib.sha256(data).hexdigest() != digest:
        raise ResultsError(
            f"{path} is damaged: its SHA-256 is not the one in {MANIFEST}; evo resume "
            f"{shlex.quote(str(run))} computes it again"
        )
    table = tables.decode(data, arrow_schema(FOLDER, genome_bytes), path)
    if tables.metadata_of(table).get("generation") != str(generation):
        raise ResultsError(f"{path} holds another generation than its name says; remove it")
    if not len(table):
        raise ResultsError(f"{path} holds no individual; remove it")
    return table


def manifest_text(digests: Mapping[int, str]) -> bytes:
    """Return the list of these snapshots, by generation."""
    return "".join(manifest_line(g, digests[g]) for g in sorted(digests)).encode()


def append_digest(run: Place, generation: int, digest: str, before: Mapping[int, str]) -> None:
    """Add the line of a snapshot that is already on the disk: from now on it is whole.

    Where somebody removed the list, the lines ``before`` are written again: a half list would be
    taken for one whose snapshots were never written.
    """
    if append_line(run / MANIFEST, manifest_line(generation, digest).encode()) and before:
        restore_manifest(run, {**before, generation: digest})


def restore_manifest(run: Place, digests: Mapping[int, str]) -> None:
    """Write the list again unless it is as it has to be: somebody removed or changed it."""
    path, text = run / MANIFEST, manifest_text(digests)
    try:
        is_right = read_file(path) == text
    except FileNotFoundError:
        is_right = False
    if not is_right:
        atomic_write(path, text)


def survey(run: Place, retention: Retention, rows_until: int) -> Survey:
    """Digest every snapshot and tell from which generation the run can go on.

    That is the last one before which every snapshot that stays for good (without a rule of the
    run's own: 0, interval, 2 * interval...) or has a line is whole, and every row of
    ``generations`` is there: what is damaged in the middle must be computed again, and so all after
    it.

    Args:
        run: the run folder.
        retention: which snapshots stay.
        rows_until: the last generation before which no row of ``generations`` is lost.

    Raises:
        ResultsError: there are snapshots, but no list, or none of its lines can be read; or the
            system refuses to read a snapshot, which is no reason to replace it.
    """
    listed, files = read_manifest(run), snapshot_files(run)
    digests = _trusted(run, listed, files)
    newest = max([*digests, *files], default=-1)
    there = sorted({*digests, *files})
    checked = each_of(run, lambda generation: _fault(run, generation, digests, files), there)
    faults = {generation: fault for generation, fault in zip(there, checked, strict=True) if fault}
    for generation in sorted(files - faults.keys()):
        if generation > rows_until:
            faults[generation] = (
                f"the row of generation {rows_until + 1} in generations/ is missing or damaged"
            )
            break
    must = {*retention.for_good(newest), *(g for g in digests if retention.must(g, newest))}
    broken = min((g for g in must if g in faults or g not in files), default=newest + 1)
    if broken not in files and broken <= newest:
        faults[broken] = f"{snapshot_name(broken)} is missing"
    eligible = (g for g in files - faults.keys() if g < broken and g <= rows_until)
    last = max(eligible, default=None)
    keep = {
        g: digests[g]
        for g in sorted(files - faults.keys())
        if last is not None and g <= last and retention.stays(g, last)
    }
    for generation in [g for g in faults if last is not None and g < last]:
        del faults[generation]  # outlived: it was being removed
    whole = sum(last is None and g in digests and g not in faults for g in files)
    return Survey(last, keep, _messages(faults, last, whole))


def _trusted(run: Place, listed: dict[int, str] | None, files: set[int]) -> dict[int, str]:
    """The list, unless it was lost: a crash leaves at most generation 0 without a line before."""
    if listed or not files or (listed is not None and files == {0}):
        return listed or {}
    state = "is missing" if listed is None else "has no line that can be read"
    raise ResultsError(
        f"{run / MANIFEST} {state}, so none of the {len(files)} snapshots can be checked, and none "
        f"was touched; if you trust them, write the list again: (cd {shlex.quote(str(run))} && "
        f"sha256sum {FOLDER}/*.parquet > {MANIFEST}); if not, remove {run / FOLDER} to start over"
    )


def discard(run: Place, keep: dict[int, str]) -> None:
    """Remove every snapshot, and every line, that ``keep`` does not name.

    The list goes first: a crash in between leaves files without a line, which are not whole. Only
    where none stays it goes last, since an empty list beside snapshots would be one that was lost.
    """
    if not keep:
        remove(run / snapshot_name(g) for g in _descending(snapshot_files(run)))
    restore_manifest(run, keep)
    remove(run / snapshot_name(g) for g in _descending(snapshot_files(run) - keep.keys()))


def _fault(run: Place, generation: int, digests: dict[int, str], files: set[int]) -> str | None:
    name = snapshot_name(generation)
    if generation not in files:
        return f"{name} is missing"
    if generation not in digests:
        return f"{name} has no line in {MANIFEST} (writing it was cut short?)"
    try:
        digest = digest_of(run / name)
    except FileNotFoundError:
        return f"{name} is missing"
    if digest != digests[generation]:
        return f"{name} is damaged: its SHA-256 is not the one in {MANIFEST}"
    return None


def _messages(faults: dict[int, str], last: int | None, whole: int) -> list[str]:
    """What is wrong and what follows; ``whole`` snapshots are lost when the run starts over."""
    if not faults:
        return []
    if last is not None:
        again = (
            f"the run goes on from generation {last}; later snapshots are removed and computed "
            "again, to the same bytes"
        )
    elif whole:
        again = (
            f"the run starts over from generation 0, as none before the damage is whole: {whole} "
            f"whole snapshot{'s' * (whole > 1)} after it and all rows of generations are removed "
            "and computed again, to the same bytes"
        )
    else:
        again = "the run starts over from generation 0"
    return [*(faults[generation] for generation in sorted(faults)), again]


def _descending(generations: Iterable[int]) -> list[int]:
    return sorted(generations, reverse=True)
