"""Files of network weights: ``.npy``, or ``.json`` with a list of numbers."""

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
    try:
        if path.suffix == ".npy":
            weights = np.load(path, allow_pickle=False)
        elif path.suffix == ".json":
            weights = np.asarray(json.loads(path.read_text(encoding="utf-8")))
        else:
            raise TournamentError(f"{path}: a weights file ends in .npy or .json")
        weights = (
            weights.astype(np.float64, casting="same_kind") if weights.dtype.kind in "iuf" else None
        )
    except (OSError, ValueError, EOFError) as error:
        if isinstance(error, TournamentError):
            raise
        raise TournamentError(f"{path}: cannot be read as network weights ({error})") from None
    if weights is None or not np.isfinite(weights).all():
        raise TournamentError(f"{path}: holds something other than finite numbers")
    return weights.reshape(-1)
