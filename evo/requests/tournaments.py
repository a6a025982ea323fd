"""Requests for games between players: a tournament, a league and a comparison."""

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
"""Schedules of tournaments that can be extended or cut short."""


def check_schedule(request: Any) -> None:
    """Raise if an option of a tournament does not apply to its schedule.

    Raises:
        OptionError: for the first option that does not apply.
    """
    for item in fields(request):
        schedules = item.metadata.get("goes_with", (request.schedule,))
        if request.schedule not in schedules and getattr(request, item.name) is not None:
            words = f" with schedule {request.schedule}; it needs {' or '.join(schedules)}"
            request.refuse(item.name, words)


@dataclass(frozen=True)
class TournamentRequest(Request):
    """Play a tournament and rate the players.

    By default, every player meets every other player. Print Elo ratings with 95% intervals and the
    cross table.

    Attributes:
        game: game with its options, such as dots-and-boxes:rows=2,cols=2
        players: players (evo players GAME), .npy or .json files of weights, or run folders for
            their champions (RUN@100: champion of generation 100; RUN@all, RUN@every-K: champions of
            all snapshots, or of every K-th)
        games: games per pair of players in each round
        seed: random seed; the games of a pair depend only on the seed, the two players and the
            number of the game
        secret: draw a seed that no player can guess; it is published at the end
        schedule: round-robin, gauntlet (the first player against all others), swiss,
            single-elimination or double-elimination
        rounds: number of Swiss rounds (default: two more than a knock-out tournament needs)
        challengers: gauntlet: number of players, from the first, that meet all others (default: 1)
        stop_within: play more rounds until each 95% interval extends at most ELO points to each
            side
        most_games: start no round that would exceed N games in total
        anchor: player whose rating is set to 0 (default: the mean rating is 0)
        out: write the results to this folder, or address, as Parquet; running the same command
            again resumes
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
        """Number of matches per pair of the tournament's players in each round."""
        return self.games // 2

    @property
    def first_players(self) -> int:
        """Number of players that meet all others in a gauntlet tournament."""
        return self.challengers or 1


@dataclass(frozen=True)
class LeagueRequest(Request):
    """Play new games among the submissions in a folder and update their ratings.

    Play the pairs of submissions that have not met yet, newcomers first, and write a web page and a
    CSV table. No pair plays twice, so that a daily cron job can run the league.

    Attributes:
        folder: folder of the submissions, one file or run each
        game: game with its options, such as dots-and-boxes:rows=2,cols=2
        games: games per pair of submissions
        seed: random seed of tonight's games, to repeat the games of a night (default: a secret seed
            of 128 bits, published with the results)
        schedule: round-robin (every pair meets) or swiss (each submission meets some others of
            similar rating)
        rounds: swiss: number of opponents of each submission (default: two more than the rounds of
            a knock-out tournament)
        most_games: maximum number of games tonight; newcomers play first
        seconds: time limit per move of a program or a Python player, in seconds (default: 5)
        staff: folder of bots of the staff, which meet all submissions and take no rank; its file
            thresholds.toml names the share of points to reach against each, "greedy.py" = 0.5
        again: also check the submissions again that were broken before and have not changed
        show_errors: show the error output of programs and full paths on the page and in the CSV
            table
        out: folder for the games, the page and the CSV table (default: FOLDER-league)
        site: folder for pages of any web server: ratings, a page per submission, lost games
        replays: maximum number of lost games that these pages show, in turn for each submission
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
    staff: str | Path | None = flag(None, metavar="DIR")
    again: bool = flag(False)
    show_errors: bool = flag(False)
    out: str | Path | None = flag(None, metavar="DIR")
    site: str | Path | None = flag(None, metavar="DIR")
    replays: int = flag(200, low=0, high=100_000)

    def __post_init__(self) -> None:
        check_schedule(self)
        if self.most_games is not None and self.most_games < self.games:
            words = f"; at least {self.games}, the games of one pair, are expected"
            self.refuse("most_games", words)


@dataclass(frozen=True)
class CompareRequest(Request):
    """Play games until it is known which of two players is stronger.

    Let a sequential test decide whether player A is ahead of player B by a given number of Elo
    points. Print the verdict, the log-likelihood ratio, and the Elo difference with its 95%
    interval.

    Attributes:
        player: player (evo players GAME), .npy or .json file of weights, or run folder for its
            champion (RUN@100: champion of generation 100)
        opponent: player that A is compared with, in the same notation
        game: game with its options (default: the game of the run A or B)
        elo: test whether A is ahead by LOW or by HIGH Elo points (default: 0 5)
        alpha: probability of a wrong verdict if LOW is true
        beta: probability of a wrong verdict if HIGH is true
        most_games: maximum number of games; after these the verdict is undecided
        seed: random seed; the games depend only on the seed and the two players
    """

    execution: ClassVar = ("evaluator", "trust", *PLAYS, "faults", *REPORTS, "json")

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
