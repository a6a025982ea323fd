"""The rules of a game, one call at a time: interpreted at first, compiled once that pays.

Compiled rules check the bounds of arrays, and the interpreter repeats a call that raises: so errors
are the same, and name the line. Rules that do not fit the compiler stay interpreted. Numbers beyond
int16 are cut off by the interpreter alone; ``check_game`` finds rules in which they come up.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from tournaments.kernels.disk import CompiledKernel
from tournaments.kernels.hooks import legal, play, start, view
from tournaments.kernels.linker import build, checked, kernel

LOAD_SECONDS = 0.05
"""Seconds in interpreted rules after which compiled ones are looked for in the cache folder."""
COMPILE_SECONDS, COMPILE_CALLS = 0.5, 1000
"""Seconds in interpreted rules, and calls, after which they are compiled: about as long as that
takes, and more than a person's game needs."""
START, LEGAL, PLAY, VIEW = RULES = range(4)
in_turn = threading.local()
"""Its ``is_on`` says whether this thread is in a player's turn: no compiling may cost its time."""
NO_NUMBERS = np.empty(0, dtype=np.int16)


@checked
def call_rule(rule, board, state, number, numbers):
    """Call one of a game's kernels start, legal, play and view, by its number in :data:`RULES`.

    Args:
        rule: the number of the kernel.
        board: the constants of the game.
        state: the position.
        number: a seed (start), an action (play) or a seat (view).
        numbers: the array that legal or view fills.
    """
    if rule == START:
        start(board, state, np.uint64(number))
    elif rule == LEGAL:
        return np.int64(legal(board, state, numbers))
    elif rule == PLAY:
        play(board, state, number)
    else:
        view(board, state, number, numbers)
    return np.int64(0)


def compiled_rules(rules: tuple[Callable[..., Any], ...]) -> CompiledKernel:
    """Return :func:`call_rule` compiled for the kernels start, legal, play and view of a game."""
    compiled = build(call_rule, dict(zip(("start", "legal", "play", "view"), rules, strict=True)))
    assert isinstance(compiled, CompiledKernel)
    return compiled


@kernel
def view_all(board, state, seat, seen):
    """Do nothing: fill the hook ``view`` of a game that hides nothing, where it is never called."""


class Moves:
    """The rules of a game as callable functions, from any thread.

    Attributes:
        rules: the kernels that start, list the legal actions, play and show a seat its view.
        seconds: processor time or waiting in interpreted rules so far.
        calls: calls of interpreted rules so far.
        compiled: the compiled rules, once they are used.
    """

    def __init__(self, rules: tuple[Callable[..., Any], ...], may_compile: bool = True) -> None:
        self.rules = rules
        self.seconds, self.calls = 0.0, 0
        self.compiled: Callable[..., Any] | None = None
        self._patience = LOAD_SECONDS if may_compile else float("inf")
        self._lock = threading.Lock()

    def call(
        self, rule: int, *arguments: Any, number: int = 0, numbers: np.ndarray = NO_NUMBERS
    ) -> int:
        """Call a kernel of the game's rules, compiled if that pays, else interpreted.

        Args:
            rule: one of :data:`RULES`.
            arguments: as the kernel takes them, board and state first.
            number: a seed, an action or a seat, for :func:`call_rule`.
            numbers: the array to fill, for :func:`call_rule`.
        """
        board, state = arguments[:2]
        if self.compiled is not None and state.flags.carray and state.dtype == np.int16:
            before = state.copy()
            try:
                return self.compiled(rule, board, state, number, numbers)
            except Exception:  # the interpreter repeats the call, and names the line
                state[:] = before
        began = time.perf_counter()
        try:
            return self.rules[rule](*arguments)
        finally:
            self.seconds += time.perf_counter() - began
            self.calls += 1
            if self.seconds > self._patience and not getattr(in_turn, "is_on", False):
                self._compile(board, state)

    def _compile(self, board: np.ndarray, state: np.ndarray) -> None:
        """Start to use compiled rules of the game if the cache folder has them or compiling pays.

        Other threads go on with the interpreter.
        """
        pays = self.seconds > COMPILE_SECONDS and self.calls > COMPILE_CALLS
        if not (pays or self._patience == LOAD_SECONDS) or not self._lock.acquire(blocking=False):
            return
        try:
            if self.compiled is None:
                self._patience = COMPILE_SECONDS
                rules = compiled_rules(self.rules)
                if pays or rules.is_on_disk:
                    first = START, board, np.zeros_like(state), 0, NO_NUMBERS
                    self.compiled = rules.prepared(*first)
        except Exception:  # of rules that do not fit the compiler
            self._patience = float("inf")
        finally:
            self._lock.release()


@cache
def moves_of(rules: tuple[Callable[..., Any], ...]) -> Moves:
    """Return the callable rules of a game. All games of the same rules share them."""
    return Moves(rules)
