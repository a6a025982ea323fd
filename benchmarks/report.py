"""What benchmarks print: one JSON object a line, or rows of a table."""

import importlib.metadata
import json
import os
import platform
from pathlib import Path
from typing import Any


def emit(benchmark: str, value: float, unit: str, *, threads: int = 1, **fields: Any) -> None:
    """Print one measurement as a JSON object on a line of its own, floats to four digits.

    Keys: benchmark, value, unit, threads, then `fields` in the order given.
    """
    record = {"benchmark": benchmark, "value": value, "unit": unit, "threads": threads, **fields}
    print(json.dumps({key: _rounded(item) for key, item in record.items()}), flush=True)


WIDTHS = (-6, -16, -20, 8, 12, 8, -1)
"""Of the columns of a table, to the left where negative."""


def emit_row(*cells: str) -> None:
    """Print one row of a table, a cell a column: names to the left, numbers to the right."""
    placed = [
        cell.ljust(-width) if width < 0 else cell.rjust(width)
        for cell, width in zip(cells, WIDTHS, strict=True)
    ]
    print("  ".join(placed).rstrip(), flush=True)


def machine() -> dict[str, Any]:
    """Return what a measurement depends on. The version of an absent package is None."""
    return {
        "processor": _processor(),
        "cores": _cores(),
        "python": platform.python_version(),
        "numpy": _version("numpy"),
        "numba": _version("numba"),
        "open_spiel": _version("open_spiel"),
        "jax": _version("jax"),
    }


def _rounded(item: object) -> object:
    return float(f"{item:.4g}") if isinstance(item, float) else item


def _processor() -> str:
    """Return the name of the processor, which Linux has in a file only."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    print(json.dumps(machine()))
