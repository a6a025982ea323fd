"""Cat and mouse, second study: a cat for boards of any size, trained on 5x5 and shown on 15x15.

Source: W. B. Kennedy, "Using Optimization to Solve Adversarial Problems", version 2. The mouse
moves first and at random, only the cat learns. Where both players fit into a window of 3x3 cells,
the cat moves by a table of 3^6 = 729 cells: the place of each player in the window, and which edges
of the board the window touches. Elsewhere it moves along the larger distance, vertically when both
are equal. The mouse wins when it is free after ``2 * (rows + cols)`` moves of each.

Ten variants a round, of up to 100 changed cells, play the same 1,000 games as the best table so
far; more wins count first, then fewer moves, then a smaller distance. The first stage, against the
random mouse, lasts until all games are won. The second has 200 rounds against a careful mouse,
which steps next to the cat only where it must.

The source does not say where the window lies, where tables begin and what is averaged. Here the
window begins at the lesser coordinate of the two players, or as far towards it as the board allows;
the first table, and what a changed cell becomes, is any action that does not lead off the board;
moves are counted from 1, lost games included; the distance is averaged after the cat's moves.

A third stage is ours. Two stages leave cells that corner starts against a careful mouse never
reach, and on a larger board they matter. So the games of the third stage begin at any placement
from which the cat can win, and the two mice take turns. ``more_rounds=0`` leaves it out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from evo.studies.cat_and_mouse_proof import proof_lines, proof_of
from evo.studies.report import Evidence, StudyReport
from evo.studies.settings import Announce, setting
from tournaments import games
from tournaments.errors import ConfigError
from tournaments.game import Game
from tournaments.games.cat_and_mouse.board import (
    COLS,
    MOST_ROWS,
    PIECES,
    ROWS,
    draw_direction,
    free_directions,
    place_of,
)
from tournaments.games.cat_and_mouse.players import careful_in_duel
from tournaments.games.cat_and_mouse.rules import measure as steps_apart
from tournaments.games.cat_and_mouse.rules import play_in_duel, start
from tournaments.games.cat_and_mouse.window_table import (
    HIGH_EDGE,
    LARGER_AXIS,
    LOW_EDGE,
    SIDE,
    WINDOW_GENES,
    action_of,
    window_policy,
)
from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import OPENING, below, derived, generator, match_seeds
from tournaments.players.table import Tables

NAME = "cat-and-mouse-v2"
MICE = ("random", "careful", "both in turn")
RANDOM, CAREFUL, BOTH = 0, 1, 2

STAGES = {
    1: (RANDOM, False, "patience"),
    2: (CAREFUL, False, "rounds"),
    3: (BOTH, True, "more_rounds"),
}
"""Of each stage the mouse, whether games begin anywhere, and the setting of its most rounds. The
first one ends when all games are won."""
RULES = {"first": "mouse", "end": "move-limit"}
FAR_RULE = {"far": "larger-axis"}
LAYOUT = np.array([0, 0, LARGER_AXIS], dtype=np.int64)
"""Of a table of one seat, as the kernels of the game read it."""
ACTIONS = 4
TABLE_SHAPE = (SIDE,) * 6
TABLE_CELLS = WINDOW_GENES
LARGEST_SEED = 2**63 - 1
Row = dict[str, Any]


class Measure(NamedTuple):
    """The results of a table: games won, mean moves and mean distance of the players."""

    wins: int
    mean_moves: float
    mean_distance: float

    @property
    def merit(self) -> tuple[float, float, float]:
        """The rank of a table's results: more wins, then fewer moves, then nearer to the mouse."""
        return self.wins, -self.mean_moves, -self.mean_distance


