"""What a process plays with: two that differ here may play different games."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
from functools import cache
from pathlib import Path

import tournaments

DECIDING = ("numpy", "numba")


@cache
def fingerprint() -> str:
    """Versions of what decides results, and the digest of the sources of ``tournaments``."""
    digest = hashlib.sha256()
    folder = Path(tournaments.__file__).parent
    for file in sorted(folder.rglob("*.py")):
        digest.update(file.relative_to(folder).as_posix().encode())
        digest.update(file.read_bytes())
    versions = [f"{name} {importlib.metadata.version(name)}" for name in DECIDING]
    python = ".".join(platform.python_version_tuple()[:2])
    return f"python {python}, {', '.join(versions)}, tournaments {digest.hexdigest()[:12]}"
