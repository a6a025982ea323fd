"""Diagnoses of a run, in words and numbers.

They use the measures of :mod:`tournaments.analysis.progress`.

Each diagnosis is a pure function. Its docstring states the rule. The thresholds are constants of
this module. A diagnosis reports if there are too few champions for its rule.

Sources of the terms: T. Miconi, Why coevolution doesn't "work" (EuroGP 2009) for local, historical
and global progress; R. Watson and J. Pollack, Coevolutionary dynamics in a minimal substrate (GECCO
2001) for cycling, forgetting, focusing and disengagement; J. Cartlidge and S. Bullock, Combating
coevolutionary disengagement by reducing parasite virulence (Evolutionary Computation 12, 2004).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tournaments.analysis import progress
from tournaments.analysis.progress import Course, Estimate
from tournaments.errors import counted

FEWEST = 2 * progress.SMALLEST_BLOCK
"""Number of champions below which a trend cannot be distinguished from chance."""
CYCLIC = 0.05
"""Share of cyclic triples at which a run is cycling: a fifth of the share for random results."""
FORGOTTEN = 0.1
"""Share of once beaten ancestors that win again at which a run is forgetting."""
FALLEN = 0.05
"""Smallest fall of a score that counts, if it is also beyond chance."""

TOO_FEW = "too few champions"


@dataclass(frozen=True)
class Diagnosis:
    """A finding about a run.

    Attributes:
        about: the topic, such as ``cycling``.
        verdict: the verdict in one or a few words.
        text: a sentence with the numbers.
        numbers: the same numbers, by name.
        population: the population concerned; empty: the whole run.
    """

    about: str
    verdict: str
    text: str
    numbers: Mapping[str, Any] = field(default_factory=dict)
    population: str = ""


@dataclass(frozen=True, eq=False)
class MasterTournament:
    """Results of games between the champions of all generations of a run.

    Attributes:
        generations: int64 ``[G]``, in ascending order.
        scores: float64 ``[G, G]``, see :mod:`tournaments.analysis.progress`.
        games: number of games of each pair.
    """

    generations: np.ndarray
    scores: np.ndarray
    games: int

    @cached_property
    def beats(self) -> np.ndarray:
        """Pairs of champions that one has won beyond chance, int8 ``[G, G]``.

        See :func:`tournaments.analysis.progress.decided`.
        """
        return progress.decided(self.scores, self.games)


@dataclass(frozen=True, eq=False)
class Series:
    """The scores of the champions of a population against a fixed opponent.

    Attributes:
        kind: ``run`` (the master tournament), ``held-out`` (never met by evolution), ``training``
            (met in each generation) or ``perfect``.
        opponent: name of the opponent.
        scores: float64 ``[G]``.
        games: number of games per score.
        population: the population of the champions.
        by_seat: the scores in each seat, by its name, float64 ``[G]``; NaN in a seat never held.
    """

    kind: str
    opponent: str
    scores: np.ndarray
    games: int
    population: str = ""
    by_seat: Mapping[str, np.ndarray] = field(default_factory=dict)


# --- champions against each other --------------------------------------------------------------


def progressing(tournament: MasterTournament) -> Diagnosis:
    """Diagnose whether newer champions beat older champions, in the run and in its later half.

    *progressing*: the score of later against earlier champions is above one half, with its whole
    interval, over the run and over its later half. *stagnating*: over the run, but no longer in the
    later half. *regressing*: below one half in the later half, with its whole interval. *no
    progress*: none of these. The intervals are those of
    :func:`tournaments.analysis.progress.later_against_earlier`. This is historical progress:
    against the run's own past.
    """
    size = len(tournament.scores)
    if size < FEWEST:
        return _too_few("progress", size)
    half = size // 2
    whole = progress.later_against_earlier(tournament.scores, tournament.games)
    late = progress.later_against_earlier(tournament.scores[half:, half:], tournament.games)
    if late.high < 0.5:
        verdict = "regressing"
    elif whole.low > 0.5:
        verdict = "progressing" if late.low > 0.5 else "stagnating"
    else:
        verdict = "no progress"
    since = int(tournament.generations[half])
    return Diagnosis(
        "progress",
        verdict,
        f"later champions score {_share(whole)} against earlier ones; "
        f"{_share(late)} among those from generation {since} on",
        {**_numbers("score", whole), **_numbers("late_score", late), "late_from": since},
    )


def dominance(tournament: MasterTournament) -> Diagnosis:
    """Diagnose how far progress accumulated: count the levels of the dominance tournament.

    A champion is dominant if it beats every earlier dominant champion beyond chance. Many levels
    mean that progress accumulated. The verdict is the number of levels. The diagnosis also reports
    the share of its ancestors that the newest champion beats.
    """
    beats = tournament.beats
    levels = tournament.generations[progress.dominant(beats)]
    count = len(levels)
    shown = ", ".join(map(str, levels)) if count <= 12 else f"{levels[0]}, ... {levels[-1]}"
    share = float(progress.past_beaten(beats)[-1]) if len(beats) > 1 else None
    beaten = "" if share is None else f"; the newest champion beats {share:.0%} of its ancestors"
    return Diagnosis(
        "dominance",
        counted(count, "level"),
        f"dominant: the champions of generation{'s' * (count != 1)} {shown}{beaten}",
        {"levels": count, "dominant": levels.tolist(), "ancestors_beaten": share},
    )


def cycling(tournament: MasterTournament) -> Diagnosis:
    """Diagnose whether champions beat each other in cycles.

    The measure is the share of cyclic triples among the triples in which every pair is decided
    beyond chance. A run with a share of 5% or more is *cycling*, with a smaller share *hardly
    cycling*, and without cyclic triples *not cycling*. Undecided pairs do not count, so equally
    strong champions make no cycles by chance.
    """
    if len(tournament.scores) < 3:
        return _too_few("cycling", len(tournament.scores), 3)
    triples = progress.cycles(tournament.beats)
    numbers = {
        "decided_triples": triples.decided,
        "cyclic_triples": triples.cyclic,
        "returning_triples": triples.returning,
        "cyclic_share": triples.share,
    }
    if not triples.decided:
        text = "no three champions have all their games decided beyond chance"
        return Diagnosis("cycling", "not cycling", text, numbers)
    verdict = "cycling" if triples.share >= CYCLIC else "hardly cycling"
    text = (
        f"{triples.cyclic:,} of {triples.decided:,} decided triples are cyclic "
        f"({triples.share:.1%}; coins would make {progress.COIN_TOSSES:.0%}); in "
        f"{triples.returning:,} each beats the one before it and loses to the oldest"
    )
    return Diagnosis("cycling", verdict if triples.cyclic else "not cycling", text, numbers)


def forgetting(tournament: MasterTournament, series: Sequence[Series]) -> Diagnosis:
    """Diagnose whether the newest champions have lost abilities of earlier champions.

    * *forgetting*: 10% or more of the once beaten ancestors beat the newest champions beyond chance
      (mean over the last block). Or the score against any opponent fell by five points or more from
      its best block to the last, beyond its interval. The interval holds for all opponents and
      blocks together (Bonferroni).
    * *hardly forgetting*: some once beaten ancestors win again, but fewer.
    * *not forgetting*: no once beaten ancestor wins again.

    Args:
        tournament: the games between champions.
        series: the champions' scores against fixed opponents, and in the master tournament.
    """
    blocks = progress.blocks(len(tournament.scores))
    if not blocks:
        return _too_few("forgetting", len(tournament.scores))
    share, known = progress.lost_again(tournament.beats, blocks[-1].start)
    fallen = [(of, fall) for of in series if (fall := _fall(of, len(series))) is not None]
    text = f"{share:.1%} of {known} once beaten ancestors beat the newest champions"
    for of, fall in fallen:
        peak = tournament.generations[blocks[Course(of.scores, of.games).peak].start]
        text += f"; {_whom(of)} {_points(fall)} since about generation {peak}"
    verdict = "hardly forgetting" if share else "not forgetting"
    verdict = "forgetting" if fallen or share >= FORGOTTEN else verdict
    numbers = {"lost_again": share, "once_beaten": known, "scores_fallen": len(fallen)}
    return Diagnosis("forgetting", verdict, text, numbers)


def _fall(series: Series, of: int) -> Estimate | None:
    """Return the fall of champions' scores from their best block to the last, if beyond chance.

    The result is None if the score did not fall. ``of`` is the number of series that are tested.
    """
    course = Course(series.scores, series.games)
    fall = course.change(course.peak, -1, of * len(course.blocks))
    return fall if fall.high < 0 and fall.value <= -FALLEN else None


def seats(
    points: np.ndarray, games: int, names: Sequence[str], generations: np.ndarray, about: str
) -> Diagnosis:
    """Diagnose whether one seat of the game, or one role, is ahead in games between champions.

    *FIRST ahead* or *SECOND ahead*, with the names of the seats: the first seat's share of the
    points over all games of champions is above or below one half, with its whole interval. *even*
    otherwise.

    Args:
        points: the points of the first seat, see :func:`tournaments.analysis.progress.first_seat`.
        games: number of games of each pair.
        names: names of the seats.
        generations: generations of the champions, int64 ``[G]``.
        about: ``seats``, or ``roles`` if each role has a population.
    """
    size = len(points)
    if np.isnan(points).all():
        return _too_few(about, size, 2)
    whole, half = progress.first_seat(points, games), size // 2
    verdict = "even"
    if not whole.low <= 0.5 <= whole.high:
        verdict = f"{names[whole.value < 0.5]} ahead"
    text = f"{names[0]} scores {_share(whole)} against {names[1]} among champions"
    numbers = {"first": names[0], **_numbers("share", whole)}
    if size >= FEWEST:
        late, since = progress.first_seat(points[half:, half:], games), int(generations[half])
        text += f"; {_share(late)} among those from generation {since} on"
        numbers |= {**_numbers("late_share", late), "late_from": since}
    return Diagnosis(about, verdict, text, numbers)


# --- against fixed opponents -------------------------------------------------------------------


def generalising(run: Series, held_out: Sequence[Series]) -> Diagnosis:
    """Diagnose whether progress generalises to opponents that evolution never met.

    The scores of the last block of champions are compared with those of the first block, in the
    run's master tournament and against held-out opponents (the mean over them). Changes count if
    they are beyond their intervals.

    * *global progress*: both scores rose.
    * *historical progress only*: only the score in the run rose.
    * *specialising*: the score in the run rose and the score against held-out opponents fell, since
      the start or since its best block.
    * *unseen progress*: only the score against held-out opponents rose.
    * *regress*: the score against held-out opponents fell.
    * *no progress*: none of these.

    Args:
        run: the master tournament of a population's champions.
        held_out: the champions' scores against opponents that evolution never met, one or more.
    """
    if len(run.scores) < FEWEST:
        return _too_few("generalisation", len(run.scores), population=run.population)
    own = Course(run.scores, run.games)
    mean = sum(series.scores for series in held_out) / len(held_out)
    others = Course(np.asarray(mean), sum(series.games for series in held_out))
    ours, theirs = own.change(), others.change()
    peak = others.peak
    lately, fall = own.change(peak), others.change(peak, -1, len(others.blocks))
    focuses = (ours.low > 0 > theirs.high) or (lately.low > 0 > fall.high)
    if focuses:
        verdict = "specialising"
    elif theirs.low > 0:
        verdict = "global progress" if ours.low > 0 else "unseen progress"
    elif ours.low > 0:
        verdict = "historical progress only"
    else:
        verdict = "regress" if theirs.high < 0 else "no progress"
    text = (
        f"{_course(own)} in the run's master tournament ({_points(ours)}); {_course(others)} "
        f"against {counted(len(held_out), 'held-out opponent')} ({_points(theirs)})"
    )
    numbers = {**_numbers("run_change", ours), **_numbers("held_out_change", theirs)}
    return Diagnosis("generalisation", verdict, text, numbers, run.population)


def yardstick(series: Series) -> Diagnosis:
    """Describe the champions' scores against one opponent: the first block, the best and the last.

    *better* or *worse*: the last block differs from the first beyond the interval. *no change*
    otherwise. With few champions, only the newest champion's score is reported.
    """
    newest = float(series.scores[-1])
    about = f"against {series.opponent}"
    if len(series.scores) < FEWEST:
        said, shares = _in_seats(series, slice(-1, None))
        text = f"the newest champion scores {newest:.1%} ({series.kind}){said}"
        return Diagnosis(about, TOO_FEW, text, {"newest": newest, **shares}, series.population)
    course = Course(series.scores, series.games)
    change, means = course.change(), course.means
    verdict = "better" if change.low > 0 else "worse" if change.high < 0 else "no change"
    said, shares = _in_seats(series, course.blocks[-1], "of late ")
    text = f"{_course(course)}, at best {means.max():.1%} ({series.kind}; {_points(change)}){said}"
    first, best, last = map(float, (means[0], means.max(), means[-1]))
    numbers = {"first": first, "best": best, "last": last, "newest": newest}
    numbers |= _numbers("change", change) | shares
    return Diagnosis(about, verdict, text, numbers, series.population)


def _in_seats(series: Series, late: slice, when: str = "") -> tuple[str, dict[str, float]]:
    """Describe the champions' latest scores in each seat, in words and by name.

    Both are empty for a role, which holds one seat. ``late`` selects the latest champions, ``when``
    is a text before the words.
    """
    shares = {name: float(scores[late].mean()) for name, scores in series.by_seat.items()}
    if not shares or any(map(np.isnan, shares.values())):
        return "", {}
    said = ", ".join(f"{share:.1%} as {name}" for name, share in shares.items())
    return f"; {when}{said}", {f"last_as_{name}": share for name, share in shares.items()}


def computed(
    about: str, unit: str, generations: np.ndarray, values: np.ndarray, population: str = ""
) -> Diagnosis:
    """Describe the computed distance of champions from perfect play. It is exact.

    *better* or *worse*: the newest computed champion is nearer to perfect play than the first, or
    farther. *no change* otherwise. *computed* if there is only one value.

    Args:
        about: the topic, such as ``exploitability``.
        unit: the unit of the values, such as "points a game that a best response gains".
        generations: generations of the champions, in ascending order.
        values: float64; 0 is perfect play.
        population: name of the population.
    """
    first, last, least = float(values[0]), float(values[-1]), float(values.min())
    text = f"{last:.4g} {unit} (the champion of generation {generations[-1]})"
    verdict = "computed"
    if len(values) > 1:
        verdict = "better" if last < first else "worse" if last > first else "no change"
        where = int(generations[int(values.argmin())])
        text += f"; {first:.4g} in generation {generations[0]}; at best {least:.4g}, in {where}"
    numbers = {"first": first, "last": last, "best": least}
    return Diagnosis(about, verdict, text, numbers, population)


# --- words -------------------------------------------------------------------------------------


def _too_few(about: str, there: int, needed: int = FEWEST, population: str = "") -> Diagnosis:
    text = f"{counted(there, 'champion')}; {needed} or more are needed to tell"
    return Diagnosis(about, TOO_FEW, text, {"champions": there}, population)


def _share(estimate: Estimate) -> str:
    return f"{estimate.value:.1%} ({estimate.low:.1%} to {estimate.high:.1%})"


def _points(change: Estimate) -> str:
    low, high = 100 * change.low, 100 * change.high
    return f"{100 * change.value:+.1f} points, {low:+.1f} to {high:+.1f}"


def _course(course: Course) -> str:
    means = course.means
    return f"{means[0]:.1%} at first, {means[-1]:.1%} of late"


def _whom(series: Series) -> str:
    who = f"{series.population}: " if series.population else ""
    return f"{who}in the run" if series.kind == "run" else f"{who}against {series.opponent}"


def _numbers(name: str, estimate: Estimate) -> dict[str, float]:
    return {
        name: estimate.value,
        f"{name}_low": estimate.low,
        f"{name}_high": estimate.high,
    }
