"""How games a second are measured, alone and side by side."""

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

from benchmarks import Results

Play = Callable[[int], Results]
"""Plays a number of matches of two games, or more; the results tell how many games it were."""
Clock = Callable[[], float]


class Comparison(NamedTuple):
    """Median rates of two in games a second, and the median of the ratios, ours to theirs."""

    ours: float
    theirs: float
    ratio: float


LEAST_ROUNDS = 3
"""However long a call takes, which cannot be shorter than a batch."""


class Plan(NamedTuple):
    """How long one call lasts, in seconds of the clock, and how often the two take turns.

    The processor time of this process leaves out what others do on the machine meanwhile; for
    players in several threads, the clock is that on the wall.
    """

    seconds: float
    rounds: int
    clock: Clock = time.process_time


def rate(play: Play, matches: int, clock: Clock) -> float:
    """Games a second in one call."""
    begun = clock()
    games = sum(play(matches))
    return games / (clock() - begun)


def matches_for(play: Play, plan: Plan) -> int:
    """How many matches a call takes to last about `plan.seconds`; compiles and warms up first."""
    play(1)
    matches = 1
    while True:
        begun = plan.clock()
        play(matches)
        elapsed = plan.clock() - begun
        if elapsed >= plan.seconds / 4:
            return max(1, round(matches * plan.seconds / elapsed))
        matches *= 2


def compare(ours: Play, theirs: Play, plan: Plan) -> Comparison:
    """Both measured in turns, so that what slows the machine for a while slows both."""
    our_matches, their_matches = matches_for(ours, plan), matches_for(theirs, plan)
    turns: list[tuple[float, float]] = []
    end = time.perf_counter() + 4 * plan.rounds * plan.seconds
    while len(turns) < LEAST_ROUNDS or (len(turns) < plan.rounds and time.perf_counter() < end):
        our_rate = rate(ours, our_matches, plan.clock)
        turns.append((our_rate, rate(theirs, their_matches, plan.clock)))
    return Comparison(
        ours=statistics.median(our for our, _ in turns),
        theirs=statistics.median(their for _, their in turns),
        ratio=statistics.median(our / their for our, their in turns),
    )


def rates(play: Play, plan: Plan) -> list[float]:
    """Games a second in each of so many calls."""
    matches = matches_for(play, plan)
    return [rate(play, matches, plan.clock) for _ in range(plan.rounds)]


def games_per_second(play: Play, seconds: float) -> float:
    """Return the median rate of ten calls that last `seconds` of processor time together."""
    return statistics.median(rates(play, Plan(seconds / 10, 10)))
