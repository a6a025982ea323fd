"""``evo report``: a page about a run or a tournament as one HTML file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from evo.execution import Execution
from evo.pages import blocks, run, tournament
from evo.pages.blocks import Block
from evo.pages.document import one_file
from evo.requests.base import called_with
from evo.requests.evaluation import AnalyseRequest, ReportRequest
from results import Run, open_run
from results.errors import ResultsError
from results.folder.files import Place, atomic_write, make_folder, place_of
from results.folder.runfile import holds_run
from results.folder.tournament import Tournament, holds_tournament
from tournaments.errors import ConfigError

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
    """Write a page about a run or a tournament as one HTML file that needs no network.

    Returns:
        The path of the file, and what could not be read.

    Raises:
        ConfigError, ResultsError: there is no run or tournament, or the file cannot be written.
    """
    of = request.folder
    folder = of.path if isinstance(of, Run | Tournament) else place_of(of)
    file = folder / FOLDER / FILE if request.html is None else place_of(request.html)
    if request.html is not None and not Path(request.html).parent.is_dir():
        request.refuse("html", ", but its folder is not there; make the folder first")
    if not (holds_run(folder) or holds_tournament(folder)):
        raise ConfigError(
            f"{folder} given; the folder of a run or a tournament is expected (evo status lists "
            "the runs below it)"
        )
    try:
        page, problems = _page(of, folder, request, execution)
    except ResultsError as error:
        problems = [str(error)]
        lines = blocks.text(*problems, "evo verify looks at each file.", tone="warning")
        page = blocks.page(folder.name, "Results that cannot be read", [("Problems", [lines])])
    make_folder(file.parent)
    atomic_write(file, one_file(page).encode())
    return Report(file, problems)


def _page(
    of: Any, folder: Place, request: ReportRequest, execution: Execution
) -> tuple[Block, list[str]]:
    """Return the page of a run or a tournament, and the problems that the page reports."""
    if not holds_run(folder):
        held = Tournament(folder)
        return blocks.filled_page(
            folder.name, tournament.subtitle_of(held), tournament.sections_of(held)
        )
    from evo.evaluation.analyse import analyse

    read = open_run(of, execution.trust)
    analysed = cache(lambda: analyse(AnalyseRequest(read), execution))
    sections = run.sections_of(read, execution.trust, None if request.quick else analysed)
    return blocks.filled_page(folder.name, run.subtitle_of(read), sections)
