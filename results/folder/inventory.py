"""The inventory of a run's folder: whole, missing, damaged, doubled, foreign and left files.

It is the basis of readers' warnings, ``evo verify``, ``evo status`` and the choice of the snapshot
from which a run goes on. Nothing is changed, and no lock is taken.
"""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa

from results.errors import DoubledWarning, MissingWarning, ResultsError
from results.folder import generations
from results.folder.files import Place, digest_of, each_of
from results.folder.parquet import Part
from results.folder.retention import Retention
from results.folder.snapshots import (
    FOLDER,
    MANIFEST,
    manifest_line,
    read_lines,
    read_snapshot,
    snapshot_files,
    snapshot_name,
)

WHOLE, DAMAGED, MISSING = "whole", "damaged", "missing"
DOUBLED, FOREIGN, LEFT = "doubled", "foreign", "left"
CLEARED = "going on clears it"


@dataclass(frozen=True)
class FileFinding:
    """A file of a folder and its state.

    Attributes:
        file: its path in the folder.
        state: ``whole``; ``damaged``: not the content that was written; ``missing``; ``doubled``:
            its rows are in another file, too; ``foreign``: not written by a run; ``left``: left
            by a crash or in use by a writer, and removed when the run goes on.
        detail: the fault and its remedy; empty for a whole file.
    """

    file: str
    state: str
    detail: str = ""

    @property
    def is_fault(self) -> bool:
        """Whether this file's state makes the run incomplete.

        Foreign files at the top level do not.
        """
        return self.state in (DAMAGED, MISSING, DOUBLED) or (
            self.state == FOREIGN and "/" in self.file
        )


def warn_of(run: Place, findings: Iterable[FileFinding]) -> None:
    """Warn of missing, damaged or doubled files of a run, at the caller's line.

    Similar files share a single warning.
    """
    for (state, detail), alike in groupby(findings, lambda each: (each.state, each.detail)):
        files = [finding.file for finding in alike]
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        kind = DoubledWarning if state in (DOUBLED, FOREIGN) else MissingWarning
        warnings.warn(kind(f"{run / files[0]}{more}: {detail}"), stacklevel=4)


@dataclass(frozen=True)
class Inventory:
    """The snapshots of a run according to the list of digests and the file names.

    The contents of the files are not read.

    Attributes:
        run: the folder.
        digests: the listed digests by generation; empty texts for all files if the list is gone.
        files: the generations with a snapshot file, whole or not.
        missing: the generations whose snapshots should exist but do not, ascending.
        unlisted: the generations whose file should have a line in the list but has none,
            ascending.
        has_list: whether the list exists. Without it (a folder copied in part), only the files
            count.
        is_damaged: whether the list has content other than lines and the beginning of the last
            line.
    """

    run: Place
    digests: Mapping[int, str]
    files: frozenset[int]
    missing: Sequence[int]
    unlisted: Sequence[int]
    has_list: bool
    is_damaged: bool

    @property
    def there(self) -> list[int]:
        """The generations whose snapshots a reader may open, ascending.

        They have a file and a line in the list of digests. A file without a line is not part of the
        run.
        """
        return sorted(self.files & self.digests.keys())

    def findings(self) -> list[FileFinding]:
        """Return the faults of a run's snapshots, by their file names and the list of digests."""
        resume = f"evo resume {shlex.quote(str(self.run))}"
        again = f"{resume} computes it again, and all after it, to the same bytes"
        found = []
        if not self.has_list and self.files:
            how = f"so no snapshot can be checked; {resume} says how to write it again"
            found.append(FileFinding(MANIFEST, MISSING, f"it is missing, {how}"))
        elif self.unlisted and not self.digests:
            how = f"so no snapshot is read; {resume} says how to write it again"
            found.append(FileFinding(MANIFEST, DAMAGED, f"it has no line that can be read, {how}"))
        for generation in self.missing:
            found.append(FileFinding(snapshot_name(generation), MISSING, f"it is missing; {again}"))
        for generation in self.unlisted:
            detail = f"it has no line in {MANIFEST}, so it is not read; {again}"
            found.append(FileFinding(snapshot_name(generation), DAMAGED, detail))
        if self.is_damaged:
            detail = (
                "it holds something that is no line of a snapshot, or two lines of one; "
                f"{resume} writes it again, and computes again what it does not name"
            )
            found.append(FileFinding(MANIFEST, DAMAGED, detail))
        return found

    def checked(self) -> list[FileFinding]:
        """Read every snapshot of a run and return the state of each, and of the list of digests."""
        found = self.findings()
        known = {finding.file for finding in found}
        again = f"evo resume {shlex.quote(str(self.run))} computes it again, and all after it"
        for generation, state in self.states().items():
            name = snapshot_name(generation)
            detail = {
                DAMAGED: f"its SHA-256 is not the one in {MANIFEST}; {again}",
                LEFT: f"it has no line in {MANIFEST}; {CLEARED}",
            }
            if name not in known and state != MISSING:  # else a writer has removed it just now
                found.append(FileFinding(name, state, detail.get(state, "")))
        return found

    def states(self) -> dict[int, str]:
        """Return the state of each snapshot of a run by generation: whole, damaged, missing, left.

        Snapshots with a file or a line in the list of digests count; ``left`` marks a file without
        a line.
        """
        generations = sorted(self.files | self.digests.keys())
        states = each_of(self.run, self._state, generations)
        return dict(zip(generations, states, strict=True))

    def _state(self, generation: int) -> str:
        expected = self.digests.get(generation)
        try:
            if generation not in self.files:
                return MISSING
            if not expected:
                return WHOLE if expected == "" else LEFT
            digest = digest_of(self.run / snapshot_name(generation))
        except FileNotFoundError:
            return MISSING
        return WHOLE if digest == expected else DAMAGED

    def newest_readable(self, genome_bytes: int) -> tuple[int, str | None, pa.Table] | None:
        """Return the newest readable snapshot of a run, or None if no snapshot is readable.

        Returns:
            The snapshot's generation, digest (None if the list of digests is lost) and table.
        """
        for generation in reversed(self.there):
            digest = self.digests[generation] or None
            with suppress(ResultsError, FileNotFoundError):
                return generation, digest, read_snapshot(self.run, generation, genome_bytes, digest)
        return None


