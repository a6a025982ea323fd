"""``evo prove``: what the best possible opponent does to the champions of a run, exactly."""

from __future__ import annotations

import argparse

from evo.cli.console import check_threads, print_rows, where_rows_are
from evo.cli.progress import Display
from evo.evaluation.evaluate import proved


def command(options: argparse.Namespace) -> int:
    """``evo prove``."""
    check_threads(options)
    with Display() as display:
        found = proved(
            options.run,
            best=options.best,
            every=options.every,
            generations=options.generation,
            threads=options.threads,
            announce=display.say,
        )
        sentences = [] if options.json else list(found.sentences())
    if options.json:
        print_rows(found.rows.to_dict("records"), {}, as_json=True)
        return 0
    for sentence in sentences:
        print(sentence)
    print(f"\n{where_rows_are(options.run, len(found.rows))}")
    return 0
