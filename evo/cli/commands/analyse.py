"""``evo analyse``: is a run progressing, cycling, forgetting, and how good is it? Or are many?"""

from __future__ import annotations

from dataclasses import replace

from evo.cli.console import print_rows
from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.evaluation import AnalyseRequest


def _analyse(request: AnalyseRequest, execution: Execution) -> int:
    from evo.evaluation.analyse import analyse
    from results.folder.files import is_folder, place_of
    from results.folder.runfile import holds_run

    if is_folder(place_of(request.run)) and not holds_run(request.run):
        return _analyse_runs(request, execution)
    analysis = analyse(request, execution)
    files = analysis.save(request.out)
    if execution.json:
        print_rows(analysis.records, {}, as_json=True)
        return 0
    folders = dict.fromkeys(str(file.parent) for file in files)
    print("\n".join([*analysis.lines, "", f"pictures and numbers: {', '.join(folders)}"]))
    return 0


def _analyse_runs(request: AnalyseRequest, execution: Execution) -> int:
    """Each of several runs, and how many of a setting do what."""
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
    analysis = AnalysisOfRuns(runs, analyses)
    if execution.json:
        compared = analysis.comparisons.assign(about="settings").to_dict("records")
        print_rows([*analysis.records, *compared], {}, as_json=True)
        return 0
    target = request.out or "plots and analysis of each run"
    print("\n".join([*analysis.lines, "", f"pictures and numbers: {target}"]))
    return 0


COMMAND = command_of(AnalyseRequest, _analyse, rank=4)
