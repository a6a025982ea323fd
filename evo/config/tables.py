"""Tables of configurations: tables with a kind, and changes laid over a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tournaments import games
from tournaments.errors import ConfigError, shown
from tournaments.game import is_program

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
"""The field that names the kind of each table, and its default."""


def named_table(given: Mapping[str, Any], key: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the options of a game, scheme, encoding or learner in a configuration.

    ``key`` says which of these. A text may replace the table.
    """
    field, default = NAMED[key]
    options = dict(as_mapping(key, _as_table(key, given.get(key, {}))))
    name = options.pop(field, default)
    if not isinstance(name, str):
        raise ConfigError(f"{key}.{field}={shown(name)} given; a name is expected")
    return name, options


def as_mapping(key: str, table: Any) -> Mapping[str, Any]:
    """Return the value of a configuration's field ``key``, which must be a table.

    Raises:
        ConfigError: the value is not a table.
    """
    if not isinstance(table, Mapping):
        raise ConfigError(f"{key}={shown(table)} given; a table is expected: [{key}]")
    return table


def merge(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration table with changes made to its fields, in nested tables, too.

    A game, scheme, encoding or learner of another name replaces the whole table.
    """
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
    """Return nested tables in which the field of a dotted name has a value."""
    for part in reversed(name.split(".")):
        value = {part.strip(): value}
    return value


def _merged_named(key: str, present: Any, value: Any) -> Any:
    """Return the table of a game, scheme, encoding or learner after a change.

    ``present`` is the table before, ``value`` the change. Both may be tables or texts.
    """
    before, after = _as_table(key, present), _as_table(key, value)
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return value
    field, default = NAMED[key]
    name = before.get(field, default)
    return dict(after) if after.get(field, name) != name else merge(before, after)


def _as_table(key: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if key == "game" and is_program(value):
        return {"name": value}
    name, options = games.parse_spec(value, booleans=key != "game")
    return {NAMED[key][0]: name, **options}
