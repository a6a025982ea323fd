"""The same claims judged by other views of the runs, and by runs under other readings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evo.studies.claims import HOLDS, NOT_MEASURED, Claim, load_claims, read_toml
from evo.studies.dots_and_boxes_1998.curves import GREEDY, RANDOM, Curves, difference
from evo.studies.dots_and_boxes_1998.measurements import Measurements
from evo.studies.intervals import median_interval

CLAIMS = load_claims(__package__)
_DECLARED = read_toml(__package__, "claims.toml")
READINGS: Mapping[str, str] = _DECLARED["readings"]
"""Descriptions of the populations of the other readings."""
COMBINED: Mapping[str, list[str]] = _DECLARED["combined"]
"""Readings that are also tried together."""


def claim_rows(measured: Measurements) -> list[dict[str, Any]]:
    """Judge all claims of the study, and return a row for each: value, interval and verdict.

    ``seeds_holding`` counts the seeds of which each alone, as a typical example, shows the claim.
    """
    rows = []
    for claim in CLAIMS:
        finding = claim.judge(measured)
        single = _single_seeds(claim, measured) if claim.of_curves else []
        ends = finding.interval or (None,) * 4
        rows.append(
            {
                "claim": claim.key,
                "section": claim.section,
                "text": claim.claim,
                "rule": claim.rule,
                "measured": finding.found,
                **dict(zip(("value", "low", "high", "confidence"), ends, strict=True)),
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


def view_rows(views: Mapping[str, Measurements], like: Measurements) -> list[dict[str, Any]]:
    """Judge the claims about runs by other views of the runs, and return a row per view and claim.

    Args:
        views: the measurements in each view, by its name.
        like: the study's own measurements, whose verdicts each row has for comparison.
    """
    usual = [(claim, claim.judge(like).verdict) for claim in CLAIMS if claim.of_curves]
    rows = []
    for view, seen in views.items():
        for claim, verdict in usual:
            if verdict != NOT_MEASURED:
                finding = claim.judge(seen)
                rows.append(
                    {
                        "view": view,
                        "claim": claim.key,
                        "measured": finding.found,
                        "verdict": finding.verdict,
                        "compared_with": verdict,
                        "is_changed": finding.verdict != verdict,
                    }
                )
    return rows


def views_of(measured: Measurements, fresh: Curves) -> dict[str, Measurements]:
    """Return other views of the study's runs: measurements to judge the claims by, by name.

    In the view by fresh games, trained networks count by fresh games, too. ``fresh`` are the curves
    by fresh games.
    """
    curves, networks = measured.curves, measured.supervised or {}
    again = {name: network.measured_again for name, network in networks.items()}
    views = {"by fresh games": replace(measured, curves=fresh, supervised=again)}
    if measured.faster is not None:
        views["mutation rate 0.5%"] = replace(measured, curves=measured.faster)
    early = curves.until(curves.games[-1] / 10)
    return {**views, "after a tenth of the games": replace(measured, curves=early)}


def readings_of(measured: Measurements, other: Curves) -> dict[str, Measurements]:
    """Return the measurements with populations evolved under other readings of the source.

    Each reading replaces the population that it stands for. Some are also tried together. ``other``
    are the curves of the other runs. The result is by the name of the reading.
    """
    tried = {READINGS[name]: [name] for name in other.populations}
    tried |= {name: each for name, each in COMBINED.items() if {*each} <= {*other.populations}}
    views = {}
    for reading, names in tried.items():
        seen = measured.curves
        for name in names:
            seen = seen.with_population(_stands_for(name), other, name)
        views[reading] = replace(measured, curves=seen)
    return views


def of_as_many_seeds(measured: Measurements, other: Curves) -> Measurements:
    """Return the measurements of as many seeds as other runs have."""
    seeds = min(measured.curves.seeds, other.seeds)
    return replace(measured, curves=measured.curves.of(range(seeds)))


def _stands_for(name: str) -> str:
    """Return the population that another reading of the source replaces, from its name."""
    return name.partition("--")[0]


def strengths(curves: Curves, other: Curves) -> list[dict[str, Any]]:
    """Return the final win rate under each other reading, and its difference from the study's."""
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
