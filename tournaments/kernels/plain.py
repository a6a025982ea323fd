"""Plain Python functions as hooks, for rules from other packages."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from typing import Any, TypeVar

from tournaments.errors import KernelError

Function = TypeVar("Function", bound=Callable[..., Any])


def interpreted(function: Function, package: str = "") -> Function:
    """Mark a function of a module; what is linked with it runs by the interpreter alone.

    Args:
        function: of a module, under its own name.
        package: whose rules it stands for, as it is installed; fingerprints hold its version.
    """
    function.__interpreted__ = package  # type: ignore[attr-defined]
    return function


def import_of(function: Callable[..., Any], name: str, compiled: bool) -> str:
    """Return the line that imports a function into a linked module under a name.

    Raises:
        KernelError: the module is to be compiled.
    """
    where, own = function.__module__, function.__name__
    if compiled:
        raise KernelError(
            f"{where}.{own} is plain Python, which compiled code cannot call; play move by move"
        )
    package: str = function.__interpreted__  # type: ignore[attr-defined]
    version = f"  # {package} {importlib.metadata.version(package)}" if package else ""
    return f"from {where} import {own} as {name}{version}"
