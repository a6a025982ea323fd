"""What ``evo reproduce fox-and-hounds`` prints, keeps and draws, and the page that it writes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evo.studies.fox_and_hounds.claims import CLAIMS, Evidence
from evo.studies.fox_and_hounds.experiments import LONG
from evo.studies.fox_and_hounds.page import page
from evo.studies.fox_and_hounds.rivals import run_rivals
from evo.studies.fox_and_hounds.study import (
    ROLES,
    Cells,
    Course,
    Settings,
    Worth,
    Yardstick,
    published_courses,
    validated,
)
from evo.studies.page import Announce, last_lines, text_table
from evo.studies.reproduction import Reproduction
from results.folder.files import atomic_write, make_folder
from tournaments.games.fox_and_hounds.board import COLS, SQUARES, num_placements
from tournaments.options import as_options

__all__ = ["Settings", "reproduce"]

QUARTILES = (0.25, 0.5, 0.75)
COURSE_COLUMNS = {
    "cell": "",
    "turns": ",d",
    "fox": ".1%",
    "hounds": ".1%",
    "fox_published": ".1%",
    "hounds_published": ".1%",
    "until_90": ",.0f",
    "until_99": ",.0f",
    "visited_fox": ",.0f",
    "visited_hounds": ",.0f",
}
WORTH_COLUMNS = {
    "player": "",
    "seeds": "d",
    "turns": ",.0f",
    "fox": ".1%",
    "hounds": ".1%",
    "lost": ".3f",
    "sure": "d",
}


def reproduce(settings: Settings, announce: Announce) -> Reproduction:
    """Run the experiments and the rivals, judge the claims, and write the page if asked for.

    Raises:
        ConfigError, TournamentError: a setting that cannot be.
    """
    settings = validated(settings)
    begun = time.perf_counter()
    announce("solving the game")
    yardstick, board = Yardstick(settings.game), settings.game.board.tolist()
    courses = {each.cell.name: each for each in Cells(settings, yardstick, announce).courses()}
    rivals = tuple(run_rivals(settings, yardstick, announce))
    evidence = Evidence(
        courses,
        rivals,
        yardstick.random_wins(),
        yardstick.positions,
        num_placements(board[SQUARES], board[COLS]) + 1,
        yardstick.lead,
    )
    record = {
        **_record(evidence, published_courses()),
        "ends": yardstick.ends.number,
        "seconds": time.perf_counter() - begun,
        "settings": as_options(settings),
    }
    draw = partial(_draw, tuple(courses.values()))
    if settings.page:
        file = Path(settings.page)
        pictures = draw(file.parent / "figures")
        make_folder(file.parent)
        atomic_write(file, page(record, [f"figures/{each.name}" for each in pictures]).encode())
    return Reproduction(
        record, tuple(_lines(record)), tables={"curves": _curves(courses.values())}, draw=draw
    )


def _record(evidence: Evidence, published: Mapping[str, Course]) -> dict[str, Any]:
    source = Evidence(published, numbered=evidence.numbered)
    return {
        "claims": list(_judged(evidence, source)),
        "courses": [_course_record(each, published) for each in evidence.courses.values()],
        "seen": list(_seen_records(evidence.courses, published)),
        "exact": list(_exact_records(evidence)),
        "random_fox_wins": evidence.random_wins,
        "positions": list(evidence.positions),
        "numbered": evidence.numbered,
        "lead": evidence.lead,
    }


def _judged(evidence: Evidence, source: Evidence) -> Iterator[dict[str, str]]:
    for claim in CLAIMS:
        measured = claim.judge(evidence)
        yield {
            "section": claim.section,
            "claim": claim.text,
            "rule": claim.rule,
            "found": measured.text,
            "verdict": measured.verdict,
            "published curves": claim.judge(source).text if claim.has_curves else "",
        }


def _course_record(course: Course, published: Mapping[str, Course]) -> dict[str, Any]:
    """Medians over the pairs, quartiles of the wins in the last quarter, and published figures."""
    late = {role: course.late(role) for role in ROLES}
    return {
        "cell": course.cell.name,
        "in_words": course.cell.in_words,
        "experiment": course.cell.experiment,
        "turns": int(course.turns[-1]),
        **_medians(course),
        **{
            f"{name}_published": value
            for name, value in _medians(published.get(course.cell.name)).items()
        },
        **{f"{role}_quartiles": np.quantile(late[role], QUARTILES).tolist() for role in ROLES},
        **{f"visited_{role}": float(np.median(course.visited[role][-1])) for role in ROLES},
        "turns_a_game": float(np.median(course.turns[-1] / np.maximum(course.games, 1))),
    }


def _medians(course: Course | None) -> dict[str, float | None]:
    """Late wins of each role, and turns until 90% and 99%; None: of a cell without a course."""
    if course is None:
        return dict.fromkeys((*ROLES, "until_90", "until_99"))
    late = {role: float(np.median(course.late(role))) for role in ROLES}
    return {**late, **{f"until_{share}": _until(course, share / 100) for share in (90, 99)}}


def _seen_records(
    courses: Mapping[str, Course], published: Mapping[str, Course]
) -> Iterator[dict[str, Any]]:
    """Positions seen as the source counts them: after the turns of other experiments, and all."""
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


def _until(course: Course, share: float) -> float | None:
    """Turns until a share is won by the hounds, if they learn, else by a fox that does; None:
    never, or nobody learns."""
    learning = [role for role in reversed(ROLES) if any(getattr(course.cell, role))]
    if not learning:
        return None
    turns = np.median(course.turns_until(learning[0], share))
    return float(turns) if np.isfinite(turns) else None


def _exact_records(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """Rows of what players are worth exactly: pairs that learned, and rivals."""
    for course in evidence.courses.values():
        if course.worth is not None and len(course.worth.lost):
            yield _worth_record(f"q-learning, {course.cell.name}", course.turns[-1:], course.worth)
    for rival in evidence.rivals:
        yield _worth_record(rival.name, rival.turns, rival.worth)


def _worth_record(name: str, turns: np.ndarray, worth: Worth) -> dict[str, Any]:
    return {
        "player": name,
        "seeds": len(worth.lost),
        "turns": float(np.median(turns)),
        **{field: float(np.median(values)) for field, values in worth._asdict().items()},
        **{f"{field}_ends": _ends_of(values) for field, values in worth._asdict().items()},
        "sure": worth.sure,
    }


def _curves(courses: Any) -> dict[str, Any]:
    """Columns: cell, turns, and for each role medians and quartiles of wins and positions seen."""
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


def _draw(courses: tuple[Course, ...], folder: Path) -> list[Path]:
    from evo.studies.fox_and_hounds.plot import plot_courses

    published = published_courses()
    paths = []
    for number in (1, 2, 3, 4, 5, 0):
        some = [course for course in courses if course.cell.experiment == number]
        name = f"experiment-{number}" if number else "adaptive"
        paths.append(plot_courses(some, published, folder / f"fox-and-hounds-{name}.png"))
    seen = [course for course in courses if course.cell.name in ("5-low-low", "5-high-high")]
    file = folder / "fox-and-hounds-seen.png"
    return [*paths, plot_courses(seen, published, file, is_of_positions=True)]


def _lines(record: Mapping[str, Any]) -> Iterator[str]:
    settings = record["settings"]
    yield (
        f"{settings['seeds']} pairs of each cell; shares of the games won in the last quarter of "
        f"the phases, {settings['games']} games each, by the side whose exploration is 0, and "
        "published; turns until 90% and 99%; positions of own turns seen. Medians."
    )
    yield from text_table(record["courses"], COURSE_COLUMNS)
    yield ""
    yield (
        "Exactly: shares won against random play, points a game that the best fox takes from the "
        "hounds, and how many hounds win whatever the fox does. Medians."
    )
    yield from text_table(record["exact"], WORTH_COLUMNS)
    yield from last_lines(record, "What the source claims")
