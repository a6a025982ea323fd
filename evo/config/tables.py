"""Tables of configurations: kinds of things by name, and changes laid over a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tournaments import games
from tournaments.errors import ConfigError, shown

DEFAULT_GAME = "dots-and-boxes"
DEFAULT_SCHEME = "antibody-antigen"
DEFAULT_LEARNER = "genetic"
DEFAULT_TOPOLOGY = "ring"
NAMED = {
    "game": ("name", DEFAULT_GAME),
    "scheme": ("name", DEFAULT_SCHEME),
    "genome": ("encoding", ""),
    "learner": ("name", DEFAULT_LEARNER),
    "topology": ("name", DEFAULT_TOPOLOGY),
}
"""Tables that are of one kind or another, by the field that says which, and what it is unsaid."""


def named_table(given: Mapping[str, Any], key: str) -> tuple[str, dict[str, Any]]:
    """What kind of thing a table is, and its options; a text stands for such a table."""
    field, default = NAMED[key]
    options = dict(as_mapping(key, _as_table(key, given.get(key, {}))))
    name = options.pop(field, default)
    if not isinstance(name, str):
        raise ConfigError(f"{key}.{field}={shown(name)} given; a name is expected")
    return name, options


def as_mapping(key: str, table: Any) -> Mapping[str, Any]:
    """A table that was given.

    Raises:
        ConfigError: it is none.
    """
    if not isinstance(table, Mapping):
        raise ConfigError(f"{key}={shown(table)} given; a table is expected: [{key}]")
    return table


def merge(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """A table with changes laid over it; a game, scheme, encoding or learner of another name
    replaces the whole."""
    merged = dict(base)
    for key, value in changes.items():
        if key in NAMED:
            merged[key] = _merged_named(key, merged.get(key, {}), value)
        elif isinstance(value, Mapping) and isinstance(merged.get(key), Mapping):
            merged[key] = merge(merged[key], value)
        else:
            merged[key] = value
    return merged


def nested(name: str, value: Any) -> Any:
    """Return the table in which a field of a dotted name has a value."""
    for part in reversed(name.split(".")):
        value = {part.strip(): value}
    return value


def _merged_named(key: str, present: Any, value: Any) -> Any:
    """One of the tables that have a name, each a table or a text, with a change laid over it."""
    before, after = _as_table(key, present), _as_table(key, value)
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return value
    field, default = NAMED[key]
    name = before.get(field, default)
    return dict(after) if after.get(field, name) != name else merge(before, after)


def _as_table(key: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    name, options = games.parse_spec(value)
    return {NAMED[key][0]: name, **options}
