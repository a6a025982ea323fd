"""Q-learning of fox and hounds (Bakhshi and Budriunas 2012)."""

from evo.studies import Study

STUDY = Study(
    "fox and hounds: tables of values learn from each other, beside evolved players",
    "evo.studies.fox_and_hounds.study:REPORT",
)