@dataclass(frozen=True)
class CatAndMouse2Settings:
    """Options of the study; the defaults are the published ones, but for our stage.

    Attributes:
        rows: rows of the board of the training
        cols: columns of the board of the training
        shown_rows: rows of the board that the table is shown on
        shown_cols: columns of the board that the table is shown on
        seed: seed of tables and games
        games: games by which a table is measured
        candidates: variants of the best table in a round
        changes: the most cells that a variant changes
        patience: the most rounds of the first stage
        rounds: rounds of the second stage
        more_rounds: rounds of the third stage
    """

    rows: int = setting(5, low=4, high=MOST_ROWS)
    cols: int = setting(5, low=4, high=MOST_ROWS)
    shown_rows: int = setting(15, low=4, high=MOST_ROWS)
    shown_cols: int = setting(15, low=4, high=MOST_ROWS)
    seed: int = setting(1, low=0, high=LARGEST_SEED)
    games: int = setting(1000)
    candidates: int = setting(10, low=1, high=1000)
    changes: int = setting(100, low=1, high=TABLE_CELLS)
    patience: int = setting(2000, low=0)
    rounds: int = setting(200, low=0)
    more_rounds: int = setting(1000, low=0)


def measure(settings: CatAndMouse2Settings, announce: Announce) -> Evidence:
    """Train a cat for boards of any size, and try it against the best possible mouse.

    ``curve`` is the learning curve: the best table after each round, by the games of the stage.
    Rounds are counted on from stage to stage; each stage begins with a row of the table that it
    took over. ``shown`` has the tables at the end of the second and of the third stage against both
    mice, on both boards, from the corners, in games that they were not trained on. ``table`` is the
    last table, int8 ``[3, 3, 3, 3, 3, 3]``: an action (0 right, 1 left, 2 up, 3 down) by the cat's
    x and y and the mouse's x and y in the window, the edge left or right of it, and the edge below
    or above (0 none, 1 left or below, 2 right or above). ``trained`` says whether the first stage
    ended with all games won.

    Raises:
        ConfigError: a board on which the mouse is safe.
    """
    for prefix, (rows, cols) in zip(("", "shown_"), _boards(settings), strict=True):
        if (rows + cols) % 2:
            raise ConfigError(
                f"{prefix}rows={rows}, {prefix}cols={cols} given; their sum must be even: the "
                "mouse moves first, and with an odd sum no cat can catch it"
            )
    announce(f"training on {settings.rows}x{settings.cols}, {settings.games:,} games a table")
    table, curve, shown = first_table(settings.seed), list[Row](), list[Row]()
    for stage in _stages(settings):
        table, stage_curve = _climb(settings, stage, table, curve[-1]["round"] if curve else 0)
        curve += stage_curve
        if stage.number > 1:
            shown += _shown(settings, stage.number, table)
    boards = dict.fromkeys(_boards(settings))
    policies = {board: policy(table, *board) for board in boards}
    stages = [_stage_row(settings, list(rows)) for _, rows in groupby(curve, itemgetter("stage"))]
    record = {
        "trained": stages[0]["wins"] == settings.games,
        "stages": stages,
        "shown": shown,
        "proof": {
            f"{rows}x{cols}": proof_of(cat, "cat", rows=rows, cols=cols, **RULES)
            for (rows, cols), cat in policies.items()
        },
    }
    arrays = {f"cat-{rows}x{cols}": cat for (rows, cols), cat in policies.items()}
    arrays = {"table": table.reshape(TABLE_SHAPE), **arrays}
    return Evidence(record, arrays=arrays, tables={"curve": curve, "shown": shown})


def _boards(settings: CatAndMouse2Settings) -> tuple[tuple[int, int], tuple[int, int]]:
    return (settings.rows, settings.cols), (settings.shown_rows, settings.shown_cols)


def _stage_row(settings: CatAndMouse2Settings, curve: list[Row]) -> Row:
    """Return the first and last results of a stage of the cat's training, as a row.

    ``all_won_after`` is the number of rounds after which the cats won all games, or None. ``curve``
    has the results after each round.
    """
    first, last = curve[0], curve[-1]
    won = [row["round"] - first["round"] for row in curve if row["wins"] == settings.games]
    mouse, anywhere, _ = STAGES[first["stage"]]
    return {
        "stage": first["stage"],
        "mouse": MICE[mouse],
        "games_begin": "anywhere" if anywhere else "in the corners",
        "rounds": last["round"] - first["round"],
        "wins_before": first["wins"],
        "wins": last["wins"],
        "all_won_after": won[0] if won else None,
        "mean_moves": last["mean_moves"],
        "mean_distance": last["mean_distance"],
    }


def policy(table: np.ndarray, rows: int, cols: int) -> np.ndarray:
    """Return a window table's policy for the cat on a board, int8 ``[cells, cells]``."""
    return window_policy(pursuit(rows, cols), 0, table.reshape(-1), FAR_RULE)


