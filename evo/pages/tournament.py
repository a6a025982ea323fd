"""The page of a tournament: ratings with intervals, and who beat whom."""

from __future__ import annotations

from collections.abc import Iterator

from evo.pages import blocks
from evo.pages.blocks import Block, Sections
from results.folder.tournament import Tournament

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


def sections_of(tournament: Tournament) -> Sections:
    """Return the sections of the page of a tournament, each by its title with its maker."""
    return [
        ("What it is", lambda: _identity(tournament)),
        ("Ratings", lambda: _ratings(tournament)),
        ("Each against each", lambda: _crosses(tournament)),
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


def _crosses(tournament: Tournament) -> Iterator[Block]:
    shares, ratings = tournament.cross_table, tournament.ratings
    names = [name for name in ratings["player"] if name in shares.index]
    names += [name for name in shares.index if name not in names]
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
        )
