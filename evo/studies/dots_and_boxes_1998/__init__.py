"""Weaver and Bossomaier (1998): its figures, and its claims judged by rules."""

from evo.studies import Study

STUDY = Study(
    "figures 3 and 4 and each claim: evolved networks by four schemes, two million games each",
    "evo.studies.dots_and_boxes_1998.study:REPORT",
)
