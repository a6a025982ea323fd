"""Pairs of players that play the same two games again in every match, whatever its seed.

A game without randomness is one whose ``start`` never uses its seed. In it a pair repeats its games
if in the first match no player had a choice that its stream could decide: of a kind that tells from
what it draws (``Kind.candidates``) there was one candidate at each turn, any other player left its
stream alone. A player that cannot be compiled may have randomness of its own and use it rarely, so
its first sixteen matches must be alike, move for move.
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
    """A choice that a seed or a stream decides."""


class Unused:
    """A seed that must not be used."""

    def __eq__(self, other: object) -> bool:
        raise UncertainError

    def __bool__(self) -> bool:
        raise UncertainError


def draws(game: Game) -> bool:
    """Whether a game may start at random or have chance: whether ``start`` uses its seed."""
    try:
        game.rules.start(game.board, np.zeros(game.state_size, dtype=np.int16), Unused())
    except Exception:
        return True
    return False


@kernel
def only_choice(board, state, parameters, row, memory, words):
    """Return the action that a player chooses whatever it draws; -1: it draws from several."""
    begin(board, state, parameters, row, memory)
    if candidates(board, state, parameters, row, memory, words) > 1:
        return -1
    return bitset.nth(words, 0)


class Certain:
    """A player that raises where it chooses by chance; each game has one of its own."""

    def __init__(self, player: Player) -> None:
        self.name, self.remembers = player.name, True
        self._player, self._made = player, compiled(player)
        self._may_draw = getattr(player, "takes_seed", False)

    def sit(self, state: State, seat: int) -> Certain:
        """Sit down, see :func:`tournaments.player.sit_down`."""
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
    """Return a function that gives the player's only candidate, or raises UncertainError."""
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
    """Return how many first matches of a pair must be alike."""
    return 1 if all(map(compiled, players)) else MATCHES


@dataclass(frozen=True)
class Rehearsal:
    """The first games of a pair; a piece of work that tells whether all others are the same.

    Attributes:
        game: which draws nothing (:func:`draws`).
        players: the two.
        seeds: of the first matches, as many as :func:`matches_looked_at` says.
        patience: who was late in a game before.
    """

    game: Game
    players: tuple[Player, Player]
    seeds: tuple[int, ...]
    patience: Patience = field(default_factory=Patience)

    def run(self) -> bool:
        """Return whether the pair repeats its games. A fault, or a game without end, denies it."""
        first, *others = self.seeds
        try:
            with closing(Timekeeper(self.patience)) as keeper:
                moves = self._moves(first, keeper)
                return all(self._moves(seed, keeper) == moves for seed in others)
        except (PlayerFault, EndlessGame):
            return False

    def _moves(self, seed: int, keeper: Timekeeper) -> list[list[tuple[int, int]]]:
        """Return seat and action of each move, game by game of a match."""
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
        """Return what workers that are cross-checked must agree on."""
        return bytes([repeats])
