"""Options that several commands take."""

from __future__ import annotations

import argparse


def add_configuration(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "config", nargs="?", metavar="CONFIG.toml", help="a configuration; flags change it"
    )
    command.add_argument("--game", metavar="GAME", help="such as dots-and-boxes:rows=5,cols=5")
    command.add_argument(
        "--scheme",
        metavar="SCHEME",
        help="antibody-antigen, direct, round-robin, random-opponents, single-elimination, swiss, "
        "hall-of-fame, competitive-sharing, maxsolve or pareto",
    )
    command.add_argument(
        "--learner",
        metavar="LEARNER",
        help="genetic, evolution-strategy, openai-es, hill-climbing or annealing",
    )
    command.add_argument("--population", type=int, metavar="N", help="individuals")
    command.add_argument("--generations", type=int, metavar="N", help="the last generation")
    command.add_argument("--seed", type=int, metavar="N", help="the result depends on it alone")
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="any other field, such as learner.mutation_probability=0.005 (evo config lists them)",
    )


def add_where(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--threads", type=int, metavar="N", help="threads of this process (default: all cores)"
    )
    command.add_argument(
        "--ray",
        nargs="?",
        const="",
        metavar="ADDRESS",
        help="play by Ray actors, on this machine or on the cluster at ADDRESS",
    )
    command.add_argument("--actors", type=int, metavar="N", help="how many Ray actors")


def add_profile(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--profile", action="store_true", help="print where the time of a generation went"
    )


def add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--json", action="store_true", help="print results as one JSON object a line"
    )
