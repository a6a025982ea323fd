"""Requests that evaluate a run: by games, by exact computation, or by analysis."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from evo.requests.base import PLAYS, REPORTS, Request, argument, flag
from tournaments.errors import ConfigError
from tournaments.options import GAMES

if TYPE_CHECKING:
    from collections.abc import Sequence


SNAPSHOTS = {"metavar": "G", "flag": "--generation", "type": "Sequence[int] | None"}
POPULATIONS = {"metavar": "NAME", "flag": "--population", "type": "Sequence[str] | None"}
MOST_MEASURED = 2_000_000_000
"""Maximum number of games, so that counts fit 32 bits."""
USUAL_GAMES = 300
"""Default number of games per pair."""


@dataclass(frozen=True)
class EvaluateRequest(Request):
    """Measure snapshots of a run against fixed opponents.

    Append the results to RUN/evaluations. Results that are already there are not measured again.

    Attributes:
        run: folder of the run, or its address; with --counts, a repeated game is also accepted
        opponents: fixed opponents: players (evo players GAME), .npy or .json files of weights, run
            folders for their champions, or best-response for the best possible opponent (default:
            random play, heuristics and perfect play; for a contest, the champion of the first
            snapshot); in a contest of more than two players, each group of them fills the table
        games: games of each individual against each opponent (default: 300)
        exact: compute the exact results over all possible games instead of playing games, with the
            regret and the share of optimal moves; needs dots and boxes with up to 24 edges; takes
            seconds per individual (default with --exact: only the fittest individual)
        best: evaluate the N fittest individuals of each snapshot (default: all)
        best_by: select the individuals with the most wins in an earlier evaluation of GAMES games,
            instead of the fittest, so that selection and measurement use different games
        every: evaluate every K-th snapshot and the newest (default: every snapshot; with --best,
            the newest only)
        generations: evaluate only the snapshots of these generations
        populations: evaluate only these populations
        counts: for repeated games: do not evaluate; play the opponents against the champion of the
            run (or against markov, for a game) and write to FILE (.json) how often each opponent
            chose each move after its previous moves. An opponent may also be a game recorded by evo
            play. The player markov:counts=FILE starts from these counts
        config: configuration of the run, if it has been validated already
    """

    execution: ClassVar = ("evaluator", "trust", *PLAYS, "faults", *REPORTS, "json")

    run: Any = argument("RUN", type="str | Path | Run")
    opponents: Sequence[Any] | None = flag(None, metavar="PLAYER", nargs="+")
    games: int | None = flag(None, **GAMES, high=MOST_MEASURED)
    _: KW_ONLY
    exact: bool = flag(False)
    best: int | None = flag(None, low=1)
    best_by: int | None = flag(None, metavar="GAMES")
    every: int | None = flag(None, low=1, metavar="K")
    generations: tuple[int, ...] | None = flag(None, **SNAPSHOTS)
    populations: tuple[str, ...] | None = flag(None, **POPULATIONS)
    counts: str | None = flag(None, metavar="FILE", keyword=False)
    config: Any = flag(None, flag=None, type="Config | None")

    def __post_init__(self) -> None:
        if self.opponents is not None and not len(self.opponents):
            raise ConfigError("no opponents given; at least one is expected, such as level-1")
        if self.exact and self.games is not None:
            self.refuse(
                "games", " with exact results, which need no games: leave out one of the two"
            )
        if self.best_by is not None and self.best_by == self.number_of_games:
            words = "selection and measurement must use different games: give another number"
            self.refuse("best_by", f" with games={self.best_by}; {words}")

    @property
    def number_of_games(self) -> int:
        """Number of games of each individual against each opponent."""
        return USUAL_GAMES if self.games is None else self.games


@dataclass(frozen=True)
class BestResponseRequest(Request):
    """Compute exact results of the best possible opponent against champions.

    Append the results for the champion of each population to RUN/evaluations, unless they are
    already there. Gains are in net wins (games won minus games lost), or in net points if the game
    counts points. For dots and boxes, also compute the results against perfect play, with the
    regret per move and the share of optimal moves.

    Supported games are cat and mouse with one cat and one mouse (with random starts: computed for
    the start from the corners), dots and boxes with up to 24 edges, repeated games, and all games
    with few positions.

    Attributes:
        run: folder of the run, or its address
        best: use the N fittest individuals of each population
        every: use every K-th snapshot and the newest (default: only the newest)
        generations: use only the snapshots of these generations
    """

    execution: ClassVar = ("trust", "threads", *REPORTS, "json")

    run: Any = argument("RUN", type="str | Path | Run")
    _: KW_ONLY
    best: int | None = flag(1, low=1)
    every: int | None = flag(None, low=1, metavar="K")
    generations: tuple[int, ...] | None = flag(None, **SNAPSHOTS)


@dataclass(frozen=True)
class AnalyseRequest(Request):
    """Report whether a run progresses, cycles or forgets, and how strong it is.

    Play the champions of the run's snapshots against each other and against fixed opponents, draw
    the results, and report in words and numbers whether the run progresses, cycles, forgets,
    specialises or is disengaged. The run may still be in progress. For a sweep or a folder of runs,
    analyse each run, count the findings for each setting, and compare the settings in pairs (median
    difference, interval, Mann-Whitney p).

    Attributes:
        run: folder of a run, of a sweep or of several runs, or its address, such as
            s3://bucket/runs/x (docs/storage.md)
        every: analyse every K-th snapshot and the newest (default: an interval that gives at most
            60 snapshots)
        games: games per pair of players
        against: additional opponents that the run has never met: players (evo players GAME), files
            of weights, or folders of other runs for their champions
        seed: random seed of the games (default: the seed of the run)
        exact: first compute the best response to the newest champion, unless it is already known
        out: folder for the pictures and numbers (default: RUN/plots and RUN/analysis)
    """

    execution: ClassVar = ("evaluator", "trust", *PLAYS, *REPORTS, "json")

    run: Any = argument("RUN", type="str | Path | Run")
    _: KW_ONLY
    every: int | None = flag(None, low=1, metavar="K")
    games: int = flag(200, **GAMES, high=1_000_000)
    against: Sequence[Any] = flag((), metavar="PLAYER", nargs="+")
    seed: int | None = flag(None, low=0)
    exact: bool = flag(False)
    out: str | None = flag(None, metavar="DIR", keyword=False)


@dataclass(frozen=True)
class ReportRequest(Request):
    """Write a page about runs or a tournament to a single HTML file that needs no network.

    The page of a run has the curves, the verdicts of evo analyse, champions against champions,
    games of the champion move by move, the genomes of the population, the descent of the champion,
    faults, and the configuration. The run may be in progress, stopped or damaged: the page says
    what is missing and why. The page of several runs or of a sweep groups the runs by the settings
    that differ, draws their curves in the same charts, and tests the differences. The page of a
    tournament has the ratings and the cross tables.

    Attributes:
        folder: folder of a run, of a sweep, of several runs or of a tournament, or its address;
            several runs are compared
        html: the file (default: plots/report.html in the folder)
        quick: for runs: leave out the verdicts and the games of champions against champions
    """

    execution: ClassVar = ("trust", *PLAYS, *REPORTS)

    folder: Any = argument("FOLDER", nargs="+", type="str | Path | Run | Sequence[str | Path]")
    _: KW_ONLY
    html: str | None = flag(None, metavar="FILE")
    quick: bool = flag(False)
