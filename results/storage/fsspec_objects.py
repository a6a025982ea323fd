"""File systems of fsspec (``sftp://``, ``hdfs://``, ``webdav://``...) taken as stores of objects.

fsspec has no write that asks for a state, so here the object is read first and then written: two
writers in the same instant are told apart by what they read, not by the file system.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from results.errors import ResultsError
from results.storage.base import Check, accept
from results.storage.objects import Conflict, Object, State, Tag

_Result = TypeVar("_Result")


def open_filesystem(scheme: str, host: str) -> FsspecObjects:
    """Return the file system of a scheme.

    Raises:
        ResultsError: fsspec, or what it takes for the scheme, is not installed; or no such scheme.
    """
    address = f"{scheme}://{host}"
    try:
        from fsspec.core import url_to_fs

        filesystem, root = url_to_fs(f"{address}/")
        return FsspecObjects(filesystem, root, address)
    except ImportError as error:
        reason = str(error).partition("\n")[0]
        raise ResultsError(
            f"{address} given, which takes fsspec and its file system: {reason}; install them"
        ) from error
    except ValueError as error:
        raise ResultsError(
            f"{address} given; s3, gs, az, file, memory or a file system that fsspec knows is "
            f"expected ({error})"
        ) from error
    except Exception as error:  # whatever a library of a file system raises while it connects
        raise ResultsError(f"{address} cannot be opened: {_line(error)}") from error


class FsspecObjects:
    """A file system; see :class:`results.storage.objects.Objects`."""

    def __init__(self, filesystem: Any, root: str, address: str) -> None:
        """Take the files of ``filesystem`` below ``root``."""
        self.address = address
        self._files, self._root = filesystem, root.rstrip("/")

    def get(self, key: str, check: Check = accept) -> Object:
        check(self.size(key))
        data = self._asked(key, lambda path: bytes(self._files.cat_file(path)))
        return Object(data, _tag(data))

    def size(self, key: str) -> int:
        info = self._asked(key, self._files.info)
        if info["type"] != "file":
            raise FileNotFoundError(2, "no such object", f"{self.address}/{key}")
        return int(info["size"])

    def age(self, key: str) -> float | None:
        try:
            written = self._asked(key, self._files.modified)
        except OSError:  # many file systems know no such time
            return None
        return max(0.0, time.time() - written.timestamp())

    def put(self, key: str, data: bytes, expected: Tag | State) -> Tag:
        if expected is not State.ANY and self._state(key) != expected:
            raise Conflict(key)
        self._asked(key, lambda path: self._write(path, data))
        return _tag(data)

    def delete(self, key: str) -> None:
        with suppress(FileNotFoundError):
            self._asked(key, self._files.rm_file)

    def names(self, prefix: str) -> list[str]:
        self._files.invalidate_cache()
        try:
            paths = self._asked(prefix, self._listed)
        except FileNotFoundError:
            return []
        return [path.rpartition("/")[2] for path in paths]

    def _listed(self, folder: str) -> list[str]:
        """The paths in a folder; of a file there are none, for which fsspec gives the file."""
        paths = [path.strip("/") for path in self._files.ls(folder, detail=False)]
        return [path for path in paths if path != folder.strip("/")]

    def _state(self, key: str) -> Tag | State:
        try:
            return self.get(key).tag
        except FileNotFoundError:
            return State.ABSENT

    def _write(self, path: str, data: bytes) -> None:
        self._files.makedirs(path.rpartition("/")[0], exist_ok=True)
        self._files.pipe_file(path, data)

    def _asked(self, key: str, request: Callable[[str], _Result]) -> _Result:
        """Do a request; whatever the library raises becomes an OSError."""
        try:
            return request(f"{self._root}/{key}".rstrip("/"))
        except OSError:
            raise
        except Exception as error:
            raise OSError(f"{self.address} refused: {_line(error)}") from error


def _tag(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _line(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".partition("\n")[0][:300]
