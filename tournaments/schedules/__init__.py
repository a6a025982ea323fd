"""Schedules: the pairs of matches, by number."""
