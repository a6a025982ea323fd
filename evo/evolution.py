"""The generation loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from cluster.evaluator import Entrants, Evaluator
from evo import genome
from evo.config import Config
from evo.learners.genetic import Genetic
from evo.population import NO_PARENT, Evaluated, Population
from evo.selection import linear_scaling
from results.writer import LastSnapshot, RunWriter
from tournaments.players.network import NetworkGenomes
from tournaments.rng import generator, match_seeds
from tournaments.schemes import Tally, tally

POPULATION = "all"
"""The name of the only population of a game whose seats are alike."""


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
    """

    generation: int
    generations: int
    games_played: int
    best: float
    mean: float
    diversity: float
    games: int
    seconds: float


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
    clock = _Clock()
    while present is None or present.population.generation < config.run.generations:
        population = learner.next_population(present) if present else first_population(config)
        clock.lap("vary_seconds")
        present, games = evaluate(config, evaluator, population)
        clock.lap("evaluate_seconds")
        games_played += games
        progress = _progress(config, present, games_played, games)
        stopping = stop()
        writer.generation(_row(present, progress, clock))
        if _is_due(config, population.generation) or stopping:
            writer.snapshot(columns(present), population.generation, games_played)
        clock.lap("write_seconds")
        progress.seconds = clock.turn()
        report(progress)
        if stopping:
            break
    assert present is not None
    return present.population.generation >= config.run.generations


def first_population(config: Config) -> Population:
    """Generation 0: random genomes without parents."""
    size = config.run.population
    genes = genome.random_genes(config.encoding, size, generator(config.seed, "initial"))
    return Population(0, genes, np.full((size, 2), NO_PARENT, dtype=np.int64))


def evaluate(config: Config, evaluator: Evaluator, population: Population) -> tuple[Evaluated, int]:
    """Play a generation's matches; the population with its fitness, and the number of games."""
    generation, size = population.generation, len(population)
    pairs = config.scheme.schedule(size, generator(config.seed, "schedule", generation))
    seeds = match_seeds(config.seed, "matches", generation, len(pairs))
    outcomes = evaluator.play(entrants(config, population), pairs, seeds)
    raw = config.scheme.fitness(pairs, outcomes, size)
    fitness = linear_scaling(raw + config.scheme.bonus, config.scheme.best_share)
    evaluated = Evaluated(population, raw, fitness, tally(pairs, outcomes, size))
    return evaluated, outcomes.shape[0] * outcomes.shape[1]


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
        seconds=0.0,
    )


def _row(present: Evaluated, progress: Progress, clock: _Clock) -> dict[str, object]:
    return {
        "generation": progress.generation,
        "population": POPULATION,
        "games_played": progress.games_played,
        "best": progress.best,
        "mean": progress.mean,
        "std": float(present.raw_fitness.std()),
        "diversity": progress.diversity,
        **clock.seconds(),
    }


@dataclass
class _Clock:
    """Times of the parts of a generation; the writing is that of the generation before."""

    started: float = field(default_factory=time.perf_counter)
    _lap: float = field(default_factory=time.perf_counter)
    _parts: dict[str, float] = field(default_factory=lambda: {"write_seconds": 0.0})

    def lap(self, name: str) -> None:
        """Put the time since the last lap down under a name."""
        now = time.perf_counter()
        self._parts[name] = now - self._lap
        self._lap = now

    def seconds(self) -> dict[str, float]:
        """The parts, and their sum."""
        return {**self._parts, "total_seconds": sum(self._parts.values())}

    def turn(self) -> float:
        """Seconds since the last turn: what a whole generation took."""
        took = self._lap - self.started
        self.started = self._lap
        return took
