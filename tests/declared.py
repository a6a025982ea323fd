"""What follows from the request records: a stub for editors, and the page of commands.

python -m tests.declared        # writes evo/__init__.pyi and docs/commands.md
"""

from __future__ import annotations

import argparse
import inspect
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import MISSING, Field
from pathlib import Path
from types import FunctionType
from typing import Any

import evo
from evo.cli.main import COMMANDS, in_order
from evo.cli.options import Command, Parser, flag_of, flags_of
from evo.execution import Execution
from evo.requests.base import keywords_of, sentence_of
from tournaments.options import kind_of

ROOT = Path(__file__).resolve().parents[1]
STUB, PAGE = ROOT / "evo" / "__init__.pyi", ROOT / "docs" / "commands.md"
HEAD = '''"""The calls of :mod:`evo`, with all their keywords (``python -m tests.declared``)."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cluster import Evaluator
from evo.config.config import Config
from evo.sweeps.experiment import Experiment
from evo.sweeps.sweep import Slice
from results import Run
from tournaments.game import Game
'''


COMPLETION = """## Completion in the shell

`pip install -e '.[completion]'` lets the shell complete commands, options, games, players, folders
and the fields of `--set`:

```sh
eval "$(register-python-argcomplete evo)"                  # bash and zsh
register-python-argcomplete --shell fish evo | source      # fish
```""".splitlines()


def calls() -> dict[str, Any]:
    """Return the functions of :mod:`evo` that are made of a request."""
    offered = {name: getattr(evo, name) for name in evo.__all__}
    return {name: offer for name, offer in offered.items() if hasattr(offer, "request")}


def commands() -> dict[str, Command]:
    """Return the commands with a record, in the order of ``evo --help``."""
    known = {name: COMMANDS.load(name) for name in COMMANDS.own()}
    return in_order({name: each for name, each in known.items() if isinstance(each.takes, type)})


def stub() -> str:
    """Return the text of the stub."""
    imports, bodies = [], []
    for name in evo.__all__:
        offer = getattr(evo, name)
        if name not in calls():
            imports.append(f"from {evo._HOMES[name]} import {name} as {name}")
            continue
        made = offer.__annotations__["return"]
        inner = made.removeprefix("list[").removesuffix("]")
        home = offer.__globals__.get(inner) if isinstance(offer, FunctionType) else None
        home = home or getattr(inspect.getmodule(offer), inner, None)
        if inner not in HEAD:
            module = home.__module__ if home is not None else "results"
            imports.append(f"from {module} import {inner}")
        bodies.append(_signature(name, offer.request, made))
    text = HEAD + "\n".join(sorted(set(imports))) + "\n\n" + "\n".join(bodies)
    return _formatted(_formatted(text, "check", "--fix", "-q"), "format")


def _formatted(text: str, *command: str) -> str:
    line = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(STUB), "-"]
    return subprocess.run(line, input=text, capture_output=True, text=True, check=True).stdout


def _signature(name: str, record: Any, made: str) -> str:
    lines, has_star = [], False
    for item in keywords_of(record).values():
        if item.kw_only and not has_star:
            lines.append("    *,")
            has_star = True
        default = "" if item.default is MISSING else " = ..."
        lines.append(f"    {item.name}: {item.metadata.get('type', item.type)}{default},")
    if record.rest:
        lines.append(f"    **{record.rest}: Any,")
    return "\n".join([f"def {name}(", *lines, f") -> {made}: ...", ""])


def page() -> str:
    """Return the page of commands."""
    lines = [
        "# Commands",
        "",
        "`evo COMMAND --help` prints the same. A function of Python takes the options of its "
        "command as keywords: `evo.tournament(game, players, games=200, threads=2)`.",
    ]
    lines += ["", *COMPLETION]
    for name, command in commands().items():
        lines += ["", f"## evo {name}", "", command.description, ""]
        lines += _table(command.takes)
    return "\n".join([*lines, ""])


def _table(record: Any) -> Iterator[str]:
    rows = [(record, item) for item in flags_of(record) if not item.metadata.get("hidden")]
    rows += [(Execution, item) for item in flags_of(Execution, record.execution)]
    if not rows:
        return
    yield "| option | value | meaning |"
    yield "|---|---|---|"
    for of, item in rows:
        name, sentence = flag_of(item).replace("|", "\\|"), sentence_of(of, item)
        sentence = sentence.replace("|", "\\|")
        yield f"| `{name}` | {_value(item)} | {sentence} |"


def _value(item: Field[Any]) -> str:
    """Return what kind of value a field takes."""
    kind, of = kind_of(item), item.metadata
    words = {"int": "integer", "float": "number", "bool": "flag", "tuple[int": "integers"}
    words |= {"tuple[float": "numbers", "tuple": "texts", "str": "text", "Any": "text"}
    word = ", ".join(of["known"]) if "known" in of else words[kind]
    if of.get("even"):
        word = f"even integer from {of['low']}"
    elif "above" in of:
        word += f" above {of['above']:g}"
    elif kind in ("int", "float") and of["low"] > -1e300:
        word += f" from {of['low']:g}"
    return word


def parser_of(command: Command) -> argparse.ArgumentParser:
    """Return a parser of the flags of a command."""
    parser = Parser(prog="evo")
    command.add_arguments(parser)
    return parser


if __name__ == "__main__":
    STUB.write_text(stub())
    PAGE.write_text(page())
