"""``evo report``: a page about a run as one HTML file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evo.evaluation.findings import Analysis
from evo.execution import Execution
from evo.pages.document import one_file
from evo.pages.run import broken_page, run_page
from evo.requests.base import called_with
from evo.requests.evaluation import AnalyseRequest, ReportRequest
from results import Run, open_run
from results.errors import ResultsError
from results.folder.files import Place, atomic_write, make_folder, place_of
from results.folder.runfile import holds_run
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
    """Write a page about a run as one HTML file that needs no network.

    Returns:
        The path of the file, and what could not be read.

    Raises:
        ConfigError, ResultsError: there is no run, or the file cannot be written.
    """
    folder = request.run.path if isinstance(request.run, Run) else place_of(request.run)
    file = folder / FOLDER / FILE if request.html is None else place_of(request.html)
    if request.html is not None and not Path(request.html).parent.is_dir():
        request.refuse("html", ", but its folder is not there; make the folder first")
    if not isinstance(request.run, Run) and not holds_run(folder):
        raise ConfigError(
            f"{folder} given; the folder of a run is expected (evo status lists the runs below it)"
        )
    try:
        run = open_run(request.run, execution.trust)
    except ResultsError as error:
        page, problems = broken_page(folder, str(error)), [str(error)]
    else:
        analysis, problems = None, []
        if not request.quick:
            analysis, problems = _analysed(run, execution)
        page, missing = run_page(run, execution.trust, analysis)
        problems = [*dict.fromkeys([*problems, *missing])]
    make_folder(file.parent)
    atomic_write(file, one_file(page).encode())
    return Report(file, problems)


def _analysed(run: Run, execution: Execution) -> tuple[Analysis | None, list[str]]:
    """Return the analysis of a run, or the reason why there is none."""
    from evo.evaluation.analyse import analyse

    try:
        return analyse(AnalyseRequest(run), execution), []
    except (ResultsError, ConfigError) as error:
        return None, [str(error)]
