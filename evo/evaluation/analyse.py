"""``evo analyse``: is a run progressing, cycling, forgetting, and how good is it?

The champions of its snapshots play each other and opponents that stay the same;
:mod:`tournaments.analysis.progress` measures what comes of it, and
:mod:`tournaments.analysis.diagnoses` says it in words. The run may be going on: nothing of it is
changed, and only whole snapshots are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from cluster import Evaluator, evaluator_or_threads
from evo.config import config as configuration
from evo.config.config import Config
from evo.evaluation import players as naming
from evo.evaluation.champions import ChampionGames, ChampionResults, Champions, champions_of
from evo.evaluation.evaluate import default_opponents
from evo.evaluation.findings import Analysis
from evo.evaluation.island_diversity import diversity_of_islands, drift
from evo.evaluation.players import can_meet
from evo.evaluation.task import Announce, Report
from evo.population import ALL
from evo.progress.bar import Bar
from results import DataFrame, Run, open_run
from results.format.islands import on_island
from tournaments.analysis import diagnoses, progress
from tournaments.analysis.diagnoses import Diagnosis, MasterTournament, Series
from tournaments.errors import ConfigError
from tournaments.player import Player, identity

Part = TypeVar("Part")
MOST_CHAMPIONS = 60
"""Of a population; as many are taken unless another interval is asked for."""
DEFAULT_GAMES = 200
MOST_GAMES = 1_000_000
RANDOM = "random genomes"
"""What the opponents are called that are drawn as those of generation 0 are."""
PERFECT = "optimal"
GAIN = "points a game that a best response gains"
LOSS = "points a move less than perfect play"


class Yardstick(NamedTuple):
    """A player that stays the same: its kind (see :class:`Series`), its name, and itself."""

    kind: str
    name: str
    player: Player


def analyse(
    path: str | Path,
    *,
    every: int | None = None,
    games: int = DEFAULT_GAMES,
    against: Sequence[str] = (),
    seed: int | None = None,
    evaluator: Evaluator | None = None,
    threads: int | None = None,
    trust: bool = False,
    report: Report = lambda done, total, games: None,
    announce: Announce = lambda line: None,
    progress: bool = False,
) -> Analysis:
    """Say whether a run progresses, by games among the champions of its snapshots.

    Args:
        path: the run's folder; the run may be going on.
        every: take each k-th snapshot from the first on, and the newest; by default so that there
            are at most 60.
        games: of each pair of champions, and of each champion against each opponent; even.
        against: opponents beside the usual yardsticks and random genomes, as for
            :func:`evo.evaluation.players.named`: players, files, folders of other runs.
        seed: of the games; by default the run's.
        evaluator, threads: where matches are played; by default threads of this process.
        trust: take files that the run names, see :func:`evo.config.config.of_run`.
        report: told (parts done, parts in all, games played for it).
        announce: told in a line what takes a while.
        progress: show a bar, in a terminal or a notebook.

    Returns:
        ``.lines``, the report; ``.diagnoses``; the scores as frames; ``.save()`` draws it all.

    Raises:
        ConfigError, TournamentError, ResultsError: wrong input, before anything is played.
    """
    _check(every, games)
    run = open_run(path)
    run.population()  # there must be one
    config = configuration.of_run(run.config, run.genome, run.path, trust)
    opponents = _opponents(config, against)
    for opponent in opponents:
        for plan in config.populations:
            can_meet(opponent.player, plan, config)  # refuses one that cannot play here
    generations, champions = champions_of(run, config, _generations(run, every))
    of_games = run.info["seed"] if seed is None else seed
    with Bar(progress, "part") as bar, evaluator_or_threads(evaluator, threads) as players:
        played = ChampionGames(config, players, of_games, games)
        contests, series = _play_islands(played, champions, opponents, bar.parts(report))
    verdicts = _of_islands(run, config, generations, champions, contests, series)
    scores = _contest_frame(config, generations, champions, contests)
    against_all = _series_frame(run, generations, [*series, *_past(champions, contests)])
    islands = None
    if config.islands is not None:
        islands = diversity_of_islands(run, config, generations)
        verdicts += drift(islands)
    verdicts += _proved(run)
    return Analysis(run, generations, games, of_games, scores, against_all, verdicts, islands)


def _check(every: int | None, games: int) -> None:
    if games < 2 or games % 2:
        raise ConfigError(
            f"games={games} given; an even number from 2 is expected, the seats are exchanged"
        )
    if games > MOST_GAMES:
        raise ConfigError(f"games={games:,} given; at most {MOST_GAMES:,} are expected")
    if every is not None and every < 1:
        raise ConfigError(f"every={every} given; at least 1 is expected")


def _opponents(config: Config, against: Sequence[str]) -> list[Yardstick]:
    """The usual yardsticks, those asked for, and those that the run trains against, each once."""
    training = {identity(player): player for player in config.panel}
    names = dict.fromkeys([*default_opponents(config.game), *against])
    yardsticks = {}
    for name in names:
        label, player = naming.named(name, config.game)
        kind = "perfect" if name == PERFECT else "held-out"
        who = identity(player)
        yardsticks[who] = Yardstick("training" if who in training else kind, label, player)
    for who, player in training.items():
        yardsticks.setdefault(who, Yardstick("training", player.name, player))
    return list(yardsticks.values())


def _generations(run: Run, every: int | None) -> list[int]:
    there = run.snapshots
    step = max(1, -(-(len(there) - 1) // (MOST_CHAMPIONS - 1))) if every is None else every
    return sorted({*there[::step], there[-1]})


def _islands(config: Config, parts: Sequence[Part]) -> Iterator[tuple[int, Sequence[Part]]]:
    """What there is of each population, island by island, each one's in the order of its roles; of
    a run without islands all of it."""
    roles = len(config.populations)
    for island in range(len(parts) // roles):
        yield island, parts[island * roles : (island + 1) * roles]


def _play_islands(
    played: ChampionGames, champions: list[Champions], opponents: list[Yardstick], report: Report
) -> tuple[list[ChampionResults], list[Series]]:
    """All games: the champions of each island are a run by themselves."""
    contests, series = list[ChampionResults](), list[Series]()
    islands = len(champions) // len(played.config.populations)
    for island, own in _islands(played.config, champions):

        def told(done: int, total: int, games: int, before: int = island) -> None:
            report(before * total + done, islands * total, games)

        of_island, against = _play(played, list(own), opponents, told)
        contests += of_island
        series += against
    return contests, series


def _play(
    played: ChampionGames, champions: list[Champions], opponents: list[Yardstick], report: Report
) -> tuple[list[ChampionResults], list[Series]]:
    """All games: of the champions of each population against all champions, and opponents."""
    config, size = played.config, len(champions[0])
    parts = list(_parts(config, champions, opponents))
    contests = played.each_other(champions)
    others = size - 1 if len(champions) == 1 else size
    report(1, 1 + len(parts), size * others // 2 * played.games)
    series = [_master(side, results) for side, results in zip(champions, contests, strict=True)]
    for number, (index, opponent) in enumerate(parts, 2):
        mine = champions[index]
        if opponent is None:
            kind, name, results = "held-out", RANDOM, played.newcomers(mine, index)
        else:
            kind, name = opponent.kind, opponent.name
            results = played.opponent(mine, opponent.player)
        series.append(Series(kind, name, results.scores, results.games, _name(mine)))
        report(number, 1 + len(parts), size * results.games)
    return contests, series


def _parts(
    config: Config, champions: list[Champions], opponents: list[Yardstick]
) -> Iterator[tuple[int, Yardstick | None]]:
    """Which population meets which opponent; None: random genomes."""
    for index, side in enumerate(champions):
        yield index, None
        for opponent in opponents:
            if can_meet(opponent.player, side.plan, config):
                yield index, opponent


def _name(champions: Champions) -> str:
    """The population's name where there are several, and nothing where it is the only one."""
    return "" if champions.plan.name == ALL else champions.plan.name


