"""Cat and mouse, beaten: tables that no opponent whatever can beat, learned from games alone.

W. B. Kennedy, "Using Optimization to Solve Adversarial Problems", ends its first study with a cat
that wins its last game, and loses to a mouse that knows it. Three tasks, on tables of one action
for each placement, opposite corners, ``move-limit``:

* ``cat``: 8x7, the cat first. The cat is to catch every mouse, and then as fast as perfect play.
* ``mouse``: 8x8, the cat first. No cat is to catch the mouse.
* ``late-mouse``: 8x8, the mouse first, which is lost. The mouse is to live as long as perfect play.

The learner is ``hill-climbing`` (``annealing`` with a temperature), both sides in turn, in games
that begin at any placement on the colour of the opening, new ones each round.

Learning knows nothing of the game's solution. Every 500 rounds :func:`solver.best_response` proves
what the best possible opponent does to the incumbent. It says when to stop, and nothing else: no
opponent comes from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, fields
from itertools import product
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from cluster.jobs import perform
from cluster.threads import LocalEvaluator, available_threads
from cluster.transports.processes import Processes
from evo.config.config import Config, from_dict
from evo.evolution.loop import Clock, evaluate
from evo.evolution.start import learner_of
from evo.learners.annealing import AnnealingOptions
from evo.population import EvaluatedGeneration
from evo.studies.page import checked_settings
from tournaments import games
from tournaments.errors import ConfigError, nearest
from tournaments.game import Game
from tournaments.games.cat_and_mouse import solver
from tournaments.games.cat_and_mouse.board import CELLS
from tournaments.options import as_options, option

TASKS = {"cat": ("cat", "cat"), "mouse": ("mouse", "cat"), "late-mouse": ("mouse", "mouse")}
"""Of each task the side that is to be unbeatable, and the side that moves first."""
STARTS = ("any", "corner")
ROUNDS_A_PROOF = 500
SWITCH = {"low": 0, "high": 1}
LEARNER = {item.name: item for item in fields(AnnealingOptions)}


def _of_learner(name: str, default: Any) -> Any:
    """An option of the learner, with the study's default."""
    return field(default=default, metadata=LEARNER[name].metadata)


@dataclass(frozen=True)
class Settings:
    """What the study lets one choose."""

    rows: int = option(8, "rows of the board of the task cat", low=2, high=16)
    cols: int = option(7, "columns of the board of the task cat", low=2, high=16)
    mouse_rows: int = option(8, "rows of the board of the other tasks", low=2, high=16)
    mouse_cols: int = option(8, "columns of the board of the other tasks", low=2, high=16)
    tasks: str = option("cat+mouse", "what is learned, joined by +: cat, mouse, late-mouse")
    seeds: int = option(10, "how often each is learned anew", low=1, high=10_000)
    seed: int = option(1, "the first seed; the others follow it", low=0, high=2**62)
    budget: int = option(200_000_000, "games after which a seed is given up", 1, 10**12)
    candidates: int = _of_learner("candidates", 20)
    games: int = _of_learner("games", 20)
    changes: int = _of_learner("changes", 1)
    turn_after: int = _of_learner("turn_after", 5)
    starts: str = option("any", "where games begin: any placement, or the corners (corner)")
    same_games: int = option(0, "1: every round has the games of the first", **SWITCH)
    drift: int = option(0, "1: a variant that is as good is taken, too", **SWITCH)
    archive: int = _of_learner("archive", 0)
    panel: str = option("", "players that are opponents, too, joined by +, such as random")
    jump_after: int = _of_learner("jump_after", 0)
    most_changes: int = _of_learner("most_changes", 64)
    temperature: float = option(0.0, "of annealing, see that learner; 0: hill climbing", 0.0, 1e6)
    half_life: float = _of_learner("half_life", 10_000.0)
    threads: int = option(0, "seeds that are learned at once; 0: one a processor", low=0, high=256)


@dataclass(frozen=True)
class Row:
    """What one seed learned.

    Attributes:
        task, seed: which.
        proved: whether the goal of the task was proved.
        games, rounds: until then.
        plies: by then, against the best possible opponent; None: there is no capture.
        perfect: whether the table became as good as perfect play, which is the goal of the mice.
        perfect_games: until then.
        all_games: that were played, of both sides.
    """

    task: str
    seed: int
    proved: bool
    games: int | None
    rounds: int | None
    plies: int | None
    perfect: bool
    perfect_games: int | None
    all_games: int


@dataclass(frozen=True)
class Summary:
    """The seeds of a task together; medians are over those that succeeded, None where none did."""

    task: str
    board: str
    first: str
    seeds: int
    proved: int
    median_games: float | None
    perfect: int
    perfect_plies: int | None
    median_perfect_games: float | None


@dataclass(frozen=True)
class Result:
    """What came of the study.

    Attributes:
        rows: a row a task and seed.
        summaries: one a task.
        tables: for each row the table at the end, int8 ``[cells, cells]``.
    """

    rows: tuple[Row, ...]
    summaries: tuple[Summary, ...]
    tables: tuple[np.ndarray, ...]


class Job(NamedTuple):
    """What is learned: a task with a seed."""

    settings: Settings
    task: str
    seed: int


