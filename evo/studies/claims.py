"""The claims of a study: how ``claims.toml`` states them, and how measurements judge them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pkgutil import resolve_name
from typing import Any, NamedTuple

from evo.studies.intervals import Interval, exactly
from evo.studies.page import filled, looked_up

HOLDS, IN_PART, UNDECIDED, FAILS = "holds", "holds in part", "undecided", "does not hold"
NOT_MEASURED = "not measured"
VERDICTS = (HOLDS, IN_PART, UNDECIDED, FAILS)
"""The verdicts, the best first."""
EXPLANATION = (
    "A claim holds, or does not, where the whole interval says so. Where the interval holds both "
    "answers the claim is *undecided*. Of several parts all must hold: where some hold and others "
    "do not, the claim *holds in part*."
)
"""How verdicts are found, for pages."""


# --- verdicts ------------------------------------------------------------------------------------


def above(interval: Interval, least: float = 0.0) -> str:
    """Return the verdict on the claim that a measured number is above a limit.

    ``interval`` is the number with its confidence interval, ``least`` the limit.
    """
    return HOLDS if interval.low > least else UNDECIDED if interval.high > least else FAILS


def below(interval: Interval, most: float) -> str:
    """Return the verdict on the claim that a measured number is below a limit.

    ``interval`` is the number with its confidence interval, ``most`` the limit.
    """
    return above(-interval, -most)


def within(interval: Interval, low: float, high: float) -> str:
    """Return the verdict on the claim that a measured number is between two limits.

    ``interval`` is the number with its confidence interval.
    """
    if low <= interval.low and interval.high <= high:
        return HOLDS
    return UNDECIDED if interval.low <= high and interval.high >= low else FAILS


def verdict_on(*is_true: bool) -> str:
    """Return the verdict on a claim of several parts, each True or False."""
    return together(*(HOLDS if part else FAILS for part in is_true))


def negated(verdict: str) -> str:
    """Return the verdict on the opposite of a claim."""
    return {HOLDS: FAILS, FAILS: HOLDS}.get(verdict, verdict)


def together(*verdicts: str) -> str:
    """Return the verdict on a claim from those on its parts.

    The claim holds in part if one part holds and another does not.
    """
    if IN_PART in verdicts or {HOLDS, FAILS} <= set(verdicts):
        return IN_PART
    return next((each for each in (FAILS, UNDECIDED) if each in verdicts), HOLDS)


def weakest(*verdicts: str) -> str:
    """Return the verdict on a claim whose parts must all hold: the worst verdict on a part."""
    return max(verdicts, key=VERDICTS.index)


# --- claims --------------------------------------------------------------------------------------


class Finding(NamedTuple):
    """The result of a claim: a sentence with numbers, the verdict, and the deciding interval."""

    found: str
    verdict: str
    interval: Interval | None = None


def measured_value(evidence: Any, name: str) -> Interval:
    """Return a measured number of a study with its interval.

    ``name`` is its dotted name in the evidence, such as ``record.draws.mean``.
    """
    found = looked_up(evidence, name)
    return found if isinstance(found, Interval) else exactly(found)


@dataclass(frozen=True)
class Claim:
    """A sentence that can be tested, one ``[[claim]]`` of ``claims.toml``.

    Attributes:
        claim: the sentence, in our words.
        rule: when the claim holds, in words.
        measure: (evidence, arguments by name) -> an interval, several intervals by name, or the
            finding of a claim that no bound judges. ``claims.toml`` names a function of
            ``study.py``, or of another file of the study as ``facts.games``.
        section: where the source states it.
        key: its name in tables.
        found: template of the sentence with what was measured; its fields are the intervals by
            name, or by number from 0, and ``each``.
        each: template of an item of ``{each}``, with the fields ``name`` and ``value``.
        join: what stands between two items of ``{each}``.
        of: the arguments of the measure; several tables ask for one interval each.
        above, below, within: bounds of every interval.
        equals: exact values, one for each interval.
        of_curves: whether the claim is about curves, so that other curves can be judged, too.
    """

    claim: str
    rule: str
    measure: Callable[..., Any] = measured_value
    section: str = ""
    key: str = ""
    found: str = "{0}"
    each: str = ""
    join: str = "; "
    of: Sequence[Mapping[str, Any]] = ({},)
    above: float | None = None
    below: float | None = None
    within: Sequence[float] | None = None
    equals: Sequence[float] = ()
    of_curves: bool = True

    def judge(self, evidence: Any) -> Finding:
        """Measure what the claim is about, and return the finding: text, verdict and interval."""
        measured = [self.measure(evidence, **arguments) for arguments in self.of]
        for result in measured:
            if isinstance(result, Finding):
                return result
        by_name = isinstance(measured[0], Mapping)
        intervals = measured[0] if by_name else {str(n): each for n, each in enumerate(measured)}
        items = ({"name": name, "value": interval} for name, interval in intervals.items())
        each = self.join.join(filled(self.each, item) for item in items)
        is_one = len(intervals) == 1 and not by_name and not self.equals
        only = measured[0] if is_one else None
        verdict = self._verdict(list(intervals.values()))
        return Finding(filled(self.found, {**intervals, "each": each}), verdict, only)

    def _verdict(self, intervals: Sequence[Interval]) -> str:
        bounds = (above, self.above), (below, self.below), (within, self.within)
        verdicts = [
            judge(interval, *(bound if isinstance(bound, Sequence) else (bound,)))
            for judge, bound in bounds
            if bound is not None
            for interval in intervals
        ]
        if self.equals:
            pairs = zip(intervals, self.equals, strict=True)
            verdicts.append(verdict_on(*(interval.middle == value for interval, value in pairs)))
        return together(*verdicts)


def load_claims(package: str) -> list[Claim]:
    """Read the claims of a study from ``claims.toml`` in the folder of its package."""
    claims = []
    for table in read_toml(package, "claims.toml")["claim"]:
        if "measure" in table:
            module, _, name = table["measure"].rpartition(".")
            table["measure"] = resolve_name(f"{package}.{module or 'study'}:{name}")
        claims.append(Claim(**table))
    return claims


def read_toml(package: str, name: str) -> dict[str, Any]:
    """Return the content of a TOML file in the folder of a package."""
    return tomllib.loads((files(package) / name).read_text(encoding="utf-8"))


def judged(claims: Iterable[Claim], evidence: Any) -> list[dict[str, str]]:
    """Judge the claims of a study, and return a row for each.

    A row has the claim, its rule, the finding, the verdict and the section.
    """
    rows = []
    for claim in claims:
        finding = claim.judge(evidence)
        row = {"claim": claim.claim, "rule": claim.rule}
        row |= {"found": finding.found, "verdict": finding.verdict}
        rows.append({"section": claim.section, **row} if claim.section else row)
    return rows
