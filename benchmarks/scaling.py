"""How play scales over threads and Ray actors: `python -m benchmarks.scaling`.

One JSON object a line: games a second of one schedule, networks against networks in a round-robin,
by 1, 2, ... threads and by as many Ray actors, each as a ratio to one thread; then what one more
call costs by either. All are measured in turns, and medians taken, so that what slows the machine
for a while slows all. The schedule lasts about a second on two cores. Ray is left out by
`--no-ray`, and where it is not installed.
"""

import argparse
import importlib.util
import statistics
import time
from typing import Any

import numpy as np

from benchmarks.report import emit, machine
from cluster import Entrants, Evaluator, LocalEvaluator
from cluster.threads import available_threads
from tournaments import games
from tournaments.arena.entrants import Genomes
from tournaments.kernels.rng import generator
from tournaments.players.network.bits import Encoding, layers_for
from tournaments.players.network.player import NetworkGenomes
from tournaments.schedules.base import Listed, Matches
from tournaments.schedules.pairs import EachPair


def main() -> None:
    """Print games a second by workers, then the cost of a call."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--population", type=int, default=1000)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--workers", type=int, nargs="+", default=None)
    options.add_argument("--no-ray", action="store_true")
    chosen = options.parse_args()
    emit("machine", 1, "machine", **machine())
    workers = sorted({1, *(chosen.workers or [2, available_threads()])})
    evaluators: dict[tuple[str, int], Any] = {
        ("threads", count): LocalEvaluator(count) for count in workers
    }
    if not chosen.no_ray and importlib.util.find_spec("ray"):
        start_ray(sum(workers))
        from cluster.ray_matches import RayEvaluator

        evaluators |= {("actors", count): RayEvaluator(count) for count in workers}
    try:
        speeds(evaluators, networks(chosen.population), chosen.rounds)
        calls(evaluators, networks(100))
    finally:
        for evaluator in evaluators.values():
            evaluator.close()


def start_ray(actors: int) -> None:
    """Start Ray with a processor for each actor of every evaluator, as they take turns."""
    import ray

    ray.init(
        "local",
        num_cpus=actors,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=40,
    )


def networks(individuals: int) -> Entrants:
    """Random networks on the 3x3 board."""
    game = games.make("dots-and-boxes")
    encoding = Encoding(layers_for(game))
    size = (individuals, encoding.num_bytes)
    genomes = generator(0, "benchmark").integers(0, 256, size, dtype=np.uint8)
    return Entrants(game, (), (Genomes(NetworkGenomes(encoding), genomes),))


def speeds(evaluators: dict[tuple[str, int], Evaluator], players: Entrants, rounds: int) -> None:
    """Games a second of each, all in turns; the first round warms up."""
    matches = Matches(EachPair(len(players.populations[0].packed)), 0, "benchmark")
    seconds: dict[tuple[str, int], list[float]] = {key: [] for key in evaluators}
    for _ in range(rounds + 1):
        for key, evaluator in evaluators.items():
            seconds[key].append(time_of(evaluator, players, matches))
    one = seconds["threads", 1]
    for (kind, count), times in seconds.items():
        two = seconds["threads", count]
        ratios = [alone / together for alone, together in zip(one[1:], times[1:], strict=True)]
        beside = [theirs / ours for theirs, ours in zip(two[1:], times[1:], strict=True)]
        emit(
            "scaling",
            2 * len(matches) / statistics.median(times[1:]),
            "games/s",
            threads=count,
            workers=kind,
            seconds=statistics.median(times[1:]),
            to_one_thread=statistics.median(ratios),
            to_as_many_threads=statistics.median(beside),
        )


def time_of(evaluator: Evaluator, players: Entrants, matches: Matches) -> float:
    """Seconds of one generation's matches, sending and decoding the genomes included."""
    started = time.perf_counter()
    for _ in evaluator.play(players, matches):
        pass
    return time.perf_counter() - started


def calls(evaluators: dict[tuple[str, int], Any], players: Entrants) -> None:
    """What a schedule of two matches takes, and what one more call costs the worker that has it."""
    two = Matches(Listed(np.array([[0, 1], [1, 0]], dtype=np.int32)), 0, "benchmark")
    many = Matches(EachPair(len(players.populations[0].packed)), 0, "benchmark")
    for (kind, count), evaluator in evaluators.items():
        fixed = statistics.median(time_of(evaluator, players, two) for _ in range(30))
        took, made = [], []
        for pieces in (10 * count, 110 * count):
            evaluator.chunk = -(-len(many) // pieces)
            took.append(min(time_of(evaluator, players, many) for _ in range(5)))
            made.append(-(-len(many) // evaluator.chunk))
        evaluator.chunk = None
        added = count * (took[1] - took[0]) / (made[1] - made[0])  # each worker makes its share
        emit("overhead-of-a-schedule", 1000 * fixed, "ms", threads=count, workers=kind)
        emit("overhead-of-a-call", 1000 * added, "ms", threads=count, workers=kind)


if __name__ == "__main__":
    main()
