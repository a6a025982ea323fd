"""Pictures of many runs: a line for each setting in which they differ, a band over its seeds."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from results.errors import ResultsError
from results.folder.files import Place
from results.format.islands import ALL, role_and_island
from results.plots.run import RELATIVE
from results.plots.style import (
    COLOURS,
    Curve,
    Scale,
    chart,
    columns_of,
    look_of,
    median_curve,
    over_seeds_at,
    plain_name,
    save_all,
    thinned,
    with_margin,
)
from results.read.curves import (
    champion_curve,
    exploitability_curve,
    regret_curve,
    running_curve,
    window_of,
)
from results.read.runs import Runs
from results.read.settings import game_of, games_apart
from results.statistics import wants_odds

POINTS = 200
"""Numbers of games at which the runs of a setting are compared."""
MOST_LINES = 3 * len(COLOURS)
"""Maximum number of settings that a picture can distinguish."""
_LETTER, _LETTERS = 0.09, 24
"""How wide a letter of a label is, in inches, and how many have room beside a panel."""


@dataclass(frozen=True)
class Compared:
    """The quantity that is drawn for each run.

    Attributes:
        column: the column of its values.
        title, label: of the picture, and of its vertical axis.
        shares: whether values are shares, 0 to 1.
        form: the format of a value in a label.
    """

    column: str
    title: str
    label: str
    shares: bool = False
    form: str = ".4g"


FITNESS = Compared("best", "The best of each generation", "raw fitness")
DIVERSITY = Compared("diversity", "Diversity", "genes that differ (mean)", True, ".1%")


def plot_runs(runs: Runs, folder: str | os.PathLike[str] | Place | None = None) -> list[Place]:
    """Draw several runs, by their differing settings, as PNG and SVG; return the paths.

    The pictures are, for each opponent of measured champions, ``compared-win-rate-OPPONENT``, and
    ``compared-fitness`` and ``compared-diversity``: medians over seeds and their quartiles. Win
    rates are pooled as for a single run. Each of several games has separate pictures.

    Args:
        runs: the runs.
        folder: by default ``plots`` in the folder that holds all of them.

    Raises:
        ResultsError: nothing to draw, more settings than a picture can distinguish, or the system
            refused.
    """
    pictures: dict[str, Callable[[], Figure]] = {}
    for name, rows, what in compared_tables(runs):
        count = rows["_label"].nunique()
        if count > MOST_LINES:
            raise ResultsError(
                f"{count} settings given, such as {rows['_label'].iloc[0]!r}; at most {MOST_LINES} "
                "can be told apart in a picture: give fewer runs"
            )
        pictures[f"compared-{name}"] = partial(compared_figure, rows, what)
    if not pictures:
        raise ResultsError(f"{runs} has no generation to draw yet; let the runs go on a while")
    return save_all(pictures, folder or runs.folder / "plots")


def compared_tables(runs: Runs) -> Iterator[tuple[str, pd.DataFrame, Compared]]:
    """Yield the quantities in which runs are compared: a name for files, the rows, the quantity.

    The rows have the columns ``_run``, ``_label``, ``_role``, ``generation``, ``games_played`` and
    that of the quantity. Each game has its own quantities.
    """
    for game, part in _by_game(runs):
        labels, ending = labels_of(part), f"-{_file_name(game)}" if game else ""
        rows, shown = _with_labels(part, labels)
        if rows.empty:
            continue
        best = FITNESS
        if any(run.has_relative_fitness for run in part):
            best = replace(FITNESS, title=f"{FITNESS.title}{RELATIVE}")
        drawn = [
            (name, rows, replace(what, title=f"{what.title}{shown}", label=f"{what.label}{shown}"))
            for name, what in (("fitness", best), ("diversity", DIVERSITY))
        ]
        of_champions = [*_of_win_rates(part, labels), *_of_losses(part, labels)]
        for name, of_what, what in [*of_champions, *drawn]:
            named = replace(what, title=f"{what.title}{f', {game}' if game else ''}")
            yield f"{name}{ending}", of_what, named


def _by_game(runs: Runs) -> Iterator[tuple[str, Runs]]:
    """Yield the title and the runs of each game; the title is empty if there is only one game."""
    opened = list(runs)
    names = games_apart(run.config for run in opened)
    if len(names) == 1:
        yield "", runs
        return
    for text, name in names.items():
        yield name, runs.part([run.path for run in opened if (game_of(run.config) or "") == text])


def labels_of(runs: Runs) -> list[str]:
    """Return a label of each run: its differing settings, without seeds."""
    differing, labels = runs.settings, []
    for member in runs.members:
        known = [(name, member.keys.get(name)) for name in differing]
        texts = [_said(name, value) for name, value in known if value is not None]
        labels.append(", ".join(texts) or "all runs")
    return labels


def _said(name: str, value: object) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if isinstance(value, str) else f"{name.replace('_', ' ')} {text}"


def over_runs(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return the median and quartiles of several runs of one setting, at the same games.

    Each run is interpolated linearly between the greatest of their first numbers of games and the
    least of their last, so that no run is left out of a point.

    Args:
        rows: of all runs, columns ``_run``, ``games_played`` and ``column``.
        column: the column of the values.

    Returns:
        Columns ``games_played``, ``median``, ``low``, ``high``; no row where runs do not overlap.
    """
    parts = [part.sort_values("games_played") for _, part in rows.groupby("_run", sort=False)]
    curves = [tuple(columns_of(part, "games_played", column)) for part in parts]
    first, last = max(x[0] for x, _ in curves), min(x[-1] for x, _ in curves)
    if len(curves) == 1 and len(curves[0][0]) <= POINTS:
        games = curves[0][0]
    else:
        games = np.linspace(first, last, POINTS if last > first else int(last == first))
    return pd.DataFrame(over_seeds_at(games, curves))


