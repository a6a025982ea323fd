"""``level-0``, for every game: random play."""

from __future__ import annotations

from tournaments.players.random import level_0
from tournaments.rules import PlayerOffer

PLAYER = PlayerOffer("random play", level_0)
