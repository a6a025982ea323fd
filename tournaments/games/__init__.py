"""Games, found by name: built-in games and games of installed packages.

Each folder or module here is a complete game. :mod:`tournaments.game` finds the games by name.
"""

from tournaments.game import GAMES, make, parse
from tournaments.registry import parse_spec

__all__ = ["make", "names", "parse", "parse_spec", "rules"]

names = GAMES.names
rules = GAMES.load
