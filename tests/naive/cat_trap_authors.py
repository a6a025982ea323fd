"""The planner of the authors of the cat trap, slowly: boards in a dictionary."""

from __future__ import annotations

from dataclasses import dataclass

from naive.cat_trap import Tile

Board = tuple[Tile, frozenset[Tile]]
ENDS = {1: (100.0, -100.0, 1), 2: (1000.0, -2500.0, 0), 3: (500_000.0, -2500.0, 0)}
"""By version: an escape, a trap, and how many ways left are one."""


@dataclass
class Authors:
    """Boards are the cat and the blocked tiles; tiles are (column, row)."""

    size: int
    max_depth: int
    num_states: int
    reward: int
    version: int
    gamma: float = 0.85

    def ways(self, tile: Tile) -> list[Tile]:
        """The six tiles beside, also those outside, in the order of the program."""
        x, y = tile
        left = x - 1 + y % 2
        return [
            (x + 1, y),
            (x - 1, y),
            (left + 1, y - 1),
            (left, y - 1),
            (left + 1, y + 1),
            (left, y + 1),
        ]

    def is_inside(self, tile: Tile) -> bool:
        return min(tile) >= 0 and max(tile) < self.size

    def steps(self, board: Board) -> list[Tile]:
        cat, blocked = board
        return [t for t in self.ways(cat) if self.is_inside(t) and t not in blocked]

    def ray(self, board: Board) -> int:
        cat, blocked = board
        rays = [100]
        for way, first in enumerate(self.ways(cat)):
            if first in self.steps(board):
                steps, place = 1, first
                while self.is_inside(place) and place not in blocked:
                    place = self.ways(place)[way]
                    steps += 1
                rays.append(steps * (1 if not self.is_inside(place) else 5))
        return min(rays)

    def gain(self, board: Board) -> float:
        (x, y), ways = board[0], len(self.steps(board))
        escape, trap, fewest = ENDS[self.version]
        last = self.size - 1 if self.version < 3 else self.size
        if x in (0, last) or y in (0, last):
            return escape
        if ways <= fewest:
            return trap
        near = 2 * self.size - self.ray(board)
        weight = 1 / self.ray(board)
        mixed = weight * near + (1 - weight) * 2 * ways
        return (2.0 * ways, near, near / 2 + 2 * ways, mixed)[self.reward - 1]

    def worst(self, cat: Tile, blocked: frozenset[Tile]) -> list[Board]:
        tiles = [(x, y) for y in range(self.size) for x in range(self.size)]
        boards = [(cat, blocked | {t}) for t in tiles if t != cat and t not in blocked]
        boards.sort(key=self.gain)
        return boards if self.num_states < 0 else boards[: self.num_states]

    def known(self, board: Board, depth: int) -> list[Board]:
        """The boards whose utilities are kept."""
        if depth >= self.max_depth:
            return [board]
        later = [one for step in self.steps(board) for one in self.worst(step, board[1])]
        return [board, *(each for one in later for each in self.known(one, depth + 1))]

    def best_step(self, board: Board) -> Tile:
        cat, blocked = board
        tiles = [(x, y) for y in range(self.size) for x in range(self.size)]
        if self.max_depth == 0:
            boards = [board, *((t, blocked) for t in tiles if t not in blocked | {cat})]
        else:
            boards = self.known(board, 0)
        utility = dict.fromkeys(boards, 0.0)
        chosen: dict[Board, Tile] = {}
        for _ in range(1000):
            before = dict(utility)
            for one in boards:
                worth = {}
                for step in self.steps(one):
                    after = [(step, one[1])] if self.max_depth == 0 else self.worst(step, one[1])
                    later = [self.gain(b) + self.gamma * utility.get(b, 0.0) for b in after]
                    worth[step] = sum(later) / len(later)
                if worth:
                    chosen[one] = max(worth, key=lambda step: round(worth[step], 7))
                utility[one] = max(
                    worth.values(), default=-100.0 if self.max_depth == 0 else -1000.0
                )
            if max(abs(utility[one] - before[one]) for one in boards) <= 0.1 * 0.15 / 0.85:
                break
        return chosen[board]
