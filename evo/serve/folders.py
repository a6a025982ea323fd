"""Runs, sweeps, tournaments and leagues below the folders that a server shows."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from results.errors import ResultsError
from results.folder.files import is_locked
from results.folder.runfile import RUN_FILE
from results.folder.tournament import LEAGUE_FILES, TOURNAMENT_FILE
from results.read.below import DEEPEST
from results.read.status import status_of
from results.read.sweep import DESCRIPTION

RUN, SWEEP, TOURNAMENT, LEAGUE = "run", "sweep", "tournament", "league"
SCAN_SECONDS = 1.0
"""Seconds for which the list of folders is kept."""
Signature = tuple[Any, ...]


class Item(NamedTuple):
    """A folder that has a page.

    Attributes:
        name: its path below the folders given, which begins with the name of one of these. It
            identifies the item in addresses.
        kind: run, sweep, tournament or league.
        path: the folder.
    """

    name: str
    kind: str
    path: Path


@dataclass
class Shelf:
    """The items below some folders. Names from addresses are looked up, never joined to paths.

    Attributes:
        folders: the folders, absolute.
    """

    folders: Sequence[Path]
    _items: dict[str, Item] = field(default_factory=dict)
    _scanned: float = 0.0
    _rows: dict[str, tuple[Signature, dict[str, Any]]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def items(self) -> dict[str, Item]:
        """Return all items by name, in the order of names."""
        with self._lock:
            if not self._scanned or time.monotonic() - self._scanned > SCAN_SECONDS:
                found = (
                    item
                    for name, folder in _named(self.folders)
                    for item in _below(name, folder, DEEPEST)
                )
                self._items = {item.name: item for item in sorted(found)}
                self._scanned = time.monotonic()
            return self._items

    def rows(self) -> list[dict[str, Any]]:
        """Return the state of each item; see :func:`results.read.status.status_of`."""
        rows = []
        for name, item in self.items().items():
            now = signature_of(item)
            kept = self._rows.get(name)
            if kept is None or kept[0] != now or now[-1]:  # a run in progress may stall
                kept = now, _row(item)
                self._rows[name] = kept
            rows.append({**kept[1], "changed": _newest(now)})
        return rows


def _named(folders: Sequence[Path]) -> Iterator[tuple[str, Path]]:
    """Yield the folders with unique names."""
    names: set[str] = set()
    for folder in folders:
        name, number = folder.name or "folder", 1
        while name in names:
            number += 1
            name = f"{folder.name}-{number}"
        names.add(name)
        yield name, folder


def _below(name: str, folder: Path, depth: int) -> Iterator[Item]:
    """Yield the items in a folder and below it. Symbolic links are not followed."""
    with suppress(OSError):
        with os.scandir(folder) as entries:
            held = {entry.name: entry for entry in entries}
        if RUN_FILE in held:
            yield Item(name, RUN, folder)
            return
        if TOURNAMENT_FILE in held:
            yield Item(name, LEAGUE if LEAGUE_FILES[1] in held else TOURNAMENT, folder)
            return
        if DESCRIPTION in held:
            yield Item(name, SWEEP, folder)
        for each in sorted(held) if depth else ():
            if not each.startswith(".") and held[each].is_dir(follow_symlinks=False):
                yield from _below(f"{name}/{each}", folder / each, depth - 1)


WATCHED = (
    *("", "run.json", "status.json", "snapshots", "generations", "evaluations", "faults"),
    "recording",
    *(TOURNAMENT_FILE, "pairs", *LEAGUE_FILES),
)
"""Files and folders whose times tell that an item has changed."""
OF_RUNS_OF_A_SWEEP = ("run.json", "snapshots", "evaluations")


def signature_of(item: Item) -> Signature:
    """Return a value that changes when files of an item change, or when its process ends.

    The times in ns of the files watched, and as the last value whether the item is locked.
    """
    paths, times = [item.path / name for name in WATCHED], []
    if item.kind == SWEEP:
        runs = sorted(item.path.glob("*/seed-*"))
        paths += [run / name for run in runs for name in OF_RUNS_OF_A_SWEEP]
    for path in paths:
        try:
            times.append(os.stat(path).st_mtime_ns)
        except OSError:
            times.append(0)
    return *times, item.kind == RUN and is_locked(item.path)


def _newest(signature: Signature) -> float:
    return max(signature) / 1e9


def _row(item: Item) -> dict[str, Any]:
    row: dict[str, Any] = {"name": item.name, "kind": item.kind}
    if item.kind == RUN:
        return row | status_of(item.path, quick=True)
    if item.kind == SWEEP:
        return row
    from results.folder.tournament import read_tournament_info

    try:
        info = read_tournament_info(item.path)
    except ResultsError as error:
        return row | {"state": "damaged", "error": str(error)}
    return row | {"game": info["game"], "scheme": info["schedule"]}
