"""The tasks of an evaluation: one population of a snapshot against one opponent."""

from __future__ import annotations

import hashlib
import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cluster import Entrants, Evaluator
from cluster.referee import EntrantIdentity, Referee, WhoIs
from evo.config.config import Config
from evo.evaluation.players import can_meet, individual, individual_name, seat_of
from evo.genomes.base import Plan, trimmed
from evo.requests.evaluation import EvaluateRequest
from results import Run
from results.folder.evaluations import Measurement, measured_individuals, write_evaluation
from results.format.schema import AND
from results.statistics import rate, wilson
from tournaments.arena.entrants import population_of
from tournaments.arena.outcomes import count_by_seat
from tournaments.kernels.compilation import compilation
from tournaments.player import CompiledPlayer, Player, identity, seats_of
from tournaments.schedules.base import Matches, Schedule
from tournaments.schedules.combined import Placed
from tournaments.schedules.pairs import against_panel

if TYPE_CHECKING:
    from results import DataFrame

LABEL_CHARACTERS = frozenset(string.ascii_letters + string.digits + "-.")
Announce = Callable[[str], None]
Report = Callable[[int, int, int], None]


class Where(NamedTuple):
    """The evaluator that plays the games and the referee that decides about faults."""

    evaluator: Evaluator
    referee: Referee


class MeasuredRows(NamedTuple):
    """Results of some individuals: their rows, columns of ``evaluations``, games played."""

    rows: np.ndarray
    columns: Mapping[str, Any]
    games: int


@dataclass(frozen=True)
class EvaluationTask:
    """The measurement of one population of a snapshot against one opponent.

    Attributes:
        config: configuration of the run.
        plan: plan of the population.
        measurement: key of the measurement in ``evaluations``.
        rows: row numbers of the individuals, int ``[K]``, rising.
        opponent: the opponent, which is played or computed.
    """

    config: Config
    plan: Plan
    measurement: Measurement
    rows: np.ndarray
    opponent: Opponent

    def measure_missing(self, run: Run, where: Where, announce: Announce) -> int:
        """Measure the individuals without results, write these, and return the number of games."""
        missing = np.setdiff1d(self.rows, measured_individuals(run.path, self.measurement))
        if not len(missing):
            return 0
        population = run.population(self.measurement.generation, self.plan.name)
        games, started = 0, compilation.clock()
        sample = Sample(self, population, missing)
        for measured in self.opponent.measure(sample, where, announce):
            where.referee.flush()
            self._write(run, population, measured, compilation.clock() - started)
            games, started = games + measured.games, compilation.clock()
        return games

    def _write(
        self, run: Run, population: DataFrame, measured: MeasuredRows, seconds: float
    ) -> None:
        measurement, count = self.measurement, len(measured.rows)
        players = population.iloc[measured.rows]
        columns = {
            "generation": np.full(count, measurement.generation, dtype=np.int32),
            "population": np.full(count, self.plan.name),
            **({"island": players["island"].to_numpy()} if "island" in players else {}),
            "individual": players["individual"].to_numpy(),
            "id": players["id"].to_numpy(),
            "opponent": np.full(count, measurement.opponent),
            **measured.columns,
            "seed": np.full(count, measurement.seed, dtype=np.int64),
            "evaluate_seconds": np.full(count, seconds / count),
        }
        name = f"{measurement.prefix}{_who(measured.rows, len(population))}"
        write_evaluation(run.path, name, columns)


def _who(rows: np.ndarray, individuals: int) -> str:
    """Return a text that names a set of individuals in file names.

    It is ``all``, or a digest of their row numbers. ``individuals`` is the number of all.
    """
    if len(rows) == individuals:
        return "all"
    return f"{len(rows)}-{hashlib.sha256(rows.astype(np.int64).tobytes()).hexdigest()[:10]}"


# --- opponents -----------------------------------------------------------------------------------


class Sample(NamedTuple):
    """The individuals of a snapshot to be measured.

    Attributes:
        task: the task of the measurement.
        population: the population of the snapshot.
        rows: row numbers of the individuals to be measured, int ``[K]``, rising.
    """

    task: EvaluationTask
    population: DataFrame
    rows: np.ndarray

    def individual(self, row: int) -> CompiledPlayer:
        """Return the individual of a row as a player, with a name for use in sentences."""
        task = self.task
        name = individual_name(task.plan.name, row, task.measurement.generation)
        return individual(task.config, task.plan, self.population["genome"].iloc[row], name)


