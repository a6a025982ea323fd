"""``evo config``: the configuration that ``evo run`` would take."""

from __future__ import annotations

import argparse

from evo.cli.options import Command, Parser, configuration_of


def _print_configuration(options: argparse.Namespace) -> int:
    from evo.config.config import from_dict
    from evo.config.toml import as_toml

    print(as_toml(from_dict(configuration_of(options))), end="")
    return 0


COMMAND = Command(
    "print a whole configuration, each field with what it means",
    Parser.add_configuration,
    _print_configuration,
    "Print the configuration that evo run would take, as TOML, each field with what it means: "
    "evo config > my.toml",
    rank=13,
)
