"""``evo analyse`` for many runs: one analysis per run, counts per setting, and comparisons.

Two settings are compared by the scores of the newest champions against each opponent that was not
used in evolution. Each run contributes one value, and the test uses ranks
(:mod:`tournaments.analysis.samples`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from evo.evaluation.analyse import analyse
from evo.evaluation.findings import Analysis
from evo.execution import Execution
from evo.population import ALL
from evo.requests.evaluation import AnalyseRequest
from results.folder.files import place_of
from results.read.runs import Runs, names_of
from results.read.settings import game_of
from tournaments.analysis.samples import SIGNIFICANCE, holm, shift_between
from tournaments.errors import counted

if TYPE_CHECKING:
    from results import DataFrame

MOST_PAIRS = 10
"""Up to this number of pairs of settings, the report shows all pairs.

If there are more pairs, the report shows only the pairs that differ.
"""
_OF_VERDICT = ("about", "population", "verdict", "runs", "of")


def analyse_runs(
    runs: Runs, request: AnalyseRequest, execution: Execution, *, save: bool = False
) -> AnalysisOfRuns:
    """Analyse each of several runs by the request of one, and return the analysis of all.

    With ``save``, write the pictures and numbers of each run before the next one begins.
    """
    paths, analyses = [member.path for member in runs.members], []
    with execution.shared() as shared:
        for number, (path, name) in enumerate(zip(paths, names_of(paths), strict=True), start=1):
            execution.announce(f"{path} ({number} of {len(paths)})")
            analyses.append(analyse(replace(request, run=path), shared))
            if save:
                analyses[-1].save(place_of(request.out) / name if request.out else None)
    return AnalysisOfRuns(runs, analyses)


@dataclass(frozen=True, eq=False)
class AnalysisOfRuns:
    """Analyses of several runs, by setting.

    Attributes:
        runs: the analysed runs.
        analyses: the analysis of each run, in the order of the runs.
    """

    runs: Runs
    analyses: Sequence[Analysis]

    def __repr__(self) -> str:
        """Return a short text that names the analysed runs."""
        return f"<analysis of {self.runs!r}>"

    @property
    def records(self) -> list[dict[str, Any]]:
        """The diagnoses of all runs, one row per run and diagnosis.

        The first columns identify the run. The others are the columns of
        :attr:`evo.evaluation.findings.Analysis.records`.
        """
        return [
            {**member.keys, "path": str(member.path), **record}
            for member, analysis in zip(self.runs.members, self.analyses, strict=True)
            for record in analysis.records
        ]

    @property
    def rows(self) -> list[dict[Any, Any]]:
        """The rows of ``evo analyse --json``: :attr:`records`, then :attr:`comparisons`."""
        return [*self.records, *self.comparisons.assign(about="settings").to_dict("records")]

    @cached_property
    def comparisons(self) -> DataFrame:
        """Comparisons of settings: one row per game, population, opponent and pair of settings.

        Columns:

        - ``game``, ``population``, ``opponent``.
        - ``setting``, ``other``: the two settings, with their names in the report.
        - ``runs``, ``other_runs``: number of runs of each setting that have met the opponent.
        - ``difference``, ``low``, ``high``: median difference of the scores (0 to 1) and its 95%
          interval. The interval is infinite if there are too few runs.
        - ``p``: the p-value.
        - ``p_corrected``: the p-value corrected for the number of pairs of settings (Holm).
        """
        from results import DataFrame

        scores: dict[tuple[str, str, str], dict[str, list[float]]] = {}
        for member, analysis in zip(self.runs.members, self.analyses, strict=True):
            game = game_of(analysis.run.config) or ""
            setting = _said({name: member.keys.get(name) for name in self.runs.settings})
            rows = analysis.opponents
            rows = rows[(rows["generation"] == rows["generation"].max()) & rows["score"].notna()]
            for row in rows[rows["kind"].isin(("held-out", "perfect"))].to_dict("records"):
                key = game, row["population"], row["opponent"]
                of_opponent = scores.setdefault(key, {})
                of_opponent.setdefault(setting, []).append(row["score"])
        table = []
        for (game, population, opponent), by_setting in scores.items():
            pairs = list(combinations(by_setting, 2))
            shifts = [shift_between(*(np.array(by_setting[name]) for name in p)) for p in pairs]
            corrected = holm(np.array([shift.p for shift in shifts])).tolist()
            for (setting, other), shift, p in zip(pairs, shifts, corrected, strict=True):
                counts = {"runs": len(by_setting[setting]), "other_runs": len(by_setting[other])}
                of_what = {"game": game, "population": population, "opponent": opponent}
                found = {"difference": shift.median, "low": shift.low, "high": shift.high}
                pair = {"setting": setting, "other": other, **counts}
                table.append({**of_what, **pair, **found, "p": shift.p, "p_corrected": p})
        return DataFrame(table)

    @property
    def verdicts(self) -> DataFrame:
        """The number of runs with each verdict.

        There is one row per setting, diagnosis, population and verdict. ``runs`` is the number of
        runs with the verdict, and ``of`` the number of runs with the diagnosis.
        """
        from results import DataFrame

        keys = [*self.runs.settings, "about", "population"]
        rows = DataFrame(self.records)[[*keys, "verdict"]]
        counts = rows.groupby([*keys, "verdict"], sort=False, dropna=False).size().rename("runs")
        asked = rows.groupby(keys, sort=False, dropna=False).size().rename("of")
        return counts.reset_index().merge(asked.reset_index(), on=keys)

    @property
    def lines(self) -> list[str]:
        """The report: for each setting, the verdicts and the number of runs with each."""
        settings: dict[str, dict[str, list[str]]] = {}
        for row in self.verdicts.to_dict("records"):
            values = {name: row[name] for name in row if name not in _OF_VERDICT}
            said = _said(values)
            whose = f" ({row['population']})" if row["population"] != ALL else ""
            about = settings.setdefault(said, {}).setdefault(f"{row['about']}{whose}", [])
            about.append(f"{row['verdict']} {row['runs']}/{row['of']}")
        lines = [counted(len(self.analyses), "run")]
        for said, diagnoses in settings.items():
            lines += ["", *filter(None, [said])]
            lines += [f"    {about}: {', '.join(texts)}" for about, texts in diagnoses.items()]
        return [*lines, *self._compared()]

    def _compared(self) -> list[str]:
        """Return the lines of the report that compare settings, one opponent after the other."""
        lines: list[str] = []
        if self.comparisons.empty:
            return lines
        for names, rows in self.comparisons.groupby(["game", "population", "opponent"], sort=False):
            _, population, opponent = names
            whose = f" ({population})" if population != ALL else ""
            lines += ["", f"newest champions against {opponent}{whose}, pairs of settings:"]
            shown = rows[(rows["p_corrected"] < SIGNIFICANCE) | (len(rows) <= MOST_PAIRS)]
            lines += [f"    {_compared(row)}" for row in shown.to_dict("records")]
            if len(shown) < len(rows):
                lines.append(f"    no difference shown in {len(rows) - len(shown)} of {len(rows)}")
        return lines


def _said(values: Mapping[Any, Any]) -> str:
    """Return a setting of runs in words, such as a game or a scheme.

    Columns without a value are left out.
    """
    known = {name: value for name, value in values.items() if value is not None and value == value}
    return ", ".join(f"{name}={value}" for name, value in known.items())


def _compared(row: Mapping[Any, Any]) -> str:
    """Return a row of :attr:`AnalysisOfRuns.comparisons` in words."""
    ends = f"95% interval {100 * row['low']:+.1f} to {100 * row['high']:+.1f}"
    if not np.isfinite([row["low"], row["high"]]).all():
        ends = "too few runs for a 95% interval"
    return (
        f"{row['setting']} less {row['other']}: {100 * row['difference']:+.1f} points ({ends}), "
        f"Mann-Whitney p={row['p']:.2g}, corrected {row['p_corrected']:.2g}, "
        f"n={row['runs']} and {row['other_runs']}"
    )
