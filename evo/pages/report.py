"""``evo report``: a single HTML file about runs or a tournament."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evo.execution import Execution
from evo.pages import blocks, league, run, runs, tournament
from evo.pages.blocks import Block
from evo.pages.document import one_file
from evo.requests.base import called_with
from evo.requests.evaluation import AnalyseRequest, ReportRequest
from results import Run, open_run, open_runs
from results.errors import ResultsError
from results.folder.files import Place, atomic_write, exists, is_folder, make_folder, place_of
from results.folder.runfile import holds_run
from results.folder.tournament import LEAGUE_FILES, Tournament, holds_tournament
from results.read.runs import Runs
from tournaments.errors import ConfigError

if TYPE_CHECKING:
    from evo.evaluation.analyse_runs import AnalysisOfRuns

FOLDER, FILE = "plots", "report.html"
"""Name of the page, and of its folder in the folder of a run."""


@dataclass(frozen=True)
class Report:
    """A page that was written.

    Attributes:
        path: the file.
        problems: what could not be read, a line each. Empty if the run is whole.
    """

    path: Place
    problems: list[str]


@called_with(ReportRequest)
def report(request: ReportRequest, execution: Execution) -> Report:
    """Write a page about runs or a tournament to a single HTML file that needs no network.

    Returns:
        The path of the file, and messages about data that could not be read.

    Raises:
        ConfigError, ResultsError: there is no run or tournament, or the file cannot be written.
    """
    of = request.folder
    if isinstance(of, list | tuple):
        of = [each.path if isinstance(each, Run) else each for each in of]
        of = of[0] if len(of) == 1 else of
    if request.html is not None and not Path(request.html).parent.is_dir():
        request.refuse("html", ", but its folder is not there; make the folder first")
    folder, make = _subject(of, request, execution)
    file = folder / FOLDER / FILE if request.html is None else place_of(request.html)
    try:
        page, problems = make()
    except ResultsError as error:
        problems = [str(error)]
        lines = blocks.text(*problems, "evo verify looks at each file.", tone="warning")
        page = blocks.page(folder.name, "Results that cannot be read", [("Problems", [lines])])
    make_folder(file.parent)
    atomic_write(file, one_file(page).encode())
    return Report(file, problems)


def _subject(
    of: Any, request: ReportRequest, execution: Execution
) -> tuple[Place, Callable[[], tuple[Block, list[str]]]]:
    """Return the folder that a report is about, and the function that makes the page.

    The function returns the page, and the problems that the page reports.
    """
    if isinstance(of, Run | Tournament):
        folder = of.path
    elif isinstance(of, list | tuple) or not is_folder(place_of(of)):
        several = open_runs(of, execution.trust)
        return several.folder, lambda: _of_runs(several, request, execution)
    else:
        folder = place_of(of)
    if holds_run(folder):
        return folder, lambda: _of_run(open_run(of, execution.trust), request, execution)
    if holds_tournament(folder):
        held = Tournament(folder)
        return folder, lambda: of_tournament(held, execution.trust)
    try:
        runs_there = open_runs(of, execution.trust)
    except ResultsError:
        raise ConfigError(
            f"{folder} given; the folder of a run or a tournament, or of several runs, is expected "
            "(evo status lists the runs below it)"
        ) from None
    return folder, lambda: _of_runs(runs_there, request, execution)


def of_tournament(held: Tournament, trust: bool = False) -> tuple[Block, list[str]]:
    """Return the page of a tournament or a league, and the problems that the page reports."""
    if not exists(held.path / LEAGUE_FILES[1]):
        sections = tournament.sections_of(held, trust)
        return blocks.filled_page(held.path.name, tournament.subtitle_of(held), sections)
    of = league.League(held)
    sections = [*league.sections_of(of), *league.sections_of_submissions(of)]
    return blocks.filled_page(held.path.name, league.subtitle_of(of), sections)


def _of_run(read: Run, request: ReportRequest, execution: Execution) -> tuple[Block, list[str]]:
    from evo.evaluation.analyse import analyse

    analysed = cache(lambda: analyse(AnalyseRequest(read), execution))
    sections = run.sections_of(read, execution.trust, None if request.quick else analysed)
    return blocks.filled_page(read.path.name, run.subtitle_of(read), sections)


def _of_runs(read: Runs, request: ReportRequest, execution: Execution) -> tuple[Block, list[str]]:
    from evo.evaluation.analyse_runs import analyse_runs

    def analysed(whole: Runs) -> AnalysisOfRuns:
        return analyse_runs(whole, AnalyseRequest(""), execution)

    sections = runs.sections_of(read, None if request.quick else analysed)
    return blocks.filled_page(read.folder.name, runs.subtitle_of(read), sections)
