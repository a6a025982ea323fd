"""Requests for what a run is worth: played, computed, or analysed."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from evo.requests.base import PLAYERS, PLAYS, REPORTS, Request, run_folder
from tournaments.errors import ConfigError
from tournaments.options import GAMES, OptionError, option

MOST_MEASURED = 2_000_000_000
"""As many games as are counted in 32 bits."""
USUAL_GAMES = 300
"""Games of a pair, unless another number is given."""


def snapshots() -> Any:
    """A field that names generations of which there are snapshots."""
    typed = "Sequence[int] | None"
    return option(None, "these snapshots alone", metavar="G", flag="--generation", type=typed)


@dataclass(frozen=True)
class EvaluateRequest(Request):
    """What is measured of a run: individuals, opponents, games."""

    execution: ClassVar = ("evaluator", "trust", *PLAYS, "faults", *REPORTS, "json")

    run: Any = run_folder("folder of the run, or its address; with --counts also a repeated game")
    opponents: Any = option(
        None,
        f"{PLAYERS}; best-response stands for what evo prove finds (default: random play, "
        "heuristics, perfect play)",
        metavar="PLAYER",
        nargs="+",
        type="Sequence[Any] | None",
    )
    games: int | None = option(
        None, f"a pair (default: {USUAL_GAMES})", **GAMES, high=MOST_MEASURED
    )
    _: KW_ONLY
    exact: bool = option(
        False,
        "compute what comes of all games in place of playing some, with the regret and the "
        "share of optimal moves (dots and boxes of up to 24 edges; by default of the fittest "
        "individual alone, as it takes seconds)",
    )
    best: int | None = option(None, "the N fittest of a snapshot (default: all)", low=1)
    best_by: int | None = option(
        None,
        "those that won most of so many games, measured before, in place of the fittest: chosen by "
        "one set of games and measured by another",
        metavar="GAMES",
    )
    every: int | None = option(
        None,
        "each K-th snapshot (default: each; with --best the last alone)",
        low=1,
        metavar="K",
    )
    generations: tuple[int, ...] | None = snapshots()
    populations: tuple[str, ...] | None = option(
        None,
        "these populations alone",
        metavar="NAME",
        flag="--population",
        type="Sequence[str] | None",
    )
    counts: str | None = option(
        None,
        "of a repeated game: play nothing else, and write to FILE (.json) which moves the "
        "opponents make after their last ones; a player markov:counts=FILE begins by them. "
        "Opponents may be recorded games of evo play; they meet the champion of the run, or markov",
        metavar="FILE",
        keyword=False,
    )
    config: Any = option(
        None, "of the run, where it has been validated already", flag=None, type="Config | None"
    )

    def __post_init__(self) -> None:
        if self.opponents is not None and not len(self.opponents):
            raise ConfigError("no opponents given; name at least one, such as level-1")
        if self.exact and self.games is not None:
            raise OptionError(
                "games",
                self.games,
                " beside what is computed, which plays no games: leave one of them out",
            )
        if self.best_by is not None and self.best_by == self.number_of_games:
            raise OptionError(
                "best_by",
                self.best_by,
                f" beside games={self.best_by}; who was chosen by games is measured by others: "
                "give another number of games",
            )

    @property
    def number_of_games(self) -> int:
        """Games of each individual against each opponent."""
        return USUAL_GAMES if self.games is None else self.games


@dataclass(frozen=True)
class ProveRequest(Request):
    """Of which individuals it is computed what the best possible opponent does to them."""

    execution: ClassVar = ("trust", "threads", *REPORTS, "json")

    run: Any = run_folder()
    _: KW_ONLY
    best: int | None = option(1, "the N fittest of each population", low=1)
    every: int | None = option(
        None, "each K-th snapshot (default: the newest alone)", low=1, metavar="K"
    )
    generations: tuple[int, ...] | None = snapshots()


@dataclass(frozen=True)
class AnalyseRequest(Request):
    """How a run is analysed: which snapshots, how many games, which opponents."""

    execution: ClassVar = ("evaluator", "trust", *PLAYS, *REPORTS, "json")

    run: Any = run_folder("folder of the run, or its address; or of a sweep, or of runs")
    _: KW_ONLY
    every: int | None = option(
        None, "each K-th snapshot (default: so that there are at most 60)", low=1, metavar="K"
    )
    games: int = option(200, "a pair", **GAMES, high=1_000_000)
    against: Any = option(
        (),
        "opponents that the run never met, beside the usual ones: players, files, or folders "
        "of other runs, which stand for their champions",
        metavar="PLAYER",
        nargs="+",
        type="Sequence[Any]",
    )
    seed: int | None = option(None, "of the games (default: that of the run)", low=0)
    exact: bool = option(
        False,
        "compute first what evo prove says of the newest champion, where that was not done",
    )
    out: str | None = option(
        None,
        "folder of pictures and numbers (default: RUN/plots and RUN/analysis)",
        metavar="DIR",
        keyword=False,
    )
