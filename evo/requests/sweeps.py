"""The request for a sweep: an experiment, and which of its runs."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from evo.execution import MOST_SECONDS
from evo.requests.base import REPORTS, Request
from tournaments.options import REQUIRED, option

PATIENCE = 600.0
"""Seconds for which a run may tell nothing, at least."""


@dataclass(frozen=True)
class SweepRequest(Request):
    """An experiment, the folder of its runs, and the share of them that this call does."""

    execution: ClassVar = ("threads", "ray", "actors", "grace", *REPORTS, "json")

    experiment: Any = option(
        REQUIRED,
        "an experiment as TOML, or the name of one that comes with this program, such as "
        "dots-and-boxes-1998",
        argument=True,
        metavar="EXPERIMENT",
        type="str | Path | Experiment",
    )
    out: Any = option(
        None,
        "folder of the runs, or an address (default: sweeps/NAME)",
        metavar="DIR",
        type="str | Path | None",
    )
    _: KW_ONLY
    quick: bool = option(False, "as the experiment's table [quick] has it")
    set: tuple[str, ...] = option(
        (),
        "any field of the experiment, such as seeds=3 or base.games=200_000",
        metavar="FIELD=VALUE",
        action="append",
        keyword=False,
    )
    part: Any = option(
        None,
        "the I-th of N shares of the runs, for N commands side by side; auto: as the array of a "
        "Slurm job has it",
        metavar="I/N",
        flag="--slice",
        type="Slice | None",
    )
    patience: float = option(
        PATIENCE,
        "a run that tells nothing for so long, and for 20 times its longest silence, is taken from "
        f"its worker, which is ended, and given to another (default: {PATIENCE:.0f})",
        low=0,
        high=MOST_SECONDS,
        metavar="SECONDS",
    )
