"""Joint frames of many runs, with columns that identify the run of each row."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from results.errors import ResultsError
from results.folder.files import Place, each_of, place_of
from results.format.tables import frame_of, joined, newest_rows
from results.read.run import Run, open_run
from results.read.settings import differing, short_names
from results.read.status import status_of

if TYPE_CHECKING:
    import pandas as pd

_OF_RUN = ("game", "scheme", "learner", "seed")
_REACHED = ("generation", "generations", "games_played")
_TYPES = {
    **dict.fromkeys(("run", "game", "scheme", "learner", "state", "path"), "string"),
    **dict.fromkeys(("seed", *_REACHED), "Int64"),
    "whole": "boolean",
    "age_seconds": "float64",
}
_KINDS = {int: "Int64", bool: "boolean", str: "string", float: "float64"}


@dataclass(frozen=True)
class Member:
    """A member of several runs: its folder, and the columns that identify it."""

    path: Place
    keys: Mapping[str, Any]


class Runs:
    """Several runs. Each access reads the files again. Iteration yields a ``Run`` for each.

    Attributes:
        paths: the folders of the runs.
        trust: whether a changed ``run.json`` is accepted, see ``results.open_run``.
    """

    def __init__(self, paths: Sequence[Place], trust: bool = False) -> None:
        """Prepare an object of the runs in these folders; use ``results.open_runs``."""
        self.paths, self.trust = list(paths), trust

    def __repr__(self) -> str:
        """Return the number of runs and some of their paths."""
        names = [str(path) for path in self._folders]
        few = names if len(names) < 4 else [*names[:2], "...", names[-1]]
        return f"<{len(names)} run{'s' * (len(names) != 1)}: {', '.join(few)}>"

    def __len__(self) -> int:
        """Return the number of runs in this object."""
        return len(self._folders)

    def __iter__(self) -> Iterator[Run]:
        """Open each of the runs in turn, and yield it."""
        return (open_run(path, self.trust) for path in self._folders)

    @property
    def _folders(self) -> list[Place]:
        return self.paths

    @property
    def folder(self) -> Place:
        """The innermost folder that contains all of these runs."""
        return place_of("/".join([*_common_parts(self.paths), ""]))

    def part(self, paths: Sequence[Place]) -> Runs:
        """Return the object of those runs that are in the folders ``paths``."""
        return Runs(paths, self.trust)

    @property
    def columns(self) -> list[str]:
        """The names of the columns that identify a run: ``run``, differing settings, ``seed``."""
        return list(self.members[0].keys)

    @property
    def settings(self) -> list[str]:
        """The columns in which the settings of the runs differ."""
        rows = [member.keys for member in self.members]
        names = [name for name in self.columns if name not in ("run", "cell", "seed")]
        return [name for name in names if len({row.get(name) for row in rows}) > 1]

    @cached_property
    def members(self) -> list[Member]:
        """The runs, each with its folder and the values that identify it.

        A run with a damaged ``run.json`` has only its name.
        """
        infos, names = self._each(self._info_of), names_of(self.paths)
        settings = differing([info["config"] for info in infos])
        columns = short_names(settings, ("run", "seed", "path", "state"))
        return [
            Member(
                path,
                {
                    "run": names[row],
                    **{columns[field]: values[row] for field, values in settings.items()},
                    "seed": info["seed"],
                },
            )
            for row, (path, info) in enumerate(zip(self.paths, infos, strict=True))
        ]

    @property
    def frame(self) -> pd.DataFrame:
        """A table with a row per run: its settings, progress, fitness and state.

        The columns are:

        - those of ``columns``;
        - ``game``, ``scheme``, ``learner``, ``seed``;
        - ``generation`` (of the newest snapshot), ``generations`` (the end) and ``games_played``;
        - ``best``, the highest raw fitness (a column per role, such as ``best_cat``);
        - ``state``, as in ``evo status``;
        - ``whole``: whether nothing is missing, according to the names of the files (``evo verify``
          reads each file);
        - ``age_seconds`` since the run was begun, and ``path``.

        For a run with a damaged ``run.json``, only the name, ``state`` and path are known.
        """
        import pandas as pd

        members = self.members
        rows = self._each(lambda path: status_of(path, trust=self.trust))
        best = [_columns_of(row["best"] or {}) for row in rows]
        of_best = dict.fromkeys(name for columns in best for name in columns)
        names = [name for name in members[0].keys if name != "seed"]
        columns = {
            **{name: [member.keys[name] for member in members] for name in names},
            **{name: [row[name] for row in rows] for name in (*_OF_RUN, *_REACHED)},
            **{name: [columns.get(name) for columns in best] for name in of_best},
            **{name: [row[name] for row in rows] for name in ("state", "whole", "age_seconds")},
            "path": [str(member.path) for member in members],
        }
        frame = pd.DataFrame({name: _typed(values) for name, values in columns.items()})
        return frame.astype({name: kind for name, kind in _TYPES.items() if name in frame})

    @property
    def generations(self) -> pd.DataFrame:
        """The rows of the table ``generations`` of all runs, run after run, by generation."""
        return self._joined("generations", "generation", "population")

    @property
    def evaluations(self) -> pd.DataFrame:
        """The rows of the table ``evaluations`` of all runs, each measurement once.

        ``seed`` is the seed of the run.
        """
        keys = ("generation", "population", "individual", "opponent", "games")
        return self._joined("evaluations", *keys)

    def _each(self, read: Any) -> list[Any]:
        """Call ``read`` with the folder of each run, several in parallel; return the results."""
        folders = self._folders
        return each_of(folders[0], read, folders) if folders else []

    def _info_of(self, path: Place) -> Mapping[str, Any]:
        """Return the content of a run's ``run.json``, without settings if it is damaged."""
        try:
            return open_run(path, self.trust).info
        except ResultsError:
            return {"config": {}, "seed": None}

    def _joined(self, table: str, *keys: str) -> pd.DataFrame:
        """Return the rows of a table of all runs, each after the columns that identify its run.

        Of rows of a run that share the values of the columns ``keys``, the last one stays.
        """
        import pandas as pd

        members = self.members
        read = self._each(lambda path: open_run(path, self.trust).parts(table))
        rows = joined(table, [part for of_run in read for part in of_run])
        lengths = [sum(part.num_rows for part in of_run) for of_run in read]
        owner = np.repeat(np.arange(len(members)), lengths)
        rows = newest_rows(rows.append_column("_member", pa.array(owner)), ["_member", *keys])
        frame = frame_of(rows)
        owner = frame.pop("_member").to_numpy()
        of_member = {
            name: _typed([member.keys.get(name) for member in members]).take(owner)
            for name in self.columns
        }
        known = pd.DataFrame(of_member).reset_index(drop=True)
        rest = frame.drop(columns=[name for name in of_member if name in frame])
        return pd.concat([known, rest], axis=1)


