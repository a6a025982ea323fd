"""How long measuring a run takes: `python -m benchmarks.evaluation`.

Every individual of 50 snapshots of a run against four opponents, 300 games each: six million games,
written to the run's evaluations. One JSON object a line for each opponent, then for all.
"""

import argparse
import tempfile
import time
from pathlib import Path

import evo
from benchmarks.report import emit, machine
from cluster.processors import available_threads
from tournaments.games.dots_and_boxes import RULES


def main() -> None:
    """Make a run, then measure it against each opponent."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--snapshots", type=int, default=50)
    options.add_argument("--population", type=int, default=100)
    options.add_argument("--games", type=int, default=300)
    options.add_argument("--threads", type=int, default=available_threads())
    chosen = options.parse_args()
    emit("machine", 1, "machine", **machine())
    size = {"population": chosen.population, "snapshots": chosen.snapshots}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        generations = 10 * (chosen.snapshots - 1)
        evo.run(path, population=chosen.population, generations=generations, threads=chosen.threads)
        evo.evaluate(path, games=2, generations=[0], threads=chosen.threads)  # loads the kernels
        total = 0.0
        for opponent in RULES.yardsticks:
            started = time.perf_counter()
            measured = evo.evaluate(path, [opponent], chosen.games, threads=chosen.threads)
            seconds = time.perf_counter() - started
            total += seconds
            speed = {"games_a_second": int(measured["games"].sum()) / seconds, **size}
            emit("evaluation", seconds, "s", threads=chosen.threads, opponent=opponent, **speed)
        emit("evaluation", total, "s", threads=chosen.threads, opponent="all", **size)


if __name__ == "__main__":
    main()
