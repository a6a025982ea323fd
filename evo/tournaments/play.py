"""A tournament of named players, from who takes part to what each is worth."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evo.evaluation.players import Participant, participants
from evo.execution import Execution
from evo.requests.base import called_with
from evo.requests.tournaments import TournamentRequest
from evo.tournaments.cross_table import CrossTable
from evo.tournaments.ledger import Ledger
from evo.tournaments.rounds import SCHEDULES, RatedTournament, check_players
from evo.versions import differing, other_rules, versions
from results.folder.files import Place, place_of
from results.folder.tournament import SECRET_FILE, TournamentWriter
from tournaments import games as known_games
from tournaments.errors import ConfigError
from tournaments.game import Game
from tournaments.player import check_seats, compiled


@called_with(TournamentRequest)
def tournament(request: TournamentRequest, execution: Execution) -> CrossTable:
    """Play a tournament, by default everybody against everybody, seats swapped after each game.

    The game is as typed, ``dots-and-boxes`` or ``dots-and-boxes:rows=2,cols=2``, or a game itself.
    The players are two or more, as for :func:`evo.evaluation.players.participants`.

    Players could try all small seeds, and so predict what is dealt to them. A secret seed has 128
    bits, which no player can predict, and is published with the results: as ``.seed`` of the
    returned table and in ``tournament.json``.

    What is in the folder ``out`` (:func:`results.open_tournament` reads it) is not played again:
    the same call goes on where an interrupted one stopped, one with more players adds them, and so
    does one with more games (a round-robin or a gauntlet) or rounds.

    ``report`` is called with (meetings done, meetings foreseen, games of this part).

    Returns:
        Shares of the points, ``.scores``, and in a seat, ``.scores_as("first")``; ``.records()``
        and ``.standings()`` are rows for a DataFrame, ratings in Elo points.

    Raises:
        ConfigError, TournamentError, ResultsError: wrong input, before anything is played.
    """
    game = known_games.parse(request.game)
    setup = Setup(game, request, participants(request.players, game, execution.trust))
    names = [participant.name for participant in setup.participants]
    check_players(request, len(names))
    if request.anchor is not None and request.anchor not in names:
        raise ConfigError(
            f"anchor {request.anchor!r} given; it takes no part: name one of the players"
        )
    setup.check_seats()
    writer = None
    if request.out is not None:
        writer = setup.opened(place_of(request.out), execution.announce)
    kept = nullcontext() if writer is None else closing(writer)
    with kept, execution.reporting("meeting") as report, execution.playing() as evaluator:
        if request.secret:
            request = replace(request, secret=False, seed=secret_seed(writer))
        referee = execution.referee(writer and writer.path)
        ledger = Ledger(setup.game, setup.participants, request.seed, evaluator, writer, referee)
        number = None if request.anchor is None else names.index(request.anchor)
        rated = RatedTournament(request, names, ledger, report, number)
        if writer is not None:
            setup.note(writer)
        table = replace(rated.run(), seed=request.seed)
        if writer is not None:
            writer.write_ratings(table.standings())
            if setup.request.secret:
                publish(writer, seed=request.seed)
        referee.announce_forfeits()
        return table


def secret_seed(writer: TournamentWriter | None) -> int:
    """Return a seed that nobody can predict, the one that was kept if the games are not over.

    Raises:
        ConfigError: there are games of a secret seed that is lost.
    """
    if writer is None:
        return secrets.randbits(128)
    seed = writer.secret_seed
    if seed is None:
        if len(writer.pairs["round"]):
            raise ConfigError(
                f"{writer.path} holds games of a secret seed, but not the file {SECRET_FILE} that "
                "held it: give another folder with --out"
            )
        seed = writer.secret_seed = secrets.randbits(128)
    return seed


def publish(writer: TournamentWriter, **seeds: Any) -> None:
    """Write seeds into ``tournament.json``, and forget that they were secret."""
    assert writer.info is not None
    writer.write_info({**writer.info, **seeds})
    writer.secret_seed = None


@dataclass(frozen=True)
class Setup:
    """A tournament before its first game: what is played, how, and by whom."""

    game: Game
    request: TournamentRequest
    participants: list[Participant]

    def check_seats(self) -> None:
        """Refuse players of one seat: each plays both."""
        for participant in self.participants:
            check_seats(participant.player, self.game)

    def opened(self, out: Place, announce: Callable[[str], object]) -> TournamentWriter:
        """The folder of this tournament, which is a new one or holds it already."""
        writer = TournamentWriter(out)
        try:
            if writer.info is not None:
                self._check_same(writer.info, out)
                if changed := differing(writer.info.get("versions", {}), self.versions()):
                    announce(f"results may differ from those of an uninterrupted one: {changed}")
        except BaseException:
            writer.close()
            raise
        return writer

    def _check_same(self, info: dict[str, Any], out: Path) -> None:
        """Refuse a folder whose tournament is another.

        Raises:
            ConfigError: it says what differs.
        """
        now, other = self.info(), "another folder with --out"
        if line := other_rules(str(out), info.get("versions", {})):
            raise ConfigError(f"{line}: give {other}")
        for name in ("game", "schedule", "challengers", "seed"):
            asked = "a secret one" if name == "seed" and self.request.secret else now[name]
            held = "a secret one, until it is over" if info.get(name) is None else info[name]
            if info.get(name) != now[name]:
                raise ConfigError(
                    f"{name} {asked} given; {out} holds a tournament of {name} "
                    f"{held if name == 'seed' else info.get(name)}: give that, or {other}"
                )
        games, repeats = self.request.games, SCHEDULES[self.request.schedule].repeats
        if games < info["games"] or (games > info["games"] and not repeats):
            raise ConfigError(
                f"games={games:,} given; {out} holds a tournament of {info['games']:,} games a "
                f"pair: give that{' or more' if repeats else ''}, or {other}"
            )
        identities = now["players"]
        for name, identity in info["players"].items():
            if name not in identities:
                raise ConfigError(
                    f"{out} holds a tournament in which {name!r} takes part, too: name all its "
                    f"players, or {other}"
                )
            if identities[name] != identity:
                raise ConfigError(
                    f"{name!r} is no longer the player that it was in the tournament in {out} "
                    f"(name a run with its generation, RUN@100): give {other}"
                )

    def info(self) -> dict[str, Any]:
        """What ``tournament.json`` holds beside time and versions."""
        kept = ("games", "schedule", "challengers", "rounds", "stop_within", "most_games")
        return {
            "game": self.game.spec,
            "seed": None if self.request.secret else self.request.seed,
            **{name: getattr(self.request, name) for name in kept},
            "players": {
                participant.name: participant.identity for participant in self.participants
            },
        }

    def note(self, writer: TournamentWriter) -> None:
        """Write what the tournament is, unless that is there."""
        before = writer.info or {
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": self.versions(),
        }
        now = {**before, **self.info()}
        if now != writer.info:
            writer.write_info(now)

    def versions(self) -> dict[str, str]:
        """What the results depend on beside all that."""
        players = [compiled(participant.player) for participant in self.participants]
        kinds = [player.kind for player in players if player is not None]
        return versions(kernels=self.game.fingerprint(kinds))
