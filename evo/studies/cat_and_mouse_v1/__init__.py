"""The first study of cat and mouse, to the byte as published."""

from evo.studies import Study

STUDY = Study(
    "two policy tables climb in turn, the loser learns: 100,000 iterations on 8x7",
    "evo.studies.cat_and_mouse_v1.study:REPORT",
)
