"""Requests for players that meet each other: a tournament, a league, a comparison."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

from evo.requests.base import PLAYS, REPORTS, Request, argument, flag
from tournaments.options import GAMES, REQUIRED

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tournaments.game import Game

LIMITED = ("round-robin", "gauntlet", "swiss")
"""The schedules of a tournament that can be played on, or cut short."""


def check_schedule(request: Any) -> None:
    """Refuse options that do not go with the schedule.

    Raises:
        OptionError: the first of them.
    """
    for item in fields(request):
        schedules = item.metadata.get("goes_with", (request.schedule,))
        if request.schedule not in schedules and getattr(request, item.name) is not None:
            words = f" with schedule {request.schedule}; it goes with {' or '.join(schedules)}"
            request.refuse(item.name, words)


@dataclass(frozen=True)
class TournamentRequest(Request):
    """Who is how strong: ratings with intervals, and a cross table.

    Play a tournament, by default everybody against everybody, and print ratings with 95%
    intervals and the cross table.

    Attributes:
        game: such as dots-and-boxes:rows=2,cols=2
        players: players (evo players GAME), .npy or .json files of weights, or run folders, which
            stand for their champions (RUN@100: of generation 100; RUN@all, RUN@every-K: of all
            snapshots, or each K-th)
        games: games of each pair that meets, in a round
        seed: the games of a pair depend on it, on the two players and on their number alone
        secret: draw a seed that no player can guess; published at the end
        schedule: round-robin, gauntlet (the first player against all others), swiss,
            single-elimination or double-elimination
        rounds: of swiss (default: those of a knock-out, and two)
        challengers: the first N players run the gauntlet
        stop_within: play on until each 95% interval is within so many points to each side
        most_games: begin no round that would go beyond N in all
        anchor: whose rating is 0 (default: the mean of all is)
        out: folder, or address, for the results as Parquet; the same command goes on where it
            stopped
    """

    execution: ClassVar = ("evaluator", "trust", *PLAYS, "faults", *REPORTS, "json")

    game: str | Game = argument("GAME")
    players: Sequence[Any] = argument("PLAYER", nargs="+")
    games: int = flag(1000, **GAMES)
    _: KW_ONLY
    seed: int = flag(1, low=0)
    secret: bool = flag(False)
    schedule: str = flag(
        "round-robin",
        known=("round-robin", "gauntlet", "swiss", "single-elimination", "double-elimination"),
        metavar="NAME",
    )
    rounds: int | None = flag(None, low=1, goes_with=("swiss",))
    challengers: int | None = flag(None, low=1, goes_with=("gauntlet",))
    stop_within: float | None = flag(None, above=0, metavar="ELO", goes_with=LIMITED)
    most_games: int | None = flag(None, low=1, goes_with=LIMITED)
    anchor: str | None = flag(None, metavar="PLAYER")
    out: str | Path | None = flag(None, metavar="DIR")

    def __post_init__(self) -> None:
        check_schedule(self)
        if self.secret and self.seed != 1:
            self.refuse("seed", " with a secret seed; give one of the two")

    @property
    def matches(self) -> int:
        """Number of matches of a pair that meets, in a round."""
        return self.games // 2

    @property
    def first_players(self) -> int:
        """Number of players that run the gauntlet."""
        return self.challengers or 1


@dataclass(frozen=True)
class LeagueRequest(Request):
    """A folder of submissions, rated night after night.

    Look at the submissions of a folder, let those meet that have not met, newcomers first, and
    write one page and one CSV. Nothing is played twice: a line of a crontab is a league.

    Attributes:
        folder: submissions: one file, or run, each
        game: such as dots-and-boxes:rows=2,cols=2
        games: of each pair that meets
        seed: of tonight's games, to play a night again (default: a secret one of 128 bits,
            published with the results)
        schedule: round-robin: everybody meets everybody; swiss: each some who are near it in rating
        rounds: of swiss: how many others each meets (default: a knock-out's, and two)
        most_games: tonight; newcomers play first
        seconds: that a move of a program or of a Python player may take (default: 5)
        out: folder of the league: its games, page and CSV (default: FOLDER-league)
    """

    execution: ClassVar = ("evaluator", *PLAYS, *REPORTS, "json")

    folder: str | Path = argument("FOLDER")
    game: str = flag(REQUIRED, metavar="GAME")
    games: int = flag(100, **GAMES)
    _: KW_ONLY
    seed: int | None = flag(None, low=0)
    schedule: str = flag("round-robin", known=("round-robin", "swiss"), metavar="NAME")
    rounds: int | None = flag(None, low=1, goes_with=("swiss",))
    most_games: int | None = flag(None, low=1)
    seconds: float | None = flag(None, above=0, metavar="S")
    out: str | Path | None = flag(None, metavar="DIR")

    def __post_init__(self) -> None:
        check_schedule(self)
        if self.most_games is not None and self.most_games < self.games:
            words = f"; the games of one pair, {self.games}, or more are expected"
            self.refuse("most_games", words)


@dataclass(frozen=True)
class CompareRequest(Request):
    """Which of two is stronger: games until that is known.

    Let two players meet until a sequential test knows whether the first is ahead by so many Elo
    points, and print its answer, the likelihood ratio and the difference with its interval.

    Attributes:
        player: players (evo players GAME), .npy or .json files of weights, or run folders, which
            stand for their champions; RUN@100: of generation 100
        opponent: whom it is compared with, named likewise
        game: what they play (default: that of the run A or B)
        elo: whether A is ahead by LOW points or by HIGH (default: 0 5)
        alpha: how often the answer may be wrong where LOW is true
        beta: how often the answer may be wrong where HIGH is true
        most_games: games at most, after which it is undecided
        seed: the games depend on it and on the two players alone
    """

    execution: ClassVar = ("evaluator", *PLAYS, "faults", *REPORTS, "json")

    player: Any = argument("A")
    opponent: Any = argument("B")
    game: str | Game | None = flag(None, metavar="GAME")
    elo: tuple[float, float] = flag((0.0, 5.0), metavar=("LOW", "HIGH"), nargs=2)
    _: KW_ONLY
    alpha: float = flag(0.05, metavar="SHARE")
    beta: float = flag(0.05, metavar="SHARE")
    most_games: int = flag(100_000, flag="--most", **GAMES)
    seed: int = flag(1, low=0)

    def __post_init__(self) -> None:
        if len(self.elo) != 2:
            self.refuse("elo", "; two numbers are expected, such as (0, 5)")
