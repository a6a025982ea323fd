"""How far a driver reaches: `python -m benchmarks.scale [--actors 2 8 24] [--page docs/scale.md]`.

Measures here what a generation costs its driver (individuals, matches, calls), feeds the model of
`benchmarks.scale_model` with it, and holds the model to generations here with many Ray actors of
fake work: they sleep for as long as the games would take, everything else is real. Then the model
goes on to 10,000 workers, with and without islands. `--page` writes tables and figure into a page.
"""

from __future__ import annotations

import argparse
import io
import math
import statistics
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from benchmarks.report import machine
from benchmarks.scale_model import (
    Costs,
    Generation,
    by_formula,
    by_simulation,
    islands,
    limit,
    moved,
    speed_up,
)
from benchmarks.scaling import Work, networks, start_ray
from cluster import Entrants, ray_matches
from cluster.ray_connection import RayConnection
from evo.config import config as configuration
from evo.evolution.loop import Clock, evaluate
from evo.evolution.start import learner_of
from tournaments.arena.outcomes import Played
from tournaments.schedules.base import Listed, Matches
from tournaments.schedules.pairs import EachPair

GAMES = {"fast, 4 us a match": 4e-6, "1 ms a match": 1e-3, "slow, 100 ms a match": 0.1}
"""A game -> seconds of a worker for a match of it."""
LENGTHS = (1.0, 10.0, 100.0, 1000.0)
"""Seconds of a generation on one worker."""
WORKERS = (1, 10, 100, 1000, 10_000)
EVERY = 20
"""Generations of an island between two migrations."""
BEGIN, END = "<!-- made by python -m benchmarks.scale -->", "<!-- end -->"


class Check(NamedTuple):
    """A generation here by actors of fake work: predicted, and measured, in seconds."""

    actors: int
    work: Generation
    simulated: float
    formula: float
    measured: float

    @property
    def error(self) -> float:
        """Of the simulation, as a share of what was measured."""
        return self.simulated / self.measured - 1


class Instant:
    """An evaluator whose games take no time: what is left of a generation is the driver's."""

    def play(self, entrants: Entrants, matches: Matches) -> Iterator[Played]:
        """All matches in one part, all drawn."""
        pairs = matches.schedule.pairs(0, len(matches))
        yield Played(0, pairs, np.zeros((len(pairs), matches.games, 2), dtype=np.int16))

    def close(self) -> None:
        """Nothing is open."""


def asleep(seconds: float) -> Any:
    """Plays a part by sleeping for so long a match."""

    def play_part(entrants: Entrants, matches: Matches, first: int, last: int) -> Played:
        time.sleep((last - first) * seconds)
        outcomes = np.zeros((last - first, matches.games, 2), dtype=np.int16)
        return Played(first, np.zeros((0, 2), dtype=np.int32), outcomes)

    return play_part


class Sleepers(RayConnection):
    """Ray with actors that sleep, any number of them on a machine."""

    seconds = 0.0

    def make(self, actor: type, *arguments: Any, **options: Any) -> Any:
        seconds = self.seconds

        class Sleeper(actor):
            def __init__(self, *given: Any) -> None:
                super().__init__(*given)
                vars(sys.modules[actor.__module__])["play_part"] = asleep(seconds)

        return super().make(Sleeper, *arguments, **{**options, "num_cpus": 0.001})


def sleepers(actors: int, seconds: float) -> ray_matches.RayEvaluator:
    """Return an evaluator whose driver is real and whose actors sleep."""
    kind = type("Sleepers", (Sleepers,), {"seconds": seconds})
    with patch.object(ray_matches, "RayConnection", kind):
        return ray_matches.RayEvaluator(actors, check=0)  # what they give is made up


