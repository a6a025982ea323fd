"""The reading side of a run folder: pandas frames, also while the run is being written.

A reader takes no lock and writes nothing. A writer may remove a file between listing and reading
it (a snapshot off the interval, rows to be computed again); the reader then lists again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from results.errors import ResultsError, refused
from results.folder import evaluations, runfile, snapshots
from results.folder import generations as parts
from results.folder.evaluations import Measurement
from results.format import tables
from results.format.genomes import decode_population, evolving
from results.format.schema import arrow_schema
from results.read.curves import fittest

if TYPE_CHECKING:
    import pandas as pd

_Result = TypeVar("_Result")
_ATTEMPTS = 5


def open_run(path: str | os.PathLike[str]) -> Run:
    """Return the run in the folder ``path``.

    Raises:
        ResultsError: no folder, no run, ``run.json`` unreadable or of another schema version.
    """
    return Run(Path(path))


class Run:
    """One run folder, read anew at each call: a run that is being written shows its newest state.

    Attributes:
        path: the run folder.
        info: the content of ``run.json``.
    """

    def __init__(self, path: Path) -> None:
        """Read ``run.json``; see ``open_run``."""
        self.path = path
        self.info: dict[str, Any] = runfile.read_info(path)

    def __repr__(self) -> str:
        """The call that opens this run."""
        return f"open_run({str(self.path)!r})"

    @property
    def config(self) -> dict[str, Any]:
        """The configuration of the run."""
        return self.info["config"]

    @property
    def genome(self) -> dict[str, Any]:
        """The description of the encoding, or of several; see ``genomes.spec_of``."""
        return self.info["genome"]

    @property
    def populations(self) -> list[str]:
        """The names of the populations that evolve, in their order; archives are none of them.

        Raises:
            ResultsError: they are not in ``run.json`` and there is no snapshot yet.
        """
        if "populations" in self.genome:
            return list(self.genome["populations"])
        return evolving(self._table(None).column("population").to_pylist())

    @property
    def snapshots(self) -> list[int]:
        """The generations of which there is a snapshot, ascending."""
        return snapshots.listed_snapshots(self.path)

    @property
    def games_played(self) -> int:
        """Games of the run up to its newest snapshot."""
        return int(tables.metadata_of(self._table(None))["games_played"])

    @property
    def generations(self) -> pd.DataFrame:
        """One row a generation and population, ordered by them (``schema.GENERATIONS``)."""
        found = again(lambda: [parts.read_part(path) for path in parts.part_files(self.path)])
        frame = _frame(_joined(found, arrow_schema("generations")))
        keys = ["generation", "population"]
        ordered = frame.sort_values(keys, kind="stable").drop_duplicates(keys, keep="last")
        return ordered.reset_index(drop=True)

    @property
    def evaluations(self) -> pd.DataFrame:
        """One row a (generation, individual, opponent); no rows when nothing was evaluated."""
        files = again(lambda: _evaluation_tables(self.path))
        frame = _frame(_joined(files, arrow_schema("evaluations")))
        keys = ["generation", "population", "individual", "opponent"]
        return frame.sort_values(keys, kind="stable").reset_index(drop=True)

    def evaluations_of(self, asked: Sequence[tuple[Measurement, np.ndarray]]) -> pd.DataFrame:
        """Return those rows of ``evaluations`` that belong to measurements and are of individuals.

        ``asked`` are pairs (measurement, individuals int [K]), in whose order they are given, by
        individual; the same games written twice are given once.
        """
        keys = ["generation", "population", "individual", "opponent", "seed", "games"]
        frames = []
        for measurement, individuals in asked:
            found = evaluations.measured(self.path, measurement)
            frame = _frame(_joined(found, arrow_schema("evaluations")))
            chosen = frame[frame["individual"].isin(individuals)].drop_duplicates(keys)
            frames.append(chosen.sort_values("individual", kind="stable"))
        if not frames:
            return _frame(_joined([], arrow_schema("evaluations")))
        import pandas as pd

        return pd.concat(frames, ignore_index=True)

    def population(self, generation: int | None = None, name: str | None = None) -> pd.DataFrame:
        """Return a snapshot, one row an individual (``schema.SNAPSHOTS``); None: the newest.

        ``genome`` holds bytes objects; ``parent_a`` and ``parent_b`` are Int64, NA for none.
        ``name`` asks for one population alone, numbered from 0; None: for all, archives included.

        Raises:
            ResultsError: there is no such snapshot (the nearest are named) or population, or it is
                damaged.
        """
        return _frame(self._table(generation, name))

    def weights(self, generation: int | None = None, population: str | None = None) -> np.ndarray:
        """Return the decoded networks of a snapshot, float64 [N, W].

        Row by row those of ``population(generation, population)``.

        Raises:
            ResultsError: as ``population``; or the genomes are tables, or networks of several
                sizes of which none was named.
        """
        return self._decoded(generation, population, "weights")

    def policies(self, generation: int | None = None, population: str | None = None) -> np.ndarray:
        """Return the decoded policy tables of a snapshot, int8 [N, G]: an action a gene.

        Row by row those of ``population(generation, population)``.

        Raises:
            ResultsError: as ``population``; or the genomes are networks, or tables of several
                sizes of which none was named.
        """
        return self._decoded(generation, population, "policies")

    def champion(self, generation: int | None = None, population: str | None = None) -> pd.Series:
        """Return the row of highest fitness of a snapshot; ties go to the lowest individual.

        ``population`` names one of several; None is the first in the snapshot. The name of the
        Series is its row in ``population(generation)``, its ``individual`` the one in
        ``population(generation, population)``.
        """
        table = self._table(generation)
        names = table.column("population").to_pylist()
        mask = self._is_of(table, population if population is not None else evolving(names)[0])
        frame = _frame(table)[mask.to_numpy()]
        return frame.iloc[fittest(frame["fitness"].to_numpy(), frame["individual"].to_numpy())]

    def _decoded(self, generation: int | None, population: str | None, method: str) -> np.ndarray:
        table = self._table(generation, population)
        genomes = tables.numpy_column(table.column("genome"))
        names = table.column("population").to_pylist()
        return decode_population(genomes, names, self.genome, method)

    def _table(self, generation: int | None, population: str | None = None) -> pa.Table:
        def read() -> pa.Table:
            number = self._known(generation)
            digest = (snapshots.read_manifest(self.path) or {}).get(number)
            return snapshots.read_snapshot(self.path, number, self.genome["bytes"], digest)

        table = again(read)
        return table if population is None else table.filter(self._is_of(table, population))

    def _is_of(self, table: pa.Table, population: str) -> pa.ChunkedArray:
        """Which rows of a snapshot are of a population, bool [N]."""
        mask = pc.equal(table.column("population"), population)
        if not pc.any(mask).as_py():
            names = list(dict.fromkeys(table.column("population").to_pylist()))
            raise ResultsError(f"no population {population!r} in {self.path}; there are {names}")
        return mask

    def _known(self, generation: int | None) -> int:
        there = self.snapshots
        if not there:
            raise ResultsError(f"{self.path} holds no snapshot yet; wait for generation 0")
        if generation is None:
            return there[-1]
        if generation in there:
            return int(generation)
        nearest = sorted(sorted(there, key=lambda g: abs(g - generation))[:3])
        raise ResultsError(
            f"{self.path} holds no snapshot of generation {generation}; "
            f"the nearest are {', '.join(map(str, nearest))} of {len(there)}"
        )


def again(read: Callable[[], _Result]) -> _Result:
    """Call ``read`` until no file vanished between listing and reading."""
    for attempt in range(_ATTEMPTS):
        try:
            return read()
        except FileNotFoundError as error:
            if attempt == _ATTEMPTS - 1:
                raise refused("read", str(error.filename), error) from error
    raise AssertionError("the last attempt returns or raises")


def _evaluation_tables(run: Path) -> list[pa.Table]:
    found = []
    folder = run / evaluations.FOLDER
    try:
        for path in sorted(folder.glob("*.parquet")):
            if not path.name.startswith("."):
                found.append(evaluations.read_evaluation(path))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise refused("read", folder, error) from error
    return found


def _joined(found: list[pa.Table], schema: pa.Schema) -> pa.Table:
    bare = pa.schema([field.remove_metadata() for field in schema])
    return pa.concat_tables(
        [table.replace_schema_metadata(None) for table in found] or [bare.empty_table()]
    )


def _frame(table: pa.Table) -> pd.DataFrame:
    """A DataFrame with the types of the schema: nullable integers as Int64, text as string.

    Among floats null is NaN.
    """
    import pandas as pd  # here, so that a run is written without it

    return pd.DataFrame({field.name: _series(table, field) for field in table.schema})


def _series(table: pa.Table, field: pa.Field) -> Any:
    import pandas as pd

    column = table.column(field.name)
    if pa.types.is_string(field.type):
        return pd.array(column.to_pylist(), dtype="string")
    if pa.types.is_fixed_size_binary(field.type):
        return pd.Series(column.to_pylist(), dtype=object)
    if field.nullable and pa.types.is_integer(field.type):
        missing = column.is_null().to_numpy()
        return pd.arrays.IntegerArray(column.fill_null(0).to_numpy().copy(), missing)
    return column.to_numpy()
