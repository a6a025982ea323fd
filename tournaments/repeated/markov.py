"""A player that predicts the other's moves by its last ones, and answers the expected move.

It counts which moves follow on the last k moves, k = 0 to its order. It predicts the next move from
the longest run of last moves that was seen ``threshold`` times, as the mean of a Dirichlet
distribution: counts and ``prior``, over their sum. The expected score of each move follows
(decision theory), and a move is played with a probability proportional to exp(beta * score)
(Berkes, "My AI reads your mind", 2011).

Level 0 plays at random. Level 1 predicts the other's move by these counts. Level 2 predicts the
answer of a level 1 player on the other side, which counts my moves. Level 3 predicts a level 2. A
modelled player has the same numbers. The counted moves are therefore the other's at odd levels, and
the player's own at even levels.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tournaments.game import Game
from tournaments.kernels.arithmetic import exp, sigmoid
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import below
from tournaments.player import Foreseen, Kind
from tournaments.repeated.draws import drawn
from tournaments.repeated.rules import FIRST, MOVES, payoff
from tournaments.rules import VectorForm

MOST_ORDER, MOST_LEVEL = 4, 3
POSITIVE = (1 << 31) - 1
"""A mask, by which the compiler sees that an index is not below 0."""
ORDER, LEVEL, BETA, PRIOR, THRESHOLD, NET = range(6)
"""Places in a player's numbers."""
NAMES = ("order", "level", "beta", "prior", "threshold", "net")
BEST = 1e9
"""The beta of a player that takes the best move, one of equals at random."""


class Numbers(NamedTuple):
    """The numbers of players ``markov`` as kernels read them.

    Attributes:
        numbers: float64 ``[N, 6]``, by the places above.
        learnt: float64 ``[C]``, the prior of each cell of the counts, in shares of ``prior``.
    """

    numbers: np.ndarray
    learnt: np.ndarray


class Memory(NamedTuple):
    """The memory of the player ``markov`` for one side.

    Attributes:
        numbers: float64 ``[6]``, the parameters of the player.
        learnt: see :class:`Numbers`.
        counts: float64 ``[C]``: for each order k, each run of k moves, each move after it.
        begins: int64 ``[5]``, where the counts of each order begin.
        runs: int64 ``[5]``, for each order k where the counts after the last k moves begin.
        length: int64 ``[1]``, number of last moves so far, up to the order.
        gains: float64 ``[A, A]``, the points of a move against the other's, less ``net`` times
            those of the other.
        chances, worths: float64 ``[A]``, scratch.
    """

    numbers: np.ndarray
    learnt: np.ndarray
    counts: np.ndarray
    begins: np.ndarray
    runs: np.ndarray
    length: np.ndarray
    gains: np.ndarray
    chances: np.ndarray
    worths: np.ndarray


# --- what is noted -----------------------------------------------------------------------------


@kernel
def set_up(board, state, memory):
    """Prepare the memory of the player ``markov``: counts are zero, and gains are filled in."""
    moves, order = np.int64(board[MOVES]), np.int64(memory.numbers[ORDER])
    end, width = np.int64(0), moves
    for length in range(order + 1):
        memory.begins[length] = end
        memory.runs[length] = end
        end += width
        width *= moves
    memory.counts[:end] = 0.0
    for own in range(moves):
        for other in range(moves):
            theirs = memory.numbers[NET] * payoff(board, other, own)
            memory.gains[own, other] = payoff(board, own, other) - theirs
    memory.length[0] = 0


@kernel
def watch(board, state, action, parameters, row, memory):
    """Count, for the player ``markov``, the move that followed the last moves in a repeated game.

    It counts once both moves of a round are carried out.
    """
    level = np.int64(memory.numbers[LEVEL])
    if state[0] == 1 or level == 0:
        return
    # The seat that moved last is the second; of the other's move no more than HIDDEN is told.
    seat = 1 if action >= 0 else 0
    move = np.int64(state[state.size + FIRST + ((seat + level) & 1)]) & POSITIVE
    moves, runs, begins = np.int64(board[MOVES]), memory.runs, memory.begins
    known = memory.length[0]
    for length in range(known + 1):
        memory.counts[(runs[length] & POSITIVE) + move] += 1.0
    if known < np.int64(memory.numbers[ORDER]):
        memory.length[0] = known + 1
    for length in range(memory.length[0], 0, -1):  # the newest move counts least in a run's number
        runs[length] = begins[length] + moves * (move + runs[length - 1] - begins[length - 1])


# --- what is chosen ----------------------------------------------------------------------------


@kernel
def times_seen(memory, length, moves):
    """Return how often the player ``markov`` has seen the current run of last moves before.

    Args:
        memory: its memory.
        length: the number of moves of the run.
        moves: the number of moves of the game.
    """
    seen = 0.0
    for move in range(moves):
        seen += memory.counts[memory.runs[length] + move]
    return seen


@kernel
def predict(board, memory):
    """Fill ``memory.chances`` with weights of each next move of the seat whose moves are counted.

    The player ``markov`` predicts by the counts after the last moves.
    """
    moves = np.int64(board[MOVES])
    counts, numbers = memory.counts, memory.numbers
    length = memory.length[0]
    if numbers[THRESHOLD] > 0.0:
        while length > 0 and times_seen(memory, length, moves) < numbers[THRESHOLD]:
            length -= 1
    cell = memory.runs[length] & POSITIVE
    is_other = np.int64(numbers[LEVEL]) % 2 == 1
    total, prior = 0.0, numbers[PRIOR]
    for move in range(moves):
        share = memory.learnt[cell + move] if is_other else 1.0
        chance = counts[cell + move] + prior * share
        memory.chances[move] = chance
        total += chance
    for move in range(moves):
        memory.chances[move] = memory.chances[move] / total if total > 0.0 else 1.0 / moves


