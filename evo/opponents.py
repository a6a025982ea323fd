"""Players as users name them: a kind, a weights file, or a run folder for its champion."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from evo.errors import ConfigError
from results import Run, open_run
from tournaments import games, players
from tournaments.encoding import Encoding
from tournaments.types import CompiledPlayer, Game, Player


def player(spec: str, game: Game) -> Player:
    """The player that a text stands for.

    Args:
        spec: the name of a player, with options if need be; a ``.npy`` or ``.json`` file of
            weights; or a run folder, optionally with a generation: ``runs/rr`` or ``runs/rr@100``.
        game: what it is to play.

    Raises:
        TournamentError, ConfigError, ResultsError: there is no such player, or it does not play
        this.
    """
    return named(spec, game)[1]


def named(spec: str, game: Game) -> tuple[str, Player]:
    """A player, after the name under which its results may be added up: one name, one player.

    That is the text itself; for the champion of a run ``FOLDER@GENERATION``; and for a file of
    weights ``FILE@DIGEST``, the first 8 hexadecimal digits of the SHA-256 of the weights.

    Raises:
        TournamentError, ConfigError, ResultsError: as for :func:`player`.
    """
    folder, generation = _as_run(spec, game)
    if folder is not None:
        made = champion(folder, game, generation)
        return made.name, made
    other = players.make(spec, game)
    kind = spec.partition(":")[0].strip()
    if kind != "network" and kind in players.names(game):
        return spec, other
    assert isinstance(other, CompiledPlayer)  # of a file, in either way of naming it
    assert other.options is not None
    weights = np.asarray(other.options["weights"], dtype="<f8")
    return f"{other.name}@{hashlib.sha256(weights.tobytes()).hexdigest()[:8]}", other


def identity(player: Player) -> str:
    """What a player is, whatever it is called: the seeds of its games are derived from this.

    The name of its kind, and the digest of its parameters where it was made with any: a champion
    has one identity as a run, by another path, and as a file of its weights.
    """
    if not isinstance(player, CompiledPlayer):
        return player.name
    if player.options == {}:
        return player.kind.name
    digest = hashlib.sha256()
    parts = player.parameters if isinstance(player.parameters, tuple) else (player.parameters,)
    for part in parts:
        mine = part[player.row] if isinstance(part, np.ndarray) and part.ndim > 1 else part
        digest.update(np.ascontiguousarray(mine).tobytes())
    return f"{player.kind.name}@{digest.hexdigest()[:16]}"


def _as_run(spec: str, game: Game) -> tuple[Path | None, int | None]:
    if spec in players.names(game):
        return None, None
    path, at, number = spec.rpartition("@")
    if at and number.isdigit() and Path(path).is_dir():
        return Path(path), int(number)
    return (Path(spec), None) if Path(spec).is_dir() else (None, None)


def game_of(run: Run) -> Game:
    """The game that a run's players play."""
    table = dict(run.config["game"])
    return games.make(table.pop("name"), **table)


def encoding_of(run: Run) -> Encoding:
    """How a run's genomes are written down."""
    spec = run.genome
    return Encoding(tuple(spec["layers"]), spec["bits"], spec["low"], spec["high"])


def champion(
    path: str | Path, game: Game | None = None, generation: int | None = None, name: str = ""
) -> CompiledPlayer:
    """The best individual of a run's newest snapshot, or of a given generation, as a player.

    Its name is ``PATH@GENERATION`` unless another is given.

    Raises:
        ResultsError: no run there, or no such generation.
        ConfigError: the run evolved players of another game.
    """
    run = open_run(path)
    evolved = game_of(run)
    if game is not None and game.spec != evolved.spec:
        raise ConfigError(
            f"{path} holds players of {evolved.spec}, which cannot play {game.spec}; name that game"
        )
    best = run.champion(generation)
    encoding = encoding_of(run)
    name = name or f"{path}@{best['generation']}"
    made = players.make(
        "network", evolved, genome=bytes(best["genome"]), encoding=encoding, name=name
    )
    assert isinstance(made, CompiledPlayer)
    return made
