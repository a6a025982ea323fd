"""The game of the last stone between two roles, with all that it offers."""

from __future__ import annotations

from dataclasses import replace

from game_of_a_stranger import RULES as STONES

RULES = replace(
    STONES,
    name="giver-and-taker",
    summary="the last stone, between a giver and a taker; stones=7",
    seats=("giver", "taker"),
    has_roles=True,
)
