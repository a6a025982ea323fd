"""Islands against one population, at equal games, on dots and boxes and on cat and mouse."""

from evo.studies import Study

STUDY = Study(
    "islands: do they help at equal games? One population, islands apart, in a ring, complete",
    "evo.studies.islands.study:REPORT",
)
"""As ``evo reproduce`` finds it."""
