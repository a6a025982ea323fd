"""Requests for players that meet each other: a tournament, a league, a comparison."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from evo.requests.base import PLAYERS, PLAYS, REPORTS, Request
from tournaments.options import GAMES, REQUIRED, OptionError, one_of, option

GAME = "such as dots-and-boxes:rows=2,cols=2"
LIMITED = ("round-robin", "gauntlet", "swiss")
"""The schedules of a tournament that can be played on, or cut short."""


def check_schedule(request: Any) -> None:
    """Refuse options that do not go with the schedule.

    Raises:
        OptionError: the first of them.
    """
    for item in request.__dataclass_fields__.values():
        schedules, value = item.metadata.get("goes_with"), getattr(request, item.name)
        if schedules and value is not None and request.schedule not in schedules:
            raise OptionError(
                item.name,
                value,
                f" with schedule {request.schedule}; it goes with {' or '.join(schedules)}",
            )


@dataclass(frozen=True)
class TournamentRequest(Request):
    """A tournament: who plays what, by which schedule, and when it is over."""

    execution: ClassVar = ("evaluator", "trust", *PLAYS, "faults", *REPORTS, "json")

    game: Any = option(REQUIRED, GAME, argument=True, metavar="GAME", type="str | Game")
    players: Any = option(
        REQUIRED,
        f"{PLAYERS} (RUN@100: of generation 100; RUN@all, RUN@every-K: of all snapshots, or each "
        "K-th)",
        argument=True,
        metavar="PLAYER",
        nargs="+",
        type="Sequence[Any]",
    )
    games: int = option(1000, "games of each pair that meets, in a round", **GAMES)
    _: KW_ONLY
    seed: int = option(
        1, "the games of a pair depend on it, on the two players and on their number alone", low=0
    )
    secret: bool = option(False, "draw a seed that no player can guess; published at the end")
    schedule: str = one_of(
        "round-robin",
        "round-robin, gauntlet (the first player against all others), swiss, single-elimination "
        "or double-elimination",
        ("round-robin", "gauntlet", "swiss", "single-elimination", "double-elimination"),
        metavar="NAME",
    )
    rounds: int | None = option(
        None, "of swiss (default: those of a knock-out, and two)", low=1, goes_with=("swiss",)
    )
    challengers: int | None = option(
        None, "the first N players run the gauntlet", low=1, goes_with=("gauntlet",)
    )
    stop_within: float | None = option(
        None,
        "play on until each 95% interval is within so many points to each side",
        above=0,
        metavar="ELO",
        goes_with=LIMITED,
    )
    most_games: int | None = option(
        None, "begin no round that would go beyond N in all", low=1, goes_with=LIMITED
    )
    anchor: str | None = option(
        None, "whose rating is 0 (default: the mean of all is)", metavar="PLAYER"
    )
    out: Any = option(
        None,
        "folder, or address, for the results as Parquet; the same command goes on where it stopped",
        metavar="DIR",
        type="str | Path | None",
    )

    def __post_init__(self) -> None:
        check_schedule(self)
        if self.secret and self.seed != 1:
            raise OptionError("seed", self.seed, " with a secret seed; give one of the two")

    @property
    def matches(self) -> int:
        """Of a pair that meets, in a round."""
        return self.games // 2


@dataclass(frozen=True)
class LeagueRequest(Request):
    """A night of a league: whose submissions meet, how often, and where it is kept."""

    execution: ClassVar = ("evaluator", *PLAYS, *REPORTS, "json")

    folder: Any = option(
        REQUIRED,
        "submissions: one file, or run, each",
        argument=True,
        metavar="FOLDER",
        type="str | Path",
    )
    game: str = option(REQUIRED, GAME, metavar="GAME")
    games: int = option(100, "of each pair that meets", **GAMES)
    _: KW_ONLY
    seed: int | None = option(
        None,
        "of tonight's games, to play a night again (default: a secret one of 128 bits, published "
        "with the results)",
        low=0,
    )
    schedule: str = one_of(
        "round-robin",
        "round-robin: everybody meets everybody; swiss: each some who are near it in rating",
        ("round-robin", "swiss"),
        metavar="NAME",
    )
    rounds: int | None = option(
        None,
        "of swiss: how many others each meets (default: a knock-out's, and two)",
        low=1,
        goes_with=("swiss",),
    )
    most_games: int | None = option(None, "tonight; newcomers play first", low=1)
    seconds: float | None = option(
        None,
        "that a move of a program or of a Python player may take (default: 5)",
        above=0,
        metavar="S",
    )
    out: Any = option(
        None,
        "folder of the league: its games, page and CSV (default: FOLDER-league)",
        metavar="DIR",
        type="str | Path | None",
    )

    def __post_init__(self) -> None:
        check_schedule(self)
        if self.most_games is not None and self.most_games < self.games:
            raise OptionError(
                "most_games",
                self.most_games,
                f"; the games of one pair, {self.games}, or more are expected",
            )


@dataclass(frozen=True)
class CompareRequest(Request):
    """A sequential test of two players: leads, errors, and when it gives up."""

    execution: ClassVar = ("evaluator", *PLAYS, "faults", *REPORTS, "json")

    player: Any = option(
        REQUIRED, f"{PLAYERS}; RUN@100: of generation 100", argument=True, metavar="A"
    )
    opponent: Any = option(
        REQUIRED, "whom it is compared with, named likewise", argument=True, metavar="B"
    )
    game: Any = option(
        None,
        "what they play (default: that of the run A or B)",
        metavar="GAME",
        type="str | Game | None",
    )
    elo: tuple[float, ...] = option(
        (0.0, 5.0),
        "whether A is ahead by LOW points or by HIGH (default: 0 5)",
        metavar=("LOW", "HIGH"),
        nargs=2,
        type="tuple[float, float]",
    )
    _: KW_ONLY
    alpha: float = option(
        0.05, "how often the answer may be wrong where LOW is true", metavar="SHARE"
    )
    beta: float = option(
        0.05, "how often the answer may be wrong where HIGH is true", metavar="SHARE"
    )
    most_games: int = option(
        100_000, "games at most, after which it is undecided", flag="--most", **GAMES
    )
    seed: int = option(1, "the games depend on it and on the two players alone", low=0)

    def __post_init__(self) -> None:
        if len(self.elo) != 2:
            raise OptionError("elo", self.elo, "; two numbers are expected, such as (0, 5)")