def compared_figure(rows: pd.DataFrame, what: Compared) -> Figure:
    """Draw a column of the rows of many runs: a panel a role, a line a setting, quartiles as bands.

    Args:
        rows: columns ``_run``, ``_label``, ``_role``, ``generation``, ``games_played`` and that of
            ``what``.
        what: the quantity.
    """
    roles = list(dict.fromkeys(rows["_role"]))
    several = int(rows.groupby("_label")["_run"].nunique().max()) > 1
    axis = pd.DataFrame({"generation": [0], "games_played": [rows["games_played"].max()]})
    labels = list(dict.fromkeys(rows["_label"]))
    parts = {role: rows[rows["_role"] == role] for role in roles}
    curves = {role: list(_lines(part, labels, what, several)) for role, part in parts.items()}
    drawn = [curve for panel in curves.values() for curve in panel]
    if not drawn:
        raise ResultsError("the runs of a setting have no number of games in common; draw each")
    ends = [curve.band or (curve.y, curve.y) for curve in drawn]
    low, high = float(min(end.min() for end, _ in ends)), float(max(end.max() for _, end in ends))
    limits = (0.0, 1.02 if high > 0.6 else 1.1 * high or 1.0)
    rates, is_win_rate = rows[what.column].to_numpy(float), what.column == "win_rate"
    by_odds = is_win_rate and wants_odds(rates)
    if several:  # medians and quartiles lie between none and the least
        rates = np.append(rates, np.where(rates < 0.5, rates / 4, 1 - (1 - rates) / 4))
    scale = Scale(
        what.label + ",\nmedian and quartiles" * several,
        limits if what.shares else with_margin(low, high),
        shares=what.shares,
        rates=rates if by_odds else None,
        level=(0.5, "even") if is_win_rate else None,
    )
    figure = chart(what.title, curves, axis, scale)
    widest = max(len(curve.label) for curve in drawn)
    more = _LETTER * max(0, widest - _LETTERS) * len(roles)
    figure.set_figwidth(figure.get_figwidth() + more)  # a long label would take it of the panel
    return figure


