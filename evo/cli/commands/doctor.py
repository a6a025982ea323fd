"""``evo doctor``: whether this machine, and every node of a cluster, plays the same."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict

from evo.cli.console import print_rows
from evo.cli.options import EXIT_FAILED, Command, Parser

COLUMNS = {
    "where": "",
    "processors": "d",
    "round_trip_ms": ".2f",
    "store_mb_s": ",.0f",
    "chunk_seconds": ".2f",
    "bytes": "",
    "plays_with": "",
}


def _add_arguments(command: Parser) -> None:
    command.add_value(
        "--ray",
        "ADDRESS",
        "look at every node of the Ray cluster at ADDRESS, or of one that is started here, too",
        nargs="?",
        const="",
    )
    command.add_json()


def _examine(options: argparse.Namespace) -> int:
    from cluster import doctor
    from evo.cli.progress import Display

    with Display():
        findings = [doctor.examine_here()]
        if options.ray is not None:
            findings += doctor.examine_nodes(options.ray or None, findings[0])
    print_rows(map(asdict, findings), COLUMNS, options.json)
    ill = [finding for finding in findings if finding.mend]
    for finding in ill:
        print(f"evo: {finding.where}: {finding.mend}", file=sys.stderr)
    if not ill and not options.json:
        print("\nall agree: the same versions, the same bytes")
    return EXIT_FAILED if ill else 0


COMMAND = Command(
    "see whether this machine, and every node of a cluster, plays the same",
    _add_arguments,
    _examine,
    "Play a chunk of matches in this process by one thread and by all, and on each node of a Ray "
    "cluster, and compare the bytes; compare versions and sources; measure the way to each node. "
    "The exit status is 0 only where all agree, else 1, with a line that says what to mend.",
    rank=14,
)
