"""Solving the game Set (2010): its three solvers, tables during play, and players that choose."""

from evo.studies import Study

STUDY = Study(
    "Set: three solvers, how often there is no set, and players that prefer some kinds",
    "evo.studies.set.study:REPORT",
)
