"""Files that are written whole or not at all, and the lock of a run folder.

Temporary files hold a kernel lock while they are being written, so that whoever clears a run
folder after a crash can tell a leftover from a file that another process is writing right now.
"""

from __future__ import annotations

import errno
import fcntl
import io
import json
import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from results.errors import ResultsError, refused
from results.format.metadata import plain_json

LOCK_NAME = ".lock"
_NO_FOLDER_SYNC = {errno.EINVAL, errno.ENOTSUP}


def read_file(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        FileNotFoundError, NotADirectoryError: it is gone; a reader beside a writer may try again.
        ResultsError: the system refused.
    """
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise refused("read", path, error) from error


def read_json(path: Path) -> Any:
    """Return the content of a JSON file; errors as of ``read_file``, and of what is no JSON."""
    data = read_file(path)
    try:
        return json.loads(data)
    except ValueError as error:
        raise ResultsError(
            f"{path} is not readable as JSON ({error}); restore it from a copy"
        ) from error


def write_json(path: Path, content: Any, ascii_alone: bool = True) -> None:
    """Write a JSON file as ``atomic_write`` does, indented; numpy numbers become plain ones.

    Raises:
        ResultsError: a value is not JSON (NaN and infinities included), or the system refused.
    """
    try:
        text = json.dumps(
            content, indent=2, allow_nan=False, default=plain_json, ensure_ascii=ascii_alone
        )
    except (TypeError, ValueError) as error:
        raise ResultsError(f"{path.name} cannot hold this: {error}") from error
    atomic_write(path, f"{text}\n".encode())


def atomic_write(
    path: str | os.PathLike[str],
    data: bytes | memoryview,
    temporary_folder: str | os.PathLike[str] | None = None,
) -> None:
    """Write ``data`` to ``path`` so that a crash leaves the old content or the new, never a mix.

    The temporary file (``.write-*.tmp``) stands in ``temporary_folder``, which must be of the same
    file system, or beside ``path``. When this returns the content is on the disk.

    Raises:
        ResultsError: the system refused (no space, no right...); ``path`` is as it was.
    """
    path = Path(path)
    try:
        temporary, descriptor = _open_temporary(Path(temporary_folder or path.parent))
        try:
            _write_all(descriptor, data)
            os.fsync(descriptor)
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
        finally:
            os.close(descriptor)
        _sync(path.parent)
    except OSError as error:
        raise refused("write", path, error) from error


def npy(array: np.ndarray) -> bytes:
    """Return the content of the ``.npy`` file of an array."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


def append_line(path: Path, line: bytes) -> None:
    """Append ``line`` to ``path`` and see it to the disk; a failed append is taken back.

    Raises:
        ResultsError: the system refused.
    """
    try:
        created = not path.exists()
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            size = os.fstat(descriptor).st_size
            try:
                _write_all(descriptor, line)
                os.fsync(descriptor)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(descriptor, size)
                raise
        finally:
            os.close(descriptor)
        if created:
            _sync(path.parent)
    except OSError as error:
        raise refused("write", path, error) from error


def remove(paths: Iterable[Path]) -> None:
    """Remove files, those that are gone already included, and see their folders to the disk."""
    folders = set()
    for path in paths:
        try:
            os.unlink(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise refused("remove", path, error) from error
        folders.add(path.parent)
    for folder in sorted(folders):
        try:
            _sync(folder)
        except OSError as error:
            raise refused("write", folder, error) from error


def make_folder(path: Path) -> None:
    """Create a folder and its parents, each seen to the disk; one that exists is left alone."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        for folder in reversed(missing):
            with suppress(FileExistsError):
                os.mkdir(folder)
            _sync(folder.parent)
        if not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    except OSError as error:
        raise refused("create the folder", path, error) from error


def lock_run(run: Path) -> int:
    """Take the writer's lock of a run folder and return its file descriptor (close to release).

    The kernel releases the lock when the process ends, however it ends.

    Raises:
        ResultsError: another process is writing this run, or the folder cannot be written.
    """
    try:
        descriptor = os.open(run / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise refused("write in", run, error) from error
    try:
        _take_lock(run, descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _take_lock(run: Path, descriptor: int) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
        number = f" (number {holder})" if holder.isdigit() else ""
        raise ResultsError(
            f"another process{number} is writing this run: {run}; wait for it to end, or stop it"
        ) from error
    except OSError as error:
        raise refused("lock", run, error) from error
    with suppress(OSError):  # the number only makes the message above more helpful
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)


def sweep_temporaries(folders: Iterable[Path]) -> None:
    """Remove the temporary files that crashed processes left; those still written to stay."""
    leftovers = [path for folder in folders for path in folder.glob(".*.tmp")]
    remove(path for path in leftovers if not _is_being_written(path))


def _is_being_written(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _open_temporary(folder: Path) -> tuple[Path, int]:
    while True:
        temporary = folder / f".write-{os.getpid()}-{secrets.token_hex(4)}.tmp"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with suppress(OSError):  # a file system without locks: a sweep cannot lock either
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:  # else a sweep took it before the lock was ours
            return temporary, descriptor
        os.close(descriptor)


def _write_all(descriptor: int, data: bytes | memoryview) -> None:
    rest = memoryview(data).cast("B")
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _sync(folder: Path) -> None:
    """Wait until the entries of ``folder`` (new, renamed, removed) are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:  # some network file systems have no such call
            raise
    finally:
        os.close(descriptor)
