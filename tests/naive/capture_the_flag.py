"""Capture the flag on squares of the maze's text, slowly: rules without noise, who sees whom."""

from __future__ import annotations

from dataclasses import dataclass, replace

Square = tuple[int, int]
"""Column and row."""
NAMES = ("red 1", "blue 1", "red 2", "blue 2")
TEAMS = {name: name.split()[0] for name in NAMES}
STEPS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0), "stay": (0, 0)}


@dataclass(frozen=True)
class Flag:
    """A position: the maze's lines, where agents are, dots that are left, points, moves played."""

    lines: tuple[str, ...]
    places: dict[str, Square]
    dots: frozenset[Square]
    points: dict[str, int]
    played: int
    most: int
    sent: frozenset[str] = frozenset()

    @property
    def mover(self) -> str:
        return NAMES[self.played % 4]

    @property
    def is_over(self) -> bool:
        return self.played == self.most or {self.home(dot) for dot in self.dots} != {"red", "blue"}

    def home(self, square: Square) -> str:
        return "red" if square[0] < len(self.lines[0]) / 2 else "blue"

    def moves(self) -> dict[str, Square]:
        """The square that each legal move leads to."""
        x, y = self.places[self.mover]
        ends = {way: (x + dx, y + dy) for way, (dx, dy) in STEPS.items()}
        return {way: (x, y) for way, (x, y) in ends.items() if self.lines[y][x] != "#"}

    def after(self, way: str) -> Flag:
        mover, square = self.mover, self.moves()[way]
        team = TEAMS[mover]
        places, points, dots = {**self.places, mover: square}, dict(self.points), self.dots
        if square in dots and self.home(square) != team:
            dots = dots - {square}
            points[team] += 1
        met = [name for name in NAMES if TEAMS[name] != team and places[name] == square]
        sent = {mover} if met and self.home(square) != team else set(met)
        for name in sent:
            places[name] = start_of(self.lines, name)
        return replace(
            self,
            places=places,
            dots=dots,
            points=points,
            played=self.played + 1,
            sent=frozenset(sent),
        )

    def seen(self, team: str) -> set[str]:
        """Whom a team sees: its own, and enemies within 5 squares of one of them."""
        own = {name for name in NAMES if TEAMS[name] == team}
        return own | {
            name for name in NAMES if any(self.apart(name, friend) <= 5 for friend in own)
        }

    def apart(self, one: str, other: str) -> int:
        return sum(abs(a - b) for a, b in zip(self.places[one], self.places[other], strict=True))


def start_of(lines: tuple[str, ...], name: str) -> Square:
    digit = str(1 + NAMES.index(name))
    (square,) = [(line.index(digit), y) for y, line in enumerate(lines) if digit in line]
    return square


def first(layout: str, most: int) -> Flag:
    """The first position of a maze that is given as text."""
    lines = tuple(layout.strip("\n").split("\n"))
    places = {name: start_of(lines, name) for name in NAMES}
    dots = {(x, y) for y, line in enumerate(lines) for x, at in enumerate(line) if at == "."}
    return Flag(lines, places, frozenset(dots), {"red": 0, "blue": 0}, 0, most)
