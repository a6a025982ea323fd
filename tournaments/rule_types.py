"""Whether a dataclass of a game's author holds what its fields are declared to hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from tournaments.errors import TournamentError, shown


def refuse_wrong_types(thing: Any) -> None:
    """Refuse a field that holds what it is not declared to hold, by a TournamentError."""
    for each in fields(thing):
        given, kind = getattr(thing, each.name), str(each.type)
        if not (given is None and kind.endswith("None")) and not _is_one(given, kind):
            raise TournamentError(
                f"{getattr(thing, 'name', type(thing).__name__)}: {each.name}={shown(given)} "
                f"given; {_in_words(kind)} is expected, see docs/extending.md"
            )


def _is_one(given: Any, kind: str) -> bool:
    if kind.startswith(("Kernel", "Callable")):
        return callable(given)
    if kind.startswith("tuple"):
        return isinstance(given, tuple | list) and all(isinstance(text, str) for text in given)
    if value := re.match(r"Mapping\[str, (\w+)\]", kind):
        return isinstance(given, Mapping) and all(
            isinstance(name, str) and (value[1] == "Any" or _is_named(thing, value[1]))
            for name, thing in given.items()
        )
    return _is_named(given, kind.removesuffix(" | None"))


def _is_named(given: Any, name: str) -> bool:
    """Whether a thing is of a class of this name."""
    return name in (each.__name__ for each in type(given).__mro__)


def _in_words(kind: str) -> str:
    if kind.startswith(("Kernel", "Callable")):
        return "a function"
    if kind.startswith("tuple"):
        return "a tuple of texts"
    if kind.startswith("Mapping"):
        value = kind.removeprefix("Mapping[str, ").removesuffix("]")
        return f"a dict of {'values' if value == 'Any' else value} by name"
    name = kind.removesuffix(" | None")
    return {"str": "a text", "bool": "True or False"}.get(name, f"a {name} object")
