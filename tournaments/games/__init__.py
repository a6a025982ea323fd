"""Games, found by name: our own, and those that installed packages offer.

Each folder here is a game and holds all there is to it; :mod:`tournaments.game` finds them.
"""

from tournaments.game import GAMES, make, parse
from tournaments.registry import parse_spec

__all__ = ["make", "names", "parse", "parse_spec", "rules"]

names = GAMES.names
rules = GAMES.load
