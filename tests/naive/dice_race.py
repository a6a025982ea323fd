"""A race with a die, by plain recursion in fractions; written apart from the project.

Two players have so many turns each. In a turn a player throws a die of three sides once, and again
and again as it likes: a 1 ends the turn and loses what the turn has brought, a 2 or a 3 is added to
it. To hold ends the turn, and banks what it has brought; at six or more a player must hold. After
the last turn the larger sum wins.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import NamedTuple

THROW, HOLD = "throw", "hold"
MOST_OF_A_TURN = 6


class Position(NamedTuple):
    """Sums of both, the seat to move, what its turn has brought, and the turns left of both."""

    sums: tuple[int, int]
    seat: int
    turn: int
    left: int


def net_points(sums: tuple[int, int]) -> int:
    return sums[0] - sums[1]


def net_wins(sums: tuple[int, int]) -> int:
    return (sums[0] > sums[1]) - (sums[0] < sums[1])


def moves(position: Position) -> list[str]:
    throws = [THROW] if position.turn < MOST_OF_A_TURN else []
    return throws + ([HOLD] if position.turn > 0 else [])


def after_turn(position: Position, gain: int) -> Position:
    sums = list(position.sums)
    sums[position.seat] += gain
    return Position((sums[0], sums[1]), 1 - position.seat, 0, position.left - 1)


def expected(position: Position, move: str, payoff: Callable[..., int]) -> Fraction:
    """What the first seat may expect of a move, both going for the payoff from then on."""
    if move == HOLD:
        return value(after_turn(position, position.turn), payoff)
    thrown = [position._replace(turn=position.turn + side) for side in (2, 3)]
    results = [value(after_turn(position, 0), payoff), *(value(each, payoff) for each in thrown)]
    return sum(results, Fraction(0)) / 3


@cache
def value(position: Position, payoff: Callable[..., int]) -> Fraction:
    """What the first seat may expect, both going for the payoff."""
    if position.left == 0:
        return Fraction(payoff(position.sums))
    pick = (max, min)[position.seat]
    return pick(expected(position, move, payoff) for move in moves(position))


def best_moves(position: Position, payoff: Callable[..., int]) -> set[str]:
    worth = {move: expected(position, move, payoff) for move in moves(position)}
    best = value(position, payoff)
    return {move for move, each in worth.items() if each == best}


def least(position: Position, seat: int, payoff: Callable[..., int]) -> Fraction:
    """What a seat gains at least that plays at random, whatever the other does."""
    sign = 1 - 2 * seat

    @cache
    def worth(at: Position) -> Fraction:
        if at.left == 0:
            return Fraction(sign * payoff(at.sums))
        results = []
        for move in moves(at):
            if move == HOLD:
                results.append(worth(after_turn(at, at.turn)))
            else:
                thrown = [worth(at._replace(turn=at.turn + side)) for side in (2, 3)]
                results.append((worth(after_turn(at, 0)) + sum(thrown)) / 3)
        return sum(results, Fraction(0)) / len(results) if at.seat == seat else min(results)

    return worth(position)
