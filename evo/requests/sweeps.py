"""The request for a sweep: an experiment, and which of its runs."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from evo.execution import MOST_SECONDS
from evo.requests.base import REPORTS, Request, argument, flag

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 600.0
"""Seconds for which a run may tell nothing, at least."""


@dataclass(frozen=True)
class SweepRequest(Request):
    """All runs of an experiment side by side: populations, factors, seeds.

    Run all runs of an experiment side by side, each on one processor, and measure them. The same
    command again goes on where it stopped. The runs open as one: results.open_runs(DIR).

    Attributes:
        experiment: an experiment as TOML, or the name of one that comes with this program, such as
            dots-and-boxes-1998
        out: folder of the runs, or an address (default: sweeps/NAME)
        quick: as the experiment's table [quick] has it
        set: any field of the experiment, such as seeds=3 or base.games=200_000
        part: the I-th of N shares of the runs, for N commands side by side; auto: as the array of a
            Slurm job has it
        patience: a run that tells nothing for so long, and for 20 times its longest silence, is
            taken from its worker, which is ended, and given to another (default: 600)
    """

    execution: ClassVar = ("threads", "ray", "actors", "grace", *REPORTS, "json")

    experiment: Any = argument("EXPERIMENT", type="str | Path | Experiment")
    out: str | Path | None = flag(None, metavar="DIR")
    _: KW_ONLY
    quick: bool = flag(False)
    set: tuple[str, ...] = flag((), metavar="FIELD=VALUE", action="append", keyword=False)
    part: Any = flag(None, metavar="I/N", flag="--slice", type="Slice | None")
    patience: float = flag(PATIENCE, low=0, high=MOST_SECONDS, metavar="SECONDS")
