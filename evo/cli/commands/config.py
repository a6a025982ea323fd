"""``evo config``: the configuration that ``evo run`` would use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.evolution import ConfigurationRequest


def configuration_of(
    request: ConfigurationRequest, announce: Callable[[str], None] = lambda line: None
) -> dict[str, Any]:
    """Return the configuration of a run as a table, from a file and flags.

    Args:
        request: the file and the flags.
        announce: called with a line on the default settings and the reason for them, if only a
            game was given.
    """
    from evo.config.config import merge
    from evo.config.toml import load, with_fields
    from evo.config.usual import usual

    names = ("game", "scheme", "genome", "learner", "population", "generations", "games", "seed")
    flags = {name: getattr(request, name) for name in names}
    islands = {"count": request.islands, "topology": request.migration, "every": request.every}
    flags["islands"] = _given(islands) or None
    table = load(request.config) if request.config else {}
    table = merge(table, with_fields(_given(flags), request.set))
    if request.game is None or request.config:
        return table
    table, line = usual(table)
    if line:
        announce(line)
    return table


def _given(table: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in table.items() if value is not None}


def _print_configuration(request: ConfigurationRequest, execution: Execution) -> int:
    from evo.config.config import from_dict
    from evo.config.tables import DEFAULT_LEARNER, DEFAULT_SCHEME
    from evo.config.toml import as_toml, fields_of

    study = f"{DEFAULT_LEARNER} under {DEFAULT_SCHEME}, the published study"
    remarks: list[str] = []
    with fields_of(request.config):
        config = from_dict(configuration_of(request, remarks.append))
    if remarks:
        print(f"# {remarks[0]}; without --game: {study}")
    elif request.game is None and not request.config:
        print(f"# without --game: {study}; with --game: settings that suit the game")
    print(as_toml(config), end="")
    return 0


COMMAND = command_of(ConfigurationRequest, _print_configuration, rank=3, group="what there is")
