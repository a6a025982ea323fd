"""The curves that a study reports, computed from evaluations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from results.format.schema import are_computed
from results.statistics import fittest, running_rate, wilson

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
SEAT_COLUMNS = (*_CHAMPION, "opponent", "seat", "games", "win_rate", "low", "high")
"""The columns of the curves of win rates in each seat."""
_SEATS = {"win_rate_first": "first", "win_rate_second": "second"}

_WHO = ["generation", "population", "individual"]
_WHOM = [*_WHO, "opponent"]


def champion_curve(run: Run) -> pd.DataFrame:
    """Return the win rate of each generation's champion against each opponent.

    The champion is the individual of highest fitness of its population and generation (ties: the
    first). It is chosen without these games, so its win rate is unbiased. There is one row per
    evaluated (generation, population, opponent), with columns ``CURVE_COLUMNS``. ``low`` and
    ``high`` are the 95% Wilson interval, or the rate itself if it was proved or computed. A
    computed rate replaces the rate of played games. Rows without a rate, and evaluations of
    generations whose snapshot was removed, are left out.
    """
    computed, pooled = _computed_and_pooled(run.evaluations.dropna(subset="win_rate"), "wins")
    computed = computed.assign(low=computed["win_rate"], high=computed["win_rate"])
    pooled["win_rate"] = pooled["wins"] / pooled["games"]
    for name, end in zip(("low", "high"), _interval(pooled), strict=True):
        pooled[name] = end
    rows = _joined(computed, pooled, "games", "wins", "win_rate", "low", "high")
    return _curve(run, _of_champions(run, rows), "opponent", CURVE_COLUMNS)


def exploitability_curve(run: Run) -> pd.DataFrame:
    """Return the exploitability of each generation's champion, if it was computed.

    The champion is that of ``champion_curve``. There is one row per (generation, population), with
    columns ``EXPLOITABILITY_COLUMNS``. ``plies`` is NaN if the best response is not captured.
    """
    rows = run.evaluations.dropna(subset="exploitability").drop_duplicates(_WHO, keep="last")
    return _curve(run, _of_champions(run, rows), "population", EXPLOITABILITY_COLUMNS)


def regret_curve(run: Run) -> pd.DataFrame:
    """Return the regret of each generation's champion in its games, if it was computed.

    The champion is that of ``champion_curve``. There is one row per (generation, population,
    opponent), with columns ``REGRET_COLUMNS``.
    """
    rows = run.evaluations.dropna(subset="regret").drop_duplicates(_WHOM, keep="last")
    return _curve(run, _of_champions(run, rows), "opponent", REGRET_COLUMNS)


def seat_curve(run: Run) -> pd.DataFrame:
    """Return the win rate of each generation's champion in each seat against each opponent.

    The champion is that of ``champion_curve``, and computed rates replace rates of games in the
    same way. There is one row per (generation, population, opponent, seat) of champions that held
    both seats, with columns ``SEAT_COLUMNS``. ``seat`` is ``first`` or ``second``. ``games`` are
    those in this seat, and ``low`` and ``high`` are as in ``champion_curve``.
    """
    rates = list(_SEATS)
    rows = run.evaluations.dropna(subset=rates)
    weights = rows["games"].clip(lower=1)  # what was computed has no games
    rows = rows.assign(**{name: rows[name] * weights for name in rates})
    computed, pooled = _computed_and_pooled(rows, *rates)
    pooled = pooled.assign(**{name: pooled[name] / pooled["games"] for name in rates})
    mine = _of_champions(run, _joined(computed, pooled, "games", *rates)).rename(columns=_SEATS)
    keys = [*_WHOM, "games"]
    each = mine.melt(keys, list(_SEATS.values()), var_name="seat", value_name="win_rate")
    each["games"] //= 2
    for name, end in zip(("low", "high"), _interval(each), strict=True):
        each[name] = end
    return _curve(run, each, "opponent", SEAT_COLUMNS)


def window_of(curves: Iterable[pd.DataFrame]) -> int:
    """Return the number of snapshots that the pictures of these curves pool: odd, a 20th of all.

    It is at least 3, and 1, which pools none, for curves of fewer than 5 snapshots.
    """
    sizes = (int(rows.groupby(_line(rows)).size().max()) for rows in curves if len(rows))
    most = max(sizes, default=0)
    return 1 if most < 5 else 1 + 2 * max(1, round(most / 40))


def running_curve(curve: pd.DataFrame, window: int) -> pd.DataFrame:
    """Return a curve of win rates with rates that are pooled over ``window`` snapshots.

    ``low`` and ``high`` become the interval of :func:`results.statistics.running_rate`. Where rates
    were proved or computed, the rate is the mean of the snapshots, without an interval. The column
    ``measured`` has the rates of ``curve``.
    """
    made = curve.assign(measured=curve["win_rate"])
    for _, rows in made.groupby(_line(made), sort=False):
        measured, games = rows["measured"].to_numpy(float), rows["games"].to_numpy(float)
        if (rows["low"] < rows["high"]).all():
            pooled = running_rate(np.rint(measured * games), games, window)
        else:
            pooled = (running_rate(measured, np.ones(len(rows)), window)[0],) * 3
        made.loc[rows.index, ["win_rate", "low", "high"]] = np.transpose(pooled)
    return made


def _line(curve: pd.DataFrame) -> list[str]:
    return [name for name in ("population", "opponent", "seat") if name in curve]


def best_of_each_snapshot(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the highest win rate by generation and opponent, from rows of ``evaluations``.

    The result is biased upwards: the maximum of many estimates, each with a sampling error, lies
    above the true rate of the individual that it selects (by several points for the best of 100 by
    300 games each). Ties go to the least exploitable individual, if that is known, and then to the
    first individual.
    """
    by_rate = rows.sort_values(
        ["win_rate", "exploitability", "individual"], ascending=[False, True, True], kind="stable"
    )
    best = by_rate.drop_duplicates(["generation", "population", "opponent"])
    places = {name: place for place, name in enumerate(dict.fromkeys(rows["opponent"]))}
    order = best.assign(_place=best["opponent"].map(places))
    return order.sort_values(["generation", "population", "_place"]).drop(columns="_place")


