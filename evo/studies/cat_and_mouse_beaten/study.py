"""Cat and mouse, beaten: tables that no opponent whatever can beat, learned from games alone.

W. B. Kennedy, "Using Optimization to Solve Adversarial Problems", ends its first study with a cat
that wins its last game, and loses to a mouse that knows it. Three tasks, on tables of one action
for each placement, opposite corners, ``move-limit``:

* ``cat``: 8x7, the cat first. The cat is to catch every mouse, and then as fast as perfect play.
* ``mouse``: 8x8, the cat first. No cat is to catch the mouse.
* ``late-mouse``: 8x8, the mouse first, which is lost. The mouse is to live as long as perfect play.

The learner is hill climbing of both sides in turn. In a round, the learning side's *incumbent* and
variants of it, of so many changed cells each, play the same games against the other side's
incumbent, against earlier ones (``archive``) and against a random player (``panel``). More wins
count first, then plies (fewer for the cat, more for the mouse), then the distance at the end. What
is better becomes the incumbent. A side learns until it wins all of its games or for ``turn_after``
rounds, then the other one does. Each round has new games, which begin at any placement that is on
the colour of the opening.

Learning knows nothing of the game's solution. Every 500 rounds :func:`pursuit.best_response` proves
what the best possible opponent does to the incumbent. It says when to stop, and nothing else: no
opponent comes from it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from statistics import median

import numpy as np

from evo.errors import ConfigError
from evo.studies.cat_and_mouse_beaten.climbing import PLAYED, ROUND, begin, climb
from tournaments import games
from tournaments.errors import nearest
from tournaments.game import Game
from tournaments.games.cat_and_mouse import solver as pursuit
from tournaments.games.cat_and_mouse.board import CELLS
from tournaments.kernels.linker import build
from tournaments.kernels.rng import match_seeds
from tournaments.options import as_options, checked, option

NAME = "cat-and-mouse-beaten"
TASKS = {"cat": ("cat", "cat"), "mouse": ("mouse", "cat"), "late-mouse": ("mouse", "mouse")}
"""Of each task the side that is to be unbeatable, and the side that moves first."""
STARTS = ("any", "corner")
ROUNDS_A_PROOF = 500
SWITCH = {"low": 0, "high": 1}


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
    candidates: int = option(20, "variants of the incumbent in a round", low=1, high=1000)
    games: int = option(20, "games of each table against each table", low=1, high=100_000)
    changes: int = option(1, "cells that a variant changes", low=1, high=1000)
    turn_after: int = option(5, "rounds after which the other side learns", 1, 10**9)
    starts: str = option("any", "where games begin: any placement, or the corners (corner)")
    same_games: int = option(0, "1: every round has the games of the first", **SWITCH)
    drift: int = option(0, "1: a variant that is as good is taken, too", **SWITCH)
    archive: int = option(0, "earlier incumbents that are opponents, too", low=0, high=1000)
    panel: int = option(0, "games of each table against a random player", low=0, high=100_000)
    jump_after: int = option(0, "rounds without a gain that double the changes; 0: none", 0, 10**9)
    most_changes: int = option(64, "the most that such jumps lead to", low=1, high=1000)
    temperature: float = option(0.0, "of annealing, in parts of the measure; 0: none", 0.0, 1e6)
    half_life: int = option(10_000, "rounds in which the temperature halves", 1, 10**9)
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


Told = Callable[[Row], None]


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


def run(settings: Settings | None = None, told: Told = lambda row: None) -> Result:
    """The whole study; one setting, one result, whatever the number of threads.

    Args:
        settings: see there.
        told: of each seed as it is done, in the order of their ends.

    Raises:
        ConfigError: a setting that is out of range, or a board on which a task cannot be done.
    """
    settings = validated(settings or Settings())
    plans = {task: _game(settings, task) for task in _tasks(settings)}
    seeds = range(settings.seed, settings.seed + settings.seeds)
    learn = partial(_learned, settings, told)
    with ThreadPoolExecutor(settings.threads or os.cpu_count()) as pool:
        learned = list(pool.map(learn, *zip(*product(plans.items(), seeds), strict=True)))
    rows = tuple(row for row, _ in learned)
    summaries = tuple(_summary(task, game, rows) for task, game in plans.items())
    return Result(rows, summaries, tuple(table for _, table in learned))


def validated(settings: Settings) -> Settings:
    """The settings, after every one of them was looked at.

    Raises:
        ConfigError: as for :func:`run`.
    """
    settings = checked(Settings, "", as_options(settings), ConfigError)
    for task in _tasks(settings):
        _game(settings, task)
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
    found = [row.games for row in rows if row.games is not None]
    perfect = [row.perfect_games for row in rows if row.perfect_games is not None]
    return Summary(
        task=task,
        board=f"{game.options['rows']}x{game.options['cols']}",
        first=TASKS[task][1],
        seeds=len(rows),
        proved=len(found),
        median_games=median(found) if found else None,
        perfect=len(perfect),
        perfect_plies=pursuit.plies_from(game.start()),
        median_perfect_games=median(perfect) if perfect else None,
    )


# --- one seed ----------------------------------------------------------------------------------


def _learned(
    settings: Settings, told: Told, plan: tuple[str, Game], seed: int
) -> tuple[Row, np.ndarray]:
    """Climb until the table of a task is perfect, or the budget is spent."""
    task, game = plan
    side = TASKS[task][0]
    perfect = pursuit.plies_from(game.start())
    study = begin(as_options(settings), game, f"{NAME} {task}", seed)
    table = study.tables[pursuit.SEATS.index(side)].reshape(2 * (game.board[CELLS],))
    proved: tuple[int, int, int | None] | None = None
    for seeds in _seeds(settings, f"{NAME} {task}", seed):
        build(climb)(study, *seeds)
        played, rounds = int(study.turn[PLAYED]), int(study.turn[ROUND])
        plies = pursuit.best_response(game, table, side).plies
        is_perfect = plies == perfect
        if proved is None and (is_perfect or (side == "cat" and plies is not None)):
            proved = played, rounds, plies
        if is_perfect or played >= settings.budget:
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
    told(row)
    return row, table


def _seeds(settings: Settings, purpose: str, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For the rounds until a proof, block after block: seeds of the variants, and of the games."""
    block = 0
    while True:
        fresh = match_seeds(seed, f"{purpose} games", block, ROUNDS_A_PROOF)
        same = np.full_like(fresh, match_seeds(seed, f"{purpose} games", 0, 1)[0])
        variants = match_seeds(seed, f"{purpose} variants", block, ROUNDS_A_PROOF)
        yield variants, same if settings.same_games else fresh
        block += 1