def main() -> None:
    """Measure, check, and go on to many workers."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--actors", type=int, nargs="+", default=[2, 8, 24])
    options.add_argument("--population", type=int, default=200)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--page", type=Path, help="the page whose tables and figure are written")
    given = options.parse_args()
    start_ray(2)
    costs = measured_costs(given.population)
    checks = [
        checked(costs, actors, given.population, seconds, given.rounds)
        for actors in given.actors
        for seconds in (5e-5, 1e-3)
    ]
    text = report(costs, checks)
    print(text)
    if given.page:
        write(given.page, text)
        draw(costs, given.page.with_suffix(".png"))


# --- what is measured -----------------------------------------------------------------------------


def measured_costs(population: int) -> Costs:
    """Measure the driver's costs by this thread's processor time, and messages by their bytes."""
    config, learner, first = begun(population)
    clock, rounds = Work(), 20
    for _ in range(rounds):
        evaluate(config, learner, Instant(), learner.next(first), clock)
    parts, matches = clock.parts, population * (population - 1) // 2
    by_driver = parts["vary"] + parts["schedule"] + parts["decode"]
    with closing(sleepers(1, 0.0)) as one:
        _, _, answer = calls(one)
        with patch.object(ray_matches.ChunkedMatches, "is_fine", False):
            schedule, call, each = calls(one)
    job, many = (pickled(networks(count)) for count in (1, 101))
    genome = (many - job) / 100
    sent = [pickled(np.zeros((count, 2, 2), dtype=np.int16)) for count in (1, 101)]
    return Costs(
        individual=by_driver / rounds / population,
        match=(parts["score"] + parts["play"]) / rounds / matches,
        call=call,
        trip=each - call,
        schedule=schedule,
        answer=answer,
        genome_bytes=genome,
        job_bytes=job - genome,
        match_bytes=(sent[1] - sent[0]) / 100,
        call_bytes=sent[0],
    )


def begun(population: int) -> Any:
    """Return a configuration of a round-robin, its learner, and a first generation."""
    given = {"population": population, "scheme": "round-robin", "generations": 1}
    config = configuration.from_dict(given)
    learner = learner_of(config)
    return config, learner, evaluate(config, learner, Instant(), learner.first(), Clock())[0]


def calls(one: ray_matches.RayEvaluator) -> tuple[float, float, float]:
    """Measure an evaluator with one actor that does nothing.

    Returns:
        The seconds of a schedule, the processor seconds of this thread per call, and the wall-clock
        seconds per call. If calls wait for the actor, the last number is the time of the actor.
    """
    players = networks(60)
    many = Matches(EachPair(60), 0, "benchmark")
    two = Matches(Listed(np.array([[0, 1], [1, 0]], dtype=np.int32)), 0, "benchmark")
    run(one, players, many)
    few, more = 10, 310
    wall, own = [], []
    for count in (few, more):
        one.chunk = -(-len(many) // count)
        turns = [run(one, players, many) for _ in range(5)]
        wall.append(statistics.median(turn[0] for turn in turns))
        own.append(statistics.median(turn[1] for turn in turns))
    one.chunk = None
    made = [-(-len(many) // -(-len(many) // count)) for count in (few, more)]
    each = [(times[1] - times[0]) / (made[1] - made[0]) for times in (wall, own)]
    schedule = statistics.median(run(one, players, two)[0] for _ in range(20))
    return max(0.0, schedule - each[0]), each[1], max(each)


def run(evaluator: Any, players: Entrants, matches: Matches) -> tuple[float, float]:
    """Play matches, and return the wall-clock seconds and the processor seconds of this thread."""
    begun, own = time.perf_counter(), time.thread_time()
    for _ in evaluator.play(players, matches):
        pass
    return time.perf_counter() - begun, time.thread_time() - own


def pickled(thing: object) -> int:
    """Return the number of bytes of an object as Ray sends it."""
    import ray

    return len(ray.cloudpickle.dumps(thing))


def checked(costs: Costs, actors: int, population: int, seconds: float, rounds: int) -> Check:
    """Return the median time of some generations here, beside the prediction of the model."""
    config, learner, first = begun(population)
    work = Generation(population, population * (population - 1) // 2, seconds)
    with closing(sleepers(actors, seconds)) as evaluator:
        turns = []
        for _ in range(rounds + 1):
            started = time.perf_counter()
            evaluate(config, learner, evaluator, learner.next(first), Clock())
            turns.append(time.perf_counter() - started)
    measured = statistics.median(turns[1:])  # the first has waited for actors to start
    simulated = by_simulation(costs, work, actors).seconds
    return Check(actors, work, simulated, by_formula(costs, work, actors).seconds, measured)


# --- what is shown --------------------------------------------------------------------------------


def work_of(length: float, seconds: float) -> Generation:
    """Return a generation of a round-robin that takes one worker this long."""
    matches = max(1, round(length / seconds))
    return Generation(math.isqrt(2 * matches) + 1, matches, seconds)


def report(costs: Costs, checks: Sequence[Check]) -> str:
    """All tables."""
    here = machine()
    counts = [f"{count:,}" for count in WORKERS[1:]]
    speeds = ["game", "seconds", *counts, "worth it up to", "MB moved by 1,000"]
    parts = [
        f"Measured on {here['cores']} cores of {here['processor']}, Python {here['python']}.",
        markdown_table(["of the driver", "microseconds", "sent", "bytes"], cost_rows(costs)),
        f"A call that does nothing takes {1e3 * costs.trip:.2f} ms beside the driver's part, and "
        f"{1e3 * costs.answer:.2f} ms of its actor where it waited for it.",
        "**Checked** by Ray actors here that sleep, milliseconds a generation:",
        markdown_table(
            ["actors", "a match", "simulated", "formula", "measured", "error"], check_rows(checks)
        ),
        "**Speed-up over one worker**, simulated (by the formula). `seconds` is the time that one "
        "worker takes for the generation:",
        markdown_table(speeds, speed_rows(costs)),
        f"**Islands**, each on one worker for {EVERY} generations of one second, times one worker:",
        markdown_table(["", *counts], [island_row(costs)]),
    ]
    return "\n\n".join(parts)


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of Markdown."""
    first, *others = ["| " + " | ".join(row) + " |" for row in (head, *rows)]
    return "\n".join([first, f"|{'|'.join([' --- '] * len(head))}|", *others])


