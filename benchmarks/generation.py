"""Where the time of a generation goes: `python -m benchmarks.generation`.

One JSON object a line for each scheme and part. A whole run is made in a temporary folder,
snapshots included; the parts are those of its own table of generations.
"""

import argparse
import tempfile
from pathlib import Path

import evo
from benchmarks.report import emit, machine
from cluster.local import available_threads

SCHEMES = ("antibody-antigen", "direct", "round-robin")
PARTS = ("evaluate_seconds", "vary_seconds", "write_seconds", "total_seconds")


def main() -> None:
    """Print the mean time of each part of a generation under each scheme."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--generations", type=int, default=200)
    options.add_argument("--population", type=int, default=100)
    options.add_argument("--threads", type=int, default=available_threads())
    chosen = options.parse_args()
    emit("machine", 1, "machine", **machine())
    for scheme in SCHEMES:
        with tempfile.TemporaryDirectory() as folder:
            measure(scheme, Path(folder), chosen)


def measure(scheme: str, folder: Path, chosen: argparse.Namespace) -> None:
    """One scheme: the parts, then generations and games a second."""
    common = {"scheme": scheme, "population": chosen.population}
    size = {"population": chosen.population, "scheme": scheme}
    evo.run(folder / "warm-up", generations=1, threads=chosen.threads, **size)
    run = evo.run(folder / "run", generations=chosen.generations, threads=chosen.threads, **size)
    table = run.generations.iloc[1:]
    total = float(table["total_seconds"].mean())
    for part in PARTS:
        mean = float(table[part].mean())
        emit(
            "generation",
            mean * 1000,
            "ms",
            threads=chosen.threads,
            part=part,
            share=mean / total,
            **common,
        )
    games = float(table["games_played"].diff().mean())
    emit("generations", 1 / total, "generations/s", threads=chosen.threads, **common)
    emit("generation-games", games / total, "games/s", threads=chosen.threads, **common)


if __name__ == "__main__":
    main()
