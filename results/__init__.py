"""Writing and reading the results of runs: Parquet tables, pandas frames, plots and reports.

    run = results.open_run("runs/first")
    run.generations, run.population(), run.evaluations, run.weights(100)
    results.open_runs("runs").frame

Large libraries are imported on first use: pyarrow by the schema, pandas by the first frame that is
read, matplotlib by the plots.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from results.errors import ResultsError

if TYPE_CHECKING:
    from pandas import DataFrame as DataFrame

    from results.folder.tournament import Tournament as Tournament
    from results.folder.tournament import open_tournament as open_tournament
    from results.format.schema import SCHEMA_VERSION as SCHEMA_VERSION
    from results.read.below import open_runs as open_runs
    from results.read.run import Run as Run
    from results.read.run import open_run as open_run
    from results.read.runs import Runs as Runs
    from results.writer.recorder import Recorder as Recorder
    from results.writer.writer import RunWriter as RunWriter

_HOMES = {
    "DataFrame": "pandas",
    "SCHEMA_VERSION": "results.format.schema",
    "Recorder": "results.writer.recorder",
    "Run": "results.read.run",
    "RunWriter": "results.writer.writer",
    "Runs": "results.read.runs",
    "Tournament": "results.folder.tournament",
    "open_run": "results.read.run",
    "open_runs": "results.read.below",
    "open_tournament": "results.folder.tournament",
}
__all__ = ["ResultsError", *_HOMES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'results' has no attribute {name!r}")
