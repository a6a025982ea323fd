"""The cat trap's planner, slowly: a dictionary of boards whose utilities are repeated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from naive.cat_trap import CatTrap, Tile

Situation = tuple[Tile, frozenset[Tile], int]
"""The cat, the blocked tiles, and how many rounds of step and block are still looked at."""


@cache
def beside(size: int, tile: Tile) -> list[Tile]:
    """The tiles beside one."""
    game = CatTrap(size, frozenset())
    game.cat, game.mover = tile, "cat"
    return sorted(game.moves())


@dataclass
class Planner:
    """By the names of the text, with the readings of the player's documentation."""

    size: int
    max_depth: int
    num_states: int
    reward: int
    gamma: float
    ends: float
    beyond: str

    def free_beside(self, cat: Tile, blocked: frozenset[Tile]) -> list[Tile]:
        return [tile for tile in beside(self.size, cat) if tile not in blocked]

    def is_out(self, cat: Tile) -> bool:
        return not {0, self.size - 1}.isdisjoint(cat)

    def is_over(self, cat: Tile, blocked: frozenset[Tile]) -> bool:
        return self.is_out(cat) or not self.free_beside(cat, blocked)

    def pseudo_reward(self, cat: Tile, blocked: frozenset[Tile]) -> float:
        free = len(self.free_beside(cat, blocked))
        if self.ends and self.is_out(cat):
            return self.ends
        if self.ends and free == 0:
            return -self.ends
        middle = self.size // 2
        steps = min(*cat, self.size - 1 - cat[0], self.size - 1 - cat[1])
        first, second = free / 6, 1 - steps / middle
        share = 1 - steps / (middle + 1)
        return {
            1: first,
            2: second,
            3: (first + second) / 2,
            4: share * second + (1 - share) * first,
        }[self.reward]

    def what_follows(self, situation: Situation, step: Tile) -> list[Situation]:
        _, blocked, rounds = situation
        if self.is_out(step) or rounds == 0:
            return [(step, blocked, 0)]
        free = CatTrap(self.size, blocked)
        free.cat = step
        boards = [blocked | {tile} for tile in sorted(free.moves(), key=lambda tile: tile[::-1])]
        boards.sort(key=lambda board: round(self.pseudo_reward(step, board), 12))
        some = boards if self.num_states < 0 else boards[: self.num_states]
        return [(step, board, rounds - 1) for board in some]

    def worth(self, situation: Situation, step: Tile, utilities: dict[Situation, float]) -> float:
        after = self.what_follows(situation, step)
        return self.mean([(one, self.pseudo_reward(*one[:2])) for one in after], utilities)

    def mean(
        self, pairs: list[tuple[Situation, float]], utilities: dict[Situation, float]
    ) -> float:
        """Of reward and later utility."""
        return sum(gain + self.gamma * utilities.get(one, 0.0) for one, gain in pairs) / len(pairs)

    def utilities(self, first: Situation) -> dict[Situation, float]:
        """Of all situations that may follow, until nothing changes."""
        states: dict[Situation, list[list[tuple[Situation, float]]]] = {}
        open_ = [first]
        while open_:
            situation = open_.pop()
            ended = self.is_over(*situation[:2])
            ended |= self.max_depth > 0 and self.beyond == "nothing" and situation[2] == 0
            if situation not in states and not ended:
                states[situation] = []
                for step in self.free_beside(*situation[:2]):
                    after = self.what_follows(situation, step)
                    open_.extend(after)
                    pairs = [(one, self.pseudo_reward(*one[:2])) for one in after]
                    states[situation].append(pairs)
        utilities = dict.fromkeys(states, 0.0)
        while True:
            new = {
                situation: max(self.mean(pairs, utilities) for pairs in steps)
                for situation, steps in states.items()
            }
            change = max((abs(new[one] - utilities[one]) for one in new), default=0.0)
            utilities = new
            if change < 1e-11:
                return utilities

    def best_steps(self, cat: Tile, blocked: frozenset[Tile]) -> set[Tile]:
        """The tiles to which a planning cat may step."""
        first = cat, blocked, self.max_depth
        utilities = self.utilities(first)
        worth = {step: self.worth(first, step, utilities) for step in self.free_beside(*first[:2])}
        return {step for step in worth if worth[step] > max(worth.values()) - 1e-7}

    def best_blocks(self, cat: Tile, blocked: frozenset[Tile]) -> set[Tile]:
        """The tiles that a planning blocker may block."""
        game = CatTrap(self.size, blocked)
        game.cat = cat
        left = {}
        for tile in game.moves():
            board = blocked | {tile}
            utility = self.utilities((cat, board, self.max_depth)).get(
                (cat, board, self.max_depth), 0.0
            )
            left[tile] = self.pseudo_reward(cat, board) + self.gamma * utility
        return {tile for tile in left if left[tile] < min(left.values()) + 1e-7}
