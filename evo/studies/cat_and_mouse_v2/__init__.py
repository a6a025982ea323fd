"""The second study of cat and mouse: a cat of windows learns in two stages."""

from evo.studies import Study

STUDY = Study(
    "a cat for boards of any size, trained on 5x5 and shown on 15x15",
    "evo.studies.cat_and_mouse_v2.study:REPORT",
)
