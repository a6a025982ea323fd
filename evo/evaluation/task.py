"""The pieces of an evaluation: one population of a snapshot against one opponent."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cluster import Entrants, Evaluator
from cluster.evaluator import Genomes, check_all_played
from evo.config.config import Config
from evo.evaluation.exact import Exactly, columns_of
from evo.evaluation.players import identity
from evo.evaluation.proofs import Prover
from evo.genomes.base import Plan
from evo.population import ALL
from results import Run
from results.folder.evaluations import Measurement, measured_individuals, write_evaluation
from tournaments.arena.entrants import Field
from tournaments.arena.outcomes import GameCounter
from tournaments.player import CompiledPlayer, Player
from tournaments.schedules.base import Matches, Schedule
from tournaments.schedules.combined import Placed
from tournaments.schedules.pairs import AgainstPanel

if TYPE_CHECKING:
    from results import DataFrame

Announce = Callable[[str], None]
Opponent = Player | Prover | Exactly
"""Who plays against individuals, what proves them, or whose games against them are computed."""


class Measured(NamedTuple):
    """What is known of some individuals: their rows, columns of ``evaluations``, games played."""

    rows: np.ndarray
    columns: Mapping[str, Any]
    games: int


@dataclass(frozen=True)
class Piece:
    """One population of a snapshot against one opponent: measured, written and skipped as a whole.

    Attributes:
        config: of the run.
        plan: the population.
        asked: what the measurement is called.
        rows: the individuals, int ``[K]``, rising.
        opponent: who plays against them, what proves them, or whose games are computed.
    """

    config: Config
    plan: Plan
    asked: Measurement
    rows: np.ndarray
    opponent: Opponent

    def measure_missing(self, run: Run, evaluator: Evaluator, announce: Announce) -> int:
        """Measure and write what is not there yet; the number of games played for it."""
        missing = np.setdiff1d(self.rows, measured_individuals(run.path, self.asked))
        if not len(missing):
            return 0
        population = run.population(self.asked.generation, self.plan.name)
        games, started = 0, time.perf_counter()
        for measured in self._measured(population, missing, evaluator, announce):
            self._write(run, population, measured, time.perf_counter() - started)
            games, started = games + measured.games, time.perf_counter()
        return games

    def _measured(
        self, population: DataFrame, rows: np.ndarray, evaluator: Evaluator, announce: Announce
    ) -> Iterator[Measured]:
        opponent = self.opponent
        if isinstance(opponent, Prover):
            # What takes seconds is written one by one, so that an interruption loses little.
            for part in rows[:, None] if opponent.is_slow else [rows]:
                yield self._proved(opponent, population, part, announce)
        elif isinstance(opponent, Exactly):
            for part in rows[:, None]:
                yield self._computed(opponent, population, part, announce)
        else:
            yield self._played(opponent, population, rows, evaluator, announce)

    def _played(
        self,
        opponent: Player,
        population: DataFrame,
        rows: np.ndarray,
        evaluator: Evaluator,
        announce: Announce,
    ) -> Measured:
        asked, schedule = self.asked, self._schedule(rows)
        entrants = self._entrants(opponent, population)
        if not entrants.need_no_compiler(schedule.groups):
            announce(f"compiling kernels for {asked.opponent} (once; they are kept)")
        counter = GameCounter(len(population))
        purpose = f"evaluation/{identity(opponent)}/{asked.games}"
        games = 2 if seat_of(self.config, self.plan) is None else 1
        matches = Matches(schedule, asked.seed, purpose, asked.generation, games)
        for played in evaluator.play(entrants, matches):
            counter.take(played)
        check_all_played(evaluator, matches, counter.games // matches.games)
        names = ("games", "wins", "draws", "losses")
        columns = {name: getattr(counter.tally, name)[rows] for name in names}
        return Measured(rows, columns, len(rows) * asked.games)

    def _proved(
        self, prover: Prover, population: DataFrame, rows: np.ndarray, announce: Announce
    ) -> Measured:
        proofs = [
            prover.prove(self.plan, genome, name, announce)
            for genome, name in self._named(population, rows)
        ]
        games, wins, exploitability, plies, _ = zip(*proofs, strict=True)
        columns = {
            "games": np.array(games, dtype=np.int32),
            "wins": np.array(wins, dtype=np.int32),
            "draws": np.zeros(len(rows), dtype=np.int32),
            "losses": np.subtract(games, wins, dtype=np.int32),
            "exploitability": np.array(exploitability),
            "plies": np.array(plies),
        }
        return Measured(rows, columns, 0)

    def _computed(
        self, opponent: Exactly, population: DataFrame, rows: np.ndarray, announce: Announce
    ) -> Measured:
        found = [
            opponent.meet(genome, name, announce) for genome, name in self._named(population, rows)
        ]
        return Measured(rows, columns_of(found), 0)

    def _named(self, population: DataFrame, rows: np.ndarray) -> Iterator[tuple[bytes, str]]:
        """The genome of each individual, and its name in a sentence."""
        for row in rows:
            individual = population.iloc[row]
            name = individual_name(individual["population"], row, self.asked.generation)
            yield individual["genome"], name

    def _schedule(self, rows: np.ndarray) -> Schedule:
        """Each individual in so many matches: of two games, or of one in its own seat."""
        seat = seat_of(self.config, self.plan)
        if seat is None:
            return AgainstPanel(rows, self.asked.games // 2)
        return Placed(AgainstPanel(rows, self.asked.games), seat, (0, -1), (0, 0))

    def _entrants(self, opponent: Player, population: DataFrame) -> Entrants:
        genome = self.plan.genome
        rows = np.frombuffer(b"".join(population["genome"]), dtype=np.uint8)
        packed = genome.pack(genome.unpack(rows.reshape(len(population), -1)))
        return Entrants(self.config.game, (opponent,), (Genomes(genome.representation, packed),))

    def _write(self, run: Run, population: DataFrame, measured: Measured, seconds: float) -> None:
        asked, count = self.asked, len(measured.rows)
        players = population.iloc[measured.rows]
        columns = {
            "generation": np.full(count, asked.generation, dtype=np.int32),
            "population": np.full(count, self.plan.name),
            "individual": players["individual"].to_numpy(),
            "id": players["id"].to_numpy(),
            "opponent": np.full(count, asked.opponent),
            **measured.columns,
            "seed": np.full(count, asked.seed, dtype=np.int64),
            "evaluate_seconds": np.full(count, seconds / count),
        }
        name = f"{asked.prefix}{_who(measured.rows, len(population))}"
        write_evaluation(run.path, name, columns)


def seat_of(config: Config, plan: Plan) -> int | None:
    """The seat of a population's role; None: it plays both."""
    names = [other.name for other in config.populations]
    return names.index(plan.name) if len(names) > 1 else None


def individual_name(population: str, individual: int, generation: int) -> str:
    """An individual in a sentence."""
    kind = "individual" if population == ALL else population
    return f"{kind} {individual} of generation {generation}"


def _who(rows: np.ndarray, individuals: int) -> str:
    """A name for a set of individuals: all, or the digest of their numbers."""
    if len(rows) == individuals:
        return "all"
    return f"{len(rows)}-{hashlib.sha256(rows.astype(np.int64).tobytes()).hexdigest()[:10]}"


def can_meet(opponent: object, plan: Plan, config: Config) -> bool:
    """Whether an opponent holds the seat in which a population of one role would meet it.

    What is no compiled player, such as a proof, can meet anybody.

    Raises:
        TournamentError: the population plays both seats, and the opponent but one.
    """
    if not isinstance(opponent, CompiledPlayer):
        return True
    seat = seat_of(config, plan)
    if seat is not None:
        return 1 - seat in opponent.seats
    Field(config.game, (), (opponent,)).check_seats(-1, -1, 2)
    return True