def run(
    settings: Settings | None = None,
    report: Callable[[int, int, int], None] = lambda over, jobs, played: None,
) -> Result:
    """The whole study; one setting, one result, whatever the number of processes.

    Args:
        settings: see there.
        report: told about ten times a second: seeds that are over, all of them, games played.

    Raises:
        ConfigError: a setting that is out of range, or a board on which a task cannot be done.
    """
    settings = validated(settings or Settings())
    tasks = _tasks(settings)
    seeds = range(settings.seed, settings.seed + settings.seeds)
    jobs = [Job(settings, *plan) for plan in product(tasks, seeds)]
    workers = min(settings.threads or available_threads(), len(jobs))
    with closing(Processes(workers)) as transport:
        outcomes = perform(
            transport,
            learn,
            jobs,
            lambda over, played: report(over, len(jobs), played),
            lambda: False,
        )
    for outcome in outcomes:
        if outcome.error is not None:
            raise outcome.error
    rows, tables = zip(*(outcome.value for outcome in outcomes), strict=True)
    summaries = tuple(_summary(task, _game(settings, task), rows) for task in tasks)
    return Result(rows, summaries, tables)


def validated(settings: Settings) -> Settings:
    """The settings, after every one of them was looked at.

    Raises:
        ConfigError: as for :func:`run`.
    """
    settings = checked_settings(settings)
    for task in _tasks(settings):
        _config(Job(settings, task, settings.seed))
    return settings


def _tasks(settings: Settings) -> list[str]:
    if settings.starts not in STARTS:
        raise ConfigError(f"starts={settings.starts!r} given; 'any' or 'corner' is expected")
    names = settings.tasks.split("+")
    for name in names:
        if name not in TASKS:
            raise ConfigError(
                f"tasks={settings.tasks!r} given, with an unknown task {name!r}"
                f"{nearest(name, TASKS)} (known: {', '.join(TASKS)})"
            )
    return list(dict.fromkeys(names))


def _game(settings: Settings, task: str) -> Game:
    """The game of a task, in which its side can do what it is to do."""
    side, first = TASKS[task]
    prefix = "" if side == "cat" else "mouse_"
    rows, cols = getattr(settings, f"{prefix}rows"), getattr(settings, f"{prefix}cols")
    if (rows + cols) % 2 != (side == "cat"):
        parity = "odd" if side == "cat" else "even"
        raise ConfigError(
            f"{prefix}rows={rows}, {prefix}cols={cols} given; an {parity} sum is expected: the "
            f"task {task} needs it, with the {first} first"
        )
    return games.make("cat-and-mouse", rows=rows, cols=cols, first=first, end="move-limit")


def _summary(task: str, game: Game, rows: tuple[Row, ...]) -> Summary:
    rows = tuple(row for row in rows if row.task == task)
    proved = [row.games for row in rows if row.games is not None]
    perfect = [row.perfect_games for row in rows if row.perfect_games is not None]
    return Summary(
        task=task,
        board=f"{game.options['rows']}x{game.options['cols']}",
        first=TASKS[task][1],
        seeds=len(rows),
        proved=len(proved),
        median_games=median(proved) if proved else None,
        perfect=len(perfect),
        perfect_plies=solver.plies_from(game.start()),
        median_perfect_games=median(perfect) if perfect else None,
    )


# --- one seed ----------------------------------------------------------------------------------


def learn(
    job: Job, tell: Callable[[int], None], stop: Callable[[], bool]
) -> tuple[Row, np.ndarray]:
    """Climb until the table of a task is perfect, or the budget is spent."""
    settings, task, seed = job
    game, side = _game(settings, task), TASKS[task][0]
    perfect = solver.plies_from(game.start())
    proved: tuple[int, int, int | None] | None = None
    for rounds, played, table in _climb(_config(job), solver.SEATS.index(side)):
        plies = solver.best_response(game, table, side).plies
        is_perfect = plies == perfect
        if proved is None and (is_perfect or (side == "cat" and plies is not None)):
            proved = played, rounds, plies
        tell(played)
        if is_perfect or played >= settings.budget or stop():
            break
    games_played, rounds_played, plies_left = proved or (None, None, plies)
    row = Row(
        task=task,
        seed=seed,
        proved=proved is not None,
        games=games_played,
        rounds=rounds_played,
        plies=plies_left,
        perfect=is_perfect,
        perfect_games=played if is_perfect else None,
        all_games=played,
    )
    return row, table


def _config(job: Job) -> Config:
    """The configuration of a run that learns a task with a seed."""
    settings = job.settings
    options = {name: value for name, value in as_options(settings).items() if name in LEARNER}
    options |= {
        "name": "annealing" if settings.temperature else "hill-climbing",
        "panel": [name for name in settings.panel.split("+") if name],
        "same_games": bool(settings.same_games),
        "drift": bool(settings.drift),
    }
    if not settings.temperature:
        del options["temperature"], options["half_life"]
    starts = {"cat_start": settings.starts, "mouse_start": settings.starts}
    game = {"name": "cat-and-mouse", **_game(settings, job.task).options, **starts}
    return from_dict({"game": game, "learner": options, "seed": job.seed})


def _climb(config: Config, side: int) -> Iterator[tuple[int, int, np.ndarray]]:
    """Every 500 rounds their number, the games of both sides, and the table of one side."""
    learner, played = learner_of(config), 0
    present: EvaluatedGeneration | None = None
    cells = config.game.board[CELLS]
    with closing(LocalEvaluator(1)) as evaluator:
        while True:
            for _ in range(ROUNDS_A_PROOF):
                generation = learner.next(present) if present else learner.first()
                present, games_played = evaluate(config, learner, evaluator, generation, Clock())
                played += games_played
            assert present is not None
            incumbent = learner.next(present).populations
            table = next(
                population.genes[0]
                for population in incumbent
                if population.name == config.populations[side].name
            )
            yield present.number + 1, played, table.view(np.int8).reshape(cells, cells)
