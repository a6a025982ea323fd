"""The published studies, a folder each, run from Python or by ``evo reproduce NAME``."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from tournaments.registry import Registry


@dataclass(frozen=True)
class Study:
    """A study as ``evo reproduce`` finds it: what its folder, or an entry point, offers.

    Attributes:
        summary: one line for lists.
        module: the name of the module that :attr:`report` imports.
    """

    summary: str
    module: str

    @property
    def report(self) -> Any:
        """The module that runs the study and says what came of it.

        It has ``Settings``, a dataclass of documented options, and ``reproduce(settings,
        announce)``, which gives a :class:`evo.studies.reproduction.Reproduction` and may tell
        ``announce``, a function of a text, how far it is.
        """
        return import_module(self.module)


STUDIES = Registry(
    "study",
    "evo.studies",
    "STUDY",
    "evo.studies",
    shared=frozenset(
        {"cat_and_mouse_proof", "intervals", "kept", "page", "reproduction", "training", "verdicts"}
    ),
    expected="an evo.studies.Study",
    kind=Study,
)
