"""What a long run costs to write, open and read: `python -m benchmarks.long_runs`.

One JSON object a line. The run is written as any other, but nothing is played: 100,000 generations
of made-up individuals, a snapshot every ten. What is slow per checkpoint is shown for each tenth of
the run, so that growth is seen. With `--synced` the disk is waited for, as in any run.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import emit, machine
from results import RunWriter, open_run
from results.read.verify import verify
from results.storage import system
from results.writer.compact import compact, size

BITS = 582
"""Bytes of a genome: those of the network 24-9-24 of bits."""
TENTHS = 10


def main() -> None:
    """Write a run, then measure what its readers do."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--generations", type=int, default=100_000)
    parser.add_argument("--interval", type=int, default=10, help="generations a snapshot")
    parser.add_argument("--individuals", type=int, default=100)
    parser.add_argument("--keep-every", type=int, default=0)
    parser.add_argument("--keep-last", type=int, default=0)
    parser.add_argument("--synced", action="store_true", help="wait for the disk")
    options = parser.parse_args()
    if not options.synced:
        system.fsync = lambda fd: None
    emit("machine", 1, "machine", **machine())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        write(path, options)
        read(path, options.generations)


def write(path: Path, options: argparse.Namespace) -> None:
    """Write the run, and print seconds a checkpoint of each tenth: their mean and the longest."""
    config = {
        "generations": options.generations,
        "snapshot_interval": options.interval,
        "keep_every": options.keep_every,
        "keep_last": options.keep_last,
    }
    genome = {"encoding": "bit-network", "bytes": BITS}
    info = {"seed": 1, "config": config, "genome": genome, "versions": {}}
    columns = individuals(options.individuals)
    snapshots = range(0, options.generations + 1, options.interval)
    share = max(1, -(-len(snapshots) // TENTHS))
    with RunWriter.create(path, info) as writer:
        for first in range(0, len(snapshots), share):
            seconds = []
            for last in snapshots[first : first + share]:
                for generation in range(max(0, last - options.interval + 1), last + 1):
                    writer.generation(row(generation))
                started = time.perf_counter()
                writer.snapshot(columns, last, 1000 * (last + 1))
                writer.flush()
                seconds.append(time.perf_counter() - started)
            mean = float(np.mean(seconds))
            emit("checkpoint", mean, "s", until=last, longest=max(seconds))


def read(path: Path, generations: int) -> None:
    """Print what opening, reading and going on take, and how large the run is."""
    measured = size(path)
    emit("files-of-generations", measured["parts"], "files")
    emit("files-of-snapshots", measured["snapshots"], "files")
    emit("generations", measured["part_bytes"] / measured["generations"], "bytes a generation")
    emit("snapshots", measured["snapshot_bytes"] / measured["generations"], "bytes a generation")
    timed("import-pandas", lambda: import_module("pandas"))
    run = timed("open_run", lambda: open_run(path))
    middle = run.snapshots[len(run.snapshots) // 2]
    timed("open-and-one-snapshot", lambda: open_run(path).population(middle))
    timed("open-and-newest-snapshot", lambda: open_run(path).population())
    frame = timed("table-of-generations", lambda: open_run(path).generations)
    assert len(frame) == generations + 1
    timed("go-on", lambda: RunWriter.open(path).close())
    timed("verify", lambda: [found for found in verify(path) if found.is_fault])
    timed("compact", lambda: compact(path, 100, 10))
    emit("files-of-snapshots-compacted", size(path)["snapshots"], "files")


def timed(name: str, work: Callable[[], Any]) -> Any:
    """Print the seconds of some work, and return its result."""
    started = time.perf_counter()
    result = work()
    emit(name, time.perf_counter() - started, "s")
    return result


def individuals(count: int) -> dict[str, Any]:
    """Return the columns of a snapshot of made-up individuals."""
    draw = np.random.default_rng(1)
    numbers = np.arange(count)
    return {
        "population": "main",
        "individual": numbers,
        "id": numbers,
        "parent_a": np.full(count, -1),
        "parent_b": np.full(count, -1),
        "genome": draw.integers(0, 256, (count, BITS), np.uint8),
        "fitness": draw.random(count),
        "raw_fitness": draw.random(count),
        **{name: np.full(count, 10) for name in ("games", "wins", "draws", "losses")},
    }


def row(generation: int) -> dict[str, Any]:
    """Return a row of the per-generation table. All rows differ."""
    numbers = np.random.default_rng(generation).random(8).tolist()
    names = ("best", "mean", "std", "diversity", "evaluate", "vary", "write", "total")
    values = dict(zip(names, numbers, strict=True))
    seconds = {f"{name}_seconds": values.pop(name) for name in names[4:]}
    games = 1000 * (generation + 1)
    return {
        "generation": generation,
        "population": "main",
        "games_played": games,
        **values,
        **seconds,
    }


if __name__ == "__main__":
    main()
