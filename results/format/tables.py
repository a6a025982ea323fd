"""Conversion of columns to Parquet bytes and back: pure functions without file access.

The bytes of a snapshot depend only on its content and the pyarrow release. They contain no time
and no path, and rows keep their order. pandas is imported late, because writers do not need it.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from results.errors import DamagedError, ResultsError
from results.format.footers import MOST_MEMBERS, check_declared
from results.format.limits import check_size, most_decoded
from results.format.schema import (
    COLUMNS,
    ISLAND,
    OPTIONAL,
    SCHEMA_VERSION,
    SOURCE,
    Column,
    arrow_schema,
    as_in,
    check_columns,
    optional_in,
)

if TYPE_CHECKING:
    import pandas as pd

NO_PARENT = -1
"""The value of a missing parent in numpy columns, which have no null."""
_WRITTEN: deque[str] = deque(maxlen=1000)
"""The SHA-256 of the files that this process wrote last, in hexadecimal digits."""


def table_from_columns(name: str, columns: Mapping[str, Any], genome_bytes: int = 0) -> pa.Table:
    """Return the Arrow table ``name`` made of the columns that ``checked_columns`` takes.

    Raises:
        ResultsError: as ``checked_columns``.
    """
    return table_of(name, checked_columns(name, columns, genome_bytes), genome_bytes)


def checked_columns(
    name: str, columns: Mapping[str, Any], genome_bytes: int = 0
) -> dict[str, np.ndarray]:
    """Return copies of the columns of table ``name`` (a key of ``schema.COLUMNS``), in its types.

    Each column is an array or list, all of one length, with integers in integer columns. A text
    column may be one string for all rows. A null, in a nullable column, is ``NO_PARENT`` (or any
    negative number) among integers, NaN among floats, or masked. ``genome`` is uint8 [rows, B]. The
    copies are read-only. Text is an array of str objects. Optional columns may be among them.

    Raises:
        ResultsError: a column is too long, too short or of another type.
    """
    rows = _common_length(name, columns)
    checked = {
        key: _checked(column, columns[key], rows, genome_bytes)
        for key, column in _declared(name, optional_in(columns)).items()
    }
    for column in checked.values():
        column.flags.writeable = False
    return checked


def table_of(name: str, columns: Mapping[str, np.ndarray], genome_bytes: int = 0) -> pa.Table:
    """Return the Arrow table ``name`` of columns that ``checked_columns`` returned."""
    schema = arrow_schema(name, genome_bytes, optional_in(columns))
    arrays = [_arrow_array(field, columns[field.name]) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def table_of_rows(name: str, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return the Arrow table ``name`` of rows with a value of each column.

    Values in a row beyond the columns are ignored.
    """
    columns = {
        key: np.array([row[key] for row in rows], dtype=column.dtype)
        for key, column in _declared(name, optional_in(rows[0] if rows else ())).items()
    }
    return table_of(name, columns)


def encode(table: pa.Table, metadata: Mapping[str, str] | None = None) -> bytes:
    """Return an Arrow table as the bytes of a Parquet file with page checksums and metadata."""
    sink = pa.BufferOutputStream()
    text = [field.name for field in table.schema if field.type == pa.string()]
    with pq.ParquetWriter(
        sink,
        table.schema,
        compression="zstd",
        compression_level=1,
        use_dictionary=text,
        write_statistics=["generation"],
        write_page_checksum=True,
        store_schema=False,
    ) as writer:
        writer.write_table(table)
        # Not through the schema, which would be stored with pyarrow's own copy of itself.
        writer.add_key_value_metadata({"schema_version": str(SCHEMA_VERSION), **(metadata or {})})
    return sink.getvalue().to_pybytes()


def remember_written(digest: str) -> None:
    """Record the SHA-256 of a file that this process writes, whose sizes need no check."""
    _WRITTEN.append(digest)


def decode(data: bytes, schema: pa.Schema, source: object, digest: str = "") -> pa.Table:
    """Return the Arrow table of the Parquet file ``data``, its page checksums verified.

    ``digest`` is the SHA-256 of the data, if it is known. Texts are read as dictionaries, so that a
    repeated text is stored once until the total length is known.

    Raises:
        DamagedError: the data cannot be read; the message names ``source``.
        ResultsError: the table does not have this ``schema`` (the island apart), or is too large.
    """
    try:
        if digest not in _WRITTEN:
            check_declared(data, schema, source)
        with pq.ParquetFile(
            pa.BufferReader(data),
            read_dictionary=[field.name for field in schema if field.type == pa.string()],
            pre_buffer=False,
            page_checksum_verification=True,
            thrift_string_size_limit=len(data),
            thrift_container_size_limit=MOST_MEMBERS,
        ) as file:
            schema = as_in(schema, file.schema_arrow.names)
            _check_types(file.schema_arrow, schema, source)
            table = _with_texts(file.read(use_threads=False), source, len(data))
        table.validate(full=True)
        metadata_of(table)
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        if isinstance(error, ResultsError) and not isinstance(error, DamagedError):
            raise
        reason = " ".join(str(error).split())
        raise DamagedError(f"{source} is damaged and cannot be read ({reason})") from error
    return _in_order(table, schema, source)


