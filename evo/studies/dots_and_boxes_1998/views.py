"""The same claims judged by other views of the runs, and by runs under other readings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from evo.studies.dots_and_boxes_1998.claims import CLAIMS
from evo.studies.dots_and_boxes_1998.curves import GREEDY, RANDOM, Curves, difference
from evo.studies.dots_and_boxes_1998.facts import FACTS
from evo.studies.dots_and_boxes_1998.rules import NOT_MEASURED, Claim, Evidence, points
from evo.studies.dots_and_boxes_1998.trained import SUPERVISED
from evo.studies.intervals import median_interval
from evo.studies.verdicts import HOLDS

ALL = (*FACTS, *CLAIMS, *SUPERVISED)
STANDS_FOR = "--"
"""Between a population's name and what another reading changes."""
READINGS = {
    "direct-level-0--unscaled": "direct evolution (level 0) without linear scaling",
    "direct-level-1--unscaled": "direct evolution (level 1) without linear scaling",
    "antibody-antigen--scaled": "antibody/antigen with the linear scaling of direct evolution",
    "round-robin--scaled": "round-robin with the linear scaling of direct evolution",
    "antibody-antigen--two-to-one": "two wins earn two shares in place of four",
    "antibody-antigen--bonus-of-one": "a bonus of 1 in place of 0.01 for antibodies",
    "round-robin--bonus-of-a-thousand": "a bonus of 1,000 for round-robin: hardly any selection",
}
"""What each population of the other readings is, in words."""
UNSCALED = ("direct-level-0--unscaled", "direct-level-1--unscaled")
COMBINED = {
    "no linear scaling anywhere": UNSCALED,
    "no linear scaling, and the bonus of 1,000": (
        *UNSCALED,
        "round-robin--bonus-of-a-thousand",
    ),
}
"""Readings that are also tried together."""


@dataclass(frozen=True)
class View:
    """Another look at the evidence.

    Attributes:
        name: in a few words.
        curves: what claims are judged by.
        like: what its verdicts are compared with; None: the comparison itself. Where a view has
            fewer seeds, that is the comparison of the same seeds.
        is_fresh: whether trained networks, too, count by fresh games.
    """

    name: str
    curves: Curves
    like: Curves | None = None
    is_fresh: bool = False


def judged(evidence: Evidence, claims: Iterable[Claim] = ALL) -> list[dict[str, Any]]:
    """A row a claim: what was measured, its interval, the verdict, and how many seeds agree.

    ``seeds_holding`` counts the seeds of which each alone, as a typical example, shows the claim.
    """
    rows = []
    for claim in claims:
        finding = claim.judge(evidence)
        middle, low, high, confidence = finding.interval or (None,) * 4
        single = _single_seeds(claim, evidence) if claim.of_curves else []
        rows.append(
            {
                "claim": claim.key,
                "section": claim.section,
                "text": claim.text,
                "rule": claim.rule,
                "measured": finding.measured,
                "value": middle,
                "low": low,
                "high": high,
                "confidence": confidence,
                "verdict": finding.verdict,
                "seeds": len(single) or None,
                "seeds_holding": single.count(HOLDS) if single else None,
            }
        )
    return rows


def _single_seeds(claim: Claim, evidence: Evidence) -> list[str]:
    curves = evidence.curves
    verdicts = [
        claim.judge(replace(evidence, curves=curves.of([seed]))).verdict
        for seed in range(curves.seeds)
    ]
    return [verdict for verdict in verdicts if verdict != NOT_MEASURED]


def changed(evidence: Evidence, views: Iterable[View]) -> list[dict[str, Any]]:
    """A row a view and claim of the runs: its verdict, and that of what it is compared with."""
    return [
        {
            "view": view.name,
            "claim": claim.key,
            "measured": finding.measured,
            "verdict": finding.verdict,
            "compared_with": like.verdict,
            "is_changed": finding.verdict != like.verdict,
        }
        for view in views
        for claim, finding, like in _both(evidence, view)
    ]


def _both(evidence: Evidence, view: View) -> Iterator[tuple[Claim, Any, Any]]:
    trained = evidence.supervised or {}
    if view.is_fresh:
        trained = {name: one.measured_again for name, one in trained.items()}
    seen = replace(evidence, curves=view.curves, supervised=trained)
    usual = evidence if view.like is None else replace(evidence, curves=view.like)
    for claim in ALL:
        if claim.of_curves and claim.judge(usual).verdict != NOT_MEASURED:
            yield claim, claim.judge(seen), claim.judge(usual)


def views_of(evidence: Evidence, fresh: Curves) -> list[View]:
    """The runs of the comparison themselves, looked at otherwise."""
    curves = evidence.curves
    views = [
        View("by fresh games", fresh, is_fresh=True),
        View("after a tenth of the games", curves.until(curves.games[-1] / 10)),
    ]
    if evidence.faster is not None:
        views.insert(1, View("mutation rate 0.5%", evidence.faster))
    return views


def readings_of(curves: Curves, other: Curves) -> list[View]:
    """Each other reading in the place of the population that it stands for, and some together."""
    names = list(dict.fromkeys(name for name, _ in other.rates))
    tried: dict[str, tuple[str, ...]] = {READINGS.get(name, name): (name,) for name in names}
    tried |= {name: those for name, those in COMBINED.items() if {*those} <= {*names}}
    usual = curves.of(range(min(curves.seeds, other.seeds)))
    return [View(name, _replaced(usual, other, those), usual) for name, those in tried.items()]


def _replaced(curves: Curves, other: Curves, names: Iterable[str]) -> Curves:
    for name in names:
        curves = curves.with_population(_stands_for(name), other, name)
    return curves


def _stands_for(name: str) -> str:
    return name.partition(STANDS_FOR)[0]


def strengths(curves: Curves, other: Curves) -> list[dict[str, Any]]:
    """What each other reading wins at the end, and how far that is from what it stands for."""
    rows = []
    for name in dict.fromkeys(name for name, _ in other.rates):
        row: dict[str, Any] = {"reading": READINGS.get(name, name), "population": _stands_for(name)}
        seen = curves.with_population(_stands_for(name), other, name)
        usual = curves.of(range(seen.seeds))
        for opponent in (RANDOM, GREEDY):
            late = seen.late(_stands_for(name), opponent)
            apart = difference(late, usual.late(_stands_for(name), opponent))
            column = opponent.replace("-", "_")
            row |= {
                column: median_interval(late).middle,
                f"{column}_difference": apart.middle,
                f"{column}_low": apart.low,
                f"{column}_high": apart.high,
                f"{column}_told": points(apart),
            }
        rows.append(row)
    return rows
