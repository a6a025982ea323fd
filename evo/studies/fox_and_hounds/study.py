"""The study of fox and hounds: its measurements, its claims, and the rows of its tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evo.studies.claims import (
    FAILS,
    HOLDS,
    IN_PART,
    UNDECIDED,
    VERDICTS,
    Finding,
    above,
    below,
    judged,
    load_claims,
    together,
    verdict_on,
    weakest,
)
from evo.studies.fox_and_hounds.courses import (
    GameYardstick,
    HoundsWorth,
    LearningCourse,
    published_courses,
    run_cells,
)
from evo.studies.fox_and_hounds.experiments import LONG, ROLES, FoxAndHoundsSettings
from evo.studies.fox_and_hounds.rivals import RIVALS, run_rivals
from evo.studies.intervals import Interval, median_interval
from evo.studies.report import Evidence, StudyReport
from evo.studies.settings import Announce
from tournaments.games.fox_and_hounds.board import COLS, SQUARES, num_placements

QUARTILES = (0.25, 0.5, 0.75)


def measure(settings: FoxAndHoundsSettings, announce: Announce) -> Evidence:
    """Run the experiments with fox and hounds and the rival methods, and judge the claims.

    The claims are judged by the published curves, too.
    """
    announce("solving the game")
    yardstick = GameYardstick(settings.game)
    courses = {each.cell.name: each for each in run_cells(settings, yardstick, announce)}
    rivals = run_rivals(settings, yardstick, announce)
    published = published_courses()
    worths = {
        f"q-learning, {name}": (course.turns[-1:], course.worth)
        for name, course in courses.items()
        if course.worth is not None and len(course.worth.lost)
    }
    worths |= {name: (turns, worth) for name, turns, worth in rivals}
    board = settings.game.board.tolist()
    record = {
        "courses": [course_row(each, published) for each in courses.values()],
        "seen": list(_seen_rows(courses, published)),
        "exact": [_worth_row(name, turns, worth) for name, (turns, worth) in worths.items()],
        "random_fox_wins": yardstick.random_wins(),
        "positions": list(yardstick.positions),
        "numbered": num_placements(board[SQUARES], board[COLS]) + 1,
        "lead": yardstick.lead,
        "ends": yardstick.ends.number,
    }
    evidence = Evidence(record, courses, tables={"curves": _curves(courses.values())})
    source = replace(evidence, values=published)
    claims = load_claims(__package__)
    rows = [
        {
            **row,
            "published curves": claim.judge(source).found if claim.of_curves else "",
        }
        for row, claim in zip(judged(claims, evidence), claims, strict=True)
    ]
    return replace(evidence, record={"claims": rows, **record})


# --- rows ----------------------------------------------------------------------------------------


def course_row(course: LearningCourse, published: Mapping[str, LearningCourse]) -> dict[str, Any]:
    """Return a row on a learning course: medians over the pairs, beside the published figures.

    The row has quartiles of wins in the last quarter, too.
    """
    late = {role: course.late(role) for role in ROLES}
    theirs = _medians(published.get(course.cell.name))
    return {
        "cell": course.cell.name,
        "in_words": course.cell.in_words,
        "experiment": course.cell.experiment,
        "turns": int(course.turns[-1]),
        **_medians(course),
        **{f"{name}_published": value for name, value in theirs.items()},
        **{f"{role}_quartiles": np.quantile(late[role], QUARTILES).tolist() for role in ROLES},
        **{f"visited_{role}": float(np.median(course.visited[role][-1])) for role in ROLES},
        "turns_a_game": float(np.median(course.turns[-1] / np.maximum(course.games, 1))),
    }


def _medians(course: LearningCourse | None) -> dict[str, float | None]:
    """Return a course's late wins of each role, and the turns until 90% and 99% are won.

    The values are medians over the pairs; None if there is no course.
    """
    if course is None:
        return dict.fromkeys((*ROLES, "until_90", "until_99"))
    late = {role: float(np.median(course.late(role))) for role in ROLES}
    return {**late, **{f"until_{share}": _until(course, share / 100) for share in (90, 99)}}


def _until(course: LearningCourse, share: float) -> float | None:
    """Return the median of turns until hounds, or the fox if only it learns, win a share of games.

    None means that the share is never won, or that no role learns.
    """
    learning = [role for role in reversed(ROLES) if any(getattr(course.cell, role))]
    if not learning:
        return None
    turns = np.median(course.turns_until(learning[0], share))
    return float(turns) if np.isfinite(turns) else None


def _seen_rows(
    courses: Mapping[str, LearningCourse], published: Mapping[str, LearningCourse]
) -> Iterator[dict[str, Any]]:
    """Yield rows on the positions that pairs have seen after part of the turns, and after all.

    ``published`` are the published courses.
    """
    for name, course in courses.items():
        others = int(np.abs(course.turns - course.turns[-1] / LONG).argmin())
        for place in (others, len(course.turns) - 1):
            if course.cell.experiment == 5 and not np.isnan(course.ends[place]).any():
                turns = int(course.turns[place])
                row: dict[str, Any] = {"cell": name, "turns": turns}
                source = published[name]
                nearest = int(np.abs(source.turns - turns).argmin())
                for role in ROLES:
                    seen = course.seen(role)[place]
                    row |= {role: float(np.median(seen)), f"{role}_ends": _ends_of(seen)}
                    row[f"{role}_published"] = float(source.seen(role)[nearest, 0])
                yield row


def _ends_of(values: np.ndarray) -> list[float]:
    return [float(values.min()), float(values.max())]


def _worth_row(name: str, turns: np.ndarray, worth: HoundsWorth) -> dict[str, Any]:
    """Return a row on the exact worth of foxes and hounds: medians, minima and maxima."""
    values = worth._asdict()
    return {
        "player": name,
        "seeds": len(worth.lost),
        "turns": float(np.median(turns)),
        **{column: float(np.median(each)) for column, each in values.items()},
        **{f"{column}_ends": _ends_of(each) for column, each in values.items()},
        "sure": worth.sure,
    }


def _curves(courses: Any) -> dict[str, Any]:
    """Return the learning curves as a table: medians and quartiles of wins and positions seen."""
    columns: dict[str, list[Any]] = {"cell": [], "turns": []}
    for course in courses:
        columns["cell"] += [course.cell.name] * len(course.turns)
        columns["turns"] += course.turns.tolist()
        for what in ("wins", "visited"):
            for role in ROLES:
                for name, share in zip(("low", "median", "high"), QUARTILES, strict=True):
                    values = np.quantile(getattr(course, what)[role], share, axis=1)
                    columns.setdefault(f"{what}_{role}_{name}", []).extend(values.tolist())
    return columns


def texts(evidence: Evidence) -> dict[str, Any]:
    """Return texts for the page: courses by experiment, counts of verdicts, rivals' settings."""
    record = evidence.record
    verdicts = Counter(claim["verdict"] for claim in record["claims"])
    experiments: dict[str, list[Any]] = {str(number): [] for number in range(6)}
    for row in record["courses"]:
        million = {
            name.replace("until", "million"): value and value / 1e6
            for name, value in row.items()
            if name.startswith("until")
        }
        experiments[str(row["experiment"])].append({**row, **million})
    counts = ", ".join(f"{verdicts[verdict]} *{verdict}*" for verdict in VERDICTS)
    return {
        "experiments": experiments,
        "counts": {"claims": len(record["claims"]), "verdicts": counts},
        "rivals": [
            {"name": name, "configuration": dict(config)} for name, config in RIVALS.items()
        ],
    }


