"""``evo analyse``: is a run progressing, cycling, forgetting, and how good is it?

The champions of the run's snapshots play each other and a set of fixed opponents.
:mod:`tournaments.analysis.progress` computes measures from the results, and
:mod:`tournaments.analysis.diagnoses` puts the measures into words. The run may still be in
progress: no file of the run is changed, and only complete snapshots are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import NamedTuple

import numpy as np

from evo.config.config import Config
from evo.evaluation import players as naming
from evo.evaluation.champions import (
    ChampionGames,
    ChampionResults,
    Champions,
    champions_of,
    games_of_a_round,
)
from evo.evaluation.evaluate import PERFECT_PLAY, best_response, default_opponents, opened
from evo.evaluation.findings import Analysis
from evo.evaluation.island_diversity import diversity_of_islands, drift
from evo.evaluation.players import can_meet
from evo.evaluation.task import Report
from evo.execution import Execution
from evo.population import ALL
from evo.requests.base import called_with
from evo.requests.evaluation import AnalyseRequest, BestResponseRequest
from results import DataFrame, Run
from results.format.islands import on_island
from tournaments.analysis import diagnoses, populations, progress
from tournaments.analysis.diagnoses import Diagnosis, MasterTournament, Series
from tournaments.player import Player, identity

MOST_CHAMPIONS = 60
"""Maximum number of champions per population, unless the request sets an interval."""
RANDOM = "random genomes"
"""Name of the opponents that are drawn at random, like the genomes of generation 0."""
GAIN = "a game that a best response gains"
IN_SEATS = ("score_first", "score_second")
"""Columns of the scores in the first seat and in the second. Other seats have no column."""
LOSS = "a move less than perfect play"


class Yardstick(NamedTuple):
    """A fixed opponent, the same for all champions.

    Attributes:
        kind: see :class:`Series`.
        name: name in the report.
        player: the player. None means random genomes.
    """

    kind: str
    name: str
    player: Player | None


@called_with(AnalyseRequest)
def analyse(request: AnalyseRequest, execution: Execution) -> Analysis:
    """Analyse the progress of a run by games among the champions of its snapshots.

    The run may still be in progress. Each pair of champions plays, and each champion plays each
    opponent. ``against`` names opponents in addition to the default yardsticks and random genomes,
    in the notation of :func:`evo.evaluation.players.named`. ``report`` is called with (parts done,
    total number of parts, games played for the part).

    In a contest of S > 2 seats, two champions meet at tables of one of them and S-1 copies of the
    other, each of them in half of the games. Opponents fill the other seats, too. A score is the
    share of the points of the placings against the opponent, S-1 in each game. The number of games
    is rounded up so that both champions of a pair hold each seat equally often.

    Returns:
        The analysis: the report (``.lines``), the diagnoses (``.diagnoses``) and the scores as
        frames. ``.save()`` writes pictures and numbers.

    Raises:
        ConfigError, TournamentError, ResultsError: wrong input; raised before any game.
    """
    run, config = opened(request.run, execution)
    opponents = _opponents(config, request.against)
    if request.exact:
        best_response(BestResponseRequest(request.run), execution)
    met = [
        [each for each in opponents if each.player is None or can_meet(each.player, plan, config)]
        for plan in config.populations
    ]
    generations, champions = champions_of(run, config, _generations(run, request.every))
    seed = run.info["seed"] if request.seed is None else request.seed
    games = -(-request.games // games_of_a_round(config)) * games_of_a_round(config)
    with execution.reporting("part") as report, execution.playing() as players:
        meetings = ChampionGames(config, players, seed, games)
        islands = _play(meetings, champions, met, report)
    course = RunAnalysis(run, np.array(generations), islands)
    verdicts = course.diagnoses(config)
    diversity = None
    if config.islands is not None:
        diversity = diversity_of_islands(run, config, generations)
        verdicts += drift(diversity)
    verdicts += _proved(run, config.game.unit)
    frames = course.contest_frame(), course.series_frame()
    seats = len(config.game.seats)
    return Analysis(run, generations, games, seed, *frames, verdicts, diversity, seats)


def _opponents(config: Config, against: Sequence[str]) -> list[Yardstick]:
    """Return the opponents that a run's champions play in an analysis, each one once.

    The opponents are random genomes, the default yardsticks, the requested opponents, and the
    opponents in the run's training panel.
    """
    training = {identity(player): player for player in config.panel}
    given = {name: naming.named(name, config.game) for name in against}  # refused before any work
    yardsticks = {}
    for name in dict.fromkeys([*default_opponents(config.game), *against]):
        label, player = given.get(name) or naming.named(name, config.game)
        kind = "perfect" if name == PERFECT_PLAY else "held-out"
        who = identity(player)
        yardsticks[who] = Yardstick("training" if who in training else kind, label, player)
    for who, player in training.items():
        yardsticks.setdefault(who, Yardstick("training", player.name, player))
    return [Yardstick("held-out", RANDOM, None), *yardsticks.values()]


def _generations(run: Run, every: int | None) -> list[int]:
    there = run.snapshots
    step = max(1, -(-(len(there) - 1) // (MOST_CHAMPIONS - 1))) if every is None else every
    return sorted({*there[::step], there[-1]})


# --- the games -----------------------------------------------------------------------------------


class PopulationSide(NamedTuple):
    """The champions of a population and the results of their games.

    Attributes:
        champions: one champion per generation.
        contest: results against all champions that they meet.
        seats: names of the game's seats.
        others: results against the fixed opponents.
    """

    champions: Champions
    contest: ChampionResults
    seats: tuple[str, ...]
    others: list[Series]

    @property
    def name(self) -> str:
        """The name of the champions' population. Empty if the run has only one population."""
        return "" if self.champions.plan.name == ALL else self.champions.plan.name

    @property
    def master(self) -> Series:
        """The mean result of each champion against all champions."""
        games = self.contest.games * max(1, len(self.champions) - 1)
        return self._mean("run", "all champions", progress.master, games)

    @property
    def past(self) -> Series:
        """The mean result of each champion against all earlier champions."""
        mean = progress.against_past
        return self._mean("past", "earlier champions", mean, self.contest.games)

    def _mean(
        self, kind: str, name: str, mean: Callable[[np.ndarray], np.ndarray], games: int
    ) -> Series:
        """Return the mean results of champions over a number of games as a series.

        Args:
            kind: kind of the series.
            name: name of the opponents.
            mean: mean result of each champion.
            games: number of games of each champion.
        """
        in_seats = np.moveaxis(self.contest.by_seat, -1, 0)
        by_seat = dict(zip(self.seats, map(mean, in_seats), strict=True))
        return Series(kind, name, mean(self.contest.scores), games, self.name, by_seat)

    def against(self, kind: str, name: str, made: ChampionResults) -> Series:
        """Return the results of each champion against one opponent as a series.

        Args:
            kind: kind of the series.
            name: name of the opponent.
            made: the results.
        """
        by_seat = dict(zip(self.seats, made.by_seat.T, strict=True))
        return Series(kind, name, made.scores, made.games, self.name, by_seat)


