"""The champions of a run's snapshots, and their games against each other and other opponents.

The games depend only on the snapshots, a seed and the opponents, not on the machine that plays
them. Each opponent has its own random numbers, so that an additional opponent does not change the
games of the others.

In a contest of S > 2 seats, a pair of players is compared at tables of one player and S-1 copies of
the other. Each game yields S-1 placings of the single player, one against each copy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cluster import Entrants, Evaluator
from evo.config.config import Config
from evo.evaluation.players import seat_of
from evo.genomes.base import Plan, trimmed
from results import ResultsError, Run
from results.statistics import fittest, rate
from tournaments.arena.entrants import Genomes, Mixture, population_of
from tournaments.arena.evaluator import play_all
from tournaments.arena.forfeits import FaultPolicy
from tournaments.arena.outcomes import count_by_seats
from tournaments.game import Game
from tournaments.kernels.rng import generator
from tournaments.player import Player, identity
from tournaments.schedules.base import Matches, Schedule
from tournaments.schedules.combined import Chain, Filled, Placed, Repeated
from tournaments.schedules.pairs import EachOther, EachPair, against_panel

PURPOSE = "analyse"
NEWCOMERS = 20
"""Number of random genomes that serve as opponents not used in training."""


class ChampionResults(NamedTuple):
    """The results of champions, by seat.

    Attributes:
        counts: placings won, drawn and lost, by the seat of the champion, then by the seat of the
            opponent, int64 ``[..., S, S, 3]``. With two seats, placings are games. All champions
            played the same number of games.
    """

    counts: np.ndarray

    @property
    def wins(self) -> np.ndarray:
        """Number of placings that each champion won in all seats, int64."""
        return self.counts[..., 0].sum(axis=(-2, -1))

    @property
    def draws(self) -> np.ndarray:
        """Number of placings that each champion drew in all seats, int64."""
        return self.counts[..., 1].sum(axis=(-2, -1))

    @property
    def others(self) -> int:
        """Number of placings of a game: one for each other seat."""
        return self.counts.shape[-2] - 1

    @property
    def held(self) -> tuple[int, ...]:
        """Number of games of each champion in each seat."""
        by_seat = self.counts.sum(axis=(-2, -1)) // self.others
        return tuple(by_seat.reshape(-1, by_seat.shape[-1])[0].tolist())

    @property
    def games(self) -> int:
        """Number of games of each champion in all seats."""
        return sum(self.held)

    @property
    def scores(self) -> np.ndarray:
        """Share of the points that each champion won, float64. A draw counts as half a point."""
        return (self.wins + self.draws / 2) / (self.games * self.others)

    @property
    def by_seat(self) -> np.ndarray:
        """Share of the points of each champion by seat, float64 ``[..., S]``.

        NaN marks a seat without games.
        """
        counts = self.counts.sum(axis=-2)
        return rate(counts[..., 0] + counts[..., 1] / 2, counts.sum(axis=-1))

    @property
    def of_others(self) -> ChampionResults:
        """The results of the champions' opponents in the same games, in the other seats."""
        return ChampionResults(self.counts.swapaxes(-3, -2)[..., ::-1])


@dataclass(frozen=True, eq=False)
class Champions:
    """The individual of highest fitness of one population in each of several snapshots.

    Attributes:
        plan: the plan of the population.
        game: the game of the run.
        genomes: packed genomes in the form for play, uint8 ``[G, B]``.
        shares: share of the points that the whole population won in its games, float64 ``[G]``.
            NaN if the population played no games.
    """

    plan: Plan
    game: Game
    genomes: np.ndarray
    shares: np.ndarray

    def __len__(self) -> int:
        return len(self.genomes)

    @property
    def entrants(self) -> Genomes | Mixture:
        """The champions of a population in the form that evaluators play."""
        return population_of(self.plan.genome.representation, self.game, self.genomes)


def champions_of(
    run: Run, config: Config, generations: list[int]
) -> tuple[list[int], list[Champions]]:
    """Return the champions of each population of a run in the snapshots of some generations.

    Generations without a snapshot are left out: a run in progress may have removed a snapshot
    since the generations were listed.

    Returns:
        The generations with a snapshot, and the champions by population, in the order of the
        configuration.

    Raises:
        ResultsError: a snapshot is damaged.
    """
    names = [plan.name for plan in config.evolving]
    rows: dict[int, list[tuple[bytes, float]]] = {}
    for generation in generations:
        try:
            snapshot = run.population(generation)
        except ResultsError:
            if generation in run.snapshots:
                raise
            continue
        rows[generation] = [_champion(snapshot[snapshot["population"] == name]) for name in names]
    champions = []
    for plan, of_plan in zip(config.evolving, zip(*rows.values(), strict=True), strict=True):
        packed, shares = zip(*of_plan, strict=True)
        genomes = np.frombuffer(b"".join(packed), dtype=np.uint8).reshape(len(packed), -1)
        champions.append(
            Champions(plan, config.game, trimmed(plan.genome, genomes), np.array(shares))
        )
    return list(rows), champions


def _champion(rows) -> tuple[bytes, float]:
    """Return the genome of a population's champion, and the share of points of the population.

    ``rows`` is the population in a snapshot.
    """
    row = fittest(rows["fitness"].to_numpy(), rows["individual"].to_numpy())
    games = int(rows["games"].sum())
    points = float(rows["wins"].sum() + rows["draws"].sum() / 2)
    return rows["genome"].iloc[row], points / games if games else float("nan")


def games_of_a_round(config: Config) -> int:
    """Return the least number of games in which both champions of a pair are treated alike.

    With two seats, each holds each seat once. At a table of S seats, each meets copies of the other
    one in S games.
    """
    seats = len(config.game.seats)
    return 2 if seats == 2 else 2 * seats


