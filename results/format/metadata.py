"""The metadata of a snapshot, which make it self-contained and let a run go on from it.

They are the encoding of the genomes, the digest of the configuration and the state of the learner,
each as JSON in Parquet's key-value metadata.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from results.errors import DamagedError, ResultsError, shown
from results.format.limits import json_of

CONFIG_DIGEST = "config_sha256"
"""The key of the digest of the configuration."""
ENDS = ("generations", "games")
"""The fields of a configuration that say where a run ends."""
UNLIMITED = 1_000_000_000
"""The last generation of a run that ends by its games alone."""
KEEP = ("keep_every", "keep_last")
"""The fields of a configuration that say which snapshots are kept."""
LINEAGE = "lineage"
"""The field that says whether the parents of every generation are stored in addition."""
START = "start"
"""The field that names the run from which another run starts."""
LEARNER = "learner"
"""The key of the state of the learner, if it has any."""
FAULTS = "faults"
"""The key of the number of rows of ``faults`` up to a snapshot, if there are any."""
_KINDS = {int: "whole number", dict: "table", str: "text", list: "list"}


def run_metadata(info: Mapping[str, Any]) -> dict[str, str]:
    """Return the metadata that all snapshots of a run share.

    ``info`` is the content of ``run.json``.

    The encoding makes a snapshot self-contained. The digest of the configuration shows whether
    ``run.json`` was changed.
    """
    return {
        "schema_version": str(info["schema_version"]),
        "genome": json.dumps(info["genome"], sort_keys=True, allow_nan=False),
        CONFIG_DIGEST: config_digest(info["config"]),
    }


def snapshot_metadata(
    generation: int, games_played: int, state: Mapping[str, Any] | None = None, faults: int = 0
) -> dict[str, str]:
    """Return the metadata of one generation's snapshot, as texts by name.

    ``state`` is the state of the learner, ``faults`` the number of rows of that table. An empty
    state and a count of 0 are not stored.
    """
    own = {"generation": str(generation), "games_played": str(games_played)}
    learner = {LEARNER: state_text(state)} if state else {}
    return own | learner | ({FAULTS: str(faults)} if faults else {})


def config_digest(config: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a configuration, without the fields that do not affect the snapshots.

    Left out are:

    - the end of the run and the rule for keeping snapshots, which may change;
    - the start, because the run may be moved and its result is in the first snapshot;
    - whether the run has a table of its lineage, because the snapshots are the same with it.
    """
    left_out = (*ENDS, *KEEP, START, LINEAGE)
    rest = {name: value for name, value in config.items() if name not in left_out}
    text = json.dumps(rest, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def state_text(state: Mapping[str, Any]) -> str:
    """Return a learner's state as JSON, its keys sorted, without blanks.

    Raises:
        ResultsError: a value is not JSON (NaN and infinities included).
    """
    try:
        return json.dumps(
            state, sort_keys=True, allow_nan=False, separators=(",", ":"), default=plain_json
        )
    except (TypeError, ValueError) as error:
        raise ResultsError(f"a snapshot cannot hold this state of a learner: {error}") from error


def state_of(metadata: Mapping[str, str]) -> dict[str, Any]:
    """Return the learner's state in a snapshot's metadata; empty if there is no state.

    Tuples, arrays and numpy numbers are returned as lists and plain numbers.

    Raises:
        DamagedError: the state is not a JSON table.
    """
    try:
        state = json_of(metadata.get(LEARNER, "{}").encode())
    except ValueError as error:
        raise DamagedError(f"a snapshot holds no state of a learner ({error})") from error
    if not isinstance(state, dict):
        raise DamagedError(
            f"a snapshot holds {shown(state)} as state of a learner; a table is expected"
        )
    return state


def check_info(path: Path, info: Any, version: int, fields: Mapping[str, type]) -> None:
    """Raise if ``run.json`` or the like has another schema version than expected, or lacks fields.

    Args:
        path: path of the file, for the message.
        info: content of the file.
        version: expected schema version.
        fields: expected types of fields, by name.

    Raises:
        ResultsError: with the file, its value and the expected value.
    """
    given = info.get("schema_version") if isinstance(info, dict) else None
    if given is None:
        raise ResultsError(f"{path} is not the file of a run: it has no schema_version")
    if given != version:
        raise ResultsError(
            f"{path} has schema version {shown(given)}; this release reads version {version}: "
            "open it with the release that wrote it"
        )
    check_fields(path, info, fields)


def check_fields(path: Path, info: Any, fields: Mapping[str, type]) -> None:
    """Raise ResultsError if a field of a JSON file is missing or of another type.

    Args:
        path: path of the file, for the message.
        info: content of the file.
        fields: expected types of fields, by name.
    """
    for name, kind in fields.items():
        value = info.get(name) if isinstance(info, dict) else None
        if not isinstance(value, kind):
            raise ResultsError(f"{path} has {name} = {shown(value)}; expected is a {_KINDS[kind]}")


def plain_json(value: Any) -> Any:
    """Convert numpy numbers and arrays to JSON types, for ``json.dumps(default=...)``."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{value!r} is a {type(value).__name__}; give text, numbers, lists or tables")
