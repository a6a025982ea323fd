"""``evo report``: a single HTML file about runs or a tournament."""

from __future__ import annotations

from evo.cli.console import complain
from evo.cli.options import EXIT_FAILED, command_of
from evo.execution import Execution
from evo.requests.evaluation import ReportRequest


def _report(request: ReportRequest, execution: Execution) -> int:
    from evo.pages.report import report

    written = report(request, execution)
    print(written.path)
    for problem in written.problems:
        complain(problem)
    return EXIT_FAILED if written.problems else 0


COMMAND = command_of(ReportRequest, _report, rank=2, group="look")
