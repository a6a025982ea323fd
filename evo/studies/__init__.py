"""The published studies, a folder each, run from Python or by ``evo reproduce NAME``."""

from __future__ import annotations

from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

from tournaments.registry import Registry


@dataclass(frozen=True)
class Study:
    """A study as ``evo reproduce`` finds it, in its folder or by an entry point.

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


STUDIES = Registry(
    "study",
    "evo.studies",
    "STUDY",
    "evo.studies",
    shared=frozenset(
        {
            *{"cat_and_mouse_proof", "claims", "figures", "intervals", "kept"},
            *{"page", "play", "report", "settings", "training"},
        }
    ),
    expected="an evo.studies.Study",
    kind=Study,
)