def _master(champions: Champions, results: ChampionResults) -> Series:
    games = results.games * max(1, len(champions) - 1)
    return Series("run", "all champions", progress.master(results.scores), games, _name(champions))


def _past(champions: list[Champions], contests: list[ChampionResults]) -> Iterator[Series]:
    for side, results in zip(champions, contests, strict=True):
        scores = progress.against_past(results.scores)
        yield Series("past", "earlier champions", scores, results.games, _name(side))


# --- what comes of it --------------------------------------------------------------------------


def _of_islands(
    run: Run,
    config: Config,
    generations: list[int],
    champions: list[Champions],
    contests: list[ChampionResults],
    series: list[Series],
) -> list[Diagnosis]:
    """The diagnoses of each island; of a run without islands those of the run."""
    if config.islands is None:
        return _diagnoses(run, config, generations, champions, contests, series)
    verdicts = list[Diagnosis]()
    results = (part for _, part in _islands(config, contests))
    for (island, own), games in zip(_islands(config, champions), results, strict=True):
        names = [side.plan.name for side in own]
        mine = [each for each in series if each.population in names]
        there = config.island(island)
        found = _diagnoses(run, there, generations, list(own), list(games), mine)
        verdicts += [
            replace(each, population=each.population or on_island(ALL, island)) for each in found
        ]
    return verdicts


