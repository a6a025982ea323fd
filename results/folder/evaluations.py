"""The table ``evaluations``: files of measurements, which may be added while the run is written."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from results.errors import ResultsError
from results.folder.files import Place, make_folder, place_of, sweep_temporaries
from results.folder.parquet import (
    read_folder,
    write_part,
)
from results.folder.runfile import read_info
from results.format import tables
from results.format.schema import COLUMNS, are_computed
from results.statistics import rate, wilson

FOLDER = "evaluations"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._=,:+-]{0,180}")
_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,80}")


@dataclass(frozen=True)
class Measurement:
    """The subject of a file of evaluations: one generation measured against one opponent.

    Attributes:
        generation, opponent, games, seed: the values of the columns of these names.
        label: the opponent as part of a file name: letters, digits, dots and hyphens.
        population: the measured population, in the form of a label; empty in a run with a single
            population.

    Raises:
        ResultsError: the label or the population is not valid.
    """

    generation: int
    opponent: str
    games: int
    seed: int
    label: str
    population: str = ""

    def __post_init__(self) -> None:
        """Raise if the label or the population of a measurement does not fit into a file name."""
        for what, text in (("label", self.label), ("population", self.population or "none")):
            if not _LABEL.fullmatch(text):
                raise ResultsError(
                    f"{what} {text!r} of a measurement; expected are letters, digits, dots and "
                    "hyphens (a letter or digit first, at most 81)"
                )

    @property
    def prefix(self) -> str:
        """The prefix of the names of this measurement's files, unique within the run."""
        whose = f"{self.population}__" if self.population else ""
        return f"generation-{self.generation:06d}__{self.label}__{self.games}__{whose}"


def write_evaluation(
    run_path: str | os.PathLike[str], name: str, columns: Mapping[str, Any]
) -> Place:
    """Write ``evaluations/NAME-DIGEST.parquet`` atomically and return its path.

    This needs no lock, so a run may be evaluated while it is written. A name should describe the
    evaluation (generation, opponents, games, seed). Other content under the same name goes into a
    separate file. If two files hold the same measurement, readers use it once.

    ``columns`` are the columns of table ``evaluations``. The win rate and its 95% Wilson interval
    are computed if they are not given: from ``wins``, ``draws`` and ``losses``, since void games
    of a contest do not count, or from ``wins`` and ``games``. In rows against
    ``schema.BEST_RESPONSE``, which are not samples, both ends equal the win rate. Nullable columns
    that are not given are null.

    Raises:
        ResultsError: no run, a bad name, bad columns, or the system refused.
    """
    run = place_of(run_path)
    if not _NAME.fullmatch(name):
        raise ResultsError(
            f"evaluation name {name!r}; expected are letters, digits and . _ = , : + - "
            "(a letter or digit first, at most 181)"
        )
    read_info(run)
    unknown = np.full(len(columns["games"]), np.nan)
    nulls = {column.name: unknown for column in COLUMNS[FOLDER] if column.nullable}
    table = tables.table_from_columns(FOLDER, {**nulls, **_with_win_rates(columns)})
    make_folder(run / FOLDER)
    return write_part(run / FOLDER, name, tables.encode(table))


def clear_leftovers(run_path: str | os.PathLike[str]) -> None:
    """Remove temporary files of crashed measurements. Without write permission, do nothing."""
    with suppress(ResultsError):
        sweep_temporaries([place_of(run_path)])


def _with_win_rates(columns: Mapping[str, Any]) -> dict[str, Any]:
    rates = ("win_rate", "win_rate_low", "win_rate_high")
    given = dict(columns)
    if any(name in given for name in rates) or not {"wins", "games"} <= given.keys():
        return given
    wins, games = np.asarray(given["wins"], float), np.asarray(given["games"], float)
    if {"draws", "losses"} <= given.keys():  # which are less than all, where games were void
        games = wins + np.asarray(given["draws"], float) + np.asarray(given["losses"], float)
    win_rate = rate(wins, games)
    exact = are_computed(np.atleast_1d(given.get("opponent", ""))) & (games > 0)
    ends = [np.where(exact, win_rate, end) for end in wilson(wins, games)]
    return given | dict(zip(rates, (win_rate, *ends), strict=True))


def measured(run_path: str | os.PathLike[str], measurement: Measurement) -> list[pa.Table]:
    """Return the rows of a run's evaluations that belong to a measurement, one table per file.

    A file is selected by its name. Within the file, rows whose columns match the measurement count.

    Raises:
        ResultsError: a file is damaged, or the system refused.
    """
    return [
        _rows_of(table, measurement)
        for table in read_folder(place_of(run_path) / FOLDER, measurement.prefix)
    ]


def measured_individuals(run_path: str | os.PathLike[str], measurement: Measurement) -> np.ndarray:
    """Return the individuals that a measurement of a run already covers, int32, ascending.

    Their games have been played and written.
    """
    written = [
        tables.numpy_column(table["individual"]) for table in measured(run_path, measurement)
    ]
    return np.unique(np.concatenate([*written, np.zeros(0, dtype=np.int32)])).astype(np.int32)


def _rows_of(table: pa.Table, measurement: Measurement) -> pa.Table:
    keys = ["generation", "opponent", "games", "seed"]
    for name in [*keys, "population"] if measurement.population else keys:
        table = table.filter(pc.equal(table[name], getattr(measurement, name)))
    return table
