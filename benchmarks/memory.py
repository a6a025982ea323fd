"""What large populations take: `python -m benchmarks.memory`.

One JSON object a line for each scheme: peak memory and games a second of a generation of 10,000
networks. The schedule is that of the whole generation (50 million matches in a round-robin); the
games are cut short after so many, as neither their number nor their order changes what is held.
Each scheme is measured in a process of its own.
"""

import argparse
import resource
import subprocess
import sys
import time

from benchmarks.report import emit, machine
from cluster import LocalEvaluator
from cluster.processors import available_threads
from evo.config.config import from_dict
from evo.evolution.loop import entrants
from evo.evolution.start import learner_of
from tournaments.arena.outcomes import GameCounter
from tournaments.schedules.base import Matches

SCHEMES = ("round-robin", "antibody-antigen", "direct")


def main() -> None:
    """Measure each scheme in a process of its own."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--schemes", nargs="+", default=SCHEMES, choices=SCHEMES)
    options.add_argument("--population", type=int, default=10_000)
    options.add_argument("--games", type=int, default=5_000_000, help="cut short after so many")
    options.add_argument("--threads", type=int, default=available_threads())
    options.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.here:
        measure(chosen.schemes[0], chosen)
        return
    emit("machine", 1, "machine", **machine())
    sizes = [f"--population={chosen.population}", f"--games={chosen.games}"]
    sizes.append(f"--threads={chosen.threads}")
    for scheme in chosen.schemes:
        command = [sys.executable, "-m", "benchmarks.memory", "--here", "--schemes", scheme, *sizes]
        subprocess.run(command, check=True)


def measure(scheme: str, chosen: argparse.Namespace) -> None:
    """Play a generation until enough games have been counted, then score it."""
    config = from_dict({"scheme": scheme, "population": chosen.population})
    learner = learner_of(config)
    population = learner.first()
    contest, counter = learner.contest(population), GameCounter(len(population))
    schedule, scoring = contest.schedule, contest.scoring
    evaluator = LocalEvaluator(chosen.threads)
    started = time.perf_counter()
    matches = Matches(schedule, config.seed, "matches")
    for played in evaluator.play(entrants(config, population), matches):
        scoring.take(played, counter.take(played))
        if counter.games >= chosen.games:
            break
    scoring.points()
    seconds = time.perf_counter() - started
    evaluator.close()
    common = {"threads": chosen.threads, "scheme": scheme, "population": chosen.population}
    amount = {"matches": len(schedule), "games": counter.games}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # kibibytes, on Linux
    emit("memory", peak, "GiB", **common, **amount)
    emit("memory-speed", counter.games / seconds, "games/s", **common)


if __name__ == "__main__":
    main()
