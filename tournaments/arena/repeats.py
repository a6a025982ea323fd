"""Detection of pairs of players that play the same two games in every match, for any seed.

A game has no randomness if its ``start`` never uses its seed. In such a game, a pair repeats its
games if no choice of the first match depended on a random stream. For a kind with
``Kind.candidates`` this means one candidate at each turn. Any other player must not have used its
stream. A player that cannot be compiled may have its own source of randomness and use it rarely, so
its first sixteen matches must be equal, move for move.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tournaments.arena.clock import Timekeeper, Turns
from tournaments.arena.forfeits import Patience
from tournaments.arena.match import play_game
from tournaments.errors import PlayerFault
from tournaments.game import EndlessGame, Game, State
from tournaments.kernels import bitset
from tournaments.kernels.hooks import begin, candidates
from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import Stream
from tournaments.player import CompiledPlayer, Player, compiled, sit_down

MATCHES = 16
"""Matches that are looked at, of players that may have randomness of their own."""


class UncertainError(Exception):
    """An error for a choice that depends on a seed or a stream."""


class Unused:
    """A seed that must not be used."""

    def __eq__(self, other: object) -> bool:
        raise UncertainError

    def __bool__(self) -> bool:
        raise UncertainError


def draws(game: Game) -> bool:
    """Return whether a game may have random openings or chance: whether its start uses the seed."""
    try:
        game.rules.start(game.board, np.zeros(game.state_size, dtype=np.int16), Unused())
    except Exception:
        return True
    return False


@kernel
def only_choice(board, state, parameters, row, memory, words):
    """Return the action that a player chooses for any random stream, or -1 if it draws."""
    begin(board, state, parameters, row, memory)
    if candidates(board, state, parameters, row, memory, words) > 1:
        return -1
    return bitset.nth(words, 0)


class Certain:
    """A wrapper that raises if a player's choice is random. Each game needs a new wrapper."""

    def __init__(self, player: Player) -> None:
        self.name, self.remembers = player.name, True
        self._player, self._made = player, compiled(player)
        self._may_draw = getattr(player, "takes_seed", False)

    def sit(self, state: State, seat: int) -> Certain:
        """Return this wrapper for a seat of a game. It raises if the player's choice is random.

        See :func:`tournaments.player.sit_down`.
        """
        made = self._made
        if made is not None and made.kind.candidates is not None:
            self.remembers, self.choose = False, _only_choice_of(made)
            return self
        seated = sit_down(
            self._player if made is None else replace(made, at_speed=True), state, seat
        )
        self.remembers, self.watch = getattr(seated, "remembers", True), seated.watch

        def choose(state: State, rng: Stream) -> int:
            before = int(rng.state[0])
            action = seated.choose(state, rng)
            if int(rng.state[0]) != before and not self._may_draw:
                raise UncertainError
            return action

        self.choose = choose
        return self


def _only_choice_of(player: CompiledPlayer) -> Any:
    """Return a function that returns a player's only candidate action in a state.

    It raises UncertainError if the player draws among several.
    """
    game, kind, parameters = player.game, player.kind, player.parameters
    hooks: dict[str, Any] = {**game.hooks, **kind.hooks, "candidates": kind.candidates}
    only, words = build(only_choice, hooks), bitset.empty(game.num_actions)
    own = parameters, player.row, kind.memory(game, parameters), words

    def choose(state: State, rng: Stream) -> int:
        action = int(only(game.board, state.array, *own))
        if action < 0:
            raise UncertainError
        return action

    return choose


def matches_looked_at(players: tuple[Player, Player]) -> int:
    """Return the number of first matches of a pair that must be equal to find that it repeats."""
    return 1 if all(map(compiled, players)) else MATCHES


@dataclass(frozen=True)
class Rehearsal:
    """A work item that plays the first games of a pair to find out whether its games repeat.

    Attributes:
        game: a game without randomness (:func:`draws`).
        players: the two players.
        seeds: the seeds of the first matches, as many as :func:`matches_looked_at` returns.
        patience: the record of players that were late in earlier games.
    """

    game: Game
    players: tuple[Player, Player]
    seeds: tuple[int, ...]
    patience: Patience = field(default_factory=Patience)

    def run(self) -> bool:
        """Play the first games of a pair of players; return whether its games are always the same.

        It is false after a fault or an endless game.
        """
        first, *others = self.seeds
        try:
            with closing(Timekeeper(self.patience)) as keeper:
                moves = self._moves(first, keeper)
                return all(self._moves(seed, keeper) == moves for seed in others)
        except (PlayerFault, EndlessGame):
            return False

    def _moves(self, seed: int, keeper: Timekeeper) -> list[list[tuple[int, int]]]:
        """Return the seat and the action of each move in both games of a match with this seed."""
        number = 0

        def play(turns: Turns) -> list[tuple[int, int]]:
            first, second = map(Certain, self.players)
            course = play_game(self.game, first, second, seed, number, turns)
            return [move[1:] for move in course]

        match = []
        for number in range(2):
            match.append(keeper.played(*self.players, number, play))
        return match

    def witness(self, repeats: bool) -> bytes:
        """Return the result as bytes on which workers that check each other must agree."""
        return bytes([repeats])
