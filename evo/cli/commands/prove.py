"""``evo prove``: what the best possible opponent does to the champions of a run, exactly."""

from __future__ import annotations

import argparse

from evo.cli.console import print_rows, where_rows_are
from evo.cli.options import Command, Parser, check_threads


def _add_arguments(command: Parser) -> None:
    command.add_run()
    command.add_number("--best", "N", "the N fittest of each population (default: %(default)s)", 1)
    command.add_number("--every", "K", "each K-th snapshot (default: the newest alone)")
    command.add_snapshots()
    command.add_trust()
    command.add_threads()
    command.add_json()


def _prove(options: argparse.Namespace) -> int:
    from evo.cli.progress import Display
    from evo.evaluation.evaluate import proved

    check_threads(options)
    with Display() as display:
        proofs = proved(
            options.run,
            best=options.best,
            every=options.every,
            generations=options.generation,
            threads=options.threads,
            trust=options.trust,
            announce=display.say,
        )
        sentences = [] if options.json else list(proofs.sentences())
    if options.json:
        print_rows(proofs.rows.to_dict("records"), {}, as_json=True)
        return 0
    print("\n".join([*sentences, "", where_rows_are(options.run, len(proofs.rows))]))
    return 0


COMMAND = Command(
    "compute what the best possible opponent does to the champions of a run",
    _add_arguments,
    _prove,
    "Compute, exactly, what the best possible opponent does to the champion of each population, "
    "and append it to RUN/evaluations; for dots and boxes also what comes of its games against "
    "perfect play, its regret a move and its share of optimal moves. What was proved before is not "
    "computed again. Gains are in net wins, games won less games lost, or in net points where the "
    "game counts these. For cat and mouse with one of each, dots and boxes of up to 24 edges, "
    "repeated games and any game of few positions; cat and mouse that draws where it starts is "
    "proved from the corners.",
    rank=5,
)
