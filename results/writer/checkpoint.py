"""The writing of a snapshot, and the order of its files."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from results.errors import ResultsError
from results.folder import generations, snapshots
from results.folder.files import Lock, Place, atomic_write
from results.folder.retention import Retention
from results.format import metadata, tables
from results.format.genomes import spec_of


@dataclass(frozen=True)
class LastSnapshot:
    """The snapshot from which a run goes on.

    Attributes:
        generation: its generation.
        games_played: games of the run up to and with it.
        columns: one array per column of table ``snapshots``; genome uint8 [N, B], missing parents
            -1. ``RunWriter.snapshot`` makes the same bytes of them again.
        state: the further state of the learner, as JSON types; empty if it has none.
    """

    generation: int
    games_played: int
    columns: dict[str, np.ndarray]
    state: dict[str, Any] = field(default_factory=dict)


def check_individuals(columns: Mapping[str, np.ndarray], genome: Mapping[str, Any]) -> None:
    """Raise if the individuals of a snapshot are not unique or of an unknown population.

    ``columns`` are those of ``tables.checked_columns``.

    Raises:
        ResultsError: an id, or an individual of a population, occurs twice; or ``genome`` does not
            describe a population.
    """
    names, individuals, ids = (columns[key] for key in ("population", "individual", "id"))
    if not _ascends(ids):
        _check_once("id", ids.tolist())
    if not _ascends(individuals):  # which is once whatever the populations are
        pairs = zip(names.tolist(), individuals.tolist(), strict=True)
        _check_once("population and individual", list(pairs))
    if "populations" in genome:
        for name in dict.fromkeys(names.tolist()):
            spec_of(genome, name)


def _ascends(numbers: np.ndarray) -> bool:
    return bool((numbers[1:] > numbers[:-1]).all())


def _check_once(what: str, values: Sequence[Any]) -> None:
    if len(set(values)) < len(values):
        twice = next(value for value, times in Counter(values).items() if times > 1)
        raise ResultsError(f"a snapshot holds {what} {twice!r} twice; give each row its own")


class CheckpointFiles:
    """The writer of the checkpoints of one run folder, for one thread at a time.

    Attributes:
        keep: digests of the snapshots that are part of the run, by generation.
    """

    def __init__(self, run: Place, info: Mapping[str, Any], lock: Lock) -> None:
        """Prepare to write snapshots into the folder of a run.

        Args:
            run: the folder.
            info: content of its ``run.json``.
            lock: the lock of the folder, which this process holds.
        """
        self.keep: dict[int, str] = {}
        self._lock = lock
        self._run = run
        self._genome_bytes = info["genome"]["bytes"]
        self._retention = Retention.of(info["config"])
        self._metadata = metadata.run_metadata(info)
        self._stretched = generations.stretched_tables(info["config"])

    def retain(self, rule: Retention) -> None:
        """Remove the run's snapshots that a rule does not keep, and use the rule from now on."""
        self._lock.check()
        newest = next(reversed(self.keep), 0)
        self._retention = rule
        self.keep = {g: digest for g, digest in self.keep.items() if rule.stays(g, newest)}
        snapshots.discard(self._run, self.keep)

    def settle(self, last: int | None) -> None:
        """Remove all data of the run after the snapshot of generation ``last``; None: all data."""
        self._lock.check()
        snapshots.discard(self._run, self.keep)
        for name in self._stretched:
            generations.drop_after(self._run, last, name)
            if last is not None:
                generations.merge(self._run, last, self._retention.interval, name)

    def write(
        self,
        last: LastSnapshot,
        rows: Sequence[Mapping[str, Any]],
        lineage: pa.Table | None,
        lost: int,
    ) -> None:
        """Write a snapshot of the run with the table rows up to it, and remove old snapshots.

        The rows, the snapshot and its line in the list of digests are each on the disk before the
        next.

        Args:
            last: the population, its columns as returned by ``tables.checked_columns``.
            rows: the rows of ``generations`` since the previous snapshot, in order.
            lineage: the rows of ``lineage`` of the same generations; None: the run has none.
            lost: the number of rows of ``faults`` about generations up to the snapshot's.

        Raises:
            ResultsError: the system refused. The previous snapshots are whole.
        """
        self._lock.check()
        table = tables.table_of(snapshots.FOLDER, last.columns, self._genome_bytes)
        own = metadata.snapshot_metadata(last.generation, last.games_played, last.state, lost)
        data = tables.encode(table, own | self._metadata)
        before = next(reversed(self.keep), None)
        if lineage is not None:
            generations.write_part_of(self._run, lineage, generations.LINEAGE)
        if rows:
            generations.write_rows(self._run, rows)
        atomic_write(self._run / snapshots.snapshot_name(last.generation), data, self._run)
        digest = hashlib.sha256(data).hexdigest()
        snapshots.append_digest(self._run, last.generation, digest, self.keep)
        self.keep[last.generation] = digest
        outlived = self._retention.outlived(last.generation, before) & self.keep.keys()
        for generation in outlived:
            del self.keep[generation]
        if outlived:
            snapshots.discard(self._run, self.keep)
        if generations.is_merge_due(last.generation, self._retention.interval):
            for name in self._stretched:
                generations.merge(self._run, last.generation, self._retention.interval, name)

    def check(self) -> None:
        """Restore the run's list of digests of snapshots if it was removed or changed.

        Raises:
            ResultsError: this process has lost the lock, or the system refused.
        """
        self._lock.check()
        snapshots.restore_manifest(self._run, self.keep)
