"""What a run writes and how it is read: Parquet tables, pandas frames, plots and reports.

    run = results.open_run("runs/first")
    run.generations, run.population(), run.evaluations, run.weights(100)

Nothing heavy is imported before it is used: pyarrow by the schema, pandas by the first frame that
is read, matplotlib by the plots.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from results.errors import ResultsError

if TYPE_CHECKING:
    from pandas import DataFrame

    from results.reader import Run, open_run
    from results.schema import SCHEMA_VERSION
    from results.sweeps import Runs, open_runs
    from results.tournament_folder import Tournament, open_tournament
    from results.writer import RunWriter

__all__ = [
    "SCHEMA_VERSION",
    "DataFrame",
    "ResultsError",
    "Run",
    "RunWriter",
    "Runs",
    "Tournament",
    "open_run",
    "open_runs",
    "open_tournament",
]

_HOMES = {
    "DataFrame": "pandas",
    "SCHEMA_VERSION": "results.schema",
    "Run": "results.reader",
    "RunWriter": "results.writer",
    "Runs": "results.sweeps",
    "Tournament": "results.tournament_folder",
    "open_run": "results.reader",
    "open_runs": "results.sweeps",
    "open_tournament": "results.tournament_folder",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'results' has no attribute {name!r}")
