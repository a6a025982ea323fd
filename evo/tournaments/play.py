"""A tournament of named players, from the list of players to the ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import Any

from evo.evaluation.players import Participant, participants
from evo.execution import Execution
from evo.requests.base import called_with
from evo.requests.tournaments import TournamentRequest
from evo.tournaments.cross_table import CrossTable
from evo.tournaments.folder import note, publish, refuse_other, secret_seed
from evo.tournaments.ledger import Ledger, SeededGames
from evo.tournaments.rounds import SCHEDULES, RatedTournament, check_players
from evo.tournaments.tables import TableTournament, check_tables
from evo.versions import differing, versions
from results.folder.files import place_of
from results.folder.tournament import TournamentWriter
from tournaments import games as known_games
from tournaments.errors import ConfigError, void_games
from tournaments.game import Game
from tournaments.player import check_seats, compiled


@called_with(TournamentRequest)
def tournament(request: TournamentRequest, execution: Execution) -> CrossTable:
    """Play a tournament. By default all players meet each other, and swap seats after each game.

    The game is a name, such as ``dots-and-boxes`` or ``dots-and-boxes:rows=2,cols=2``, or a game
    object. There are two or more players, as for :func:`evo.evaluation.players.participants`.

    A player could try all small seeds and so predict the random events of its games. A secret seed
    has 128 bits and cannot be predicted. It is published with the results: as ``.seed`` of the
    returned table and in ``tournament.json``.

    Games in the folder ``out`` are not played again (:func:`results.open_tournament` reads the
    folder). The same call continues an interrupted tournament. A call with more players, more
    games (in a round-robin or a gauntlet) or more rounds adds them.

    In a contest of S > 2 players, each group of S meets ``games`` times, rounded up to a multiple
    of S. Ratings are those of :mod:`tournaments.analysis.plackett_luce`.

    ``report`` is called with (meetings done, meetings foreseen, games of this part).

    Returns:
        The cross table. ``.scores`` are the shares of the points, ``.scores_as("first")`` the
        shares in a seat. ``.records()`` and ``.standings()`` are rows for a DataFrame, with
        ratings in Elo points.

    Raises:
        ConfigError, TournamentError, ResultsError: wrong input; raised before any game.
    """
    game = known_games.parse(request.game)
    several = participants(request.players, game, execution.trust)
    names = [participant.name for participant in several]
    seats = len(game.seats)
    if seats > 2:
        check_tables(request, len(names), seats)
    else:
        check_players(request, len(names))
    if request.anchor is not None and request.anchor not in names:
        request.refuse("anchor", "; it takes no part: name one of the players")
    for participant in several:
        check_seats(participant.player, game)
    with ExitStack() as stack:
        writer = None
        if request.out is not None:
            info, software = _info(game, request, several), _versions(game, several)
            writer = stack.enter_context(closing(TournamentWriter(place_of(request.out))))
            _check_folder(writer, request, info, seats)
            made_with = (writer.info or {}).get("versions", software)
            if changed := differing(made_with, software):
                execution.announce(
                    f"results may differ from those of an uninterrupted one: {changed}"
                )
        report = stack.enter_context(execution.reporting("meeting"))
        evaluator = stack.enter_context(execution.playing())
        is_secret = request.secret
        if is_secret:
            request = replace(request, secret=False, seed=secret_seed(writer))
        referee = execution.referee(writer and writer.path)
        number = None if request.anchor is None else names.index(request.anchor)
        rated: TableTournament | RatedTournament
        if seats > 2:
            played = SeededGames(game, several, request.seed, evaluator, referee)
            rated = TableTournament(request, played, writer, report, number)
        else:
            ledger = Ledger(game, several, request.seed, evaluator, referee, writer=writer)
            rated = RatedTournament(request, ledger, report, number)
        if writer is not None:
            note(writer, info, software)
        table = replace(rated.run(), seed=request.seed)
        if referee.void and not table.games.any():
            raise void_games("all", referee.void, game.name, referee.first_void)
        if writer is not None:
            writer.write_ratings(table.standings())
            if is_secret:
                publish(writer, seed=request.seed)
        referee.announce_forfeits()
        return table


def _info(game: Game, request: TournamentRequest, several: Sequence[Participant]) -> dict[str, Any]:
    """Return the entries of ``tournament.json`` except the time and the versions."""
    kept = ("games", "schedule", "challengers", "rounds", "stop_within", "most_games")
    return {
        "game": game.spec,
        "seed": None if request.secret else request.seed,
        **{name: getattr(request, name) for name in kept},
        "players": {participant.name: participant.identity for participant in several},
    }


def _versions(game: Game, several: Sequence[Participant]) -> dict[str, str]:
    """Return the versions of software on which the results depend."""
    players = [compiled(participant.player) for participant in several]
    return versions(kernels=game.fingerprint(each.kind for each in players if each is not None))


def _check_folder(
    writer: TournamentWriter, request: TournamentRequest, now: Mapping[str, Any], seats: int
) -> None:
    """Raise if the folder holds a different tournament.

    Raises:
        ConfigError: the tournament differs. The message says in what.
    """
    info, out = writer.info, writer.path
    if info is None:
        return
    refuse_other(writer, {name: now[name] for name in ("game", "schedule", "challengers", "seed")})
    other = "another folder with --out"
    games = request.games
    repeats = SCHEDULES[request.schedule].repeats and seats == 2
    if games < info["games"] or (games > info["games"] and not repeats):
        words = f"; {out} holds a tournament of {info['games']:,} games a pair: give that"
        request.refuse("games", f"{words}{' or more' if repeats else ''}, or {other}")
    for name, identity in info["players"].items():
        if name not in now["players"]:
            raise ConfigError(
                f"{out} holds a tournament in which {name!r} takes part, too: name all its "
                f"players, or {other}"
            )
        if now["players"][name] != identity:
            raise ConfigError(
                f"{name!r} is no longer the player that it was in the tournament in {out} "
                f"(name a run with its generation, RUN@100): give {other}"
            )
