"""A model of a generation on many workers: its driver, simulated and as a formula.

The driver is one thread: it hands a call to each worker that has none, takes an answer, scores it,
and goes on. Calls are cut by :mod:`cluster.pace` itself. What the network takes is not in it.
"""

from __future__ import annotations

import heapq
import math
import random
from dataclasses import dataclass
from typing import NamedTuple

from cluster.pace import Cut, Pace
from cluster.ray_matches import HANDING, SHORTEST


@dataclass(frozen=True)
class Costs:
    """What a generation costs beside its games, in seconds; and what it moves, in bytes.

    Attributes:
        individual: of the driver, for each genome: to vary, to pack and to judge it.
        match: of the driver, for each match: its pair, and its score.
        call: of the driver, for each call: to hand it out, and to take the answer.
        trip: from hand to hand for a call that does nothing, without the driver's part.
        schedule: to put the genomes into the object store and to have them fetched.
        genome_bytes, job_bytes: sent to each node once: a genome, and all that is sent beside.
        match_bytes, call_bytes: sent back: the outcomes of a match, and what holds those of a call.
    """

    individual: float
    match: float
    call: float
    trip: float
    schedule: float
    genome_bytes: float = 0.0
    job_bytes: float = 0.0
    match_bytes: float = 8.0
    call_bytes: float = 0.0


@dataclass(frozen=True)
class Generation:
    """Work of a generation.

    Attributes:
        individuals, matches: how many.
        seconds: of a worker, for each match.
        chunk: matches a call; None: as the pace has it.
        shortest, handing: seconds of a call at least, and of handing one out, as the pace has them.
    """

    individuals: int
    matches: int
    seconds: float
    chunk: int | None = None
    shortest: float = SHORTEST
    handing: float = HANDING

    @property
    def alone(self) -> float:
        """Seconds of one worker for all matches."""
        return self.matches * self.seconds

    def cut(self, workers: int) -> Cut:
        """Its matches, to be cut into calls at a speed that is known."""
        pace = Pace(self.shortest, self.handing)
        pace.measured(None, max(1, round(0.1 / self.seconds)), 0.1)
        return Cut(self.matches, workers, pace, None, self.chunk)


class Predicted(NamedTuple):
    """What a model says of a generation: seconds from end to end, and of the driver at work."""

    seconds: float
    driver: float
    calls: int


def lengths_of(work: Generation, workers: int) -> list[int]:
    """Matches of each call, in the order in which they are cut."""
    cut, lengths = work.cut(workers), []
    while cut.is_left:
        part = cut.next()
        lengths.append(part.stop - part.start)
    return lengths


def by_formula(costs: Costs, work: Generation, workers: int) -> Predicted:
    """The longer of what each worker has to do and what the driver has to do.

    A worker waits for the driver between two calls, at least as long as that takes for its own.
    """
    lengths = lengths_of(work, workers)
    calls = len(lengths)
    served = calls * costs.call + work.matches * costs.match
    busy = min(workers, calls)
    worker = (work.alone + calls * costs.trip + served) / busy
    before = work.individuals * costs.individual + costs.schedule
    return Predicted(before + max(worker, served), before + served, calls)


def by_simulation(
    costs: Costs, work: Generation, workers: int, seed: int = 0, spread: float = 0.0
) -> Predicted:
    """The driver's loop, event by event, on a clock of its own.

    Args:
        seed, spread: calls take up to so much longer than they should, as a share, at random.
    """
    draw = random.Random(seed).random
    cut, calls = work.cut(workers), 0
    before = work.individuals * costs.individual + costs.schedule
    clock = driver = before
    idle, answers = workers, list[tuple[float, int]]()
    while cut.is_left or answers:
        while idle and cut.is_left:
            part = cut.next()
            length = part.stop - part.start
            clock += costs.call / 2
            seconds = length * work.seconds * (1 + spread * draw())
            heapq.heappush(answers, (clock + costs.trip + seconds, length))
            idle, calls = idle - 1, calls + 1
        arrives, length = heapq.heappop(answers)
        clock = max(clock, arrives) + costs.call / 2 + length * costs.match
        driver += costs.call + length * costs.match
        idle += 1
    return Predicted(clock, driver, calls)


def moved(costs: Costs, work: Generation, workers: int, a_node: int = 16) -> float:
    """Bytes that a generation moves: genomes once to each node, outcomes back."""
    nodes = math.ceil(workers / a_node)
    sent = nodes * (costs.job_bytes + work.individuals * costs.genome_bytes)
    calls = len(lengths_of(work, workers))
    return sent + work.matches * costs.match_bytes + calls * costs.call_bytes


def speed_up(costs: Costs, work: Generation, workers: int, predicted: Predicted) -> float:
    """How many times faster than one worker with no driver beside it."""
    alone = work.alone + work.individuals * costs.individual + work.matches * costs.match
    return alone / predicted.seconds


def islands(generation: Generation, costs: Costs, every: int, count: int) -> Generation:
    """A stretch of islands as work: each is one call, as long as its generations by one worker."""
    driver = generation.individuals * costs.individual + generation.matches * costs.match
    return Generation(0, count, every * (generation.alone + driver), chunk=1)


def limit(costs: Costs, work: Generation, most: int = 10_000) -> int:
    """The most workers, in steps by a tenth, that each are worth half of one by the formula."""
    workers, best = 1, 1
    while workers <= most:
        if speed_up(costs, work, workers, by_formula(costs, work, workers)) >= workers / 2:
            best = workers
        workers = max(workers + 1, round(workers * 1.1))
    return best