@dataclass(frozen=True)
class Opponent:
    """An opponent of individuals, either a player or a computed best response.

    Attributes:
        name: name in the rows of ``evaluations``.
        player: the player. None if the opponent is not a player, so that games against it cannot
            rank individuals.
    """

    name: str
    player: Player | None

    @property
    def label(self) -> str:
        """The opponent's name in a form that is valid in file names.

        If the name does not determine the player (a champion, a file), the label also contains a
        digest of the player's identity.
        """
        plain = "".join(char if char in LABEL_CHARACTERS else "-" for char in self.name)
        plain = plain[-60:].strip("-.")
        if self.player is None or plain == self.name == identity(self.player):
            return plain
        text = f"{self.name}/{self.identities}"
        return f"{plain or 'player'}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"

    @property
    def names(self) -> tuple[str, ...]:
        """The names by which a user gives the opponent."""
        return (self.name,)

    @property
    def identities(self) -> str:
        """The identity of the player, or the identities of several players, joined by /."""
        return identity(self.player) if self.player is not None else ""

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that the opponent can play."""
        return (0, 1) if self.player is None else seats_of(self.player)

    def can_meet(self, plan: Plan, config: Config) -> bool:
        """Whether the opponent can meet the individuals of a population.

        Raises:
            TournamentError: the opponent cannot play in this run at all.
        """
        return self.player is None or can_meet(self.player, plan, config)

    def games(self, plan: Plan, request: EvaluateRequest) -> int:
        """Return the number of games of each individual, for the column ``games``."""
        return request.number_of_games

    def measure(self, sample: Sample, where: Where, announce: Announce) -> Iterator[MeasuredRows]:
        """Measure individuals against this opponent, and yield the results in parts."""
        raise NotImplementedError


@dataclass(frozen=True)
class PlayedOpponent(Opponent):
    """A player, or a group of players at a table, whose games against individuals are played.

    Attributes:
        members: the different players by name, of which ``player`` is the first. If they are fewer
            than the other seats of the table, they fill these in turn.
    """

    player: Player
    members: Mapping[str, Player]

    @classmethod
    def of(cls, members: Mapping[str, Player], seats: int) -> PlayedOpponent:
        """Return the opponent at a table of ``seats``: the names of all members, joined by +."""
        name = AND.join(islice(cycle(members), seats - 1))
        return cls(name, next(iter(members.values())), members)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.members)

    @property
    def identities(self) -> str:
        return "/".join(map(identity, self.members.values()))

    def measure(self, sample: Sample, where: Where, announce: Announce) -> Iterator[MeasuredRows]:
        """Play the games of all individuals against this player at once and yield the results."""
        task, population, rows = sample
        config, plan, measurement = task.config, task.plan, task.measurement
        seat, size, seats = seat_of(config, plan), len(population), len(config.game.seats)
        packed = np.frombuffer(b"".join(population["genome"]), dtype=np.uint8).reshape(size, -1)
        packed = trimmed(plan.genome, packed)
        genomes = population_of(plan.genome.representation, config.game, packed)
        entrants = Entrants(config.game, tuple(self.members.values()), (genomes,))
        repeats = measurement.games // (config.games_a_match * (seats - 1))
        schedule: Schedule = against_panel(rows, repeats, len(self.members), seats)
        if seat is not None:
            schedule = Placed(schedule, seat, (0, -1), (0, 0))
        matches = Matches(
            schedule,
            measurement.seed,
            f"evaluation/{self.identities}/{measurement.games}",
            measurement.generation,
            config.games_a_match,
        )
        who = self._who(sample, packed)
        play, each = where.referee.play, len(matches) // len(rows)
        ends = each * np.arange(1, len(rows) + 1)
        counts = where.referee.play_until_verdicts_settle(
            lambda: count_by_seat(play(where.evaluator, entrants, matches, who), ends, seats)
        )
        if seat == 1:  # entrant a is the opponent
            counts = counts[:, ::-1, ::-1]
        columns = {**_columns_of(counts), "games": np.full(len(rows), measurement.games)}
        yield MeasuredRows(rows, columns, len(matches) * config.games_a_match)

    def _who(self, sample: Sample, genomes: np.ndarray) -> WhoIs:
        """Return the names of the opponent and the individuals for the table ``faults``."""
        kind, generation = sample.task.plan.name, sample.task.measurement.generation
        ids = sample.population["id"].to_numpy()

        def who(entrant: int) -> EntrantIdentity:
            if entrant < 0:
                return EntrantIdentity(self.names[-1 - entrant])
            name = individual_name(kind, entrant, generation)
            return EntrantIdentity(name, kind, int(ids[entrant]), genomes[entrant].tobytes())

        return who


def _columns_of(counts: np.ndarray) -> dict[str, np.ndarray]:
    """Return the columns of an evaluation from counts of placings, ``[K, S, 3]``.

    The axes are individual, seat, and win, draw or loss. A seat without games has no rate. The S-1
    placings of a game depend on each other, so the interval is that of as many results as games.
    """
    games, (wins, draws, losses) = counts.sum(axis=2), counts.sum(axis=1).astype(np.int32).T
    rates, others, placings = rate(counts[:, :, 0], games), counts.shape[1] - 1, games.sum(axis=1)
    low, high = wilson(wins / others, placings / others)
    return {
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "win_rate": rate(wins, placings),
        "win_rate_low": low,
        "win_rate_high": high,
        "win_rate_first": rates[:, 0],
        "win_rate_second": rates[:, 1],
    }


def placings(games: int, config: Config) -> int:
    """Return the number of placings of an individual in a number of games of a run's game.

    With two seats, placings are games. At a table of S seats, a game is a placing against each of
    S-1 others, and the games are rounded up so that all seats are held equally often.
    """
    seats = len(config.game.seats)
    return games if seats == 2 else -(-games // seats) * seats * (seats - 1)
