"""The generation loop."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

import numpy as np

from cluster.evaluator import Evaluator, faults_of
from cluster.referee import Referee, Who, WhoIs
from evo.config.config import Config
from evo.evolution.checkpoint import columns, lineage_columns, restored
from evo.learners.base import Learner
from evo.population import ALL, EvaluatedGeneration, Generation
from results.writer.writer import RunWriter
from tournaments.arena.entrants import Entrants, Genomes
from tournaments.arena.outcomes import Played
from tournaments.errors import ConfigError
from tournaments.kernels.compilation import compilation
from tournaments.schedules.base import Matches

PARTS = {
    "vary": "selection, crossover and mutation, or turns that are learned from",
    "schedule": "who meets whom",
    "decode": "players made of genomes",
    "play": "the games",
    "score": "fitness, and games won and lost",
    "record": "diversity and the row of the generation",
    "write": "snapshots handed to the writer, waiting for it where it is behind",
    "report": "progress shown, of the generation before",
}
"""The parts of a generation's time, in their order."""
EVALUATION = ("schedule", "decode", "play", "score")
"""The parts that make up ``evaluate_seconds``."""
REACHED = "the last generation was reached"
"""Why a run is over, by generations or by games, unless its learner has a reason of its own."""


class PopulationSummary(NamedTuple):
    """A population of a generation: best and mean raw fitness, and diversity, 0 to 1."""

    name: str
    best: float
    mean: float
    diversity: float


@dataclass
class Progress:
    """What a run reports after each generation.

    Attributes:
        generation, generations: where it is, and where it ends.
        games_played: since generation 0.
        games: played in this generation.
        populations: of this generation, without archives.
        seconds: that this generation took.
        parts: of these seconds, by :data:`PARTS`.
        faults: how many chunks and workers were lost, repeated, overdue and so on until now, see
            :class:`cluster.faults.Faults`; empty for threads.
    """

    generation: int
    generations: int
    games_played: int
    games: int
    populations: tuple[PopulationSummary, ...]
    seconds: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict)
    faults: Mapping[str, int] = field(default_factory=dict)


def evolve(
    config: Config,
    learner: Learner,
    evaluator: Evaluator,
    writer: RunWriter,
    report: Callable[[Progress], None] = lambda progress: None,
    stop: Callable[[], bool] = lambda: False,
    referee: Referee | None = None,
) -> str:
    """Go on from the writer's last snapshot, or from nothing, to the last generation.

    That is the one of the configuration's number, or with which its number of games is reached.

    Args:
        config: says which run it is.
        learner: makes one generation of another.
        evaluator: plays the matches.
        writer: keeps what comes of it.
        report: told after each generation.
        stop: asked after each generation; once it says yes the generation in hand is kept and the
            loop ends.
        referee: has faults of players forfeited; None: the run ends with the first.

    Returns:
        Why it is over, :data:`REACHED` or what the learner says; empty where it was stopped before.
    """
    present = restored(config, writer.last) if writer.last else None
    games_played = writer.last.games_played if writer.last else 0
    clock, writing, referee = Clock(), 0.0, referee or Referee()
    while present is None or not _why_over(config, learner, present, games_played):
        generation = learner.next(present) if present else learner.first()
        generation = trained(learner, generation, evaluator)
        clock.lap("vary")
        present, games = evaluate(config, learner, evaluator, generation, clock, referee)
        games_played += games
        progress = progress_of(config, present, games_played, games)
        progress.faults = {**faults_of(evaluator), **referee.counts()}
        stopping = stop()
        for row in rows_of(config, present, progress, clock.parts, writing):
            writer.generation(row)
        if config.run.lineage:
            writer.lineage(lineage_columns(present), generation.number)
        clock.lap("record")
        is_last = stopping or bool(_why_over(config, learner, present, games_played))
        if is_last or generation.number % config.run.snapshot_interval == 0:
            referee.flush()
            kept, number = columns(config, present), generation.number
            lost = referee.written(number)
            writer.snapshot(kept, number, games_played, present.state, lost)
        if generation.number == 0:
            writer.flush()  # what the disk refuses is told at once, and the run can be opened
        clock.lap("write")
        progress.parts = clock.turn()
        progress.seconds = sum(progress.parts.values())
        writing = progress.parts["record"] + progress.parts["write"]
        report(progress)
        clock.lap("report")
        if stopping:
            break
    assert present is not None
    writer.flush()
    return _why_over(config, learner, present, games_played)


def _why_over(
    config: Config, learner: Learner, present: EvaluatedGeneration, games_played: int
) -> str:
    if reason := learner.is_done(present):
        return f"{reason} at generation {present.number}"
    return REACHED if config.run.is_over(present.number, games_played) else ""


def trained(learner: Learner, generation: Generation, evaluator: Evaluator) -> Generation:
    """A generation, after its individuals have learned, where the learner has them learn."""
    train = getattr(learner, "train", None)
    return train(generation, evaluator) if train else generation


def evaluate(
    config: Config,
    learner: Learner,
    evaluator: Evaluator,
    generation: Generation,
    clock: Clock,
    referee: Referee | None = None,
) -> tuple[EvaluatedGeneration, int]:
    """Play a generation's matches; the generation with its fitness, and the number of games.

    Raises:
        ConfigError: the learner, or the scheme, gives fitness that is no number.
    """
    referee = referee or Referee()
    work = config, learner, evaluator, generation, clock, referee
    evaluated, games = referee.play_until_verdicts_settle(lambda: _evaluated(*work))
    refuse_no_numbers(config, evaluated)
    return evaluated, games


