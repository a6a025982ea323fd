"""The published studies, each one file, run from Python or by ``evo reproduce NAME``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Study:
    """A study as ``evo reproduce`` finds it; its module is imported once it is asked for.

    Attributes:
        name: as users type it.
        summary: one line for lists.
        module: where its report is: ``Settings``, a dataclass of documented options, and
            ``reproduce(settings, announce)``, which gives a
            :class:`evo.studies.reproduction.Reproduction` and may tell ``announce``, a function
            of a text, how far it is.
    """

    name: str
    summary: str
    module: str


_LISTED = (
    Study(
        "cat-and-mouse-v1",
        "two policy tables climb in turn, the loser learns: 100,000 iterations on 8x7",
        "evo.studies.cat_and_mouse_v1.report",
    ),
    Study(
        "cat-and-mouse-v2",
        "a cat for boards of any size, trained on 5x5 and shown on 15x15",
        "evo.studies.cat_and_mouse_v2.report",
    ),
    Study(
        "cat-and-mouse-beaten",
        "a cat that catches every mouse, a mouse that no cat catches: learned by games, proved",
        "evo.studies.cat_and_mouse_beaten.report",
    ),
    Study(
        "leaderboard",
        "dots and boxes: the strongest evolved networks by scheme and learner, at equal games",
        "evo.studies.leaderboard.report",
    ),
    Study(
        "hand-built-networks",
        "dots and boxes: networks built by hand that complete boxes and refuse third sides",
        "evo.studies.hand_built_networks.study",
    ),
    Study(
        "dots-and-boxes-1998",
        "figures 3 and 4 and each claim: evolved networks by four schemes, two million games each",
        "evo.studies.dots_and_boxes_1998.study",
    ),
    Study(
        "dots-and-boxes-supervised",
        "dots and boxes: networks trained by back-propagation to play as level 1 does",
        "evo.studies.dots_and_boxes_supervised.report",
    ),
)
STUDIES = {study.name: study for study in _LISTED}
