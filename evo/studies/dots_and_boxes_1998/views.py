"""The same claims judged by other views of the runs, and by runs under other readings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from evo.studies.claims import HOLDS, NOT_MEASURED, Claim, load_claims, read_toml
from evo.studies.dots_and_boxes_1998 import evolved, facts, trained
from evo.studies.dots_and_boxes_1998.curves import GREEDY, RANDOM, Curves, difference
from evo.studies.dots_and_boxes_1998.measurements import Measurements
from evo.studies.intervals import median_interval

PACKAGE = "evo.studies.dots_and_boxes_1998"
MEASURES = (*facts.MEASURES, *evolved.MEASURES, *trained.MEASURES)
CLAIMS = load_claims(PACKAGE, MEASURES)
READINGS: Mapping[str, str] = read_toml(PACKAGE, "claims.toml")["readings"]
"""What each population of the other readings is, in words."""
COMBINED: Mapping[str, list[str]] = read_toml(PACKAGE, "claims.toml")["combined"]
"""Readings that are also tried together."""


class View(NamedTuple):
    """Another look at the measurements.

    Attributes:
        name: in a few words.
        seen: what claims are judged by.
        like: what its verdicts are compared with. Where a view has fewer seeds, that is the
            comparison of the same seeds.
    """

    name: str
    seen: Measurements
    like: Measurements


def claim_rows(measured: Measurements, claims: Iterable[Claim] = CLAIMS) -> list[dict[str, Any]]:
    """Return a row for each claim: what was measured, its interval, the verdict.

    ``seeds_holding`` counts the seeds of which each alone, as a typical example, shows the claim.
    """
    rows = []
    for claim in claims:
        finding = claim.judge(measured)
        middle, low, high, confidence = finding.interval or (None,) * 4
        single = _single_seeds(claim, measured) if claim.of_curves else []
        rows.append(
            {
                "claim": claim.key,
                "section": claim.section,
                "text": claim.claim,
                "rule": claim.rule,
                "measured": finding.found,
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


def _single_seeds(claim: Claim, measured: Measurements) -> list[str]:
    curves = measured.curves
    alone = (replace(measured, curves=curves.of([seed])) for seed in range(curves.seeds))
    verdicts = [claim.judge(one).verdict for one in alone]
    return [verdict for verdict in verdicts if verdict != NOT_MEASURED]


def view_rows(views: Iterable[View]) -> list[dict[str, Any]]:
    """Return a row for each view and claim of the runs, with the verdict that it is compared to."""
    rows = []
    for view in views:
        for claim in CLAIMS:
            like = claim.judge(view.like).verdict
            if claim.of_curves and like != NOT_MEASURED:
                finding = claim.judge(view.seen)
                rows.append(
                    {
                        "view": view.name,
                        "claim": claim.key,
                        "measured": finding.found,
                        "verdict": finding.verdict,
                        "compared_with": like,
                        "is_changed": finding.verdict != like,
                    }
                )
    return rows


def views_of(measured: Measurements, fresh: Curves) -> list[View]:
    """Return the runs of the comparison themselves, looked at otherwise.

    By fresh games trained networks, too, count by theirs.
    """
    curves, networks = measured.curves, measured.supervised or {}
    again = {name: network.measured_again for name, network in networks.items()}
    seen = {"by fresh games": replace(measured, curves=fresh, supervised=again)}
    if measured.faster is not None:
        seen["mutation rate 0.5%"] = replace(measured, curves=measured.faster)
    seen["after a tenth of the games"] = replace(
        measured, curves=curves.until(curves.games[-1] / 10)
    )
    return [View(name, each, measured) for name, each in seen.items()]


def readings_of(measured: Measurements, other: Curves) -> list[View]:
    """Return each other reading in the place of the population that it stands for, and some
    together."""
    tried = {READINGS[name]: [name] for name in other.populations}
    tried |= {name: each for name, each in COMBINED.items() if {*each} <= {*other.populations}}
    curves = measured.curves
    like = replace(measured, curves=curves.of(range(min(curves.seeds, other.seeds))))
    views = []
    for reading, names in tried.items():
        seen = curves
        for name in names:
            seen = seen.with_population(_stands_for(name), other, name)
        views.append(View(reading, replace(measured, curves=seen), like))
    return views


def _stands_for(name: str) -> str:
    """Return the population that the name of another reading begins with."""
    return name.partition("--")[0]


def strengths(curves: Curves, other: Curves) -> list[dict[str, Any]]:
    """Return what each other reading wins at the end, and how far that is from the usual one."""
    rows = []
    for name in other.populations:
        population = _stands_for(name)
        row: dict[str, Any] = {"reading": READINGS[name], "population": population}
        seen = curves.with_population(population, other, name)
        usual = curves.of(range(seen.seeds))
        for opponent in (RANDOM, GREEDY):
            late = seen.late(population, opponent)
            apart = difference(late, usual.late(population, opponent))
            column = opponent.replace("-", "_")
            row |= {
                column: median_interval(late).middle,
                f"{column}_difference": apart.middle,
                f"{column}_low": apart.low,
                f"{column}_high": apart.high,
                f"{column}_told": f"{apart:+.1p} points",
            }
        rows.append(row)
    return rows
