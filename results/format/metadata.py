"""The texts that a snapshot carries beside its columns, so that it stands alone and goes on.

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
"""The key under which the digest of the configuration stands."""
ENDS = ("generations", "games")
"""The fields of a configuration that say where a run ends."""
KEEP = ("keep_every", "keep_last")
"""The fields that say which snapshots stay."""
LINEAGE = "lineage"
"""The field that says whether the parents of every generation are kept, beside all else."""
START = "start"
"""The field that says which run another one goes on from."""
LEARNER = "learner"
"""The key under which the state of the learner stands, where it has any."""
FAULTS = "faults"
"""The key under which the rows of ``faults`` up to a snapshot are counted, where there are any."""
_KINDS = {int: "whole number", dict: "table", str: "text", list: "list"}


def run_metadata(info: Mapping[str, Any]) -> dict[str, str]:
    """Return the metadata that all snapshots of the run whose ``run.json`` is ``info`` carry.

    With the encoding inside a snapshot stands alone; the digest of the configuration tells whether
    ``run.json`` is still that of the run.
    """
    return {
        "schema_version": str(info["schema_version"]),
        "genome": json.dumps(info["genome"], sort_keys=True, allow_nan=False),
        CONFIG_DIGEST: config_digest(info["config"]),
    }


def snapshot_metadata(
    generation: int, games_played: int, state: Mapping[str, Any] | None = None, faults: int = 0
) -> dict[str, str]:
    """Return the metadata that are a snapshot's own.

    ``state`` is that of the learner, ``faults`` counts the rows of that table; an empty state, or
    no rows, leave no trace.
    """
    own = {"generation": str(generation), "games_played": str(games_played)}
    learner = {LEARNER: state_text(state)} if state else {}
    return own | learner | ({FAULTS: str(faults)} if faults else {})


def config_digest(config: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a configuration.

    Left out are its end and which snapshots stay, which may change, where it started from: that
    may be called otherwise, and what came of it stands in the first snapshot; and whether it has a
    table of its lineage, with which snapshots are the same.
    """
    left_out = (*ENDS, *KEEP, START, LINEAGE)
    rest = {name: value for name, value in config.items() if name not in left_out}
    text = json.dumps(rest, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def state_text(state: Mapping[str, Any]) -> str:
    """Return the JSON of a learner's state, its keys sorted, without blanks.

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
    """Return the state of the learner in a snapshot's metadata; empty where there is none.

    What went in as a tuple, an array or a numpy number comes out as a list or a plain number.

    Raises:
        DamagedError: it is none.
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
    """Refuse the content of a folder's JSON file that is not of this version, or lacks fields.

    Raises:
        ResultsError: the file, what stands in it, and what is expected.
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
    """Raise ResultsError if the content of a JSON file lacks a field, or one is of another type."""
    for name, kind in fields.items():
        value = info.get(name) if isinstance(info, dict) else None
        if not isinstance(value, kind):
            raise ResultsError(f"{path} has {name} = {shown(value)}; expected is a {_KINDS[kind]}")


def plain_json(value: Any) -> Any:
    """Return numpy numbers and arrays as JSON has them, for ``json.dumps(default=...)``."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{value!r} is a {type(value).__name__}; give text, numbers, lists or tables")
