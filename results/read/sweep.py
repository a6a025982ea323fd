"""Joint frames of the runs of an experiment, with columns that identify the run of each row.

The folder of a sweep holds ``experiment.json``, the factors that were crossed, and the run folders
``CELL/seed-N``. All other information is read from the runs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from results.errors import ResultsError, shown
from results.folder.files import Place, exists, make_folder, place_of, read_json, write_json
from results.folder.runfile import RUN_FILE
from results.format.metadata import check_fields
from results.read.run import Run, open_run
from results.read.runs import Member, Runs
from results.read.settings import short_names
from results.read.status import is_over

if TYPE_CHECKING:
    import pandas as pd

DESCRIPTION = "experiment.json"
BASE = "base"
"""The name of the only population of an experiment that gives factors alone."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._,=+-]{0,254}")


def write_description(folder: Place, description: Mapping[str, Any]) -> None:
    """Write ``experiment.json`` of a sweep atomically. An existing file is replaced.

    ``description`` has ``name``, ``seeds`` (whole numbers) and ``cells``: tables of ``cell`` (a
    folder's name), ``variant`` (the population's name in the experiment) and ``factors`` (values by
    dotted field).

    Raises:
        ResultsError: the system refused.
    """
    make_folder(folder)
    write_json(folder / DESCRIPTION, description, ascii_alone=False)


def is_sweep(path: str | os.PathLike[str]) -> bool:
    """Whether a folder is the folder of a sweep."""
    return exists(place_of(path) / DESCRIPTION)


def open_sweep(
    path: str | os.PathLike[str],
    only: Container[tuple[str, str]] | None = None,
    begun: bool = True,
) -> Sweep:
    """Open the runs in the folder of a sweep.

    Args:
        path: the folder.
        only: the runs to open, as pairs of cell and ``seed-N``; None: all.
        begun: whether at least one run must have begun.

    Raises:
        ResultsError: no folder of a sweep, or no run in it yet.
    """
    folder = place_of(path)
    try:
        description = read_json(folder / DESCRIPTION)
    except OSError:
        raise ResultsError(
            f"{folder} is no folder of a sweep: it holds no {DESCRIPTION}; give the folder that "
            "evo sweep made"
        ) from None
    _check(folder / DESCRIPTION, description)
    runs = Sweep(folder, description, only)
    if begun and not runs.members:
        raise ResultsError(f"{folder} holds no run yet; start them with evo sweep")
    return runs


def _check(path: Place, description: Any) -> None:
    """Raise if the description of a sweep is not valid, or names cells outside its folder.

    ``path`` is the path of ``experiment.json``, ``description`` its content.

    Raises:
        ResultsError: with the invalid value.
    """
    check_fields(path, description, {"seeds": list, "cells": list})
    if not all(type(seed) is int for seed in description["seeds"]):
        seeds = shown(description["seeds"])
        raise ResultsError(f"{path} has seeds = {seeds}; expected are whole numbers")
    for cell in description["cells"]:
        names = [cell.get(key) if isinstance(cell, dict) else None for key in ("cell", "variant")]
        factors = cell.get("factors") if isinstance(cell, dict) else None
        if not isinstance(factors, dict) or not all(map(_is_name, names)):
            raise ResultsError(
                f"{path} has a cell {shown(cell)}; expected are the names of a folder and of a "
                "population, cell and variant, and a table of factors"
            )


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


@dataclass(frozen=True)
class Sweep(Runs):
    """The runs of a sweep. Each access reads the files again.

    Attributes:
        path: the folder of the sweep.
        description: the content of ``experiment.json``.
        only: the selected runs, as pairs of a cell's and a seed's folder; None: all.
        trust: whether a changed ``run.json`` is accepted, see ``results.open_run``.
    """

    path: Place
    description: Mapping[str, Any]
    only: Container[tuple[str, str]] | None = None
    trust: bool = False

    @cached_property
    def columns(self) -> list[str]:
        """The columns that identify a run of a sweep: ``cell``, ``variant``, factors, ``seed``."""
        return ["cell", "variant", *self.factors.values(), "seed"]

    @cached_property
    def factors(self) -> dict[str, str]:
        """The column of each factor of the sweep, by dotted field: its last part, if unique."""
        cells = self.description["cells"]
        fields = dict.fromkeys(field for cell in cells for field in cell["factors"])
        return short_names(fields, ("cell", "variant", "seed"))

    @property
    def folder(self) -> Place:
        """The folder of the sweep."""
        return self.path

    def part(self, paths: Sequence[Place]) -> Sweep:
        """Return the object of those runs of the sweep that are in the folders ``paths``."""
        return replace(self, only={(path.parent.name, path.name) for path in paths})

    @property
    def _folders(self) -> list[Place]:
        return [member.path for member in self.members]

    @property
    def members(self) -> list[Member]:  # more may begin
        """The runs of the sweep that have begun, in the order of the experiment."""
        return [member for member in self.planned if exists(member.path / RUN_FILE)]

    @property
    def planned(self) -> Iterator[Member]:
        """The runs of the sweep, including runs that have not begun."""
        for cell in self.description["cells"]:
            for seed in self.description["seeds"]:
                factors = {self.factors[key]: value for key, value in cell["factors"].items()}
                keys = {"cell": cell["cell"], "variant": cell["variant"], **factors, "seed": seed}
                folder = self.path / cell["cell"] / f"seed-{seed}"
                if self.only is None or (folder.parent.name, folder.name) in self.only:
                    yield Member(folder, keys)

    def open(self, cell: str, seed: int) -> Run:
        """Open one run of the sweep, by its cell and its seed.

        Raises:
            ResultsError: there is no such run, or it has not begun.
        """
        return open_run(self.path / cell / f"seed-{seed}", self.trust)

    @property
    def runs(self) -> pd.DataFrame:
        """A table with a row per run of the sweep that has begun: its progress and its folder.

        ``generation`` and ``games_played`` are those of the newest snapshot. ``is_over`` says
        whether the run reached its configured end, or its learner ended it.
        """
        import pandas as pd

        runs = zip(self.members, self, strict=True)
        rows = [{**member.keys, **_reached(run)} for member, run in runs]
        return pd.DataFrame(rows)


@dataclass(frozen=True)
class ReadOnce(Sweep):
    """Finished runs, whose tables are read at the first access and cached."""

    @cached_property
    def generations(self) -> pd.DataFrame:
        return super().generations

    @cached_property
    def evaluations(self) -> pd.DataFrame:
        return super().evaluations


def _reached(run: Run) -> dict[str, Any]:
    there = run.snapshots
    return {
        "generation": there[-1] if there else -1,
        "games_played": run.games_played if there else 0,
        "is_over": is_over(run),
        "path": str(run.path),
    }
