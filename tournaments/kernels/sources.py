"""The digest of source files: two processes with other sources may play other games."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from types import ModuleType


@cache
def sources_digest(*packages: ModuleType) -> str:
    """Return a digest, twelve hexadecimal digits, of all Python files of packages or modules."""
    digest = hashlib.sha256()
    for package in packages:
        assert package.__file__ is not None
        folder = Path(package.__file__).parent
        is_package = hasattr(package, "__path__")
        for file in sorted(folder.rglob("*.py")) if is_package else [Path(package.__file__)]:
            digest.update(file.relative_to(folder.parent).as_posix().encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]
