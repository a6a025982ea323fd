"""The candidate edges of a player of dots and boxes in every edge set: the basis of exact results.

A player that is measured exactly is a fixed mixed strategy: in each position the player draws one
of its candidate edges, all equally likely. The drawn edges of the board determine the candidates.
An *edge set* is a position without its scores and its seat to move, encoded as a number: bit i is
set if edge i is drawn. :func:`survey` collects a player's candidates in all edge sets, up to 2^24.
:mod:`tournaments.games.dots_and_boxes.best_response` and
:mod:`tournaments.games.dots_and_boxes.exact_play` use the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np

from tournaments.errors import TournamentError
from tournaments.game import Game
from tournaments.games.dots_and_boxes.rules import (
    COLS,
    DRAWN,
    EDGES,
    LEFT,
    ROWS,
    TABLE,
    box_edges,
    make_board,
)
from tournaments.kernels import bitset as action_sets
from tournaments.kernels.hooks import begin, candidates, start
from tournaments.kernels.linker import build, kernel
from tournaments.player import CompiledPlayer, Player, compiled, identity
from tournaments.solver import every_game
from tournaments.solver import table as oracle

BLOCK_BITS = 8
"""Edge sets are dealt to threads in blocks, whose members agree in this many of their last edges.

Blocks that have equally many of these edges do not depend on one another.
"""


@dataclass(frozen=True, eq=False)
class Surveyed:
    """A player, by its candidates in each edge set.

    Attributes:
        game: the game.
        name: the player's.
        candidates: int32 [edge sets], a set of edges each, bit i for edge i; none where all edges
            are drawn. 64 MB on 3x3.
    """

    game: Game
    name: str
    candidates: np.ndarray = field(repr=False)


def survey(player: Player | Surveyed, threads: int = 1) -> Surveyed:
    """Return the candidate edges of a player of dots and boxes in every edge set.

    A survey is returned unchanged. On 3x3 boxes a network takes about five seconds of one thread,
    the levels less.

    Args:
        player: any whose kind offers its candidates (:attr:`tournaments.player.Kind`): random play,
            the levels, perfect play and networks do.
        threads: number of threads, which does not change the result.

    Raises:
        TournamentError: another game, a board of more than 24 edges, a player whose candidates are
            not known, or fewer than one thread.
    """
    if threads < 1:
        raise TournamentError(f"threads={threads!r} given; at least 1 is expected")
    if isinstance(player, Surveyed):
        return player
    measured = checked(player)
    sets = np.empty(oracle.num_positions(measured.game), dtype=np.int32)
    _fill(measured, sets, threads)
    sets.flags.writeable = False
    return Surveyed(measured.game, measured.name, sets)


_newest: dict[str, Surveyed] = {}


def surveyed(player: CompiledPlayer, threads: int) -> Surveyed:
    """Return the survey of a player of dots and boxes.

    The last player's survey is cached (64 MB on 3x3 boxes).
    """
    key = f"{player.game.spec} {identity(player)}"
    known = _newest.get(key)
    if known is None:
        known = survey(player, threads)
        _newest.clear()
        _newest[key] = known
    return replace(known, name=player.name)


def checked(player: Player) -> CompiledPlayer:
    """Return a player of dots and boxes in compiled form if it can be surveyed; if not, raise.

    Raises:
        TournamentError: as for :func:`survey`.
    """
    made = compiled(player)
    if made is not None and made.game.rules.board is not make_board:
        raise TournamentError(
            f"a player of {made.game.spec} given; exact results are computed here only for "
            "dots-and-boxes (other games may offer Rules.best_responses and Rules.meetings)"
        )
    measured = every_game.checked(player)
    oracle.num_positions(measured.game)  # refuses large boards
    return measured


# --- blocks --------------------------------------------------------------------------------------


def num_blocks(edges: int) -> int:
    """Return the number of blocks into which the edge sets of a board are divided.

    The game is dots and boxes; ``edges`` is the number of edges of the board.
    """
    return 1 << min(BLOCK_BITS, edges)


def layers_of_blocks(edges: int) -> list[list[int]]:
    """Return the blocks of edge sets of dots and boxes in layers, by their number of drawn edges.

    An edge set depends only on edge sets with one edge more, or one less. So a block depends only
    on itself and on blocks of the next layer, or of the one before. ``edges`` is the number of
    edges of the board.
    """
    blocks = range(num_blocks(edges))
    most = len(blocks).bit_length() - 1
    return [[block for block in blocks if block.bit_count() == drawn] for drawn in range(most + 1)]


def in_layers(
    work: Callable[[int, int], None], edges: int, layers: Iterable[list[int]], threads: int
) -> None:
    """Run work for each block of edge sets of dots and boxes, layer by layer, in threads.

    The blocks of a layer run in parallel. ``work`` takes the number of a block and the number of
    edge sets in the block. ``edges`` is the number of edges of the board.
    """
    size = (1 << edges) // num_blocks(edges)
    with ThreadPoolExecutor(threads) as pool:
        for layer in layers:
            list(pool.map(lambda block: work(block, size), layer))  # raises the errors of the work


def walls_of(game: Game) -> np.ndarray:
    """Return the edges of each box of dots and boxes as an edge set, int64 ``[boxes + 1]``.

    The last, for the rim, is -1, which is never full.
    """
    boxes = box_edges(int(game.board[ROWS]), int(game.board[COLS]))
    return np.array([*(sum(1 << edge for edge in sides) for sides in boxes), -1], dtype=np.int64)


@kernel
def members(edges):
    """Return the number of edges in a set of edges that is given as bits, up to 32."""
    return np.int64(action_sets.size_of_word(np.uint64(edges)))


# --- asking a player -----------------------------------------------------------------------------


def _fill(player: CompiledPlayer, sets: np.ndarray, threads: int) -> None:
    """Fill the candidate edges of a player of dots and boxes in all edge sets, block by block.

    The blocks do not depend on each other.
    """
    game, edges = player.game, player.game.num_actions
    fill = build(fill_sets, every_game.asking_hooks(player))

    def fill_block(block: int, size: int) -> None:
        asked = every_game.asked_player(player)
        state = np.zeros(game.state_size, dtype=np.int16)
        fill(game.board, state, asked, sets, block * size, size)

    in_layers(fill_block, edges, [list(range(num_blocks(edges)))], threads)


@kernel
def fill_sets(board, state, asked, sets, first, size):
    """Fill the candidate edges of a player for one block of edge sets of dots and boxes.

    The block has the edge sets ``first`` to ``first + size - 1``; the fullest comes first.
    ``asked`` has the player's parameters and memory, ``sets`` is filled.
    """
    last = first + size - 1
    set_up(board, state, last)
    for number in range(last, first - 1, -1):
        if number < last:
            step_down(board, state, number)
        if state[LEFT] == 0:
            sets[number] = 0
            continue
        begin(board, state, asked.parameters, asked.row, asked.memory)
        candidates(board, state, asked.parameters, asked.row, asked.memory, asked.words)
        sets[number] = np.int32(asked.words[0])


@kernel
def set_up(board, state, number):
    """Write a position of dots and boxes with the drawn edges of an edge set into ``state``.

    The edge set does not determine the seat to move and the scores.
    """
    start(board, state, np.uint64(0))
    for edge in range(board[EDGES]):
        draw_edge(board, state, edge, (number >> edge) & 1)


@kernel
def step_down(board, state, number):
    """Change a position of dots and boxes from the edge set ``number + 1`` to ``number``.

    Two edges change on average.
    """
    edge = 0
    while (number >> edge) & 1 != 0:
        draw_edge(board, state, edge, 1)
        edge += 1
    draw_edge(board, state, edge, -1)


@kernel
def draw_edge(board, state, edge, change):
    """Add an edge to a position of dots and boxes (+1), or remove it (-1), without a move."""
    state[DRAWN + edge] += change
    state[LEFT] -= change
    state[DRAWN + board[EDGES] + board[TABLE + 2 * edge]] += change
    state[DRAWN + board[EDGES] + board[TABLE + 2 * edge + 1]] += change
