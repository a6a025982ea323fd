"""Requests for what a run is worth: played, computed, or analysed."""

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
"""As many games as are counted in 32 bits."""
USUAL_GAMES = 300
"""Games of a pair, unless another number is given."""


@dataclass(frozen=True)
class EvaluateRequest(Request):
    """Measure snapshots of a run against fixed opponents.

    Play snapshots of a run against fixed opponents and append what comes of it to
    RUN/evaluations. What was measured before is not played again.

    Attributes:
        run: folder of the run, or its address; with --counts also a repeated game
        opponents: players (evo players GAME), .npy or .json files of weights, or run folders, which
            stand for their champions; best-response stands for the best possible opponent
            (default: random play, heuristics, perfect play)
        games: a pair (default: 300)
        exact: compute what comes of all games in place of playing some, with the regret and the
            share of optimal moves (dots and boxes of up to 24 edges; by default of the fittest
            individual alone, as it takes seconds)
        best: the N fittest of a snapshot (default: all)
        best_by: those that won most of so many games, measured before, in place of the fittest:
            chosen by one set of games and measured by another
        every: each K-th snapshot (default: each; with --best the last alone)
        generations: these snapshots alone
        populations: these populations alone
        counts: of a repeated game: play nothing else, and write to FILE (.json) which moves the
            opponents make after their last ones; a player markov:counts=FILE begins by them.
            Opponents may be recorded games of evo play; they meet the champion of the run, or
            markov
        config: of the run, where it has been validated already
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
            raise ConfigError("no opponents given; name at least one, such as level-1")
        if self.exact and self.games is not None:
            self.refuse(
                "games", " beside what is computed, which plays no games: leave one of them out"
            )
        if self.best_by is not None and self.best_by == self.number_of_games:
            words = "who was chosen by games is measured by others: give another number of games"
            self.refuse("best_by", f" beside games={self.best_by}; {words}")

    @property
    def number_of_games(self) -> int:
        """Games of each individual against each opponent."""
        return USUAL_GAMES if self.games is None else self.games


@dataclass(frozen=True)
class BestResponseRequest(Request):
    """Compute what the best possible opponent does to the champions of a run.

    Compute, exactly, what the best possible opponent does to the champion of each population, and
    append it to RUN/evaluations; for dots and boxes also what comes of its games against perfect
    play, its regret a move and its share of optimal moves. What was proved before is not computed
    again. Gains are in net wins, games won less games lost, or in net points where the game
    counts these. For cat and mouse with one of each, dots and boxes of up to 24 edges, repeated
    games and any game of few positions; cat and mouse that draws where it starts is proved from
    the corners.

    Attributes:
        run: folder of the run, or its address
        best: the N fittest of each population
        every: each K-th snapshot (default: the newest alone)
        generations: these snapshots alone
    """

    execution: ClassVar = ("trust", "threads", *REPORTS, "json")

    run: Any = argument("RUN", type="str | Path | Run")
    _: KW_ONLY
    best: int | None = flag(1, low=1)
    every: int | None = flag(None, low=1, metavar="K")
    generations: tuple[int, ...] | None = flag(None, **SNAPSHOTS)


@dataclass(frozen=True)
class AnalyseRequest(Request):
    """Say whether a run is progressing, cycling or forgetting, and how good it is.

    Play the champions of a run's snapshots against each other and against opponents that stay the
    same; say in words, with the numbers, whether the run progresses, cycles, forgets, specialises
    or is disengaged; and draw it. The run may be going on. Of a sweep, or of a folder of runs,
    each by itself, how many of the runs of a setting do what, and settings compared in pairs:
    median difference, interval, Mann-Whitney p.

    Attributes:
        run: folder of the run, or its address; or of a sweep, or of runs
        every: each K-th snapshot (default: so that there are at most 60)
        games: a pair
        against: opponents that the run never met, beside the usual ones: players, files, or folders
            of other runs, which stand for their champions
        seed: of the games (default: that of the run)
        exact: compute first the best response to the newest champion, unless it was computed
            before
        out: folder of pictures and numbers (default: RUN/plots and RUN/analysis)
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
