"""``evo compact``: a run in fewer files, and with fewer snapshots."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from evo.cli.console import print_rows
from evo.cli.options import Command, Parser


def _add_arguments(command: Parser) -> None:
    command.add_run()
    command.add_number(
        "--keep-every", "K", "each K-th snapshot stays, from now on (0: none by this)"
    )
    command.add_number("--keep-last", "N", "and the N newest")
    command.add_json()


def _compact(options: argparse.Namespace) -> int:
    from results.writer.compact import compact

    sizes = compact(options.run, options.keep_every, options.keep_last)
    rows = [
        {
            "when": when,
            **asdict(size),
            "bytes_a_generation": size.part_bytes / max(1, size.generations),
            "snapshot_bytes_a_generation": size.snapshot_bytes / max(1, size.generations),
        }
        for when, size in zip(("before", "after"), sizes, strict=True)
    ]
    numbers = dict.fromkeys([*asdict(sizes[0])], ",d")
    shares = {"bytes_a_generation": ",.1f", "snapshot_bytes_a_generation": ",.1f"}
    print_rows(rows, {"when": "", **numbers, **shares}, options.json)
    return 0


COMMAND = Command(
    "make few files of a long run, and remove snapshots that need not stay",
    _add_arguments,
    _compact,
    "Make one file of many of the per-generation table, as a run does by itself as it goes on, and "
    "remove all snapshots but the first, the newest, each K-th and the N newest, which stands in "
    "run.json from then on. Without --keep-every and --keep-last no snapshot is removed.",
    rank=17,
)
