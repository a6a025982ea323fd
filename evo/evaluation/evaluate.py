"""Measuring snapshots of a run: against fixed opponents, with intervals, or exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from evo.config import config as configuration
from evo.config.config import Config
from evo.evaluation import players as naming
from evo.evaluation.exact import (
    BestOpponent,
    ComputedOpponent,
    best_opponent,
    computable,
    computed,
)
from evo.evaluation.players import individual, individual_name
from evo.evaluation.task import (
    Announce,
    EvaluationTask,
    Opponent,
    PlayedOpponent,
    Where,
)
from evo.execution import Execution
from evo.requests.base import called_with
from evo.requests.evaluation import EvaluateRequest, ProveRequest
from evo.versions import code_of, other_files
from results import Run, open_run
from results.folder.evaluations import Measurement, clear_leftovers
from results.format.schema import BEST_RESPONSE
from tournaments import players
from tournaments.errors import ConfigError, TournamentError
from tournaments.game import Game
from tournaments.named_files import named_by
from tournaments.players.objects import check_several
from tournaments.solver.every_game import computes_meetings

if TYPE_CHECKING:
    from results import DataFrame

PERFECT_PLAY = "optimal"
"""The opponent against which regret is measured."""


@called_with(EvaluateRequest)
def evaluate(request: EvaluateRequest, execution: Execution) -> DataFrame:
    """Play snapshots of a run against opponents and append what comes of it to ``evaluations/``.

    What has been measured before, with as many games, is not played again, so the same call goes on
    where an interrupted one stopped. Each individual's games depend on the run's seed, the
    generation, the opponent, the number of games and the individual alone. Measurements of
    different numbers of games draw from different streams: none says anything of the luck of
    another.

    The run is its folder, or the run as :func:`results.open_run` gives it. Opponents are named as
    for :func:`evo.evaluation.players.named`; by default they are the yardsticks of the game, as far
    as they play it. ``best-response`` stands for what :func:`evo.prove` computes. One that holds a
    single seat meets those of the other.

    With ``exact`` it is computed what comes of all games, in place of playing some: see
    :mod:`evo.evaluation.exact`. That takes seconds for each individual and opponent, threads of
    this process, and no games.

    ``report`` is called with (tasks done, tasks in all, games played for it) after each task, one
    population of a snapshot against one opponent.

    Returns:
        The rows of ``evaluations`` that this call asked for, those that were there included.

    Raises:
        ConfigError, TournamentError, ResultsError: wrong input, before anything is played.
    """
    run, config = opened(request.run, execution, request.config)
    names = request.opponents
    if names is None:
        names = default_opponents(config.game)
        if request.exact:
            names = computable(names, config.game, execution.threads)
    else:
        check_several(names)
    opponents = _opponents(list(names), config, execution.threads, request.exact)
    return _measured(run, config, request, opponents, execution)


def opened(path: Any, execution: Execution, config: Config | None = None) -> tuple[Run, Config]:
    """Return a run that has a snapshot, and its configuration.

    Raises:
        ConfigError, ResultsError: there is none.
    """
    run = open_run(path, execution.trust)
    run.population()  # there must be one
    return run, config or configuration.of_run(run, execution.trust)


def _opponents(
    names: Sequence[Any], config: Config, threads: int | None, exact: bool
) -> list[Opponent]:
    """Opponents as users name them, each once."""
    is_computed = [isinstance(name, str) and name == BEST_RESPONSE for name in names]
    to_name = [name for name, best in zip(names, is_computed, strict=True) if not best]
    called = dict(naming.named(name, config.game) for name in to_name)
    opponents: list[Opponent]
    if exact and called:
        opponents = [*computed(called, config, threads)]
    else:
        opponents = [PlayedOpponent(*item) for item in called.items()]
    if any(is_computed):
        place = is_computed.index(True)
        opponents.insert(place, best_opponent(config, threads))
    return opponents


def _measured(
    run: Run,
    config: Config,
    request: EvaluateRequest,
    opponents: Sequence[Opponent],
    execution: Execution,
) -> DataFrame:
    """The rows that a request asks for, those measured that were not there."""
    tasks, announce = list(_tasks(run, config, request, opponents)), execution.announce
    with named_by(config.read_from):
        code = code_of(config.code_files)
    for line in other_files(str(run.path), run.info["versions"], code):
        announce(f"{line}; what is measured now is played by the file as it is")
    for line in _of_one_seat(opponents, config.game):
        announce(line)
    clear_leftovers(run.path)
    referee = execution.referee(run.path)
    with execution.reporting("part") as report, execution.playing() as players:
        for number, task in enumerate(tasks):
            played = task.measure_missing(run, Where(players, referee), announce)
            report(number + 1, len(tasks), played)
    referee.announce_forfeits()
    return run.evaluations_of([(task.measurement, task.rows) for task in tasks])


def default_opponents(game: Game) -> list[str]:
    """The yardsticks of a game, as far as they play it."""
    return players.yardsticks(game)


def without_perfect_play(game: Game) -> str:
    """Why there is no perfect play among the yardsticks, or nothing where there is."""
    if players.is_named(PERFECT_PLAY, game):
        return ""
    try:
        players.make(PERFECT_PLAY, game)  # says why it cannot
    except TournamentError as error:
        return f"perfect play is left out: {error}"
    return ""


def without_strange_ground(game: Game) -> str:
    """Return that games were played where the players were trained, or nothing."""
    if game.rules.ground is None:
        return ""
    return (
        f"measured in {game.rules.ground(game.options)}, in which it was trained; elsewhere it may "
        "be weaker"
    )


def _tasks(
    run: Run, config: Config, request: EvaluateRequest, opponents: Sequence[Opponent]
) -> Iterator[EvaluationTask]:
    for generation in _generations(run, request):
        for plan in config.evolving:
            if request.populations is not None and plan.name not in request.populations:
                continue
            fitness = run.population(generation, plan.name)["fitness"].to_numpy()
            whose = "" if len(config.evolving) == 1 else plan.name
            for opponent in opponents:
                if not opponent.can_meet(plan, config):
                    continue
                games, seed = opponent.games(plan, request), run.info["seed"]
                measurement = Measurement(
                    generation, opponent.name, games, seed, opponent.label, whose
                )
                worth = fitness
                if request.best_by is not None and opponent.player is not None:
                    before = replace(measurement, games=request.best_by)
                    worth = _wins(run, before, len(fitness))
                rows = np.sort(np.argsort(-worth, kind="stable")[: request.best])
                yield EvaluationTask(config, plan, measurement, rows, opponent)


def _wins(run: Run, measurement: Measurement, individuals: int) -> np.ndarray:
    """The games that each individual won in a measurement of all, int64 ``[N]``.

    Raises:
        ConfigError: some have not been measured.
    """
    rows = run.evaluations_of([(measurement, np.arange(individuals))])
    if len(rows) < individuals:
        games, opponent = measurement.games, measurement.opponent
        raise ConfigError(
            f"best_by={games} given, but {len(rows)} of {individuals} individuals of generation "
            f"{measurement.generation} have met {opponent} in that many games; measure all first: "
            f"evo evaluate {run.path} --opponents {opponent} --games {games}"
        )
    return rows["wins"].to_numpy(np.int64)


def _of_one_seat(opponents: Sequence[Opponent], game: Game) -> Iterator[str]:
    """A line for each player that holds one seat alone."""
    for opponent in opponents:
        if len(opponent.seats) == 1:
            (seat,) = opponent.seats
            mine, others = game.seats[seat], game.seats[1 - seat]
            yield (
                f"{opponent.name} plays the {mine} only, so it meets the population {others} alone"
            )


def _generations(run: Run, request: EvaluateRequest) -> list[int]:
    if request.generations is not None:
        unknown = sorted(set(request.generations) - set(run.snapshots))
        if unknown:
            nearest = sorted(sorted(run.snapshots, key=lambda there: abs(there - unknown[0]))[:3])
            raise ConfigError(
                f"{run.path} holds no snapshot of generation {unknown[0]}; the nearest are "
                f"{', '.join(map(str, nearest))} of {len(run.snapshots)}"
            )
        return sorted(set(request.generations))
    return sorted({*run.snapshots[:: request.every or 1], run.snapshots[-1]})


# --- exactly -------------------------------------------------------------------------------------


@called_with(ProveRequest)
def prove(request: ProveRequest, execution: Execution) -> DataFrame:
    """Compute what the best possible opponent does to individuals, and append it to a run.

    Returns:
        The rows of ``evaluations`` that this call asked for, one an individual and opponent:
        ``exploitability`` is in points a game, ``plies`` in plies; see
        :class:`tournaments.solver.exact.Proof` for ``games`` and ``wins``.

    Raises:
        ConfigError, TournamentError, ResultsError: as for :func:`proved`.
    """
    return proved(request, execution)[0]


@called_with(ProveRequest)
def proved(request: ProveRequest, execution: Execution) -> tuple[DataFrame, Iterator[str]]:
    """Return the rows of :func:`prove`, and what was found in words.

    Nothing is played, and nothing is computed twice: it is :func:`evaluate` against
    ``best-response`` and, where the game computes meetings, exactly against perfect play, whose
    rows tell the regret and the share of optimal moves. Where a game draws its starts, what is
    computed may be the game from others, and the rows say so.

    Raises:
        ConfigError, TournamentError, ResultsError: no such run or snapshot, or a game in which best
        responses cannot be computed.
    """
    run, config = opened(request.run, execution)
    generations = request.generations
    if request.every is None and generations is None:
        generations = tuple(run.snapshots[-1:])
    threads = execution.threads
    responses, perfect = best_opponent(config, threads), None
    opponents: list[Opponent] = [responses]
    if computes_meetings(config.game) and players.is_named(PERFECT_PLAY, config.game):
        player = players.make(PERFECT_PLAY, config.game)
        (perfect,) = computed({PERFECT_PLAY: player}, config, threads)
        opponents.append(perfect)
    wanted = EvaluateRequest(run, best=request.best, every=request.every, generations=generations)
    rows = _measured(run, config, wanted, opponents, execution)
    return rows, _sentences(run, config, rows, (responses, perfect), execution.announce)


def _sentences(
    run: Run,
    config: Config,
    rows: DataFrame,
    opponents: tuple[BestOpponent, ComputedOpponent | None],
    announce: Announce,
) -> Iterator[str]:
    """What a best response does to each individual, and perfect play where that is known.

    What the rows took is not computed again; what was there before them may be.
    """
    best, perfect = opponents
    if start := best.responses.start:
        yield f"the game draws where it starts; this is about the game from the {start}:\n"
    records = [row for row in rows.to_dict("records") if row["opponent"] == best.name]
    for (generation, name), of_population in groupby(
        records, itemgetter("generation", "population")
    ):
        genomes = run.population(generation, name)["genome"]
        for row in of_population:
            called = individual_name(name, row["individual"], generation)
            genome = genomes.iloc[row["individual"]]
            player = individual(config, config.plan(name), genome, called)
            for sentence in best.proof(player, announce).sentences:
                yield f"{called}: {sentence}"
            if perfect is not None:
                meeting = perfect.meeting(player, announce)
                yield f"{called}: {meeting.sentence('it', PERFECT_PLAY)}"
