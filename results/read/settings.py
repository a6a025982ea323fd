"""The settings of runs: their names, and the settings in which configurations differ."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from results.format.metadata import ENDS, KEEP
from results.format.schema import arrow_schema

NAMED = {"game": "name", "scheme": "name", "learner": "name", "genome": "encoding"}
"""The tables of a configuration that have a name, and the field of that name."""
ISLANDS = "islands"
"""The table of islands in a configuration, whose ``count`` is the number of islands."""
_OF_KEEPING = {*ENDS, *KEEP, "snapshot_interval", "snapshot_games", "lineage", "seed"}
"""Fields for the length and the storage of a run; and the seed, which is a separate column."""


def game_of(config: Mapping[str, Any]) -> str | None:
    """Return a run's game in command-line form, such as ``dots-and-boxes:rows=3,cols=3``."""
    table = config.get("game")
    name = table.get("name") if isinstance(table, Mapping) else table
    if not isinstance(name, str):
        return None
    options = table.items() if isinstance(table, Mapping) else ()
    rest = ",".join(f"{key}={_plain(value)}" for key, value in options if key != "name")
    return f"{name}:{rest}" if rest else name


def games_apart(configs: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the games of runs in command-line form, each with a short text that distinguishes it.

    The text omits options that all games of the same name share.
    """
    tables: dict[str, Mapping[str, Any]] = {}
    for config in configs:
        table = config.get("game")
        tables[game_of(config) or ""] = table if isinstance(table, Mapping) else {"name": table}
    apart = {}
    for text, table in tables.items():
        named = [other for other in tables.values() if other.get("name") == table.get("name")]
        kept = {
            key: value
            for key, value in table.items()
            if key == "name" or len({repr(other.get(key)) for other in named}) > 1
        }
        apart[text] = game_of({"game": kept}) or ""
    return apart


def name_of(config: Mapping[str, Any], table: str) -> str | None:
    """Return the name of a run's scheme, learner or encoding; None if it has none.

    ``table`` is the name of that part of the configuration, such as ``scheme``.
    """
    there = config.get(table)
    name = there.get(NAMED[table]) if isinstance(there, Mapping) else there
    return name if isinstance(name, str) else None


def differing(configs: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the settings in which runs differ: by dotted field, the value of each run.

    The game is a single setting, in command-line form, and so is the number of islands. An option
    of a scheme, a learner, an encoding or of islands differs if two runs that have the option have
    different values. Runs without the option have None. The lengths of runs, the rules for storing
    them, and their seeds are left out.
    """
    flat = [_settings(config) for config in configs]
    fields = dict.fromkeys(field for settings in flat for field in settings)
    return {
        field: [settings.get(field) for settings in flat]
        for field in fields
        if len(_values(field, flat)) > 1
    }


def short_names(fields: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """Return a short column name for each dotted field of a configuration, by field.

    It is the last part of the field, if that is unique. Names in ``taken`` and names of the tables'
    own columns are not used.
    """
    every = list(fields)
    reserved = {*taken, *arrow_schema("generations").names, *arrow_schema("evaluations").names}
    short = [field.rpartition(".")[2] for field in every]
    return {
        field: name if short.count(name) == 1 and name not in reserved else field
        for field, name in zip(every, short, strict=True)
    }


def _settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings in a run's configuration by dotted field, such as ``scheme.name``."""
    settings: dict[str, Any] = {"game": game_of(config)}
    settings |= {table: name_of(config, table) for table in NAMED if table != "game"}
    if isinstance(islands := config.get(ISLANDS), Mapping):
        settings[ISLANDS] = _plain(islands.get("count"))
    for key, value in config.items():
        if isinstance(value, Mapping) and key != "game":
            settings |= _leaves(value, key)
        elif key not in _OF_KEEPING and key not in NAMED:
            settings[key] = _plain(value)
    return settings


def _leaves(table: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    leaves: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            leaves |= _leaves(value, f"{prefix}.{key}")
        elif f"{prefix}.{key}" != f"{ISLANDS}.count" and key != NAMED.get(prefix):
            leaves[f"{prefix}.{key}"] = _plain(value)
    return leaves


def _values(field: str, flat: Sequence[Mapping[str, Any]]) -> set[Any]:
    """Return the distinct values of a field in the settings of several runs.

    For an option, runs without it are ignored.
    """
    is_option = field.partition(".")[0] in (*NAMED, ISLANDS) and "." in field
    return {settings.get(field) for settings in flat if field in settings or not is_option}


def _plain(value: Any) -> Any:
    """Return a value of a configuration as a cell of a table: lists and tables as JSON."""
    return json.dumps(value) if isinstance(value, list | dict) else value
