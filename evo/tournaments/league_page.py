"""The table of a league, as CSV and as a self-contained HTML page."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from html import escape
from itertools import count
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from evo.tournaments.cross_table import CrossTable
from evo.tournaments.submissions import Submission
from results.errors import printable
from results.folder.files import Place
from results.redact import without_folders
from tournaments.players.bot.process import WROTE

if TYPE_CHECKING:
    from results import DataFrame

MOST_IN_CROSS_TABLE = 40
"""Maximum number of submissions for which the page contains a cross table."""
FORMULA = ("=", "+", "-", "@")
"""Prefixes of texts that a spreadsheet would interpret as formulas."""
COLUMNS = (
    *("rank", "submission", "state", "rating", "rating_low", "rating_high", "games", "wins"),
    *("draws", "losses", "forfeits", "score", "nash", "alpha_rank", "causes", "fault", "digest"),
    *("why", "repeated", "repeated_with"),
)
"""Columns of the table. The columns of the seats are inserted after the score.

``repeated`` is the number of opponents against which a submission would play the same games again
and so plays only one match.
"""
PLAYS, STAFF, EARLIER, BROKEN = "plays", "staff", "earlier", "broken"
"""States of submissions.

A submission of the staff takes no rank. An earlier submission is a content that is no longer in the
folder.
"""
ORDER = {PLAYS: 0, STAFF: 0, EARLIER: 1, BROKEN: 2}
"""Place of the submissions of each state in the table."""
PAGE = Path(__file__).with_suffix(".html")
"""Path of the template of the page."""
TEXTS = ("submission", "state", "causes", "digest", "why", "repeated_with")
"""Columns that contain text."""


@dataclass(frozen=True)
class Forfeits:
    """The games that a player lost by faults of one cause.

    Attributes:
        player: name of the player in the league.
        cause: one of :data:`tournaments.errors.CAUSES`.
        games: number of games.
        what: description of the first fault.
        fault: number of the first fault, for ``evo watch LEAGUE --fault``.
    """

    player: str
    cause: str
    games: int
    what: str
    fault: int


def forfeits_of(faults: DataFrame) -> list[Forfeits]:
    """Group the table ``faults`` of a league by player and cause, sorted by name."""
    numbered = faults.assign(fault=faults.index).groupby(["player", "cause"], as_index=False)
    rows = numbered.agg(games=("fault", "size"), what=("what", "first"), fault=("fault", "first"))
    return [Forfeits(*row) for row in rows.itertuples(index=False, name=None)]


@dataclass(frozen=True)
class LeagueTable:
    """The table of a league after a night.

    Attributes:
        game: full name of the game.
        listed: the submissions of the folder.
        everybody: games of all submissions that ever played, those in the folder first.
        folder: folder of the league.
        games: number of games played tonight.
        forfeits: games lost by faults, in all nights.
        seed: seed of tonight's games. None if no games were played.
        thresholds: share of the points to reach against bots of the staff, by file.
        history: rows of the table ``history``: the submissions after each night.
        show_errors: whether the page and the CSV show the error output of programs and full paths.
    """

    game: str
    listed: list[Submission]
    everybody: CrossTable
    folder: Place
    games: int
    forfeits: list[Forfeits]
    seed: int | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    show_errors: bool = False

    def __repr__(self) -> str:
        """Return a short text with the game, the folder and the counts of submissions and games."""
        plays, submitted = len(self.active.names), sum(not each.is_staff for each in self.listed)
        return (
            f"<league of {self.game} in {self.folder}: {plays} of {submitted} submissions "
            f"play, {self.games:,} games tonight>"
        )

    @property
    def seat_columns(self) -> list[str]:
        """The names of the columns of the seats, such as ``win_rate_as_first``."""
        return [f"win_rate_as_{seat}" for seat in self.everybody.seats]

    @property
    def columns(self) -> list[str]:
        """The names of all columns: :data:`COLUMNS`, those of the seats and of the thresholds."""
        after = COLUMNS.index("score") + 1
        passed = [f"{kind}_{file}" for file in self.thresholds for kind in ("score", "passed")]
        return [*COLUMNS[:after], *self.seat_columns, *passed, *COLUMNS[after:]]

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per submission: first ranked, then earlier, then broken submissions."""
        return [dict(row) for row in self._rows]

    def history_rows(self, night: int) -> list[dict[str, Any]]:
        """Return the rows of the table ``history`` for this night."""
        time = datetime.now(UTC).isoformat(timespec="seconds")
        return [
            {**row, "night": night, "time": time}
            for row in self._rows
            if row["state"] in (PLAYS, STAFF) and row["games"]
        ]

    def public(self, text: str) -> str:
        """Return a text without folders and error output, unless these are to be shown."""
        return text if self.show_errors else without_folders(text.partition(WROTE)[0])

    @cached_property
    def by_name(self) -> dict[str, Submission]:
        """The submissions of the folder that have a name in the league."""
        return {submission.name: submission for submission in self.listed if submission.name}

    @cached_property
    def active(self) -> CrossTable:
        """The games of the submissions of the folder alone, without the bots of the staff."""
        return self.everybody.of([n for n, each in self.by_name.items() if not each.is_staff])

    @cached_property
    def _against(self) -> dict[str, dict[str, float]]:
        """The share of the points of each player against the bots of the staff with thresholds."""
        names, shares = self.everybody.names, self.everybody.scores.T
        return {
            staff.file: dict(zip(names, shares[names.index(name)].tolist(), strict=True))
            for name, staff in self.by_name.items()
            if staff.is_staff and staff.file in self.thresholds
        }

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        shares = {row["player"]: row for row in standings(self.active, True)}
        rows = [self._row(row, shares.get(row["player"], {})) for row in standings(self.everybody)]
        rows += [
            {"submission": new.file, "state": BROKEN, "digest": new.digest, "why": new.why}
            for new in self.listed
            if not new.name
        ]
        rows.sort(key=lambda row: ORDER[row["state"]])  # stable: keeps the order by rating
        ranks = count(1)
        for row in rows:
            row["rank"] = next(ranks) if row["state"] == PLAYS else None
        blank = {name: "" if name in TEXTS else None for name in self.columns}
        return [{name: row.get(name, blank[name]) for name in blank} for row in rows]

    def _row(self, row: dict[str, Any], shares: dict[str, Any]) -> dict[str, Any]:
        """Return the row of a player of :attr:`everybody`.

        Args:
            row: the player's row in the standings of all submissions.
            shares: the player's row in the standings of the folder's submissions. Empty if the
                player is not in the folder.
        """
        player = row["player"]
        lost = [each for each in self.forfeits if each.player == player]
        same = [each for each in self.everybody.names if self.everybody.repeats(player, each)]
        made = {
            **row,
            **self.everybody.win_rates_by_seat(player),
            "forfeits": sum(each.games for each in lost),
            "causes": "; ".join(f"{each.cause} {each.games}" for each in lost),
            "fault": min((each.fault for each in lost), default=None),
            "repeated": len(same),
            "repeated_with": "; ".join(map(self.file_of, same)),
            **{key: shares.get(key, float("nan")) for key in ("nash", "alpha_rank")},
        }
        submission = self.by_name.get(player)
        if submission is None:
            file, _, digits = player.rpartition("@")
            return made | {"submission": file, "state": EARLIER, "digest": digits}
        state = STAFF if submission.is_staff else PLAYS
        made |= {"submission": submission.file, "state": state if submission.player else BROKEN}
        if not submission.is_staff:
            for file, shares in self._against.items():
                is_known = not np.isnan(share := shares[player])
                passed = share >= self.thresholds[file] if is_known else None
                made |= {f"score_{file}": share, f"passed_{file}": passed}
        return made | {"digest": submission.digest, "why": submission.why}

    def file_of(self, player: str) -> str:
        """Return the file of a player. For an earlier submission, return its name in the league."""
        submission = self.by_name.get(player)
        return player if submission is None else submission.file


