"""The page of a tournament: ratings with intervals, and the results of each pair of players."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from shlex import quote

from evo.pages import blocks
from evo.pages.blocks import Block, Sections
from evo.pages.games import game_block
from evo.pages.replays import Replays, of_tournament
from evo.play.watched import Watched
from results.errors import ResultsError
from results.folder.tournament import Tournament
from tournaments.errors import ConfigError, TournamentError

MOST_PLAYED, MOST_OPENED = 12, 40
"""Maximum number of players up to which cells of the cross table open games, and commands."""

RATINGS = {
    "player": "",
    "rating": "g",
    "rating_low": "g",
    "rating_high": "g",
    "games": "d",
    "wins": "d",
    "draws": "d",
    "losses": "d",
    "score": "%",
}
"""Columns of the ratings and their formats."""


def sections_of(tournament: Tournament, trust: bool = False) -> Sections:
    """Return the sections of the page of a tournament, each by its title with its maker.

    Args:
        tournament: the tournament.
        trust: whether to load the files of players that the tournament names, to show games.
    """
    return [
        ("What it is", lambda: _identity(tournament)),
        ("Ratings", lambda: _ratings(tournament)),
        (
            "Each against each",
            lambda: _crosses(tournament, lambda: of_tournament(tournament, trust)),
        ),
        ("Faults", lambda: blocks.faults(tournament.faults, "match")),
    ]


def subtitle_of(tournament: Tournament) -> str:
    """Return the heading of a tournament in words."""
    info = tournament.info
    return f"{len(info['players'])} players of {info['game']}, schedule {info['schedule']}"


def _identity(tournament: Tournament) -> Iterator[Block]:
    info = tournament.info
    played = int(tournament.pairs["games"].sum())
    yield blocks.facts(
        {
            "game": info["game"],
            "schedule": info["schedule"],
            "games of a pair": f"{info['games']:,}",
            "games played": f"{played:,}",
            "seed": info.get("seed"),
            "created": info.get("created"),
        }
    )


def _ratings(tournament: Tournament) -> Iterator[Block]:
    rows = tournament.ratings
    if rows.empty:
        yield blocks.text("There are no ratings yet: they are computed after the last game.")
        return
    forms = {name: form for name, form in RATINGS.items() if name in rows}
    yield blocks.table(forms, rows[[*forms]].to_numpy(object), "ratings")


def _crosses(tournament: Tournament, replays: Callable[[], Replays]) -> Iterator[Block]:
    shares, ratings = tournament.cross_table, tournament.ratings
    names = [name for name in ratings["player"] if name in shares.index]
    names += [name for name in shares.index if name not in names]
    opens, why = _games(tournament, names, replays)
    tables = {"": shares}
    tables |= {f" as {seat}": won for seat, won in tournament.wins_by_seat.items()}
    for seat, table in tables.items():
        what = "Games that each player won" if seat else "Share of the points of each player"
        yield blocks.heat(
            f"{what}{seat} against each other player",
            ("player", "opponent"),
            (names, names),
            table.loc[names, names].to_numpy(float),
            f"cross-table{seat.replace(' ', '-')}",
            "" if seat else why,
            None if seat else opens,
        )


def _games(
    tournament: Tournament, names: Sequence[str], replays: Callable[[], Replays]
) -> tuple[dict[tuple[int, int], Sequence[Block]], str]:
    """Return what the cells of the cross table open, and how they are used.

    A cell opens the first game of its pair in each seat, or the commands that play them.
    """
    if len(names) > MOST_OPENED:
        return {}, ""
    try:
        held, why = replays(), ""
    except (ConfigError, TournamentError, ResultsError) as error:
        return {}, f"The games are not shown: {error}"
    opens: dict[tuple[int, int], Sequence[Block]] = {}
    for (row, player), (column, opponent) in combinations(enumerate(names), 2):
        games = held.first_games(player, opponent)
        if len(names) > MOST_PLAYED:
            game = quote(held.game.short_spec)
            shown = [
                blocks.command(
                    f"evo watch {game} {' '.join(map(quote, each.names))} --seed {each.seed}",
                    "a game of these players",
                )
                for each in games[:1]
            ]
        else:
            shown = [_game(each) for each in games]
        if shown:
            opens[row, column] = opens[column, row] = shown
    return opens, why or "A click on a cell, or Enter, shows a game of the pair in each seat."


def _game(watched: Watched) -> Block:
    title = " against ".join(watched.names)
    try:
        return game_block(watched, title, "game")
    except TournamentError as error:
        return blocks.text(f"{title}: {error}", tone="warning")
