"""Players as users name them: a kind, a weights file, or a run folder for its champion."""

from __future__ import annotations

from pathlib import Path

from evo.errors import ConfigError
from results import open_run
from tournaments import games, players
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
    folder, generation = _as_run(spec, game)
    return champion(folder, game, generation) if folder else players.make(spec, game)


def _as_run(spec: str, game: Game) -> tuple[Path | None, int | None]:
    if spec in players.names(game):
        return None, None
    path, at, number = spec.rpartition("@")
    if at and number.isdigit() and Path(path).is_dir():
        return Path(path), int(number)
    return (Path(spec), None) if Path(spec).is_dir() else (None, None)


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
    table = dict(run.config["game"])
    evolved = games.make(table.pop("name"), **table)
    if game is not None and game.spec != evolved.spec:
        raise ConfigError(
            f"{path} holds players of {evolved.spec}, which cannot play {game.spec}; name that game"
        )
    best = run.champion(generation)
    spec = {key: run.genome[key] for key in ("layers", "bits", "low", "high")}
    spec["layers"] = tuple(spec["layers"])
    name = name or f"{path}@{best['generation']}"
    made = players.make("network", evolved, genome=bytes(best["genome"]), encoding=spec, name=name)
    assert isinstance(made, CompiledPlayer)
    return made
