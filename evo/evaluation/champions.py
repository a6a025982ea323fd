"""The champions of a run's snapshots, and what they make of games against each other and others.

What is played here depends on the snapshots, a seed and the opponents alone, never on where; each
opponent has games of its own, so that another one beside it changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cluster import Entrants, Evaluator
from cluster.evaluator import check_all_played, until_right
from evo.config.config import Config
from evo.evaluation.players import seat_of
from evo.genomes.base import Plan, trimmed
from results import ResultsError, Run
from results.statistics import fittest
from tournaments.arena.entrants import Genomes
from tournaments.arena.outcomes import results_of_a
from tournaments.kernels.rng import generator
from tournaments.player import Player, identity
from tournaments.schedules.base import Matches, Schedule
from tournaments.schedules.combined import Placed, Repeated
from tournaments.schedules.pairs import AgainstPanel, EachOther, EachPair

PURPOSE = "analyse"
NEWCOMERS = 20
"""Random genomes that stand for opponents that nobody trained against."""


class ChampionResults(NamedTuple):
    """Games won and drawn, int64 of any one shape, and how many were played for each."""

    wins: np.ndarray
    draws: np.ndarray
    games: int

    @property
    def scores(self) -> np.ndarray:
        """Shares of the points, a draw being half of one, float64."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def of_others(self) -> ChampionResults:
        """The same games as the opponents see them, rows and columns exchanged."""
        losses = self.games - self.wins - self.draws
        return ChampionResults(losses.T, self.draws.T, self.games)


@dataclass(frozen=True, eq=False)
class Champions:
    """The individual of highest fitness of one population in each of several snapshots.

    Attributes:
        plan: the population.
        genomes: packed as they are played, uint8 ``[G, B]``.
        shares: of the points of its games that the whole population won, float64 ``[G]``; NaN where
            it played none.
    """

    plan: Plan
    genomes: np.ndarray
    shares: np.ndarray

    def __len__(self) -> int:
        return len(self.genomes)

    @property
    def entrants(self) -> Genomes:
        """The champions as evaluators take them."""
        return Genomes(self.plan.genome.representation, self.genomes)


def champions_of(
    run: Run, config: Config, generations: list[int]
) -> tuple[list[int], list[Champions]]:
    """The champions of each population, of those of the generations whose snapshot is there.

    A run that goes on may have removed one, off its interval, since they were listed.

    Returns:
        The generations, and the champions by population, in the order of the configuration.

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
        champions.append(Champions(plan, trimmed(plan.genome, genomes), np.array(shares)))
    return list(rows), champions


def _champion(rows) -> tuple[bytes, float]:
    """The champion's genome, and the share of the points of its games that its population won."""
    row = fittest(rows["fitness"].to_numpy(), rows["individual"].to_numpy())
    games = int(rows["games"].sum())
    points = float(rows["wins"].sum() + rows["draws"].sum() / 2)
    return rows["genome"].iloc[row], points / games if games else float("nan")


