"""The table of a league, and the same as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from evo.evaluation.players import Participant
from evo.tournaments.cross_table import CrossTable
from evo.tournaments.submissions import Submission
from results.errors import printable
from results.folder.files import Place
from results.redact import without_folders
from tournaments.players.bot.process import WROTE

if TYPE_CHECKING:
    from results import DataFrame

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
        players: the players that took part tonight, by name.
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
    players: Mapping[str, Participant] = field(default_factory=dict)

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
