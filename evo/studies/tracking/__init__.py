"""Tracking the enemy of capture the flag: what each piece of the tracker gains, and what teams."""

from evo.studies import Study

STUDY = Study(
    "tracking a hidden agent through a maze: the gain of each piece, and of tracking teams",
    "evo.studies.tracking.study:REPORT",
)
