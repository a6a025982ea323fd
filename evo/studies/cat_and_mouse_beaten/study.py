"""Cat and mouse, beaten: tables that no opponent can beat, learned from games alone.

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

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields
from itertools import product
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from cluster.jobs import perform
from cluster.processors import available_threads
from cluster.threads import LocalEvaluator
from cluster.transports.processes import Processes
from evo.config.config import Config, from_dict
from evo.evolution.loop import Clock, evaluate
from evo.evolution.start import learner_of
from evo.learners.annealing import AnnealingOptions
from evo.population import EvaluatedGeneration
from evo.studies.report import Evidence, StudyReport
from evo.studies.settings import Announce, names_of, setting
from tournaments import games
from tournaments.errors import ConfigError
from tournaments.game import Game
from tournaments.games.cat_and_mouse import solver
from tournaments.games.cat_and_mouse.board import CELLS
from tournaments.options import as_options, option, sentences_of


class Task(NamedTuple):
    """A task: the side that is to be unbeatable, the side that moves first, and the goal."""

    side: str
    first: str
    goal: str


TASKS = {
    "cat": Task("cat", "cat", "to catch every mouse"),
    "mouse": Task("mouse", "cat", "to be caught by no cat"),
    "late-mouse": Task("mouse", "mouse", "to live as long as perfect play"),
}
ROUNDS_A_PROOF = 500
"""Rounds from one proof to the next."""
Row = dict[str, Any]
LEARNER = {item.name: item for item in fields(AnnealingOptions)}


def _of_learner(name: str, default: Any) -> Any:
    """Declare a setting of the study that is an option of its learner, with the study's default."""
    doc = sentences_of(AnnealingOptions)[name]
    return field(default=default, metadata={**LEARNER[name].metadata, "doc": doc})


@dataclass(frozen=True)
class BeatenSettings:
    """Options of the study.

    Attributes:
        rows: rows of the board of the task cat
        cols: columns of the board of the task cat
        mouse_rows: rows of the board of the other tasks
        mouse_cols: columns of the board of the other tasks
        tasks: what is learned, joined by +: cat, mouse, late-mouse
        seeds: how often each is learned anew
        seed: the first seed; the others follow it
        budget: games after which a seed is given up
        starts: where games begin: any placement, or the corners (corner)
        same_games: 1: every round has the games of the first
        drift: 1: a variant that is as good is taken, too
        panel: players that are opponents, too, joined by +, such as random
        temperature: of annealing, see that learner; 0: hill climbing
        threads: seeds that are learned at once; 0: one a processor
    """

    rows: int = setting(8, low=2, high=16)
    cols: int = setting(7, low=2, high=16)
    mouse_rows: int = setting(8, low=2, high=16)
    mouse_cols: int = setting(8, low=2, high=16)
    tasks: str = option("cat+mouse")
    seeds: int = setting(10, low=1, high=10_000)
    seed: int = setting(1, low=0, high=2**62)
    budget: int = setting(200_000_000, low=1, high=10**12)
    candidates: int = _of_learner("candidates", 20)
    games: int = _of_learner("games", 20)
    changes: int = _of_learner("changes", 1)
    turn_after: int = _of_learner("turn_after", 5)
    starts: str = option("any", known=("any", "corner"))
    same_games: int = setting(0, low=0, high=1)
    drift: int = setting(0, low=0, high=1)
    archive: int = _of_learner("archive", 0)
    panel: str = option("")
    jump_after: int = _of_learner("jump_after", 0)
    most_changes: int = _of_learner("most_changes", 64)
    temperature: float = option(0.0, low=0.0, high=1e6)
    half_life: float = _of_learner("half_life", 10_000.0)
    threads: int = setting(0, low=0, high=256)


class LearningJob(NamedTuple):
    """A task with the seed by which it is learned."""

    settings: BeatenSettings
    task: str
    seed: int


