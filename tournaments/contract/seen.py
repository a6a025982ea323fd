"""What :func:`tournaments.contract.check.check_game` saw of a game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from tournaments.game import Game


@dataclass
class Seen:
    """Games at random, counted.

    Attributes:
        game: as a user types it.
        seats: what they are called.
        plies: how long each game was.
        wins: games that each seat has won; the others are draws.
        moves: turns of each seat.
        choices: those of its turns at which it had more than one action.
        listed: actions that were legal, over all turns.
        most: the most that were legal at a turn.
    """

    game: str
    seats: tuple[str, ...]
    plies: list[int] = field(default_factory=list)
    wins: list[int] = field(default_factory=lambda: [0, 0])
    moves: list[int] = field(default_factory=lambda: [0, 0])
    choices: list[int] = field(default_factory=lambda: [0, 0])
    listed: int = 0
    most: int = 0

    @classmethod
    def nothing(cls, game: Game) -> Seen:
        """Before the first game."""
        return cls(game.spec, game.seats)

    @classmethod
    def of_json(cls, table: dict[str, Any]) -> Seen:
        """What :meth:`as_json` gave."""
        return cls(**{**table, "seats": tuple(table["seats"])})

    def as_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)

    def note_move(self, seat: int, actions: int) -> None:
        """A seat has its turn, with so many legal actions."""
        self.moves[seat] += 1
        self.choices[seat] += actions > 1
        self.listed += actions
        self.most = max(self.most, actions)

    def note_game(self, plies: int, returns: Sequence[int]) -> None:
        """A game is over."""
        self.plies.append(plies)
        for seat in (0, 1):
            self.wins[seat] += returns[seat] > 0

    @property
    def games(self) -> int:
        """How many were played."""
        return len(self.plies)

    @property
    def longest(self) -> int:
        """Plies of the longest game."""
        return max(self.plies)

    @property
    def row(self) -> dict[str, Any]:
        """All of it in a row."""
        draws = self.games - sum(self.wins)
        return {
            "game": self.game,
            "games": self.games,
            "plies_least": min(self.plies),
            "plies_mean": sum(self.plies) / self.games,
            "plies_most": self.longest,
            **{f"wins_{name}": won for name, won in zip(self.seats, self.wins, strict=True)},
            "draws": draws,
            **{f"turns_{name}": turns for name, turns in zip(self.seats, self.moves, strict=True)},
            "branching_mean": self.listed / sum(self.moves),
            "branching_most": self.most,
        }

    def __str__(self) -> str:
        row, each = self.row, zip(self.seats, self.wins, self.moves, strict=True)
        seats = "; ".join(
            f"{name} wins {won / self.games:.0%} and has {turns / sum(self.moves):.0%} of the turns"
            for name, won, turns in each
        )
        return (
            f"{self.games} games at random of {row['plies_least']} to {row['plies_most']} plies "
            f"(mean {row['plies_mean']:.1f}); {seats}; draws {row['draws'] / self.games:.0%}; "
            f"legal actions a turn {row['branching_mean']:.1f} on average, at most {self.most}"
        )
