"""The Parquet files of the folders that hold one table each: naming, listing and reading.

A file name ends in the first digits of the SHA-256 of the content. The digest is therefore written
together with the file, on any storage and with any number of writers. It protects every bit of the
file and reveals copies under other names. Files of older runs have no digest in their names.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

import pyarrow as pa

from results.errors import DamagedError, refused
from results.folder.files import Place, atomic_write, names_in, read_file
from results.format import tables
from results.format.schema import arrow_schema

_Result = TypeVar("_Result")
_ATTEMPTS = 20
_DIGITS = 16
_DIGEST = re.compile(r"-([0-9a-f]{16})\.parquet")


@dataclass(frozen=True)
class Part:
    """A file of a table, read and checked.

    Attributes:
        path: its path.
        digest: the SHA-256 of its content, in hexadecimal digits.
        table: its rows.
    """

    path: Place
    digest: str
    table: pa.Table


def write_part(folder: Place, stem: str, data: bytes) -> Place:
    """Write a Parquet file of a table and return its path. The name contains a digest of the data.

    Raises:
        ResultsError: the system refused.
    """
    digest = hashlib.sha256(data).hexdigest()
    tables.remember_written(digest)
    path = folder / f"{stem}-{digest[:_DIGITS]}.parquet"
    atomic_write(path, data, folder.parent)
    return path


def parquet_files(folder: Place) -> list[Place]:
    """Return the Parquet files of a folder, by name; empty if there is no such folder.

    Raises:
        ResultsError: the system refused.
    """
    names = names_in(folder)
    return [folder / name for name in names if name.endswith(".parquet") and name[0] != "."]


def read_part(name: str, path: Place) -> Part:
    """Read a file of table ``name`` (a key of ``schema.COLUMNS``) and check its digest.

    Raises:
        FileNotFoundError: the file does not exist.
        DamagedError: the content is not the content that was written. The message names the remedy.
        ResultsError: the file is of another table, or the system refused.
    """
    data = read_file(path)
    digest, expected = hashlib.sha256(data).hexdigest(), _DIGEST.search(path.name)
    try:
        if expected is not None and not digest.startswith(expected[1]):
            raise DamagedError(f"{path} is damaged: its SHA-256 is not the one in its name")
        return Part(path, digest, tables.decode(data, arrow_schema(name), path, digest))
    except DamagedError as error:
        remedy = remedy_for(name, path)
        raise DamagedError(f"{error}{'; ' * bool(remedy)}{remedy}") from error


def remedy_for(name: str, path: Place) -> str:
    """Return how a damaged file of table ``name`` is replaced, as words of a message.

    The text is empty if no remedy is known.
    """
    if name in ("generations", "lineage"):
        run = shlex.quote(str(path.parent.parent))
        return f"evo resume {run} computes its generations again"
    return {
        "evaluations": "remove it, and evo evaluate plays its games again",
        "pairs": "remove it, and its games are played again",
        "history": "restore it from a copy, or remove it, and the next night begins a new history",
    }.get(name, "")


def read_folder(folder: Place, prefix: str = "") -> list[pa.Table]:
    """Return the tables in the Parquet files of a folder whose names begin with ``prefix``.

    The folder has the name of the table. A file that is a copy of another is left out.
    """
    return [part.table for part in unlike(read_parts(folder, prefix))]


def read_parts(folder: Place, prefix: str = "") -> list[Part]:
    """Read the Parquet files of a folder whose names begin with ``prefix``.

    The folder has the name of the table.

    Raises:
        ResultsError: a file is damaged, or the system refused.
    """

    def read() -> list[Part]:
        files = [path for path in parquet_files(folder) if path.name.startswith(prefix)]
        return [read_part(folder.name, path) for path in files]

    return again(read)


def unlike(parts: Iterable[Part]) -> list[Part]:
    """Return the files of a table without copies of earlier files."""
    return list({part.digest: part for part in reversed(list(parts))}.values())[::-1]


def again(read: Callable[[], _Result]) -> _Result:
    """Call ``read``, which lists and reads files, until no file vanishes in between."""
    for attempt in range(_ATTEMPTS):
        try:
            return read()
        except FileNotFoundError as error:
            if attempt == _ATTEMPTS - 1:
                raise refused("read", str(error.filename), error) from error
    raise AssertionError("the last attempt returns or raises")
