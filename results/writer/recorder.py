"""The recorder that keeps the generations of a competition in the folder of a run."""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from importlib.metadata import version
from itertools import chain
from operator import index
from typing import Any

import numpy as np

from results.errors import MissingWarning, ResultsError, shown
from results.folder.faults import KEY, read_faults, write_faults
from results.folder.files import place_of
from results.folder.runfile import holds_run
from results.format.schema import FORFEIT
from results.format.tables import NO_PARENT
from results.writer.beginning import refuse_taken
from results.writer.writer import RunWriter

OF_RUNS = {"learner": {"name": "competition"}, "snapshot_interval": 1, "lineage": True}
"""The fields of the configuration that the recorder adds to those of the competition."""
Table = Mapping[str, Any]
MOST_ID = 2**63 - 2
"""The largest id."""
NEXT_ID = "next_id"
"""The key in the state of a competition for the first id that was never used."""


class Recorder(AbstractContextManager["Recorder"]):
    """The folder of a run that keeps a competition: ``Competition(game, recorder=...)``.

    Each generation is a snapshot with ids and parents. Use the recorder as a context manager, or
    ``close`` it.

    Attributes:
        path: the folder.
        saved: the state of the competition after the last generation that the folder held at first;
            empty for a new folder.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Open a new folder, or a folder that holds a competition.

        Raises:
            ResultsError: the folder holds another run or other files, or another process writes it.

        Warns:
            MissingWarning: snapshots are damaged or missing.
        """
        self.path, self.saved = place_of(folder), dict[str, Any]()
        self._writer: RunWriter | None = None
        self._lost = set[tuple[Any, ...]]()  # keys of rows of faults
        if not holds_run(self.path):
            refuse_taken(self.path)
            return
        self._writer = RunWriter.open(folder)
        for line in self._writer.damaged:
            warnings.warn(MissingWarning(line), stacklevel=2)
        self.saved = self._writer.last.state if self._writer.last else {}
        has_begun = self._writer.last or self._writer.config.get("learner") != OF_RUNS["learner"]
        if has_begun and NEXT_ID not in self.saved:
            self.close()
            raise ResultsError(f"{self.path} keeps no competition; choose another folder")
        rows = read_faults(self.path).select(KEY).to_pylist()
        self._lost = {tuple(row.values()) for row in rows}

    def begin(
        self, generation: int, config: Table, encodings: Table, given: tuple[Any, Any]
    ) -> None:
        """Check, before a generation is played, that it can be recorded.

        Args:
            generation: the number of the generation.
            config: the seed, the game and the scheme, as in ``config`` of ``run.json``.
            encodings: by population, the description of its genomes, their layout, both as in
                ``run.json``, and the number of individuals.
            given: the ids and the parents, see ``Competition.evaluate``.

        Raises:
            ResultsError: the folder holds other generations, or genomes of another encoding; or the
                ids or the parents are wrong.
        """
        self._began, last = time.perf_counter(), self._writer.last if self._writer else None
        specs, layouts, sizes = (
            dict(zip(encodings, each, strict=True))
            for each in zip(*encodings.values(), strict=True)
        )
        several = {"bytes": max(spec["bytes"] for spec in specs.values()), "populations": specs}
        genome = several if len(specs) > 1 else next(iter(specs.values()))
        info = {
            "config": {**config, **OF_RUNS, "generations": 0},
            "genome": genome,
            "layouts": layouts,
        }
        self._info = json.loads(json.dumps({"seed": config["seed"], **info}))
        if generation != (last.generation + 1 if last else 0):
            raise ResultsError(
                f"{self.path} holds a competition, and generation {generation} of another is "
                "given; go on by Competition.open(recorder), or choose another folder"
            )
        begun = {} if self._writer is None or last else self._writer.config
        if begun and any(begun.get(name) != of for name, of in self._info["config"].items()):
            raise ResultsError(
                f"{self.path} was begun with {shown(begun)}, and {shown(self._info['config'])} is "
                "given; choose another folder"
            )
        if self._writer and self._writer.genome != self._info["genome"]:
            raise ResultsError(
                f"genomes {shown(genome)} given; {self.path} holds {shown(self._writer.genome)}: "
                "give genomes of one encoding"
            )
        first = last.state[NEXT_ID] if last else 0
        self._columns = {
            **_lineage(*given, [*sizes.values()], first),
            "population": np.repeat(np.array([*sizes], dtype=object), [*sizes.values()]),
            "individual": np.concatenate([*map(np.arange, sizes.values())]),
        }
        self._next = max(first, int(self._columns["id"].max()) + 1)

    def record(self, result: Any, genomes: Sequence[np.ndarray], state: Table) -> None:
        """Write a generation. It is on the disk when this method returns.

        Args:
            result: the result of the generation, a ``tournaments.competition.Result``.
            genomes: the genomes of each population, uint8 ``[N, B]``.
            state: the state of the competition after the generation, as JSON types.

        Raises:
            ResultsError: the system refused.
        """
        if self._writer is None:
            versions = {"evo-tournaments": version("evo-tournaments")}
            self._writer = RunWriter.create(self.path, {**self._info, "versions": versions})
        writer, number = self._writer, result.generation
        columns, width = self._columns, writer.genome["bytes"]
        tallies = result.tally if len(genomes) > 1 else [result.tally]
        for name in vars(tallies[0]):
            columns[name] = np.concatenate([getattr(tally, name) for tally in tallies])
        padded = [np.pad(rows, ((0, 0), (0, width - rows.shape[1]))) for rows in genomes]
        columns["genome"] = np.concatenate(padded)
        columns["fitness"] = columns["raw_fitness"] = np.hstack(result.fitness)
        played = result.games + (writer.last.games_played if writer.last else 0)
        lost_rows = _faults(result, columns) if result.has_faults else []  # without pandas
        write_faults(self.path, lost_rows)  # may fail: before rows are passed to the writer
        self._lost |= {tuple(row[name] for name in KEY) for row in lost_rows}
        seconds = (time.perf_counter() - self._began) / len(genomes)
        for population in dict.fromkeys(columns["population"]):
            here = columns["population"] == population
            row = _summary(columns["raw_fitness"][here], columns["genome"][here], seconds)
            row |= {"generation": number, "population": population, "games_played": played}
            writer.generation(row)
        writer.lineage(columns, number)
        lost = sum(key[KEY.index("generation")] <= number for key in self._lost)
        writer.snapshot(columns, number, played, {**state, NEXT_ID: self._next}, lost)
        writer.flush()
        writer.set_generations(number)

    def close(self) -> None:
        """Release the folder.

        Raises:
            ResultsError: the system refused a write.
        """
        if self._writer is not None:
            self._writer.close()

    def __exit__(self, *exception: object) -> None:
        """Close the recorder."""
        self.close()


