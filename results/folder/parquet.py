"""The Parquet files of the folders that are one table each: listed, and read beside a writer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pyarrow as pa

from results.errors import DamagedError, refused
from results.folder.files import Place, names_in, read_file
from results.format import tables
from results.format.schema import arrow_schema

_Result = TypeVar("_Result")
_ATTEMPTS = 5
_REMEDIES = {
    "evaluations": "; remove it, and evo evaluate plays its games again",
    "pairs": "; remove it, and its games are played again",
}
"""What brings back a damaged file of a table, where that is known."""


def parquet_files(folder: Place) -> list[Place]:
    """Return the Parquet files of a folder, by name; none where there is no folder.

    Raises:
        ResultsError: the system refused.
    """
    names = names_in(folder)
    return [folder / name for name in names if name.endswith(".parquet") and name[0] != "."]


def read_table(name: str, path: Place) -> pa.Table:
    """Return the content of a file of table ``name`` (a key of ``schema.TABLES``).

    Raises:
        FileNotFoundError: it is gone.
        DamagedError: it cannot be read; the message says what brings it back.
        ResultsError: it is of another table, or the system refused.
    """
    try:
        return tables.decode(read_file(path), arrow_schema(name), path)
    except DamagedError as error:
        raise DamagedError(f"{error}{_REMEDIES.get(name, '')}") from error


def read_folder(folder: Place, prefix: str = "") -> list[pa.Table]:
    """Return the table in each file of a folder, called as its table, whose name begins so."""

    def read() -> list[pa.Table]:
        files = [path for path in parquet_files(folder) if path.name.startswith(prefix)]
        return [read_table(folder.name, path) for path in files]

    return again(read)


def again(read: Callable[[], _Result]) -> _Result:
    """Call ``read`` until no file vanished between listing and reading."""
    for attempt in range(_ATTEMPTS):
        try:
            return read()
        except FileNotFoundError as error:
            if attempt == _ATTEMPTS - 1:
                raise refused("read", str(error.filename), error) from error
    raise AssertionError("the last attempt returns or raises")
