"""How generations scale: `python -m benchmarks.scaling`.

One JSON object a line. First, for generations of 3 ms, 30 ms, 300 ms and 3 s on one thread, what of
two cores is lost by two threads and by two Ray actors, that share one population's matches or have
an island each: `of_linear` is the speed as a share of as many times that of one thread, `lost` the
cores that are missing. A generation is all but its writing: vary, schedule, play, score, of
networks in a round-robin, whose number makes its length. Islands go on for some generations, one
at least, as between two migrations. `apart` is what the
machine itself allows: the same share of as many processes that have nothing in common, a
generation of its own each. `alone` is the share of a generation that only one thread can do, by
processor time, which other work does not disturb. Then what one more call costs.

All are measured in turns, and medians taken of the ratios within a turn, so that what slows the
machine for a while slows all; on a machine that is busy otherwise workers lose what others take,
and `processor` (this process's processor time to that of one thread; actors' is not in it) tells
the rest. Ray is left out by `--no-ray`, and where it is not installed.
"""

import argparse
import importlib.util
import math
import multiprocessing
import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np

from benchmarks.report import emit, machine
from cluster import Entrants, Evaluator, LocalEvaluator
from cluster.evaluator import all_done
from evo.config import config as configuration
from evo.evolution.loop import Clock, Stretch, entrants, evaluate
from evo.evolution.start import learner_of
from tournaments import games
from tournaments.arena.entrants import Genomes
from tournaments.kernels.rng import generator
from tournaments.players.network import Encoding, layers_for
from tournaments.schedules.base import Listed, Matches
from tournaments.schedules.pairs import EachPair

LENGTHS = (0.003, 0.03, 0.3, 3.0)
"""Seconds of a generation on one thread."""
SECONDS = 3.0
"""Of the turns of a length, by one thread, where that makes no fewer than `--rounds`."""
STRETCH = 1.0
"""Seconds that an island goes on for, where a generation is shorter and it takes at most 20."""

ALONE = ("vary", "schedule", "decode")
"""Parts of a generation that are done before others can play."""

Evaluators = dict[tuple[str, int], Any]
"""Who plays, and how many of them -> the evaluator."""
Step = Callable[[Evaluator], object]


class Turn(NamedTuple):
    """A generation by the clock on the wall, and this process's processor time, in seconds."""

    seconds: float
    processor: float


class Work(Clock):
    """Times of the parts of a generation, of this thread at work: others may keep it waiting."""

    def __init__(self) -> None:
        super().__init__(_lap=time.thread_time())

    def lap(self, part: str) -> None:
        """Add the time since the last lap to a part."""
        now = time.thread_time()
        self.parts[part] += now - self._lap
        self._lap = now

    def skip(self) -> None:
        """Leave out the time since the last lap."""
        self._lap = time.thread_time()

    def move(self, source: str, target: str, seconds: float) -> None:
        """Leave all where it is: what an evaluator tells is by the clock on the wall."""