def pursuit(rows: int, cols: int) -> Game:
    """Return the game of cat and mouse of this study on a board of the given size."""
    return games.make("cat-and-mouse", rows=rows, cols=cols, **RULES)


def texts(evidence: Evidence) -> dict[str, Any]:
    """Return texts for the page of the study: the proofs about the cat."""
    return {"proofs": proof_lines(evidence.record["proof"])}


# --- climbing ----------------------------------------------------------------------------------


class Stage(NamedTuple):
    """A part of the training: the games that the cat plays, and for how many rounds."""

    number: int
    games: Games
    rounds: int


def _stages(settings: CatAndMouse2Settings) -> Iterator[Stage]:
    """Yield the stages of the cat's training in their order.

    All tables play the same games in a stage.
    """
    for number, (mouse, anywhere, setting_of_rounds) in STAGES.items():
        rounds = getattr(settings, setting_of_rounds)
        if rounds or number < 3:
            seeds = match_seeds(settings.seed, f"{NAME} games", number, settings.games)
            games = _games((settings.rows, settings.cols), mouse, seeds, anywhere)
            yield Stage(number, games, rounds)


def _climb(
    settings: CatAndMouse2Settings, stage: Stage, table: np.ndarray, begun: int
) -> tuple[np.ndarray, list[Row]]:
    """Train the cat's table through one stage, a variant in each round, and keep the best.

    Args:
        settings: settings of the study.
        stage: the games and the number of rounds.
        table: the table at the beginning, int8 ``[W]``.
        begun: number of rounds before the stage.

    Returns:
        The best table, int8 ``[W]``, and a row of results for each round.
    """
    best = _measured(table, stage.games)
    rows = [_row(begun, stage, best)]
    without_gain = 0
    while len(rows) <= stage.rounds and not (stage.number == 1 and best.wins == settings.games):
        most = max(1, settings.changes - without_gain)
        random = generator(settings.seed, f"{NAME} variants of stage {stage.number}", len(rows))
        variants = [_variant(random, table, most) for _ in range(settings.candidates)]
        measures = [_measured(variant, stage.games) for variant in variants]
        merits = [measure.merit for measure in measures]
        fittest = merits.index(max(merits))
        without_gain += 1
        if merits[fittest] > best.merit:
            best, table, without_gain = measures[fittest], variants[fittest], 0
        rows.append(_row(begun + len(rows), stage, best))
    return table, rows


def _row(number: int, stage: Stage, best: Measure) -> Row:
    return {"round": number, "stage": stage.number, **best._asdict()}


def first_table(seed: int) -> np.ndarray:
    """Return a table of random actions of the cat that stay on the board, int8 ``[W]``."""
    return _drawn(generator(seed, f"{NAME} first table"), np.arange(TABLE_CELLS))


def _variant(random: np.random.Generator, table: np.ndarray, most: int) -> np.ndarray:
    """Return a copy of the cat's table with up to ``most`` cells redrawn at random.

    A cell may be drawn twice, or get the same value again.
    """
    variant = table.copy()
    cells = random.integers(TABLE_CELLS, size=random.integers(1, most + 1))
    variant[cells] = _drawn(random, cells)
    return variant


def _drawn(random: np.random.Generator, cells: np.ndarray) -> np.ndarray:
    """Return a random action that stays on the board for each of these cells of the cat's table."""
    return CLOSED_ACTIONS[cells, random.integers(CLOSED_COUNTS[cells])]


def _closed_actions() -> tuple[np.ndarray, np.ndarray]:
    """Return the actions of the cat that stay on the board, for each cell of its table.

    Returns:
        All four actions of each cell, int8 ``[W, 4]``, beginning with the actions that stay on the
        board; and the number of actions that stay, ``[W]``.
    """
    cat_x, cat_y, _, _, side, end = np.indices(TABLE_SHAPE).reshape(6, -1)
    leaves = np.stack(
        [
            (side == HIGH_EDGE) & (cat_x == SIDE - 1),
            (side == LOW_EDGE) & (cat_x == 0),
            (end == HIGH_EDGE) & (cat_y == SIDE - 1),
            (end == LOW_EDGE) & (cat_y == 0),
        ],
        axis=1,
    )
    return leaves.argsort(axis=1, kind="stable").astype(np.int8), ACTIONS - leaves.sum(axis=1)


