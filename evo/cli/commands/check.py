"""``evo check``: whether an encoding, a learner or a scheme keeps the laws of its sort."""

from __future__ import annotations

import argparse

from evo.cli.options import Command, Parser


def _add_arguments(command: Parser) -> None:
    sorts = ("genome", "learner", "scheme")
    command.add_value("sort", "SORT", f"what to check: {', '.join(sorts)}", choices=sorts)
    command.add_value("name", "NAME", "its name, or its file, such as ./mine.py or ./mine.py:Mine")
    command.add_value(
        "--game", "GAME", "whose players evolve (default: %(default)s)", default="nim"
    )


def _check(options: argparse.Namespace) -> int:
    from evo.contract import check_genome, check_learner
    from tournaments import schemes
    from tournaments.contract import check_scheme
    from tournaments.registry import parse_spec

    if options.sort == "genome":
        check_genome(options.name, options.game)
    elif options.sort == "learner":
        check_learner(options.name, game=options.game)
    else:
        name, given = parse_spec(options.name)
        check_scheme(schemes.make(name, **given))
    print(f"{options.sort} {options.name} keeps the contract")
    return 0


COMMAND = Command(
    "check that an encoding, a learner or a scheme keeps its laws",
    _add_arguments,
    _check,
    "Try an encoding, a learner or a scheme, and compare all that it does with what is expected of "
    "its sort. The status is 0 where all laws hold, and 1 where one is broken, with a line that "
    "names the law.",
    rank=15,
)
