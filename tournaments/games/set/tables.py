"""Statistics of tables of Set: the number of sets at random, and turn by turn in games.

The games equal the arena's games with the same seeds. Each of their tables is counted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.games.set import preferences
from tournaments.games.set.rules import ON_TABLE, count_cards, count_sets
from tournaments.kernels.hooks import play, start
from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import seed_game
from tournaments.player import CompiledPlayer
from tournaments.players.vector import Vectors


class Tables(NamedTuple):
    """The tables of games at each turn and at the end.

    Attributes:
        sets: int16 ``[G, T]``, number of sets; -1 behind the end. Seats move in turn, the first in
            column 0.
        cards: int16 ``[G, T]``, number of cards; -1 behind the end.
    """

    sets: np.ndarray
    cards: np.ndarray


@kernel
def count_at_start(board, seeds, state, sets):
    """Fill ``sets`` with the number of sets on the table at the start of games of Set, by seed."""
    for number in range(seeds.size):
        start(board, state, seeds[number])
        sets[number] = count_sets(board, state)


@kernel
def record(board, seeds, parameters, memory, streams, state, tables):
    """Play a game of Set per seed, and record the number of sets and cards on its tables."""
    for number in range(seeds.size):
        start(board, state, seed_game(streams, seeds[number], 0))
        turn = 0
        tables.sets[number, 0] = count_sets(board, state)
        tables.cards[number, 0] = count_cards(board, state, ON_TABLE)
        while state[0] >= 0:
            stream = streams[state[0]]
            action = preferences.choose(board, state, parameters, 0, memory, stream)
            play(board, state, action)
            turn += 1
            tables.sets[number, turn] = count_sets(board, state)
            tables.cards[number, turn] = count_cards(board, state, ON_TABLE)


def sets_at_random(game: Game, seeds: np.ndarray) -> np.ndarray:
    """Return the number of sets on random tables of Set, one per seed, int16 ``[G]``."""
    sets = np.zeros(len(seeds), dtype=np.int16)
    state = np.zeros(game.state_size, dtype=np.int16)
    build(count_at_start, game.hooks)(game.board, seeds, state, sets)
    return sets


def tables_of(
    game: Game, first: CompiledPlayer, second: CompiledPlayer, seeds: np.ndarray
) -> Tables:
    """Return the tables in games of Set between two players of preferences, one per match seed.

    Raises:
        TournamentError: a player of another kind.
    """
    for player in (first, second):
        if player.kind is not preferences.KIND:
            raise TournamentError(
                f"{player.name} given; a player that goes by preferences is expected, such as "
                "taker or spoiler, or the preferences of random play, all zeros"
            )
    parameters = Vectors(
        first.parameters.first[first.row : first.row + 1],
        second.parameters.second[second.row : second.row + 1],
    )
    size = len(seeds), game.most_plies + 1
    tables = Tables(*(np.full(size, -1, dtype=np.int16) for _ in Tables._fields))
    memory = preferences.memory(game, parameters)
    state, streams = np.zeros(game.state_size, dtype=np.int16), np.zeros((2, 1), dtype=np.uint64)
    build(record, game.hooks)(game.board, seeds, parameters, memory, streams, state, tables)
    return tables
