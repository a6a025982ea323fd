"""``evo analyse``: is a run progressing, cycling, forgetting, and how good is it? Or are many?"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evo.cli.console import playing, print_rows
from evo.cli.options import Command, Parser

if TYPE_CHECKING:
    from evo.cli.progress import Display
    from evo.evaluation.findings import Analysis


def _add_arguments(command: Parser) -> None:
    command.add_value("run", "RUN", "folder of the run, or its address; or of a sweep, or of runs")
    command.add_number("--every", "K", "each K-th snapshot (default: so that there are at most 60)")
    command.add_number("--games", "N", "a pair (default: %(default)s)", 200)
    command.add_value(
        "--against",
        "PLAYER",
        "opponents that the run never met, beside the usual ones: players, files, or folders "
        "of other runs, which stand for their champions",
        nargs="+",
        default=[],
    )
    command.add_number("--seed", "N", "of the games (default: that of the run)")
    command.add_switch(
        "--exact",
        "compute first what evo prove says of the newest champion, where that was not done",
    )
    command.add_value(
        "--out", "DIR", "folder of pictures and numbers (default: RUN/plots and RUN/analysis)"
    )
    command.add_trust()
    command.add_where()
    command.add_json()


def _analyse(options: argparse.Namespace) -> int:
    from results.folder.files import is_folder, place_of
    from results.folder.runfile import holds_run

    if is_folder(place_of(options.run)) and not holds_run(options.run):
        return _analyse_runs(options)
    with playing(options) as (display, where):
        analysis = _analysed(options.run, options, display, where)
    files = analysis.save(options.out)
    if options.json:
        print_rows(analysis.records, {}, as_json=True)
        return 0
    folders = dict.fromkeys(str(file.parent) for file in files)
    print("\n".join([*analysis.lines, "", f"pictures and numbers: {', '.join(folders)}"]))
    return 0


def _analyse_runs(options: argparse.Namespace) -> int:
    """Each of several runs, and how many of a setting do what."""
    from evo.evaluation.analyse_runs import AnalysisOfRuns
    from results import open_runs
    from results.folder.files import place_of
    from results.read.runs import names_of

    runs, analyses = open_runs(options.run, options.trust), []
    paths = [member.path for member in runs.members]
    with playing(options) as (display, where):
        for number, (path, name) in enumerate(zip(paths, names_of(paths), strict=True), start=1):
            display.say(f"{path} ({number} of {len(paths)})")
            analyses.append(_analysed(path, options, display, where))
            analyses[-1].save(place_of(options.out) / name if options.out else None)
    analysis = AnalysisOfRuns(runs, analyses)
    if options.json:
        compared = analysis.comparisons.assign(about="settings").to_dict("records")
        print_rows([*analysis.records, *compared], {}, as_json=True)
        return 0
    target = options.out or "plots and analysis of each run"
    print("\n".join([*analysis.lines, "", f"pictures and numbers: {target}"]))
    return 0


def _analysed(
    run: Any, options: argparse.Namespace, display: Display, where: Mapping[str, Any]
) -> Analysis:
    import evo

    if options.exact:
        which = {"threads": options.threads, "trust": options.trust}
        evo.prove(run, **which, announce=display.say)
    return evo.analyse(
        run,
        every=options.every,
        games=options.games,
        against=options.against,
        trust=options.trust,
        seed=options.seed,
        report=display.part,
        **where,
    )


COMMAND = Command(
    "say whether a run is progressing, cycling or forgetting, and how good it is",
    _add_arguments,
    _analyse,
    "Play the champions of a run's snapshots against each other and against opponents that stay "
    "the same; say in words, with the numbers, whether the run progresses, cycles, forgets, "
    "specialises or is disengaged; and draw it. The run may be going on. Of a sweep, or of a "
    "folder of runs, each by itself, how many of the runs of a setting do what, and settings "
    "compared in pairs: median difference, interval, Mann-Whitney p.",
    rank=4,
)
