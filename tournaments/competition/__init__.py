"""Competitions as a library: evaluation of players through an ask-and-tell interface."""

from tournaments.competition.competition import Competition
from tournaments.competition.result import Result

__all__ = ["Competition", "Result"]