# --- claims --------------------------------------------------------------------------------------


def _each(
    evidence: Evidence, cells: Sequence[str], values: Callable[[LearningCourse], np.ndarray]
) -> dict[str, Interval]:
    """Return the median over pairs of a value of each cell's course, with its interval.

    ``values`` returns the value of each pair of a course.
    """
    return {name: median_interval(values(evidence.values[name])) for name in cells}


def _differences(
    evidence: Evidence, than: Mapping[str, str], values: Callable[[LearningCourse], np.ndarray]
) -> dict[str, Interval]:
    """Return the median difference between cells of the experiments, with its interval.

    Args:
        evidence: the courses of all cells.
        than: the cell that each cell is compared with.
        values: a function that returns the values of a course that are compared.

    Returns:
        Intervals by the name of the first cell.
    """
    courses = evidence.values
    return {
        name: median_interval(values(courses[name]) - values(courses[other]))
        for name, other in than.items()
    }


def _until_at_most(course: LearningCourse, role: str, share: float) -> np.ndarray:
    """Return the million turns until a role wins a share of each pair's games.

    For pairs that never win it, the number is one phase more than they have run.
    """
    most = course.turns[-1] + course.turns[1] - course.turns[0]
    return np.minimum(course.turns_until(role, share), most) / 1e6


def _cells_of(evidence: Evidence, experiment: int) -> list[str]:
    return [
        name for name, course in evidence.values.items() if course.cell.experiment == experiment
    ]


def late_wins(evidence: Evidence, role: str, experiment: int) -> dict[str, Interval]:
    """Return the share of games that a role wins in the last quarter of an experiment, by cell."""
    return _each(evidence, _cells_of(evidence, experiment), lambda course: course.late(role))


