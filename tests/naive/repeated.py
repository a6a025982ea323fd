"""Repeated games and players of them, by lists of all rounds: slow, and without a state."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

Round = tuple[int, int]
"""What both carried out, the own move first."""


def scores(payoffs: Sequence[Sequence[int]], rounds: Sequence[Round]) -> tuple[int, int]:
    """The points of both sides."""
    return (
        sum(int(payoffs[own][other]) for own, other in rounds),
        sum(int(payoffs[other][own]) for own, other in rounds),
    )


def swapped(rounds: Sequence[Round]) -> list[Round]:
    """The rounds as the other side sees them."""
    return [(other, own) for own, other in rounds]


def expected_moves(
    moves: Sequence[int], actions: int, order: int, threshold: float, prior: float
) -> list[float]:
    """How likely each next move of somebody is who has made these moves."""
    for length in range(min(order, len(moves)), -1, -1):
        last = list(moves[len(moves) - length :])
        followers = [
            moves[place]
            for place in range(length, len(moves))
            if list(moves[place - length : place]) == last
        ]
        if length == 0 or len(followers) >= threshold:
            weights = [Counter(followers)[move] + prior for move in range(actions)]
            total = sum(weights)
            return [weight / total if total else 1 / actions for weight in weights]
    raise AssertionError


def answer(
    payoffs: Sequence[Sequence[int]], expected: Sequence[float], beta: float, net: float
) -> list[float]:
    """How likely each move is, in answer to what is expected."""
    actions = range(len(payoffs))
    worth = [
        sum(expected[y] * (float(payoffs[x][y]) - net * float(payoffs[y][x])) for y in actions)
        for x in actions
    ]
    powers = [math.exp(max(-700.0, beta * (value - max(worth)))) for value in worth]
    return [power / sum(powers) for power in powers]


def markov_chances(
    payoffs: Sequence[Sequence[int]],
    rounds: Sequence[Round],
    level: int,
    beta: float,
    net: float,
    **model: float,
) -> list[float]:
    """How likely each next move of a player of a level is, by the definition of levels."""
    actions = len(payoffs)
    if level == 0:
        return [1 / actions] * actions
    if level == 1:
        others = [other for _, other in rounds]
        expected = expected_moves(others, actions, **model)  # type: ignore[arg-type]
    else:  # the other is a player of the level below, who sees the same rounds from its side
        expected = markov_chances(payoffs, swapped(rounds), level - 1, beta, net, **model)
    return answer(payoffs, expected, beta, net)


# --- the classics, by what was played -------------------------------------------------------------

CLASSICS: dict[str, Callable[[Sequence[Round]], int]] = {
    "always-cooperate": lambda rounds: 0,
    "always-defect": lambda rounds: 1,
    "tit-for-tat": lambda rounds: rounds[-1][1] if rounds else 0,
    "suspicious-tit-for-tat": lambda rounds: rounds[-1][1] if rounds else 1,
    "tit-for-two-tats": lambda rounds: int(
        len(rounds) >= 2 and all(other == 1 for _, other in rounds[-2:])
    ),
    "two-tits-for-tat": lambda rounds: int(any(other == 1 for _, other in rounds[-2:])),
    "grim": lambda rounds: int(any(other == 1 for _, other in rounds)),
    "pavlov": lambda rounds: int(bool(rounds) and rounds[-1][0] != rounds[-1][1]),
}
"""0 cooperates, 1 defects."""


# --- equilibria ----------------------------------------------------------------------------------


def loss_of(
    gains: Sequence[Sequence[float]],
    chances: Callable[[Sequence[Round]], Sequence[float]],
    rounds: int,
    past: tuple[Round, ...] = (),
) -> float:
    """What the best response gains over a player, by trying all games.

    Args:
        gains: net points of the responder by its move and the player's.
        chances: of the player's next move by the rounds that it has seen.
        rounds: how many there are.
        past: those that were played.
    """
    if len(past) == rounds:
        return 0.0
    likely = chances(past)
    return max(
        sum(
            share * (gains[own][move] + loss_of(gains, chances, rounds, (*past, (move, own))))
            for move, share in enumerate(likely)
            if share > 0
        )
        for own in range(len(gains))
    )


def leads_of(
    payoffs: Sequence[Sequence[int]], a: Any, b: Any, noise: float, rounds: int
) -> dict[int, float]:
    """How likely each lead of machine a over machine b is at the end, by all games there are."""
    shares: Counter[int] = Counter()

    def carried_out(chances: Sequence[float], move: int) -> float:
        others = sum(share for other, share in enumerate(chances) if other != move)
        return float(chances[move] * (1 - noise) + others * noise / (len(chances) - 1))

    for moves in product(product(range(len(payoffs)), repeat=2), repeat=rounds):
        share, lead, state_a, state_b = 1.0, 0, 0, 0
        for own, other in moves:
            share *= carried_out(a.chances[state_a], own) * carried_out(b.chances[state_b], other)
            lead += payoffs[own][other] - payoffs[other][own]
            state_a, state_b = a.following[state_a][own][other], b.following[state_b][other][own]
        if share > 0:
            shares[lead] += share
    return dict(shares)