def measure(settings: BeatenSettings, announce: Announce) -> Evidence:
    """Learn tables of cat and mouse with each seed, and prove the best response to each.

    The rows have ``proved`` (whether the goal of the task was proved), the ``games`` and ``rounds``
    until then, and ``plies`` by then against the best possible opponent (None: there is no
    capture). ``perfect`` says whether the table became as good as perfect play, which is the goal
    of the mice, after ``perfect_games``. ``all_games`` is the number of games of both sides.
    The number of processes changes nothing. ``NAME.npy`` is the table, int8 ``[cells, cells]``, of
    the first seed that reached the goal of a task.

    Raises:
        ConfigError: an unknown task, or a board on which a task cannot be done.
    """
    tasks = names_of("tasks", "task", settings.tasks, TASKS)
    for task in tasks:
        config_of(LearningJob(settings, task, settings.seed))
    announce(f"{settings.seeds} seeds of each: {settings.tasks.replace('+', ', ')}")
    seeds = range(settings.seed, settings.seed + settings.seeds)
    jobs = [LearningJob(settings, *plan) for plan in product(tasks, seeds)]
    seeds_over = 0

    def report(over: int, games_played: int) -> None:
        nonlocal seeds_over
        if over > seeds_over:
            seeds_over = over
            announce(f"{over} of {len(jobs)} seeds, {games_played:,} games")

    workers = min(settings.threads or available_threads(), len(jobs))
    with closing(Processes(workers)) as transport:
        outcomes = perform(transport, learn, jobs, report, lambda: False)
    for outcome in outcomes:
        if outcome.error is not None:
            raise outcome.error
    rows, tables = zip(*(outcome.value for outcome in outcomes), strict=True)
    arrays: dict[str, np.ndarray] = {}
    for row, table in zip(rows, tables, strict=True):
        if row["proved"]:
            arrays.setdefault(row["task"], table)
    record = {
        "learner": "hill-climbing, both sides in turn",
        "summary": [_summary(task, _game(settings, task), rows) for task in tasks],
        "rows": list(rows),
    }
    return Evidence(record, arrays=arrays)


def _game(settings: BeatenSettings, task: str) -> Game:
    """Return the game of cat and mouse for a task. Raise if its side cannot win on the board."""
    side, first, _ = TASKS[task]
    prefix = "" if side == "cat" else "mouse_"
    rows, cols = getattr(settings, f"{prefix}rows"), getattr(settings, f"{prefix}cols")
    if (rows + cols) % 2 != (side == "cat"):
        parity = "odd" if side == "cat" else "even"
        raise ConfigError(
            f"{prefix}rows={rows}, {prefix}cols={cols} given; their sum must be {parity}: the "
            f"task {task} needs it, with the {first} first"
        )
    return games.make("cat-and-mouse", rows=rows, cols=cols, first=first, end="move-limit")


def _summary(task: str, game: Game, rows: Sequence[Row]) -> Row:
    """Return the summary of a task of cat and mouse over all seeds, as a row.

    Medians are over the seeds that succeeded. ``rows`` are the results of the seeds.
    """
    rows = [row for row in rows if row["task"] == task]
    proved, perfect = (
        [row[column] for row in rows if row[column] is not None]
        for column in ("games", "perfect_games")
    )
    return {
        "task": task,
        "board": f"{game.options['rows']}x{game.options['cols']}",
        "first": TASKS[task].first,
        "seeds": len(rows),
        "proved": len(proved),
        "median_games": median(proved) if proved else None,
        "perfect": len(perfect),
        "perfect_plies": solver.plies_from(game.start()),
        "median_perfect_games": median(perfect) if perfect else None,
        "goal": TASKS[task].goal,
        "success_rate": len(proved) / len(rows),
    }


# --- one seed ----------------------------------------------------------------------------------


def learn(
    job: LearningJob, tell: Callable[[int], None], stop: Callable[[], bool]
) -> tuple[Row, np.ndarray]:
    """Learn a table of cat and mouse until it is perfect, or the budget of games is spent.

    Args:
        job: the task and the seed.
        tell: called with the number of games so far.
        stop: returns whether to stop early.

    Returns:
        A row of results, and the table, int8 ``[cells, cells]``.
    """
    settings, task, seed = job
    game, side = _game(settings, task), TASKS[task].side
    perfect = solver.plies_from(game.start())
    proved: tuple[int, int, int | None] | None = None
    for rounds, played, table in _climb(config_of(job), solver.SEATS.index(side)):
        plies = solver.best_response(game, table, side).plies
        is_perfect = plies == perfect
        if proved is None and (is_perfect or (side == "cat" and plies is not None)):
            proved = played, rounds, plies
        tell(played)
        if is_perfect or played >= settings.budget or stop():
            break
    games_played, rounds_played, plies_left = proved or (None, None, plies)
    row = {
        "task": task,
        "seed": seed,
        "proved": proved is not None,
        "games": games_played,
        "rounds": rounds_played,
        "plies": plies_left,
        "perfect": is_perfect,
        "perfect_games": played if is_perfect else None,
        "all_games": played,
    }
    return row, table


def config_of(job: LearningJob) -> Config:
    """Return the configuration of a run that learns cat and mouse for a task with a seed."""
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
    """Learn cat and mouse, and yield the state of one side every 500 rounds.

    Yields:
        The round, the games of both sides so far, and the side's table, int8 ``[cells, cells]``.
    """
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


REPORT = StudyReport(__package__, BeatenSettings, measure)
