"""The generation loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from cluster.evaluator import Entrants, Evaluator, check_all_played
from evo import genome
from evo.config import Config
from evo.learners.genetic import Genetic
from evo.population import NO_PARENT, Evaluated, Population
from evo.selection import linear_scaling
from results.writer import LastSnapshot, RunWriter
from tournaments.players.network import NetworkGenomes
from tournaments.rng import generator
from tournaments.schedules import Matches
from tournaments.scoring import GameCounter, Tally

POPULATION = "all"
"""The name of the only population of a game whose seats are alike."""
PARTS = {
    "vary": "selection, crossover and mutation",
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


@dataclass
class Progress:
    """What a run reports after each generation.

    Attributes:
        generation, generations: where it is, and where it ends.
        games_played: since generation 0.
        best, mean: raw fitness of this generation.
        diversity: of this generation, 0 to 1.
        games: played in this generation.
        seconds: that this generation took.
        parts: of these seconds, by :data:`PARTS`.
    """

    generation: int
    generations: int
    games_played: int
    best: float
    mean: float
    diversity: float
    games: int
    seconds: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict)


def evolve(
    config: Config,
    evaluator: Evaluator,
    writer: RunWriter,
    report: Callable[[Progress], None] = lambda progress: None,
    stop: Callable[[], bool] = lambda: False,
) -> bool:
    """Go on from the writer's last snapshot, or from nothing, to the last generation.

    Args:
        config: the run.
        evaluator: plays the matches.
        writer: keeps what comes of it.
        report: told after each generation.
        stop: asked after each generation; once it says yes the generation in hand is kept and the
            loop ends.

    Returns:
        Whether the last generation was reached.
    """
    learner = Genetic(config.learner, config.seed)
    present = restored(config, writer.last) if writer.last else None
    games_played = writer.last.games_played if writer.last else 0
    clock, writing = Clock(), 0.0
    while present is None or present.population.generation < config.run.generations:
        population = learner.next_population(present) if present else first_population(config)
        clock.lap("vary")
        present, games = evaluate(config, evaluator, population, clock)
        games_played += games
        progress = _progress(config, present, games_played, games)
        stopping = stop()
        writer.generation(_row(present, progress, clock.parts, writing))
        clock.lap("record")
        if _is_due(config, population.generation) or stopping:
            writer.snapshot(columns(present), population.generation, games_played)
        if population.generation == 0:
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
    return present.population.generation >= config.run.generations


def first_population(config: Config) -> Population:
    """Generation 0: random genomes without parents."""
    size = config.run.population
    genes = genome.random_genes(config.encoding, size, generator(config.seed, "initial"))
    return Population(0, genes, np.full((size, 2), NO_PARENT, dtype=np.int64))


def evaluate(
    config: Config, evaluator: Evaluator, population: Population, clock: Clock
) -> tuple[Evaluated, int]:
    """Play a generation's matches; the population with its fitness, and the number of games."""
    generation, size = population.generation, len(population)
    schedule = config.scheme.schedule(size, config.seed, generation)
    matches = Matches(schedule, config.seed, "matches", generation)
    scoring, counter = config.scheme.scoring(schedule, size), GameCounter(size)
    clock.lap("schedule")
    players = entrants(config, population)
    clock.lap("decode")
    for played in evaluator.play(players, matches):
        clock.lap("play")
        scoring.take(played, counter.take(played))
        clock.lap("score")
    check_all_played(evaluator, matches, counter.games // matches.games)
    clock.lap("play")
    clock.move("play", "decode", getattr(evaluator, "decode_seconds", 0.0))
    raw = scoring.points()
    fitness = linear_scaling(raw + config.scheme.bonus, config.scheme.best_share)
    evaluated = Evaluated(population, raw, fitness, counter.tally)
    clock.lap("score")
    return evaluated, counter.games


def entrants(config: Config, population: Population) -> Entrants:
    """The population and the scheme's panel, as an evaluator takes them."""
    return Entrants(
        config.game,
        config.panel,
        NetworkGenomes(config.encoding),
        genome.pack(population.genes),
    )


def columns(evaluated: Evaluated) -> dict[str, np.ndarray | str]:
    """A generation as the columns of a snapshot."""
    population, games = evaluated.population, evaluated.tally
    return {
        "population": POPULATION,
        "individual": np.arange(len(population), dtype=np.int32),
        "id": population.ids,
        "parent_a": population.parents[:, 0],
        "parent_b": population.parents[:, 1],
        "genome": genome.pack(population.genes),
        "fitness": evaluated.fitness,
        "raw_fitness": evaluated.raw_fitness,
        "games": games.games,
        "wins": games.wins,
        "draws": games.draws,
        "losses": games.losses,
    }


def restored(config: Config, last: LastSnapshot) -> Evaluated:
    """A snapshot as the evaluated generation that it was: all that is needed to go on."""
    kept = last.columns
    population = Population(
        last.generation,
        genome.unpack(config.encoding, last.genomes),
        np.stack([kept["parent_a"], kept["parent_b"]], axis=1).astype(np.int64),
    )
    games = Tally(kept["games"], kept["wins"], kept["draws"], kept["losses"])
    return Evaluated(population, kept["raw_fitness"], kept["fitness"], games)


def _is_due(config: Config, generation: int) -> bool:
    return generation % config.run.snapshot_interval == 0 or generation == config.run.generations


def _progress(config: Config, present: Evaluated, games_played: int, games: int) -> Progress:
    return Progress(
        generation=present.population.generation,
        generations=config.run.generations,
        games_played=games_played,
        best=float(present.raw_fitness.max()),
        mean=float(present.raw_fitness.mean()),
        diversity=genome.diversity(present.population.genes),
        games=games,
    )


def _row(
    present: Evaluated, progress: Progress, parts: Mapping[str, float], writing: float
) -> dict[str, object]:
    seconds = {
        "evaluate_seconds": sum(parts[part] for part in EVALUATION),
        "vary_seconds": parts["vary"],
        "write_seconds": writing + parts["report"],
    }
    return {
        "generation": progress.generation,
        "population": POPULATION,
        "games_played": progress.games_played,
        "best": progress.best,
        "mean": progress.mean,
        "std": float(present.raw_fitness.std()),
        "diversity": progress.diversity,
        **seconds,
        "total_seconds": sum(seconds.values()),
    }


@dataclass
class Clock:
    """Times of the parts of a generation."""

    _lap: float = field(default_factory=time.perf_counter)
    parts: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))

    def lap(self, part: str) -> None:
        """Add the time since the last lap to a part."""
        now = time.perf_counter()
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
