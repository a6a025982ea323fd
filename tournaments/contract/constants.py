"""The laws of what a game says of itself, and of its start.

Part of :func:`tournaments.contract.check.check_game`.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from itertools import product
from typing import Any

import numpy as np

from tournaments import games as all_games
from tournaments.contract.broken import broken, hooks_of
from tournaments.errors import KernelError, TournamentError
from tournaments.game import Game
from tournaments.kernels import hooks
from tournaments.kernels.linker import link
from tournaments.rules import HEADER, Kernel

KERNELS = frozenset({"solve", "number", "position", "measure"})
"""Hooks of the rules' parts that the arena is not linked with, and that are kernels."""
JUNK = ("no position: ?", "")
"""Texts that no game may take for a position."""


def check_constants(game: Game) -> None:
    who = game.spec
    if len(game.seats) != 2 or len(set(game.seats)) != 2 or not all(map(_is_line, game.seats)):
        law = f"two seats with different names, a line each, are expected, not {game.seats!r}"
        raise broken(who, law)
    if game.num_actions < 1 or game.state_size < HEADER:
        raise broken(
            who,
            f"num_actions={game.num_actions} and state_size={game.state_size}; at least 1 action "
            f"and a state of {HEADER} numbers are expected",
        )
    if game.board.dtype != np.int16:
        raise broken(who, f"the board must be int16, not {game.board.dtype}")
    called = [game.rules.describe(game.board, action) for action in range(game.num_actions)]
    if len(set(called)) != len(called) or not all(map(_is_line, called)):
        raise broken(who, "describe() must give each action a name of its own, a line of text")
    if game.rules.network is not None:
        inputs = game.rules.network.num_inputs(game.board)
        if isinstance(inputs, bool) or not isinstance(inputs, int | np.integer) or inputs < 1:
            raise broken(who, f"num_inputs() must give a whole number from 1, not {inputs!r}")
    if game.name in all_games.names() and all_games.parse(game.spec).spec != game.spec:
        raise broken(who, "the game made from its own spec is another one")


def _is_line(name: object) -> bool:
    return isinstance(name, str) and name.strip() != "" and name.isprintable()


def check_kernels(game: Game) -> None:
    """Hooks that are compiled are kernels, and use what kernels may."""
    kernels = set(game.unchecked_hooks.values())
    for name, hook in [*game.unchecked_hooks.items(), *hooks_of(game.rules)]:
        if name in KERNELS or hook in kernels:
            if not hasattr(hook, "__kernel__"):
                who = getattr(hook, "__name__", repr(hook))
                law = (
                    f"{name}() must be a kernel: write @kernel (tournaments.kernels.linker) above "
                    f"def {who}"
                )
                raise broken(game.spec, law)
            is_declared = game.unchecked_hooks.get(name) is hook  # there are two "position"
            if is_declared:
                _check_arguments(game, name, hook)
            try:
                link(hook, game.unchecked_hooks, compiled=False)
            except KernelError as error:
                raise broken(game.spec, f"{name}() must be what compiles: {error}") from None


def _check_arguments(game: Game, name: str, hook: Kernel) -> None:
    """A kernel takes what it is given."""
    declared = getattr(hooks, name, None)
    if declared is None:
        return
    given = list(signature(declared).parameters)
    try:
        signature(hook).bind(*given)
    except TypeError as error:
        law = f"{name}() must take {len(given)} arguments ({', '.join(given)}): {error}"
        raise broken(game.spec, law) from None


def check_start(game: Game, seed: int) -> None:
    for number in range(seed, seed + 5):
        state, again = game.start(number), game.start(number)
        if state != again:
            raise broken(
                game.spec, f"start() gives two different positions for seed={number}", state
            )
        if state.is_over:
            raise broken(game.spec, "start() must not begin with a game that is over", state)
        used = np.full(game.state_size, 7, dtype=np.int16)
        with np.errstate(over="ignore"):
            game.rules.start(game.board, used, np.uint64(number))
        if not np.array_equal(used, state.array):
            place = int(np.flatnonzero(used != state.array)[0])
            law = (
                f"start() must write the whole state, and leaves state[{place}] as it was in the "
                "game before (write state[:] = 0 first)"
            )
            raise broken(game.spec, law, state)


def check_refusals(game: Game) -> None:
    """What is no position, and what asks for nothing, is refused by the error that people see."""
    readers: dict[str, tuple[str, Callable[[str], Any]]] = {}
    readers["parse"] = "what is no position", game.parse
    edit = game.rules.edit
    if edit is not None:
        edited = game.start().array
        readers["edit"] = "words of no meaning", lambda text: edit(game.board, edited.copy(), text)
    for (hook, (what, read)), junk in product(readers.items(), JUNK):
        law = f"{hook}() must refuse {what} by a TournamentError; {junk!r}"
        try:
            read(junk)
        except TournamentError:
            continue
        except Exception as error:
            law += f" raises {type(error).__name__}: {error}"
        else:
            law += " is taken for one"
        raise broken(game.spec, law)
