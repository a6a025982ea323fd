"""Cat and mouse, first study: two policy tables that climb in turn, the loser learns.

Source: W. B. Kennedy, "Using Optimization to Solve Adversarial Problems", version 1. A game between
two deterministic tables is played; then, again and again, up to ten variants of the loser's table,
of one changed cell each, meet the other's table, and the best one is kept. The defaults reproduce
the published totals, mouse 54,760 and cat 45,240, and each line that the study prints: the draws
are those of numpy's legacy generator, in the order of the study.

Its rules are those of the game ``cat-and-mouse``: a placement that recurs gives the mouse the game;
the placement after the cat's opening move is neither judged nor remembered; a mouse that steps onto
the cat is caught. The study counts moves as pairs of the mouse's and the cat's, from 0.

Cells are numbered ``y * cols + x`` from the bottom left, actions right, left, up, down from 0. A
policy is int8 ``[cells, cells]``: the action by the cell of the cat and the cell of the mouse. P
is the number of placements, ``cells * cells``.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from evo.studies.cat_and_mouse_proof import proof_lines, proof_of
from evo.studies.report import Evidence, StudyReport
from evo.studies.settings import Announce, setting
from tournaments import games
from tournaments.games.cat_and_mouse.board import (
    CELLS,
    COLS,
    DOWN,
    FIRST,
    LEFT,
    MOST_ROWS,
    PIECES,
    RIGHT,
    ROWS,
    SEATS,
    TABLE,
    UP,
)
from tournaments.games.cat_and_mouse.rules import measure as steps_apart
from tournaments.games.cat_and_mouse.rules import play_in_duel, start
from tournaments.kernels.linker import build, kernel
from tournaments.options import option

STARTS = ("weak", "strong")
PROGRESS_INTERVAL = 1000
WORDS_AT_ONCE = 1 << 16

CAT, MOUSE = 0, 1
ACTIONS = 4
MOST_CANDIDATES = 10


@dataclass(frozen=True)
class CatAndMouse1Settings:
    """Options of the study; the defaults are the published ones.

    Attributes:
        rows: rows of the board
        cols: columns of the board
        first: who moves first: cat or mouse
        cat: the cat's first table: weak (up and down) or strong (to the mouse)
        seed: seed of numpy's legacy generator
        iterations: how often the loser tries to learn
    """

    rows: int = setting(8, low=2, high=MOST_ROWS)
    cols: int = setting(7, low=2, high=MOST_ROWS)
    first: str = option("cat", known=SEATS)
    cat: str = option("weak", known=STARTS)
    seed: int = setting(0, low=0, high=2**32 - 1)
    iterations: int = setting(100_000, low=0, high=10_000_000)


def measure(settings: CatAndMouse1Settings, announce: Announce) -> Evidence:
    """Run the first study of cat and mouse, and test its tables against the best opponents.

    ``mouse`` and ``cat`` are the iterations after which that player was winning; ``winner``,
    ``moves`` and ``distance`` are those of the last game: the number of the last pair of moves, and
    how many steps apart the players were at the end. ``winner_changes`` counts the iterations after
    which another player was winning, ``candidates`` the variants that were played.
    """
    announce(f"{settings.iterations:,} iterations on {settings.rows}x{settings.cols}")
    study = climbed(settings)
    cells = settings.rows * settings.cols
    policies = dict(zip(SEATS, study.policies.reshape(2, cells, cells), strict=True))
    proof = {seat: proof_of(policy, seat, **_board(settings)) for seat, policy in policies.items()}
    winners, moves, distance = study.states.T
    lines, mouse = progress_lines(study.states), int(winners[1:].sum())
    record = {
        "mouse": mouse,
        "cat": settings.iterations - mouse,
        "winner": SEATS[winners[-1]],
        "moves": int(moves[-1]),
        "distance": int(distance[-1]),
        "progress_lines": lines,
        "winner_changes": int(np.count_nonzero(winners[1:] != winners[:-1])),
        "progress_lines_sha256": hashlib.sha256("\n".join(lines).encode()).hexdigest(),
        "candidates": int(study.counters[GAMES]) - 1,
        "proof": proof,
    }
    states = {
        "iteration": np.arange(len(winners)),
        "winner": np.array(SEATS)[winners].tolist(),
        "moves": moves,
        "distance": distance,
    }
    return Evidence(record, proof, policies, {"states": states})


def _board(settings: CatAndMouse1Settings) -> dict[str, Any]:
    return {"rows": settings.rows, "cols": settings.cols, "first": settings.first}


def texts(evidence: Evidence) -> dict[str, Any]:
    """Return texts for the page of the study: the proofs, and the number of progress lines."""
    return {
        "proofs": proof_lines(evidence.values),
        "number_of_lines": len(evidence.record["progress_lines"]),
    }


def climbed(settings: CatAndMouse1Settings) -> FirstStudy:
    """Let cat and mouse play and learn in turn, and return the arrays of the kernels."""
    game = games.make("cat-and-mouse", **_board(settings))
    policies = np.stack([_first_cat_policy(settings), _up_and_down(settings).T])
    study = FirstStudy(
        board=game.board,
        state=np.zeros(game.state_size, dtype=np.int16),
        policies=policies.reshape(2, -1),
        changes=np.zeros((MOST_CANDIDATES, 2), dtype=np.int64),
        states=np.zeros((settings.iterations + 1, 3), dtype=np.int32),
        counters=np.zeros(3, dtype=np.int64),
    )
    _climb(study, np.random.RandomState(settings.seed))
    return study


def _first_cat_policy(settings: CatAndMouse1Settings) -> np.ndarray:
    """Return the first policy table of the cat, before it learns.

    Weak: up and down. Strong: towards the mouse by the larger distance, vertically for ties.
    """
    if settings.cat == "weak":
        return _up_and_down(settings)
    cells = np.arange(settings.rows * settings.cols, dtype=np.int16)
    y, x = np.divmod(cells, np.int16(settings.cols))
    across, along = x - x[:, None], y - y[:, None]
    sideways = np.where(across > 0, np.int8(RIGHT), np.int8(LEFT))
    straight = np.where(along > 0, np.int8(UP), np.int8(DOWN))
    return np.where(abs(across) > abs(along), sideways, straight)


def _up_and_down(settings: CatAndMouse1Settings) -> np.ndarray:
    """Return a policy table that moves up, or down from the top row, wherever the other side is."""
    cells = settings.rows * settings.cols
    action = np.full(cells, UP, dtype=np.int8)
    action[-settings.cols :] = DOWN
    return np.repeat(action[:, None], cells, axis=1)


def _climb(study: FirstStudy, random: np.random.RandomState) -> None:
    """Improve both policy tables by all iterations of the study, and fill ``study.states``.

    The generator ``random`` is drawn from in blocks, as the raw words that its bounded integers are
    made of.
    """
    climb = build(climb_with)
    words = np.empty(0, dtype=np.uint32)
    iterations = len(study.states) - 1
    while climb(study, words) < iterations:
        fresh = random.randint(0, 1 << 32, size=WORDS_AT_ONCE, dtype=np.uint32)
        words = np.concatenate([words[study.counters[USED] :], fresh])


def progress_lines(states: np.ndarray) -> list[str]:
    """Return the progress lines that the study prints, from the states after each iteration.

    ``states`` is int32 ``[iterations + 1, 3]``. There is a line before each iteration but the
    first: when the state is another than one iteration earlier, or the number of the iteration is a
    multiple of 1,000.
    """
    before = states[:-1]
    shown = np.zeros(len(before), dtype=bool)
    shown[1:] = (before[1:] != before[:-1]).any(axis=1)
    shown[PROGRESS_INTERVAL::PROGRESS_INTERVAL] = True
    return [_line(number, *before[number].tolist()) for number in np.flatnonzero(shown).tolist()]


def _line(iteration: int, winner: int, moves: int, distance: int) -> str:
    return (
        f"Iteration: {iteration:>6,}, Current winner: {SEATS[winner]:<5}, "
        f"number of moves until a win: {moves:>2}, distance: {distance}"
    )


# --- kernels -----------------------------------------------------------------------------------


class FirstStudy(NamedTuple):
    """The arrays of the kernels.

    Attributes:
        board: int16, the constants of the game.
        state: int16, the position of the game that is played.
        policies: int8 ``[2, P]``, of the cat and of the mouse.
        changes: int64 ``[10, 2]``, placement and action of each variant; action -1: off the board.
        states: int32 ``[iterations + 1, 3]``, after 0, 1, 2... iterations: winner (0 the cat, 1 the
            mouse), moves, distance.
        counters: int64: iterations done, words used in the last call, games played.
    """

    board: np.ndarray
    state: np.ndarray
    policies: np.ndarray
    changes: np.ndarray
    states: np.ndarray
    counters: np.ndarray


DONE, USED, GAMES = 0, 1, 2


@kernel
def climb_with(study, words):
    """Do as many whole iterations of learning cat and mouse as random words suffice for.

    All of ``study`` changes in place. ``words`` are uint32.

    Returns:
        The number of iterations done in all.
    """
    counters = study.counters
    states = study.states
    if counters[GAMES] == 0:
        states[0, 0], states[0, 1], states[0, 2] = play_game(study)
    counters[USED] = 0
    while counters[DONE] + 1 < states.shape[0]:
        done = counters[DONE]
        learner = MOUSE if states[done, 0] == CAT else CAT
        begun = counters[USED]
        count = draw_changes(study, words, learner)
        if counters[USED] > words.size:
            counters[USED] = begun
            break
        learn(study, learner, count)
        counters[DONE] = done + 1
    return counters[DONE]


@kernel
def draw_below(counters, words, limit):
    """Return the next random integer in 0..limit-1, as numpy's legacy generator gives it.

    It is the low bits of a word, or of the next word if they are too large. If the words are used
    up, it is 0, and ``counters[USED]`` is beyond their number.
    """
    mask = limit - 1
    mask |= mask >> 1
    mask |= mask >> 2
    mask |= mask >> 4
    while counters[USED] < words.size:
        value = np.int64(words[counters[USED]]) & mask
        counters[USED] += 1
        if value < limit:
            return value
    counters[USED] = words.size + 1
    return np.int64(0)


@kernel
def draw_changes(study, words, learner):
    """Draw the variants of the learner's table in one iteration, and return their number.

    They are written into ``study.changes``: a placement of both players, and the new action, or -1
    if the action leaves the board.
    """
    counters, board = study.counters, study.board
    cols, rows = np.int64(board[COLS]), np.int64(board[ROWS])
    count = 1 + draw_below(counters, words, MOST_CANDIDATES)
    for index in range(count):
        cat = draw_below(counters, words, cols)
        cat += draw_below(counters, words, rows) * cols
        mouse = draw_below(counters, words, cols)
        mouse += draw_below(counters, words, rows) * cols
        action = draw_below(counters, words, ACTIONS)
        there = board[TABLE + 4 * (cat if learner == CAT else mouse) + action]
        study.changes[index, 0] = cat * board[CELLS] + mouse
        study.changes[index, 1] = action if there >= 0 else -1
    return count


@kernel
def learn(study, learner, count):
    """Play a game with each variant of the learner's table, and keep the best variant.

    A variant is accepted by comparison with the best one so far, winner included. The state after
    the iteration is written into ``study.states``. ``count`` is the number of variants.
    """
    policies, states, done = study.policies, study.states, study.counters[DONE]
    winner, moves, distance = states[done, 0], states[done, 1], states[done, 2]
    best = -1
    for index in range(count):
        placement, action = study.changes[index, 0], study.changes[index, 1]
        if action < 0:
            continue
        kept = policies[learner, placement]
        policies[learner, placement] = action
        new_winner, new_moves, new_distance = play_game(study)
        policies[learner, placement] = kept
        new_merit = merit(learner, new_winner, new_moves, new_distance)
        if new_merit > merit(learner, winner, moves, distance):
            best = index
            winner, moves, distance = new_winner, new_moves, new_distance
    if best >= 0:
        policies[learner, study.changes[best, 0]] = study.changes[best, 1]
    states[done + 1, 0], states[done + 1, 1], states[done + 1, 2] = winner, moves, distance


@kernel
def merit(learner, winner, moves, distance):
    """Return how good the end of a game is for the learning player; the greater, the better.

    The mouse is to win, then to hold out longer, then to end farther from the cat. The cat is to
    win, and sooner; otherwise to end nearer to the mouse, then to lose later.
    """
    if learner == MOUSE:
        return winner, moves, distance if winner == CAT else np.int64(0)
    if winner == CAT:
        return 1 - winner, -moves, np.int64(0)
    return 1 - winner, -distance, moves


@kernel
def play_game(study):
    """Play a game of cat and mouse between the two policy tables of the study, and count it.

    Returns:
        The winner, the number of the last pair of moves, and how many steps apart the players are
        at the end.
    """
    board, state = study.board, study.state
    study.counters[GAMES] += 1
    start(board, state, np.uint64(0))
    plies = np.int64(0)
    while state[0] >= 0:
        placement = np.int64(state[PIECES]) * board[CELLS] + state[PIECES + 1]
        play_in_duel(board, state, np.int64(study.policies[state[0], placement]))
        plies += 1
    moves = (plies - 1 - (board[FIRST] == CAT)) // 2
    return (CAT if state[1] > 0 else MOUSE), moves, steps_apart(board, state)


REPORT = StudyReport(__package__, CatAndMouse1Settings, measure, texts=texts)
