"""A tournament of named players, from who takes part to what each is worth."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cluster import Entrants, Evaluator, evaluator_or_threads
from cluster.referee import Referee
from evo.evaluation.players import Participant, participants
from evo.evaluation.task import Announce, Report
from evo.progress.bar import Bar
from evo.tournaments.cross_table import CrossTable
from evo.tournaments.ledger import Ledger
from evo.tournaments.rounds import RatedTournament, TournamentPlan
from evo.versions import differing, other_rules, versions
from results.folder.files import Place, place_of
from results.folder.tournament import SECRET_FILE, TournamentWriter
from tournaments import games as known_games
from tournaments.arena.forfeits import house_of
from tournaments.errors import ConfigError
from tournaments.game import Game
from tournaments.options import seed_of
from tournaments.player import compiled


def tournament(
    game: str | Game,
    players: Sequence[Any],
    games: int = 1000,
    *,
    seed: int = 1,
    secret: bool = False,
    schedule: str = "round-robin",
    rounds: int | None = None,
    challengers: int | None = None,
    stop_within: float | None = None,
    most_games: int | None = None,
    anchor: str | None = None,
    out: str | Path | None = None,
    evaluator: Evaluator | None = None,
    threads: int | None = None,
    faults: str = "forfeit",
    trust: bool = False,
    report: Report = lambda done, pairs, games: None,
    announce: Announce = lambda line: None,
    progress: bool = False,
) -> CrossTable:
    """Play a tournament, by default everybody against everybody, seats swapped after each game.

    Args:
        game: as typed: ``dots-and-boxes`` or ``dots-and-boxes:rows=2,cols=2``; or a game itself.
        players: two or more, as for :func:`evo.evaluation.players.participants`.
        games, schedule, rounds, challengers, stop_within, most_games: see
            :class:`evo.tournaments.rounds.TournamentPlan`.
        seed: the games of a pair depend on it, on the two players and on their number alone.
            Players could try all small seeds, and so predict what is dealt to them.
        secret: draw a seed of 128 bits instead, which no player can predict, and publish it with
            the results: as ``.seed`` of the returned table and in ``tournament.json``.
        anchor: the player whose rating is 0; by default the mean of all ratings is.
        out: a folder for what is played, as :func:`results.open_tournament` reads it. What is
            there is not played again: the same call goes on where an interrupted one stopped, one
            with more players adds them, and so does one with more games (a round-robin or a
            gauntlet) or rounds.
        evaluator, threads: where matches are played; by default threads of this process.
        faults: what becomes of a player that raises, chooses what is not legal, or the like:
            ``forfeit``: it loses the game, and a row of ``faults/`` in the folder says why;
            ``abort``: the tournament ends.
        trust: of folders of runs, see :func:`evo.evaluation.players.champion`.
        report: called with (meetings done, meetings foreseen, games of this part) after each part.
        announce: called with a line about what takes a while.
        progress: show a bar, in a terminal or a notebook.

    Returns:
        Shares of the points, ``.scores``, and in a seat, ``.scores_as("first")``; ``.records()``
        and ``.standings()`` are rows for a DataFrame, ratings in Elo points.

    Raises:
        ConfigError, TournamentError, ResultsError: wrong input, before anything is played.
    """
    house_of(faults)
    if secret and seed != 1:
        raise ConfigError(f"seed={seed} given with a secret seed; give one of the two")
    seed = seed_of(seed)
    plan = TournamentPlan(games, seed, schedule, rounds, challengers, stop_within, most_games)
    what = known_games.parse(game)
    setup = Setup(what, plan, participants(players, what, trust), secret)
    names = [participant.name for participant in setup.participants]
    plan.check_players(len(names))
    if anchor is not None and anchor not in names:
        raise ConfigError(f"anchor {anchor!r} given; it takes no part: name one of the players")
    setup.check_seats()
    writer = None if out is None else setup.opened(place_of(out), announce)
    kept = nullcontext() if writer is None else closing(writer)
    with kept, Bar(progress, "meeting") as bar, evaluator_or_threads(evaluator, threads) as where:
        if secret:
            seed = secret_seed(writer)
            plan = replace(plan, seed=seed)
        referee = Referee(faults, writer and writer.path, announce)
        ledger = Ledger(setup.game, setup.participants, seed, where, writer, referee)
        number = None if anchor is None else names.index(anchor)
        rated = RatedTournament(plan, names, ledger, bar.parts(report), number)
        if writer is not None:
            setup.note(writer)
        table = replace(rated.run(), seed=seed)
        if writer is not None:
            writer.write_ratings(table.standings())
            if secret:
                publish(writer, seed=seed)
        if referee.forfeits:
            announce(referee.in_words())
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
    plan: TournamentPlan
    participants: list[Participant]
    has_secret_seed: bool = False

    def check_seats(self) -> None:
        """Refuse players of one seat: each plays both."""
        players = tuple(participant.player for participant in self.participants)
        entrants = Entrants(self.game, players)
        for number in range(len(players)):
            entrants.check_seats(-1 - number, -1 - number, 2)

    def opened(self, out: Place, announce: Announce) -> TournamentWriter:
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
            asked = "a secret one" if name == "seed" and self.has_secret_seed else now[name]
            held = "a secret one, until it is over" if info.get(name) is None else info[name]
            if info.get(name) != now[name]:
                raise ConfigError(
                    f"{name} {asked} given; {out} holds a tournament of {name} "
                    f"{held if name == 'seed' else info.get(name)}: give that, or {other}"
                )
        games, repeats = self.plan.games, self.plan.form.repeats
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
        plan = self.plan
        return {
            "game": self.game.spec,
            "seed": None if self.has_secret_seed else plan.seed,
            "games": plan.games,
            "schedule": plan.schedule,
            "challengers": plan.challengers,
            "rounds": plan.rounds,
            "stop_within": plan.stop_within,
            "most_games": plan.most_games,
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