def _interval(rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the 95% Wilson interval of win rates; the rate itself if it was proved or computed."""
    rate, games = rows["win_rate"].to_numpy(float), rows["games"].to_numpy()
    exact = are_computed(rows["opponent"]) | (games == 0)
    low, high = wilson(np.rint(rate * games), games)
    return np.where(exact, rate, low), np.where(exact, rate, high)


def _computed_and_pooled(rows: pd.DataFrame, *sums: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Divide rows of ``evaluations`` into computed ones and the games of all seeds, added up.

    Games of a seed count once. Both tables have a row per (generation, population, individual,
    opponent). ``sums`` are the columns that are added up, beside ``games``.
    """
    computed = rows[rows["games"] == 0].drop_duplicates(_WHOM, keep="last")
    played = rows[rows["games"] > 0].drop_duplicates([*_WHOM, "seed", "games"])  # each game once
    return computed, played.groupby(_WHOM, as_index=False)[["games", *sums]].sum()


def _joined(computed: pd.DataFrame, pooled: pd.DataFrame, *values: str) -> pd.DataFrame:
    """Join computed and played rows of ``evaluations``. Computed rows replace rows of games."""
    import pandas as pd

    columns = [*_WHOM, *values]
    both = pd.concat([computed[columns], pooled[columns]], ignore_index=True)
    return both.drop_duplicates(_WHOM)


def _of_champions(run: Run, rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of ``evaluations`` whose individual is its generation's champion.

    A generation has one champion per population.
    """
    champions = _champions(run, rows["generation"].unique())
    keys = zip(rows["generation"], rows["population"], strict=True)
    individuals = np.array([champions.get(key, -1) for key in keys], dtype=np.int64)
    return rows[rows["individual"].to_numpy() == individuals]


def _champions(run: Run, generations: Any) -> dict[tuple[int, str], int]:
    """Return the champions of a run: the individual of highest fitness of each population.

    Returns:
        Numbers of individuals by (generation, population), for these generations.
    """
    kept = set(run.snapshots)
    champions = {}
    for generation in sorted(int(g) for g in generations if int(g) in kept):
        for name, part in run.population(generation).groupby("population", sort=False):
            row = fittest(part["fitness"].to_numpy(), part["individual"].to_numpy())
            champions[generation, str(name)] = int(part["individual"].iloc[row])
    return champions


def _curve(run: Run, rows: pd.DataFrame, key: str, columns: Sequence[str]) -> pd.DataFrame:
    if rows.empty:  # the rows of a long run need not be read
        return rows.assign(games_played=rows["generation"])[list(columns)]
    games = run.generations.groupby("generation")["games_played"].max()
    known = rows[rows["generation"].isin(games.index)].copy()
    known["games_played"] = known["generation"].map(games).astype("int64")
    ordered = known.sort_values(["population", key, "generation"])
    return ordered[list(columns)].reset_index(drop=True)