def refuse_no_numbers(config: Config, evaluated: EvaluatedGeneration) -> None:
    """Refuse fitness that selection cannot go by.

    Raises:
        ConfigError: it names the first individual, and who gave it.
    """
    for each in evaluated.living:
        for name, values in (("raw fitness", each.raw_fitness), ("fitness", each.fitness)):
            if not (wrong := ~np.isfinite(values)).any():
                continue
            row = int(np.flatnonzero(wrong)[0])
            scheme = "" if config.scheme is None else f" and scheme {config.scheme.name}"
            raise ConfigError(
                f"learner {config.learner.name}{scheme} gave {name} {values[row]} to individual "
                f"{row} of population {each.population.name} in generation {evaluated.number} "
                f"({int(wrong.sum())} of {len(values)} are no numbers); finite numbers are "
                "expected: mend points() of the scheme, or judge() of the learner"
            )


def who_is(config: Config, generation: Generation) -> WhoIs:
    """The entrants of a generation, as the table of faults has them."""
    parts = list(zip(generation.parts(), generation.populations, strict=True))

    def who(entrant: int) -> Who:
        if entrant < 0:
            return Who(config.panel_names[-entrant - 1])
        part, population = next(pair for pair in parts if entrant < pair[0].stop)
        row, kind = entrant - part.start, population.name
        packed = config.plan(kind).genome.pack(population.genes[row : row + 1])
        name = f"{'individual' if kind == ALL else kind} {row}"
        return Who(name, kind, int(population.ids[row]), packed.tobytes())

    return who


def _evaluated(
    config: Config,
    learner: Learner,
    evaluator: Evaluator,
    generation: Generation,
    clock: Clock,
    referee: Referee,
) -> tuple[EvaluatedGeneration, int]:
    contest = learner.contest(generation)
    clock.lap("schedule")
    players, who = entrants(config, generation), who_is(config, generation)
    clock.lap("decode")

    def play(matches: Matches) -> Iterator[Played]:
        yield from referee.play(evaluator, players, matches, who)
        clock.lap("play")
        clock.move("play", "decode", getattr(evaluator, "decode_seconds", 0.0))

    counter = contest.play(config.seed, len(generation), play, clock.lap)
    evaluated = learner.judge(generation, contest, counter.tally)
    clock.lap("score")
    return evaluated, counter.games


def entrants(config: Config, generation: Generation) -> Entrants:
    """The populations and the panel, as an evaluator takes them."""
    by_plan = groupby(generation.populations, lambda population: config.plan(population.name))
    groups = []  # a population and its archive, which are written down alike, are one
    for (_, genome), alike in by_plan:
        packed = [genome.pack(population.genes) for population in alike]
        rows = packed[0] if len(packed) == 1 else np.concatenate(packed)
        groups.append(Genomes(genome.representation, rows))
    return Entrants(config.game, config.panel, tuple(groups))


def progress_of(
    config: Config, present: EvaluatedGeneration, games_played: int, games: int
) -> Progress:
    """What there is to report of a generation, but for the time that it took."""
    summaries = [
        PopulationSummary(
            evaluated.population.name,
            float(np.maximum.reduce(evaluated.raw_fitness)),
            _mean(evaluated.raw_fitness),
            config.plan(evaluated.population.name).genome.diversity(evaluated.population.genes),
        )
        for evaluated in present.living
    ]
    last = config.run.last_generation(present.number, games_played)
    return Progress(present.number, last, games_played, games, tuple(summaries))


def rows_of(
    config: Config,
    present: EvaluatedGeneration,
    progress: Progress,
    parts: Mapping[str, float],
    writing: float,
) -> Iterator[dict[str, object]]:
    """A row of the table ``generations`` a population; each takes an equal part of the time."""
    living = present.living
    seconds = {
        "evaluate_seconds": sum(parts[part] for part in EVALUATION) / len(living),
        "vary_seconds": parts["vary"] / len(living),
        "write_seconds": (writing + parts["report"]) / len(living),
    }
    for evaluated, summary in zip(living, progress.populations, strict=True):
        yield {
            "generation": progress.generation,
            "population": summary.name,
            "games_played": progress.games_played,
            "best": summary.best,
            "mean": summary.mean,
            "std": _deviation(evaluated.raw_fitness),
            "diversity": summary.diversity,
            **seconds,
            "total_seconds": sum(seconds.values()),
        }


def _mean(values: np.ndarray) -> float:
    """As ``values.mean()``, without what that costs for a handful."""
    return float(np.add.reduce(values) / len(values))


def _deviation(values: np.ndarray) -> float:
    """As ``values.std()``."""
    apart = values - _mean(values)
    return math.sqrt(_mean(apart * apart)) if len(values) > 1 else 0.0


@dataclass
class Clock:
    """Times of the parts of a generation, without what compiling kernels takes."""

    _lap: float = field(default_factory=compilation.clock)
    parts: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))

    def lap(self, part: str) -> None:
        """Add the time since the last lap to a part."""
        now = compilation.clock()
        self.parts[part] += now - self._lap
        self._lap = now

    def move(self, source: str, target: str, seconds: float) -> None:
        """Book seconds of one part on another."""
        self.parts[source] -= seconds
        self.parts[target] += seconds

    def turn(self) -> dict[str, float]:
        """The parts of the generation that ends here; they start anew."""
        parts, self.parts = self.parts, dict.fromkeys(PARTS, 0.0)
        return parts
