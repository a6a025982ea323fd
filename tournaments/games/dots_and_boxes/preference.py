"""Orders of preference among actions, for networks that are built by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tournaments.errors import TournamentError
from tournaments.kernels.rng import generator

Order = int | str | Sequence[int]
"""A seed, or all actions, the first choice first: a list, or a text such as ``2+0+1+3``."""


def places(order: Order, actions: int) -> np.ndarray:
    """The place of each action in an order of preference, int64 ``[A]``; 0 is the first choice.

    Args:
        order: see :data:`Order`.
        actions: how many there are, A.

    Raises:
        TournamentError: it is neither a seed nor each action once.
    """
    if isinstance(order, int) and order >= 0:
        chosen = generator(order, "order of preference").permutation(actions)
    else:
        chosen = np.array(_listed(order), dtype=np.int64)
    if not np.array_equal(np.sort(chosen), np.arange(actions)):
        raise TournamentError(
            f"order={order!r} given; a seed is expected, a whole number from 0, or each action "
            f"from 0 to {actions - 1} once, joined by +"
        )
    return np.argsort(chosen)


def _listed(order: Order) -> list[int]:
    """The actions that an order names; none where it cannot be read."""
    if isinstance(order, int | float):
        return []
    try:
        return [int(action) for action in (order.split("+") if isinstance(order, str) else order)]
    except ValueError:
        return []
