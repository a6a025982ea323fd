"""``evo new``: the files to start a game of one's own from."""

from __future__ import annotations

import argparse
import keyword
import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from evo.cli.console import program, quoted
from evo.cli.options import Command, Parser
from tournaments.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

TEMPLATE, TEMPLATE_TEST = "take-away", "check_take_away.py"
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
PROJECT = """\
[build-system]
requires = ["setuptools>=68"]
build-backend = "setuptools.build_meta"

[project]
name = "{name}"
version = "0.1.0"
dependencies = ["evo-tournaments"]

[project.optional-dependencies]
test = ["pytest"]

[project.entry-points."tournaments.games"]
{name} = "{module}:RULES"

[tool.setuptools]
py-modules = ["{module}"]

[tool.pytest.ini_options]
pythonpath = ["."]
"""


def _add_arguments(command: Parser) -> None:
    command.add_value("what", "WHAT", "what to begin: game", choices=("game",))
    command.add_value("name", "NAME", "its name, such as my-game, by which every command knows it")
    command.add_value("--out", "FOLDER", "where its files go (default: a new folder NAME)")


def _new(options: argparse.Namespace) -> int:
    module = _module_of(options.name)
    folder = Path(options.name if options.out is None else options.out)
    _write(folder, _files(options.name, module))
    print(
        f"a game that works, in {quoted(folder / f'{module}.py')}: change its rules step by step, "
        "its test says which law breaks. From here:\n"
        f"    pip install -e {quoted(folder)}{'' if folder.is_absolute() else '/'}\n"
        f"    python -m pytest {quoted(folder)}\n"
        f"    {program()} run --game {options.name}"
    )
    return 0


def _module_of(name: str) -> str:
    """The name of the file of a game.

    Raises:
        ConfigError: no name, or one that is another's.
    """
    from tournaments import games

    if not NAME.fullmatch(name):
        raise ConfigError(
            f"name {name!r} given; small letters, digits and single hyphens are expected, as in "
            "my-game"
        )
    if name in games.names():
        raise ConfigError(f"name {name!r} given; there is a game of that name: choose another")
    module = name.replace("-", "_")
    if keyword.iskeyword(module) or find_spec(module) is not None:
        raise ConfigError(
            f"name {name!r} given; its file would be {module}.py, and Python has another thing of "
            "that name: choose another, such as "
            f"{name}-game"
        )
    return module


def _files(name: str, module: str) -> Mapping[str, str]:
    """The files of a new game, by their names: the template's, under its name."""
    here = Path(__file__).parent
    rules = (here / f"{TEMPLATE.replace('-', '_')}.py").read_text(encoding="utf-8")
    test = (here / TEMPLATE_TEST).read_text(encoding="utf-8")
    return {
        f"{module}.py": _renamed(rules, name, module),
        f"test_{module}.py": _renamed(test, name, module),
        "pyproject.toml": PROJECT.format(name=name, module=module),
    }


def _renamed(text: str, name: str, module: str) -> str:
    local = text.replace("evo.cli.commands.new.take_away", module)
    return local.replace("take_away", module).replace(TEMPLATE, name)


def _write(folder: Path, files: Mapping[str, str]) -> None:
    """Write files into a folder that holds none of them.

    Raises:
        ConfigError: it holds some, or cannot be written.
    """
    if taken := [file for file in files if (folder / file).exists()]:
        raise ConfigError(
            f"{folder / taken[0]} is there already; choose another folder by --out, or remove it"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            with open(folder / file, "x", encoding="utf-8") as stream:
                stream.write(text)
    except OSError as error:
        raise ConfigError(
            f"{folder} cannot be written ({error.strerror}); choose another folder by --out"
        ) from None


COMMAND = Command(
    "begin a game of your own: its rules, its test, its package",
    _add_arguments,
    _new,
    "Write the files to start a game of your own from: rules that work, a test that holds its "
    "laws, and a package that offers it to every command.",
    rank=10,
)
