"""The mind reader of Berkes (2011): what a prediction of moves is worth in karate."""

from evo.studies import Study

STUDY = Study(
    "karate: orders, priors, probability matching and levels of a mind reader, and what evolves",
    "evo.studies.karate.study:REPORT",
)
