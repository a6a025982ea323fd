"""Functions that fill hooks as the plain Python that they are: rules that others have written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tournaments.errors import KernelError

Function = TypeVar("Function", bound=Callable[..., Any])


def interpreted(function: Function) -> Function:
    """Mark a function of a module; what is linked with it runs by the interpreter alone."""
    function.__interpreted__ = True  # type: ignore[attr-defined]
    return function


def import_of(function: Callable[..., Any], name: str, compiled: bool) -> str:
    """The line by which a linked module has such a function under a name.

    Raises:
        KernelError: the module is to be compiled.
    """
    where, own = function.__module__, function.__name__
    if compiled:
        raise KernelError(
            f"{where}.{own} is plain Python, which compiled code cannot call; play move by move"
        )
    return f"from {where} import {own} as {name}"