def cost_rows(costs: Costs) -> list[list[str]]:
    """Return rows of the measured costs: of the driver in microseconds, of messages in bytes."""
    driver = (costs.individual, costs.match, costs.call, costs.schedule)
    sent = (costs.genome_bytes, costs.match_bytes, costs.call_bytes, costs.job_bytes)
    names = (
        ("an individual", "a genome, to each node"),
        ("a match", "a match's outcomes, back"),
        ("a call", "a call's answer, beside them"),
        ("a schedule", "a schedule, to each node"),
    )
    return [
        [name, f"{1e6 * seconds:.3g}", what, f"{size:.0f}"]
        for (name, what), seconds, size in zip(names, driver, sent, strict=True)
    ]


def check_rows(checks: Sequence[Check]) -> list[list[str]]:
    """Return rows of what was predicted and measured here."""
    return [
        [
            str(each.actors),
            f"{1000 * each.work.seconds:g} ms",
            *(f"{1000 * value:.0f}" for value in (each.simulated, each.formula, each.measured)),
            f"{100 * each.error:+.0f}%",
        ]
        for each in checks
    ]


def speed_rows(costs: Costs) -> Iterator[list[str]]:
    """Yield a row for each game and length of a generation."""
    for game, seconds in GAMES.items():
        for length in LENGTHS:
            work = work_of(length, seconds)
            if work.matches < 100:
                continue
            cells = []
            for count in WORKERS[1:]:
                both = by_simulation(costs, work, count), by_formula(costs, work, count)
                simulated, formula = (speed_up(costs, work, count, each) for each in both)
                cells.append(f"{simulated:,.0f} ({formula:,.0f})")
            megabytes = moved(costs, work, 1000) / 1e6
            yield [game, f"{length:g}", *cells, f"{limit(costs, work):,}", f"{megabytes:,.1f}"]


def island_row(costs: Costs) -> list[str]:
    """Return the table row with the speed-up of islands over one worker."""
    return ["islands", *(f"{times_by_islands(costs, count):,.0f}" for count in WORKERS[1:])]


def times_by_islands(costs: Costs, count: int) -> float:
    """Return the speed-up of ``count`` islands over one worker."""
    of_each = work_of(1.0, GAMES["1 ms a match"])
    travel = migration(costs, of_each.individuals)
    stretch = islands(of_each, costs, EVERY, count)
    return stretch.alone / by_simulation(travel, stretch, count).seconds


def migration(costs: Costs, individuals: int) -> Costs:
    """Return an island's costs for the driver at a migration: a call, and each genome once."""
    each = costs.call + individuals * costs.individual
    return Costs(costs.individual, 0.0, each, costs.trip, costs.schedule)


def write(page: Path, text: str) -> None:
    """Put the tables into the page, between its marks."""
    whole = page.read_text(encoding="utf-8")
    before, rest = whole.split(BEGIN)
    page.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}", encoding="utf-8")


def draw(costs: Costs, picture: Path) -> None:
    """Speed-up over workers: each game, simulated and by the formula, and islands."""
    from matplotlib.figure import Figure

    counts = [round(10 ** (power / 6)) for power in range(25)]
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.add_subplot()
    axes.plot(counts, counts, color="0.8", linewidth=1, label="linear")
    for number, (game, seconds) in enumerate(GAMES.items()):
        work = work_of(1000.0 if seconds > 1e-5 else 100.0, seconds)
        for model, style, label in ((by_simulation, "-", game), (by_formula, ":", None)):
            ups = [speed_up(costs, work, count, model(costs, work, count)) for count in counts]
            axes.plot(counts, ups, style, color=f"C{number}", label=label)
    ups = [times_by_islands(costs, count) for count in counts]
    axes.plot(counts, ups, "--", color="0.2", label="islands")
    axes.set(
        xscale="log", yscale="log", xlabel="workers", ylabel="times one worker", ylim=(0.8, None)
    )
    axes.legend(frameon=False)
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=120, metadata={"Software": None})
    picture.write_bytes(image.getvalue())


if __name__ == "__main__":
    main()
