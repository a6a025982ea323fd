"""The request for a sweep: an experiment and the selection of its runs."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from evo.execution import MOST_SECONDS
from evo.requests.base import REPORTS, Request, argument, flag

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 600.0
"""Default minimum time without a progress report after which a run is moved, in seconds."""


@dataclass(frozen=True)
class SweepRequest(Request):
    """Run all configurations of an experiment in parallel.

    An experiment varies populations, factors and seeds. Each run uses one processor and is
    evaluated at its end; running the same command again resumes the sweep. To read all runs in
    Python, use results.open_runs(DIR).

    Attributes:
        experiment: TOML file of an experiment, or the name of a built-in experiment, such as
            dots-and-boxes-1998
        out: folder of the runs, or an address (default: sweeps/NAME)
        quick: apply the small settings in the experiment's table [quick]
        set: set any field of the experiment, such as seeds=3 or base.games=200_000; may be repeated
        part: run only share I of N, so that N commands can share the work; auto: take I and N from
            the Slurm job array
        patience: seconds without a progress report after which a run is moved to another worker and
            its old worker is stopped; at least 20 times the longest time between two reports of the
            run (default: 600)
    """

    execution: ClassVar = ("threads", "ray", "actors", "grace", *REPORTS, "json")

    experiment: Any = argument("EXPERIMENT", type="str | Path | Experiment")
    out: str | Path | None = flag(None, metavar="DIR")
    _: KW_ONLY
    quick: bool = flag(False)
    set: tuple[str, ...] = flag((), metavar="FIELD=VALUE", action="append", keyword=False)
    part: Any = flag(None, metavar="I/N", flag="--slice", type="Slice | None")
    patience: float = flag(PATIENCE, low=0, high=MOST_SECONDS, metavar="SECONDS")