def standings(table: CrossTable, shares: bool = False) -> list[dict[str, Any]]:
    """Return the standings of a table. An empty table has no standings."""
    return table.standings(shares) if table.names else []


def csv_of(league: LeagueTable) -> str:
    """Return the table as CSV. Texts that look like formulas get an apostrophe in front."""
    held = io.StringIO()
    writer = csv.writer(held, lineterminator="\n")
    writer.writerow(league.columns)
    for row in league.rows():
        row["why"] = league.public(row["why"])
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
    """Return the table as a self-contained HTML page. Names are escaped."""
    rows = league.rows()
    plays, earlier, broken = ([row for row in rows if ORDER[row["state"]] == n] for n in range(3))
    tables = [_standings(league, plays)]
    if league.history:
        low, high = _limits(league.history)
        tables.append(f"<p>{CURVES.format(low=low, high=high)}</p>")
    if any(row["state"] == STAFF for row in plays):
        tables.append(f"<p>{WITH_STAFF}</p>")
    if broken:
        lines = [[row["submission"], league.public(row["why"])] for row in broken]
        tables += ["<h2>Does not play</h2>", _table(("submission", "why"), lines)]
        tables.append(f"<p>{CHECK.format(game=escape(league.game))}</p>")
    if league.forfeits:
        folder = str(league.folder) if league.show_errors else league.folder.name
        watch = f"evo watch {shlex.quote(folder)} --fault NUMBER --trust"
        lost = [
            (league.file_of(each.player), each.cause, each.games, each.fault, shown)
            for each in league.forfeits
            for shown in (league.public(each.what),)
        ]
        tables += [
            "<h2>Games lost by faults</h2>",
            f"<p>The first one is played again by <code>{escape(printable(watch))}</code>.</p>",
            _table(("submission", "cause", "games", "number", "why"), lost),
        ]
    if repeated := sum(row["repeated"] for row in plays):
        tables.append(f"<p>{REPEATED.format(pairs=(repeated + 1) // 2)}</p>")
    if 1 < len(plays) <= MOST_IN_CROSS_TABLE:
        tables += ["<h2>Who beats whom</h2>", _cross_table(league, plays)]
    if earlier:
        tables += ["<h2>Earlier versions</h2>", _standings(league, earlier)]
    return Template(PAGE.read_text(encoding="utf-8")).substitute(
        game=escape(league.game),
        time=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        submissions=len(league.active.names),
        games=f"{int(league.everybody.games.sum()) // 2:,}",
        tonight=f"{league.games:,}",
        seed="" if league.seed is None else f"<p>{SEED.format(league.seed)}</p>",
        tables="\n".join(tables),
    )


