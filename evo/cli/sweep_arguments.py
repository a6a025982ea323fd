"""What ``evo sweep`` takes."""

from __future__ import annotations

import argparse
from typing import TypeAlias

from evo.cli.options import add_json

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_sweep(commands: Commands) -> None:
    command = commands.add_parser(
        "sweep",
        help="all runs of an experiment side by side: populations, factors, seeds",
        description="Run all runs of an experiment side by side, each on one processor, and "
        "measure them. The same command again goes on where it stopped. The runs open as one: "
        "results.open_runs(DIR).",
    )
    command.add_argument(
        "experiment",
        metavar="EXPERIMENT",
        help="an experiment as TOML, or the name of one that comes with this program, such as "
        "dots-and-boxes-1998",
    )
    command.add_argument("--out", metavar="DIR", help="folder of the runs (default: sweeps/NAME)")
    command.add_argument(
        "--quick", action="store_true", help="as the experiment's table [quick] has it"
    )
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="any field of the experiment, such as seeds=3 or base.games=200_000",
    )
    command.add_argument(
        "--threads",
        type=int,
        metavar="N",
        help="runs at a time, each in a process (default: all cores)",
    )
    command.add_argument(
        "--ray",
        nargs="?",
        const="",
        metavar="ADDRESS",
        help="by Ray actors, on this machine or on the cluster at ADDRESS, all of whose nodes see "
        "DIR",
    )
    command.add_argument("--actors", type=int, metavar="N", help="how many Ray actors")
    add_json(command)
    command.set_defaults(command="sweep")
