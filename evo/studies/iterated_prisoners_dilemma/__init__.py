"""The classics of the iterated prisoner's dilemma, all against all, exactly; and what evolves."""

from evo.studies import Study

STUDY = Study(
    "prisoner's dilemma: the classics all against all, with noise, and evolved memory-one players",
    "evo.studies.iterated_prisoners_dilemma.study:REPORT",
)
