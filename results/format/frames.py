"""Arrow tables as pandas frames; pandas is imported late, so that runs are written without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from results.format.schema import arrow_schema

if TYPE_CHECKING:
    import pandas as pd


def joined(name: str, parts: Sequence[pa.Table], islands: bool = False) -> pa.Table:
    """Return the rows of all ``parts`` of table ``name``; without any, its columns and no row.

    ``islands`` says whether they are of a run with islands. Of several runs (a sweep) some may be
    without: there the column is null.
    """
    bare = pa.schema([field.remove_metadata() for field in arrow_schema(name, islands=islands)])
    plain = [part.replace_schema_metadata(None) for part in parts]
    none = pa.Table.from_batches([], bare)  # without pandas, which empty_table() imports
    return pa.concat_tables(plain or [none], promote_options="default")


def newest_of(frame: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """Return a frame ordered by ``keys``, of rows that are alike in them the last."""
    ordered = frame.sort_values(list(keys), kind="stable").drop_duplicates(keys, keep="last")
    return ordered.reset_index(drop=True)


def frame_of(table: pa.Table) -> pd.DataFrame:
    """Return a frame with the types of the schema: nullable integers as Int64, text as string.

    Among floats null is NaN; genomes are bytes.
    """
    import pandas as pd

    return pd.DataFrame({field.name: _series(table, field) for field in table.schema})


def _series(table: pa.Table, field: pa.Field) -> Any:
    import pandas as pd

    column = table.column(field.name)
    if pa.types.is_string(field.type):
        return pd.array(column.to_pylist(), dtype="string")
    if pa.types.is_fixed_size_binary(field.type):
        return pd.Series(column.to_pylist(), dtype=object)
    if pa.types.is_integer(field.type) and (field.nullable or column.null_count):
        missing = column.is_null().to_numpy()
        return pd.arrays.IntegerArray(column.fill_null(0).to_numpy().copy(), missing)
    return column.to_numpy()
