"""The folder for what can be made again: compiled kernels and solved games."""

from __future__ import annotations

import hashlib
import os
import secrets
import sys
from contextlib import suppress
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder for cached files: ``EVO_CACHE_DIR``, or the platform's usual place."""
    chosen = os.environ.get("EVO_CACHE_DIR")
    if chosen:
        return Path(chosen)
    if sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "evo-tournaments"


def write(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a file atomically: readers find the old content or the whole new content.

    The folder must exist. Several processes may write the same content at the same time. ``mode``
    are the permissions of the file. None: the usual ones.

    Raises:
        OSError: the file cannot be written.
    """
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as stream:
            stream.write(content)
            stream.flush()
            if mode is not None:
                os.fchmod(stream.fileno(), mode)
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def store(path: Path, content: bytes) -> None:
    """Write a file to the cache, with a checksum before its content.

    If the file cannot be written, nothing happens.
    """
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, hashlib.sha256(content).digest() + content)


def load(path: Path) -> bytes | None:
    """Return the content of a cached file, or None if it is missing, truncated or altered.

    The checksum before the content is verified.
    """
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    digest, content = raw[:32], raw[32:]
    return content if hashlib.sha256(content).digest() == digest else None
