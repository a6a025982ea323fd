"""The runs of an experiment as one: frames in which each row says of which run it is.

A sweep's folder holds ``experiment.json``, what was crossed with what, and the run folders
``CELL/seed-N``. Nothing else is kept: the runs are the truth.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from results.errors import ResultsError, shown
from results.folder.files import Place, exists, make_folder, place_of, read_json, write_json
from results.folder.runfile import RUN_FILE
from results.format.frames import joined, newest_of
from results.format.schema import arrow_schema
from results.read.run import Run, open_run

if TYPE_CHECKING:
    import pandas as pd

DESCRIPTION = "experiment.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._,=+-]{0,254}")
READERS = 8
"""Threads that read files: most of the time goes into opening them."""


def write_description(folder: Place, description: Mapping[str, Any]) -> None:
    """Write ``experiment.json`` of a sweep, whole or not at all; one that is there is replaced.

    ``description`` has ``name``, ``seeds`` (whole numbers) and ``cells``: tables of ``cell`` (a
    folder's name), ``variant`` (the population's name in the experiment) and ``factors`` (values by
    dotted field).

    Raises:
        ResultsError: the system refused.
    """
    make_folder(folder)
    write_json(folder / DESCRIPTION, description, ascii_alone=False)


def is_sweep(path: str | os.PathLike[str]) -> bool:
    """Whether a folder is that of a sweep."""
    return exists(place_of(path) / DESCRIPTION)


def open_runs(
    path: str | os.PathLike[str],
    only: Container[tuple[str, str]] | None = None,
    begun: bool = True,
) -> Runs:
    """Return the runs in the folder of a sweep; ``only`` these, by cell and ``seed-N``.

    Where ``begun`` is false none needs to have begun.

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
    runs = Runs(folder, description, only)
    if begun and not runs.members:
        raise ResultsError(f"{folder} holds no run yet; start them with evo sweep")
    return runs


def _check(path: Place, description: Any) -> None:
    """Refuse a description of no sweep, and cells that stand outside its folder.

    Raises:
        ResultsError: what is wrong.
    """
    seeds, cells = _lists(description, "seeds"), _lists(description, "cells")
    if not all(type(seed) is int for seed in seeds):
        raise ResultsError(f"{path} has seeds = {shown(seeds)}; expected are whole numbers")
    for cell in cells:
        names = [cell.get(key) if isinstance(cell, dict) else None for key in ("cell", "variant")]
        factors = cell.get("factors") if isinstance(cell, dict) else None
        if not isinstance(factors, dict) or not all(map(_is_name, names)):
            raise ResultsError(
                f"{path} has a cell {shown(cell)}; expected are the names of a folder and of a "
                "population, cell and variant, and a table of factors"
            )


def _lists(description: Any, key: str) -> list[Any]:
    held = description.get(key) if isinstance(description, dict) else None
    if not isinstance(held, list):
        raise ResultsError(f"{DESCRIPTION} has {key} = {shown(held)}; expected is a list")
    return held


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


@dataclass(frozen=True)
class Member:
    """A run of a sweep: its folder, and the columns that say which it is."""

    path: Place
    keys: Mapping[str, Any]


