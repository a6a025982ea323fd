"""Files of numbers, such as network weights: ``.npy``, or ``.json`` with a list of numbers.

A ``.json`` file of a network may also name its layers.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from tournaments.errors import TournamentError, shown
from tournaments.named_files import read_named, read_named_json


def read_network(path: Path) -> tuple[np.ndarray, tuple[int, ...] | None]:
    """Read network weights, float64, and the layers of the network from a file.

    The weights are in the order of the encoding, and have the shape of the file: ``[2, W]`` for a
    pair of networks, one per seat. A ``.json`` file may be an object with ``layers``, the nodes of
    each layer, and ``weights``. The layers of other files are unknown and returned as None.

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
    """Return the weights and the layers of a network from the JSON object of a file."""
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
    """Read the array of a ``.npy`` or ``.json`` file.

    Args:
        path: the path of the file.
        file: the kind of file, as error messages call it.
        content: the content, as error messages call it.

    Raises:
        TournamentError: the file is missing, unreadable, or of another kind.
    """
    if path.suffix not in (".npy", ".json"):
        raise TournamentError(f"{path}: {file} ends in .npy or .json")
    try:
        if path.suffix == ".npy":
            return _read_npy(path)
        return np.asarray(read_named_json(path))
    except (OSError, ValueError, OverflowError) as error:
        raise TournamentError(f"{path}: cannot be read as {content} ({error})") from None


def _read_npy(file: Path) -> np.ndarray:
    """Return the array of a ``.npy`` file. The header must describe the whole file.

    Raises:
        TournamentError, OSError, ValueError: the file cannot be read, or holds no array of numbers.
    """
    stream = io.BytesIO(read_named(file))
    try:
        array = np.lib.format.read_array(stream, allow_pickle=False)
    except Exception as error:  # the header is Python's text, read by Python's parser
        why = " ".join(f"{type(error).__name__} {error}".split())[:200]
        raise TournamentError(f"{file}: no .npy file ({why})") from error
    if more := stream.read():
        raise TournamentError(
            f"{file}: {len(more):,} bytes given after an array of shape {array.shape}, "
            f"{array.dtype}, with which the file must end"
        )
    return array
