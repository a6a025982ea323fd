"""Addresses of runs.

Examples are ``runs/x``, ``file:///runs/x``, ``s3://BUCKET/runs/x``, ``gs://...``, ``az://...`` and,
for trials, ``memory://NAME/runs/x``.
"""

from __future__ import annotations

import math
import os
import re
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from results.errors import ResultsError
from results.redact import redacted
from results.storage.base import Place
from results.storage.lease import SECONDS
from results.storage.local import LocalLock, LocalStorage
from results.storage.objects import SERVICES, open_bucket
from results.storage.remote import RemoteLock, RemotePath, RemoteStorage

Storage = LocalStorage | RemoteStorage
Lock = LocalLock | RemoteLock
"""The exclusive right of a process to write in a folder."""
LEASE_VARIABLE = "EVO_STORAGE_LEASE"
RETRY_VARIABLE = "EVO_STORAGE_TIMEOUT"
RETRY_SECONDS = 120.0
"""Number of seconds for which a request is retried."""
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://([^/]*)/?(.*)", re.DOTALL)


def place_of(address: Any) -> Place:
    """Return a path or an address of an object store as a path object that reads and writes there.

    Raises:
        ResultsError: the address has an unknown scheme, no bucket, or a password.
    """
    if hasattr(address, "storage"):
        return address
    match = _ADDRESS.fullmatch(os.fspath(address))
    if match is None:
        return Path(address)
    scheme, bucket, key = match[1].lower(), match[2], match[3]
    if scheme == "file":
        return _file(address, bucket, key)
    if ":" in bucket.rpartition("@")[0] or ("@" in bucket and scheme in SERVICES):
        raise ResultsError(
            f"{redacted(str(address))} given with credentials, which would stand in the history "
            "of the shell; give them by environment variables (docs/storage.md)"
        )
    if ".." in key.split("/"):
        raise ResultsError(f"{address} given; an address without .. is expected")
    return RemotePath(_storage(scheme, bucket), key)


def _file(address: str, host: str, key: str) -> Path:
    if host not in ("", "localhost") or not key:
        raise ResultsError(f"{address} given; file:///FOLDER is expected")
    return Path("/" + unquote(key))


@lru_cache(maxsize=64)
def _storage(scheme: str, bucket: str) -> RemoteStorage:
    if scheme not in SERVICES:
        raise ResultsError(
            f"{scheme}://{bucket} given; a folder, or an address that begins with file://, "
            f"{', '.join(f'{name}://' for name in SERVICES)}, is expected"
        )
    if not bucket:
        raise ResultsError(f"{scheme}:// given; {scheme}://BUCKET/FOLDER is expected")
    objects = open_bucket(scheme, bucket, _seconds(RETRY_VARIABLE, RETRY_SECONDS))
    return RemoteStorage(objects, place_of, _seconds(LEASE_VARIABLE, SECONDS))


def _seconds(variable: str, default: float) -> float:
    text = os.environ.get(variable, "")
    try:
        seconds = float(text) if text else default
    except ValueError:
        seconds = math.nan
    if 1 <= seconds <= 3600:
        return seconds
    raise ResultsError(f"{variable}={text} is set; seconds from 1 to 3600 are expected")
