"""What a process plays with: two that differ here may play different games."""

from __future__ import annotations

import importlib.metadata
import platform
from functools import cache

import tournaments
from tournaments.kernels.sources import sources_digest

DECIDING = ("numpy", "numba")


@cache
def fingerprint() -> str:
    """Versions of what decides results, and the digest of the sources of ``tournaments``."""
    versions = [f"{name} {importlib.metadata.version(name)}" for name in DECIDING]
    python = ".".join(platform.python_version_tuple()[:2])
    return f"python {python}, {', '.join(versions)}, tournaments {sources_digest(tournaments)}"
