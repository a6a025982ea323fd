"""``evo analyse`` of many runs: each by itself, and how many of a setting do what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evo.evaluation.findings import Analysis
from evo.population import ALL
from results.read.runs import Runs

if TYPE_CHECKING:
    from results import DataFrame

_OF_VERDICT = ("about", "population", "verdict", "runs", "of")


@dataclass(frozen=True, eq=False)
class AnalysisOfRuns:
    """What is known of the course of several runs.

    Attributes:
        runs: that were analysed.
        analyses: of each, in their order.
    """

    runs: Runs
    analyses: Sequence[Analysis]

    def __repr__(self) -> str:
        """Of which runs."""
        return f"<analysis of {self.runs!r}>"

    @property
    def records(self) -> list[dict[str, Any]]:
        """One row a run and diagnosis: the columns that tell the runs apart, then those of
        :attr:`evo.evaluation.findings.Analysis.records`."""
        return [
            {**member.keys, "path": str(member.path), **record}
            for member, analysis in zip(self.runs.members, self.analyses, strict=True)
            for record in analysis.records
        ]

    @property
    def verdicts(self) -> DataFrame:
        """One row a setting, diagnosis, population and verdict: ``runs``, how many it is true of,
        and ``of``, how many were asked."""
        from results import DataFrame

        names = [name for name in self.runs.columns if name not in ("run", "cell", "seed")]
        keys = [*names, "about", "population"]
        rows = DataFrame(self.records)[[*keys, "verdict"]]
        counts = rows.groupby([*keys, "verdict"], sort=False, dropna=False).size().rename("runs")
        asked = rows.groupby(keys, sort=False, dropna=False).size().rename("of")
        return counts.reset_index().merge(asked.reset_index(), on=keys)

    @property
    def lines(self) -> list[str]:
        """The report: under each setting, what its runs do, and how many of them."""
        settings: dict[str, dict[str, list[str]]] = {}
        for row in self.verdicts.to_dict("records"):
            values = {name: row[name] for name in row if name not in _OF_VERDICT}
            said = ", ".join(f"{name}={values[name]}" for name in values if row[name] == row[name])
            whose = f" ({row['population']})" if row["population"] != ALL else ""
            about = settings.setdefault(said, {}).setdefault(f"{row['about']}{whose}", [])
            about.append(f"{row['verdict']} {row['runs']}/{row['of']}")
        lines = [f"{len(self.analyses)} runs"]
        for said, diagnoses in settings.items():
            lines += ["", *filter(None, [said])]
            lines += [f"    {about}: {', '.join(texts)}" for about, texts in diagnoses.items()]
        return lines
