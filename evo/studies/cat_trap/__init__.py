"""A planner for the cat trap (2021): its four pseudo-rewards, the time of a move, and evolution."""

from evo.studies import Study

STUDY = Study(
    "cat trap: four pseudo-rewards of a planner, the time of a move, and evolved cats and blockers",
    "evo.studies.cat_trap.study:REPORT",
)
