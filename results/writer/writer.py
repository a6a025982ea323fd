"""The writer of a run folder. Every snapshot is a checkpoint, so a crash loses only later data.

A snapshot is written in this order, each step synced to the disk before the next: the rows of
``generations`` up to it, the snapshot itself, and its line in ``snapshots.sha256``. Then snapshots
that are no longer kept are removed. Periodically, files of ``generations`` are merged. A snapshot
is part of the run once its line is written.

A separate thread of the writer does this, so that the evolution does not wait for the disk.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from results.errors import ResultsError
from results.folder import faults, generations, runfile, snapshots
from results.folder.files import (
    Lock,
    Place,
    atomic_write,
    lock_run,
    make_folder,
    place_of,
    sweep_temporaries,
)
from results.folder.inventory import find_resume_point
from results.folder.retention import Retention
from results.format import metadata, tables
from results.format.schema import SCHEMA_VERSION
from results.storage.base import released_on_error
from results.writer.background import Background
from results.writer.beginning import folders_of, refuse_taken
from results.writer.checkpoint import CheckpointFiles, LastSnapshot, check_individuals

_WAITING = 4
"""Maximum number of snapshots that wait for the disk. One more makes the caller wait."""


class RunWriter:
    """The writer of one run folder, which holds its lock.

    Use it as a context manager or ``close`` it.

    Snapshots are passed to a thread, started with the first, that writes them in order. After the
    system refuses a write, nothing more is written, and the earlier snapshots stay whole. Every
    later call raises the ResultsError; ``close`` raises it only if no call has before. A writer is
    for one thread of the process that created it.

    Attributes:
        path: the run folder.
        info: the content of ``run.json``.
        last: the newest snapshot: after ``open`` the snapshot to go on from, None if there is no
            snapshot yet, later the last one passed. It is on the disk once ``flush`` has returned.
        damaged: the faults that ``open`` found, one message a line, for the user.
    """

    def __init__(self, path: Place, info: dict[str, Any], lock: Lock) -> None:
        """Prepare the writer of a run; use ``RunWriter.create`` or ``RunWriter.open``.

        Args:
            path: the folder.
            info: content of ``run.json``.
            lock: the lock of the folder, which this process holds.
        """
        self.path = path
        self.info = info
        self.last: LastSnapshot | None = None
        self.damaged: list[str] = []
        self._files = CheckpointFiles(path, info, lock)
        self._rows: list[dict[str, Any]] = []
        self._lineage: list[pa.Table] = []
        self._settled = True
        self._given = self._closed = False
        self._background = Background(_WAITING, at_end=lock.release)

    @classmethod
    def create(cls, path: str | os.PathLike[str], info: Mapping[str, Any]) -> RunWriter:
        """Make a new run folder; ``run.json`` comes last, so that only a whole one is a run.

        ``info`` is the content of ``run.json``, to which the schema version and the time are added:
        ``seed`` and ``versions``; ``config``, with ``snapshot_interval`` (from 1); ``genome``, the
        encoding with ``bytes``, the width B of a packed genome, or for several populations what
        ``genomes.spec_of`` takes; ``layouts``, how the genomes of each population are decoded.

        Raises:
            ResultsError: the path holds a run, other files, or is a file; the configuration is
                not JSON; or the system refused. What was there is untouched.
        """
        run = place_of(path)
        refuse_taken(run)
        make_folder(run)
        lock = lock_run(run)
        with released_on_error(lock):
            refuse_taken(run)  # another process may have been faster
            sweep_temporaries([run])
            for folder in folders_of(info["config"]):
                make_folder(run / folder)
            atomic_write(run / snapshots.MANIFEST, b"")
            created = datetime.now(UTC).isoformat(timespec="seconds")
            runfile.write_info(run, {"schema_version": SCHEMA_VERSION, "created": created, **info})
            return cls(run, runfile.read_info(run), lock)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> RunWriter:
        """Open a run to continue it after its last whole snapshot (``last``).

        What a crash left is cleared. Where a snapshot is damaged or missing, ``damaged`` says so
        and nothing is removed before the first ``generation`` or ``snapshot``.

        Raises:
            ResultsError: no run, another schema version, ``run.json`` was changed, the list of
                digests is gone, another process is writing the run, or the system refused.
        """
        run = place_of(path)
        runfile.read_info(run)
        lock = lock_run(run)
        with released_on_error(lock):
            writer = cls(run, runfile.read_info(run), lock)
            writer._recover()
            return writer

    @property
    def config(self) -> dict[str, Any]:
        """The configuration of the run, as ``run.json`` has it."""
        return self.info["config"]

    @property
    def genome(self) -> dict[str, Any]:
        """The description of the run's encoding, as ``run.json`` has it."""
        return self.info["genome"]

    def generation(self, row: Mapping[str, Any]) -> None:
        """Take one row of the run's table ``generations``, written just before the next snapshot.

        Rows are given in order, each (generation, population) once, with a value of each column.

        Raises:
            ResultsError: writing failed before.
        """
        self._check_open()
        self._settle()
        self._rows.append(dict(row))

    def lineage(self, table_columns: Mapping[str, Any], generation: int) -> None:
        """Take the rows of one generation for the run's table ``lineage``.

        They are written before the snapshot of the generation.

        ``table_columns`` has an array of length N for each column but ``generation``. A run that
        keeps its lineage takes the rows of every generation, in order.

        Raises:
            ResultsError: columns are not of their types; or writing failed before.
        """
        self._check_open()
        numbers = np.full(len(table_columns["id"]), generation, np.int32)
        columns = {**table_columns, "generation": numbers}
        self._lineage.append(tables.table_from_columns(generations.LINEAGE, columns))

    def snapshot(
        self,
        table_columns: Mapping[str, Any],
        generation: int,
        games_played: int,
        state: Mapping[str, Any] | None = None,
        faults: int = 0,
    ) -> None:
        """Write a snapshot of the populations of ``generation``, after the table rows up to it.

        ``table_columns`` has one array of length N for each column of table ``snapshots`` (genome
        uint8 [N, B], parents -1 for none). ``generation`` may be left out, ``population`` may be
        one string. ``state`` is the further state of the learner, as JSON types. ``faults`` is the
        number of rows of that table about generations up to this one.

        The arguments are checked and copied here, so the caller may change them afterwards. The
        thread writes them, and ``flush`` waits for that. If four snapshots are waiting already,
        this call waits for the disk, too.

        Raises:
            ResultsError: bad columns, an individual or id that occurs twice, a population that
                ``run.json`` does not describe, or a state that is not JSON (nothing was accepted
                then); or writing failed before.
        """
        self._check_open()
        numbers = np.full(len(table_columns["genome"]), generation, np.int32)
        given = {**table_columns, "generation": numbers}
        columns = tables.checked_columns(snapshots.FOLDER, given, self.genome["bytes"])
        check_individuals(columns, self.genome)
        carried = json.loads(metadata.state_text(state)) if state else {}
        snapshot = LastSnapshot(generation, games_played, columns, carried)
        rows, lineage = self._rows, None
        if generations.has_lineage(self.config):
            lineage = pa.concat_tables(self._lineage).combine_chunks()
        self._settle()
        self._background.reserve()
        self._given = True
        self._background.submit(partial(self._files.write, snapshot, rows, lineage, int(faults)))
        self.last, self._rows, self._lineage = snapshot, [], []

    def flush(self) -> None:
        """Wait until all snapshots of the run passed so far are on the disk, safe from a crash.

        A list of digests that was removed or changed meanwhile is written again. Rows after the
        last snapshot wait for the next one.

        Raises:
            ResultsError: the system refused.
        """
        self._check_open()
        if self._given:
            self._background.submit(self._files.check)
        self._background.flush()

    def set_generations(self, generations: int, games: int = 0) -> None:
        """Change in ``run.json`` where the run ends, so that it becomes longer or shorter.

        That is ``config["generations"]``, and ``config["games"]``, which 0 leaves out.
        """
        self._check_open()
        config = {**self.config, "generations": int(generations), "games": int(games)}
        if not games:
            del config["games"]
        self._write_info({**self.info, "config": config})

    def set_retention(self, every: int | None = None, last: int | None = None) -> None:
        """Change which snapshots of the run are kept, in ``run.json`` and then in the folder.

        That is ``config["keep_every"]`` and ``config["keep_last"]``; None: as it is.

        Raises:
            ResultsError: an invalid number, or snapshots that would have to be kept were removed
                before; or the system refused.
        """
        self.flush()
        given = dict(zip(metadata.KEEP, (every, last), strict=True))
        for name, value in given.items():
            if value is not None and not runfile.is_count(value, 0):
                raise ResultsError(f"{name} = {value!r}; expected is a whole number from 0")
        kept = {name: self.config.get(name, 0) if v is None else v for name, v in given.items()}
        rest = {name: value for name, value in self.config.items() if name not in kept}
        config = rest | {name: int(value) for name, value in kept.items() if value}
        rule = Retention.of(config)
        gone = [g for g in rule.for_good(self._reached) if g not in self._files.keep]
        if gone:
            raise ResultsError(
                f"keep_every = {rule.every} and keep_last = {rule.last} given, which keep the "
                f"snapshot of generation {gone[0]}, but it was removed before; give numbers "
                "that keep only snapshots that still exist"
            )
        if config != self.config:
            self._write_info({**self.info, "config": config})
        self._files.retain(rule)

    def ended(self, reason: str) -> None:
        """Write into ``run.json`` that the run has ended early, at its newest snapshot, and why."""
        ended = {"generation": self._reached, "reason": reason}
        if self.info.get("ended") != ended:
            self._write_info({**self.info, "ended": ended})

    def _write_info(self, info: dict[str, Any]) -> None:
        runfile.write_info(self.path, info)
        self.info = info

    def close(self) -> None:
        """Write the run's snapshots to the disk, as ``flush`` does, then release the folder's lock.

        The lock is released even if the system refused.

        Rows after the last snapshot are dropped, because they belong to no snapshot. If the wait is
        interrupted, the lock is released when all is written. A second ``close`` waits for that.

        Raises:
            ResultsError: the system refused, and no call has raised this before.
        """
        self._closed = True
        self._background.close()

    def __enter__(self) -> RunWriter:
        """Return the writer of the run itself, as a context manager does."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the run.

        Snapshots passed before are written, even after an exception in the block.
        """
        self.close()

    def _recover(self) -> None:
        folders = folders_of(self.config)
        for folder in folders:
            make_folder(self.path / folder)
        sweep_temporaries([self.path, *(self.path / folder for folder in folders)])
        stretched = generations.stretched_tables(self.config)
        rows_until = min(generations.rows_until(self.path, name) for name in stretched)
        point = find_resume_point(self.path, self.config, rows_until)
        self.damaged, self._files.keep, self._settled = point.damaged, point.keep, False
        if point.last is not None:
            self.last = self._load(point.last)
        if not self.damaged:
            self._settle()

    def _load(self, generation: int) -> LastSnapshot:
        table = snapshots.read_snapshot(
            self.path, generation, self.genome["bytes"], self._files.keep[generation]
        )
        texts = tables.metadata_of(table)
        remedy = ", or start a new run, in another folder, from the changed configuration"
        runfile.check_same_run(self.path, self.info, texts, remedy)
        if lost := faults.lost_rows(self.path, texts):
            raise ResultsError(f"{self.path / faults.FOLDER}: {lost}")
        columns, state = tables.columns_of(table), metadata.state_of(texts)
        return LastSnapshot(generation, int(texts["games_played"]), columns, state)

    def _settle(self) -> None:
        """Remove, once, all data of the run after the snapshot from which it continues."""
        if not self._settled:
            self._files.settle(None if self.last is None else self.last.generation)
            self._settled = True

    def _check_open(self) -> None:
        self._background.check()
        if self._closed:
            raise ResultsError(f"{self.path} is closed for writing; open it again")

    @property
    def _reached(self) -> int:
        return -1 if self.last is None else self.last.generation
