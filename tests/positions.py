"""Positions, boards and players of both games, as several tests take them."""

from __future__ import annotations

import math
import random as python_random

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from naive.cat_and_mouse import CatAndMouse, Grid
from naive.dots_and_boxes import (
    DotsAndBoxes,
    Network,
    levels_of_genome,
    perfect_value,
)

from tournaments import games
from tournaments.game import Game
from tournaments.kernels.arithmetic import sigmoid
from tournaments.kernels.rng import Stream, generator
from tournaments.player import CompiledPlayer
from tournaments.players.network import Encoding, layers_for


def position(rows: int, cols: int, plies: int, seed: int):
    """A random position, in both forms."""
    rng = python_random.Random(seed)
    state = games.make("dots-and-boxes", rows=rows, cols=cols).start()
    naive = DotsAndBoxes(rows, cols)
    for _ in range(min(plies, state.game.num_actions - 1)):
        action = rng.choice(naive.legal())
        state.play(action)
        naive.play(action)
    return state, naive


def choices(player, state, draws: int, seed: int = 0) -> np.ndarray:
    """How often each action is chosen."""
    stream = Stream(seed)
    chosen = [player.choose(state, stream) for _ in range(draws)]
    return np.bincount(chosen, minlength=state.game.num_actions)


def assert_uniform(counts: np.ndarray, among: list[int]) -> None:
    """All draws fall on these actions, evenly."""
    assert list(np.flatnonzero(counts)) == sorted(among)
    expected, freedom = counts.sum() / len(among), max(1, len(among) - 1)
    chi_square = ((counts[among] - expected) ** 2 / expected).sum()
    assert chi_square < chi_square_bound(freedom)


def chi_square_bound(freedom: int) -> float:
    """What chi-square exceeds once in about 3,500,000 times (Wilson and Hilferty, z = 5)."""
    return freedom * (1 - 2 / (9 * freedom) + 5 * math.sqrt(2 / (9 * freedom))) ** 3


SIZES = st.tuples(st.integers(1, 4), st.integers(1, 4))


PLIES = st.integers(0, 40)


def board(rows: int, cols: int) -> Game:
    return games.make("dots-and-boxes", rows=rows, cols=cols)


def random_genome(game: Game, seed: int) -> bytes:
    size = Encoding(layers_for(game)).num_bytes
    return generator(seed, "network").integers(0, 256, size, dtype=np.uint8).tobytes()


def network(game: Game, seed: int) -> CompiledPlayer:
    made = Encoding(layers_for(game)).player(game, [random_genome(game, seed)], "network")
    assert isinstance(made, CompiledPlayer)
    return made


def perfect_moves(rows: int, cols: int):
    value = perfect_value(rows, cols)

    def moves(naive: DotsAndBoxes) -> list[int]:
        worth = {}
        for action in naive.legal():
            drawn = frozenset(naive.drawn | {naive.lines[action]})
            won = sum(1 for box in naive.boxes if box <= drawn and not box <= naive.drawn)
            worth[action] = won + value(drawn) if won else -value(drawn)
        return [action for action, gain in worth.items() if gain == max(worth.values())]

    return moves


def network_moves(game: Game, seed: int):
    layers = layers_for(game)
    weights = Encoding(layers).num_weights
    naive_network = Network(levels_of_genome(random_genome(game, seed), weights), layers)

    def moves(naive: DotsAndBoxes) -> list[int]:
        inputs = [int(line in naive.drawn) for line in naive.lines]
        return naive_network.moves(inputs, naive.legal(), sigmoid)

    return moves


@st.composite
def settings_of_games(draw):
    """A game's options, and the slow game with the same."""
    rows, cols = draw(st.integers(2, 4)), draw(st.integers(2, 4))
    cells = [(x, y) for x in range(cols) for y in range(rows)]
    walls = draw(st.sets(st.sampled_from(cells), max_size=2))
    grid = Grid(rows, cols, walls)
    assume(len(grid.cells) > 2 and grid.is_connected())
    free = st.sampled_from(sorted(grid.cells))
    cats = draw(st.lists(free, min_size=1, max_size=2))
    mice = draw(st.lists(free, min_size=1, max_size=2))
    assume(not set(cats) & set(mice))
    first = draw(st.integers(0, 1))
    speeds = draw(st.tuples(st.integers(1, 2), st.integers(1, 2)))
    limit = draw(st.one_of(st.none(), st.integers(1, 12)))
    options = {
        "rows": rows,
        "cols": cols,
        "first": ("cat", "mouse")[first],
        "cats": len(cats),
        "mice": len(mice),
        "cat_steps": speeds[0],
        "mouse_steps": speeds[1],
        "cat_start": named(cats),
        "mouse_start": named(mice),
        "obstacles": named(walls),
        **({"end": "move-limit", "limit": limit} if limit else {}),
    }
    return options, CatAndMouse(grid, (cats, mice), first, speeds, limit)


def named(cells) -> str:
    return "+".join(f"{x}:{y}" for x, y in cells) or "none"
