"""Crossover and mutation on numpy genomes.

Each changes its arrays in place and returns them, as DEAP's operators do, and takes one individual,
``[G]``, or many at once, ``[N, G]``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

BLOCK = 1 << 20
"""Genes whose changes are drawn at once."""


def single_point(
    first: np.ndarray,
    second: np.ndarray,
    rng: np.random.Generator,
    rows: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Cross two parents over at one random point: swap their genes from there on, in place.

    The point is one of the G - 1 places between two genes, each as likely as the others.

    Args:
        first: one parent, ``[G]``, or one a row, ``[N, G]``; a view will do.
        second: the other parent of each.
        rng: the generator of the points.
        rows: int64, the rows to be crossed; by default all of them.
    """
    rows_a, rows_b, joined = _parents(first, second, rows)
    length = rows_a.shape[1]
    if length > 1:
        points = rng.integers(1, length, len(joined)).tolist()
        _swap(rows_a, rows_b, joined, points, [length] * len(joined))
    return first, second


def two_point(
    first: np.ndarray,
    second: np.ndarray,
    rng: np.random.Generator,
    rows: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Cross two parents over at two random points: swap the genes between, in place.

    The result is that of ``deap.tools.cxTwoPoint``. Points lie after the first gene, the second and
    so on to the last; two different ones are drawn, each pair as likely as the others. Arguments
    are those of :func:`single_point`.
    """
    rows_a, rows_b, joined = _parents(first, second, rows)
    length = rows_a.shape[1]
    if length > 1:
        points = rng.integers(1, [[length + 1], [length]], (2, len(joined)))
        points[1] += points[1] >= points[0]  # any but the first
        points.sort(axis=0)
        _swap(rows_a, rows_b, joined, *points.tolist())
    return first, second


def uniform(
    first: np.ndarray,
    second: np.ndarray,
    rng: np.random.Generator,
    rows: np.ndarray | None = None,
    probability: float = 0.5,
) -> tuple[np.ndarray, np.ndarray]:
    """Cross two parents over gene by gene: swap each gene with a probability, in place.

    The result is that of ``deap.tools.cxUniform``. Arguments are those of :func:`single_point`, and
    the probability of a swap.
    """
    rows_a, rows_b, joined = _parents(first, second, rows)
    for row in joined:
        swaps = np.flatnonzero(rng.random(rows_a.shape[1]) < probability)
        part = rows_a[row, swaps]
        rows_a[row, swaps] = rows_b[row, swaps]
        rows_b[row, swaps] = part
    return first, second


def _parents(
    first: np.ndarray, second: np.ndarray, rows: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, Sequence[int]]:
    """Return the two groups of parents as ``[N, G]``, in shared memory, and the rows to cross."""
    rows_a, rows_b = np.atleast_2d(np.asarray(first)), np.atleast_2d(np.asarray(second))
    return rows_a, rows_b, range(len(rows_a)) if rows is None else rows.tolist()


def _swap(
    rows_a: np.ndarray,
    rows_b: np.ndarray,
    joined: Sequence[int],
    starts: list[int],
    ends: list[int],
) -> None:
    """Swap a range of genes between two parents, in place, for each row to be crossed.

    Args:
        rows_a: one parent a row, ``[N, G]``.
        rows_b: the other parent a row.
        joined: the rows to be crossed.
        starts: first gene of the range, for each of these rows.
        ends: end of the range, exclusive.
    """
    for row, start, end in zip(joined, starts, ends, strict=True):
        a, b = rows_a[row, start:end], rows_b[row, start:end]
        part = a.copy()
        a[:] = b
        b[:] = part


def bit_flip(genes: np.ndarray, rng: np.random.Generator, probability: float) -> tuple[np.ndarray]:
    """Mutate genes by flipping each bit with a probability, independently, in place.

    The number of flips is drawn first, then their places: the same distribution as a draw a bit, at
    the cost of the flips alone. A large population is done in blocks, so that drawing places takes
    little memory.
    """
    for bits, places in _changing(genes, "bit_flip", probability, rng):
        bits[places] ^= 1
    return (genes,)


def reset(
    genes: np.ndarray,
    rng: np.random.Generator,
    probability: float,
    alleles: np.ndarray,
    counts: np.ndarray,
) -> tuple[np.ndarray]:
    """Mutate each gene with a probability, independently, to another of its alleles, in place.

    Each of the others is as likely as the next; a gene with one allele stays. Drawn as
    :func:`bit_flip` draws: the number of changes, their places, and then the alleles.

    Args:
        genes: int8 ``[G]`` or ``[N, G]``, changed in place; contiguous.
        rng: the generator of the changes.
        probability: of a change.
        alleles: int8 ``[G, A]``, those of each gene first in its row.
        counts: int ``[G]``, how many alleles each gene has.
    """
    for flat, places in _changing(genes, "reset", probability, rng):
        places = places[counts[places % len(counts)] > 1]
        which = places % len(counts)
        held = (alleles[which] == flat[places, None]).argmax(axis=1)
        other = (held + rng.integers(1, counts[which])) % counts[which]
        flat[places] = alleles[which, other]
    return (genes,)


def gaussian(
    genes: np.ndarray,
    rng: np.random.Generator,
    probability: float,
    sigma: float = 1.0,
    limit: float = math.inf,
) -> tuple[np.ndarray]:
    """Mutate each gene with a probability by adding a normal step, in place.

    The result is that of ``deap.tools.mutGaussian``. Drawn as :func:`bit_flip` draws: the number of
    steps, their places, and then the steps.

    Args:
        genes: float32 ``[G]`` or ``[N, G]``, changed in place; contiguous.
        rng: the generator of the steps.
        probability: of a step.
        sigma: the standard deviation of a step; their mean is 0.
        limit: what would pass it, in either direction, stays there.
    """
    for weights, places in _changing(genes, "gaussian", probability, rng):
        stepped = weights[places] + sigma * rng.standard_normal(len(places))
        weights[places] = stepped.clip(-limit, limit)
    return (genes,)


def _changing(
    genes: np.ndarray, operator: str, probability: float, rng: np.random.Generator
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Choose the genes that mutate, block by block.

    Args:
        genes: all genes, contiguous.
        operator: name of the mutation, for the message.
        probability: that a gene mutates.
        rng: the generator of the choice.

    Yields:
        All genes as a flat row in the same memory, and the places of the row that mutate.
    """
    flat = np.asarray(genes).reshape(-1)
    if flat.size and not np.shares_memory(flat, genes):
        raise ValueError(f"{operator} changes its array in place and needs a contiguous one")
    for first in range(0, flat.size, BLOCK):
        size = min(BLOCK, flat.size - first)
        changes = binomial(size, probability, rng)
        yield flat, first + rng.choice(size, size=changes, replace=False, shuffle=False)


def binomial(trials: int, probability: float, rng: np.random.Generator) -> int:
    """Draw the number of successes in a number of trials, from one uniform number.

    numpy's binomial uses library logarithms, which differ between processors in the last bit.
    """
    if probability in (0.0, 1.0):
        return int(probability) * trials
    least, cdf = _binomial_cdf(trials, probability)
    return least + int(cdf.searchsorted(rng.random(), side="right"))


@lru_cache(maxsize=4)
def _binomial_cdf(trials: int, probability: float) -> tuple[int, np.ndarray]:
    """Return the cumulative binomial distribution from a number of successes k0 on.

    The probabilities are products outwards from the likeliest number, as far as float64 can
    distinguish them from 0 and 1.

    Returns:
        k0, and P(at most k successes) for k = k0, k0 + 1 and so on.
    """
    mode = min(int((trials + 1) * probability), trials)
    reach = 40 + int(40 * math.sqrt(trials * probability * (1.0 - probability)))
    odds = probability / (1.0 - probability)
    above = np.arange(mode, min(trials, mode + reach))
    below = np.arange(mode, max(0, mode - reach), -1)
    up = np.cumprod((trials - above) / (above + 1.0) * odds)
    down = np.cumprod(below / ((trials - below + 1.0) * odds))
    weights = np.concatenate([down[::-1], [1.0], up])
    cdf = np.cumsum(weights) / math.fsum(weights)
    cdf[-1] = 1.0
    return mode - len(below), cdf


CROSSOVERS: dict[str, Callable[..., Any]] = {
    "single-point": single_point,
    "two-point": two_point,
    "uniform": uniform,
}
MUTATIONS: dict[str, Callable[..., Any]] = {
    "bit-flip": bit_flip,
    "reset": reset,
    "gaussian": gaussian,
}