def million_turns(evidence: Evidence, cells: Sequence[str], share: float) -> dict[str, Interval]:
    """Return the million turns until the fox wins a share of its games, by cell."""
    return _each(evidence, cells, lambda course: _until_at_most(course, "fox", share))


def sooner(evidence: Evidence, than: Mapping[str, str], share: float) -> dict[str, Interval]:
    """Return by how many million turns the hounds of a cell win a share before those of another.

    ``than`` is the cell that each cell is compared with.
    """
    return _differences(evidence, than, lambda course: -_until_at_most(course, "hounds", share))


def steadier(evidence: Evidence, than: Mapping[str, str]) -> dict[str, Interval]:
    """Return by how many points the hounds' wins vary less than those of another cell.

    ``than`` is the cell that each cell is compared with. The values are standard deviations.
    """
    return _differences(evidence, than, lambda course: course.unsteadiness("hounds") / -0.01)


def more_wins(evidence: Evidence, than: Mapping[str, str]) -> dict[str, Interval]:
    """Return the lead of each cell's fox over the fox of another cell, in percentage points.

    The lead is the difference of the shares won in the last quarter. ``than`` is the cell that each
    cell is compared with.
    """
    return _differences(evidence, than, lambda course: course.late("fox") / 0.01)


def _in_words(intervals: Mapping[str, Interval], form: str) -> str:
    return "; ".join(f"`{name}` {each:{form}}" for name, each in intervals.items())


def untrained(evidence: Evidence) -> Finding:
    """Judge whether hounds of experiment 5 win little at first and nearly all in the end."""

    def first(course: LearningCourse) -> np.ndarray:
        return course.wins["hounds"][np.argmax(course.turns > 0)]

    firsts = _each(evidence, _cells_of(evidence, 5), first).values()
    late = late_wins(evidence, "hounds", 5)
    verdicts = (
        together(*(below(each, 0.25) for each in firsts)),
        together(*(above(each, 0.95) for each in late.values())),
    )
    most = max(interval.middle for interval in firsts)
    found = f"at most {most:.1%} after the first phase; {_in_words(late, '.1%')}"
    return Finding(found, weakest(*verdicts))


def states(evidence: Evidence) -> Finding:
    """Judge the published number of positions of fox and hounds that can occur."""
    fox, hounds = evidence.record["positions"]
    numbered = evidence.record["numbered"] // 2
    found = f"{fox:,} of the fox and {hounds:,} of the hounds; {numbered:,} are numbered"
    return Finding(found, verdict_on(min(fox, hounds) > 400_000))


def seen_states(evidence: Evidence) -> Finding:
    """Judge whether hounds that have seen few positions win nearly all of their games."""
    names = ("5-low-low", "5-high-high")
    seen = _each(evidence, names, lambda course: course.seen("hounds")[-1])
    wins = _each(evidence, names, lambda course: course.late("hounds"))
    verdicts = (
        together(*(below(each, evidence.record["numbered"] / 4) for each in seen.values())),
        together(*(above(each, 0.99) for each in wins.values())),
    )
    found = f"{_in_words(seen, ',.0f')} seen; {_in_words(wins, '.1%')}"
    return Finding(found, weakest(*verdicts))


def winning_strategy(evidence: Evidence) -> Finding:
    """Judge whether learned hounds win against every fox."""
    worths = {name: evidence.values[name].worth for name in _cells_of(evidence, 5)}
    pairs = {name: (worth.sure, len(worth.lost)) for name, worth in worths.items() if worth}
    text = "; ".join(f"`{name}` {sure} of {total}" for name, (sure, total) in pairs.items())
    some = any(sure for sure, _ in pairs.values())
    verdict = HOLDS if all(sure == total for sure, total in pairs.values()) else IN_PART
    if evidence.record["lead"] >= 0 or not (some or verdict == HOLDS):
        verdict = FAILS
    return Finding(f"hounds that win against every fox: {text}", verdict)


def adaptive_exploration(evidence: Evidence) -> Finding:
    """Judge whether the best fox wins less against hounds whose exploration adapts."""
    one, other = (evidence.values[name].worth for name in ("5-low-low", "adaptive"))
    if one is None or other is None or not len(one.lost):
        return Finding("not computed (--exact 0)", UNDECIDED)
    less = median_interval(one.lost - other.lost)
    late = median_interval(evidence.values["adaptive"].late("hounds"))
    wins = f"they win {late:.1%} in the last quarter"
    return Finding(f"less by {less:+z.3f} points a game; {wins}", above(less))


REPORT = StudyReport(__package__, FoxAndHoundsSettings, measure, texts, figures="figures")
