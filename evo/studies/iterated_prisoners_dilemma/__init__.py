"""Prisoner's dilemma: the classics all against all, with noise, and evolved memory-one players."""
