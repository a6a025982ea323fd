"""Hooks of schemes, genomes and learners of others: what they do wrong is said in a line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tournaments.arena.match import raised
from tournaments.errors import ConfigError, TournamentError
from tournaments.registry import Registry


@contextmanager
def hook(registry: Registry, name: str, call: str) -> Iterator[None]:
    """Where a hook of a thing is called; one of ours may raise what it likes, which is a bug.

    Args:
        registry: of things of its sort.
        name: of the thing.
        call: the hook and its arguments, for messages.

    Raises:
        TournamentError: the hook raised anything but an error of ours.
    """
    try:
        yield
    except (TournamentError, ConfigError):
        raise
    except Exception as error:
        if name in registry.own():
            raise
        if isinstance(error, NotImplementedError):
            raise wrong(registry, name, f"has no {call}", "write it") from error
        raise wrong(registry, name, f"{call} {raised(error)}") from error


def form(given: Any) -> str:
    """What a hook gave, in short: the type and shape of an array, or the class."""
    if isinstance(given, np.ndarray):
        return f"{given.dtype} {list(given.shape)}"
    return "None" if given is None else f"a {type(given).__name__}"


def wrong(registry: Registry, name: str, what: str, mend: str = "mend it") -> TournamentError:
    """What is wrong with a thing, and how to mend it."""
    return TournamentError(f"{registry.what} {name!r}: {what}; {mend}")
