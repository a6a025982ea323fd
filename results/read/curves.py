"""From evaluations to the curves that a study reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from results.format.schema import are_computed
from results.statistics import fittest, wilson

if TYPE_CHECKING:
    import pandas as pd

    from results.read.run import Run

_CHAMPION = ("generation", "games_played", "population", "individual")
CURVE_COLUMNS = (*_CHAMPION, "opponent", "games", "wins", "win_rate", "low", "high")
"""The columns of the curve of win rates."""
EXPLOITABILITY_COLUMNS = (*_CHAMPION, "exploitability", "plies")
"""The columns of the curve of exploitability."""
REGRET_COLUMNS = (*_CHAMPION, "opponent", "regret", "optimal_share", "margin")
"""The columns of the curve of regret."""
SEAT_COLUMNS = (*_CHAMPION, "opponent", "seat", "win_rate")
"""The columns of the curves of win rates in each seat."""
_SEATS = {"win_rate_first": "first", "win_rate_second": "second"}

_WHO = ["generation", "population", "individual"]
_WHOM = [*_WHO, "opponent"]


def champion_curve(run: Run) -> pd.DataFrame:
    """Return the win rate of each generation's champion against each opponent.

    The champion is the individual of highest fitness of its population and generation (ties: the
    first), chosen without these games, so its win rate is unbiased. One row a (generation,
    population, opponent) that was evaluated, columns ``CURVE_COLUMNS``; low and high are the 95%
    Wilson interval, or the rate itself where it was proved or computed. A rate that was computed
    stands in place of games that were played, and has none. Rows without a rate, and evaluations
    of generations whose snapshot is gone, are left out.
    """
    return _curve(run, _of_champions(run, _pooled(run)), "opponent", CURVE_COLUMNS)


def exploitability_curve(run: Run) -> pd.DataFrame:
    """Return how exploitable each generation's champion is, where that was computed.

    The champion is that of ``champion_curve``. One row a (generation, population), columns
    ``EXPLOITABILITY_COLUMNS``; ``plies`` is NaN where the best response is not captured.
    """
    rows = run.evaluations.dropna(subset="exploitability").drop_duplicates(_WHO, keep="last")
    return _curve(run, _of_champions(run, rows), "population", EXPLOITABILITY_COLUMNS)


def regret_curve(run: Run) -> pd.DataFrame:
    """Return the regret of each generation's champion in its games, where they were computed.

    The champion is that of ``champion_curve``. One row a (generation, population, opponent),
    columns ``REGRET_COLUMNS``.
    """
    rows = run.evaluations.dropna(subset="regret").drop_duplicates(_WHOM, keep="last")
    return _curve(run, _of_champions(run, rows), "opponent", REGRET_COLUMNS)


def seat_curve(run: Run) -> pd.DataFrame:
    """Return the win rate of each generation's champion in each seat against each opponent.

    The champion is that of ``champion_curve``, and so is what takes the place of games. One row a
    (generation, population, opponent, seat) of those who held both seats, columns ``SEAT_COLUMNS``;
    ``seat`` is ``first`` or ``second``.
    """
    import pandas as pd

    rates = list(_SEATS)
    rows = run.evaluations.dropna(subset=rates)
    computed = rows[rows["games"] == 0].drop_duplicates(_WHOM, keep="last")
    played = rows[rows["games"] > 0].drop_duplicates([*_WHOM, "seed", "games"])
    played = played.assign(**{name: played[name] * played["games"] for name in rates})
    pooled = played.groupby(_WHOM, as_index=False)[["games", *rates]].sum()
    pooled = pooled.assign(**{name: pooled[name] / pooled["games"] for name in rates})
    columns = [*_WHOM, *rates]
    both = pd.concat([computed[columns], pooled[columns]], ignore_index=True)
    mine = _of_champions(run, both.drop_duplicates(_WHOM)).rename(columns=_SEATS)
    each = mine.melt(_WHOM, list(_SEATS.values()), var_name="seat", value_name="win_rate")
    return _curve(run, each, "opponent", SEAT_COLUMNS)


def best_of_each_snapshot(rows: pd.DataFrame) -> pd.DataFrame:
    """Return, of rows of ``evaluations``, the highest win rate by generation and opponent.

    Biased upwards: the maximum of many estimates, each with its sampling error, lies above the true
    rate of the individual that it picks (by several points for the best of 100 by 300 games each).
    Ties go to the least exploitable, where that is known, and then to the first individual.
    """
    by_rate = rows.sort_values(
        ["win_rate", "exploitability", "individual"], ascending=[False, True, True], kind="stable"
    )
    best = by_rate.drop_duplicates(["generation", "population", "opponent"])
    order = best.sort_values(["generation", "population"], kind="stable")
    places = {name: place for place, name in enumerate(dict.fromkeys(rows["opponent"]))}
    order = order.assign(_place=order["opponent"].map(places))
    return order.sort_values(["generation", "population", "_place"]).drop(columns="_place")


def _pooled(run: Run) -> pd.DataFrame:
    """One row a (generation, population, individual, opponent): games of several seeds together.

    What was computed needs no games, and takes their place.
    """
    import pandas as pd

    rows = run.evaluations
    computed = rows[(rows["games"] == 0) & rows["win_rate"].notna()]
    computed = computed.drop_duplicates(_WHOM, keep="last")
    computed = computed.assign(low=computed["win_rate"], high=computed["win_rate"])
    columns = [*_WHOM, "games", "wins", "win_rate", "low", "high"]
    both = pd.concat([computed[columns], _played(rows)[columns]], ignore_index=True)
    return both.drop_duplicates(_WHOM)  # those computed stand first


def _played(rows: pd.DataFrame) -> pd.DataFrame:
    """One row each, with the win rate of all games."""
    once = rows.drop_duplicates([*_WHOM, "seed", "games"])  # the same games again
    pooled = once.groupby(_WHOM, as_index=False)[["games", "wins"]].sum()
    pooled = pooled[pooled["games"] > 0].copy()
    pooled["win_rate"] = pooled["wins"] / pooled["games"]
    proved = are_computed(pooled["opponent"])
    for name, end in zip(("low", "high"), wilson(pooled["wins"], pooled["games"]), strict=True):
        pooled[name] = np.where(proved, pooled["win_rate"], end)
    return pooled


def _of_champions(run: Run, rows: pd.DataFrame) -> pd.DataFrame:
    """Those of ``rows`` whose individual is the champion of its generation and population."""
    champions = _champions(run, rows["generation"].unique())
    keys = zip(rows["generation"], rows["population"], strict=True)
    individuals = np.array([champions.get(key, -1) for key in keys], dtype=np.int64)
    return rows[rows["individual"].to_numpy() == individuals]


def _champions(run: Run, generations: Any) -> dict[tuple[int, str], int]:
    """The individual of highest fitness by (generation, population)."""
    kept = set(run.snapshots)
    champions = {}
    for generation in sorted(int(g) for g in generations if int(g) in kept):
        rows = run.population(generation)
        for name in dict.fromkeys(rows["population"]):
            part = rows[rows["population"] == name]
            row = fittest(part["fitness"].to_numpy(), part["individual"].to_numpy())
            champions[generation, str(name)] = int(part["individual"].iloc[row])
    return champions


def _curve(run: Run, rows: pd.DataFrame, key: str, columns: Sequence[str]) -> pd.DataFrame:
    games = run.generations.groupby("generation")["games_played"].max()
    known = rows[rows["generation"].isin(games.index)].copy()
    known["games_played"] = known["generation"].map(games).astype("int64")
    ordered = known.sort_values(["population", key, "generation"])
    return ordered[list(columns)].reset_index(drop=True)
