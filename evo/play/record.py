"""The record of a game that a person played: a small JSON file, written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from evo.play.person import PersonGame, Ply
from evo.play.watched import move, scene_of
from results.folder.files import read_json, write_json
from tournaments import games
from tournaments.drawing.shapes import Scene
from tournaments.errors import ConfigError, TournamentError
from tournaments.game import Game, State
from tournaments.named_files import named_by

VERSION = 1


class GameRecord(NamedTuple):
    """A game that was played before, shown as :class:`evo.play.watched.Watched` is.

    Attributes:
        game: what was played.
        names: of the players, by their seats; where several held a seat, all of them.
        positions: each with what led to it.
    """

    game: Game
    names: tuple[str, str]
    positions: tuple[Scene, ...]

    def scenes(self) -> Iterator[Scene]:
        """The positions of the game."""
        return iter(self.positions)


# --- written -------------------------------------------------------------------------------------


def write_record(path: str, played: PersonGame) -> None:
    """Write what was played.

    Raises:
        ResultsError: the system refused.
    """
    content = {
        "version": VERSION,
        "game": played.game.spec,
        "seed": played.seed,
        "players": played.names,
        "start": str(played.start),
        "moves": [_as_row(ply) for ply in played.plies],
    }
    write_json(Path(path), content, ascii_alone=False)


def _as_row(ply: Ply) -> dict[str, Any]:
    if ply.seat < 0:
        return {"change": ply.words, "board": str(ply.after)}
    game = ply.after.game
    name = game.rules.describe(game.board, ply.action)
    return {
        "seat": game.seats[ply.seat],
        "player": ply.player,
        "action": ply.action,
        "name": name,
    }


# --- read ----------------------------------------------------------------------------------------


def read_record(path: str, trust: bool = False) -> GameRecord:
    """A game that was recorded; files that it names are taken where it is trusted.

    Raises:
        ConfigError: the file holds none, or one that the rules do not allow.
        ResultsError: it is no JSON, or the system refused.
    """
    content = read_json(Path(path))
    try:
        if content["version"] != VERSION:
            raise ConfigError(f"a record of version {content['version']}; {VERSION} is expected")
        with named_by("" if trust else path):
            game = games.parse(content["game"])
        first, second = map(str, content["players"])
        start = game.parse(content["start"])
        scenes = tuple(_scenes(start, content["moves"], (first, second)))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        problem = str(error) if isinstance(error, ConfigError | TournamentError) else repr(error)
        raise ConfigError(
            f"{path} is no record of a game as evo play --record writes it ({_line(problem)})"
        ) from error
    return GameRecord(game, (first, second), scenes)


def _line(text: str) -> str:
    """The first line of a text."""
    return text.partition("\n")[0]


def _scenes(
    state: State, rows: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> Iterator[Scene]:
    """The positions that moves and changes lead to."""
    yield Scene(state, -1, -1, ("the start",))
    plies = 0
    for row in rows:
        if "board" in row:
            state = state.game.parse(row["board"])
            yield scene_of(state, str(row["change"]), names, plies)
        else:
            seat, action, state, plies = state.seat_to_move, row["action"], state.clone(), plies + 1
            state.play(action)
            words = f"{plies}. {move(state.game, seat, action)}"
            yield scene_of(state, words, names, plies, seat, action)