def take_inventory(run: Place, config: Mapping[str, Any]) -> Inventory:
    """Return which snapshots of a run are present and which are missing.

    A writer may add or remove a snapshot while the folder is listed. If a fault is found, the
    folder is therefore listed again, and only the faults found both times count.

    Args:
        run: the folder of the run.
        config: the configuration of the run, which says which snapshots are kept.
    """
    retention = Retention.of(config)
    seen = _look(run, retention)
    if not (seen.missing or seen.unlisted or seen.is_damaged):
        return seen
    second = _look(run, retention)
    return replace(
        second,
        missing=sorted({*seen.missing} & {*second.missing}),
        unlisted=sorted({*seen.unlisted} & {*second.unlisted}),
        is_damaged=seen.is_damaged and second.is_damaged,
    )


def _look(run: Place, retention: Retention) -> Inventory:
    lines, files = read_lines(run), snapshot_files(run)
    digests, is_garbled, tail = lines or (dict.fromkeys(files, ""), False, b"")
    newest = max(digests, default=-1)
    expected = {*digests, *retention.for_good(max(files & digests.keys(), default=-1))}
    # A crash leaves files without a line: the snapshot that was just written, and outlived ones.
    unlisted = sorted(g for g in files - digests.keys() if g > newest or retention.stays(g, newest))
    written = unlisted.pop() if unlisted and unlisted[-1] > newest else None
    if not files | digests.keys():  # removed by a resume that a crash cut short, before the list
        written = 0
    is_damaged = is_garbled or not _is_cut_short(tail, written)
    missing = sorted(expected - files)
    return Inventory(
        run, digests, frozenset(files), missing, unlisted, lines is not None, is_damaged
    )


def _is_cut_short(tail: bytes, generation: int | None) -> bool:
    """Whether the end of the list of digests is empty, or a line that a crash cut short.

    The part of the line that did not reach the disk may be zero bytes.

    Args:
        tail: the bytes after the last complete line.
        generation: the snapshot to which the line may belong.
    """
    if not tail or generation is None:
        return not tail
    line, written = manifest_line(generation, "0" * 64).encode(), tail.rstrip(b"\0")
    is_digest = not written[:64].strip(b"0123456789abcdef")
    return len(tail) <= len(line) and is_digest and line[64:].startswith(written[64:])


def missing_rows(run: Place, table: str, numbers: np.ndarray, newest: int) -> list[FileFinding]:
    """Return a finding if a run's table lacks rows of generations up to the newest snapshot.

    Args:
        run: the folder of the run.
        table: name of the table.
        numbers: the generations that have rows.
        newest: generation of the newest snapshot.
    """
    missing = np.setdiff1d(np.arange(newest + 1), numbers)
    if not len(missing):
        return []
    cuts = np.flatnonzero(np.diff(missing) != 1) + 1
    ends = [(part[0], part[-1]) for part in np.split(missing, cuts)]
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in ends]
    ranges = ", ".join(texts if len(texts) < 6 else [*texts[:4], f"... {texts[-1]}"])
    detail = (
        f"it lacks the rows of generation{'s' * (len(missing) > 1)} {ranges}; evo resume "
        f"{shlex.quote(str(run))} computes them again, and all after that, to the same bytes"
    )
    return [FileFinding(table, MISSING, detail)]


def strange_parts(table: str, files: Sequence[Place]) -> list[FileFinding]:
    """Return findings for files of table ``generations`` or ``lineage`` that the run did not write.

    Their names are not ranges of generations.
    """
    detail = "it is no part of this run, and was not read; move it away"
    parts = {part.path for part in generations.stretches_among(files)}
    strange = [path.name for path in files if path not in parts]
    return [FileFinding(f"{table}/{name}", FOREIGN, detail) for name in strange]


