"""What of a run, a tournament or a sweep is whole, and what is not: every file is read.

Nothing is changed, and no lock is taken: what a writer is about to write or to remove is ``left``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow.compute as pc

from results.errors import DamagedError, ResultsError
from results.folder import evaluations, generations, parquet, runfile, snapshots, status, tournament
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
    Finding,
    copies,
    missing_rows,
    strange_parts,
    take_inventory,
)
from results.folder.parquet import Part, read_part
from results.folder.status import STATUS_FILE
from results.format import tables
from results.read.sweep import DESCRIPTION, open_sweep

_OURS = {
    *(runfile.RUN_FILE, snapshots.MANIFEST, STATUS_FILE),
    *(tournament.TOURNAMENT_FILE, f"{tournament.RATINGS}.parquet"),
    *(snapshots.FOLDER, generations.FOLDER, evaluations.FOLDER, tournament.PAIRS),
    generations.LINEAGE,
    *("plots", "analysis", FAULTS, status.STATUS_FILE, *tournament.LEAGUE_FILES),
}
_SNAPSHOT = re.compile(r"generation-\d{6,10}\.parquet")


def verify(path: str | os.PathLike[str]) -> Iterator[Finding]:
    """Find out of each file of a run, a tournament or a sweep whether it is whole.

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


def _of_sweep(folder: Place) -> Iterator[Finding]:
    runs = open_sweep(folder)
    yield Finding(DESCRIPTION, WHOLE)
    for member in runs.members:
        inside = f"{member.path.parent.name}/{member.path.name}"
        for finding in _of_run(member.path):
            yield replace(finding, file=f"{inside}/{finding.file}")


def _of_run(run: Place) -> Iterator[Finding]:
    if not exists(run / runfile.RUN_FILE):
        runfile.read_info(run)  # which says what is there in place of a run
    try:
        info = runfile.read_info(run)
    except ResultsError as error:
        yield Finding(runfile.RUN_FILE, DAMAGED, str(error))
        return
    found = take_inventory(run, info["config"])
    newest = found.newest_readable(info["genome"]["bytes"])
    texts = {} if newest is None else tables.metadata_of(newest[2])
    yield _of_info(run, info, texts)
    yield from found.checked()
    last = max([*found.there, *found.missing], default=-1)
    for name in generations.stretched_tables(info["config"]):
        yield from parquet.again(lambda name=name: list(_of_generations(run, last, name)))  # type: ignore[misc]
    for table in (evaluations.FOLDER, FAULTS):
        parts, findings = _read(run, table)
        yield from (*findings, *_with_copies(parts))
    if not findings and (lost := lost_rows(run, texts)):
        yield Finding(FAULTS, MISSING, lost)
    yield from _others(run)


def _of_info(run: Place, info: Mapping[str, Any], texts: Mapping[str, str]) -> Finding:
    """Whether ``run.json`` is the one of the snapshot of these metadata."""
    try:
        runfile.check_same_run(run, info, texts)
    except ResultsError as error:
        return Finding(runfile.RUN_FILE, DAMAGED, str(error))
    return Finding(runfile.RUN_FILE, WHOLE)


def _of_generations(run: Place, newest: int, table_name: str) -> Iterator[Finding]:
    """The parts, the generations that none of them has, and files that are no parts."""
    whole, reached, files = [], -1, parquet.parquet_files(run / table_name)
    for part in generations.stretches_among(files):
        name = f"{table_name}/{part.path.name}"
        try:
            table = read_part(table_name, part.path).table
        except ResultsError as error:
            yield Finding(name, _state_by(error), str(error))
            continue
        whole.append(table)
        if not generations.is_as_named(part, table):
            detail = parquet.remedy_for(table_name, part.path)
            yield Finding(name, DAMAGED, f"its generations are not those in its name; {detail}")
        elif part.first > newest:
            yield Finding(name, LEFT, f"it is after the newest snapshot; {CLEARED}")
        elif part.last <= reached:
            yield Finding(name, LEFT, f"its rows are in another file, too; {CLEARED}")
        else:
            yield Finding(name, WHOLE)
        reached = max(reached, part.last)
    yield from missing_rows(run, table_name, generations.numbers_of(whole), newest)
    yield from strange_parts(table_name, files)


def _read(folder: Place, table: str) -> tuple[list[Part], list[Finding]]:
    """The files of a table that can be read, and findings on the others."""
    parts, faults = [], []
    for path in parquet.parquet_files(folder / table):
        try:
            parts.append(read_part(table, path))
        except ResultsError as error:
            faults.append(Finding(f"{table}/{path.name}", _state_by(error), str(error)))
    return parts, faults


def _state_by(error: ResultsError) -> str:
    """What a file is that could not be read: damaged, or of another table."""
    return DAMAGED if isinstance(error, DamagedError) else FOREIGN


def _with_copies(parts: Sequence[Part]) -> Iterator[Finding]:
    doubled = {finding.file: finding for finding in copies(parts)}
    for part in parts:
        name = f"{part.path.parent.name}/{part.path.name}"
        yield doubled.get(name, Finding(name, WHOLE))


def _of_tournament(folder: Place) -> Iterator[Finding]:
    try:
        tournament.read_tournament_info(folder)
        yield Finding(tournament.TOURNAMENT_FILE, WHOLE)
    except ResultsError as error:
        yield Finding(tournament.TOURNAMENT_FILE, DAMAGED, str(error))
    parts, findings = _read(folder, tournament.PAIRS)
    yield from (*findings, *_with_copies(parts))
    yield from _of_ratings(folder, parquet.unlike(parts))
    parts, findings = _read(folder, FAULTS)
    yield from (*findings, *_with_copies(parts))
    yield from _others(folder)


def _of_ratings(folder: Place, pairs: Sequence[Part]) -> Iterator[Finding]:
    """The ratings, once there are any, and whether their games are there."""
    name = f"{tournament.RATINGS}.parquet"
    try:
        ratings = read_part(tournament.RATINGS, folder / name).table
    except FileNotFoundError:
        return
    except ResultsError as error:
        yield Finding(name, DAMAGED, f"{error}; the same evo tournament writes it again")
        return
    rated = pc.sum(ratings.column("games")).as_py() or 0
    there = 2 * sum(pc.sum(part.table.column("games")).as_py() or 0 for part in pairs)
    if there < rated:  # a tournament that goes on has played more than was rated
        detail = (
            f"{(rated - there) // 2:,} of the {rated // 2:,} games that were rated are not there; "
            "the same evo tournament plays them again"
        )
        yield Finding(tournament.PAIRS, MISSING, detail)
        return
    try:
        tournament.check_rated(folder, ratings)
        yield Finding(name, WHOLE)
    except DamagedError as error:
        yield Finding(name, DAMAGED, str(error))


def _others(folder: Place) -> Iterator[Finding]:
    """What crashes left, and what a folder of ours does not hold otherwise."""
    for name in names_in(folder):
        if name.startswith(".write-") and name.endswith(".tmp"):
            yield Finding(name, LEFT, f"a file that is being written, or never was; {CLEARED}")
        elif name not in _OURS and name[0] != ".":
            yield Finding(name, FOREIGN, "no run writes it, and nothing here reads it")
    for name in names_in(folder / snapshots.FOLDER):
        if not _SNAPSHOT.fullmatch(name) and name[0] != ".":
            detail = "no snapshot of a run is called so; move it out of there"
            yield Finding(f"{snapshots.FOLDER}/{name}", FOREIGN, detail)
