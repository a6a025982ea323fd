"""The networks that section 3.6 builds by hand, and how strong they are.

Weaver and Bossomaier 1998, section 3.6: a network that completes boxes, and one with an additional
layer that refuses third sides, too. Each is measured as it is, and with orders of preference among
the edges that it holds equal, against random play, the two heuristics and perfect play.

The best of many orders looks better than it is where the games that chose it also measure it; so it
plays again.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

import tournaments
from evo.studies.intervals import Interval, share_interval
from evo.studies.report import Evidence, StudyReport
from evo.studies.settings import Announce, setting
from tournaments import games, players
from tournaments.kernels.rng import generator

NETWORKS = ("box-completion-network", "third-side-network")
OPPONENTS = ("level-0", "level-1", "level-2", "optimal")


@dataclass(frozen=True)
class HandBuiltSettings:
    """Options of the study.

    Attributes:
        orders: orders of preference of each network: seeds 1, 2...
        games: games of each against each opponent; even
        seed: seed of the games
    """

    orders: int = setting(40, low=1, high=100_000)
    games: int = setting(2000, low=2, high=10**7, even=True)
    seed: int = setting(1, low=0, high=2**62)


def play(
    network: str, order: int, opponent: str, number: int = 2000, seed: int = 1
) -> dict[str, Any]:
    """Play games of dots and boxes on 3x3 boxes with a hand-built network.

    The result depends on the arguments alone.

    Args:
        network: one of :data:`NETWORKS`.
        order: the seed of its order of preference; 0: none.
        opponent: a player by name.
        number: games, even, the seats swapped after each.
        seed: of the games.

    Returns:
        A row with the arguments, the games won, and their share with its 95% Wilson interval.

    Raises:
        TournamentError: an unknown network or opponent.
    """
    game = games.make("dots-and-boxes")
    options = {"order": order} if order else {}
    made = players.make(network, game, **options)
    record = tournaments.play_matches(
        game, made, players.make(opponent, game), matches=number // 2, seed=seed
    )
    return {
        "network": network,
        "order": order,
        "opponent": opponent,
        "games": record.games,
        "wins": record.wins,
        **share_interval(record.wins, record.games).columns("win_rate"),
    }


def measure(settings: HandBuiltSettings, announce: Announce) -> Evidence:
    """Play every hand-built network, with every order of preference and none, against opponents."""
    fresh = int(generator(settings.seed, "the best order again").integers(2**62))
    measured, summary = [], []
    for network, opponent in product(NETWORKS, OPPONENTS):
        announce(f"{network} against {opponent}, {settings.orders} orders of preference")
        rows = [
            play(network, order, opponent, settings.games, settings.seed)
            for order in range(settings.orders + 1)
        ]
        measured += rows
        summary.append(_summary(rows, fresh))
    return Evidence({"summary": summary}, tables={"measured": measured})


def _summary(rows: list[dict[str, Any]], fresh: int) -> dict[str, Any]:
    """Return a row on a hand-built network: games won without an order, on average, and at best.

    The rows are those of one opponent, the first without an order of preference. ``again`` is what
    the best order wins of as many fresh games, whose seed is ``fresh``.
    """
    plain, *ordered = rows
    rates = np.array([row["win_rate"] for row in ordered])
    best = ordered[int(rates.argmax())]  # the first of equals
    again = play(best["network"], best["order"], best["opponent"], best["games"], fresh)
    return {
        "network": plain["network"],
        "opponent": plain["opponent"],
        "no_order": plain["win_rate"],
        "orders": len(ordered),
        "mean": float(rates.mean()),
        "deviation": float(rates.std()),
        "best_order": best["order"],
        "best": best["win_rate"],
        **Interval.of_row(again, "win_rate").columns("again"),
    }


REPORT = StudyReport(__package__, HandBuiltSettings, measure)
