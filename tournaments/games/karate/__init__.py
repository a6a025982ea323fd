"""Karate, the mind reader: hit your opponent, or block.

Both choose at once, round after round: a hit is worth 10 points, a block 5, a miss nothing (Berkes,
"My AI reads your mind and kicks your ass (part 2)", 2011).
"""

from __future__ import annotations

from tournaments.games.karate.drawing import draw
from tournaments.repeated.game import repeated_game

MOVES = ("punch", "kick", "block-punch", "block-kick")
PAYOFFS = (
    (10, 0, 0, 10),
    (10, 10, 10, 0),
    (5, 0, 0, 0),
    (0, 5, 0, 0),
)
"""What a seat gains by its own move (row) against the other's (column)."""

RULES = repeated_game(
    "karate",
    "hit or block at once, round after round; rounds=100",
    MOVES,
    PAYOFFS,
    draw=draw,
    results={10: "hit", 5: "block", 0: "miss"},
)
