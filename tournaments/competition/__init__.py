"""Competition as a library: players evaluated against one another, by ask and tell."""

from tournaments.competition.competition import Competition
from tournaments.competition.result import Result

__all__ = ["Competition", "Result"]
