"""Runs of made-up numbers for the tests of ``results``: small genomes, everything reproducible."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from results import RunWriter
from results.format import tables
from results.format.metadata import run_metadata
from results.format.schema import Column

SPEC = {
    "encoding": "bit-network",
    "layers": [3, 2, 3],
    "bits": 10,
    "low": -64.0,
    "high": 64.0,
    "bytes": 22,  # 17 weights of 10 bits
}
LAYOUTS = {
    "main": {"numbers": "weights", "bits": 10, "low": -64.0, "high": 64.0, "shape": [17]},
}
INDIVIDUALS = 6
ROLES = {
    "bytes": 12,
    "populations": {
        "cat": {"encoding": "position-table", "genes": 12, "bytes": 12},
        "mouse": {"encoding": "window-table", "genes": 9, "bytes": 9},
    },
}
"""Two populations whose genomes differ in length."""
ROLE_LAYOUTS = {
    "cat": {"numbers": "policies", "dtype": "|i1", "shape": [12]},
    "mouse": {"numbers": "policies", "dtype": "|i1", "shape": [9]},
}
SIZES = {"cat": 4, "mouse": 3, "cat-archive": 2, "mouse-archive": 1}


def columns(generation: int, individuals: int = INDIVIDUALS) -> dict[str, Any]:
    """The columns of a snapshot, a function of the generation as a real run's are."""
    draw = np.random.default_rng([7, generation])
    wins = draw.integers(0, 40, individuals)
    rows = np.arange(individuals)
    parents = draw.integers(0, max(1, generation * individuals), individuals)
    return {
        "population": "main",
        "individual": rows,
        "id": generation * individuals + rows,
        "parent_a": parents if generation else np.full(individuals, -1),
        "parent_b": np.where(rows % 2, parents, -1) if generation else np.full(individuals, -1),
        "genome": draw.integers(0, 256, (individuals, SPEC["bytes"]), dtype=np.uint8),
        "fitness": draw.random(individuals),
        "raw_fitness": draw.random(individuals) * 9,
        "games": np.full(individuals, 40),
        "wins": wins,
        "draws": np.zeros(individuals, int),
        "losses": 40 - wins,
    }


def role_columns(generation: int, sizes: dict[str, int] | None = None) -> dict[str, Any]:
    """The columns of a snapshot of tables: so many individuals of each population (``SIZES``)."""
    counts = SIZES if sizes is None else sizes
    names = np.repeat(list(counts), list(counts.values()))
    genomes = np.random.default_rng([8, generation]).integers(0, 4, (len(names), 12), np.uint8)
    genomes[np.char.startswith(names, "mouse"), 9:] = 0
    return {
        **columns(generation, len(names)),
        "population": names,
        "individual": np.concatenate([np.arange(count) for count in counts.values()]),
        "genome": genomes,
    }


def role_run(path: Path, until: int = 2, state: dict[str, Any] | None = None) -> Path:
    """A finished run of cats and mice, a snapshot each generation."""
    config = {"generations": until, "snapshot_interval": 1}
    info = described(config, genome=ROLES, layouts=ROLE_LAYOUTS)
    with RunWriter.create(path, info) as writer:
        for generation in range(until + 1):
            for name in ROLES["populations"]:
                writer.generation(row(generation, name))
            games = 100 * (generation + 1)
            writer.snapshot(role_columns(generation), generation, games, state)
    return path


def row(generation: int, population: str = "main") -> dict[str, Any]:
    """A row of the table ``generations``."""
    return {
        "generation": generation,
        "population": population,
        "games_played": 100 * (generation + 1),
        "best": 5.0 + generation,
        "mean": 3.0,
        "std": 1.0,
        "diversity": 0.5 / (generation + 1),
        "evaluate_seconds": 0.1,
        "vary_seconds": 0.01,
        "write_seconds": 0.01,
        "total_seconds": 0.12,
    }


def evaluation(generation: int, individual: int, wins: dict[str, int], seed: int = 1) -> dict:
    """The columns of an evaluation by 300 games against each opponent."""
    count = len(wins)
    won = np.array(list(wins.values()))
    return {
        "generation": np.full(count, generation),
        "population": "main",
        "individual": np.full(count, individual),
        "id": np.full(count, generation * INDIVIDUALS + individual),
        "opponent": list(wins),
        "games": np.full(count, 300),
        "wins": won,
        "draws": np.zeros(count, int),
        "losses": 300 - won,
        "seed": np.full(count, seed),
        "evaluate_seconds": np.full(count, 0.25),
    }


def create(path: Path, interval: int = 2, generations: int = 6) -> RunWriter:
    """A new run folder."""
    config = {"generations": generations, "snapshot_interval": interval}
    info = described(config, versions={"numpy": np.__version__}, layouts=LAYOUTS)
    return RunWriter.create(path, info)


def described(config: dict[str, Any], **more: Any) -> dict[str, Any]:
    """What ``RunWriter.create`` writes into ``run.json``, by default of the run of ``SPEC``."""
    return {"seed": 1, "config": config, "genome": SPEC, "versions": {}, **more}


def lineage_of(generation: int) -> dict[str, Any]:
    """The columns of ``lineage`` as they are in a snapshot of the generation."""
    made = columns(generation)
    return {
        name: made[name] for name in ("population", "id", "parent_a", "parent_b", "raw_fitness")
    }


def rows_of(writer: RunWriter, generation: int) -> None:
    """Record a generation, and its lineage in a run that keeps one."""
    writer.generation(row(generation))
    if writer.config.get("lineage"):
        writer.lineage(lineage_of(generation), generation)


def go_on(writer: RunWriter, until: int) -> None:
    """Evolve (in make-believe) up to generation ``until``, as the generation loop would."""
    first = 0 if writer.last is None else writer.last.generation + 1
    for generation in range(first, until + 1):
        rows_of(writer, generation)
        if generation % writer.config["snapshot_interval"] == 0 or generation == until:
            writer.snapshot(columns(generation), generation, 100 * (generation + 1))


def written_run(path: Path, until: int = 6, interval: int = 2) -> Path:
    """A finished run."""
    with create(path, interval, until) as writer:
        go_on(writer, until)
    return path


def as_made_with(path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Change ``run.json``, and write the snapshots as if the run had been made with it."""
    info = json.loads((path / "run.json").read_text())
    change(info)
    (path / "run.json").write_text(json.dumps(info))
    sign(path)
    return path


def sign(path: Path) -> None:
    """Give the snapshots that can be read the metadata of ``run.json``, and write their list."""
    lines = []
    for file in sorted((path / "snapshots").iterdir()):
        with suppress(Exception):  # tests put anything into run.json
            info = json.loads((path / "run.json").read_text())
            table = pq.read_table(file)
            texts = {**tables.metadata_of(table), **run_metadata(info)}
            file.write_bytes(tables.encode(table.replace_schema_metadata(None), texts))
        lines.append(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  snapshots/{file.name}\n")
    (path / "snapshots.sha256").write_text("".join(lines))


def type_name(column: Column) -> str:
    """The type of a column as documentation writes it, such as ``int32``."""
    return "fixed_size_binary(B)" if column.type is None else str(column.type)
