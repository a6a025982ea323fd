"""The record of a game that a person played: a small JSON file, written atomically."""

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
    """A recorded game, with the interface of :class:`evo.play.watched.Watched`.

    Attributes:
        game: the game.
        names: names of the players, by seat. Several players of a seat are joined into one name.
        positions: the positions, each with the move or change that led to it.
    """

    game: Game
    names: tuple[str, str]
    positions: tuple[Scene, ...]

    def scenes(self) -> Iterator[Scene]:
        """Return an iterator over the positions of the recorded game."""
        return iter(self.positions)


# --- written -------------------------------------------------------------------------------------


def write_record(path: str, played: PersonGame) -> None:
    """Write the record of a person's game to a JSON file.

    Raises:
        ResultsError: the file cannot be written.
    """
    write_json(Path(path), record_of(played), ascii_alone=False)


def record_of(played: PersonGame) -> dict[str, Any]:
    """Return the record of a person's game as its JSON file has it."""
    return {
        "version": VERSION,
        "game": played.game.spec,
        "seed": played.seed,
        "players": played.names,
        "start": str(played.start),
        "moves": [_as_row(ply) for ply in played.plies],
    }


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
    """Read the record of a person's game. Files that it names are loaded only with ``trust``.

    Raises:
        ConfigError: the file is not the record of a game, or the rules do not allow its moves.
        ResultsError: the file is not JSON, or cannot be read.
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
    """Return the first line of a text."""
    return text.partition("\n")[0]


def _scenes(
    state: State, rows: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> Iterator[Scene]:
    """Yield the positions of a recorded game, after each move and each change of the position.

    Args:
        state: the start position.
        rows: the moves and changes of the record.
        names: the names of the players.
    """
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