def _lines(
    rows: pd.DataFrame, labels: Sequence[str], what: Compared, several: bool
) -> Iterator[Curve]:
    for number, label in enumerate(labels):
        mine = rows[rows["_label"] == label]
        table = over_runs(mine, what.column) if len(mine) else mine
        if not table.empty:
            runs = mine["_run"].nunique()
            count = f" ({runs} run{'s' * (runs > 1)})" if several else ""
            text = f"{label}{count}  {table['median'].iloc[-1]:{what.form}}"
            yield median_curve(table, text, look_of(number), runs > 1)


def _with_labels(runs: Runs, labels: Sequence[str]) -> tuple[pd.DataFrame, str]:
    """Return the rows of ``generations`` of all runs, thinned, and a text about the thinning.

    A row of a run with islands has the best fitness and the mean diversity of the islands.
    """
    frames, keys = [], []
    for number, (run, label) in enumerate(zip(runs, labels, strict=True)):
        for role, part in _with_roles(run.generations).groupby("_role", sort=False):
            means = part.groupby(["generation", "games_played"], as_index=False).agg(
                best=("best", "max"), diversity=("diversity", "mean")
            )
            frames.append(means)
            keys.append({"_role": role, "_run": number, "_label": label})
    lines, shown = thinned(frames)
    named = [line.assign(**key) for line, key in zip(lines, keys, strict=True)]
    return pd.concat(named, ignore_index=True) if named else pd.DataFrame(), shown


def _with_roles(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with the role of their populations; empty where seats are alike."""
    roles = [role_and_island(str(name))[0] for name in rows["population"]]
    return rows.assign(_role=["" if role == ALL else role for role in roles])


def _of_win_rates(
    runs: Runs, labels: Sequence[str]
) -> Iterator[tuple[str, pd.DataFrame, Compared]]:
    """Name, rows and form of a picture for each opponent that champions were measured against."""
    measured = [champion_curve(run) for run in runs]
    window, frames = window_of(measured), []
    for number, (curve, label) in enumerate(zip(measured, labels, strict=True)):
        curve = _with_roles(running_curve(curve, window))
        frames.append(curve.assign(_run=number, _label=label))
    label = "games won" + f", pooled over {window} snapshots" * (window > 1)
    rows = pd.concat(frames, ignore_index=True)
    keys = ["_run", "_label", "_role", "opponent", "generation", "games_played"]
    rows = rows.groupby(keys, sort=False)["win_rate"].mean().reset_index()  # islands: the mean
    for opponent, part in rows.groupby("opponent", sort=False):
        title = f"The champion against {opponent}"
        what = Compared("win_rate", title, label, True, ".1%")
        yield f"win-rate-{_file_name(str(opponent))}", part, what


def _of_losses(runs: Runs, labels: Sequence[str]) -> Iterator[tuple[str, pd.DataFrame, Compared]]:
    """Name, rows and form of the pictures of what champions lose, where it was computed."""
    exploitability = [exploitability_curve(run).assign(opponent="") for run in runs]
    for column, title, curves in (
        ("exploitability", "Exploitability of the champion", exploitability),
        ("regret", "Loss per move of the champion", map(regret_curve, runs)),
    ):
        frames = [
            _with_roles(curve).assign(_run=number, _label=label)
            for number, (curve, label) in enumerate(zip(curves, labels, strict=True))
            if not curve.empty
        ]
        if not frames:
            continue
        keys = ["_run", "_label", "_role", "opponent", "generation", "games_played"]
        rows = pd.concat(frames, ignore_index=True).groupby(keys, sort=False)[column].mean()
        for opponent, part in rows.reset_index().groupby("opponent", sort=False):
            against = f" against {opponent!s}" if opponent else ""
            ending = f"-{_file_name(str(opponent))}" if opponent else ""
            yield f"{column}{ending}", part, Compared(column, f"{title}{against}", column)


def _file_name(text: str) -> str:
    return plain_name(text)[:80]