def copies(parts: Sequence[Part]) -> list[FileFinding]:
    """Return findings for the files of a run's table that are copies of an earlier file."""
    first: dict[str, Part] = {}
    for part in parts:
        first.setdefault(part.digest, part)
    return [
        FileFinding(
            f"{part.path.parent.name}/{part.path.name}",
            DOUBLED,
            f"it is a copy of {first[part.digest].path.name}, and was not read; remove it",
        )
        for part in parts
        if first[part.digest] is not part
    ]


@dataclass(frozen=True)
class ResumePoint:
    """The point from which a run goes on.

    Attributes:
        last: the generation to go on from; None if not even generation 0 is whole.
        keep: digests of the snapshots that are kept when the run goes on, by generation.
        damaged: a message per damaged snapshot, and a message about the consequence.
    """

    last: int | None
    keep: dict[int, str]
    damaged: list[str]


def find_resume_point(run: Place, config: Mapping[str, Any], rows_until: int) -> ResumePoint:
    """Check every snapshot's digest and return the point from which the run can go on.

    This is the last whole snapshot before any gap: every earlier snapshot that is permanent (by
    default 0, interval, 2 * interval...) or listed is whole, and every row of ``generations`` is
    present. A damaged file in the middle must be computed again, and so must all later ones.

    Args:
        run: the run folder.
        config: the configuration of the run.
        rows_until: the last generation up to which no row of ``generations`` is missing.

    Raises:
        ResultsError: there are snapshots, but the list is gone or has no readable line; or the
            system refuses to read a snapshot. Such a snapshot must not be replaced.
    """
    retention, found = Retention.of(config), take_inventory(run, config)
    _refuse_lost_list(found)
    digests, files = found.digests, found.files
    newest = max([*digests, *files], default=-1)
    details = {
        MISSING: "is missing",
        LEFT: f"has no line in {MANIFEST} (writing it was cut short?)",
        DAMAGED: f"is damaged: its SHA-256 is not the one in {MANIFEST}",
    }
    faults = {
        generation: f"{snapshot_name(generation)} {details[state]}"
        for generation, state in found.states().items()
        if state != WHOLE
    }
    whole = sorted(files - faults.keys())
    if beyond := [generation for generation in whole if generation > rows_until]:
        faults[beyond[0]] = (
            f"the row of generation {rows_until + 1} in generations/ is missing or damaged"
        )
    on_interval = {g for g in digests if g % retention.interval == 0}
    must = {*retention.for_good(newest), *(g for g in on_interval if retention.stays(g, newest))}
    broken = min((g for g in must if g in faults or g not in files), default=newest + 1)
    if broken not in files and broken <= newest:
        faults[broken] = f"{snapshot_name(broken)} {details[MISSING]}"
    eligible = (g for g in files - faults.keys() if g < broken and g <= rows_until)
    last = max(eligible, default=None)
    if last is None:
        lost = sum(g in digests and g not in faults for g in files)
        return ResumePoint(None, {}, _messages(faults, None, lost))
    keep = {g: digests[g] for g in whole if g <= last and retention.stays(g, last)}
    after = {g: fault for g, fault in faults.items() if g >= last}  # before it: being removed
    return ResumePoint(last, keep, _messages(after, last, 0))


def _refuse_lost_list(found: Inventory) -> None:
    """Raise if a run has lost its list of digests, so that no snapshot can be checked.

    A crash leaves at most the snapshot of generation 0 beside an empty list.
    """
    if found.files and not (found.has_list and (found.digests or found.files == {0})):
        state = "has no line that can be read" if found.has_list else "is missing"
        run, folder = found.run, found.run / FOLDER
        raise ResultsError(
            f"{run / MANIFEST} {state}, so none of the {len(found.files)} snapshots can be "
            "checked, and none was touched; if you trust them, write the list again: (cd "
            f"{shlex.quote(str(run))} && sha256sum {FOLDER}/*.parquet > {MANIFEST}); if not, "
            f"remove {folder} to start over"
        )


def _messages(faults: Mapping[int, str], last: int | None, whole: int) -> list[str]:
    """Return messages on the faults of a run's snapshots, and on where the run goes on.

    Args:
        faults: descriptions of the faults, by generation.
        last: generation of the last whole snapshot before the faults; None: the run starts over.
        whole: number of whole snapshots that are lost if the run starts over.
    """
    if not faults:
        return []
    again = "the run starts over from generation 0"
    if last is not None:
        again = (
            f"the run goes on from generation {last}; later snapshots are removed and computed "
            "again, to the same bytes"
        )
    elif whole:
        again += (
            f", as none before the damage is whole: {whole} whole snapshot{'s' * (whole > 1)} "
            "after it and all rows of generations are removed and computed again, to the same bytes"
        )
    return [*(faults[generation] for generation in sorted(faults)), again]
