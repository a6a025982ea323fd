"""Files of numbers, such as network weights: ``.npy``, or ``.json`` with a list of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from tournaments.errors import TournamentError


def read_weights(path: Path) -> np.ndarray:
    """The weights of a file, float64 ``[W]``, in the order of the encoding.

    Raises:
        TournamentError: the file is missing, unreadable, or holds anything but finite numbers.
    """
    weights = read_array(path, "a weights file", "network weights")
    numbers = weights.astype(np.float64) if weights.dtype.kind in "iuf" else None
    if numbers is None or not np.isfinite(numbers).all():
        raise TournamentError(f"{path}: holds something other than finite numbers")
    return numbers.reshape(-1)


def read_array(path: Path, file: str, content: str) -> np.ndarray:
    """The array of a ``.npy`` or ``.json`` file; messages call them ``file`` and ``content``.

    Raises:
        TournamentError: the file is missing, unreadable, or of another kind.
    """
    if path.suffix not in (".npy", ".json"):
        raise TournamentError(f"{path}: {file} ends in .npy or .json")
    try:
        if path.suffix == ".npy":
            return np.load(path, allow_pickle=False)
        return np.asarray(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, EOFError) as error:
        raise TournamentError(f"{path}: cannot be read as {content} ({error})") from None