CLOSED_ACTIONS, CLOSED_COUNTS = _closed_actions()


# --- measuring ---------------------------------------------------------------------------------


def _shown(settings: CatAndMouse2Settings, stage: int, table: np.ndarray) -> Iterator[Row]:
    seeds = match_seeds(settings.seed, f"{NAME} shown", 0, settings.games)
    for board in dict.fromkeys(_boards(settings)):
        for mouse, name in enumerate(MICE[:BOTH]):
            measure = _measured(table, _games(board, mouse, seeds, anywhere=False))
            yield {
                "stage": stage,
                "board": f"{board[0]}x{board[1]}",
                "mouse": name,
                "games": settings.games,
                **measure._asdict(),
            }


class Games(NamedTuple):
    """Games to be played by a table.

    Attributes:
        mouse: :data:`RANDOM`, :data:`CAREFUL`, or :data:`BOTH` in turn.
        anywhere: whether games begin anywhere, and not in the corners.
        seeds: uint64 ``[M]``.
        board: int16, the constants of the game.
        state: int16, the position of the current game.
        stream: uint64 ``[1]``, the random stream of the current game.
    """

    mouse: int
    anywhere: bool
    seeds: np.ndarray
    board: np.ndarray
    state: np.ndarray
    stream: np.ndarray


def _games(size: tuple[int, int], mouse: int, seeds: np.ndarray, anywhere: bool) -> Games:
    game = pursuit(*size)
    state, stream = np.zeros(game.state_size, np.int16), np.zeros(1, np.uint64)
    return Games(mouse, anywhere, seeds, game.board, state, stream)


def _measured(table: np.ndarray, games: Games) -> Measure:
    """Play the games of a stage with the cat's table, int8 ``[W]``, and return the results."""
    apart = np.zeros((games.board[ROWS], games.board[COLS]), dtype=np.int64)
    build(play_games)(Tables(table[None], LAYOUT), games, apart)
    moves = int(apart.sum())
    # Counted, and then summed exactly, so that no order of summation matters.
    distance = math.fsum(
        apart[dy, dx].item() * math.sqrt(dx * dx + dy * dy)
        for dy, dx in np.argwhere(apart).tolist()
    )
    return Measure(int(apart[0, 0]), moves / games.seeds.size, distance / moves)


# --- kernels -----------------------------------------------------------------------------------


@kernel
def play_games(table, games, apart):
    """Play every game of a stage with the cat's table.

    ``apart``, int64 ``[rows, cols]``, counts the moves of the cat after which the players were that
    many rows and columns apart.
    """
    board, state, stream = games.board, games.state, games.stream
    for index in range(games.seeds.size):
        stream[0] = derived(games.seeds[index], 0, OPENING)
        careful = games.mouse == CAREFUL or (games.mouse == BOTH and index % 2 == 1)
        start(board, state, np.uint64(0))
        if games.anywhere:
            place_anywhere(board, state, stream)
        while state[0] >= 0:
            # The mouse cannot step onto the cat: on its turn the distance is even.
            if careful:
                action = careful_in_duel(board, state, stream)
            else:
                directions = free_directions(board, state[PIECES + 1])
                action = draw_direction(board, directions, stream)
            play_in_duel(board, state, action)
            mouse_x, mouse_y = place_of(board, state[PIECES + 1])
            play_in_duel(
                board, state, action_of(board, 0, state[PIECES], state[PIECES + 1], table, 0)
            )
            x, y = place_of(board, state[PIECES])
            apart[abs(y - mouse_y), abs(x - mouse_x)] += 1


@kernel
def place_anywhere(board, state, stream):
    """Draw the cells of cat and mouse until the cat can win from them."""
    apart = np.int64(0)
    while apart == 0 or apart % 2 == 1:
        for piece in range(PIECES, PIECES + 2):
            x = below(stream, board[COLS])
            state[piece] = below(stream, board[ROWS]) * board[COLS] + x
        apart = steps_apart(board, state)


REPORT = StudyReport(__package__, CatAndMouse2Settings, measure, texts=texts)