def _lineage(ids: Any, parents: Any, sizes: Sequence[int], first: int) -> dict[str, Any]:
    """Return the ids and the parents of the individuals of all populations as columns.

    Raises:
        ResultsError: they are not as ``Competition.evaluate`` takes them.
    """
    size = sum(sizes)
    try:
        if len(sizes) > 1:
            for each in (ids, parents):
                if each is not None and [len(part) for part in each] != [*sizes]:
                    raise ValueError
            ids, parents = (each if each is None else [*chain(*each)] for each in (ids, parents))
        numbers = [*range(first, first + size)] if ids is None else [*map(index, ids)]
        several = [
            () if each is None else [*map(index, each if np.ndim(each) else [each])]
            for each in ([None] * size if parents is None else parents)
        ]
        if not len({*numbers}) == len(numbers) == len(several) == size:
            raise ValueError
        named = [*numbers, *chain(*several)]
        if min(named) < 0 or max(named) > MOST_ID or max(map(len, several)) > 2:
            raise ValueError
    except (TypeError, ValueError):
        raise ResultsError(
            f"ids={shown(ids)} and parents={shown(parents)} given for {size} individuals; of each "
            "an id is expected, a whole number from 0 that occurs once, and as its parents None, "
            "an id, or two ids"
        ) from None
    pairs = np.array([(*each, NO_PARENT, NO_PARENT)[:2] for each in several], np.int64)
    return {"id": np.array(numbers, np.int64), "parent_a": pairs[:, 0], "parent_b": pairs[:, 1]}


def _summary(raw: np.ndarray, genomes: np.ndarray, seconds: float) -> dict[str, Any]:
    """Return figures of a population for table ``generations``.

    The diversity is 0 if all genomes are equal, and 1 if all differ.
    """
    distinct = len(np.unique(genomes, axis=0))
    return {
        "best": raw.max(),
        "mean": raw.mean(),
        "std": raw.std(),
        "diversity": (distinct - 1) / max(1, len(raw) - 1),
        **dict.fromkeys(("evaluate_seconds", "total_seconds"), seconds),
        **dict.fromkeys(("vary_seconds", "write_seconds"), 0.0),
    }


def _faults(result: Any, columns: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the faults of a generation as rows of table ``faults``."""
    names = np.hstack(result.names)
    keys = zip(columns["population"], names, strict=True)
    hexadecimal = [genome.tobytes().hex() for genome in columns["genome"]]
    known = dict(zip(keys, zip(columns["id"], hexadecimal, strict=True), strict=True))
    rows = result.faults.to_dict("records")
    for row in rows:
        row["verdict"] = FORFEIT
        for prefix, name in (("", "player"), ("opponent_", "opponent")):
            key = row[f"{prefix}population"], row[name]
            row[f"{prefix}id"], row[f"{prefix}genome"] = known.get(key, (NO_PARENT, ""))
    return rows
