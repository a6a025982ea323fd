"""``evo analyse``: is a run progressing, cycling, forgetting, and how good is it?"""

from __future__ import annotations

import argparse

from evo.cli.console import playing, print_rows
from evo.cli.options import Command, Parser


def _add_arguments(command: Parser) -> None:
    command.add_run()
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
    import evo

    with playing(options) as (display, where):
        if options.exact:
            which = {"threads": options.threads, "trust": options.trust}
            evo.prove(options.run, **which, announce=display.say)
        analysis = evo.analyse(
            options.run,
            every=options.every,
            games=options.games,
            against=options.against,
            trust=options.trust,
            seed=options.seed,
            report=display.part,
            **where,
        )
    files = analysis.save(options.out)
    if options.json:
        print_rows(analysis.records, {}, as_json=True)
        return 0
    folders = dict.fromkeys(str(file.parent) for file in files)
    print("\n".join([*analysis.lines, "", f"pictures and numbers: {', '.join(folders)}"]))
    return 0


COMMAND = Command(
    "say whether a run is progressing, cycling or forgetting, and how good it is",
    _add_arguments,
    _analyse,
    "Play the champions of a run's snapshots against each other and against opponents that stay "
    "the same; say in words, with the numbers, whether the run progresses, cycles, forgets, "
    "specialises or is disengaged; and draw it. The run may be going on.",
    rank=4,
)
