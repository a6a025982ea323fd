"""Finished parts of a study, kept in a folder, so that a study goes on where it was stopped."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evo.studies.intervals import Interval
from evo.versions import RULES
from results.folder.files import atomic_write, make_folder


def kept(
    folder: str | Path,
    name: str,
    what: Sequence[str],
    columns: Sequence[str],
    compute: Callable[[], Mapping[str, np.ndarray]],
) -> Mapping[str, np.ndarray]:
    """Return arrays of a study from the file of an earlier call, or compute and keep them.

    Args:
        folder: where they are kept; empty: nowhere.
        name: of the file.
        what: texts of everything that they depend on, but for the rules of all games (``RULES``).
            Other texts have another file.
        columns: names of the arrays.
        compute: makes the arrays.

    Args:
        folder: where they are kept; empty: nowhere.
        name: of the file.
        what: everything that they depend on, but for the rules of all games (``RULES``). Other
            dependencies have another file.
        columns: names of the arrays.
        compute: makes the arrays.
    """
    file = _file(folder, name, [*what, *columns], "npz")
    if folder and file.exists():
        with np.load(file, allow_pickle=False) as file_arrays:
            return {column: file_arrays[column] for column in columns}
    arrays = compute()
    if folder:
        stream = io.BytesIO()
        held = {column: arrays[column] for column in columns}
        np.savez_compressed(stream, **held)  # type: ignore[arg-type]
        _write(file, stream.getvalue())
    return arrays


def kept_record(folder: Path, name: str, what: Sequence[str], compute: Callable[[], Any]) -> Any:
    """Return a record of a study from the file of an earlier call, or compute and keep it.

    The arguments are those of :func:`kept`.
    """
    file = _file(folder, name, what, "json")
    if file.exists():
        return json.loads(file.read_text(encoding="utf-8"), object_hook=_interval)
    record = compute()
    _write(file, json.dumps(as_data(record)).encode())
    return record


def as_data(value: Any) -> Any:
    """Return a record as JSON data, in which intervals are objects with named ends."""
    if isinstance(value, Interval):
        return value._asdict()
    if isinstance(value, Mapping):
        return {name: as_data(each) for name, each in value.items()}
    return [as_data(each) for each in value] if isinstance(value, list) else value


def _interval(value: dict[str, Any]) -> Any:
    return Interval(**value) if set(value) == set(Interval._fields) else value


def _file(folder: str | Path, name: str, what: Sequence[str], form: str) -> Path:
    digest = hashlib.sha256(" ".join([*what, f"rules {RULES}"]).encode()).hexdigest()[:12]
    return Path(folder) / f"{name}-{digest}.{form}"


def _write(file: Path, data: bytes) -> None:
    make_folder(file.parent)
    atomic_write(file, data)
