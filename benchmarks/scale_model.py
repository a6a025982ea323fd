"""A model of a generation on many workers: its driver, simulated and as a formula.

The driver is one thread: it hands two calls to each worker, takes an answer, scores it, hands out
the next, and so on. Calls are cut by :mod:`cluster.pace` itself. What the network takes is not in
it.
"""

from __future__ import annotations

import heapq
import math
import random
from collections import deque
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
        answer: of a worker, for each call that waited for it: to take it up, and to answer.
        schedule: to put the genomes into the object store and to have them fetched.
        genome_bytes, job_bytes: sent to each node once: a genome, and all that is sent beside.
        match_bytes, call_bytes: sent back: the outcomes of a match, and what holds those of a call.
    """

    individual: float
    match: float
    call: float
    trip: float
    schedule: float
    answer: float = 0.0
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
        ahead: a worker has a second call while it is at the first.
    """

    individuals: int
    matches: int
    seconds: float
    chunk: int | None = None
    shortest: float = SHORTEST
    handing: float = HANDING
    ahead: bool = True

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
    """Return the number of matches of each call, in the order in which they are cut."""
    cut, lengths = work.cut(workers), []
    while cut.is_left:
        part = cut.next()
        lengths.append(part.stop - part.start)
    return lengths


def by_formula(costs: Costs, work: Generation, workers: int) -> Predicted:
    """Predict the longer of each worker's time and the driver's time.

    Without a call ahead a worker waits for the driver between two calls, at least as long as that
    takes for its own; with one it waits for the first alone.
    """
    lengths = lengths_of(work, workers)
    calls = len(lengths)
    served = calls * costs.call + work.matches * costs.match
    busy = min(workers, calls)
    one_by_one = calls * costs.trip + served
    waits = busy * costs.trip + calls * costs.answer if work.ahead else one_by_one
    worker = (work.alone + waits) / busy
    before = work.individuals * costs.individual + costs.schedule
    return Predicted(before + max(worker, served), before + served, calls)


def by_simulation(
    costs: Costs, work: Generation, workers: int, seed: int = 0, spread: float = 0.0
) -> Predicted:
    """Simulate the driver's loop, event by event, on a clock of its own.

    Args:
        costs: costs of the driver.
        work: the generation.
        workers: number of workers.
        seed: seed of the random delays.
        spread: largest random delay of a call, as a share of its time.
    """
    draw = random.Random(seed).random
    cut, calls = work.cut(workers), 0
    before = work.individuals * costs.individual + costs.schedule
    clock = driver = before
    turns = deque(list(range(workers)) * (2 if work.ahead else 1))  # who is handed the next call
    free_at, answers = [0.0] * workers, list[tuple[float, int, int]]()
    while cut.is_left or answers:
        while turns and cut.is_left:
            part, worker = cut.next(), turns.popleft()
            length = part.stop - part.start
            clock += costs.call / 2
            seconds = length * work.seconds * (1 + spread * draw()) + work.ahead * costs.answer
            free_at[worker] = max(clock + costs.trip / 2, free_at[worker]) + seconds
            heapq.heappush(answers, (free_at[worker] + costs.trip / 2, worker, length))
            calls += 1
        arrives, worker, length = heapq.heappop(answers)
        clock = max(clock, arrives) + costs.call / 2 + length * costs.match
        driver += costs.call + length * costs.match
        turns.append(worker)
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
    """Return a stretch of islands as work. Each island is one call of all its generations."""
    driver = generation.individuals * costs.individual + generation.matches * costs.match
    return Generation(0, count, every * (generation.alone + driver), chunk=1, ahead=False)


def limit(costs: Costs, work: Generation, most: int = 10_000) -> int:
    """Return the most workers, in steps by a tenth, with half of linear speed by the formula."""
    workers, best = 1, 1
    while workers <= most:
        if speed_up(costs, work, workers, by_formula(costs, work, workers)) >= workers / 2:
            best = workers
        workers = max(workers + 1, round(workers * 1.1))
    return best