@dataclass(frozen=True, eq=False)
class ChampionGames:
    """The games of champions: evaluator, seed and number of games.

    Attributes:
        config: configuration of the run.
        evaluator: the evaluator that plays the games.
        seed: seed of the games.
        games: number of games per pair, a multiple of :func:`games_of_a_round`.
    """

    config: Config
    evaluator: Evaluator
    seed: int
    games: int

    @property
    def seats(self) -> int:
        """Number of seats of the game."""
        return len(self.config.game.seats)

    def each_other(self, champions: list[Champions]) -> list[ChampionResults]:
        """Play all champions against all and return the results per population, ``[G, G]``.

        The rows are the champions of the population. With roles, the champions meet the champions
        of the other role in half as many games, so that two teams of one champion per role play
        ``games`` against each other. Without roles, the champions meet each other. At a table, each
        champion of a pair plays half of the games against copies of the other one, and the results
        are the placings of the one against the other in all games. The diagonal is not played and
        is set to half of the points.
        """
        if len(champions) == 1:
            return [self._among(champions[0])]
        first, second = champions
        size = len(first)
        entrants = Entrants(self.config.game, (), (first.entrants, second.entrants))
        schedule = Placed(self._repeated(EachOther(size, size)), 0, (0, 1), (0, size))
        made = self._counted(entrants, schedule, "contest", size * size)
        results = ChampionResults(made.counts.reshape(size, size, 2, 2, 3))
        return [results, ChampionResults(results.of_others.counts.swapaxes(0, 1))]

    def _among(self, champions: Champions) -> ChampionResults:
        size, seats = len(champions), self.seats
        pairs = EachPair(size)
        schedule: Schedule = pairs
        if seats > 2:
            schedule = Chain((pairs, Placed(pairs, 1, (0, 0), (0, 0))))
        entrants = Entrants(self.config.game, (), (champions.entrants,))
        made = self._counted(entrants, self._repeated(schedule), "contest", len(schedule))
        if seats > 2:
            first, swapped = made.counts[: len(pairs)], made.of_others.counts[len(pairs) :]
            made = ChampionResults(first + swapped)
        counts = np.zeros((size, size, seats, seats, 3), dtype=np.int64)
        drawn = self.games // seats * ~np.eye(seats, dtype=bool)
        counts[np.arange(size), np.arange(size), :, :, 1] = drawn
        above, below = np.triu_indices(size, 1), np.triu_indices(size, 1)[::-1]  # by the schedule
        counts[above], counts[below] = made.counts, made.of_others.counts
        return ChampionResults(counts)

    def newcomers(self, champions: Champions, index: int) -> ChampionResults:
        """Play champions against random genomes and return the results, ``[G]``.

        With roles, the random genomes are of the other role.
        """
        plans = self.config.populations
        plan = plans[1 - index] if len(plans) > 1 else plans[0]
        rng = generator(self.seed, f"{PURPOSE}/newcomers", 0, index)
        genomes = plan.genome.pack(plan.genome.random(NEWCOMERS, rng))
        strangers = population_of(plan.genome.representation, self.config.game, genomes)
        size, each = len(champions), max(1, self.games // (NEWCOMERS * self.config.games_a_match))
        met = Placed(EachOther(size, NEWCOMERS), self._side(champions), (0, 1), (0, size))
        schedule = Repeated(met, each)
        entrants = Entrants(self.config.game, (), (champions.entrants, strangers))
        return self._against(entrants, champions, schedule, f"newcomers/{index}")

    def opponent(self, champions: Champions, opponent: Player) -> ChampionResults:
        """Play champions against a fixed player and return the results, ``[G]``."""
        rows, matches = np.arange(len(champions)), self.games // self.config.games_a_match
        met = against_panel(rows, matches)
        schedule = Placed(met, self._side(champions), (0, -1), (0, 0))
        entrants = Entrants(self.config.game, (opponent,), (champions.entrants,))
        purpose = f"{champions.plan.name}/{identity(opponent)}"
        return self._against(entrants, champions, schedule, purpose)

    def _against(
        self, entrants: Entrants, champions: Champions, schedule: Schedule, purpose: str
    ) -> ChampionResults:
        """Play a schedule of champions' games and return the results of each champion, ``[G]``.

        The champions hold the first places of the schedule in turn.
        """
        made = self._counted(entrants, schedule, purpose, len(champions))
        return made if self._side(champions) == 0 else made.of_others

    def _side(self, champions: Champions) -> int:
        return seat_of(self.config, champions.plan) or 0

    def _repeated(self, schedule: Schedule) -> Repeated:
        return Repeated(schedule, self.games // games_of_a_round(self.config))

    def _counted(
        self, entrants: Entrants, schedule: Schedule, purpose: str, parts: int
    ) -> ChampionResults:
        """Play a schedule, and return the results of entrant a in each of P equal parts, ``[P]``.

        Args:
            entrants: the champions and their opponents.
            schedule: the matches.
            purpose: name of the random streams.
            parts: P, the number of parts.
        """
        seats, games = self.seats, self.config.games_a_match
        tables = Filled(schedule, seats)
        matches = Matches(tables, self.seed, f"{PURPOSE}/{purpose}", 0, games)
        if not len(schedule):
            return ChampionResults(np.zeros((parts, seats, seats, 3), dtype=np.int64))
        if self.config.genome.programs:  # which lose their games by faults in the run, too
            entrants = entrants.judged_by(FaultPolicy())
        ends = len(schedule) // parts * np.arange(1, parts + 1)
        played = play_all(self.evaluator, entrants, matches)
        return ChampionResults(count_by_seats(played, ends, seats))
