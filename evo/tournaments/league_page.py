"""What a league shows: its table, as CSV and as one page that needs nothing else."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from evo.tournaments.cross_table import CrossTable
from evo.tournaments.submissions import Submission
from results.errors import printable
from results.folder.files import Place

if TYPE_CHECKING:
    from results import DataFrame

MOST_IN_CROSS_TABLE = 40
"""Submissions, of whom the page still has a cross table."""
FORMULA = ("=", "+", "-", "@")
"""How texts begin that a spreadsheet would take for formulas."""
COLUMNS = (
    *("rank", "submission", "state", "rating", "rating_low", "rating_high", "games", "wins"),
    *("draws", "losses", "forfeits", "score", "nash", "alpha_rank", "causes", "fault", "digest"),
    *("why", "repeated", "repeated_with"),
)
"""Of the table; those of the seats come after the score. ``repeated`` counts the opponents with
whom a submission would play the same games again, and so plays one match."""
PLAYS, BROKEN, EARLIER = "plays", "broken", "earlier"
"""States: an earlier one is a content that is no longer in the folder."""


TEXTS = ("submission", "state", "causes", "digest", "why", "repeated_with")
"""Columns of text."""


@dataclass(frozen=True)
class Forfeits:
    """Games that somebody lost by faults of one cause.

    Attributes:
        player: its name in the league.
        cause: of :data:`tournaments.errors.CAUSES`.
        games: how many.
        what: it did in the first of them.
        fault: the number of that one, as ``evo watch LEAGUE --fault`` takes it.
    """

    player: str
    cause: str
    games: int
    what: str
    fault: int


def forfeits_of(faults: DataFrame) -> list[Forfeits]:
    """The table ``faults`` of a league by player and cause, in the order of their names."""
    made = []
    for (player, cause), rows in faults.groupby(["player", "cause"]):
        first = int(rows.index[0])
        made.append(
            Forfeits(str(player), str(cause), len(rows), str(rows.loc[first, "what"]), first)
        )
    return made


@dataclass(frozen=True)
class LeagueTable:
    """A league after a night.

    Attributes:
        game: its full name.
        listed: the submissions of the folder.
        everybody: the games of all that ever played, those in the folder first.
        active: the games of those in the folder alone.
        folder: where the league is kept.
        games: played tonight.
        forfeits: what was lost by faults, in all nights.
        seed: of tonight's games. None: there were none.
    """

    game: str
    listed: list[Submission]
    everybody: CrossTable
    active: CrossTable
    folder: Place
    games: int
    forfeits: list[Forfeits]
    seed: int | None = None

    def __repr__(self) -> str:
        """Which league, how many play, and what of it is new."""
        plays = len(self.active.names)
        return (
            f"<league of {self.game} in {self.folder}: {plays} of {len(self.listed)} submissions "
            f"play, {self.games:,} games tonight>"
        )

    @property
    def seat_columns(self) -> list[str]:
        """``win_rate_as_first`` and so on, by the names of the seats."""
        return [f"win_rate_as_{seat}" for seat in self.everybody.seats]

    @property
    def columns(self) -> list[str]:
        """:data:`COLUMNS`, and those of the seats."""
        after = COLUMNS.index("score") + 1
        return [*COLUMNS[:after], *self.seat_columns, *COLUMNS[after:]]

    def rows(self) -> list[dict[str, Any]]:
        """One row a submission, with its ``columns``: ranked ones, earlier ones, broken ones."""
        return [dict(row) for row in self._rows]

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        by_name = {submission.name: submission for submission in self.listed if submission.name}
        shares = {row["player"]: row for row in standings(self.active, True)}
        rows = [
            self._row(row, by_name.get(row["player"]), shares.get(row["player"]))
            for row in standings(self.everybody)
        ]
        rows += [
            self._blank()
            | {"submission": new.file, "state": BROKEN, "digest": new.digest}
            | {"why": new.why}
            for new in self.listed
            if not new.name
        ]
        order = {PLAYS: 0, EARLIER: 1, BROKEN: 2}
        rows.sort(key=lambda row: order[row["state"]])  # which keeps the order by rating
        for rank, row in enumerate(rows, start=1):
            row["rank"] = rank if row["state"] == PLAYS else None
        return rows

    def _row(
        self, row: dict[str, Any], submission: Submission | None, shares: dict[str, Any] | None
    ) -> dict[str, Any]:
        name, _, digits = row["player"].rpartition("@")
        made = {**self._blank(), **{key: row[key] for key in COLUMNS if key in row}}
        made |= self.everybody.win_rates_by_seat(row["player"])
        mine = [lost for lost in self.forfeits if lost.player == row["player"]]
        made |= {
            "forfeits": sum(lost.games for lost in mine),
            "causes": "; ".join(f"{lost.cause} {lost.games}" for lost in mine),
            "fault": min((lost.fault for lost in mine), default=None),
        }
        same = [
            each for each in self.everybody.names if self.everybody.repeats(row["player"], each)
        ]
        files = {each.name: each.file for each in self.listed}
        made["repeated"] = len(same)
        made["repeated_with"] = "; ".join(files.get(each, each) for each in same)
        made |= {key: shares[key] if shares else float("nan") for key in ("nash", "alpha_rank")}
        if submission is None:
            return made | {"submission": name, "state": EARLIER, "digest": digits}
        state = PLAYS if submission.player else BROKEN
        return made | {
            "submission": submission.file,
            "state": state,
            "digest": submission.digest,
            "why": submission.why,
        }

    def _blank(self) -> dict[str, Any]:
        """A row of somebody who never played."""
        return {name: "" if name in TEXTS else None for name in self.columns}


def standings(table: CrossTable, shares: bool = False) -> list[dict[str, Any]]:
    """The standings of a table that may be empty."""
    return table.standings(shares) if table.names else []


def csv_of(league: LeagueTable) -> str:
    """The table as CSV; texts that a spreadsheet would run begin with an apostrophe."""
    held = io.StringIO()
    writer = csv.writer(held, lineterminator="\n")
    writer.writerow(league.columns)
    for row in league.rows():
        writer.writerow([_field(row[name]) for name in league.columns])
    return held.getvalue()


def _field(value: Any) -> Any:
    if value is None or value != value:
        return ""
    if isinstance(value, str):
        text = printable(value)
        return f"'{text}" if text.startswith(FORMULA) else text
    return value


def page_of(league: LeagueTable) -> str:
    """The table as one page of HTML, which fetches nothing; names are shown as they are."""
    rows = league.rows()
    by_state = {
        state: [row for row in rows if row["state"] == state] for state in (PLAYS, EARLIER, BROKEN)
    }
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    parts = [
        HEAD.format(game=escape(league.game)),
        f"<h1>{escape(league.game)}</h1>",
        f"<p>{now}: {len(by_state[PLAYS])} submissions, "
        f"{int(league.everybody.games.sum()) // 2:,} games, {league.games:,} of them tonight. "
        f"{EXPLAINED}</p>",
        "" if league.seed is None else f"<p>{SEED.format(league.seed)}</p>",
        _standings(league, by_state[PLAYS]),
    ]
    if by_state[BROKEN]:
        broken = [[row["submission"], row["why"]] for row in by_state[BROKEN]]
        parts += ["<h2>Does not play</h2>", _table(("submission", "why"), broken)]
    if league.forfeits:
        watch = f"evo watch {shlex.quote(str(league.folder))} --fault NUMBER --trust"
        parts += [
            "<h2>Games lost by faults</h2>",
            f"<p>The first one is played again by <code>{escape(printable(watch))}</code>.</p>",
            _table(("submission", "cause", "games", "number", "why"), _lost(league)),
        ]
    if repeated := sum(row["repeated"] for row in by_state[PLAYS]):
        parts.append(f"<p>{REPEATED.format(pairs=(repeated + 1) // 2)}</p>")
    if 1 < len(by_state[PLAYS]) <= MOST_IN_CROSS_TABLE:
        parts += ["<h2>Who beats whom</h2>", _cross_table(league, by_state[PLAYS])]
    if by_state[EARLIER]:
        parts += ["<h2>Earlier versions</h2>", _standings(league, by_state[EARLIER])]
    return "\n".join([*parts, "</main></body></html>", ""])


def _lost(league: LeagueTable) -> Iterator[list[Any]]:
    """A row a submission and cause; earlier ones by their names in the league."""
    files = {submission.name: submission.file for submission in league.listed if submission.name}
    for lost in league.forfeits:
        yield [files.get(lost.player, lost.player), lost.cause, lost.games, lost.fault, lost.what]


EXPLAINED = (
    "Points are the share of games that were won, a draw being half of one. Ratings are Elo points "
    "with 95% intervals: 100 more than an opponent are 64% of the points against it, and two whose "
    "intervals overlap may be equals. Nash is how often each is played by who must name one "
    "without knowing the other's choice; it stands here once all have met."
)
SEED = (
    "The seed of tonight's games is {0}. It was secret until they were over; <code>evo league ... "
    "--seed {0} --out FOLDER</code> plays them again."
)
REPEATED = (
    "Pairs that play without randomness, the same games in every match: {pairs:,}. Of these one "
    "match is played and counts; they have a star in the table of who beats whom."
)
SHOWN = ("", "submission", "rating", "", "games", "won", "drawn", "lost", "points")
HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>League: {game}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>
:root {{ color-scheme: light dark; --line: #d0d4da; --soft: #5b6470; }}
@media (prefers-color-scheme: dark) {{ :root {{ --line: #3a414b; --soft: #a2abb8; }} }}
body {{ font: 16px/1.45 system-ui, sans-serif; margin: 0; }}
main {{ max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }}
div {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: right; }}
th {{ color: var(--soft); font-weight: 600; }}
.text {{ text-align: left; overflow-wrap: anywhere; }}
</style></head><body><main>"""


