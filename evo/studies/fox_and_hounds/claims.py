"""The claims of Bakhshi and Budriunas (2012) that can be tested, and how each is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np

from evo.studies.fox_and_hounds.experiments import EXPLORATIONS, SHORT, SLOW
from evo.studies.fox_and_hounds.rivals import Rival
from evo.studies.fox_and_hounds.study import Course
from evo.studies.intervals import Interval, median_interval
from evo.studies.verdicts import FAILS, HOLDS, IN_PART, UNDECIDED, above, below, together, weakest

SUFFIXES = ("", SLOW, SHORT, SLOW + SHORT)
OF_FOXES = [f"3-{name}{suffix}" for name, suffix in product(EXPLORATIONS, SUFFIXES)]
TRAINED, OF_LEARNERS = (
    [f"{number}-{fox}-{hounds}" for fox, hounds in product(EXPLORATIONS, EXPLORATIONS)]
    for number in (4, 5)
)
# Cells, and the cell that each is compared with:
FASTER = {
    f"2-{name}{short}": f"2-{name}{SLOW}{short}" for name in EXPLORATIONS for short in ("", SHORT)
}
LONGER = {
    f"2-{name}{slow}": f"2-{name}{slow}{SHORT}" for name in EXPLORATIONS for slow in ("", SLOW)
}
HIGHER = {f"2-high{suffix}": f"2-low{suffix}" for suffix in SUFFIXES}
EASIER = {f"4-{fox}-high": f"4-{fox}-low" for fox in EXPLORATIONS}
MILLION = 1e6


@dataclass(frozen=True)
class Evidence:
    """Measurements by which claims are judged.

    Attributes:
        courses: by the name of the cell; of the source itself, its published curves.
        rivals: players that were evolved.
        random_wins: the share of games that a random fox wins against random hounds, exactly.
        positions: that can come up with the fox, and with the hounds, to move or at the end.
        numbered: positions that the paper numbers, of both players.
        lead: gain of the fox under best play.
    """

    courses: Mapping[str, Course]
    rivals: tuple[Rival, ...] = ()
    random_wins: float = 0.0
    positions: tuple[int, int] = (0, 0)
    numbered: int = 0
    lead: int = 0


class Measured(NamedTuple):
    """A measurement in words, and the verdict by it."""

    text: str
    verdict: str


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper.

    Attributes:
        section: of the paper.
        text: the claim in our words.
        rule: when the claim holds.
        judge: measure and judge.
        has_curves: whether the published curves can be measured in the same way.
    """

    section: str
    text: str
    rule: str
    judge: Callable[[Evidence], Measured]
    has_curves: bool


CLAIMS: list[Claim] = []


def stated(section: str, text: str, rule: str, has_curves: bool = True) -> Callable[..., None]:
    """Return a decorator that registers a function as the judge of a claim."""

    def add(judge: Callable[[Evidence], Measured]) -> None:
        CLAIMS.append(Claim(section, text, rule, judge, has_curves))

    return add


# --- in words ------------------------------------------------------------------------------------


def in_words(interval: Interval, form: str) -> str:
    """A number with the ends of its interval, or alone where they are the number itself."""
    middle, low, high = (f"{value:{form}}" for value in interval[:3])
    return middle if low == high else f"{middle} ({low} to {high})"


def _each(
    names: Iterable[str], measure: Callable[[str], np.ndarray], form: str, unit: float = 1.0
) -> tuple[str, list[Interval]]:
    """The text that lists a measure of several cells, and its intervals, in this unit."""
    found = {name: median_interval(measure(name) / unit) for name in names}
    text = "; ".join(f"`{name}` {in_words(each, form)}" for name, each in found.items())
    return text, list(found.values())


def _gaps(
    cells: Mapping[str, str], measure: Callable[[str], np.ndarray], form: str, unit: float
) -> tuple[str, list[Interval]]:
    """:func:`_each` of the differences between cells and those that they are compared with."""
    return _each(cells, lambda name: measure(name) - measure(cells[name]), form, unit)


