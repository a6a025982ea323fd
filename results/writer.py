"""The writing side of a run folder: every snapshot is a checkpoint, and a crash costs nothing else.

The order of a snapshot, each step seen to the disk before the next: the rows of ``generations``
up to it, the snapshot itself, its line in ``snapshots.sha256``, and then the removal of the
snapshot before it if that one is off the interval. The line is what makes it count.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from results import evaluations, parts, runfile, snapshots, tables
from results.errors import ResultsError
from results.evaluations import has_evaluation, write_evaluation
from results.files import (
    LOCK_NAME,
    atomic_write,
    lock_run,
    make_folder,
    sweep_temporaries,
)
from results.schema import SCHEMA_VERSION

__all__ = [
    "LastSnapshot",
    "RunWriter",
    "atomic_write",
    "has_evaluation",
    "refuse_taken",
    "write_evaluation",
]

_FOLDERS = (snapshots.FOLDER, parts.FOLDER, evaluations.FOLDER)


@dataclass(frozen=True)
class LastSnapshot:
    """The snapshot from which a run goes on.

    Attributes:
        generation: its generation.
        games_played: games of the run up to and with it.
        columns: one array a column of ``schema.SNAPSHOTS``; genome uint8 [N, B], parents -1 where
            there is none. ``RunWriter.snapshot`` makes the same bytes of them again.
    """

    generation: int
    games_played: int
    columns: dict[str, np.ndarray]

    @property
    def genomes(self) -> np.ndarray:
        """The packed genomes, uint8 [N, B]."""
        return self.columns["genome"]


class RunWriter:
    """Writes one run folder and holds its lock; use it as a context manager or ``close`` it.

    Attributes:
        path: the run folder.
        info: the content of ``run.json``.
        last: the newest snapshot to go on from, or None when there is none yet.
        damaged: what ``open`` found wrong, one message a line, for the user to see.
    """

    def __init__(self, path: Path, info: dict[str, Any], lock: int) -> None:
        """Use ``RunWriter.create`` or ``RunWriter.open``; ``lock`` is an open descriptor."""
        self.path = path
        self.info = info
        self.last: LastSnapshot | None = None
        self.damaged: list[str] = []
        self._lock: int | None = lock
        self._keep: dict[int, str] = {}
        self._rows: list[dict[str, Any]] = []
        self._settled = True

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        config: Mapping[str, Any],
        seed: int,
        genome: Mapping[str, Any],
        versions: Mapping[str, str],
        command: Sequence[str] | None = None,
    ) -> RunWriter:
        """Make a new run folder; ``run.json`` comes last, so that only a whole one is a run.

        ``config`` holds ``snapshot_interval`` (from 1), ``genome`` the encoding with ``bytes``, the
        width B of a packed genome; both and ``versions`` and ``command`` go into ``run.json``.

        Raises:
            ResultsError: the path holds a run, other files, or is a file; the configuration is
                not JSON; or the system refused. What was there is untouched.
        """
        run = Path(path)
        refuse_taken(run)
        make_folder(run)
        lock = lock_run(run)
        try:
            refuse_taken(run)  # another process may have been faster
            sweep_temporaries([run])
            for folder in _FOLDERS:
                make_folder(run / folder)
            snapshots.begin_manifest(run)
            info = _new_info(config, seed, genome, versions, command)
            runfile.write_info(run, info)
            return cls(run, runfile.read_info(run), lock)
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> RunWriter:
        """Open a run to go on with it after its last whole snapshot (``last``).

        What a crash left is cleared. Where a snapshot is damaged or missing, ``damaged`` says so
        and nothing is removed before the first ``generation`` or ``snapshot``.

        Raises:
            ResultsError: no run, another schema version, ``run.json`` was changed, the list of
                digests is gone, another process is writing the run, or the system refused.
        """
        run = Path(path)
        runfile.read_info(run)
        lock = lock_run(run)
        try:
            writer = cls(run, runfile.read_info(run), lock)
            writer._recover()
            return writer
        except BaseException:
            os.close(lock)
            raise

    @property
    def config(self) -> dict[str, Any]:
        """The configuration, as ``run.json`` has it."""
        return self.info["config"]

    @property
    def genome(self) -> dict[str, Any]:
        """The description of the encoding, as ``run.json`` has it."""
        return self.info["genome"]

    def generation(self, row: Mapping[str, Any]) -> None:
        """Take one row of ``schema.GENERATIONS``; it is written just before the next snapshot.

        Raises:
            ResultsError: columns are missing or unknown, or the row is not after the last
                snapshot, or not after the row before.
        """
        tables.table_from_rows(parts.FOLDER, [row])
        key, before = _key(row), self._rows[-1] if self._rows else None
        start = -1 if self.last is None else self.last.generation
        if key[0] <= start or key in map(_key, self._rows) or (before and key[0] < _key(before)[0]):
            found = "the snapshot" if before is None else "a row"
            end = start if before is None else _key(before)[0]
            raise ResultsError(
                f"row of generation {key[0]}, population {key[1]} comes after {found} of "
                f"generation {end}; give the rows in order, each (generation, population) once"
            )
        self._settle()
        self._rows.append(dict(row))

    def snapshot(
        self, table_columns: Mapping[str, Any], generation: int, games_played: int
    ) -> None:
        """Write the population of ``generation``, and the rows of ``generations`` up to it.

        ``table_columns`` has one array of length N for each column of ``schema.SNAPSHOTS`` (genome
        uint8 [N, B], parents -1 for none); ``generation`` may be left out, ``population`` may be
        one string. When this returns, a crash cannot lose the snapshot.

        Raises:
            ResultsError: bad columns, a generation out of order, or the system refused; the
                snapshots before stay whole.
        """
        self._check_order(generation)
        if not runfile.is_count(games_played, 0):
            raise ResultsError(f"games_played = {games_played!r}; expected is a whole number")
        rows = len(table_columns["genome"]) if "genome" in table_columns else 0
        columns = {**table_columns, "generation": np.full(rows, generation, np.int32)}
        table = tables.table_from_columns(snapshots.FOLDER, columns, self.genome["bytes"])
        data = tables.encode_snapshot(table, generation, games_played, self.info)
        self._settle()
        self._flush(generation)
        atomic_write(self.path / snapshots.snapshot_name(generation), data, self.path)
        digest = hashlib.sha256(data).hexdigest()
        snapshots.append_digest(self.path, generation, digest)
        before, self._keep[generation] = self.last, digest
        self.last = LastSnapshot(generation, games_played, tables.columns_of(table))
        if before is not None and before.generation % self._interval:
            del self._keep[before.generation]
            snapshots.discard(self.path, self._keep)

    def set_generations(self, generations: int) -> None:
        """Change ``config["generations"]`` in ``run.json``, to run longer (or stop earlier)."""
        self._check_open()
        done = 0 if self.last is None else self.last.generation
        if not runfile.is_count(generations, done):
            raise ResultsError(
                f"generations = {generations!r}; expected is a whole number from {done}, "
                "the generation that the run has reached"
            )
        config = {**self.config, "generations": int(generations)}
        info = {**self.info, "config": config}
        runfile.write_info(self.path, info)
        self.info = info

    def evaluation(self, columns: Mapping[str, Any], name: str) -> Path:
        """Write ``evaluations/NAME.parquet``; see ``write_evaluation``."""
        return write_evaluation(self.path, name, columns)

    def has_evaluation(self, name: str) -> bool:
        """Whether the evaluation ``name`` has been written."""
        return has_evaluation(self.path, name)

    def close(self) -> None:
        """Release the lock. Rows after the last snapshot are dropped: they belong to no one."""
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)

    def __enter__(self) -> RunWriter:
        """Return the writer itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Release the lock."""
        self.close()

    @property
    def _interval(self) -> int:
        return self.config["snapshot_interval"]

    def _recover(self) -> None:
        for folder in _FOLDERS:
            make_folder(self.path / folder)
        sweep_temporaries([self.path, *(self.path / folder for folder in _FOLDERS)])
        rows_until = parts.rows_until(self.path)
        survey = snapshots.survey(self.path, self._interval, rows_until)
        self.damaged, self._keep, self._settled = survey.damaged, survey.keep, False
        if survey.last is not None:
            self.last = self._load(survey.last)
        if not self.damaged:
            self._settle()

    def _load(self, generation: int) -> LastSnapshot:
        table = snapshots.read_snapshot(
            self.path, generation, self.genome["bytes"], self._keep[generation]
        )
        metadata = tables.metadata_of(table)
        if metadata.get(tables.CONFIG_DIGEST) != tables.config_digest(self.config):
            raise ResultsError(
                f"{self.path / runfile.RUN_FILE}: the configuration was changed since "
                f"{snapshots.snapshot_name(generation)} was written; put it back as it was, or "
                "start a new run, in another folder, from the changed configuration"
            )
        return LastSnapshot(generation, int(metadata["games_played"]), tables.columns_of(table))

    def _settle(self) -> None:
        """Remove, once, what lies beyond the snapshot from which the run goes on."""
        self._check_open()
        if not self._settled:
            snapshots.discard(self.path, self._keep)
            parts.drop_after(self.path, None if self.last is None else self.last.generation)
            self._settled = True

    def _check_open(self) -> None:
        if self._lock is None:
            raise ResultsError(f"{self.path} is closed for writing; open it again")

    def _check_order(self, generation: int) -> None:
        interval, last = self._interval, self.last
        first = 0 if last is None else last.generation + 1
        until = 0 if last is None else (last.generation // interval + 1) * interval
        if not runfile.is_count(generation, first) or generation > until:
            raise ResultsError(
                f"snapshot of generation {generation!r}; expected is one from {first} to {until} "
                f"(generation 0, then every {interval}, and the last)"
            )

    def _flush(self, generation: int) -> None:
        if self._rows and _key(self._rows[-1])[0] > generation:
            raise ResultsError(
                f"rows go up to generation {_key(self._rows[-1])[0]}, the snapshot is of "
                f"generation {generation}; write it before the rows of the next generation"
            )
        if self._rows:
            parts.write_part(self.path, self._rows)
            self._rows = []


def _key(row: Mapping[str, Any]) -> tuple[int, str]:
    return int(row["generation"]), str(row["population"])


def _new_info(
    config: Mapping[str, Any],
    seed: int,
    genome: Mapping[str, Any],
    versions: Mapping[str, str],
    command: Sequence[str] | None,
) -> dict[str, Any]:
    info = {
        "schema_version": SCHEMA_VERSION,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "seed": int(seed),
        "config": dict(config),
        "genome": dict(genome),
        "versions": dict(versions),
    }
    return info if command is None else info | {"command": list(command)}


def refuse_taken(run: Path) -> None:
    """Refuse a path that holds anything but what a crash inside ``RunWriter.create`` may have left.

    Raises:
        ResultsError: the path is a file, holds a run (the message has the command that resumes it),
            or holds something else.
    """
    if not run.exists():
        return
    if not run.is_dir():
        raise ResultsError(f"{run} is a file; a run needs a folder of its own: choose another path")
    if (run / runfile.RUN_FILE).exists():
        raise ResultsError(f"{run} holds a run; go on with: {runfile.resume_command(run)}")
    foreign = [entry.name for entry in run.iterdir() if not _is_our_beginning(entry)]
    if foreign:
        raise ResultsError(
            f"{run} is not empty and not a run (it holds {min(foreign)}); choose another path"
        )


def _is_our_beginning(entry: Path) -> bool:
    if entry.name in _FOLDERS:
        return entry.is_dir() and not any(entry.iterdir())
    if entry.name == snapshots.MANIFEST:
        return entry.is_file() and entry.stat().st_size == 0
    ours = entry.name.startswith(".write-") and entry.name.endswith(".tmp")
    return entry.name == LOCK_NAME or ours
