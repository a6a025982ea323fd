"""What is done stays done: arrays of a part of the study, in a folder."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from results.folder.files import atomic_write, make_folder


def kept(
    folder: str,
    name: str,
    what: Sequence[str],
    columns: Sequence[str],
    compute: Callable[[], Mapping[str, np.ndarray]],
) -> Mapping[str, np.ndarray]:
    """Arrays that were computed before, or are now.

    Args:
        folder: where they are kept; empty: nowhere.
        name: what the file is called.
        what: all that they depend on; others have another file.
        columns: their names.
        compute: makes them.
    """
    digest = hashlib.sha256(" ".join(what).encode()).hexdigest()[:12]
    file = Path(folder) / f"{name}-{digest}.npz"
    if folder and file.exists():
        with np.load(file, allow_pickle=False) as file_arrays:
            return {column: file_arrays[column] for column in columns}
    arrays = compute()
    if folder:
        stream = io.BytesIO()
        held = {column: arrays[column] for column in columns}
        np.savez_compressed(stream, **held)  # type: ignore[arg-type]
        make_folder(file.parent)
        atomic_write(file, stream.getvalue())
    return arrays
