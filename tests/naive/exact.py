"""What comes of a game of dots and boxes between two players that draw evenly, in fractions.

Plain recursion over whole games, written apart from the project.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from naive.dots_and_boxes import DotsAndBoxes, Line, perfect_value

Moves = Callable[[DotsAndBoxes], list[int]]


class Expected(NamedTuple):
    """What a player can expect from a position on."""

    wins: Fraction
    draws: Fraction
    losses: Fraction
    net_boxes: Fraction
    moves: Fraction
    regret: Fraction
    best_moves: Fraction


def meeting(rows: int, cols: int, mine: Moves, others: Moves) -> tuple[Expected, Expected]:
    """What the player that has ``mine`` to draw from expects, as the first and as the second."""
    value = perfect_value(rows, cols)

    def position(drawn: frozenset[Line], mover: int, scores: tuple[int, int]) -> DotsAndBoxes:
        board = DotsAndBoxes(rows, cols)
        board.drawn, board.mover, board.scores = set(drawn), mover, list(scores)
        return board

    @cache
    def expected(drawn: frozenset[Line], mover: int, scores: tuple[int, int]) -> Expected:
        """By the player, whose seat is 0 here whoever moved first."""
        board = position(drawn, mover, scores)
        if board.over():
            net = scores[0] - scores[1]
            return Expected(*map(Fraction, (net > 0, net == 0, net < 0, net, 0, 0, 0)))
        chosen = (mine if mover == 0 else others)(board)
        parts = []
        for action in chosen:
            after = position(drawn, mover, scores)
            after.play(action)
            rest = expected(frozenset(after.drawn), after.mover, (after.scores[0], after.scores[1]))
            if mover == 0:
                won = after.scores[0] - scores[0]
                worth = won + (value if won else lambda left: -value(left))(frozenset(after.drawn))
                lost = value(drawn) - worth
                rest = rest._replace(
                    moves=rest.moves + 1,
                    regret=rest.regret + lost,
                    best_moves=rest.best_moves + (lost == 0),
                )
            parts.append(rest)
        columns = zip(*parts, strict=True)
        return Expected(*(sum(column, Fraction(0)) / len(chosen) for column in columns))

    return expected(frozenset(), 0, (0, 0)), expected(frozenset(), 1, (0, 0))
