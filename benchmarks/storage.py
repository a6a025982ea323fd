"""What a run asks of a storage: requests, bytes and seconds a snapshot.

    python -m benchmarks.storage [memory://trial | s3://BUCKET/trial | FOLDER]

A run of made-up networks is written there, resumed and read. It must not be there yet.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from results import RunWriter, open_run, report
from results.folder.files import Place, place_of

INDIVIDUALS, BYTES, SNAPSHOTS = 100, 582, 20
COLUMNS = {"what": "", "requests": ",.1f", "bytes": ",.0f", "seconds": ".4f"}


class Counted:
    """A store of objects that counts the requests, and the bytes that go either way."""

    def __init__(self, objects: Any) -> None:
        self.address = objects.address
        self.requests: Counter[str] = Counter()
        self.moved = 0
        self._objects = objects

    def get(self, key: str, *check: Any) -> Any:
        answer = self._asked("get", key, *check)
        self.moved += len(answer.data)
        return answer

    def size(self, key: str) -> Any:
        return self._asked("size", key)

    def put(self, key: str, data: bytes, expected: Any) -> Any:
        self.moved += len(data)
        return self._asked("put", key, data, expected)

    def delete(self, key: str) -> Any:
        return self._asked("delete", key)

    def names(self, prefix: str) -> Any:
        return self._asked("names", prefix)

    def _asked(self, name: str, *arguments: Any) -> Any:
        self.requests[name] += 1
        return getattr(self._objects, name)(*arguments)


def snapshot(generation: int) -> dict[str, Any]:
    """Return the columns of a population of made-up networks."""
    draw, rows = np.random.default_rng(generation), np.arange(INDIVIDUALS)
    wins = draw.integers(0, 40, INDIVIDUALS)
    return {
        "population": "main",
        "individual": rows,
        "id": generation * INDIVIDUALS + rows,
        "parent_a": rows,
        "parent_b": rows,
        "genome": draw.integers(0, 256, (INDIVIDUALS, BYTES), dtype=np.uint8),
        "fitness": draw.random(INDIVIDUALS),
        "raw_fitness": draw.random(INDIVIDUALS),
        "games": np.full(INDIVIDUALS, 40),
        "wins": wins,
        "draws": np.zeros(INDIVIDUALS, int),
        "losses": 40 - wins,
    }


def measured(path: Place) -> list[dict[str, Any]]:
    """Rows of what each step asks for; nothing is counted of a disk."""
    storage = getattr(path, "storage", None)
    counted = None if storage is None else Counted(storage.objects)
    if storage is not None:
        storage.objects = counted
    rows = []

    def note(what: str, since: float, times: int = 1) -> None:
        seconds = (time.perf_counter() - since) / times
        requests = sum(counted.requests.values()) if counted else 0
        moved = counted.moved if counted else 0
        if counted:
            counted.requests.clear()
            counted.moved = 0
        rows.append(
            {"what": what, "requests": requests / times, "bytes": moved / times, "seconds": seconds}
        )

    since = time.perf_counter()
    spec = {"encoding": "bit-network", "bytes": BYTES}
    config = {"generations": SNAPSHOTS, "snapshot_interval": 1}
    info = {"seed": 1, "config": config, "genome": spec, "versions": {}}
    writer = RunWriter.create(path, info)
    note("begin a run", since)
    since = time.perf_counter()
    for generation in range(SNAPSHOTS):
        writer.generation(_row(generation))
        writer.snapshot(snapshot(generation), generation, 100 * (generation + 1))
    writer.flush()
    note("a snapshot", since, SNAPSHOTS)
    since = time.perf_counter()
    writer.close()
    note("end a run", since)
    since = time.perf_counter()
    RunWriter.open(path).close()
    note(f"resume after {SNAPSHOTS} snapshots", since)
    since = time.perf_counter()
    open_run(path).genomes()
    note("read the newest snapshot", since)
    return rows


def _row(generation: int) -> dict[str, Any]:
    numbers = ("best", "mean", "std", "diversity")
    seconds = ("evaluate_seconds", "vary_seconds", "write_seconds", "total_seconds")
    return {
        "generation": generation,
        "population": "main",
        "games_played": 100 * (generation + 1),
        **dict.fromkeys(numbers, 1.0),
        **dict.fromkeys(seconds, 0.1),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.storage", description=__doc__)
    parser.add_argument("address", nargs="?", default="memory://trial/run")
    print(report.table(measured(place_of(parser.parse_args(arguments).address)), COLUMNS))


if __name__ == "__main__":
    main()
