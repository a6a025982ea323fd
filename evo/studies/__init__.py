"""The published studies, a folder each, run from Python or by ``evo reproduce NAME``."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from evo.requests.base import about
from tournaments.registry import Registry


@dataclass(frozen=True)
class Study:
    """A study as ``evo reproduce`` lists it.

    Attributes:
        summary: one line for lists.
        place: where the report is, ``module:NAME``, imported when it is needed.
    """

    summary: str
    place: str

    @property
    def report(self) -> Any:
        """The object that runs the study, such as an :class:`evo.studies.report.StudyReport`.

        It has ``settings``, a dataclass of documented options, and ``reproduce(settings,
        announce)``, which returns a :class:`evo.studies.report.Reproduction` and may call
        ``announce`` with a line of progress.
        """
        return resolve_name(self.place)


class _Studies(Registry):
    """The studies: the folders with a file ``study.py``, and those of installed packages.

    The summary of a folder is its docstring, and the report is ``REPORT`` of ``study.py``.
    """

    def own(self) -> list[str]:
        files = Path(__file__).parent.glob("*/study.py")
        return sorted(file.parent.name.replace("_", "-") for file in files)

    def load(self, name: str) -> Any:
        if name not in self.own():
            return super().load(name)
        package = f"{self.package}.{name.replace('-', '_')}"
        return Study(about(import_module(package))[0], f"{package}.study:{self.attribute}")


STUDIES = _Studies(
    "study",
    "evo.studies",
    "REPORT",
    "evo.studies",
    expected="an evo.studies.Study",
    kind=Study,
)
