"""Files of numbers, such as network weights: ``.npy``, or ``.json`` with a list of them.

Files of networks in ``.json`` may tell their layers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tournaments.errors import TournamentError, shown
from tournaments.named_files import read_named_array, read_named_json


def read_network(path: Path) -> tuple[np.ndarray, tuple[int, ...] | None]:
    """The weights of a file, float64, in the order of the encoding, and its layers.

    Of a network for each of two seats they are ``[2, W]``, else of the shape that the file has.

    A ``.json`` file may be an object with ``layers``, the nodes of each layer, beside ``weights``;
    of others the layers are not known: None.

    Raises:
        TournamentError: the file is missing, unreadable, or holds anything but finite numbers.
    """
    held = read_array(path, "a weights file", "network weights")
    layers = None
    if held.dtype == object and isinstance(held.item(), dict):
        held, layers = _described(path, held.item())
    numbers = held.astype(np.float64) if held.dtype.kind in "iuf" else None
    if numbers is None or not np.isfinite(numbers).all():
        raise TournamentError(f"{path}: holds something other than finite numbers")
    return numbers, layers


def _described(path: Path, content: dict[str, Any]) -> tuple[np.ndarray, tuple[int, ...]]:
    """The weights of an object and its layers."""
    layers = content.get("layers")
    is_list = isinstance(layers, list) and all(type(nodes) is int for nodes in layers)
    if layers is None or not is_list or content.keys() != {"layers", "weights"}:
        raise TournamentError(
            f"{path}: an object with {shown(', '.join(content))} given; layers, "
            'whole numbers, and weights are expected: {"layers": [24, 18, 9, 24], "weights": [...]}'
        )
    try:
        return np.asarray(content["weights"]), tuple(layers)
    except ValueError as error:
        raise TournamentError(f"{path}: cannot be read as network weights ({error})") from None


def read_array(path: Path, file: str, content: str) -> np.ndarray:
    """The array of a ``.npy`` or ``.json`` file; messages call them ``file`` and ``content``.

    Raises:
        TournamentError: the file is missing, unreadable, or of another kind.
    """
    if path.suffix not in (".npy", ".json"):
        raise TournamentError(f"{path}: {file} ends in .npy or .json")
    try:
        if path.suffix == ".npy":
            return read_named_array(path)
        return np.asarray(read_named_json(path))
    except (OSError, ValueError, OverflowError) as error:
        raise TournamentError(f"{path}: cannot be read as {content} ({error})") from None
