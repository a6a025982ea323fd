"""``evo evaluate``: win rates of snapshots of a run against fixed opponents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from evo.cli.console import columns_of, print_rows, where_rows_are
from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.evaluation import EvaluateRequest
from tournaments.errors import counted

if TYPE_CHECKING:
    from tournaments.game import Game
    from tournaments.player import Player

COUNTED_GAMES, SEED = 10, 1
"""Number of games of each opponent whose moves are counted, and the seed of the games."""


def _evaluate(request: EvaluateRequest, execution: Execution) -> int:
    from evo.evaluation.evaluate import evaluate, without_strange_ground
    from results import open_run

    if request.counts is not None:
        return _count(request, Path(request.counts), execution.trust)
    if request.exact and execution.ray is not None:
        request.refuse("exact", " with --ray; exact results use the threads of this machine")
    run = open_run(request.run, execution.trust)
    if request.every is None and request.generations is None and request.best is not None:
        request = replace(request, generations=tuple(run.snapshots[-1:]))
    if request.exact and request.best is None:
        request = replace(request, best=1)
    measured = evaluate(request, execution)
    if execution.json:
        print_rows(measured.to_dict("records"), {}, as_json=True)
        return 0
    from evo.config.config import of_run
    from results.read.curves import best_of_each_snapshot

    best = best_of_each_snapshot(measured).to_dict("records")
    leading = {"generation": "d", "population": "", "individual": "d"}
    print("measured individual with the highest win rate of each snapshot:\n")
    columns = columns_of(best, leading)
    game = of_run(run, execution.trust).game
    print_rows(best, columns, as_json=False)
    if {"regret", "exploitability"} & columns.keys():
        print(f"\nmargins are net points; regret and exploitability are {game.unit}")
    if remark := without_strange_ground(game):
        print(f"\n{remark}")
    print(f"\n{where_rows_are(request.run, len(measured))}")
    return 0


def _count(request: EvaluateRequest, file: Path, trust: bool) -> int:
    """Count how often opponents in a repeated game chose each move after their previous moves.

    The opponents play against the champion of a run, or against the player ``markov`` if a game is
    given instead of a run. An opponent may also be a recorded game, which is not played again.

    Args:
        request: the run or the game, and the opponents.
        file: the ``.json`` file to which the counts of all opponents together are written.
        trust: whether to load files that the run names.

    Returns:
        The exit status, 0.
    """
    from evo.evaluation.export import check_file
    from evo.evaluation.players import champion, player
    from results.folder.files import is_folder, place_of, write_json
    from tournaments import games
    from tournaments.repeated.counts import written
    from tournaments.repeated.scripted import stage_of

    if is_folder(place_of(request.run)):
        best = champion(request.run, trust=trust)
        rival: Player = best
        game = best.game
        stage_of(game)
    else:
        game = games.parse(request.run)
        stage_of(game)  # raises if the game is not a repeated game
        rival = player("markov", game)
    check_file(file, (".json",), "counts")
    content = written(game, list(_courses(request, game, rival)))
    write_json(file, content)
    moves = sum(content["counts"][0])
    what = f"{counted(moves, 'move')} of {counted(content['games'], 'game')}"
    print(f"{file}: {what}; use them by markov:counts={file}")
    return 0


def _courses(request: EvaluateRequest, game: Game, rival: Player) -> Iterator[list[int]]:
    """Yield the moves of an opponent in each game of a repeated game.

    ``rival`` is the name of the opponent.
    """
    from evo.evaluation.players import player
    from tournaments.kernels.rng import match_seeds
    from tournaments.repeated.counts import moves_against
    from tournaments.repeated.scripted import moves_of_record

    for number, source in enumerate(request.opponents or ()):
        if source.endswith(".json"):
            yield moves_of_record(game, source)
            continue
        opponent = player(source, game)
        for seed in match_seeds(SEED, "counts", number, request.games or COUNTED_GAMES):
            yield moves_against(game, opponent, rival, int(seed))


COMMAND = command_of(EvaluateRequest, _evaluate, rank=1, group="measure")
