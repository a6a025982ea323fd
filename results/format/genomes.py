"""Packed genomes to numbers, by the description that ``run.json`` and each snapshot carry.

A description is one table for all genomes of a run, or, where populations differ, one table each
under ``populations`` beside ``bytes``, the width of the widest; a narrower genome is followed by
zero bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from results.errors import ResultsError, shown
from results.format.limits import MOST_NUMBERS, check_size

ARCHIVE = "-archive"
"""What the name of a population ends in whose rows are earlier individuals of another one."""
BITS = ("bit-network",)
REALS = ("real-network",)
VECTORS = ("real-vector",)
TABLES = ("position-table", "window-table", "finite-state", "memory-one")
MOST_BITS = 16
"""Of a weight."""
AT_ONCE = 1 << 18
"""Bytes of packed genomes that are decoded at once."""


def evolving(names: Iterable[str]) -> list[str]:
    """Return ``names`` of populations once each, those left out that are archives of others."""
    once = dict.fromkeys(names)
    return [name for name in once if name.removesuffix(ARCHIVE) not in once.keys() - {name}]


def spec_of(genome: Mapping[str, Any], population: str) -> Mapping[str, Any]:
    """Return what ``genome`` of ``run.json`` says of the genomes of one population.

    An archive, ``NAME-archive``, has the genomes of ``NAME``. Where all populations have one
    description, that is the answer whatever the name.

    Raises:
        ResultsError: there is no such population.
    """
    described = genome.get("populations")
    if described is None:
        return genome
    for name in (population, population.removesuffix(ARCHIVE)):
        if name in described:
            return described[name]
    raise ResultsError(
        f"no population {shown(repr(population))} in the description of the genomes; there are "
        f"{', '.join(described)}, and each one's NAME{ARCHIVE}"
    )


def decode_genomes(genomes: np.ndarray, spec: Mapping[str, Any]) -> np.ndarray:
    """Return the numbers of packed ``genomes``, uint8 [N, B]; bytes after the last gene are left.

    Of the encoding ``bit-network`` the weights, float64 [N, W]: ``spec`` has ``layers`` (nodes a
    layer), ``bits`` (a weight), ``low`` and ``high``. Weight w is bits w*bits to w*bits + bits - 1,
    the most significant first, and level k of 0..top, top = 2^bits - 1, stands for
    (low (top - k) + high k) / top. Of ``real-network`` the weights, too, each a little-endian
    float32: ``spec`` has ``layers``. Of ``real-vector`` the numbers, likewise: ``spec`` has their
    ``names``. Of the four encodings of tables the actions, int8 [N, G], a byte each:
    ``spec`` has ``genes``, G. Of ``value-table`` the values, float32 [N, P, A], little-endian:
    ``spec`` has ``positions``, P, and ``actions``, A; NaN: never tried.

    Raises:
        ResultsError: another encoding, or genomes too short for it, or a description of none.
    """
    encoding = spec.get("encoding")
    if not isinstance(encoding, str) or encoding not in _DECODERS:
        raise ResultsError(
            f"genomes of encoding {shown(repr(encoding))} have no form that this release can "
            f"decode; it knows {', '.join(_DECODERS)} (the packed bytes are in column genome)"
        )
    try:
        return _DECODERS[encoding][1](genomes, spec)
    except ResultsError:
        raise
    except (LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise ResultsError(
            f"genomes cannot be decoded by {shown(dict(spec))} ({shown(str(error))}); the "
            "description in run.json was changed: put it back as it was"
        ) from error


def decode_population(
    genomes: np.ndarray, names: Sequence[str], genome: Mapping[str, Any], method: str
) -> np.ndarray:
    """Return the numbers of genomes whose populations are ``names``, in one array, row by row.

    ``method`` is the name of the one of ``reader.Run`` that was called: ``weights`` of networks,
    ``policies`` of tables or ``values`` of tables of values.

    Raises:
        ResultsError: some genomes are not of that kind, or not all of one width.
    """
    check_size("what these genomes stand for", genomes.size * _GROWS, MOST_NUMBERS)
    specs = {name: spec_of(genome, name) for name in dict.fromkeys(names)}
    for name, spec in specs.items():
        _check_method(name, spec, method)
    if len(specs) == 1:
        return decode_genomes(genomes, next(iter(specs.values())))
    kept = np.asarray(names, dtype=object)
    parts = {name: decode_genomes(genomes[kept == name], spec) for name, spec in specs.items()}
    if len({part.shape[1:] for part in parts.values()}) > 1:
        widths = ", ".join(
            f"{name} {'x'.join(map(str, part.shape[1:]))}" for name, part in parts.items()
        )
        raise ResultsError(
            f"the genomes of these populations differ in length ({widths}); name one of them: "
            f"{method}(generation, {next(iter(parts))!r})"
        )
    whole = np.concatenate(list(parts.values()))
    rows = np.concatenate([np.flatnonzero(kept == name) for name in parts])
    return whole[np.argsort(rows)]


def _check_method(population: str, spec: Mapping[str, Any], method: str) -> None:
    encoding = spec.get("encoding")
    is_known = isinstance(encoding, str) and encoding in _DECODERS
    fitting = _DECODERS[encoding][0] if is_known else method
    if fitting != method:
        raise ResultsError(
            f"the genomes of population {population} are of encoding {encoding}, which have no "
            f"{method}; read them by {fitting}(generation, {population!r})"
        )


def _weights(genomes: np.ndarray, spec: Mapping[str, Any]) -> np.ndarray:
    bits, weights = int(spec["bits"]), num_weights(spec["layers"])
    if not 1 <= bits <= MOST_BITS:
        raise ValueError(f"{bits} bits a weight")
    low, high = float(spec["low"]), float(spec["high"])
    size = -(-weights * bits // 8)
    packed = _leading(genomes, size, f"{weights} weights of {bits} bits need {size}")
    levels = np.empty((len(genomes), weights))
    place_values, at_once = 1.0 * (1 << np.arange(bits)[::-1]), max(1, AT_ONCE // (size + 1))
    for first in range(0, len(genomes), at_once):  # a bit takes as much as a weight meanwhile
        planes = np.unpackbits(packed[first : first + at_once], axis=1, count=weights * bits)
        levels[first : first + at_once] = planes.reshape(-1, weights, bits) @ place_values
    top = 2**bits - 1
    return (low * (top - levels) + high * levels) / top


def _real_weights(genomes: np.ndarray, spec: Mapping[str, Any]) -> np.ndarray:
    weights, shared = num_weights(spec["layers"]), list(spec.get("shared", ()))
    groups = max(shared, default=-1) + 1
    size = 4 * (groups + weights)
    packed = _leading(genomes, size, f"{size // 4} real numbers need {size}")
    genes = packed.view("<f4").astype(np.float64)
    return genes[:, shared] + float(spec["own"]) * genes[:, groups:] if shared else genes


def _numbers(genomes: np.ndarray, spec: Mapping[str, Any]) -> np.ndarray:
    size = 4 * len(spec["names"])
    packed = _leading(genomes, size, f"{size // 4} numbers need {size}")
    return packed.view("<f4").astype(np.float64)


def _actions(genomes: np.ndarray, spec: Mapping[str, Any]) -> np.ndarray:
    genes = int(spec["genes"])
    return _leading(genomes, genes, f"a table of {genes} genes needs as many").view(np.int8)


def _values(genomes: np.ndarray, spec: Mapping[str, Any]) -> np.ndarray:
    positions, actions = int(spec["positions"]), int(spec["actions"])
    size = 4 * positions * actions
    packed = _leading(genomes, size, f"{positions} x {actions} values need {size}")
    return packed.view("<f4").reshape(len(genomes), positions, actions)


def _leading(genomes: np.ndarray, size: int, need: str) -> np.ndarray:
    """The first bytes of each genome, uint8 [N, size]."""
    if genomes.shape[1] < size:
        raise ResultsError(
            f"genomes have {genomes.shape[1]} bytes; {need}: the description in run.json is of "
            "another run"
        )
    return np.ascontiguousarray(genomes[:, :size])


def num_weights(layers: list[int]) -> int:
    """Return the number of weights and thresholds of a network of these ``layers``."""
    return sum((inputs + 1) * nodes for inputs, nodes in pairwise(layers))


_GROWS = 8
"""A byte of a genome is decoded into about so many: weights of 8 bits, or actions of games."""
_DECODERS: dict[Any, tuple[str, Callable[[np.ndarray, Mapping[str, Any]], np.ndarray]]] = {
    **dict.fromkeys(BITS, ("weights", _weights)),
    **dict.fromkeys(REALS, ("weights", _real_weights)),
    **dict.fromkeys(VECTORS, ("weights", _numbers)),
    **dict.fromkeys(TABLES, ("policies", _actions)),
    "value-table": ("values", _values),
}
"""The method of ``Run`` that decodes the genomes of an encoding, and what it decodes them by."""
