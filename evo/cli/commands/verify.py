"""``evo verify``: whether every file of a folder is what was written."""

from __future__ import annotations

import argparse
from collections import Counter

from evo.cli.console import print_rows
from evo.cli.options import EXIT_FAILED, Command, Parser


def _add_arguments(command: Parser) -> None:
    command.add_value("run", "RUN", "folder of a run, a tournament or a sweep")
    command.add_json()


def _verify(options: argparse.Namespace) -> int:
    from results.read.verify import WHOLE, verify

    findings = list(verify(options.run))
    if options.json:
        print_rows([vars(finding) for finding in findings], {}, as_json=True)
    else:
        for finding in findings:
            if finding.state != WHOLE:
                print(f"{finding.state}: {finding.file}: {finding.detail}")
        counts = Counter(finding.state for finding in findings)
        print(f"{options.run}: {', '.join(f'{n:,} {state}' for state, n in counts.items())}")
    return EXIT_FAILED if any(finding.is_fault for finding in findings) else 0


COMMAND = Command(
    "check every file of a run, a tournament or a sweep",
    _add_arguments,
    _verify,
    "Read every file of a run, a tournament or a sweep, and say which are damaged, missing, "
    "doubled, foreign, or left by a crash, and what mends them. The status is 0 where all that was "
    "written is there and whole. Nothing is changed.",
    rank=16,
)