def metadata_of(table: pa.Table) -> dict[str, str]:
    """Return the metadata of a table that was read from a Parquet file, texts by name."""
    return {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}


def columns_of(table: pa.Table) -> dict[str, np.ndarray]:
    """Return the columns of an Arrow table as numpy arrays, by name."""
    columns = {}
    for name in table.schema.names:
        if name == SOURCE.name:  # long texts, which numpy would pad to the longest
            texts = table.column(name).to_pylist()
            columns[name] = np.array([*texts, None], dtype=object)[:-1]
        else:
            columns[name] = numpy_column(table.column(name))
    return columns


def numpy_column(column: pa.ChunkedArray) -> np.ndarray:
    """Return a column of an Arrow table as a numpy array.

    Genomes are uint8 [rows, B], texts str; nulls are those of ``checked_columns``.
    """
    if pa.types.is_fixed_size_binary(column.type):
        joined = b"".join(column.to_pylist())
        genomes = np.frombuffer(joined, np.uint8).reshape(len(column), column.type.byte_width)
        return genomes.copy()
    if pa.types.is_string(column.type):
        return np.array(column.to_pylist(), dtype=np.str_)
    return _numbers(column.combine_chunks())


def joined(name: str, parts: Sequence[pa.Table], islands: bool = False) -> pa.Table:
    """Concatenate ``parts`` of table ``name``. Without parts, return a table without rows.

    ``islands`` says whether the parts are of a run with islands. If only some runs of a sweep have
    islands, the column is null for the others.
    """
    plain = [part.replace_schema_metadata(None) for part in parts]
    bare = _bare(arrow_schema(name, more=(ISLAND.name,) if islands else ()))
    none = pa.Table.from_batches([], bare)  # without pandas, which empty_table() imports
    return pa.concat_tables(plain or [none], promote_options="default")


