"""What a broken law is told by: which law, which hook, and where."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from traceback import extract_tb, walk_tb
from types import CodeType
from typing import Any

from tournaments import games
from tournaments.contract.apart import COMPILED, Late, in_time
from tournaments.errors import KernelError, shown
from tournaments.game import Game, State
from tournaments.rules import Rules


class ContractError(AssertionError):
    """A game or a player breaks a law that the rest of the project relies on.

    Attributes:
        law: who breaks which, and by which action.
        position: in which, as text; empty: in none.
    """

    def __init__(self, law: str, position: str = "") -> None:
        super().__init__(law, position)
        self.law, self.position = law, position

    def __str__(self) -> str:
        return f"{self.law}. The position:\n{self.position}" if self.position else self.law

    def at(self, when: str) -> ContractError:
        """The same, with the game and the ply."""
        return ContractError(self.law + when, self.position)


def made_in_time(spec: str, seconds: float) -> Game:
    """A game as typed, which is made of what a user wrote.

    Raises:
        ContractError: its file is not imported, or its board not made, in so many seconds.
    """
    try:
        with in_time(COMPILED * seconds):
            return games.parse(spec)
    except Late as late:
        at = extract_tb(late.__traceback__)[-2]  # the last is where the signal was handled
        law = f"its file and its board() come to an end within {COMPILED * seconds:g} seconds"
        raise broken(spec, f"{law} ({Path(at.filename).name}, line {at.lineno})") from None


def broken(who: str, law: str, state: State | None = None, action: object = None) -> ContractError:
    """The error for a broken law.

    Args:
        who: the game, or the player.
        law: what is expected, and of which hook.
        state: the position in which it is broken.
        action: the action by which it is.
    """
    by = "" if action is None else f", by action {shown(action)}"
    position = "" if state is None else shown_position(state)
    return ContractError(f"{who} breaks the contract: {law}{by}", position)


def shown_position(state: State) -> str:
    """A position as text; as the numbers of its array where its game cannot draw it."""
    try:
        return str(state)
    except (Exception, Late):
        return str(state.array)


def hooks_of(rules: Rules) -> Iterator[tuple[str, Any]]:
    """The functions that rules are made of, each with the name under which they have it."""
    for part in (rules, *(getattr(rules, each.name) for each in fields(rules))):
        if is_dataclass(part) and not isinstance(part, type):
            for each in fields(part):
                if callable(getattr(part, each.name)):
                    yield each.name, getattr(part, each.name)


def _code_of(function: Any) -> CodeType | None:
    function = getattr(function, "func", function)  # a partial
    return getattr(getattr(function, "__func__", function), "__code__", None)


def raising_hook(error: BaseException, game: Game) -> str:
    """The hook in which an exception was raised; empty: in none of the game's."""
    names = {_code_of(function): name for name, function in hooks_of(game.rules)}
    for frame, _ in reversed(list(walk_tb(error.__traceback__))):
        if frame.f_code in names:
            return names[frame.f_code]
        if frame.f_code.co_filename == "<linked kernels>":
            return frame.f_code.co_name.removeprefix("kernel__")
    called = [name for name, function in hooks_of(game.rules) if _refuses_call(function, error)]
    return called[0] if len(called) == 1 else ""


def _refuses_call(function: Any, error: BaseException) -> bool:
    """Whether a function was called with other arguments than it takes."""
    name = getattr(function, "__qualname__", "")
    return isinstance(error, TypeError) and bool(name) and str(error).startswith(f"{name}() ")


def raised_law(error: BaseException, hook: str, seconds: float) -> str:
    """The law that a hook breaks by an exception, or by going on."""
    frame, line = list(walk_tb(error.__traceback__))[-1]
    if isinstance(error, Late):
        frame, line = next(
            (frame, line)
            for frame, line in reversed(list(walk_tb(error.__traceback__)))
            if not frame.f_code.co_filename.endswith("apart.py")
        )
    where = f"{os.path.basename(frame.f_code.co_filename)}, line {line}"
    if isinstance(error, Late):
        return f"{hook} must return, and has not within {seconds:g} seconds (it is at {where})"
    what = " ".join(str(error).split())
    return f"{hook} must not raise: {type(error).__name__}: {what} ({where})"


def kernel_law(error: KernelError, game: Game) -> str:
    """The law that a hook breaks which cannot be compiled."""
    for name, hook in hooks_of(game.rules):
        if repr(getattr(hook, "__name__", "")) in str(error):
            return f"{name}() must be what compiles: {error}"
    return str(error)
