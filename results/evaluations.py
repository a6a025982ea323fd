"""The table ``evaluations``: one file a piece of work, written beside a run that goes on."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from results import tables
from results.analysis import wilson
from results.errors import ResultsError, refused
from results.files import atomic_write, make_folder
from results.runfile import read_info
from results.schema import arrow_schema

FOLDER = "evaluations"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._=,:+-]{0,180}")


def write_evaluation(
    run_path: str | os.PathLike[str], name: str, columns: Mapping[str, Any]
) -> Path:
    """Write ``evaluations/NAME.parquet`` whole or not at all, and return its path.

    This needs no lock: a run may be evaluated while it is written. A file of the same name is
    replaced, so a name should say what was evaluated (generation, opponents, games, seed).
    ``columns`` are those of ``schema.EVALUATIONS``; the win rate and its 95% Wilson interval
    are computed from ``wins`` and ``games`` where they are not given.

    Raises:
        ResultsError: no run, a bad name, bad columns, or the system refused.
    """
    run = Path(run_path)
    path = evaluation_path(run, name)
    read_info(run)
    data = tables.encode(tables.table_from_columns(FOLDER, _with_win_rates(columns)))
    make_folder(path.parent)
    atomic_write(path, data, run)
    return path


def has_evaluation(run_path: str | os.PathLike[str], name: str) -> bool:
    """Whether the evaluation ``name`` is there, and so need not be played again."""
    return evaluation_path(Path(run_path), name).is_file()


def evaluation_path(run: Path, name: str) -> Path:
    """Return the file of an evaluation; a name that is no file name raises ResultsError."""
    if not _NAME.fullmatch(name):
        raise ResultsError(
            f"evaluation name {name!r}; expected are letters, digits and . _ = , : + - "
            "(a letter or digit first, at most 181)"
        )
    return run / FOLDER / f"{name}.parquet"


def _with_win_rates(columns: Mapping[str, Any]) -> dict[str, Any]:
    rates = ("win_rate", "win_rate_low", "win_rate_high")
    given = dict(columns)
    if any(name in given for name in rates) or not {"wins", "games"} <= given.keys():
        return given
    wins, games = np.asarray(given["wins"], float), np.asarray(given["games"], float)
    unknown = np.full(wins.shape, np.nan)  # the rate of no games
    win_rate = np.divide(wins, games, out=unknown, where=games > 0)
    return given | dict(zip(rates, (win_rate, *wilson(wins, games)), strict=True))


def measured(run_path: str | os.PathLike[str], prefix: str) -> list[pa.Table]:
    """Return the evaluations whose names begin with ``prefix``, one table a file.

    Raises:
        ResultsError: a file is damaged, or the system refused.
    """
    schema = arrow_schema(FOLDER)
    folder = Path(run_path) / FOLDER
    try:
        files = sorted(folder.glob(f"{glob.escape(prefix)}*.parquet"))
        return [tables.decode(path.read_bytes(), schema, path) for path in files]
    except OSError as error:
        raise refused("read", folder, error) from error


def measured_individuals(run_path: str | os.PathLike[str], prefix: str) -> np.ndarray:
    """Return who was measured under names that begin with ``prefix``, int32, ascending."""
    found = [tables.numpy_column(table["individual"]) for table in measured(run_path, prefix)]
    return np.unique(np.concatenate([*found, np.zeros(0, dtype=np.int32)])).astype(np.int32)
