"""Players by their names: a kind of player, a file, a run folder (its champion), an individual."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evo.config import config as configuration
from evo.config.config import Config
from evo.genomes.base import Plan, trimmed
from evo.population import ALL, ARCHIVE
from results import Run, open_run
from results.folder.files import Place, digest_of, is_folder, place_of
from results.format.islands import role_and_island
from results.statistics import fittest
from tournaments import games, players
from tournaments.code_files import path_of
from tournaments.errors import ConfigError, TournamentError
from tournaments.game import Game
from tournaments.named_files import named_by
from tournaments.player import Player, check_seats, compiled, identity, seats_of
from tournaments.players.network import layers_for
from tournaments.players.objects import check_several, is_text, uniquely_named

_MANY = re.compile(r"(?P<folder>.+)@(?:all|every-(?P<every>[0-9]+))")


def check_two_players(game: Game) -> None:
    """Raise if a game has more than two seats.

    Raises:
        ConfigError: it has; the message names the commands that take such games.
    """
    if len(game.seats) > 2:
        raise ConfigError(
            f"{game.spec} given, a contest of {len(game.seats)} players; two meet here: such "
            "contests are for evo run, evaluate, analyse and tournament"
        )


def player(spec: Any, game: str | Game, trust: bool = False) -> Player:
    """Return the player that a name denotes, or a function or object of the user.

    Args:
        spec: the name of a player, optionally with options; a ``.npy`` or ``.json`` file of
            weights; a run folder, optionally with a generation: ``runs/rr`` or ``runs/rr@100``; or
            a function, an object, a class or an array, see :func:`tournaments.players.as_player`.
        game: the game, or its name with options.
        trust: whether to trust the folder of a run, see :func:`champion`.

    Raises:
        TournamentError, ConfigError, ResultsError: there is no such player, or the player does not
            play this game.
    """
    return _made(spec, games.parse(game), trust)[0]


def _made(spec: Any, game: Game, trust: bool) -> tuple[Player, bool]:
    """Return the player for a name or an object, and whether it is the champion of a run.

    The arguments are those of :func:`player`.
    """
    if not is_text(spec):
        return players.as_player(spec, game), False
    spec = str(spec)
    if not spec.strip():
        raise TournamentError(
            f"player {spec!r} given; a name is expected, such as random, a file or the folder of "
            "a run"
        )
    folder, generation = _as_run(spec, game)
    if folder is not None:
        return champion(folder, game, generation, trust=trust), True
    return players.as_player(spec, game), False


def at_speed(player: Player) -> Player:
    """Return a player that answers as fast as possible. Only compiled players are changed."""
    made = compiled(player)
    return replace(made, at_speed=True) if made is not None and made is player else player


def named(spec: Any, game: Game, trust: bool = False) -> tuple[str, Player]:
    """Return a player with a name that is unique to it, so that results may be summed by name.

    The name depends on the kind of player:

    - the champion of a run: ``FOLDER@GENERATION``;
    - a file of weights or of a table: ``FILE@DIGEST``, with the first 8 hexadecimal digits of the
      SHA-256 of the content;
    - a player of an installed package: likewise, with the digest of its Python files;
    - a function or an object of a user, and a player of a contest: ``NAME@DIGEST``, see
      :func:`tournaments.players.objects.digest_of`;
    - any other player: the given text.

    Raises:
        TournamentError, ConfigError, ResultsError: as for :func:`player`.
    """
    made, is_champion = _made(spec, game, trust)
    if not is_text(spec) or (game.rules.contest is not None and not is_champion):
        _, at, digest = identity(made).rpartition("@")
        return f"{made.name}{at}{digest[:8] if at else ''}", made
    spec = str(spec)
    if is_champion:
        return made.name, made
    if not players.is_of_file(spec, game):
        sources = players.sources_of(spec, game)[:8]
        return f"{spec}@{sources}" if sources else spec, made
    return f"{made.name}@{hashlib.sha256(_content(made)).hexdigest()[:8]}", made


def content_digest(spec: str, player: Player, game: Game) -> str:
    """Return the SHA-256 of the content of a player that is named by a path.

    For a run, the content is the identity of its champion. For an object in a Python file, it is
    the file, the modules that it imports from its folder, and the object's name. For any other
    player, it is the file.
    """
    if is_folder(place_of(spec)):
        return hashlib.sha256(identity(player).encode()).hexdigest()
    return digest_of_thing(spec, game) or digest_of(Path(spec))


def digest_of_thing(spec: str, game: Game) -> str:
    """Return the SHA-256 of an object in a Python file, as :func:`content_digest`.

    The file is read and not run. The digest is empty for any other player.
    """
    sources, thing = players.sources_of(spec, game), spec.removeprefix(path_of(spec))
    return hashlib.sha256(f"{sources}{thing}".encode()).hexdigest() if sources else ""


def _content(player: Player) -> bytes:
    """Return the content of the file from which a player was made, as bytes."""
    made = compiled(player)
    if made is None:
        return identity(player).encode()
    options = made.options or {}
    if "numbers" in options:
        layers = getattr(options["representation"], "layers", ())
        is_own = not layers or layers == layers_for(made.game)
        hidden = "" if is_own else str(layers[1:-1])
        return np.ascontiguousarray(options["numbers"]).tobytes() + hidden.encode()
    return np.ascontiguousarray(made.parameters[0][made.row]).tobytes()


def _as_run(spec: str, game: Game) -> tuple[Place | None, int | None]:
    path, at, number = spec.rpartition("@")
    is_numbered = bool(at) and number.isdecimal() and is_folder(place_of(path))
    folder = place_of(path if is_numbered else spec)
    if not is_folder(folder) or players.is_named(spec, game):
        return None, None
    return folder, int(number) if is_numbered else None


def game_of(run: Run, trust: bool = False) -> Game:
    """Return the game that a run's players play.

    Args:
        run: the run.
        trust: whether to load a file of rules that the run names.

    Raises:
        TournamentError: the game does not exist, or its file is not loaded without ``trust``.
    """
    table = dict(run.config["game"])
    with named_by("" if trust else str(run.path)):
        return games.make(table.pop("name"), **table)


def champion(
    path: str | Path,
    game: Game | None = None,
    generation: int | None = None,
    trust: bool = False,
) -> Any:
    """Return the champion of a snapshot as a player of both seats.

    If the run has one population per role, the best individual of each role plays its own seat.
    For a run with islands, see :func:`best_of`. Policy tables also play variants of their game in
    which they are legal: with another end or other starts. A table that does not depend on the
    board size also plays on another board.

    The name of the player is ``PATH@GENERATION``.

    Args:
        path: the run's folder.
        game: the game to play. None: the run's own game.
        generation: the generation, which must have a snapshot. None: the newest snapshot.
        trust: whether to load files that the run names, see :func:`evo.config.config.of_run`, and
            accept ``run.json`` without checks, see :func:`results.open_run`.

    Raises:
        ResultsError: there is no run at this path, or no such generation.
        ConfigError, TournamentError: the players of the run cannot play this game.
    """
    run = open_run(path, trust)
    config = configuration.of_run(run, trust)
    if game is not None and not _may_play(config, game):
        raise ConfigError(
            f"{path} holds players of {config.game.spec}, which cannot play {game.spec}; give "
            "their own game"
        )
    best = best_of(run, config, generation)
    plans = zip(config.populations, best, strict=True)
    genomes = [packed(plan, row["genome"]) for plan, row in plans]
    made, name = config.populations[0].genome.representation, f"{path}@{best[0]['generation']}"
    try:
        return made.player(config.game if game is None else game, genomes, name)
    except TournamentError as error:
        where = "" if str(error).startswith(str(path)) else f"{path}: "
        raise TournamentError(f"{where}{error}") from None


def best_of(run: Run, config: Config, generation: int | None = None) -> list[Any]:
    """Return the champion of each role of a run in a snapshot, by default the newest.

    The champions are rows of the snapshot.

    With islands, the result is the island champion with the most points, the first one if several
    are equal.
    """
    if config.islands is None:
        return [run.champion(generation, plan.name) for plan in config.populations]
    best: dict[int, Any] = {}
    for name, rows in run.population(generation).groupby("population", sort=False):
        if str(name).endswith(ARCHIVE):
            continue
        place = fittest(rows["fitness"].to_numpy(), rows["individual"].to_numpy())
        row, role = rows.iloc[place], config.role(str(name))
        if role not in best or row["raw_fitness"] > best[role]["raw_fitness"]:
            best[role] = row
    return [best[role] for role in range(len(config.populations))]


def _may_play(config: Config, game: Game) -> bool:
    if config.populations[0].genome.representation.plays_variants:
        return game.rules == config.game.rules
    return game.spec == config.game.spec


def packed(plan: Plan, genome: bytes) -> bytes:
    """Convert a genome of a snapshot to the packed form in which it is played."""
    return trimmed(plan.genome, np.frombuffer(genome, dtype=np.uint8)[None])[0].tobytes()


# --- individuals -------------------------------------------------------------------------------


def individual(config: Config, plan: Plan, genome: bytes, name: str) -> Any:
    """Return an individual of a snapshot as a player of the seats that its population holds.

    Args:
        config: configuration of the run.
        plan: the population.
        genome: the genome in the snapshot.
        name: name of the player.
    """
    return plan.genome.representation.player(config.game, [packed(plan, genome)], name)


def individual_name(population: str, individual: int, generation: int) -> str:
    """Return the name of an individual for use in a sentence."""
    role, island = role_and_island(population)
    kind = "individual" if role == ALL else role
    where = "" if island is None else f" of island {island}"
    return f"{kind} {individual}{where} of generation {generation}"


def seat_of(config: Config, plan: Plan) -> int | None:
    """Return the seat that individuals of a population play, or None if they play both."""
    return config.role(plan.name) if len(config.populations) > 1 else None


def can_meet(opponent: Player, plan: Plan, config: Config) -> bool:
    """Whether an opponent plays the seat opposite to the seat of a population.

    Raises:
        TournamentError: the population plays both seats, but the opponent only one.
    """
    seat = seat_of(config, plan)
    if seat is not None:
        return 1 - seat in seats_of(opponent)
    check_seats(opponent, config.game)
    return True


# --- entrants of a tournament --------------------------------------------------------------------


class Participant(NamedTuple):
    """A tournament entrant: display name, player, and an identity that survives renaming."""

    name: str
    player: Player
    identity: str

    @property
    def order(self) -> tuple[bool, str, str]:
        """Sort key that decides which player of a pair is entrant a, in any order of names.

        Evolved players come first, as in evaluations, so that the same compiled kernels are used.
        """
        return "@" not in self.identity, self.identity, self.name


def participants(specs: Sequence[Any], game: Game, trust: bool = False) -> list[Participant]:
    """Return the players of a tournament, in the given order.

    Args:
        specs: as for :func:`player`. ``RUN@all`` means the champions of all snapshots of a run,
            and ``RUN@every-K`` the champions of every K-th snapshot and of the newest. A champion
            that is the same as in the snapshot before takes part only once. Functions and objects
            with the same name are numbered: ``bot``, ``bot-2``.
        game: the game.
        trust: whether to trust the folders of runs, see :func:`champion`.

    Raises:
        ConfigError: fewer than two players, a player given twice, or every-0.
        TournamentError, ResultsError: there is no such player, or the player does not play this
            game.
    """
    check_several(specs)
    made = [(spec, each) for spec in specs for each in _participants(spec, game, trust)]
    own = uniquely_named([spec for spec, _ in made], [each.player for _, each in made])
    several = [
        each if is_text(spec) else Participant(player.name, player, each.identity)
        for (spec, each), player in zip(made, own, strict=True)
    ]
    if len(several) < 2:
        count = "one player" if several else "no player"
        raise ConfigError(f"{count} given; a tournament takes two or more")
    names = [participant.name for participant in several]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ConfigError(f"player {twice!r} given twice; name each once")
    return several


def _participants(spec: Any, game: Game, trust: bool) -> Iterator[Participant]:
    if not is_text(spec):
        own = player(spec, game)
        yield Participant(own.name, own, identity(own))
        return
    spec = str(spec)
    many = _MANY.fullmatch(spec)
    if many is None or not is_folder(place_of(many["folder"])):
        single = player(spec, game, trust)
        is_of_contest = game.rules.contest is not None  # whose identity covers the code
        who, sources = identity(single), "" if is_of_contest else players.sources_of(spec, game)
        yield Participant(spec, single, f"{who}@{sources}" if sources else who)
        return
    every = int(many["every"] or 1)
    if every < 1:
        raise ConfigError(f"{spec} given; every-K with K from 1 is expected, where every-1 is all")
    snapshots = open_run(many["folder"], trust).snapshots
    before = ""
    for generation in sorted({*snapshots[::every], *snapshots[-1:]}):
        best = champion(many["folder"], game, generation, trust=trust)
        if identity(best) != before:
            yield Participant(best.name, best, identity(best))
        before = identity(best)