def _play(
    meetings: ChampionGames,
    champions: list[Champions],
    met: list[list[Yardstick]],
    report: Report,
) -> list[list[PopulationSide]]:
    """Play the champions of each population against one another and against opponents.

    Args:
        meetings: the evaluator, the seed and the number of games.
        champions: the champions of each population, island after island.
        met: the opponents of each role.
        report: called after each part.

    Returns:
        The sides of each island, in the order of the roles. A run without islands has one entry.
    """
    roles, size = len(met), len(champions[0])
    done, total = count(1), len(champions) // roles * (1 + sum(map(len, met)))
    islands = []
    for first in range(0, len(champions), roles):
        island, sides = champions[first : first + roles], []
        contests = meetings.each_other(island)
        others = size - 1 if roles == 1 else size
        report(next(done), total, size * others // 2 * meetings.games)
        for index, (mine, contest) in enumerate(zip(island, contests, strict=True)):
            side = PopulationSide(mine, contest, meetings.config.game.seats, [])
            for kind, name, player in met[index]:
                results = (
                    meetings.newcomers(mine, index)
                    if player is None
                    else meetings.opponent(mine, player)
                )
                side.others.append(side.against(kind, name, results))
                report(next(done), total, size * results.games)
            sides.append(side)
        islands.append(sides)
    return islands


def _series(sides: list[PopulationSide]) -> list[Series]:
    """Return all series of results of an island's champions, the master tournaments first."""
    return [side.master for side in sides] + [each for side in sides for each in side.others]


# --- the analysis ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RunAnalysis:
    """The results of all games that were played for the analysis of a run.

    Attributes:
        run: the run.
        generations: the generations of the champions, int64 ``[G]``, rising.
        islands: the sides of each island, in the order of the roles. A run without islands has one
            entry.
    """

    run: Run
    generations: np.ndarray
    islands: list[list[PopulationSide]]

    @property
    def sides(self) -> list[PopulationSide]:
        """The results of the champions of all islands, a side per population."""
        return [side for island in self.islands for side in island]

    def diagnoses(self, config: Config) -> list[Diagnosis]:
        """Return the diagnoses of each island, or of the run if it has no islands."""
        if config.islands is None:
            return list(self._of_island(self.islands[0], config.scheme is not None))
        return [
            replace(each, population=each.population or on_island(ALL, number))
            for number, sides in enumerate(self.islands)
            for each in self._of_island(sides, config.of_islands[number].scheme is not None)
        ]

    def _of_island(self, sides: list[PopulationSide], breeds: bool) -> Iterator[Diagnosis]:
        """Yield the diagnoses of the champions of one island.

        ``sides`` are the results of its populations. Diversity and fitness spread are diagnosed
        only if the population breeds. A hill climber and its variants do not breed: they are alike,
        and take turns at resting.
        """
        contest = self._contest(sides)
        yield diagnoses.progressing(contest)
        yield diagnoses.dominance(contest)
        yield diagnoses.cycling(contest)
        known = [each for each in _series(sides) if not np.isnan(each.scores).any()]
        yield diagnoses.forgetting(contest, known)
        yield self._seats(sides)
        rows = self.run.generations
        rows = rows[rows["generation"] <= self.generations[-1]]
        for side in sides:
            fixed = [each for each in side.others if each.kind == "held-out"]
            yield diagnoses.generalising(side.master, fixed)
            yield from map(diagnoses.yardstick, side.others)
            own = rows[rows["population"] == side.champions.plan.name]
            spread = own["std"].to_numpy(float) if breeds else np.empty(0)
            yield populations.disengagement(side.champions.shares, spread, side.name)
            if breeds:
                yield populations.diversity(own["diversity"].to_numpy(float), side.name)

    def _contest(self, sides: list[PopulationSide]) -> MasterTournament:
        """Return the results of all champions against all others, the master tournament.

        With roles, teams of one per role play.
        """
        scores, games = sides[0].contest.scores, sides[0].contest.games
        if len(sides) == 1:
            return MasterTournament(self.generations, scores, games)
        return MasterTournament(self.generations, progress.teams(scores), 2 * games)

    def _seats(self, sides: list[PopulationSide]) -> Diagnosis:
        """Return the diagnosis of the seat, or the role, that is ahead among champions."""
        contest, generations = sides[0].contest, self.generations
        points = contest.by_seat[..., 0]
        if len(sides) == 1:
            np.fill_diagonal(points, np.nan)
        about, names = "seats" if len(sides) == 1 else "roles", sides[0].seats
        if len(names) > 2:
            names = (names[0], "the other seats")
        return diagnoses.seats(points, contest.held[0], names, generations, about)

    def contest_frame(self) -> DataFrame:
        """Return the table of all scores of champions; see ``scores`` of the analysis."""
        size, roles = len(self.generations), len(self.islands[0]) > 1
        taken = np.ones((size, size), dtype=bool) if roles else ~np.eye(size, dtype=bool)
        rows, columns = np.nonzero(taken)
        numbers = self.generations.astype(np.int32)
        return _stacked(
            {
                "population": np.full(len(rows), side.champions.plan.name, dtype=object),
                "generation": numbers[rows],
                "opponent_generation": numbers[columns],
                "games": np.full(len(rows), side.contest.games, dtype=np.int32),
                "wins": side.contest.wins[rows, columns],
                "draws": side.contest.draws[rows, columns],
                "score": side.contest.scores[rows, columns],
                **dict(zip(IN_SEATS, side.contest.by_seat[rows, columns].T, strict=False)),
            }
            for side in self.sides
        )

    def series_frame(self) -> DataFrame:
        """Return the table of the champions' opponents; see ``opponents`` of the analysis."""
        size = len(self.generations)
        played = self.run.generations.groupby("generation")["games_played"].max()
        so_far = played.reindex(self.generations).to_numpy(float)
        return _stacked(
            {
                "population": np.full(size, against.population or ALL, dtype=object),
                "opponent": np.full(size, against.opponent, dtype=object),
                "generation": self.generations.astype(np.int32),
                "games_played": so_far,
                "kind": np.full(size, against.kind, dtype=object),
                "games": np.full(size, against.games, dtype=np.int64),
                "score": against.scores,
                **dict(zip(IN_SEATS, against.by_seat.values(), strict=False)),
            }
            for against in [
                *chain(*map(_series, self.islands)),
                *(side.past for side in self.sides),
            ]
        )


def _proved(run: Run, unit: str) -> Iterator[Diagnosis]:
    """Yield the diagnoses of a run's exploitability and regret, if they have been computed.

    ``evo best-response`` computes them.

    Args:
        run: the run.
        unit: the unit of both numbers, ``net wins`` or ``net points``.
    """
    from results.read.curves import exploitability_curve, regret_curve

    curves = {"exploitability": (exploitability_curve, GAIN), "regret": (regret_curve, LOSS)}
    for about, (curve, what) in curves.items():
        keys = ["population", "opponent"] if about == "regret" else ["population"]
        for (population, *against), rows in curve(run).groupby(keys, sort=False):
            words = " against ".join([f"{unit} {what}", *map(str, against)])
            whose = "" if population == ALL else str(population)
            values = rows[about].to_numpy(float)
            yield diagnoses.computed(about, words, rows["generation"].to_numpy(), values, whose)


def _stacked(parts: Iterable[Mapping[str, np.ndarray]]) -> DataFrame:
    """Concatenate parts with the same columns into one frame."""
    first, *others = parts
    return DataFrame(
        {name: np.concatenate([part[name] for part in (first, *others)]) for name in first}
    )
