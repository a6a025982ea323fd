"""Section 3.6 of the study of 1998: networks built by hand."""

from evo.studies import Study

STUDY = Study(
    "dots and boxes: networks built by hand that complete boxes and refuse third sides",
    "evo.studies.hand_built_networks.study:REPORT",
)