def _until(evidence: Evidence, role: str, least: float, name: str) -> np.ndarray:
    """Turns until a share is won; of pairs that never win it, one phase more than there are."""
    course = evidence.courses[name]
    most = course.turns[-1] + course.turns[1] - course.turns[0]
    return np.minimum(course.turns_until(role, least), most)


def _late(evidence: Evidence, role: str, name: str) -> np.ndarray:
    return evidence.courses[name].late(role)


# --- claims --------------------------------------------------------------------------------------


@stated(
    "4.1",
    "Where both play at random the fox clearly has an advantage",
    "it wins more than six games in ten, exactly",
    has_curves=False,
)
def _random(evidence: Evidence) -> Measured:
    wins = evidence.random_wins
    return Measured(f"it wins {wins:.2%}", HOLDS if wins > 0.6 else FAILS)


@stated(
    "4.2",
    "A learning rate of 0.5 makes hounds learn fastest",
    "they win 90% against a random fox after fewer turns than with 0.3, in all four pairs of cells",
)
def _learning_rate(evidence: Evidence) -> Measured:
    until = partial(_until, evidence, "hounds", 0.9)
    text, sooner = _gaps(FASTER, until, "+z.1f", -MILLION)
    return Measured(f"million turns sooner: {text}", together(*map(above, sooner)))


@stated(
    "4.2",
    "A higher discount factor makes hounds steadier in the long run",
    "with 0.99 their wins have a smaller standard deviation over the last quarter of the phases "
    "than with 0.95, in all four pairs of cells",
)
def _discount(evidence: Evidence) -> Measured:
    def spread(name: str) -> np.ndarray:
        return evidence.courses[name].unsteadiness("hounds")

    text, less = _gaps(LONGER, spread, "+z.2f", -0.01)
    return Measured(f"points of standard deviation less: {text}", together(*map(above, less)))


@stated(
    "4.2",
    "With an exploration of 0.2 hounds reach very high scores some two million turns sooner than "
    "with 0.1",
    "99% at least a million turns sooner, in all four pairs of cells",
)
def _exploration(evidence: Evidence) -> Measured:
    text, sooner = _gaps(HIGHER, partial(_until, evidence, "hounds", 0.99), "+z.1f", -MILLION)
    return Measured(
        f"million turns sooner: {text}", together(*(above(each, 1.0) for each in sooner))
    )


@stated(
    "4.3",
    "Foxes soon learn almost never to lose against random hounds",
    "99% are won within two million turns, in all eight cells",
)
def _foxes(evidence: Evidence) -> Measured:
    text, until = _each(OF_FOXES, partial(_until, evidence, "fox", 0.99), ".1f", MILLION)
    return Measured(f"million turns: {text}", together(*(below(each, 2.0) for each in until)))


def _late_wins(evidence: Evidence, names: Iterable[str], role: str, least: float) -> Measured:
    text, late = _each(names, partial(_late, evidence, role), ".1%")
    return Measured(text, together(*(above(each, least) for each in late)))


@stated(
    "4.4",
    "Hounds trained before seldom lose against trained foxes",
    "they win more than 95% in the last quarter, in all four graphs",
)
def _trained_hounds(evidence: Evidence) -> Measured:
    return _late_wins(evidence, TRAINED, "hounds", 0.95)


@stated(
    "4.4",
    "Trained foxes often take advantage of the exploration of the hounds",
    "they win more than a third against hounds that explore, in all four graphs",
)
def _trained_foxes(evidence: Evidence) -> Measured:
    return _late_wins(evidence, TRAINED, "fox", 1 / 3)


@stated(
    "4.4",
    "Foxes do better where hounds explore more",
    "more is won against hounds of 0.2 than of 0.1, from the same foxes, for both kinds of fox",
)
def _more_exploration(evidence: Evidence) -> Measured:
    text, more = _gaps(EASIER, partial(_late, evidence, "fox"), "+z.1f", 0.01)
    return Measured(f"points more: {text}", together(*map(above, more)))


