"""Players as users name them: a kind, a weights file, or a run folder for its champion."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from evo.config import config as configuration
from evo.config.config import Config
from evo.errors import ConfigError
from evo.genomes.base import BitNetwork, PolicyTable
from evo.genomes.real_network import RealNetwork
from results import Run, open_run
from tournaments import games, players
from tournaments.errors import TournamentError
from tournaments.player import CompiledPlayer, Game, Player

OF_FILES = ("network", "table")
"""Kinds that are made of files."""


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

    That is the text itself; for the champion of a run ``FOLDER@GENERATION``; for a file of weights
    or of a table ``FILE@DIGEST``, the first 8 hexadecimal digits of the SHA-256 of them; and for a
    player of an installed package likewise, of its Python files.

    Raises:
        TournamentError, ConfigError, ResultsError: as for :func:`player`.
    """
    folder, generation = _as_run(spec, game)
    if folder is not None:
        made = champion(folder, game, generation)
        return made.name, made
    other = players.make(spec, game)
    kind = spec.partition(":")[0].strip()
    if kind not in OF_FILES and kind in players.names(game):
        sources = players.sources_of(spec)[:8]
        return f"{spec}@{sources}" if sources else spec, other
    assert isinstance(other, CompiledPlayer)  # of a file, in either way of naming it
    if other.options is not None and "weights" in other.options:
        content = np.asarray(other.options["weights"], dtype="<f8").tobytes()
        content += str(
            other.options.get("hidden", "")
        ).encode()  # where they are not the game's own
    else:
        content = np.ascontiguousarray(other.parameters[0][other.row]).tobytes()
    return f"{other.name}@{hashlib.sha256(content).hexdigest()[:8]}", other


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


def champion(
    path: str | Path, game: Game | None = None, generation: int | None = None, name: str = ""
) -> CompiledPlayer:
    """The best of a run's newest snapshot, or of a given generation, as a player of both seats.

    Where there is a population a role, it is the best of each role in its own seat. Its name is
    ``PATH@GENERATION`` unless another is given. Tables also play variants of their game in which
    they are legal: with another end or other starts and, where they know no board's size, on
    another board.

    Raises:
        ResultsError: no run there, or no such generation.
        ConfigError, TournamentError: the run evolved players that cannot play this game.
    """
    run = open_run(path)
    config = configuration.of_run(run.config, run.genome, run.path)
    if game is not None and not _may_play(config, game):
        raise ConfigError(
            f"{path} holds players of {config.game.spec}, which cannot play {game.spec}; name that "
            "game"
        )
    best = [run.champion(generation, plan.name) for plan in config.populations]
    name = name or f"{path}@{best[0]['generation']}"
    genomes = [
        plan.genome.pack(plan.genome.unpack(as_rows(row["genome"])))[0].tobytes()
        for plan, row in zip(config.populations, best, strict=True)
    ]
    try:
        return player_of(config, genomes, name, game)
    except TournamentError as error:
        raise TournamentError(f"{path}: {error}") from None


def _may_play(config: Config, game: Game) -> bool:
    if isinstance(config.populations[0].genome, PolicyTable):
        return game.name == config.game.name
    return game.spec == config.game.spec


def as_rows(genome: bytes) -> np.ndarray:
    """A packed genome as one row, uint8 ``[1, B]``."""
    return np.frombuffer(genome, dtype=np.uint8)[None]


def player_of(
    config: Config, genomes: Sequence[bytes], name: str, game: Game | None = None
) -> CompiledPlayer:
    """Packed genomes, one a population, as one player of both seats, by default of their game."""
    first, genome = config.populations[0].genome, b"".join(genomes)
    encoding: Any
    if isinstance(first, PolicyTable):
        kind, encoding = "table", replace(first.encoding, seats=(0, 1))
    else:
        assert isinstance(first, BitNetwork | RealNetwork)
        kind, encoding = "network", first.encoding
    chosen = config.game if game is None else game
    made = players.make(kind, chosen, genome=genome, encoding=encoding, name=name)
    assert isinstance(made, CompiledPlayer)
    return made
