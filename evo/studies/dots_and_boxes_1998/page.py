"""What ``evo reproduce dots-and-boxes-1998`` prints, draws and writes as a page of Markdown."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evo.studies.dots_and_boxes_1998.rules import NOT_MEASURED
from evo.studies.dots_and_boxes_1998.settings import NAME, Settings
from evo.studies.intervals import CONFIDENCE, median_interval
from evo.studies.page import command_of, markdown_table, text_table
from evo.studies.verdicts import EXPLANATION, HOLDS, VERDICTS
from results.folder.files import atomic_write, make_folder

if TYPE_CHECKING:
    from results.read.sweep import Sweep

Record = Mapping[str, Any]
FIGURES = {"best-level-0": "figure-3", "best-level-1": "figure-4"}
BESIDE = ("by fresh games", "mutation rate 0.5%")
"""Views that have a column in the table of claims."""
ABOUT = """\
L. Weaver and T. Bossomaier, "Evolution of neural networks to play the game of Dots-and-Boxes"
(1998): four populations of a hundred 24-9-24 networks on 3x3 boxes, evolved directly against
level 0 and level 1, by round-robin, and by antibodies and antigens; figures 3 and 4 of the
paper, and each of its sentences that can be tested. This page is written by the command that
makes the study; no verdict on it is written by hand."""
READ = """\
*Measured* are medians over seeds, with the interval of the median between two order statistics;
in its last quarter a run is averaged. The best of a hundred networks is chosen by 300 games
each and that estimate is taken, as the paper does; it is flattering. *Fresh games*: the verdict
where the same networks are measured by 1,000 games that had no part in choosing them. *At
0.5%*: at the higher mutation rate; all else is at 0.072%. *Alone*: of how many seeds each one
alone, a "typical example", shows the claim. What is not of runs is computed exactly where it
can be."""
OTHERWISE = """\
Each claim that does not hold as it stands, and what it becomes when something is looked at, or
read, otherwise. Other readings are runs of their own, over fewer seeds; a verdict is compared
with that of the comparison over the same seeds."""
READINGS = """\
What the changed population wins at the end, and by how much that is more than under the usual
reading, seed by seed."""


# --- on the terminal -----------------------------------------------------------------------------


def lines(record: Record) -> Iterator[str]:
    """The report for people."""
    yield _budget(record)
    yield ""
    for row in record["claims"]:
        yield f"{row['verdict']:<14}  {row['section']:<8}  {row['text']}"
        yield f"{'':<26}rule: {row['rule']}"
        yield f"{'':<26}{row['measured']}{_alone(row, ' of {} seeds alone', ', ')}"
    yield ""
    yield ", ".join(f"{verdict} {count}" for verdict, count in _counts(record["claims"]).items())
    changes = [row for row in record["views"] if row["is_changed"]]
    if changes:
        yield ""
        yield "What would be otherwise:"
        columns = {"claim": "", "view": "", "compared_with": "", "verdict": ""}
        yield from text_table(changes, columns)[1:]
    if record["readings"]:
        yield ""
        yield "At the end, under other readings (difference: seed by seed):"
        columns = {"reading": "", **dict.fromkeys(("level_0", "level_1"), ".1%")}
        columns |= {"level_0_told": "", "level_1_told": ""}
        yield from text_table(record["readings"], columns)[1:]
    yield ""
    yield f"{record['seconds']:.0f} s; runs took {_minutes(record)}, added up over processes"


def _budget(record: Record) -> str:
    seeds = record["seeds"]
    sure = median_interval(np.arange(seeds)).confidence
    few = "" if sure >= CONFIDENCE else ": too few seeds to be sure of a verdict on the runs"
    return (
        f"{seeds} seed{'s' * (seeds > 1)}, {record['games']:,.0f} games a run. Win rates of the "
        "best of each population, in the last quarter; intervals are of medians over seeds, with a "
        f"confidence of {sure:.1%}{few}."
    )


def _minutes(record: Record) -> str:
    seconds = record["processor_seconds"]
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"


def _counts(rows: Iterable[Record]) -> dict[str, int]:
    verdicts = [row["verdict"] for row in rows]
    return {
        verdict: verdicts.count(verdict)
        for verdict in (*VERDICTS, NOT_MEASURED)
        if verdict in verdicts
    }


def _alone(row: Record, form: str = "/{}", before: str = "") -> str:
    if not row["seeds"]:
        return ""
    return f"{before}{row['seeds_holding']}{form.format(row['seeds'])}"


# --- pictures and the page -----------------------------------------------------------------------


def draw(runs: Sweep, target: Path, page: str, record: Record) -> list[Path]:
    """Draw figures 3 and 4, and write the page where one is asked for; the paths of all files."""
    from results.plots.style import copy_small
    from results.plots.sweep import plot_best

    files = plot_best(runs, target, _named)
    if not page:
        return files
    file = Path(page)
    figures = file.parent / "figures"
    make_folder(figures)
    pictures = [path for path in files if path.suffix == ".png"]
    copied = [figures / f"{NAME}-{path.name}" for path in pictures]
    for source, copy in zip(pictures, copied, strict=True):
        copy_small(source, copy)
    atomic_write(file, markdown(record, [f"figures/{copy.name}" for copy in copied]).encode())
    return [*files, *copied, file]


def _named(name: str) -> str:
    """What a figure of :func:`results.plots.sweep.plot_best` is called here."""
    opponent, _, rate = name.partition("-mutation_probability=")
    figure = FIGURES.get(opponent, opponent)
    return f"{figure}-rate-{float(rate):.5f}".rstrip("0") if rate else figure


def markdown(record: Record, figures: Sequence[str]) -> str:
    """The page.

    Args:
        record: of the study.
        figures: links to the pictures.
    """
    command = command_of(NAME, {**record["settings"], "page": ""}, Settings())
    parts = [
        f"# Dots and boxes, 1998\n\n{ABOUT}",
        f"```sh\nevo reproduce {NAME} --quick\n{command}\n```",
        f"## Claims\n\n{_budget(record)}\n\n{_claims(record)}\n\n{READ}",
        "## Figures\n\n" + "\n\n".join(f"![{_caption(figure)}]({figure})" for figure in figures),
        f"## What does not hold\n\n{OTHERWISE}\n\n" + "\n".join(_explained(record)),
        f"How many of the claims about runs come out how:\n\n{_by_view(record)}\n\n{_most(record)}",
    ]
    if record["readings"]:
        parts.append(f"## Other readings\n\n{READINGS}\n\n{_readings(record)}")
    parts.append(f"## Time\n\n{_time(record)}")
    return "\n\n".join(parts) + "\n"


def _caption(figure: str) -> str:
    number, _, rate = figure.removesuffix(".png").partition("-rate-")
    opponent = "0" if number.endswith("3") else "1"
    at = f", mutation rate {100 * float(rate):.3g}%" if rate else ""
    return f"Figure {number[-1]}: the best of each population against level {opponent}{at}"


def _claims(record: Record) -> str:
    beside = {(row["view"], row["claim"]): row["verdict"] for row in record["views"]}
    rows = [
        [
            row["section"],
            row["text"],
            row["rule"],
            row["measured"],
            f"**{row['verdict']}**",
            *(beside.get((view, row["claim"]), "") for view in BESIDE),
            _alone(row),
        ]
        for row in record["claims"]
    ]
    head = [
        "section",
        "claim",
        "rule",
        "measured",
        "verdict",
        "fresh games",
        "at 0.5%",
        "alone",
    ]
    counted = ", ".join(f"{verdict} {n}" for verdict, n in _counts(record["claims"]).items())
    return f"{EXPLANATION}\n\n{markdown_table(head, rows)}\n\nOf {len(rows)} claims: {counted}."


def _explained(record: Record) -> Iterator[str]:
    """For each claim that does not hold, the views in which it comes out otherwise."""
    for row in record["claims"]:
        if row["verdict"] in (HOLDS, NOT_MEASURED):
            continue
        yield f"* **{row['text']}**: {row['verdict']}; {row['measured']}."
        views = [view for view in record["views"] if view["claim"] == row["claim"]]
        for view in (view for view in views if view["is_changed"]):
            yield f"  * {view['view']}: {view['verdict']}; {view['measured']}."
        if views and not any(view["is_changed"] for view in views):
            yield f"  * The same in all {len(views)} other views and readings."


def _by_view(record: Record) -> str:
    """A row a view: how many claims come out how, and how many hold in what it is compared with."""
    rows = [
        [view, *(str(verdicts.count(verdict)) for verdict in VERDICTS), str(usual)]
        for view, (verdicts, usual) in _verdicts(record).items()
    ]
    return markdown_table(["view or reading", *VERDICTS, "hold without it"], rows)


def _most(record: Record) -> str:
    """The view in which most claims hold, in a sentence."""
    views = _verdicts(record)
    best = max(views, key=lambda view: views[view][0].count(HOLDS) - views[view][1])
    verdicts, usual = views[best]
    return (
        f"Nearest to the paper is: {best}; {verdicts.count(HOLDS)} claims hold in place of {usual}."
    )


def _verdicts(record: Record) -> dict[str, tuple[list[str], int]]:
    """By view, the verdicts, and how many claims hold in what it is compared with."""
    views: dict[str, tuple[list[str], int]] = {}
    for row in record["views"]:
        verdicts, usual = views.get(row["view"], ([], 0))
        held = usual + (row["compared_with"] == HOLDS)
        views[row["view"]] = [*verdicts, row["verdict"]], held
    return views


def _readings(record: Record) -> str:
    rows = [
        [
            row["reading"],
            *(part for key in ("level_0", "level_1") for part in _strength(row, key)),
        ]
        for row in record["readings"]
    ]
    return markdown_table(["reading", "level 0", "difference", "level 1", "difference"], rows)


def _strength(row: Record, key: str) -> tuple[str, str]:
    return f"{row[key]:.1%}", row[f"{key}_told"]


def _time(record: Record) -> str:
    return (
        f"The runs and their measurements took {_minutes(record)}, added up over processes of one "
        "thread each (on a machine that is busy, waiting is in it); "
        f"`evo reproduce {NAME}` uses as many processors as there are "
        f"(here {os.cpu_count()}, {platform.machine()}). It goes on where it was stopped, and "
        "`--games 10000000` goes on from two million games to ten. `--out DIR` keeps the numbers "
        "behind this page: `result.json`, `claims.parquet`, `views.parquet`, `readings.parquet` "
        "and `best.parquet`, the curves of the figures."
    )
