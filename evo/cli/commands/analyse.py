"""``evo analyse``: an analysis of the progress of a run, or of several runs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evo.cli.console import print_report
from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.evaluation import AnalyseRequest

if TYPE_CHECKING:
    from evo.evaluation.analyse_runs import AnalysisOfRuns


def _analyse(request: AnalyseRequest, execution: Execution) -> int:
    from evo.evaluation.analyse import analyse
    from results.folder.files import is_folder, place_of
    from results.folder.runfile import holds_run

    if is_folder(place_of(request.run)) and not holds_run(request.run):
        of_runs = _analyse_runs(request, execution)
        rows, lines = of_runs.rows, of_runs.lines
        where = request.out or "plots and analysis of each run"
    else:
        analysis = analyse(request, execution)
        rows, lines = analysis.records, analysis.lines
        where = ", ".join(dict.fromkeys(str(file.parent) for file in analysis.save(request.out)))
    print_report(rows, [*lines, "", f"pictures and numbers: {where}"], execution.json)
    return 0


def _analyse_runs(request: AnalyseRequest, execution: Execution) -> AnalysisOfRuns:
    """Analyse each of several runs and return the analysis of all."""
    from evo.evaluation.analyse import analyse
    from evo.evaluation.analyse_runs import AnalysisOfRuns
    from results import open_runs
    from results.folder.files import place_of
    from results.read.runs import names_of

    runs, analyses = open_runs(request.run, execution.trust), []
    paths = [member.path for member in runs.members]
    with execution.shared() as shared:
        for number, (path, name) in enumerate(zip(paths, names_of(paths), strict=True), start=1):
            execution.announce(f"{path} ({number} of {len(paths)})")
            analyses.append(analyse(replace(request, run=path), shared))
            analyses[-1].save(place_of(request.out) / name if request.out else None)
    return AnalysisOfRuns(runs, analyses)


COMMAND = command_of(AnalyseRequest, _analyse, rank=3, group="measure")
