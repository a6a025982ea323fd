"""The hook of a game that is to blame for an exception."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from traceback import walk_tb
from types import CodeType
from typing import Any

from tournaments.contract.process import Late
from tournaments.errors import KernelError, counted
from tournaments.game import Game
from tournaments.rules import Rules


def hooks_of(rules: Rules) -> Iterator[tuple[str, Any]]:
    """Yield the functions in a game's rules and their parts, each with the name of its field."""
    for part in (rules, *(getattr(rules, each.name) for each in fields(rules))):
        if is_dataclass(part) and not isinstance(part, type):
            for each in fields(part):
                if callable(getattr(part, each.name)):
                    yield each.name, getattr(part, each.name)


def _code_of(function: Any) -> CodeType | None:
    function = getattr(function, "func", function)  # a partial
    return getattr(getattr(function, "__func__", function), "__code__", None)


def raising_hook(error: BaseException, game: Game) -> str:
    """Return the name of the game's hook in which an exception was raised; empty: in none."""
    names = {_code_of(function): name for name, function in hooks_of(game.rules)}
    for frame, _ in reversed(list(walk_tb(error.__traceback__))):
        if frame.f_code in names:
            return names[frame.f_code]
        if frame.f_code.co_filename == "<linked kernels>":
            return frame.f_code.co_name.removeprefix("kernel__")
    return ""


def raised_law(error: BaseException, hook: str, seconds: float) -> str:
    """Return the law that a game's hook breaks by an exception, or by taking too long.

    ``seconds`` is the time limit.
    """
    frames = [
        (frame, line)
        for frame, line in walk_tb(error.__traceback__)
        if not frame.f_code.co_filename.endswith("contract/process.py")
    ]
    frame, line = frames[-1]
    where = f"{os.path.basename(frame.f_code.co_filename)}, line {line}"
    if isinstance(error, Late):
        limit = counted(seconds, "second")
        return f"{hook} must return, and has not within {limit} (it is at {where})"
    what = " ".join(str(error).split())
    return f"{hook} must not raise: {type(error).__name__}: {what} ({where})"


def kernel_law(error: KernelError, game: Game) -> str:
    """Return the law that a game's hook breaks because it cannot be compiled."""
    for name, hook in hooks_of(game.rules):
        if repr(getattr(hook, "__name__", "")) in str(error):
            return f"{name}() must compile: {error}"
    return str(error)
