"""What ``evo reproduce cat-and-mouse-v2`` prints, draws and keeps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from evo.studies.cat_and_mouse_v2.study import Result, Row, Settings, cat_action, run, validated
from evo.studies.reproduction import Reproduction, proof_record
from tournaments import games
from tournaments.errors import TournamentError
from tournaments.games.cat_and_mouse.solver import best_response
from tournaments.kernels.linker import build, kernel
from tournaments.options import as_options

__all__ = ["Settings", "policy", "reproduce"]

STAGES = {
    1: ("random", "in the corners"),
    2: ("careful", "in the corners"),
    3: ("both in turn", "anywhere"),
}
"""Of each stage the mouse, and where games begin."""
TITLES = {
    1: "stage 1: random mouse",
    2: "stage 2: careful mouse",
    3: "stage 3: both mice",
}
STAGE_COLUMNS = {
    "stage": "d",
    "mouse": "",
    "games_begin": "",
    "rounds": ",d",
    "wins_before": ",d",
    "wins": ",d",
    "all_won_after": ",d",
    "mean_moves": ".3f",
    "mean_distance": ".3f",
}
SHOWN_COLUMNS = {
    "stage": "d",
    "board": "",
    "mouse": "",
    "games": ",d",
    "wins": ",d",
    "mean_moves": ".3f",
    "mean_distance": ".3f",
}


def reproduce(settings: Settings, announce: Callable[[str], None]) -> Reproduction:
    """Run the study, and try its cat against the best possible mouse on both boards.

    Raises:
        ConfigError: a setting that cannot be.
    """
    settings = validated(settings)
    announce(f"training on {settings.rows}x{settings.cols}, {settings.games:,} games a table")
    begun = time.perf_counter()
    result = run(settings)
    seconds = time.perf_counter() - begun
    policies = {name: policy(result.table, *board) for name, board in _boards(settings).items()}
    record = {
        "trained": result.trained,
        "stages": _stages(settings, result),
        "shown": [asdict(row) for row in result.shown],
        "proof": {
            name: _proof(policies[name], *board) for name, board in _boards(settings).items()
        },
        "seconds": seconds,
        "settings": as_options(settings),
    }
    return Reproduction(
        record=record,
        lines=tuple(_lines(record)),
        arrays={"table": result.table, **{f"cat-{name}": policies[name] for name in policies}},
        tables={"curve": _columns(result.curve), "shown": _columns(result.shown)},
        draw=lambda folder: _draw(settings, result, folder),
    )


def _boards(settings: Settings) -> dict[str, tuple[int, int]]:
    boards = (settings.rows, settings.cols), (settings.shown_rows, settings.shown_cols)
    return {f"{rows}x{cols}": (rows, cols) for rows, cols in boards}


def _stages(settings: Settings, result: Result) -> list[dict[str, Any]]:
    """A row a stage, as in :data:`STAGE_COLUMNS`; what is None did not happen."""
    rows = []
    for number, part in groupby(result.curve, key=lambda row: row.stage):
        curve = list(part)
        first, last = curve[0], curve[-1]
        won = [row.round - first.round for row in curve if row.wins == settings.games]
        mouse, begin = STAGES[number]
        rows.append(
            {
                "stage": number,
                "mouse": mouse,
                "games_begin": begin,
                "rounds": last.round - first.round,
                "wins_before": first.wins,
                "wins": last.wins,
                "all_won_after": won[0] if won else None,
                "mean_moves": last.mean_moves,
                "mean_distance": last.mean_distance,
            }
        )
    return rows


def _proof(cat: np.ndarray, rows: int, cols: int) -> dict[str, Any] | None:
    """What the best mouse does to a cat, int8 ``[cells, cells]``; None: the board is too large."""
    try:
        game = games.make("cat-and-mouse", rows=rows, cols=cols, first="mouse", end="move-limit")
    except TournamentError:  # the study takes larger boards than the game does
        return None
    return proof_record(best_response(game, cat, "cat"))


def policy(table: np.ndarray, rows: int, cols: int) -> np.ndarray:
    """The cat of a table, int8 ``[3, 3, 3, 3, 3, 3]``, on a board: int8 ``[cells, cells]``.

    An action by the cell of the cat and the cell of the mouse, cells being numbered
    ``y * cols + x`` from the bottom left; 0 where both are one cell.
    """
    actions = np.zeros((rows * cols, rows * cols), dtype=np.int8)
    build(fill_policy)(table.reshape(-1), np.array([rows, cols], dtype=np.int64), actions)
    return actions


@kernel
def fill_policy(table, sizes, actions):
    """Write a cat's action for each placement into ``actions``, int8 [cells, cells]."""
    rows, cols = sizes[0], sizes[1]
    for cat in range(rows * cols):
        for mouse in range(rows * cols):
            if cat != mouse:
                here = (cat % cols, cat // cols)
                there = (mouse % cols, mouse // cols)
                actions[cat, mouse] = cat_action(table, here, there, (rows, cols))


def _lines(record: dict[str, Any]) -> Iterator[str]:
    from results import report

    settings = record["settings"]
    yield (
        f"The training on {settings['rows']}x{settings['cols']}: games won of "
        f"{settings['games']:,} by the best table of a stage"
    )
    yield ""
    yield from report.table(record["stages"], STAGE_COLUMNS).splitlines()
    yield ""
    yield "The table at the end of a stage, from the corners, in games that are new to it:"
    yield ""
    yield from report.table(record["shown"], SHOWN_COLUMNS).splitlines()
    yield ""
    yield "The last table against the best possible mouse, by exact play:"
    for board, found in record["proof"].items():
        yield f"  {board:<5}  {found['statement'] if found else 'not computed: too many cells'}"
    yield ""
    yield f"{record['seconds']:.1f} s"


def _columns(rows: tuple[Any, ...]) -> dict[str, list[Any]]:
    """The rows of a table by column."""
    records = [asdict(row) for row in rows]
    return {name: [record[name] for record in records] for name in records[0]}


def _draw(settings: Settings, result: Result, folder: Path) -> list[Path]:
    from evo.studies.cat_and_mouse_v2.plot import plot_learning_curve

    return plot_learning_curve(_curve(result.curve), TITLES, settings.games, folder)


def _curve(rows: tuple[Row, ...]) -> dict[str, np.ndarray]:
    return {name: np.asarray(column) for name, column in _columns(rows).items()}