@kernel
def answer(board, memory):
    """Replace the chances of one side's moves by the weights of the other side's answers.

    ``memory.chances`` of the player ``markov`` is changed.

    Returns:
        The sum of the weights.
    """
    moves = np.int64(board[MOVES])
    beta = memory.numbers[BETA]
    best = -1e300
    for own in range(moves):
        worth = 0.0
        for other in range(moves):
            worth += memory.chances[other] * memory.gains[own, other]
        memory.worths[own] = worth
        best = max(best, worth)
    total = 0.0
    for own in range(moves):
        power = exp(beta * (memory.worths[own] - best))
        memory.chances[own] = power
        total += power
    return total


@kernel
def choose(board, state, parameters, row, memory, stream):
    """Draw a move of the player ``markov`` by its expected score against the predicted moves."""
    level = np.int64(memory.numbers[LEVEL])
    if level == 0:
        return below(stream, np.int64(board[MOVES]))
    predict(board, memory)
    total = answer(board, memory)
    for _ in range(level - 1):
        for move in range(np.int64(board[MOVES])):
            memory.chances[move] = memory.chances[move] / total
        total = answer(board, memory)
    return drawn(memory.chances, total, stream)


# --- players by their numbers ------------------------------------------------------------------


@kernel
def begin(board, state, parameters, row, memory):
    """Prepare the player ``markov`` for a game: take its numbers, and begin to count."""
    for place in range(memory.numbers.size):
        memory.numbers[place] = parameters.numbers[row, place]
    set_up(board, state, memory)


def cells(moves: int) -> int:
    """Return the number of counts of moves after runs of all lengths together.

    ``moves`` is the number of possible moves.
    """
    return sum(moves ** (order + 1) for order in range(MOST_ORDER + 1))


def memory(game: Game, parameters: Any) -> Memory:
    """Allocate the memory of the player ``markov`` for one side, with the prior of its parameters.

    Genomes have an even prior.
    """
    moves = game.num_actions
    learnt = getattr(parameters, "learnt", np.ones(cells(moves)))
    numbers, counts = np.zeros(len(NAMES)), np.zeros(cells(moves))
    begins, runs = np.zeros((2, MOST_ORDER + 1), dtype=np.int64)
    length, gains = np.zeros(1, dtype=np.int64), np.zeros((moves, moves))
    return Memory(numbers, learnt, counts, begins, runs, length, gains, *np.zeros((2, moves)))


def foresee(game: Game, memory: Memory) -> Foreseen:
    """Return the probabilities of the other's next move, as ``markov`` expects, and of its own."""
    moves, level = game.num_actions, int(memory.numbers[LEVEL])
    if level == 0:
        return (), (1.0 / moves,) * moves
    predict(game.board, memory)
    for _ in range(level - 1):
        memory.chances[:] /= answer(game.board, memory)
    expected = tuple(memory.chances.tolist())
    total = answer(game.board, memory)
    return expected, tuple((memory.chances / total).tolist())


KIND = Kind("markov", choose, begin=begin, watch=watch, memory=memory, foresee=foresee)

# --- genomes -----------------------------------------------------------------------------------


@kernel
def whole(value, most):
    """Return the largest whole number up to a value, limited to 0 to ``most``."""
    return np.float64(np.int64(min(max(value, 0.0), np.float64(most))))


@kernel
def decode(genes, row, numbers):
    """Decode the six genes of a player ``markov``, each about 0, into its numbers.

    The order is the whole number below 2.5 + gene, the level that below 2 + gene; beta and prior
    are exp(gene), the threshold is exp(1 + gene), and net 1 / (1 + exp(-gene)).
    """
    numbers[ORDER] = whole(2.5 + genes[row, ORDER], MOST_ORDER)
    numbers[LEVEL] = whole(2.0 + genes[row, LEVEL], MOST_LEVEL)
    numbers[BETA] = exp(genes[row, BETA])
    numbers[PRIOR] = exp(genes[row, PRIOR])
    numbers[THRESHOLD] = exp(1.0 + genes[row, THRESHOLD])
    numbers[NET] = sigmoid(genes[row, NET])


@kernel
def begin_vector(board, state, parameters, row, memory):
    """Prepare an evolved player ``markov`` for a game. Both seats have the same numbers."""
    decode(parameters.first, row, memory.numbers)
    set_up(board, state, memory)


FORM = VectorForm(
    "markov",
    "the order, level, beta, prior, threshold and aim of a player that predicts",
    lambda game, seat: NAMES,
    replace(KIND, name="markov-vector", begin=begin_vector, by_row=("first", "second")),
)


def numbers_of(genes: np.ndarray) -> np.ndarray:
    """Decode the genes of N players ``markov`` into their numbers, float64 ``[N, 6]``.

    The numbers are in the order of :data:`NAMES`.
    """
    numbers = np.empty((len(genes), len(NAMES)))
    for row, decoded in enumerate(numbers):
        decode(np.asarray(genes, dtype=np.float64), row, decoded)
    return numbers
