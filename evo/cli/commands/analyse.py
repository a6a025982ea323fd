"""``evo analyse``: an analysis of the progress of a run, or of several runs."""

from __future__ import annotations

from evo.cli.console import print_report
from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.evaluation import AnalyseRequest


def _analyse(request: AnalyseRequest, execution: Execution) -> int:
    from evo.evaluation.analyse import analyse
    from evo.evaluation.analyse_runs import analyse_runs
    from results import open_runs
    from results.folder.files import is_folder, place_of
    from results.folder.runfile import holds_run

    if is_folder(place_of(request.run)) and not holds_run(request.run):
        runs = open_runs(request.run, execution.trust)
        of_runs = analyse_runs(runs, request, execution, save=True)
        rows, lines = of_runs.rows, of_runs.lines
        where = request.out or "plots and analysis of each run"
    else:
        analysis = analyse(request, execution)
        rows, lines = analysis.records, analysis.lines
        where = ", ".join(dict.fromkeys(str(file.parent) for file in analysis.save(request.out)))
    print_report(rows, [*lines, "", f"pictures and numbers: {where}"], execution.json)
    return 0


COMMAND = command_of(AnalyseRequest, _analyse, rank=3, group="measure")
