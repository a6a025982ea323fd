"""Q-learning with dictionaries, position by position: written apart from the kernels it checks."""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np

from tournaments.game import Game, State
from tournaments.kernels.rng import Stream, opening_seed


class Table:
    """The values of a pupil, by the picture of a position; None: never tried.

    ``key`` tells positions apart that have rows of their own.
    """

    def __init__(self, epsilon: float, eta: float, gamma: float, initial: float = 0.0) -> None:
        self.epsilon, self.eta, self.gamma, self.initial = epsilon, eta, gamma, initial
        self.values: dict[Hashable, list[float | None]] = {}
        self.key: Callable[[State], Hashable] = str

    def at(self, state: State) -> list[float]:
        row = self.values.get(self.key(state), [None] * len(state.legal_actions()))
        return [self.initial if value is None else value for value in row]

    def choose(self, state: State, rng: Stream) -> int:
        """The number of the legal action that is played."""
        values = self.at(state)
        if self.epsilon > 0 and rng.random() < self.epsilon:
            return rng.below(len(values))
        ties = [place for place, value in enumerate(values) if value == max(values)]
        return rng.choice(ties)

    def improve(self, state: State, place: int, target: float) -> None:
        row = self.values.setdefault(self.key(state), [None] * len(state.legal_actions()))
        value = self.at(state)[place]
        row[place] = float(np.float32(value + self.eta * (target - value)))


Other = Callable[[State, Stream], int]


def train(game: Game, sides: dict[int, Table], other: Other | None, seed: int, turns: int) -> int:
    """Play games until so many turns are over; return how many games.

    ``sides`` are the pupils by seat; a seat without one is played by ``other``. Where the seats
    are alike the two change them after each game.
    """
    played = games = 0
    while played < turns:
        swapped = games % 2 == 1 and not game.rules.has_roles
        pupils = {seat ^ swapped: table for seat, table in sides.items()}
        streams = [Stream.for_seat(seed, games, seat) for seat in range(2)]
        state = game.start(opening_seed(seed, games))
        last: dict[int, tuple[State, int, int]] = {}
        while not state.is_over:
            seat = state.seat_to_move
            if seat in pupils:
                table, values = pupils[seat], pupils[seat].at(state)
                place = table.choose(state, streams[seat])
                if seat in last:
                    before, tried, lead = last[seat]
                    reward = lead_of(state, seat) - lead
                    table.improve(before, tried, reward + table.gamma * max(values))
                last[seat] = state.clone(), place, lead_of(state, seat)
                action = state.legal_actions()[place]
            else:
                assert other is not None
                action = other(state, streams[seat])
            state.play(action)
            played += 1
        for seat, (before, tried, lead) in last.items():
            pupils[seat].improve(before, tried, lead_of(state, seat) - lead)
        games += 1
    return games


def lead_of(state: State, seat: int) -> int:
    return state.scores[seat] - state.scores[1 - seat]
