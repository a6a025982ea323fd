"""``evo counts``: what earlier opponents did in a repeated game, as a prior for ``markov``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from evo.cli.options import Command, Parser
from tournaments.errors import ConfigError

if TYPE_CHECKING:
    from tournaments.game import Game


def _add_arguments(command: Parser) -> None:
    command.add_value("game", "GAME", "a repeated game, such as karate:rounds=50")
    command.add_value("file", "FILE", "the file of counts that is written, .json")
    command.add_value(
        "sources", "PLAYER|RECORD", "players, or recorded games of evo play", nargs="+"
    )
    command.add_value("--against", "PLAYER", "whom players meet", default="markov")
    command.add_number("--games", "N", "games of each player (default: %(default)s)", 10)
    command.add_number("--seed", "N", "of the games (default: %(default)s)", 1)


def _count(options: argparse.Namespace) -> int:
    from results.folder.files import write_json
    from tournaments import games
    from tournaments.repeated.counts import written
    from tournaments.repeated.scripted import stage_of

    game = games.parse(options.game)
    stage_of(game)  # refuses what is no repeated game
    file = Path(options.file)
    if file.suffix != ".json" or file.is_dir() or not file.parent.is_dir():
        raise ConfigError(f"{file} given; the name of a .json file in a folder is expected")
    if options.games < 1:
        raise ConfigError(f"--games {options.games} given; at least 1 is expected")
    content = written(game, list(_courses(options, game)))
    write_json(file, content)
    moves = sum(content["counts"][0])
    print(f"{file}: {moves} moves of {content['games']} games; markov:counts={file} begins by them")
    return 0


def _courses(options: argparse.Namespace, game: Game) -> Iterator[list[int]]:
    """The moves of each game."""
    from evo.evaluation.players import player
    from tournaments.kernels.rng import match_seeds
    from tournaments.repeated.counts import moves_against
    from tournaments.repeated.scripted import moves_of_record

    for number, source in enumerate(options.sources):
        if source.endswith(".json"):
            yield moves_of_record(game, source)
            continue
        pair = player(source, game), player(options.against, game)
        for seed in match_seeds(options.seed, "counts", number, options.games):
            yield moves_against(game, *pair, int(seed))


COMMAND = Command(
    "what opponents did in a repeated game, as a prior for markov",
    _add_arguments,
    _count,
    "Count the moves of earlier opponents after their last ones. A player markov:counts=FILE "
    "expects the next opponent to be like them, until it has seen more of it.",
    rank=17,
)
