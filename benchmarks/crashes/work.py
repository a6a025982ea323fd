"""Small pieces of work that may be begun again where they were stopped, and what comes of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import evo
from cluster import LocalEvaluator
from evo.config import config as configuration
from evo.evolution import loop, runs
from evo.evolution.start import learner_of
from evo.learners import LEARNERS
from evo.tournaments.play import tournament
from results import open_run
from results.folder.tournament import open_tournament
from tournaments.schemes import REGISTRY as SCHEMES

GAME = {"name": "dots-and-boxes", "rows": 2, "cols": 2}
SMALL = {"game": GAME, "population": 12, "generations": 9, "snapshot_interval": 2, "seed": 3}
CLIMBERS = ("annealing", "hill-climbing")
OPPONENT, PLAYERS = "random", ("random", "level-0", "level-1")


@dataclass(frozen=True)
class Work:
    """A piece of work that may be begun again in the folder in which it was stopped.

    Attributes:
        name: for messages.
        begin: does it, or goes on with it, in a folder.
        content: all that has to be the same whatever happened, of a folder in which it is done.
        warm: compiles, before any process is forked.
    """

    name: str
    begin: Callable[[Path], object]
    content: Callable[[Path], dict[str, Any]]
    warm: Callable[[], object]


def all_work() -> Iterator[Work]:
    """Yield a small run for each learner and each scheme, and a tournament."""
    for name in LEARNERS.names():
        options: dict[str, Any] = {**SMALL, "learner": {"name": name}}
        if name in CLIMBERS:  # their rounds have a size of their own
            options |= {"generations": 40}
            del options["population"]
        elif name == "q-learning":
            options["learner"] = {"name": name, "turns": 50}
        yield run_work(f"learner {name}", options)
    for name in SCHEMES.names():
        yield run_work(f"scheme {name}", {**SMALL, "scheme": name})
    yield Work(
        "tournament",
        lambda path: play_tournament(path / "tournament"),
        tournament_content,
        lambda: play_tournament(None, games=2),
    )


def run_work(name: str, options: dict[str, Any]) -> Work:
    """Return the work of a run and the evaluation of its champion."""
    config = configuration.from_dict(options)

    def begin(path: Path) -> None:
        run = path / "run"
        if (run / "run.json").exists():
            runs.resume(run, threads=1)
        else:
            runs.run(run, config, threads=1)
        evo.evaluate(run, [OPPONENT], games=20, best=1, threads=1)

    def warm() -> None:
        learner, evaluator = learner_of(config), LocalEvaluator(1)
        first = loop.trained(learner, learner.first(), evaluator)
        loop.evaluate(config, learner, evaluator, first, loop.Clock())
        evaluator.close()

    return Work(name, begin, lambda path: run_content(path / "run"), warm)


def run_content(run: Path) -> dict[str, Any]:
    """Snapshots and their list to the byte, and the tables without what a clock says."""
    files = [*sorted((run / "snapshots").iterdir()), run / "snapshots.sha256"]
    opened = open_run(run)
    leftovers = sorted(path.name for path in run.rglob(".*.tmp"))
    tables = {"generations": opened.generations, "evaluations": opened.evaluations}
    return {
        **{file.name: file.read_bytes() for file in files},
        **{name: rows_of(table) for name, table in tables.items()},
        "leftovers": leftovers,
    }


def rows_of(table: Any) -> list[dict[str, Any]]:
    """Return the rows of a frame in order. Values are text, since some are NaN."""
    kept = table[[name for name in table.columns if not name.endswith("_seconds")]]
    return [{key: repr(value) for key, value in row.items()} for row in kept.to_dict("records")]


def play_tournament(folder: Path | None, games: int = 40) -> None:
    """Play a small tournament, in which the rounds of a knock-out are separate parts."""
    tournament(
        "dots-and-boxes:rows=2,cols=2",
        PLAYERS,
        games,
        schedule="swiss",
        rounds=2,
        out=folder,
        threads=1,
    )


def tournament_content(path: Path) -> dict[str, Any]:
    """Return the matches played, the ratings and any temporary files left behind."""
    opened = open_tournament(path / "tournament")
    leftovers = sorted(file.name for file in path.rglob(".*.tmp"))
    rows = {"pairs": rows_of(opened.pairs), "ratings": rows_of(opened.ratings)}
    return {**rows, "leftovers": leftovers}


def differing(found: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    """Return the names of the parts that differ."""
    names = sorted(found.keys() | wanted.keys())
    return [name for name in names if found.get(name) != wanted.get(name)]
