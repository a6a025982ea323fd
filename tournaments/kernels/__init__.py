"""The language that games and players are written in: plain Python functions that are compiled."""

from tournaments.kernels.linker import build, hook, kernel

__all__ = ["build", "hook", "kernel"]
