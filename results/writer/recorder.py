"""The recorder that keeps the generations of a competition in the folder of a run."""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from results.errors import MissingWarning, ResultsError
from results.folder import faults
from results.folder.files import place_of
from results.folder.runfile import holds_run
from results.folder.status import StatusFile
from results.format.metadata import ENDS
from results.writer.beginning import refuse_taken
from results.writer.writer import RunWriter

STATE = "competition"
"""The key by which the state of a competition is known."""
OF_RUNS = {"snapshot_interval": 1, "generations": 0, "lineage": True}
"""The fields of the configuration that the recorder adds. ``generations`` grows with the run."""


class Recorder:
    """The folder of a run that keeps a competition: ``Competition(game, recorder=...)``.

    Each generation is a snapshot with ids and parents. Use the recorder as a context manager, or
    ``close`` it.

    Attributes:
        path: the folder.
        saved: the state of the competition after the last generation in the folder. None: there is
            no generation yet.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Use a new folder, or one that holds a competition.

        Raises:
            ResultsError: the folder holds another run or other files, or another process writes it.

        Warns:
            MissingWarning: snapshots are damaged or missing.
        """
        self.path = place_of(folder)
        self.saved: dict[str, Any] | None = None
        self._writer: RunWriter | None = None
        self._known: set[tuple[Any, ...]] = set()
        self._ended = time.perf_counter()
        if not holds_run(self.path):
            refuse_taken(self.path)
            return
        writer = RunWriter.open(folder)
        if writer.config.get("learner") != {"name": STATE}:
            writer.close()
            raise ResultsError(f"{self.path} holds a run of evo run; choose another folder")
        for line in writer.damaged:
            warnings.warn(MissingWarning(line), stacklevel=2)
        self.saved = writer.last.state if writer.last else None
        self._start(writer)

    def _start(self, writer: RunWriter) -> None:
        self._writer, self._status = writer, StatusFile(self.path)
        rows = faults.read_faults(self.path).select(faults.KEY).to_pylist()
        self._known = {tuple(row.values()) for row in rows}

    def begin(self, info: Mapping[str, Any]) -> None:
        """Check, before a generation is played, that the folder holds this competition.

        Args:
            info: ``seed``, ``config``, ``genome`` and ``layouts``, as in ``run.json``.

        Raises:
            ResultsError: the folder holds another competition, or genomes of another encoding.
        """
        self._began = time.perf_counter()
        config = {**info["config"], "seed": info["seed"], "learner": {"name": STATE}, **OF_RUNS}
        self._info = json.loads(json.dumps({**info, "config": config}))
        there = self._info if self._writer is None else self._writer.info
        for name, ours in [*self._info["config"].items(), ("genome", self._info["genome"])]:
            theirs = there["config"].get(name) if name != "genome" else there[name]
            if name not in ENDS and theirs != ours:
                raise ResultsError(
                    f"{self.path} was made with {name}={theirs}, and {ours} is given; give another "
                    "folder, or go on as before"
                )

    def record(
        self,
        populations: Mapping[str, Mapping[str, np.ndarray]],
        generation: int,
        games: int,
        state: Mapping[str, Any],
        lost: Sequence[Mapping[str, Any]],
    ) -> None:
        """Write a generation. It is on the disk when this method returns.

        Args:
            populations: columns of table ``snapshots``, without ``generation``, ``population`` and
                ``individual``, by population. ``genome`` is uint8 ``[N, B]``.
            generation: the number of the generation.
            games: the number of games of this generation.
            state: the state of the competition after it, as JSON types.
            lost: rows of table ``faults``.

        Raises:
            ResultsError: bad columns, or the system refused.
        """
        if self._writer is None:
            versions = {"evo-tournaments": version("evo-tournaments")}
            self._start(RunWriter.create(self.path, {**self._info, "versions": versions}))
        assert self._writer is not None
        writer, now = self._writer, time.perf_counter()
        played = games + (writer.last.games_played if writer.last else 0)
        spent = {"evaluate": now - self._began, "vary": self._began - self._ended, "write": 0.0}
        seconds = {f"{part}_seconds": each / len(populations) for part, each in spent.items()}
        seconds["total_seconds"] = sum(seconds.values())
        tables = [_table(name, each, writer.genome["bytes"]) for name, each in populations.items()]
        for table in tables:
            row = {"generation": generation, "games_played": played, **_summary(table), **seconds}
            writer.generation(row)
        columns = {name: np.concatenate([each[name] for each in tables]) for name in tables[0]}
        lineage = ("population", "id", "parent_a", "parent_b", "raw_fitness")
        writer.lineage({name: columns[name] for name in lineage}, generation)
        new = [row for row in lost if tuple(row[name] for name in faults.KEY) not in self._known]
        faults.write_faults(self.path, new)
        self._known |= {tuple(row[name] for name in faults.KEY) for row in new}
        number = faults.KEY.index("generation")
        count = sum(key[number] <= generation for key in self._known)
        writer.snapshot(columns, generation, played, state, count)
        writer.flush()
        writer.set_generations(generation)
        facts = {"generation": generation, "generations": generation, "games_played": played}
        self._status.say(games, lambda: facts)
        self._ended = time.perf_counter()

    def close(self) -> None:
        """Release the folder.

        Raises:
            ResultsError: the system refused a write.
        """
        if self._writer is not None:
            self._status.end({})
            self._writer.close()

    def __enter__(self) -> Recorder:
        """Return the recorder itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the recorder."""
        self.close()


def _table(name: str, columns: Mapping[str, np.ndarray], width: int) -> dict[str, np.ndarray]:
    """Return a population as columns of table ``snapshots``. Narrow genomes are padded."""
    genome = columns["genome"]
    return {
        **columns,
        "genome": np.pad(genome, ((0, 0), (0, width - genome.shape[1]))),
        "individual": np.arange(len(genome)),
        "population": np.full(len(genome), name, dtype=object),
    }


def _summary(table: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Return the columns of table ``generations`` about a population.

    The diversity is the share of the pairs of individuals with different genomes.
    """
    raw, size = table["raw_fitness"], len(table["id"])
    _, counts = np.unique(table["genome"], axis=0, return_counts=True)
    pairs = size * (size - 1)
    return {
        "population": table["population"][0],
        "best": raw.max(),
        "mean": raw.mean(),
        "std": raw.std(),
        "diversity": float((size**2 - (counts**2).sum()) / pairs) if pairs else 0.0,
    }