SEED = (
    "The seed of tonight's games is {0}. It was secret until they were over; <code>evo league ... "
    "--seed {0} --out FOLDER</code> plays them again."
)
REPEATED = (
    "Pairs that play without randomness, the same games in every match: {pairs:,}. Of these one "
    "match is played and counts; they have a star in the table of who beats whom."
)
CURVES = (
    "The curve is the rating after each night. All curves have one scale, from {low:+z.0f} to "
    "{high:+z.0f}. A dot is a new version."
)
WITH_STAFF = (
    "Bots of the staff take no rank. A column such as greedy.py: 50% shows whether a submission "
    "reaches that share of the points against that bot."
)
CHECK = "<code>evo check-bot FILE --game {game}</code> shows the error output of a program."
SHOWN = ("", "submission", "rating", "", "by night", "games", "won", "drawn", "lost", "points")
WIDTH, HEIGHT, EDGE = 140, 30, 3
"""Size of the curve of a submission, and the free space around its line, in pixels."""


class Markup(str):
    """A text that is HTML already. Any other text is escaped."""


def _standings(league: LeagueTable, rows: Iterable[dict[str, Any]]) -> str:
    """Return rows of the standings as an HTML table."""
    passed = [f"{file}: {least:.0%}" for file, least in league.thresholds.items()]
    heads = [*SHOWN, *(f"won as {seat}" for seat in league.everybody.seats), *passed, "Nash"]
    return _table(heads, (_cells(row, league) for row in rows))