def main() -> None:
    """Print what is lost by workers for each length of a generation, then the cost of a call."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--lengths", type=float, nargs="+", default=LENGTHS)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--workers", type=int, nargs="+", default=[2])
    options.add_argument("--no-ray", action="store_true")
    given = options.parse_args()
    emit("machine", 1, "machine", **machine())
    workers = sorted({1, *given.workers})
    with ExitStack() as stack:
        evaluators = evaluators_of(workers, not given.no_ray)
        for evaluator in evaluators.values():
            stack.enter_context(closing(evaluator))
        for length in given.lengths:
            population = population_for(length, evaluators["threads", 1])
            fields = {"generation": length, "population": population}
            step = generation_of(population)
            losses(evaluators, step, rounds_of(length, given.rounds), **fields)
            emit("alone", share_alone(population), "share", **fields)
            apart = share_apart(population, max(workers), rounds_of(length, given.rounds))
            emit("apart", apart, "share", threads=max(workers), **fields)
            generations = max(1, min(20, round(STRETCH / length)))
            step = islands_of(population, max(workers), generations)
            fields |= {"islands": max(workers), "generations": generations}
            losses(evaluators, step, given.rounds, **fields)
        calls(evaluators, networks(100))


def evaluators_of(workers: list[int], with_ray: bool) -> Evaluators:
    """So many threads and, where there is Ray, so many actors."""
    evaluators: Evaluators = {("threads", count): LocalEvaluator(count) for count in workers}
    if with_ray and importlib.util.find_spec("ray"):
        start_ray(sum(workers))
        from cluster.ray_matches import RayEvaluator

        evaluators |= {("actors", count): RayEvaluator(count) for count in workers}
    return evaluators


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


def rounds_of(length: float, least: int) -> int:
    """How many turns generations of such a length are measured for."""
    return max(least, round(SECONDS / length))


def losses(evaluators: Evaluators, step: Step, rounds: int, **fields: Any) -> None:
    """Print the speed of a step for each kind and number of workers, measured in turns."""
    for evaluator in evaluators.values():
        step(evaluator)  # what is loaded or learned at first
    turns = [{key: turn(step, ours) for key, ours in evaluators.items()} for _ in range(rounds)]
    for kind, count in evaluators:
        ratios = [by["threads", 1].seconds / by[kind, count].seconds for by in turns]
        processor = [by[kind, count].processor / by["threads", 1].processor for by in turns]
        speed = statistics.median(ratios)
        emit(
            "scaling",
            1000 * statistics.median(by[kind, count].seconds for by in turns),
            "ms",
            threads=count,
            workers=kind,
            **fields,
            of_linear=speed / count,
            lost=count - speed,
            processor=statistics.median(processor),
        )


def turn(step: Step, evaluator: Evaluator) -> Turn:
    """Measure a generation."""
    begun, processor = time.perf_counter(), time.process_time()
    step(evaluator)
    return Turn(time.perf_counter() - begun, time.process_time() - processor)


def population_for(length: float, one: Evaluator) -> int:
    """How many networks make a generation of so long, by the processor time of one thread."""
    population = 40
    for _ in range(3):
        step = generation_of(population)
        step(one)
        seconds = statistics.median(turn(step, one).processor for _ in range(3))
        if 0.8 < seconds / length < 1.25:
            break
        population = max(4, round(population * math.sqrt(length / seconds)))
    return population


def generation_of(population: int) -> Step:
    """Return a function that makes the same second generation in each call, plays and scores it."""
    given = {"population": population, "scheme": "round-robin", "generations": 1}
    config = configuration.from_dict(given)
    learner = learner_of(config)
    first, _ = evaluate(config, learner, LocalEvaluator(), learner.first(), Clock())
    return lambda ours: evaluate(config, learner, ours, learner.next(first), Clock())


def share_alone(population: int) -> float:
    """Return the share of a generation's processor time that only one thread can do."""
    given = {"population": population, "scheme": "round-robin", "generations": 1}
    config = configuration.from_dict(given)
    learner, one = learner_of(config), LocalEvaluator(1)
    first, _ = evaluate(config, learner, one, learner.first(), Clock())
    clock, decoding = Work(), 0.0
    for _ in range(5):
        generation = learner.next(first)
        clock.lap("vary")
        evaluate(config, learner, one, generation, clock)
        players, begun = entrants(config, generation), time.thread_time()
        players.decode()
        decoding += time.thread_time() - begun
        clock.skip()
    alone = decoding + sum(clock.parts[part] for part in ALONE)
    return alone / sum(clock.parts.values())


def share_apart(population: int, count: int, rounds: int) -> float:
    """Return the speed of processes that share nothing, as a share of linear speed."""
    context = multiprocessing.get_context("spawn")
    pipes = [context.Pipe() for _ in range(count)]
    others = [
        context.Process(target=keep_stepping, args=(theirs, population), daemon=True)
        for _, theirs in pipes
    ]
    for process in others:
        process.start()
    ours = [pipe for pipe, _ in pipes]
    seconds_of(ours)  # what is loaded at first
    ratios = [seconds_of(ours[:1]) / seconds_of(ours) for _ in range(rounds)]
    for process in others:
        process.terminate()
        process.join()
    return statistics.median(ratios)


def keep_stepping(pipe: Connection, population: int) -> None:
    """Play and score one generation each time that something comes."""
    step, one = generation_of(population), LocalEvaluator(1)
    while pipe.recv():
        pipe.send(turn(step, one).seconds)


def seconds_of(pipes: list[Connection]) -> float:
    """How long processes take for a generation each, at once: their mean."""
    for pipe in pipes:
        pipe.send(True)
    return statistics.mean(pipe.recv() for pipe in pipes)


def islands_of(population: int, count: int, generations: int) -> Step:
    """Goes on with so many islands for some generations: with the same ones each time."""
    given = {"population": population, "scheme": "round-robin", "generations": generations}
    islands = {"count": count, "topology": "ring", "every": generations}
    config = configuration.from_dict({**given, "islands": islands})
    stretches = [Stretch(config.of_islands[number], number, count, 0) for number in range(count)]
    firsts = [stretch.run()[0] for stretch in stretches]
    onward = [
        replace(stretch, last=generations, present=first)
        for stretch, first in zip(stretches, firsts, strict=True)
    ]
    return lambda ours: all_done(ours, onward)


def networks(individuals: int) -> Entrants:
    """Random networks on the 3x3 board."""
    game = games.make("dots-and-boxes")
    encoding = Encoding(layers_for(game))
    size = (individuals, encoding.num_bytes)
    genomes = generator(0, "benchmark").integers(0, 256, size, dtype=np.uint8)
    return Entrants(game, (), (Genomes(encoding, genomes),))


def time_of(evaluator: Evaluator, players: Entrants, matches: Matches) -> float:
    """Seconds of one generation's matches, sending and decoding the genomes included."""
    started = time.perf_counter()
    for _ in evaluator.play(players, matches):
        pass
    return time.perf_counter() - started


def calls(evaluators: Evaluators, players: Entrants) -> None:
    """Print the time of a schedule of two matches, and a worker's costs of one more call."""
    two = Matches(Listed(np.array([[0, 1], [1, 0]], dtype=np.int32)), 0, "benchmark")
    many = Matches(EachPair(len(players.populations[0])), 0, "benchmark")
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
