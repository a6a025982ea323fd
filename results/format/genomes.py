"""Decoding of packed genomes by the layouts in ``run.json`` (``docs/schema.md``).

``genome`` of ``run.json`` describes the encoding. It is one table for all genomes of a run. If
populations differ, it has one table each under ``populations``, beside ``bytes``, the width of the
widest. A narrower genome is padded with zero bytes. ``layouts`` has a table for each population, by
which its genomes are decoded, independently of the encoding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from results.errors import ResultsError, shown
from results.format.limits import MOST_NUMBERS, check_size

ARCHIVE = "-archive"
"""The ending of the name of an archive, a population of earlier individuals of another one."""
MOST_BITS = 16
"""Maximum number of bits of a weight."""
AT_ONCE = 1 << 18
"""Number of bytes of packed genomes that are decoded at once."""
_GROWS = 8
"""Approximate number of bytes that a byte of a genome is decoded into.

Examples are weights of 8 bits, and actions of games.
"""


def evolving(names: Iterable[str]) -> list[str]:
    """Return the names of the evolving populations, each once, without archives of populations."""
    once = dict.fromkeys(names)
    return [name for name in once if name.removesuffix(ARCHIVE) not in once.keys() - {name}]


def spec_of(genome: Mapping[str, Any], population: str) -> Mapping[str, Any]:
    """Return the description of the genomes of one population, from ``genome`` of ``run.json``.

    An archive, ``NAME-archive``, has the genomes of ``NAME``. If all populations share a
    description, it is returned for any name.

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


def layout_of(layouts: Mapping[str, Any], population: str) -> Mapping[str, Any]:
    """Return the layout of the genomes of a population or an archive; empty if it is unknown."""
    return layouts.get(population) or layouts.get(population.removesuffix(ARCHIVE)) or {}


def is_of_bits(layout: Mapping[str, Any]) -> bool:
    """Return whether genomes of this layout store their numbers as bits."""
    return "bits" in layout


def is_of_reals(layout: Mapping[str, Any]) -> bool:
    """Return whether genomes of this layout hold real weights, so that hardly two are equal."""
    return layout.get("numbers") == "weights" and not is_of_bits(layout)


def are_programs(layouts: Mapping[str, Any]) -> bool:
    """Return whether ``layouts`` of ``run.json`` are those of programs."""
    return any(layout.get("numbers") == "programs" for layout in layouts.values())


def decode_genomes(genomes: np.ndarray, layout: Mapping[str, Any]) -> np.ndarray:
    """Return the numbers that packed genomes, uint8 [N, B], hold by their layout.

    Trailing bytes are ignored.

    ``layout`` has ``numbers`` (``weights`` are returned as float64), the ``shape`` of the numbers
    of a genome, and either their ``dtype``, or ``bits`` with ``low`` and ``high``. With bits,
    number w consists of bits w*bits to w*bits + bits - 1, the most significant first. Level k of
    0..top, top = 2^bits - 1, has the value (low (top - k) + high k) / top. If there are ``groups``,
    the numbers of the groups come first, and a weight is the number of its group plus ``own`` times
    its own number.

    Raises:
        ResultsError: genomes are too short for the layout, or the layout is invalid.
    """
    try:
        return _numbers(genomes, layout)
    except ResultsError:
        raise
    except (LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise ResultsError(
            f"genomes cannot be decoded by {shown(dict(layout))} ({shown(str(error))}); the "
            "layouts in run.json were changed: put them back as they were"
        ) from error


def decode_population(
    genomes: np.ndarray, names: Sequence[str], layouts: Mapping[str, Any], method: str
) -> np.ndarray:
    """Return the numbers of genomes of one or several populations, in one array, a row per genome.

    Args:
        genomes: packed genomes, uint8 [N, B].
        names: the population of each genome.
        layouts: the layout of each population's genomes, by name.
        method: name of the calling method of ``Run``: ``weights`` of networks, ``policies`` of
            tables or ``values`` of tables of values.

    Raises:
        ResultsError: some genomes are not of that kind, or not all of one width.
    """
    check_size("what these genomes stand for", genomes.size * _GROWS, MOST_NUMBERS)
    own = {name: layout_of(layouts, name) for name in dict.fromkeys(names)}
    for name, layout in own.items():
        _check_method(name, layout, method)
    kept = np.asarray(names, dtype=object)
    parts = {name: decode_genomes(genomes[kept == name], layout) for name, layout in own.items()}
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


def _check_method(population: str, layout: Mapping[str, Any], method: str) -> None:
    if "numbers" not in layout:
        raise ResultsError(
            f"run.json has no layout of the genomes of population {shown(population)}, so they "
            "cannot be decoded; the packed bytes are in column genome"
        )
    if layout["numbers"] != method:
        raise ResultsError(
            f"the genomes of population {population} have no {method}; read them by "
            f"{shown(layout['numbers'])}(generation, {population!r})"
        )


def _numbers(genomes: np.ndarray, layout: Mapping[str, Any]) -> np.ndarray:
    shape = tuple(int(side) for side in layout["shape"])
    if min(shape, default=0) < 1:
        raise ValueError(f"shape {shape}")
    if is_of_bits(layout):
        return _of_bits(genomes, math.prod(shape), layout).reshape(len(genomes), *shape)
    groups, dtype = list(layout.get("groups", ())), np.dtype(layout["dtype"])
    if dtype.kind not in "iuf":
        raise ValueError(f"dtype {dtype}")
    first = max(groups, default=-1) + 1
    numbers = _leading(genomes, dtype.itemsize * (first + math.prod(shape))).view(dtype)
    if layout["numbers"] == "weights":
        numbers = numbers.astype(np.float64)
    if groups:
        numbers = numbers[:, groups] + float(layout["own"]) * numbers[:, first:]
    return numbers.reshape(len(genomes), *shape)


def _of_bits(genomes: np.ndarray, weights: int, layout: Mapping[str, Any]) -> np.ndarray:
    bits, low, high = int(layout["bits"]), float(layout["low"]), float(layout["high"])
    if not 1 <= bits <= MOST_BITS:
        raise ValueError(f"{bits} bits a weight")
    size = -(-weights * bits // 8)
    packed = _leading(genomes, size)
    levels = np.empty((len(genomes), weights))
    place_values, at_once = 1.0 * (1 << np.arange(bits)[::-1]), max(1, AT_ONCE // (size + 1))
    for first in range(0, len(genomes), at_once):  # a bit takes as much as a weight meanwhile
        planes = np.unpackbits(packed[first : first + at_once], axis=1, count=weights * bits)
        levels[first : first + at_once] = planes.reshape(-1, weights, bits) @ place_values
    top = 2**bits - 1
    return (low * (top - levels) + high * levels) / top


def _leading(genomes: np.ndarray, size: int) -> np.ndarray:
    """Return the first ``size`` bytes of each genome, uint8 [N, size]."""
    if genomes.shape[1] < size:
        raise ResultsError(
            f"genomes have {genomes.shape[1]} bytes; by their layout they need {size}: the layouts "
            "in run.json are of another run"
        )
    return np.ascontiguousarray(genomes[:, :size])