@dataclass(frozen=True, eq=False)
class ChampionGames:
    """The games of champions: where and how they meet.

    Attributes:
        config: of the run.
        evaluator: plays the games.
        seed: they depend on it.
        games: of each pair, even.
    """

    config: Config
    evaluator: Evaluator
    seed: int
    games: int

    def each_other(self, champions: list[Champions]) -> list[ChampionResults]:
        """All against all: the results of each population's champions (rows), ``[G, G]``.

        Where there are roles, champions meet those of the other role, in half as many games, so
        that a team of both plays ``games`` against another. Otherwise they meet each other, and
        what stands on the diagonal was not played but is half of the points.
        """
        if len(champions) == 1:
            return [self._among(champions[0])]
        first, second = champions
        size = len(first)
        entrants = Entrants(self.config.game, (), (first.entrants, second.entrants))
        schedule = Placed(self._repeated(EachOther(size, size)), 0, (0, 1), (0, size))
        wins, draws = self._counted(entrants, schedule, "contest", size * size)
        shape = (size, size)
        results = ChampionResults(wins.reshape(shape), draws.reshape(shape), self.games // 2)
        return [results, results.of_others]

    def _among(self, champions: Champions) -> ChampionResults:
        size = len(champions)
        schedule = EachPair(size)
        entrants = Entrants(self.config.game, (), (champions.entrants,))
        won, drawn = self._counted(entrants, self._repeated(schedule), "contest", len(schedule))
        wins, draws = np.zeros((2, size, size), dtype=np.int64)
        np.fill_diagonal(draws, self.games)
        above = np.triu_indices(size, 1)  # in the order of the schedule
        wins[above], draws[above] = won, drawn
        wins.T[above], draws.T[above] = self.games - won - drawn, drawn
        return ChampionResults(wins, draws, self.games)

    def newcomers(self, champions: Champions, index: int) -> ChampionResults:
        """Champions against random genomes, of the other role where there are roles, ``[G]``."""
        plans = self.config.populations
        plan = plans[1 - index] if len(plans) > 1 else plans[0]
        rng = generator(self.seed, f"{PURPOSE}/newcomers", 0, index)
        genomes = plan.genome.pack(plan.genome.random(NEWCOMERS, rng))
        strangers = Genomes(plan.genome.representation, genomes)
        size, each = len(champions), max(1, self.games // (NEWCOMERS * self.config.games_a_match))
        met = Placed(EachOther(size, NEWCOMERS), self._side(champions), (0, 1), (0, size))
        schedule = Repeated(met, each)
        entrants = Entrants(self.config.game, (), (champions.entrants, strangers))
        return self._against(entrants, champions, schedule, f"newcomers/{index}")

    def opponent(self, champions: Champions, opponent: Player) -> ChampionResults:
        """Champions against a player that stays the same, ``[G]``."""
        rows, matches = np.arange(len(champions)), self.games // self.config.games_a_match
        met = AgainstPanel(rows, matches)
        schedule = Placed(met, self._side(champions), (0, -1), (0, 0))
        entrants = Entrants(self.config.game, (opponent,), (champions.entrants,))
        purpose = f"{champions.plan.name}/{identity(opponent)}"
        return self._against(entrants, champions, schedule, purpose)

    def _against(
        self, entrants: Entrants, champions: Champions, schedule: Schedule, purpose: str
    ) -> ChampionResults:
        """What champions, who hold the first places of a schedule in turn, make of it, ``[G]``."""
        size = len(champions)
        wins, draws = self._counted(entrants, schedule, purpose, size)
        games = len(schedule) // size * self.config.games_a_match
        if self._side(champions) == 0:
            return ChampionResults(wins, draws, games)
        return ChampionResults(games - wins - draws, draws, games)

    def _side(self, champions: Champions) -> int:
        return seat_of(self.config, champions.plan) or 0

    def _repeated(self, schedule: Schedule) -> Repeated:
        return Repeated(schedule, self.games // 2)

    def _counted(
        self, entrants: Entrants, schedule: Schedule, purpose: str, parts: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Games that entrant a won, and drew, in each of equal parts of a schedule, int64 [P]."""
        if not len(schedule):
            return np.zeros(parts, dtype=np.int64), np.zeros(parts, dtype=np.int64)
        matches = Matches(schedule, self.seed, f"{PURPOSE}/{purpose}", 0, self.config.games_a_match)
        return until_right(lambda: self._counted_once(entrants, matches, parts))

    def _counted_once(
        self, entrants: Entrants, matches: Matches, parts: int
    ) -> tuple[np.ndarray, np.ndarray]:
        wins, draws = np.zeros((2, parts), dtype=np.int64)
        of_part, count = len(matches) // parts, 0
        for played in self.evaluator.play(entrants, matches):
            results = results_of_a(played.outcomes)
            part = (played.first + np.arange(len(results))) // of_part
            wins += _summed(part, (results > 0).sum(axis=1), parts)
            draws += _summed(part, (results == 0).sum(axis=1), parts)
            count += len(results)
        check_all_played(self.evaluator, matches, count)
        return wins, draws


def _summed(part: np.ndarray, counts: np.ndarray, parts: int) -> np.ndarray:
    """Counts added up by part; whole numbers, which float64 holds exactly."""
    return np.bincount(part, weights=counts, minlength=parts).astype(np.int64)
