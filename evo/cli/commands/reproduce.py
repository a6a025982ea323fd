"""``evo reproduce``: a published study, run again with its settings as options."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evo.cli.console import print_report, print_rows
from evo.cli.options import Command, Parser, flag_of, flags_of, read
from evo.evolution.signals import exit_status
from evo.execution import Execution
from evo.progress import Display
from evo.requests.base import Request, about, flag
from evo.studies import STUDIES
from tournaments.errors import ConfigError, TournamentError

if TYPE_CHECKING:
    from evo.studies.report import Reproduction


@dataclass(frozen=True)
class ReproduceRequest(Request):
    """Run a published study again, or list the studies.

    Without a name, list the studies. The options of a study are its settings.

    Attributes:
        out: folder for the results (default: reproduced/STUDY if the study has pictures, otherwise
            none)
    """

    out: str | None = flag(None, metavar="DIR")


class _StudyParser(Parser):
    """A parser of the settings of one study, whose error messages list the settings."""

    def parse_known_args(self, args=None, namespace=None):
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            study = self.get_default("study")
            known = [*map(flag_of, flags_of(STUDIES.load(study).report.settings))]
            self.error(
                f"{study} does not take {' '.join(unknown)!r}; it takes "
                f"{', '.join([*known, '--out', '--json'])}"
            )
        return parsed, unknown


def _add_arguments(command: Parser) -> None:
    command.epilog = "A study's own help lists its options: evo reproduce STUDY -h"
    command.add_fields(Execution, ReproduceRequest.execution)
    studies = command.add_subparsers(
        title="studies",
        metavar="STUDY",
        dest="study",
        parser_class=_StudyParser,
        help="a study, followed by its options:",
    )
    for row in _studies():
        name, summary = row["study"], row["about"].replace("%", "%%")
        study = studies.add_parser(name, help=summary, description=row["about"])
        study.set_defaults(study=name)
        study.late = partial(_add_settings, name)


def _studies() -> list[dict[str, str]]:
    """Return the studies by name. A study that fails to load is listed with its error."""
    rows = []
    for name in STUDIES.names():
        try:
            rows.append({"study": name, "about": STUDIES.load(name).summary})
        except TournamentError as error:
            rows.append({"study": name, "about": str(error)})
    return rows


def _add_settings(name: str, parser: Parser) -> None:
    """Add the common options and the settings of a study to its parser."""
    parser.add_fields(ReproduceRequest)
    parser.add_fields(Execution, ReproduceRequest.execution)
    parser.add_fields(STUDIES.load(name).report.settings)


def _reproduce(options: argparse.Namespace) -> int:
    """List the studies, or run one of them. Return the exit status."""
    from evo.evolution.runs import Interrupted

    as_json = read(Execution, options, ReproduceRequest.execution).json
    if options.study is None:
        print_rows(_studies(), {"study": "", "about": ""}, as_json)
        return 0
    try:
        made, files = _reproduced(options)
    except Interrupted as interruption:
        print("stopped; run the same command again to go on", file=sys.stderr)
        return exit_status(interruption)
    names = [str(file) for file in files]
    lines = [*made.lines, *(["", *names] if names else [])]
    print_report([{**made.record, "files": names}], lines, as_json)
    return 0


def _reproduced(options: argparse.Namespace) -> tuple[Reproduction, list[Path]]:
    """Run a study and return its result and the files written."""
    from results.folder.bundle import write_study
    from results.folder.files import exists, is_folder, place_of

    wanted = read(ReproduceRequest, options).out
    out = None if wanted is None else place_of(wanted)
    if out is not None and exists(out) and not is_folder(out):
        raise ConfigError(f"--out {out} given, which is a file; a folder is expected")
    report = STUDIES.load(options.study).report
    settings = read(report.settings, options)
    with Display() as display:
        made = report.reproduce(settings, display.say)
    if out is None and made.draw is not None:  # pictures need a folder
        out = Path("reproduced") / options.study
    if out is None:
        return made, []
    files = write_study(out, made.record, made.arrays, made.tables)
    return made, files + (made.draw(out) if made.draw else [])


SUMMARY, DESCRIPTION = about(ReproduceRequest)
COMMAND = Command(SUMMARY, _add_arguments, _reproduce, DESCRIPTION, rank=4, group="make")
