"""Costs and shortest ways of capture the flag's agents on squares, in plain dictionaries."""

from __future__ import annotations

from math import exp, inf

from naive.capture_the_flag import NAMES, STEPS, TEAMS, Flag, Square

Belief = dict[Square, float]
WAYS = ("north", "east", "south", "west")
BACK = {"north": "south", "east": "west", "south": "north", "west": "east"}


def beside(flag: Flag, square: Square) -> dict[str, Square]:
    x, y = square
    ends = {way: (x + STEPS[way][0], y + STEPS[way][1]) for way in WAYS}
    return {way: (x, y) for way, (x, y) in ends.items() if flag.lines[y][x] != "#"}


def steps_from(flag: Flag, square: Square) -> dict[Square, int]:
    steps, layer = {square: 0}, [square]
    for here in layer:
        for other in beside(flag, here).values():
            if other not in steps:
                steps[other] = steps[here] + 1
                layer.append(other)
    return steps


def costs(
    flag: Flag, name: str, attacks: bool, beliefs: dict[str, Belief], numbers: dict[str, float]
) -> dict[Square, float]:
    """Of a step to each square, but for a chase; none is cut off at the cheapest."""
    team = TEAMS[name]
    friend = next(other for other in NAMES if TEAMS[other] == team and other != name)
    around = [(flag.places[friend], numbers["friend"], numbers["friend-fade"])]
    for belief in beliefs.values():
        for square, share in belief.items():
            kind = "pac-man" if flag.home(square) == team else "ghost"
            sign = -1 if kind == "pac-man" else 1
            if share >= 0.01:
                around.append((square, sign * share * numbers[kind], numbers[f"{kind}-fade"]))
    total = {
        square: 1.0 + (1000.0 if not attacks and flag.home(square) != team else 0.0)
        for square in steps_from(flag, flag.places[name])
    }
    for source, weight, fade in around:
        for square, steps in steps_from(flag, source).items():
            total[square] += weight * exp(-abs(fade) * steps)
    return total


def chase(
    flag: Flag,
    cost: dict[Square, float],
    square: Square,
    facing: str,
    numbers: dict[str, float],
) -> Square | None:
    """Change costs for the chase of a pac-man; the square from which it comes."""
    behind = beside(flag, square).get(BACK[facing])
    if behind is not None:
        away, away_behind = steps_from(flag, square), steps_from(flag, behind)
        for other in cost:
            share = exp(-abs(numbers["pac-man-fade"]) * away[other])
            if away_behind[other] < away[other]:
                cost[other] += numbers["behind"] * share
            else:
                cost[other] -= numbers["ahead"] * share
    return behind


def best_ways(
    flag: Flag,
    here: Square,
    targets: set[Square],
    cost: dict[Square, float],
    dear: tuple[Square | None, Square | None, float] = (None, None, 0.0),
) -> set[str]:
    """The ways that lead to a target at the least cost, by relaxation until nothing changes."""
    if here in targets:
        return {"stay"}
    cost = {square: max(number, 0.05) for square, number in cost.items()}

    def step(start: Square, end: Square) -> float:
        return cost[end] + (dear[2] if (start, end) == dear[:2] else 0.0)

    reach = {square: 0.0 if square in targets else inf for square in cost}
    changed = True
    while changed:
        changed = False
        for square in cost:
            for other in beside(flag, square).values():
                if reach[other] + step(square, other) < reach[square] - 1e-12:
                    reach[square] = reach[other] + step(square, other)
                    changed = True
    worth = {way: reach[end] + step(here, end) for way, end in beside(flag, here).items()}
    return {way for way, total in worth.items() if total <= min(worth.values()) + 1e-6}
