"""Packed genomes to numbers, by the description that ``run.json`` and each snapshot carry."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from results.errors import ResultsError


def decode_genomes(genomes: np.ndarray, spec: Mapping[str, Any]) -> np.ndarray:
    """Return the weights, float64 [N, W], of packed ``genomes``, uint8 [N, B].

    ``spec`` of the encoding ``bit-network`` has ``layers`` (nodes a layer), ``bits`` (a weight),
    ``low`` and ``high``. Weight w is bits w*bits to w*bits + bits - 1, the most significant first,
    and level k of 0..top, top = 2^bits - 1, stands for (low (top - k) + high k) / top.

    Raises:
        ResultsError: another encoding, or genomes too short for the layers.
    """
    if spec.get("encoding") != "bit-network":
        raise ResultsError(
            f"genomes of encoding {spec.get('encoding')!r} have no weights that this release can "
            "decode; it knows bit-network (the packed bytes are in column genome)"
        )
    bits, weights = int(spec["bits"]), num_weights(spec["layers"])
    low, high = float(spec["low"]), float(spec["high"])
    if genomes.shape[1] * 8 < weights * bits:
        raise ResultsError(
            f"genomes have {genomes.shape[1]} bytes; {weights} weights of {bits} bits need "
            f"{-(-weights * bits // 8)}: the description in run.json is of another run"
        )
    planes = np.unpackbits(genomes, axis=1, count=weights * bits)
    levels = planes.reshape(len(genomes), weights, bits) @ (1.0 * (1 << np.arange(bits)[::-1]))
    top = 2**bits - 1
    return (low * (top - levels) + high * levels) / top


def num_weights(layers: list[int]) -> int:
    """Return the number of weights and thresholds of a network of these ``layers``."""
    return sum((inputs + 1) * nodes for inputs, nodes in pairwise(layers))
