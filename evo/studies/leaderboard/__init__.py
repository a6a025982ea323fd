"""Which schemes and learners make the strongest networks of dots and boxes."""

from evo.studies import Study

STUDY = Study(
    "dots and boxes: the strongest evolved networks by scheme and learner, at equal games",
    "evo.studies.leaderboard.study:REPORT",
)
