"""The networks that section 3.6 builds by hand, and how strong they are.

Weaver and Bossomaier 1998, section 3.6: a network that completes boxes, and one with an additional
layer that refuses third sides, too. Each is measured as it is, and with orders of preference among
the edges that it holds equal, against random play, the two heuristics and perfect play.

The best of many orders looks better than it is where the games that chose it also measure it; so it
plays again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import tournaments
from evo.studies.page import Announce, checked_settings, columns_of, text_table
from evo.studies.reproduction import Reproduction
from tournaments import games, players
from tournaments.kernels.rng import generator
from tournaments.options import as_options, option

NETWORKS = ("box-completion-network", "third-side-network")
OPPONENTS = ("level-0", "level-1", "level-2", "optimal")
COLUMNS = {
    "network": "",
    "opponent": "",
    "no_order": ".1%",
    "orders": "d",
    "mean": ".1%",
    "deviation": ".1%",
    "best_order": "d",
    "best": ".1%",
    "again": ".1%",
    "again_low": ".1%",
    "again_high": ".1%",
}
REPORT_COLUMNS = {name: form for name, form in COLUMNS.items() if name != "orders"}


@dataclass(frozen=True)
class Settings:
    """What the study lets one choose."""

    orders: int = option(40, "orders of preference of each network: seeds 1, 2...", 1, 100_000)
    games: int = option(2000, "games of each against each opponent; even", low=2, high=10**7)
    seed: int = option(1, "of the games", low=0, high=2**62)


@dataclass(frozen=True)
class Row:
    """What one network made of its games against one opponent.

    Attributes:
        network, order: its name, and the seed of its order of preference; 0: it has none.
        opponent: whom it met.
        games, wins: played, the seats swapped after each, and won.
        win_rate: share of the games won, with its 95% Wilson interval.
    """

    network: str
    order: int
    opponent: str
    games: int
    wins: int
    win_rate: float
    win_rate_low: float
    win_rate_high: float


def measure(network: str, order: int, opponent: str, number: int = 2000, seed: int = 1) -> Row:
    """Play a hand-built network on 3x3 boxes; the result depends on the arguments alone.

    Args:
        network: one of :data:`NETWORKS`.
        order: the seed of its order of preference; 0: none.
        opponent: a player by name.
        number: games, even.
        seed: of the games.

    Raises:
        TournamentError: an unknown network or opponent.
    """
    from results.statistics import wilson

    game = games.make("dots-and-boxes")
    options = {"order": order} if order else {}
    made = players.make(network, game, **options)
    record = tournaments.play_matches(
        game, made, players.make(opponent, game), matches=number // 2, seed=seed
    )
    low, high = wilson(record.wins, record.games)
    rates = record.win_rate, float(low), float(high)
    return Row(network, order, opponent, record.games, record.wins, *rates)


def measure_all(settings: Settings, announce: Announce = lambda line: None) -> list[Row]:
    """Every network with every order, and without one, against every opponent.

    Raises:
        ConfigError: a setting that cannot be.
    """
    settings = checked_settings(settings, even=("games",))
    rows = []
    for network in NETWORKS:
        for opponent in OPPONENTS:
            announce(f"{network} against {opponent}, {settings.orders} orders of preference")
            rows += [
                measure(network, order, opponent, settings.games, settings.seed)
                for order in range(settings.orders + 1)
            ]
    return rows


def summaries(rows: list[Row], settings: Settings) -> list[dict[str, Any]]:
    """For each network and opponent: without an order, the mean over orders, and the best order.

    ``again`` is what the best order wins of as many fresh games.
    """
    fresh = int(generator(settings.seed, "the best order again").integers(2**62))
    pairs = dict.fromkeys((row.network, row.opponent) for row in rows)
    return [
        _summary([row for row in rows if (row.network, row.opponent) == pair], fresh)
        for pair in pairs
    ]


def _summary(rows: list[Row], fresh: int) -> dict[str, Any]:
    plain, *ordered = rows
    rates = np.array([row.win_rate for row in ordered])
    best = ordered[int(rates.argmax())]  # the first of equals
    again = measure(best.network, best.order, best.opponent, best.games, fresh)
    values = (
        *(plain.network, plain.opponent, plain.win_rate, len(ordered)),
        *(float(rates.mean()), float(rates.std()), best.order, best.win_rate),
        *(again.win_rate, again.win_rate_low, again.win_rate_high),
    )
    return dict(zip(COLUMNS, values, strict=True))


def reproduce(settings: Settings, announce: Announce) -> Reproduction:
    """Measure all networks; the tables that ``evo reproduce hand-built-networks`` prints and keeps.

    Raises:
        ConfigError: a setting that cannot be.
    """
    begun = time.perf_counter()
    rows = measure_all(settings, announce)
    record = {
        "summary": summaries(rows, settings),
        "seconds": time.perf_counter() - begun,
        "settings": as_options(settings),
    }
    return Reproduction(record, tuple(_lines(record)), tables={"measured": columns_of(rows)})


def _lines(record: dict[str, Any]) -> Iterator[str]:
    settings = record["settings"]
    yield (
        f"Shares of {settings['games']:,} games won on 3x3 boxes: without an order of preference, "
        f"over {settings['orders']:,} orders, and by the best of them, which then plays again."
    )
    yield from text_table(record["summary"], REPORT_COLUMNS)
    yield ""
    yield f"{record['seconds']:.0f} s"