def newest_rows(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Return a table ordered by the columns ``keys``.

    Of rows that share their keys, the last stays.
    """
    columns = [numpy_column(table.column(key)) for key in keys]
    order = np.lexsort(columns[::-1])
    differs = [column[order][1:] != column[order][:-1] for column in columns]
    is_last = np.concatenate([np.any(differs, axis=0), [True]])[: len(order)]
    return table.take(pa.array(order[is_last]))


def frame_of(table: pa.Table) -> pd.DataFrame:
    """Return an Arrow table as a frame: nullable integers as Int64, text as string.

    A null among floats is NaN. Genomes are bytes.
    """
    dtypes = {
        field.name: _pandas_dtype(field, column)
        for field, column in zip(table.schema, table.columns, strict=True)
    }
    columns = [
        {"name": name, "field_name": name, "pandas_type": "", "numpy_type": dtype, "metadata": None}
        for name, dtype in dtypes.items()
        if dtype
    ]
    described = json.dumps({"columns": columns, "index_columns": [], "column_indexes": []})
    return table.replace_schema_metadata({"pandas": described}).to_pandas(use_threads=False)


def _pandas_dtype(field: pa.Field, column: pa.ChunkedArray) -> str:
    """Return the dtype for a column of a frame where pandas would choose another, else ""."""
    if pa.types.is_integer(field.type) and (field.nullable or column.null_count):
        return str(field.type).capitalize()  # such as Int64
    return "string" if pa.types.is_string(field.type) else ""


def _common_length(table: str, columns: Mapping[str, Any]) -> int:
    lengths = {key: len(value) for key, value in columns.items() if not isinstance(value, str)}
    if len(set(lengths.values())) != 1:
        counts = ", ".join(f"{key} {length}" for key, length in lengths.items())
        raise ResultsError(f"columns of {table} differ in length ({counts}); give each the same")
    return next(iter(lengths.values()))


def _checked(column: Column, values: Any, rows: int, genome_bytes: int) -> np.ndarray:
    if column.dtype.kind == "O":
        return _checked_text(column, values, rows)
    array = np.asarray(values)
    if column.type is None:
        return _checked_genomes(array, genome_bytes)
    if array.ndim != 1:
        raise ResultsError(f"column {column.name} has shape {array.shape}; expected is [{rows}]")
    kinds, noun = ("iu", "integers") if column.limits else ("iuf", "numbers")
    if array.dtype.kind not in kinds and rows:
        raise ResultsError(
            f"column {column.name} is {array.dtype}; expected are {column.dtype} {noun}"
        )
    if column.limits and array.dtype != column.dtype and rows:
        low, high = int(array.min()), int(array.max())
        if low < column.limits[0] or high > column.limits[1]:
            raise ResultsError(f"column {column.name} goes beyond {column.dtype}: {low}..{high}")
    numbers, mask = array.astype(column.dtype), getattr(values, "mask", None)
    if column.nullable and isinstance(mask, np.ndarray):  # asked so, as numpy.ma loads slowly
        numbers[mask] = _null_of(column.dtype)
    return numbers


def _checked_genomes(genomes: np.ndarray, width: int) -> np.ndarray:
    if genomes.dtype != np.uint8 or genomes.ndim != 2 or genomes.shape[1] != width:
        raise ResultsError(
            f"column genome is {genomes.dtype} {list(genomes.shape)}; expected is uint8 "
            f"[rows, {width}] (pack bits with numpy.packbits, view other types as uint8)"
        )
    return genomes.copy(order="C")


def _checked_text(column: Column, values: Any, rows: int) -> np.ndarray:
    texts = [values] * rows if isinstance(values, str) else list(values)
    for text in texts:
        if not isinstance(text, str) and not (column.nullable and text is None):
            raise ResultsError(f"column {column.name} holds {text!r}; expected are strings")
    return np.array([None if text is None else str(text) for text in texts], dtype=object)


def _null_of(dtype: np.dtype) -> float | int:
    return np.nan if dtype.kind == "f" else NO_PARENT


def _arrow_array(field: pa.Field, column: np.ndarray) -> pa.Array:
    # From buffers, as pa.array would import pandas to see whether the column is one of its own.
    buffers = [None, column]
    if column.dtype.kind == "O":
        texts = [(text or "").encode() for text in column.tolist()]
        offsets = np.zeros(len(texts) + 1, np.int32)
        np.cumsum(np.fromiter(map(len, texts), np.int32, len(texts)), out=offsets[1:])
        buffers = [None, offsets, np.frombuffer(b"".join(texts), np.uint8)]
    if field.nullable:
        kind = column.dtype.kind
        there = column != None if kind == "O" else column >= 0 if kind == "i" else ~np.isnan(column)  # noqa: E711
        buffers[0] = np.packbits(there, bitorder="little")
    arrow = [None if buffer is None else pa.py_buffer(buffer) for buffer in buffers]
    return pa.Array.from_buffers(field.type, len(column), arrow)


def _numbers(array: pa.Array) -> np.ndarray:
    # From buffers, as its to_numpy and fill_null would import pandas, too.
    count, start, dtype = len(array), array.offset, np.dtype(array.type.to_pandas_dtype())
    valid, data = array.buffers()
    if data is None or not count:
        return np.zeros(0, dtype)
    numbers = np.frombuffer(data, dtype, count, start * dtype.itemsize)
    if not array.null_count:
        return numbers
    bits = np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little")[start : start + count]
    return np.where(bits == 1, numbers, dtype.type(_null_of(dtype)))


@cache
def _declared(name: str, more: tuple[str, ...] = ()) -> dict[str, Column]:
    """Return the declared columns of table ``name`` by their names.

    ``more`` names optional columns of the table.
    """
    columns = {column.name: column for column in COLUMNS[name]} | OPTIONAL
    return {key: columns[key] for key in arrow_schema(name, more=more).names}


def _check_types(given: pa.Schema, expected: pa.Schema, source: object) -> None:
    """Raise if the columns of a file have other types than expected. Texts may be dictionaries.

    ``source`` names the file in the message.
    """
    texts = pa.dictionary(pa.int32(), pa.string())
    plain = {texts: pa.string()}
    theirs = {(field.name, plain.get(field.type, field.type)) for field in given}
    check_columns(theirs, {(field.name, field.type) for field in expected}, source)


def _in_order(table: pa.Table, schema: pa.Schema, source: object) -> pa.Table:
    """Return a file's table with its columns in the order of the schema.

    Raise if a column has nulls that the schema does not allow. ``source`` names the file.
    """
    for field in schema:
        if not field.nullable and table.column(field.name).null_count:
            raise DamagedError(f"{source} is damaged: values of column {field.name} are missing")
    bare = _bare(schema).with_metadata(table.schema.metadata)
    return pa.Table.from_arrays(table.select(schema.names).columns, schema=bare)


@cache
def _bare(schema: pa.Schema) -> pa.Schema:
    """Return a schema without the descriptions of its columns."""
    return pa.schema([field.remove_metadata() for field in schema])


def _with_texts(table: pa.Table, source: object, file_bytes: int) -> pa.Table:
    """Convert columns of dictionary-coded texts of a table to plain texts. Raise if too large.

    ``source`` names the file of ``file_bytes`` bytes from which the table was read.
    """
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            column = table.column(place)
            column.validate(full=True)
            check_size(source, sum(map(_text_bytes, column.chunks)), most_decoded(file_bytes))
            texts = field.with_type(pa.string())
            table = table.set_column(place, texts, column.cast(pa.string()))
    return table


def _text_bytes(texts: pa.DictionaryArray) -> int:
    """Return an upper bound on the bytes of all texts of a column, with repeated texts."""
    lengths = [len(text) for text in texts.dictionary.cast(pa.binary()).to_pylist() if text]
    return max(lengths, default=0) * len(texts)
