"""Cats that no mouse escapes, and mice that no cat catches, by games alone."""

from evo.studies import Study

STUDY = Study(
    "a cat that catches every mouse, a mouse that no cat catches: learned by games, proved",
    "evo.studies.cat_and_mouse_beaten.study:REPORT",
)