def _standings(league: LeagueTable, rows: Iterable[dict[str, Any]]) -> str:
    """Rows of the table as they are shown."""
    heads = [*SHOWN, *(f"won as {seat}" for seat in league.everybody.seats), "Nash"]
    return _table(heads, (_cells(row, league.seat_columns) for row in rows))


def _cells(row: dict[str, Any], seats: Iterable[str]) -> list[Any]:
    spread = (row["rating_high"] - row["rating_low"]) / 2
    counts = [row[key] for key in ("games", "wins", "draws", "losses")]
    shares = [_number(row[key], ".1%") for key in ("score", *seats)]
    rating = [f"{row['rating']:+z.0f}", f"±{spread:.0f}"]
    nash = _number(row["nash"], ".3f")
    return [row["rank"] or "", row["submission"], *rating, *counts, *shares, nash]


def _number(value: float, form: str) -> str:
    return "" if value is None or np.isnan(value) else format(value, form)


def _share(share: float, repeats: bool) -> str:
    return _number(share, ".2f") + "*" * repeats


def _cross_table(league: LeagueTable, rows: Sequence[dict[str, Any]]) -> str:
    """The share of the points of the row against the column, in the order of the table."""
    places = {s.file: league.active.names.index(s.name) for s in league.listed if s.player}
    order = [places[row["submission"]] for row in rows]
    scores = league.active.scores[np.ix_(order, order)]
    names = [league.active.names[place] for place in order]
    stars = [[league.active.repeats(name, other) for other in names] for name in names]
    heads = ["", "submission", *(str(row["rank"]) for row in rows)]
    lines = [
        [row["rank"], row["submission"], *map(_share, line, repeated)]
        for row, line, repeated in zip(rows, scores.tolist(), stars, strict=True)
    ]
    return _table(heads, lines)


def _table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table; what is no number stands to the left."""
    texts = [place for place, head in enumerate(heads) if head in ("submission", "cause", "why")]

    def line(tag: str, cells: Sequence[Any]) -> str:
        shown = (
            f"<{tag}{' class=text' if place in texts else ''}>{_shown(cell)}</{tag}>"
            for place, cell in enumerate(cells)
        )
        return f"<tr>{''.join(shown)}</tr>"

    body = [line("td", row) for row in rows]
    return "\n".join(["<div><table>", line("th", heads), *body, "</table></div>"])


def _shown(cell: Any) -> str:
    return f"{cell:,}" if isinstance(cell, int) else escape(printable(str(cell)))
