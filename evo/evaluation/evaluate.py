"""Measurement of a run's snapshots: win rates against fixed opponents, or exact values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, groupby
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
    placings,
)
from evo.execution import Execution
from evo.requests.base import called_with
from evo.requests.evaluation import BestResponseRequest, EvaluateRequest
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
    """Play snapshots of a run against opponents and append the results to ``evaluations/``.

    Results that exist already for the same number of games are not played again. For this reason
    the same call continues an interrupted one. The games of an individual depend only on the run's
    seed, the generation, the opponent, the number of games and the individual. Measurements with
    different numbers of games draw from different random streams and are independent.

    ``run`` is the run's folder, or a run as returned by :func:`results.open_run`. Opponents are
    named as for :func:`evo.evaluation.players.named`. The default opponents are the yardsticks of
    the game, or for a contest, which has none, the champion of the run's first snapshot.
    ``best-response`` is the best response that :func:`evo.best_response` computes. An
    opponent that plays only one seat meets the individuals of the other seat.

    In a contest of S > 2 seats, an individual plays against each group of S-1 opponents, in the
    given order. If fewer opponents are given, they fill the other seats in turn. The column
    ``opponent`` names the members of the group, joined by ``+``. As in the snapshots, ``wins``,
    ``draws`` and ``losses`` count the placings against each other player of the table, and
    ``games`` is their number: S-1 for each game played. The number of games is rounded up so that
    an individual holds each seat equally often. Rates are shares of the placings. Their interval
    is that of as many independent results as games.

    With ``exact``, results are computed over all games instead of played (see
    :mod:`evo.evaluation.exact`). The computation takes seconds per individual and opponent. It
    uses the threads of this process and plays no games.

    ``report`` is called with (tasks done, total number of tasks, games played for the task) after
    each task. A task is one population of a snapshot against one opponent.

    Returns:
        The requested rows of ``evaluations``, including rows that existed before.

    Raises:
        ConfigError, TournamentError, ResultsError: wrong input; raised before any game.
    """
    run, config = opened(request.run, execution, request.config)
    names = request.opponents
    if names is None:
        names = default_opponents(config.game) or [f"{run.path}@{min(run.snapshots)}"]
        if request.exact:
            names = computable(names, config.game, execution.threads)
    else:
        check_several(names)
    opponents = _opponents(list(names), config, execution, request.exact)
    return _measured(run, config, request, opponents, execution)


def opened(path: Any, execution: Execution, config: Config | None = None) -> tuple[Run, Config]:
    """Open a run that has a snapshot, and return the run and its configuration.

    Raises:
        ConfigError, ResultsError: there is no such run, or the run has no snapshot.
    """
    run = open_run(path, execution.trust)
    run.population()  # there must be one
    return run, config or configuration.of_run(run, execution.trust)


def _opponents(
    names: Sequence[Any], config: Config, execution: Execution, exact: bool
) -> list[Opponent]:
    """Return the opponents of an evaluation with the given names, each one once.

    At tables, the opponents are the groups of the named players that fill the other seats.
    With ``exact``, games against them are computed instead of played.
    """
    texts = [name if isinstance(name, str) else "" for name in names]
    others = (name for name, text in zip(names, texts, strict=True) if text != BEST_RESPONSE)
    called = dict(naming.named(name, config.game, execution.trust) for name in others)
    seats = len(config.game.seats)
    groups = combinations(called.items(), max(1, min(seats - 1, len(called))))
    opponents: list[Opponent] = [PlayedOpponent.of(dict(group), seats) for group in groups]
    if exact and called:
        opponents = [*computed(called, config, execution.threads)]
    if BEST_RESPONSE in texts:
        opponents.insert(texts.index(BEST_RESPONSE), best_opponent(config, execution.threads))
    return opponents


def _measured(
    run: Run,
    config: Config,
    request: EvaluateRequest,
    opponents: Sequence[Opponent],
    execution: Execution,
) -> DataFrame:
    """Measure the individuals of a request that are not measured yet, and return all its rows."""
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
    """Return the names of the yardsticks that can play a game."""
    return players.yardsticks(game)


def without_perfect_play(game: Game) -> str:
    """Return a line that says why perfect play is not a yardstick. Empty if it is one.

    The line is empty for contests, too.
    """
    if game.rules.contest is not None or players.is_named(PERFECT_PLAY, game):
        return ""
    try:
        players.make(PERFECT_PLAY, game)  # says why it cannot
    except TournamentError as error:
        return f"perfect play is left out: {error}"
    return ""


def without_strange_ground(game: Game) -> str:
    """Return a remark on the fixed playing ground of a game. Empty if the game has none.

    The remark says that the players were measured on the ground on which they were trained.
    """
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
                games, seed = placings(opponent.games(plan, request), config), run.info["seed"]
                measurement = Measurement(
                    generation, opponent.name, games, seed, opponent.label, whose
                )
                worth = fitness
                if request.best_by is not None and opponent.player is not None:
                    before = replace(measurement, games=placings(request.best_by, config))
                    if before == measurement:
                        request.refuse("best_by", f", as many games as games={request.games} is")
                    worth = _wins(run, before, len(fitness), opponent, request.best_by)
                rows = np.sort(np.argsort(-worth, kind="stable")[: request.best])
                yield EvaluationTask(config, plan, measurement, rows, opponent)


def _wins(
    run: Run, measurement: Measurement, individuals: int, opponent: Opponent, games: int
) -> np.ndarray:
    """Return the number of games won by each individual in a measurement, int64 ``[N]``.

    Args:
        run: the run.
        measurement: the measurement.
        individuals: N, the size of the population.
        opponent: the opponent of the measurement.
        games: number of games as the user gave it.

    Raises:
        ConfigError: some individuals have not been measured.
    """
    rows = run.evaluations_of([(measurement, np.arange(individuals))])
    if len(rows) < individuals:
        raise ConfigError(
            f"best_by={games} given, but {len(rows)} of {individuals} individuals of generation "
            f"{measurement.generation} have met {opponent.name} in that many games; measure all "
            f"first: evo evaluate {run.path} --opponents {' '.join(opponent.names)} --games {games}"
        )
    return rows["wins"].to_numpy(np.int64)


def _of_one_seat(opponents: Sequence[Opponent], game: Game) -> Iterator[str]:
    """Yield a line for each opponent of an evaluation that plays only one seat of a game."""
    for opponent in opponents:
        if len(opponent.seats) == 1:
            (seat,) = opponent.seats
            mine, others = game.seats[seat], game.seats[1 - seat]
            yield (
                f"{opponent.name} plays the {mine} only, so it meets the population {others} alone"
            )


def _generations(run: Run, request: EvaluateRequest) -> list[int]:
    if request.generations is not None:
        return sorted(set(request.generations))
    return sorted({*run.snapshots[:: request.every or 1], run.snapshots[-1]})


# --- exactly -------------------------------------------------------------------------------------


@called_with(BestResponseRequest)
def best_response(request: BestResponseRequest, execution: Execution) -> DataFrame:
    """Compute best responses to individuals of a run and append the results to the run.

    Returns:
        The requested rows of ``evaluations``, one per individual and opponent. ``exploitability``
        is in points per game, ``plies`` in plies. See :class:`tournaments.solver.exact.Proof` for
        ``games`` and ``wins``.

    Raises:
        ConfigError, TournamentError, ResultsError: as for :func:`proved`.
    """
    return best_response_in_words(request, execution)[0]


@called_with(BestResponseRequest)
def best_response_in_words(
    request: BestResponseRequest, execution: Execution
) -> tuple[DataFrame, Iterator[str]]:
    """Return the rows of :func:`best_response` and the findings in words.

    No game is played and no result is computed twice. The call is the same as :func:`evaluate`
    against ``best-response``. If the game computes meetings, it also evaluates the individuals
    exactly against perfect play, and these rows contain the regret and the share of optimal moves.
    If a game draws its starting position, the results may be for the game from other starts, and
    the rows say so.

    Raises:
        ConfigError, TournamentError, ResultsError: no such run or snapshot, or best responses
            cannot be computed in this game.
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
    """Yield sentences about each individual against the best response and perfect play.

    Details that the rows do not hold are computed again for individuals measured by an earlier
    call.
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
