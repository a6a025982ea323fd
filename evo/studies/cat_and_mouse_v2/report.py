"""What ``evo reproduce cat-and-mouse-v2`` prints, draws and keeps."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from evo.studies.cat_and_mouse_proof import proof_of
from evo.studies.cat_and_mouse_v2.study import Result, Settings, cat_action, run, validated
from evo.studies.page import Announce, columns_of, text_table
from evo.studies.reproduction import Reproduction
from tournaments.kernels.linker import build, kernel
from tournaments.options import as_options

__all__ = ["Settings", "policy", "reproduce"]

STAGES = {
    1: ("random", "in the corners"),
    2: ("careful", "in the corners"),
    3: ("both in turn", "anywhere"),
}
"""Of each stage the mouse, and where games begin."""
RULES = {"first": "mouse", "end": "move-limit"}
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


def reproduce(settings: Settings, announce: Announce) -> Reproduction:
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
            name: proof_of(policies[name], "cat", rows=rows, cols=cols, **RULES)
            for name, (rows, cols) in _boards(settings).items()
        },
        "seconds": seconds,
        "settings": as_options(settings),
    }
    curve = columns_of(result.curve)
    return Reproduction(
        record=record,
        lines=tuple(_lines(record)),
        arrays={"table": result.table, **{f"cat-{name}": policies[name] for name in policies}},
        tables={"curve": curve, "shown": columns_of(result.shown)},
        draw=partial(_draw, curve, settings.games),
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
    settings = record["settings"]
    yield (
        f"The training on {settings['rows']}x{settings['cols']}: games won of "
        f"{settings['games']:,} by the best table of a stage"
    )
    yield from text_table(record["stages"], STAGE_COLUMNS)
    yield ""
    yield "The table at the end of a stage, from the corners, in games that are new to it:"
    yield from text_table(record["shown"], SHOWN_COLUMNS)
    yield ""
    yield "The last table against the best possible mouse, by exact play:"
    for board, proof in record["proof"].items():
        yield f"  {board:<5}  {proof['statement'] if proof else 'not computed: too many cells'}"
    yield ""
    yield f"{record['seconds']:.1f} s"


def _draw(curve: Mapping[str, Any], games: int, folder: Path) -> list[Path]:
    from evo.studies.cat_and_mouse_v2.plot import learning_curve_figure  # late: it takes a second
    from results.plots.style import save_all

    return save_all({"learning-curve": lambda: learning_curve_figure(curve, TITLES, games)}, folder)
