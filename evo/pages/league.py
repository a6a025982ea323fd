"""The pages of a league: ratings, and for each submission its course, its results and its games.

All but the games is read from the folder of the league, ``league.csv`` first.
"""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from evo.pages import blocks
from evo.pages.blocks import Block, Sections
from results.errors import ResultsError
from results.folder.files import read_file
from results.folder.tournament import LEAGUE_FILES, Tournament
from tournaments.players.bot.process import WROTE

if TYPE_CHECKING:
    from results import DataFrame

TEXTS = ("submission", "state", "causes", "digest", "why", "repeated_with")
"""Columns of ``league.csv`` that contain text."""
PLAYS, STAFF, EARLIER, BROKEN = "plays", "staff", "earlier", "broken"
"""States of submissions."""
MOST_LINES, MOST_IN_MAP = 7, 60
"""Maximum number of submissions in the chart of ratings, and in the map of who beats whom."""
RATINGS_NOTE = (
    "Points are the share of games that were won, a draw counting half. Ratings are Elo points "
    "with 95% intervals: 100 more than an opponent are 64% of the points against it, and two whose "
    "intervals overlap may be equals. Nash is how often each submission is played by who must name "
    "one without knowing the other's choice, once all have met."
)
Row = Mapping[str, Any]
Address = Callable[[Row], str]
"""Returns the address of the page of a submission."""


