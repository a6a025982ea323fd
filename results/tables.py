"""Columns to Parquet bytes and back: pure functions, no file is touched here.

The bytes of a snapshot are a function of its content and of the pyarrow release alone: no time,
no path, rows in the order given.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from results.errors import DamagedError, ResultsError
from results.schema import SCHEMA_VERSION, TABLES, arrow_schema

NO_PARENT = -1
"""What stands for a missing parent in numpy columns, which know no null."""
CONFIG_DIGEST = "config_sha256"
"""The key of a snapshot's metadata under which the digest of the configuration stands."""


def table_from_columns(name: str, columns: Mapping[str, Any], genome_bytes: int = 0) -> pa.Table:
    """Return the Arrow table ``name`` (a key of ``schema.TABLES``) made of numpy columns.

    Each column is an array or list of one length, integers for integer columns; a text column may
    be one string for all rows. A nullable column says null by ``NO_PARENT`` (or any negative
    number) or by a mask. ``genome`` is uint8 [rows, B].

    Raises:
        ResultsError: a column is missing, unknown, too long, too short or of another type.
    """
    schema = arrow_schema(name, genome_bytes)
    _check_names(name, columns, schema.names)
    rows = _common_length(name, columns)
    arrays = [_arrow_column(field, columns[field.name], rows) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def table_from_rows(name: str, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return the Arrow table ``name`` made of one mapping a row, each with every column."""
    names = [column.name for column in TABLES[name]]
    for row in rows:
        _check_names(name, row, names)
    return table_from_columns(name, {key: [row[key] for row in rows] for key in names})


def encode(table: pa.Table, metadata: Mapping[str, str] | None = None) -> bytes:
    """Return the Parquet file of ``table``, with page checksums and ``metadata``."""
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


def encode_snapshot(
    table: pa.Table, generation: int, games_played: int, info: Mapping[str, Any]
) -> bytes:
    """Return the bytes of a snapshot of the run whose ``run.json`` is ``info``.

    With the encoding inside it stands alone; the digest of the configuration tells whether
    ``run.json`` is still that of the run.
    """
    metadata = {
        "generation": str(generation),
        "games_played": str(games_played),
        "genome": json.dumps(info["genome"], sort_keys=True, allow_nan=False),
        CONFIG_DIGEST: config_digest(info["config"]),
    }
    return encode(table, metadata)


def config_digest(config: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a configuration; ``generations`` may change and is left out."""
    rest = {name: value for name, value in config.items() if name != "generations"}
    text = json.dumps(rest, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def decode(data: bytes, schema: pa.Schema, source: object) -> pa.Table:
    """Return the Arrow table of the Parquet file ``data``, its page checksums verified.

    Raises:
        DamagedError: it cannot be read; the message names ``source``.
        ResultsError: it is not of this ``schema``.
    """
    try:
        with pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True) as file:
            table = file.read(use_threads=False)
        table.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        reason = " ".join(str(error).split())
        raise DamagedError(f"{source} is damaged and cannot be read ({reason})") from error
    _check_schema(table, schema, source)
    return table


def metadata_of(table: pa.Table) -> dict[str, str]:
    """Return the key-value metadata of a table that was decoded."""
    return {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}


def columns_of(table: pa.Table) -> dict[str, np.ndarray]:
    """Return the numpy columns of ``table``, as ``table_from_columns`` takes them."""
    return {name: numpy_column(table.column(name)) for name in table.schema.names}


def numpy_column(column: pa.ChunkedArray) -> np.ndarray:
    """Return one numpy column: genomes uint8 [rows, B], text str, ``NO_PARENT`` for null."""
    if pa.types.is_fixed_size_binary(column.type):
        width = column.type.byte_width
        joined = b"".join(column.to_pylist())
        return np.frombuffer(joined, dtype=np.uint8).reshape(len(column), width).copy()
    if pa.types.is_string(column.type):
        return np.array(column.to_pylist(), dtype=np.str_)
    return column.fill_null(NO_PARENT).to_numpy() if column.null_count else column.to_numpy()


def _check_names(table: str, given: Mapping[str, Any], names: Sequence[str]) -> None:
    missing = [name for name in names if name not in given]
    unknown = [name for name in given if name not in names]
    if missing or unknown:
        found = "; ".join(
            f"{word} {', '.join(words)}"
            for word, words in (("missing", missing), ("unknown", unknown))
            if words
        )
        raise ResultsError(f"columns of {table}: {found}; expected are {', '.join(names)}")


def _common_length(table: str, columns: Mapping[str, Any]) -> int:
    lengths = {key: len(value) for key, value in columns.items() if not isinstance(value, str)}
    if len(set(lengths.values())) != 1:
        found = ", ".join(f"{key} {length}" for key, length in lengths.items())
        raise ResultsError(f"columns of {table} differ in length ({found}); give each the same")
    return next(iter(lengths.values()))


def _arrow_column(field: pa.Field, values: Any, rows: int) -> pa.Array:
    if pa.types.is_fixed_size_binary(field.type):
        return _genome_column(field, values)
    if pa.types.is_string(field.type):
        return _text_column(field, values, rows)
    array = np.asarray(values)
    if array.ndim != 1:
        raise ResultsError(f"column {field.name} has shape {array.shape}; expected is [{rows}]")
    if pa.types.is_integer(field.type):
        return _integer_column(field, array, np.ma.getmaskarray(values) if rows else None)
    if array.dtype.kind not in "iuf" and rows:
        raise ResultsError(f"column {field.name} is {array.dtype}; expected are float64 numbers")
    return pa.array(array.astype(np.float64), field.type)


def _genome_column(field: pa.Field, values: Any) -> pa.Array:
    genomes, width = np.ascontiguousarray(values), field.type.byte_width
    if genomes.dtype != np.uint8 or genomes.ndim != 2 or genomes.shape[1] != width:
        raise ResultsError(
            f"column genome is {genomes.dtype} {list(genomes.shape)}; expected is uint8 "
            f"[rows, {width}] (pack bits with numpy.packbits, view other types as uint8)"
        )
    return pa.Array.from_buffers(field.type, len(genomes), [None, pa.py_buffer(genomes)])


def _text_column(field: pa.Field, values: Any, rows: int) -> pa.Array:
    texts = [values] * rows if isinstance(values, str) else list(values)
    if not all(isinstance(text, str) for text in texts):
        raise ResultsError(f"column {field.name} holds {texts[0]!r}; expected are strings")
    return pa.array([str(text) for text in texts], field.type)


def _integer_column(field: pa.Field, array: np.ndarray, mask: np.ndarray | None) -> pa.Array:
    dtype = np.dtype(str(field.type))
    limits = np.iinfo(dtype)
    if array.size and array.dtype.kind not in "iu":
        raise ResultsError(f"column {field.name} is {array.dtype}; expected are {dtype} integers")
    if array.size and (int(array.min()) < limits.min or int(array.max()) > limits.max):
        raise ResultsError(f"column {field.name} goes beyond {dtype}: {array.min()}..{array.max()}")
    whole = array.astype(dtype)
    null = None if mask is None or not field.nullable else mask | (whole < 0)
    return pa.array(whole, field.type, mask=null)


def _check_schema(table: pa.Table, schema: pa.Schema, source: object) -> None:
    found = {field.name: str(field.type) for field in table.schema}
    expected = {field.name: str(field.type) for field in schema}
    if found != expected:
        strange = sorted(set(found.items()) ^ set(expected.items()))
        raise ResultsError(
            f"{source} is not a file of this run: its columns differ in "
            f"{', '.join(dict.fromkeys(name for name, _ in strange))}; move it out of the folder"
        )