def _cells(row: dict[str, Any], league: LeagueTable) -> list[Any]:
    spread = (row["rating_high"] - row["rating_low"]) / 2
    counts = [row[key] for key in ("games", "wins", "draws", "losses")]
    shares = [_number(row[key], ".1%") for key in ("score", *league.seat_columns)]
    rating = [f"{row['rating']:+z.0f}", f"±{spread:.0f}", _curve(league.history, row)]
    passed = [_passed(row[f"passed_{file}"], row[f"score_{file}"]) for file in league.thresholds]
    nash = _number(row["nash"], ".3f")
    return [_place(row), row["submission"], *rating, *counts, *shares, *passed, nash]


def _place(row: dict[str, Any]) -> str:
    return "staff" if row["state"] == STAFF else str(row["rank"] or "")


def _passed(passed: bool | None, share: float) -> str:
    return "" if passed is None else f"{'passed' if passed else 'not passed'}, {share:.1%}"


def _limits(history: Iterable[dict[str, Any]]) -> tuple[float, float]:
    """Return the lowest and the highest rating of all nights."""
    ratings = [row["rating"] for row in history]
    return min(ratings), max(ratings)


def _curve(history: Sequence[dict[str, Any]], row: dict[str, Any]) -> Markup:
    """Return the ratings of a submission by night as an SVG picture."""
    who = (row["submission"], row["state"] == STAFF)
    mine = [each for each in history if (each["submission"], each["rank"] is None) == who]
    if not mine or row["state"] == EARLIER:
        return Markup()
    (low, high), nights = _limits(history), max(each["night"] for each in history)
    points, dots, before = [], [], ""
    for each in mine:
        x = EDGE + (WIDTH - 2 * EDGE) * (each["night"] - 1) / max(1, nights - 1)
        y = EDGE + (HEIGHT - 2 * EDGE) * (high - each["rating"]) / ((high - low) or 1)
        points.append(f"{x:.1f},{y:.1f}")
        if each["digest"] != before:
            dots.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>')
        before = each["digest"]
    ratings = ", ".join(f"{each['night']}: {each['rating']:+z.0f}" for each in mine)
    return Markup(
        f'<svg width="{WIDTH}" height="{HEIGHT}" role="img"><title>{ratings}</title>'
        f'<g fill="currentColor">{"".join(dots)}</g>'
        f'<polyline points="{" ".join(points)}" fill="none" stroke="currentColor"/></svg>'
    )


def _number(value: float, form: str) -> str:
    return "" if value is None or np.isnan(value) else format(value, form)


def _share(share: float, repeats: bool) -> str:
    return _number(share, ".2f") + "*" * repeats


def _cross_table(league: LeagueTable, rows: Sequence[dict[str, Any]]) -> str:
    """Return an HTML table of the row's share of the points against the column."""
    names = {submission.digest: submission.name for submission in league.by_name.values()}
    table = league.everybody.of([names[row["digest"]] for row in rows])
    heads = ["", "submission", *(str(row["rank"] or row["submission"]) for row in rows)]
    lines = []
    for row, name, scores in zip(rows, table.names, table.scores.tolist(), strict=True):
        repeated = (table.repeats(name, other) for other in table.names)
        lines.append([_place(row), row["submission"], *map(_share, scores, repeated)])
    return _table(heads, lines)


def _table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return an HTML table. Columns of text are aligned to the left."""
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
    if isinstance(cell, Markup):
        return cell
    return f"{cell:,}" if isinstance(cell, int) else escape(printable(str(cell)))
