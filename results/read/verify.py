"""The verification of every file of a run, a tournament or a sweep.

Nothing is changed, and no lock is taken. Files that a writer is writing or removing are ``left``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import pyarrow.compute as pc

from results.errors import DamagedError, ResultsError
from results.folder import evaluations, generations, parquet, runfile, snapshots, tournament
from results.folder.faults import FOLDER as FAULTS
from results.folder.faults import lost_rows
from results.folder.files import Place, exists, names_in, place_of
from results.folder.inventory import (
    CLEARED,
    DAMAGED,
    FOREIGN,
    LEFT,
    MISSING,
    WHOLE,
    FileFinding,
    copies,
    missing_rows,
    strange_parts,
    take_inventory,
)
from results.folder.parquet import Part, read_part
from results.folder.recording import Recording
from results.format import tables
from results.read.sweep import DESCRIPTION, open_sweep

_OURS = {
    *(*runfile.CONTENT, *tournament.LEAGUE_FILES, tournament.PAIRS, tournament.TABLES),
    *(tournament.TOURNAMENT_FILE, f"{tournament.RATINGS}.parquet", f"{tournament.HISTORY}.parquet"),
}
_Result = TypeVar("_Result")


def verify(path: str | os.PathLike[str]) -> Iterator[FileFinding]:
    """Yield the state of each file of a run, a tournament or a sweep, after reading the file.

    Raises:
        ResultsError: the folder is none of these, or the system refused.
    """
    folder = place_of(path)
    if exists(folder / DESCRIPTION):
        yield from _of_sweep(folder)
    elif exists(folder / tournament.TOURNAMENT_FILE):
        yield from _of_tournament(folder)
    else:
        yield from _of_run(folder)


def _of_sweep(folder: Place) -> Iterator[FileFinding]:
    runs = open_sweep(folder)
    yield FileFinding(DESCRIPTION, WHOLE)
    for member in runs.members:
        inside = f"{member.path.parent.name}/{member.path.name}"
        for finding in _of_run(member.path):
            yield replace(finding, file=f"{inside}/{finding.file}")


def _of_run(run: Place) -> Iterator[FileFinding]:
    if not runfile.holds_run(run):
        runfile.read_info(run)  # which says what is there in place of a run
    info, finding = _tried(runfile.RUN_FILE, partial(runfile.read_info, run), DAMAGED)
    if info is None:
        yield finding
        return
    found = take_inventory(run, info["config"])
    newest = found.newest_readable(info["genome"]["bytes"])
    texts = {} if newest is None else tables.metadata_of(newest[2])
    check = partial(runfile.check_same_run, run, info, texts)
    yield _tried(runfile.RUN_FILE, check, DAMAGED)[1]
    yield from found.checked()
    last = max([*found.there, *found.missing], default=-1)
    for name in generations.stretched_tables(info["config"]):
        yield from parquet.again(lambda name=name: list(_of_generations(run, last, name)))  # type: ignore[misc]
    yield from _parts(run, evaluations.FOLDER)[1]
    parts, findings = _parts(run, FAULTS)
    yield from findings
    if len(parts) == len(findings) and (lost := lost_rows(run, texts)):
        yield FileFinding(FAULTS, MISSING, lost)
    recording = Recording(run)
    for name in recording.names:
        read = partial(recording.read, name)
        yield _tried(f"{recording.path.name}/{name}", read, DAMAGED)[1]
    yield from _others(run)


def _tried(
    file: str, read: Callable[[], _Result], otherwise: str = FOREIGN
) -> tuple[_Result | None, FileFinding]:
    """Read a file of a run and return its content with a finding on its state.

    The state is whole, damaged, or ``otherwise`` if reading fails for another reason; the content
    is then None.
    """
    try:
        return read(), FileFinding(file, WHOLE)
    except ResultsError as error:
        state = DAMAGED if isinstance(error, DamagedError) else otherwise
        return None, FileFinding(file, state, str(error))


def _parts(folder: Place, table: str) -> tuple[list[Part], list[FileFinding]]:
    """Return the readable files of a table of a run, and findings on all of its files."""
    files = parquet.parquet_files(folder / table)
    tried = [_tried(f"{table}/{path.name}", partial(read_part, table, path)) for path in files]
    parts = [part for part, _ in tried if part is not None]
    doubled = {finding.file: finding for finding in copies(parts)}
    return parts, [doubled.get(finding.file, finding) for _, finding in tried]


def _of_generations(run: Place, newest: int, name: str) -> Iterator[FileFinding]:
    """Yield findings on the files of a run's table ``name``, and on missing generations.

    ``newest`` is the generation of the newest snapshot.
    """
    whole, reached, files = [], -1, parquet.parquet_files(run / name)
    for stretch in generations.stretches_among(files):
        part, finding = _tried(
            f"{name}/{stretch.path.name}", partial(read_part, name, stretch.path)
        )
        if part is None:
            yield finding
            continue
        whole.append(part.table)
        if not generations.is_as_named(stretch, part.table):
            remedy = parquet.remedy_for(name, stretch.path)
            detail = f"its generations are not those in its name; {remedy}"
            finding = FileFinding(finding.file, DAMAGED, detail)
        elif stretch.first > newest:
            detail = f"it is after the newest snapshot; {CLEARED}"
            finding = FileFinding(finding.file, LEFT, detail)
        elif stretch.last <= reached:
            detail = f"its rows are in another file, too; {CLEARED}"
            finding = FileFinding(finding.file, LEFT, detail)
        yield finding
        reached = max(reached, stretch.last)
    yield from missing_rows(run, name, generations.numbers_of(whole), newest)
    yield from strange_parts(name, files)


def _of_tournament(folder: Place) -> Iterator[FileFinding]:
    read_info = partial(tournament.read_tournament_info, folder)
    yield _tried(tournament.TOURNAMENT_FILE, read_info, DAMAGED)[1]
    parts, findings = _parts(folder, tournament.PAIRS)
    yield from findings
    yield from _parts(folder, tournament.TABLES)[1]
    yield from _of_ratings(folder, parquet.unlike(parts))
    yield from _parts(folder, FAULTS)[1]
    if exists(history := folder / f"{tournament.HISTORY}.parquet"):
        yield _tried(history.name, partial(read_part, tournament.HISTORY, history), DAMAGED)[1]
    yield from _others(folder)


def _of_ratings(folder: Place, pairs: Sequence[Part]) -> Iterator[FileFinding]:
    """Yield findings on a tournament's ratings, if there are any, and on the rated games.

    ``pairs`` are the readable files of the table ``pairs``.
    """
    name = f"{tournament.RATINGS}.parquet"
    if not exists(folder / name):
        return
    part, finding = _tried(name, partial(read_part, tournament.RATINGS, folder / name), DAMAGED)
    if part is None:
        again = "the same evo tournament writes it again"
        yield replace(finding, detail=f"{finding.detail}; {again}")
        return
    rated = pc.sum(part.table.column("games")).as_py() or 0
    there = 2 * sum(pc.sum(pair.table.column("games")).as_py() or 0 for pair in pairs)
    if exists(folder / tournament.TABLES):  # whose games are not those of pairs
        there = rated
    if there < rated:  # a tournament that goes on has played more than was rated
        detail = (
            f"{(rated - there) // 2:,} of the {rated // 2:,} games that were rated are not there; "
            "the same evo tournament plays them again"
        )
        yield FileFinding(tournament.PAIRS, MISSING, detail)
        return
    yield _tried(name, partial(tournament.check_rated, folder, part.table))[1]


def _others(folder: Place) -> Iterator[FileFinding]:
    """Yield findings on files in a run's folder that a crash left or that no run writes."""
    for name in names_in(folder):
        if name.startswith(".write-") and name.endswith(".tmp"):
            yield FileFinding(name, LEFT, f"a file that is being written, or never was; {CLEARED}")
        elif name not in _OURS and name[0] != ".":
            yield FileFinding(name, FOREIGN, "no run writes it, and nothing here reads it")
    for name in names_in(folder / snapshots.FOLDER):
        if not snapshots.NAME.fullmatch(name) and name[0] != ".":
            detail = "no snapshot of a run is called so; move it out of there"
            yield FileFinding(f"{snapshots.FOLDER}/{name}", FOREIGN, detail)
