"""``evo new``: the files of a new game or contest."""

from __future__ import annotations

import keyword
import re
import tomllib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from evo.cli.console import program, quoted
from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.base import Request, argument, flag
from tournaments.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TEMPLATES = {
    "game": {
        "take_away.py": "{module}.py",
        "check_take_away.py": "test_{module}.py",
        "take_away.toml": "pyproject.toml",
    },
    "contest": {"duel.py": "{module}.py", "check_duel.py": "test_{module}.py"},
}
"""The files of the game take-away and of the contest duel, and their names in a new folder."""
OPTIONS = "options.toml"
"""The changes of these files for the flags ``--dice`` and ``--roles``."""
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True)
class NewRequest(Request):
    """Create the files of a new game or contest.

    A contest is a function that plays a whole match between any objects, with its test. A game has
    rules, a test and a package. The rules are a complete game, to be changed step by step. The test
    checks that the game keeps the contract of games (see evo check-game). The package makes the
    game available to all commands.

    Attributes:
        what: what to create: game or contest
        name: name of the new game in all commands, such as my-game
        roles: names of the two roles of a game whose seats have different goals, such as cat mouse
        dice: for a game: write a game of chance, whose rules draw from the game's random stream
        out: folder of the files (default: a new folder NAME)
    """

    execution: ClassVar = ()

    what: str = argument("WHAT", known=("game", "contest"))
    name: str = argument("NAME")
    roles: tuple[str, ...] = flag((), metavar="ROLE", nargs=2)
    dice: bool = flag(False)
    out: str | None = flag(None, metavar="FOLDER")


def _new(request: NewRequest, execution: Execution) -> int:
    module = _module_of(request.name)
    _refuse_roles(request.roles)
    folder = Path(request.name if request.out is None else request.out)
    is_contest = request.what == "contest"
    if is_contest and request.dice:
        request.refuse("dice", " with a contest, whose random numbers come from its seed")
    _write(folder, _files(request, module))
    if is_contest:
        file = quoted(folder / f"{module}.py")
        print(
            f"a complete contest is in {file}. Change its simulator. Next steps:\n"
            f"    python -m pytest {quoted(folder)}\n"
            f"    {program()} tournament {file}:{module} {file}:low {file}:high"
        )
        return 0
    print(
        f"a complete game is in {quoted(folder / f'{module}.py')}. Change its rules step by step; "
        "its test names the law that a change breaks. Next steps:\n"
        f"    pip install -e {quoted(folder)}{'' if folder.is_absolute() else '/'}\n"
        f"    python -m pytest {quoted(folder)}\n"
        f"    {program()} run --game {request.name}"
    )
    return 0


def _module_of(name: str) -> str:
    """Return the name of the module of a game.

    Raises:
        ConfigError: the name is not valid, or is taken.
    """
    from tournaments import games

    if not NAME.fullmatch(name):
        raise ConfigError(
            f"name {name!r} given; small letters, digits and single hyphens are expected, as in "
            "my-game"
        )
    if name in games.names():
        raise ConfigError(f"name {name!r} given, but a game has this name already; choose another")
    module = name.replace("-", "_")
    if keyword.iskeyword(module) or find_spec(module) is not None:
        raise ConfigError(
            f"name {name!r} given; its file {module}.py would conflict with a Python keyword or "
            f"module: choose another name, such as {name}-game"
        )
    return module


def _refuse_roles(roles: Sequence[str]) -> None:
    """Raise ConfigError if the names of roles are not valid, or are the same."""
    if not all(map(NAME.fullmatch, roles)) or len(set(roles)) != len(roles):
        raise ConfigError(
            f"--roles {' '.join(roles)} given; two different names of small letters, digits and "
            "single hyphens are expected, as in --roles cat mouse"
        )


def _files(request: NewRequest, module: str) -> Mapping[str, str]:
    """Return the files of a new game by name: the files of the template, changed and renamed."""
    if request.what == "contest":
        roles = f'"{request.roles[0]}", "{request.roles[1]}"' if request.roles else ""
        texts = [("evo.cli.commands.new.duel", module), ("duel", module)]
        texts += [("seats=2", f"seats=({roles})")] if roles else []
        return _changed("contest", module, texts)
    here = Path(__file__).parent
    changes = tomllib.loads((here / OPTIONS).read_text(encoding="utf-8"))
    texts = [(change["old"], change["new"]) for change in changes["dice"] if request.dice]
    if request.roles:
        texts += [(change["old"], change["new"]) for change in changes["roles"]]
        texts += zip(("FIRST_ROLE", "SECOND_ROLE"), request.roles, strict=True)
    texts += [("evo.cli.commands.new.take_away", module), ("take_away", module)]
    texts += [("take-away", request.name)]
    return _changed("game", module, texts)


def _changed(what: str, module: str, texts: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """Return the files of a template by name, with pairs of texts (old, new) replaced."""
    files = {}
    for source, target in TEMPLATES[what].items():
        text = (Path(__file__).parent / source).read_text(encoding="utf-8")
        for old, new in texts:
            text = text.replace(old, new)
        files[target.format(module=module)] = text
    return files


def _write(folder: Path, files: Mapping[str, str]) -> None:
    """Write files into a folder that holds none of them.

    Raises:
        ConfigError: the folder holds one of the files, or cannot be written.
    """
    if taken := [file for file in files if (folder / file).exists()]:
        raise ConfigError(
            f"{folder / taken[0]} exists already; choose another folder by --out, or remove it"
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


COMMAND = command_of(NewRequest, _new, rank=1, group="your own")
