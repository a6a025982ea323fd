"""A tournament of named players, from who takes part to what each is worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

from cluster import Entrants, Evaluator, evaluator_or_threads
from evo.evaluation.players import Entry, entries
from evo.tournaments.cross_table import CrossTable
from evo.tournaments.ledger import Ledger
from evo.tournaments.rounds import Plan, RatedTournament
from evo.versions import differing, versions
from results.folder.tournament import TournamentWriter
from tournaments import games as known_games
from tournaments.errors import ConfigError
from tournaments.game import Game
from tournaments.player import compiled

Report = Callable[[int, int, int], None]
Announce = Callable[[str], None]


def tournament(
    game: str,
    players: Sequence[str],
    games: int = 1000,
    *,
    seed: int = 1,
    schedule: str = "round-robin",
    rounds: int | None = None,
    challengers: int | None = None,
    stop_within: float | None = None,
    most_games: int | None = None,
    anchor: str | None = None,
    out: str | Path | None = None,
    evaluator: Evaluator | None = None,
    threads: int | None = None,
    report: Report = lambda done, pairs, games: None,
    announce: Announce = lambda line: None,
) -> CrossTable:
    """Play a tournament, by default everybody against everybody, seats swapped after each game.

    Args:
        game: as typed: ``dots-and-boxes`` or ``dots-and-boxes:rows=2,cols=2``.
        players: two or more, as for :func:`evo.evaluation.players.entries`.
        games, schedule, rounds, challengers, stop_within, most_games: see
            :class:`evo.tournaments.rounds.Plan`.
        seed: the games of a pair depend on it, on the two players and on their number alone.
        anchor: the player whose rating is 0; by default the mean of all ratings is.
        out: a folder for what is played, as :func:`results.open_tournament` reads it. What is
            there is not played again: the same call goes on where an interrupted one stopped, one
            with more players adds them, and so does one with more games (a round-robin or a
            gauntlet) or rounds.
        evaluator, threads: where matches are played; by default threads of this process.
        report: called with (meetings done, meetings foreseen, games of this part) after each part.
        announce: called with a line about what takes a while.

    Raises:
        ConfigError, TournamentError, ResultsError: wrong input, before anything is played.
    """
    plan = Plan(games, seed, schedule, rounds, challengers, stop_within, most_games)
    played = known_games.parse(game)
    taking_part = entries(players, played)
    names = [entry.name for entry in taking_part]
    plan.check_players(len(names))
    if anchor is not None and anchor not in names:
        raise ConfigError(f"anchor {anchor!r} given; it takes no part: name one of the players")
    _check_seats(Entrants(played, tuple(entry.player for entry in taking_part)))
    writer = None if out is None else _opened(Path(out), played, plan, taking_part, announce)
    kept = nullcontext() if writer is None else closing(writer)
    with kept, evaluator_or_threads(evaluator, threads) as where:
        ledger = Ledger(played, taking_part, seed, where, writer)
        number = None if anchor is None else names.index(anchor)
        rated = RatedTournament(plan, names, ledger, report, number)
        if writer is not None:
            _note(writer, played, plan, taking_part)
        table = rated.run()
        if writer is not None:
            writer.write_ratings(table.standings())
        return table


def _check_seats(entrants: Entrants) -> None:
    """Refuse players of one seat: each plays both."""
    for number in range(len(entrants.panel)):
        entrants.check_seats(-1 - number, -1 - number, 2)


def _opened(
    out: Path, game: Game, plan: Plan, taking_part: Sequence[Entry], announce: Announce
) -> TournamentWriter:
    """The folder of a tournament, which is a new one or this one."""
    writer = TournamentWriter(out)
    try:
        if writer.info is not None:
            _check_same(writer.info, out, game, plan, taking_part)
            _compare_versions(writer.info, game, taking_part, announce)
    except BaseException:
        writer.close()
        raise
    return writer


def _check_same(
    info: dict[str, Any], out: Path, game: Game, plan: Plan, taking_part: Sequence[Entry]
) -> None:
    """Refuse a folder whose tournament is another.

    Raises:
        ConfigError: it says what differs.
    """
    now = _info(game, plan, taking_part)
    other = "give that, or another folder with --out"
    for name in ("game", "seed", "schedule", "challengers"):
        if info.get(name) != now[name]:
            raise ConfigError(
                f"{name} {now[name]} given; {out} holds a tournament of {name} {info.get(name)}: "
                f"{other}"
            )
    repeats = plan.form.repeats
    if plan.games < info["games"] or (plan.games > info["games"] and not repeats):
        more = " or more" if repeats else ""
        raise ConfigError(
            f"games={plan.games:,} given; {out} holds a tournament of {info['games']:,} games a "
            f"pair: give that{more}, or another folder with --out"
        )
    identities = now["players"]
    for name, identity in info["players"].items():
        if name not in identities:
            raise ConfigError(
                f"{out} holds a tournament in which {name!r} takes part, too: name all its "
                "players, or another folder with --out"
            )
        if identities[name] != identity:
            raise ConfigError(
                f"{name!r} is no longer the player that it was in the tournament in {out} (name a "
                "run with its generation, RUN@100): give another folder with --out"
            )


def _info(game: Game, plan: Plan, taking_part: Sequence[Entry]) -> dict[str, Any]:
    return {
        "game": game.spec,
        "seed": plan.seed,
        "games": plan.games,
        "schedule": plan.schedule,
        "challengers": plan.challengers,
        "rounds": plan.rounds,
        "stop_within": plan.stop_within,
        "most_games": plan.most_games,
        "players": {entry.name: entry.identity for entry in taking_part},
    }


def _note(writer: TournamentWriter, game: Game, plan: Plan, taking_part: Sequence[Entry]) -> None:
    """Write what the tournament is, unless that is there."""
    from datetime import UTC, datetime

    before = writer.info or {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": _versions(game, taking_part),
    }
    now = {**before, **_info(game, plan, taking_part)}
    if now != writer.info:
        writer.write_info(now)


def _compare_versions(
    info: dict[str, Any], game: Game, taking_part: Sequence[Entry], announce: Announce
) -> None:
    """Say so if what is there was played by other versions than these."""
    if changed := differing(info.get("versions", {}), _versions(game, taking_part)):
        announce(f"results may differ from those of an uninterrupted one: {changed}")


def _versions(game: Game, taking_part: Sequence[Entry]) -> dict[str, str]:
    players = [compiled(entry.player) for entry in taking_part]
    kinds = [player.kind for player in players if player is not None]
    return versions(kernels=game.fingerprint(kinds))
