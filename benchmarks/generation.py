"""Where the time of a generation goes: `python -m benchmarks.generation`.

One JSON object a line for each scheme and part, then generations and games a second, and how much
of the time games were played. Whole runs are made in a temporary folder, with snapshots every 10
generations; the time is that of the whole loop, from the end of one generation to that of the next.
"""

import argparse
import tempfile
from pathlib import Path

import evo
from benchmarks.report import emit, machine
from cluster.local import available_threads
from evo.profile import Profile

SCHEMES = ("antibody-antigen", "direct", "round-robin")


def main() -> None:
    """Print the mean time of each part of a generation under each scheme."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--schemes", nargs="+", default=SCHEMES, choices=SCHEMES)
    options.add_argument("--generations", type=int, default=2000)
    options.add_argument("--population", type=int, default=100)
    options.add_argument("--game", default="dots-and-boxes")
    options.add_argument("--threads", type=int, default=available_threads())
    chosen = options.parse_args()
    emit("machine", 1, "machine", **machine())
    for scheme in chosen.schemes:
        with tempfile.TemporaryDirectory() as folder:
            measure(scheme, Path(folder), chosen)


def measure(scheme: str, folder: Path, chosen: argparse.Namespace) -> None:
    """One scheme: the parts, then generations and games a second."""
    profile = Profile()
    size = {"population": chosen.population, "scheme": scheme, "game": chosen.game}
    evo.run(folder / "warm-up", generations=1, threads=chosen.threads, **size)
    evo.run(
        folder / "run",
        generations=chosen.generations,
        threads=chosen.threads,
        report=profile.take,
        **size,
    )
    for row in profile.rows():
        share = {"part": row["part"], "share": row["share"]}
        emit("generation", row["milliseconds"], "ms", threads=chosen.threads, **share, **size)
    for name, amount in (("generations", profile.generations), ("games", profile.games)):
        rate = amount / profile.seconds
        emit(f"{name}-a-second", rate, f"{name}/s", threads=chosen.threads, **size)


if __name__ == "__main__":
    main()