@dataclass(frozen=True)
class League:
    """The folder of a league.

    Attributes:
        tournament: the folder, as that of a tournament.
        show_errors: whether pages show the error output of programs and the path of the folder.
    """

    tournament: Tournament
    show_errors: bool = False

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of ``league.csv``, numbers as numbers, in the order of the table.

        Raises:
            ResultsError: the file is missing or damaged.
        """
        file = self.tournament.path / LEAGUE_FILES[1]
        try:
            lines = read_file(file).decode("utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            raise ResultsError(f"{file} cannot be read; the next evo league writes it") from None
        return [
            {name: value if name in TEXTS else _number(value) for name, value in row.items()}
            for row in csv.DictReader(lines)
        ]

    @property
    def seats(self) -> list[str]:
        """The columns of the shares of games that were won in each seat."""
        return [name for name in (self.rows or [{}])[0] if name.startswith("win_rate_as_")]

    @property
    def thresholds(self) -> dict[str, float]:
        """The share of the points to reach against bots of the staff, by file."""
        return self.tournament.info.get("thresholds", {})

    @cached_property
    def history(self) -> DataFrame:
        """The table ``history``, a row per submission and night."""
        return self.tournament.history

    def name_of(self, row: Row) -> str:
        """Return the name of a submission in the tables of the league. Empty: it never played."""
        if row["state"] == EARLIER:
            return f"{row['submission']}@{row['digest']}"
        players = self.tournament.info["players"].items()
        return next((name for name, digest in players if digest == row["digest"]), "")

    @cached_property
    def by_name(self) -> dict[str, dict[str, Any]]:
        """The rows of submissions that have played, by their names in the tables."""
        return {name: row for row in self.rows if (name := self.name_of(row))}

    def curve(self, row: Row) -> DataFrame:
        """Return the rows of :attr:`history` of a submission, of all contents of its file."""
        rows = self.history
        is_staff = rows["rank"].isna()
        return rows[
            (rows["submission"] == row["submission"]) & (is_staff == (row["state"] == STAFF))
        ]


def _number(text: str | None) -> float | None:
    if text in ("True", "False"):
        return text == "True"
    return float(text) if text else None


def subtitle_of(league: League) -> str:
    """Return the heading of a league in words."""
    return f"A league of {league.tournament.info['game']}"


def sections_of(league: League, address: Address | None = None) -> Sections:
    """Return the sections of the first page of a league, each by its title with its maker.

    ``address`` returns the address of the page of a submission. None: there are no such pages.
    """
    return [
        ("What it is", lambda: _identity(league)),
        ("Ratings", lambda: _ratings(league, (PLAYS, STAFF), address)),
        ("Night by night", lambda: _nights(league)),
        ("Who beats whom", lambda: _crosses(league)),
        ("Does not play", lambda: _broken(league)),
        ("Games lost by faults", lambda: _faults(league, league.tournament.faults)),
        ("Earlier versions", lambda: _ratings(league, (EARLIER,), address)),
    ]


def _identity(league: League) -> Iterator[Block]:
    info = league.tournament.info
    nights = info.get("nights", [])
    states = [row["state"] for row in league.rows]
    seed = nights[-1]["seed"] if nights else None
    yield blocks.facts(
        {
            "game": info["game"],
            "submissions": f"{states.count(PLAYS)} submissions play",
            "bots of the staff": states.count(STAFF) or None,
            "nights": len(nights),
            "games": f"{int(league.tournament.pairs['games'].sum()):,}",
            "seed of the last night": None if seed is None else str(seed),
        }
    )
    if seed is not None:
        yield blocks.command(
            f"evo league FOLDER --game {shlex.quote(info['game'])} --seed {seed} --out AGAIN",
            "The seed was secret until the games were over. This command plays them again:",
        )


def _ratings(league: League, states: Sequence[str], address: Address | None) -> Iterator[Block]:
    rows = [row for row in league.rows if row["state"] in states]
    if not rows:
        return
    passed = {f"{file}: {share:.0%}": file for file, share in league.thresholds.items()}
    counts = dict.fromkeys(("games", "won", "drawn", "lost"), "d")
    forms = {
        "rank": "d",
        "submission": "",
        **dict.fromkeys(("rating", "±"), "d"),
        **counts,
        "points": "%",
        **{f"won as {seat.removeprefix('win_rate_as_')}": "%" for seat in league.seats},
        **dict.fromkeys(passed, ""),
        "faults": "d",
        "Nash": "g",
    }
    table = []
    for row in rows:
        name = row["submission"]
        spread = None if row["rating"] is None else (row["rating_high"] - row["rating_low"]) / 2
        table.append(
            [
                STAFF if row["state"] == STAFF else row["rank"],
                name if address is None else blocks.link(name, address(row)),
                *(None if each is None else round(each) for each in (row["rating"], spread)),
                *(row[key] for key in ("games", "wins", "draws", "losses", "score")),
                *(row[seat] for seat in league.seats),
                *(_passed(row, file) for file in passed.values()),
                row["forfeits"],
                None if row["nash"] is None else round(row["nash"], 3),
            ]
        )
    yield blocks.table(forms, table, "ratings" if PLAYS in states else "earlier")
    if PLAYS in states:
        yield blocks.text(RATINGS_NOTE)
        if repeated := sum(row["repeated"] or 0 for row in rows):
            yield blocks.text(
                "Pairs that play without randomness, the same games in every match: "
                f"{(int(repeated) + 1) // 2:,}. Of these one match is played and counts."
            )


def _passed(row: Row, file: str) -> str:
    passed, share = row.get(f"passed_{file}"), row.get(f"score_{file}")
    return "" if passed is None else f"{'passed' if passed else 'not passed'}, {share:.1%}"


def _nights(league: League) -> Iterator[Block]:
    ranked = [row for row in league.rows if row["state"] == PLAYS]
    lines = [_course(league.curve(row), row["submission"]) for row in ranked[:MOST_LINES]]
    if len(league.tournament.info.get("nights", [])) > 1:
        yield blocks.curves(
            "Rating after each night",
            ("night", "rating"),
            lines,
            "nights",
            note=f"The first {len(lines)} by rating." if len(lines) < len(ranked) else "",
        )


def _course(rows: DataFrame, name: str, *ends: str) -> Block:
    return blocks.line(name, rows["night"], rows["rating"], *(rows[each] for each in ends))


def _crosses(league: League) -> Iterator[Block]:
    names = [name for name, row in league.by_name.items() if row["state"] in (PLAYS, STAFF)]
    if not 1 < len(names) <= MOST_IN_MAP:
        return
    shares = league.tournament.cross_table.loc[names, names].to_numpy(float)
    labels = [league.by_name[name]["submission"] for name in names]
    title = "Share of the points of the row's submission against the column's"
    yield blocks.heat(title, ("submission", "opponent"), (labels, labels), shares, "cross-table")


def _broken(league: League) -> Iterator[Block]:
    rows = [[row["submission"], row["why"]] for row in league.rows if row["state"] == BROKEN]
    if rows:
        yield blocks.table({"submission": "", "why": ""}, rows, "broken")
        game = shlex.quote(league.tournament.info["game"])
        what = "shows the error output of a program"
        yield blocks.command(f"evo check-bot FILE --game {game}", what)


def _faults(league: League, faults: DataFrame) -> Iterator[Block]:
    """Yield the games that were lost by faults, grouped by player and cause."""
    groups = faults.assign(number=faults.index).groupby(["player", "cause"])
    rows = []
    for key, part in groups:
        player, cause = map(str, key if isinstance(key, tuple) else (key,))
        row, what = league.by_name.get(player, {"submission": player}), str(part["what"].iloc[0])
        why = what if league.show_errors else what.partition(WROTE)[0]
        rows.append([row["submission"], cause, len(part), part["number"].iloc[0], why])
    if rows:
        forms = {"submission": "", "cause": "", "games": "d", "first": "d", "why": ""}
        yield blocks.table(forms, rows, "faults")
        path = league.tournament.path
        folder = shlex.quote(str(path) if league.show_errors else path.name)
        what = "plays a game again, by the number of the first one"
        yield blocks.command(f"evo watch {folder} --fault NUMBER --trust", what)


# --- a submission --------------------------------------------------------------------------------


def submission_sections(
    league: League,
    name: str,
    address: Address | None = None,
    lost: Mapping[str, Block] | None = None,
) -> Sections:
    """Return the sections of the page of a submission, each by its title with its maker.

    Args:
        league: the league.
        name: name of the submission in the tables.
        address: returns the address of the page of a submission. None: there are no such pages.
        lost: by opponent, the link to a game that the submission lost.
    """
    row = league.by_name[name]
    faults = league.tournament.faults
    return [
        ("What it is", lambda: _submission(league, row)),
        ("Night by night", lambda: _own_course(league, row)),
        ("Results by opponent", lambda: _results(league, name, address, lost or {})),
        ("Games lost by faults", lambda: _faults(league, faults[faults["player"] == name])),
    ]


def sections_of_submissions(league: League) -> Sections:
    """Return a section for each submission that plays, with its course and its results."""

    def made(name: str) -> Iterator[Block]:
        return chain.from_iterable(make() for _, make in submission_sections(league, name))

    try:
        return [
            (str(row["submission"]), partial(made, name))
            for name, row in league.by_name.items()
            if row["state"] == PLAYS
        ]
    except ResultsError:  # which the first section reports
        return []


def _submission(league: League, row: Row) -> Iterator[Block]:
    rating = None if row["rating"] is None else f"{row['rating']:+.0f}"
    yield blocks.facts(
        {
            "rank": row["rank"],
            "state": row["state"],
            "rating": rating
            and f"{rating}, 95% interval {row['rating_low']:+.0f} to {row['rating_high']:+.0f}",
            "games": row["games"],
            "points": None if row["score"] is None else f"{row['score']:.1%}",
            **{
                f"against {file}, {share:.0%} expected": _passed(row, file)
                for file, share in league.thresholds.items()
            },
            "plays no more": row["why"],
            "plays without randomness against": row["repeated_with"],
            "SHA-256": row["digest"],
        }
    )


def _own_course(league: League, row: Row) -> Iterator[Block]:
    rows = league.curve(row)
    if len(rows) > 1:
        line = _course(rows, row["submission"], "rating_low", "rating_high")
        new = rows.loc[rows["digest"] != rows["digest"].shift(), "night"].tolist()[1:]
        versions = f" A new version came in night {', '.join(map(str, new))}." if new else ""
        note = f"The band is the 95% interval.{versions}"
        yield blocks.curves(
            "Rating after each night", ("night", "rating"), [line], "nights", note=note
        )


def _results(
    league: League, name: str, address: Address | None, lost: Mapping[str, Block]
) -> Iterator[Block]:
    pairs = league.tournament.by_player()
    rows = pairs[pairs["player"] == name].groupby("opponent", sort=False).sum(numeric_only=True)
    table = []
    for opponent, each in rows.iterrows():
        other = league.by_name.get(str(opponent), {"submission": str(opponent), "rating": None})
        shown = other["submission"]
        if address is not None and "state" in other:
            shown = blocks.link(shown, address(other))
        points = (each["wins"] + each["draws"] / 2) / max(1, each["games"])
        counts = (each[key] for key in ("games", "wins", "draws", "losses"))
        rating = None if other["rating"] is None else round(other["rating"])
        link = lost.get(str(opponent))
        table.append([shown, rating, *counts, points, *([link] if lost else [])])
    forms = {"opponent": "", "rating": "d", "games": "d", "won": "d", "drawn": "d", "lost": "d"}
    forms |= {"points": "%", **({"a lost game": ""} if lost else {})}
    if table:
        table.sort(key=lambda line: -(line[1] if line[1] is not None else -1e9))
        yield blocks.table(forms, table, "results")


def slug_of(name: str) -> str:
    """Return the name of a file for a submission: safe for any system, and unique by its digits."""
    file, _, digits = name.rpartition("@")
    return f"{re.sub(r'[^A-Za-z0-9]+', '-', file).strip('-')[:40] or 'submission'}-{digits}"