@stated(
    "4.5",
    "Hounds that begin untrained reliably learn to win, from very low to very high",
    "less than a quarter is won after the first phase, and more than 95% in the last quarter, in "
    "all four graphs",
)
def _untrained(evidence: Evidence) -> Measured:
    def first(name: str) -> np.ndarray:
        course = evidence.courses[name]
        return course.wins["hounds"][np.argmax(course.turns > 0)]

    firsts = [median_interval(first(name)) for name in OF_LEARNERS]
    text, verdict = _late_wins(evidence, OF_LEARNERS, "hounds", 0.95)
    most = max(interval.middle for interval in firsts)
    low = together(*(below(each, 0.25) for each in firsts))
    return Measured(f"at most {most:.1%} after the first phase; {text}", weakest(low, verdict))


@stated(
    "4.5",
    "Even a small exploration of the hounds lets the fox win most of the games",
    "it wins more than half in the last quarter against hounds that explore, in all four graphs",
)
def _small_exploration(evidence: Evidence) -> Measured:
    return _late_wins(evidence, OF_LEARNERS, "fox", 0.5)


@stated(
    "4.5",
    "There are more than 400 thousand states for one player",
    "more can come up in a game for either, ends counted as the source counts them",
    has_curves=False,
)
def _states(evidence: Evidence) -> Measured:
    fox, hounds = evidence.positions
    text = (
        f"{fox:,} of the fox and {hounds:,} of the hounds; {evidence.numbered // 2:,} are numbered"
    )
    return Measured(text, HOLDS if min(fox, hounds) > 400_000 else FAILS)


@stated(
    "4.5",
    "Having seen less than half of the states, hounds steadily win more than 99%",
    "fewer than half of the states numbered for one player are seen, ends counted, and more than "
    "99% is won in the last quarter, at either exploration",
)
def _visited(evidence: Evidence) -> Measured:
    names = ("5-low-low", "5-high-high")
    text, seen = _each(names, lambda name: evidence.courses[name].seen("hounds")[-1], ",.0f")
    wins, verdict = _late_wins(evidence, names, "hounds", 0.99)
    few = together(*(below(each, evidence.numbered / 4) for each in seen))
    return Measured(f"{text} seen; {wins}", weakest(few, verdict))


@stated(
    "5",
    "The hounds have a winning strategy, and it can be derived from the table of a trained player",
    "they win under best play, and so do all learned hounds of experiment 5 against any fox; in "
    "part: some do",
    has_curves=False,
)
def _strategy(evidence: Evidence) -> Measured:
    worths = {name: evidence.courses[name].worth for name in OF_LEARNERS}
    sure = {name: worth.sure for name, worth in worths.items() if worth}
    total = {name: len(worth.lost) for name, worth in worths.items() if worth}
    text = "; ".join(f"`{name}` {sure[name]} of {total[name]}" for name in sure)
    verdict = HOLDS if sure == total else IN_PART if any(sure.values()) else FAILS
    return Measured(
        f"hounds that win whatever the fox does: {text}", verdict if evidence.lead < 0 else FAILS
    )


@stated(
    "5",
    "Exploration that falls while a player does well improves learning (proposed, not tried there)",
    "the best fox takes less from hounds whose exploration adapts than from those of `5-low-low`",
    has_curves=False,
)
def _adaptive(evidence: Evidence) -> Measured:
    one, other = (evidence.courses[name].worth for name in ("5-low-low", "adaptive"))
    if one is None or other is None or not len(one.lost):
        return Measured("not computed (--exact 0)", UNDECIDED)
    less = median_interval(one.lost - other.lost)
    late = median_interval(_late(evidence, "hounds", "adaptive"))
    wins = f"they win {in_words(late, '.1%')} in the last quarter"
    return Measured(f"less by {in_words(less, '+z.3f')} points a game; {wins}", above(less))