@dataclass(frozen=True)
class Runs:
    """The runs of a sweep, read anew at each call.

    Attributes:
        path: the folder of the sweep.
        description: the content of ``experiment.json``.
        only: the folders of these runs alone, as pairs of a cell's and a seed's; None: of all.
    """

    path: Place
    description: Mapping[str, Any]
    only: Container[tuple[str, str]] | None = None

    @cached_property
    def columns(self) -> list[str]:
        """What tells the runs apart: ``cell``, ``variant``, a column a factor, and ``seed``."""
        return ["cell", "variant", *self.factors.values(), "seed"]

    @cached_property
    def factors(self) -> dict[str, str]:
        """The column of each factor, by dotted field: the last part of it, where that is enough."""
        cells = self.description["cells"]
        fields = list(dict.fromkeys(field for cell in cells for field in cell["factors"]))
        short = [field.rpartition(".")[2] for field in fields]
        taken = {"cell", "variant", "seed", *self._names}
        return {
            field: name if short.count(name) == 1 and name not in taken else field
            for field, name in zip(fields, short, strict=True)
        }

    @property
    def _names(self) -> set[str]:
        return {*arrow_schema("generations").names, *arrow_schema("evaluations").names}

    @property
    def members(self) -> list[Member]:
        """The runs that have begun, in the order of the experiment."""
        return [member for member in self.planned if exists(member.path / RUN_FILE)]

    @property
    def planned(self) -> Iterator[Member]:
        """All runs, those that have not begun included."""
        for cell in self.description["cells"]:
            for seed in self.description["seeds"]:
                factors = {self.factors[key]: value for key, value in cell["factors"].items()}
                keys = {"cell": cell["cell"], "variant": cell["variant"], **factors, "seed": seed}
                folder = self.path / cell["cell"] / f"seed-{seed}"
                if self.only is None or (folder.parent.name, folder.name) in self.only:
                    yield Member(folder, keys)

    def open(self, cell: str, seed: int) -> Run:
        """Return one run.

        Raises:
            ResultsError: there is none, or not yet.
        """
        return open_run(self.path / cell / f"seed-{seed}")

    @property
    def runs(self) -> pd.DataFrame:
        """One row a run that has begun: how far it is, and its folder.

        ``generation`` and ``games_played`` are those of the newest snapshot; ``is_over`` says
        whether the run reached the end that it was given, or its learner ended it.
        """
        import pandas as pd

        rows = [{**member.keys, **_reached(open_run(member.path))} for member in self.members]
        return pd.DataFrame(rows)

    @property
    def generations(self) -> pd.DataFrame:
        """The rows of all runs' ``generations``, run after run, by generation and population."""
        return self._joined("generations", "generation", "population")

    @property
    def evaluations(self) -> pd.DataFrame:
        """The rows of all runs' ``evaluations``, each measurement once; ``seed`` is the run's."""
        keys = ("generation", "population", "individual", "opponent", "games")
        return self._joined("evaluations", *keys)

    def _joined(self, table: str, *keys: str) -> pd.DataFrame:
        """The rows of all files, once each by these keys, after the columns that say of which run
        they are."""
        import pandas as pd

        members = self.members
        with ThreadPoolExecutor(READERS) as pool:
            read = list(pool.map(lambda member: open_run(member.path).parts(table), members))
        rows = joined(table, [part for of_run in read for part in of_run]).to_pandas()
        lengths = [sum(part.num_rows for part in of_run) for of_run in read]
        owner = pd.Series(range(len(members))).repeat(lengths).reset_index(drop=True)
        of_member = {
            name: owner.map(dict(enumerate(member.keys.get(name) for member in members)))
            for name in self.columns
        }
        rest = rows.drop(columns=[name for name in of_member if name in rows])
        frame = pd.concat([pd.DataFrame(of_member), rest, owner.rename("_member")], axis=1)
        return newest_of(frame, ["_member", *keys]).drop(columns="_member")


@dataclass(frozen=True)
class ReadOnce(Runs):
    """Runs that are over: their tables are read at the first call, and kept."""

    @cached_property
    def generations(self) -> pd.DataFrame:
        return super().generations

    @cached_property
    def evaluations(self) -> pd.DataFrame:
        return super().evaluations


def is_over(run: Run) -> bool:
    """Return whether a run has reached the end of its configuration, or its learner ended it."""
    there = run.snapshots
    if not there:
        return False
    ended = run.info.get("ended", {}).get("generation") == there[-1]
    games = run.config.get("games", 0)
    return ended or there[-1] >= run.config["generations"] or 0 < games <= run.games_played


def _reached(run: Run) -> dict[str, Any]:
    there = run.snapshots
    return {
        "generation": there[-1] if there else -1,
        "games_played": run.games_played if there else 0,
        "is_over": is_over(run),
        "path": str(run.path),
    }