def _typed(values: Sequence[Any]) -> pd.Series:
    """Return values as a column of a frame whose type is theirs, missing values ignored.

    Whole numbers remain whole numbers.
    """
    import pandas as pd

    kinds = {type(value) for value in values if value is not None}
    if not kinds or not kinds <= _KINDS.keys():
        return pd.Series(values, dtype=object)
    name = (
        _KINDS[kinds.pop()] if len(kinds) == 1 else "float64" if kinds == {int, float} else "object"
    )
    try:
        return pd.Series(values, dtype="int64" if name == "Int64" and None not in values else name)
    except OverflowError:  # of a number that no column holds, in a damaged run
        return pd.Series(values, dtype=object)


def _columns_of(best: Mapping[str, float]) -> dict[str, float]:
    """Return a run's best raw fitness of each population as columns of a table.

    A single population has the column ``best``, several have ``best_NAME``.
    """
    if len(best) == 1:
        return {"best": next(iter(best.values()))}
    return {f"best_{role}": value for role, value in best.items()}


def names_of(paths: Sequence[Place]) -> list[str]:
    """Return short names of runs: their paths below the folder that holds all of them."""
    common = len(_common_parts(paths))
    return ["/".join(str(path).split("/")[common:]) for path in paths]


def _common_parts(paths: Sequence[Place]) -> Sequence[str]:
    return posixpath.commonprefix([str(path).split("/")[:-1] for path in paths])
