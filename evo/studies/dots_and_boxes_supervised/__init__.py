"""Figure 5 of the study of 1998: networks trained by back-propagation."""

from evo.studies import Study

STUDY = Study(
    "dots and boxes: networks trained by back-propagation to play as level 1 does",
    "evo.studies.dots_and_boxes_supervised.study:REPORT",
)
