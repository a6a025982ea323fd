"""``evo config``: the configuration that ``evo run`` would take."""

from __future__ import annotations

import argparse

from evo.cli.options import Command, Parser, configuration_of


def _print_configuration(options: argparse.Namespace) -> int:
    from evo.config.config import from_dict
    from evo.config.tables import DEFAULT_LEARNER, DEFAULT_SCHEME
    from evo.config.toml import as_toml

    study = f"{DEFAULT_LEARNER} under {DEFAULT_SCHEME}, the published study"
    remarks: list[str] = []
    config = from_dict(configuration_of(options, remarks.append))
    if remarks:
        print(f"# {remarks[0]}; without --game: {study}")
    elif options.game is None and not options.config:
        print(f"# without --game: {study}; with it: what suits what the game declares")
    print(as_toml(config), end="")
    return 0


COMMAND = Command(
    "print a whole configuration, each field with what it means",
    Parser.add_configuration,
    _print_configuration,
    "Print the configuration that evo run would take, as TOML, each field with what it means: "
    "evo config > my.toml",
    rank=13,
)