def _diagnoses(
    run: Run,
    config: Config,
    generations: list[int],
    champions: list[Champions],
    contests: list[ChampionResults],
    series: list[Series],
) -> list[Diagnosis]:
    contest = _as_contest(generations, contests)
    verdicts = [
        diagnoses.progressing(contest),
        diagnoses.dominance(contest),
        diagnoses.cycling(contest),
        diagnoses.forgetting(contest, [each for each in series if not np.isnan(each.scores).any()]),
    ]
    rows = run.generations
    rows = rows[rows["generation"] <= generations[-1]]
    for side in champions:
        mine = [each for each in series if each.population == _name(side)]
        fixed = [each for each in mine if each.kind == "held-out"]
        verdicts.append(diagnoses.generalising(mine[0], fixed))
        verdicts += [diagnoses.yardstick(each) for each in mine[1:]]
        own = rows[rows["population"] == side.plan.name]
        # A climber and its variants are no population: they are alike, and rest in turns.
        breeds = config.scheme is not None
        spread = own["std"].to_numpy(float) if breeds else np.empty(0)
        verdicts.append(diagnoses.disengagement(side.shares, spread, _name(side)))
        if breeds:
            verdicts.append(diagnoses.diversity(own["diversity"].to_numpy(float), _name(side)))
    return verdicts


def _as_contest(generations: list[int], contests: list[ChampionResults]) -> MasterTournament:
    """Champions against each other; where there are roles, teams of one of each."""
    scores, games = contests[0].scores, contests[0].games
    numbers = np.array(generations, dtype=np.int64)
    if len(contests) == 1:
        return MasterTournament(numbers, scores, games)
    return MasterTournament(numbers, progress.teams(scores), 2 * games)


def _proved(run: Run) -> Iterator[Diagnosis]:
    """What a best response gains, and what moves lose, where ``evo prove`` computed it."""
    from results.read.curves import exploitability_curve, regret_curve

    for name, rows in exploitability_curve(run).groupby("population", sort=False):
        whose = "" if name == ALL else str(name)
        generations, values = rows["generation"].to_numpy(), rows["exploitability"].to_numpy(float)
        yield diagnoses.computed("exploitability", GAIN, generations, values, whose)
    for whom, rows in regret_curve(run).groupby(["population", "opponent"], sort=False):
        whose, unit = "" if whom[0] == ALL else str(whom[0]), f"{LOSS} against {whom[1]}"
        generations, values = rows["generation"].to_numpy(), rows["regret"].to_numpy(float)
        yield diagnoses.computed("regret", unit, generations, values, whose)


def _contest_frame(
    config: Config,
    generations: list[int],
    champions: list[Champions],
    contests: list[ChampionResults],
) -> DataFrame:
    """See :attr:`evo.evaluation.findings.Analysis.scores`."""
    size, roles = len(generations), len(config.populations) > 1
    taken = np.ones((size, size), dtype=bool) if roles else ~np.eye(size, dtype=bool)
    rows, columns = np.nonzero(taken)
    numbers = np.array(generations, dtype=np.int32)
    return _stacked(
        {
            "population": np.full(len(rows), own.plan.name, dtype=object),
            "generation": numbers[rows],
            "opponent_generation": numbers[columns],
            "games": np.full(len(rows), results.games, dtype=np.int32),
            "wins": results.wins[rows, columns],
            "draws": results.draws[rows, columns],
            "score": results.scores[rows, columns],
        }
        for own, results in zip(champions, contests, strict=True)
    )


def _series_frame(run: Run, generations: list[int], series: list[Series]) -> DataFrame:
    """See :attr:`evo.evaluation.findings.Analysis.opponents`."""
    size = len(generations)
    played = run.generations.groupby("generation")["games_played"].max()
    so_far = played.reindex(generations).to_numpy(float)
    return _stacked(
        {
            "population": np.full(size, against.population or ALL, dtype=object),
            "opponent": np.full(size, against.opponent, dtype=object),
            "generation": np.array(generations, dtype=np.int32),
            "games_played": so_far,
            "kind": np.full(size, against.kind, dtype=object),
            "games": np.full(size, against.games, dtype=np.int64),
            "score": against.scores,
        }
        for against in series
    )


def _stacked(parts: Iterable[Mapping[str, np.ndarray]]) -> DataFrame:
    """Rows of the same columns, one part after the other."""
    first, *others = parts
    return DataFrame(
        {name: np.concatenate([part[name] for part in (first, *others)]) for name in first}
    )
