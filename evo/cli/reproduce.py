"""``evo reproduce``: a published study by its name, with the study's settings as options."""

from __future__ import annotations

import argparse
import sys
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

from evo.errors import ConfigError
from evo.studies import STUDIES
from evo.studies.reproduction import Reproduction

SETTING = "setting_"
"""Before the name of a setting in the parsed command line, so that it meets no other option."""
TYPES = {"int": int, "float": float, "str": str}
"""Of settings; one that is true or false is a flag, ``--quick`` or ``--no-quick``."""


def add_settings(parser: argparse.ArgumentParser, name: str) -> None:
    """Give the parser of a study an option for each of its settings."""
    for item in fields(_report(name).Settings):
        how: dict[str, Any] = {"type": TYPES.get(str(item.type)), "metavar": item.name.upper()}
        if str(item.type) == "bool":
            how = {"action": argparse.BooleanOptionalAction}
        parser.add_argument(
            option_of(item.name),
            dest=SETTING + item.name,
            default=argparse.SUPPRESS,
            help=f"{item.metadata['doc']} (default: {item.default})".replace("%", "%%"),
            **how,
        )


def options_of(name: str) -> list[str]:
    """What a study takes on the command line."""
    settings = [option_of(item.name) for item in fields(_report(name).Settings)]
    return [*settings, "--out", "--json"]


def option_of(setting: str) -> str:
    return "--" + setting.replace("_", "-")


def _report(name: str) -> Any:
    """The module that runs a study and says what came of it."""
    return import_module(STUDIES[name].module)


def command(options: argparse.Namespace) -> int:
    """``evo reproduce``: the list of studies, or one of them."""
    from evo.evolution.runs import Interrupted
    from results import report

    if options.study is None:
        rows = [{"study": study.name, "about": study.summary} for study in STUDIES.values()]
        as_table = report.table(rows, {"study": "", "about": ""}).splitlines()
        print("\n".join(report.json_lines(rows) if options.json else as_table))
        return 0
    try:
        made, files = _reproduced(options)
    except Interrupted as interruption:
        print("stopped; the same command goes on", file=sys.stderr)
        return 128 + interruption.signal
    names = [str(file) for file in files]
    if options.json:
        print(*report.json_lines([{**made.record, "files": names}]))
    else:
        print("\n".join([*made.lines, *(["", *names] if names else [])]))
    return 0


def _reproduced(options: argparse.Namespace) -> tuple[Reproduction, list[Path]]:
    """Run a study; what came of it, and the files that were written."""
    from evo.cli.progress import Display

    if options.out is not None and not options.out.strip():
        raise ConfigError("--out '' given; the name of a folder is expected")
    out = Path(options.out) if options.out else None
    if out is not None and out.exists() and not out.is_dir():
        raise ConfigError(f"--out {out} given, which is a file; the name of a folder is expected")
    given = {
        name.removeprefix(SETTING): value
        for name, value in vars(options).items()
        if name.startswith(SETTING)
    }
    report = _report(options.study)
    with Display() as display:
        made = report.reproduce(report.Settings(**given), display.say)
    if out is None and made.draw is not None:  # pictures are to be seen
        out = Path("reproduced") / options.study
    return made, _written(made, out) if out else []


def _written(made: Reproduction, folder: Path) -> list[Path]:
    from results.folder.bundle import write_study

    files = write_study(folder, made.record, made.arrays, made.tables)
    return files + (made.draw(folder) if made.draw else [])
