"""Capture the flag: rules against slow ones, what a side sees and hears, mazes, text boards."""

from __future__ import annotations

import random as python_random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.capture_the_flag import NAMES, TEAMS, Flag, first

import tournaments
from tournaments import TournamentError, games
from tournaments.game import Game, State
from tournaments.games.capture_the_flag import board as board_module
from tournaments.games.capture_the_flag.board import (
    ACTIONS,
    DOT,
    DOTS,
    FACING,
    HEARD,
    LAYOUTS,
    MOVER,
    MOVES_LEFT,
    PLACE,
    SENT,
    UNHEARD,
    UNSEEN,
    cells_of,
    neighbours_of,
)
from tournaments.games.capture_the_flag.maze import distances, maze_of, random_maze
from tournaments.kernels.chance import STREAM, STREAM_SIZE
from tournaments.kernels.rng import Stream

LAYOUT = LAYOUTS["small"].strip("\n")
SMALL = {"maze": "small", "moves": 60}


def square_of(game: Game, cell: int) -> tuple[int, int]:
    record = cells_of(game.board)[cell]
    return int(record[4]), int(record[5])


def as_naive(state: State, before: Flag) -> Flag:
    """A state as the slow rules have it."""
    array = state.array
    by_dot = {
        int(record[DOT]): (int(record[4]), int(record[5])) for record in cells_of(state.game.board)
    }
    sent = {name for agent, name in enumerate(NAMES) if int(array[SENT]) >> agent & 1}
    return Flag(
        before.lines,
        {name: square_of(state.game, array[PLACE + agent]) for agent, name in enumerate(NAMES)},
        frozenset(by_dot[dot] for dot in np.flatnonzero(array[DOTS:])),
        {"red": int(array[1]), "blue": int(array[2])},
        before.most - int(array[MOVES_LEFT]),
        before.most,
        frozenset(sent),
    )


def check_view(state: State, naive: Flag, seat: int) -> None:
    """Compare a seat's view with what it may see by the slow rules."""
    seen, view, full = naive.seen(state.game.seats[seat]), state.view(seat), state.array
    assert view.view(seat) == view
    assert not view.array[STREAM : STREAM + STREAM_SIZE].any()
    for agent, name in enumerate(NAMES):
        is_own = TEAMS[name] == state.game.seats[seat]
        heard = view.array[HEARD + 2 * agent : HEARD + 2 * agent + 2]
        for place in (PLACE + agent, FACING + agent):
            assert view.array[place] == (full[place] if name in seen else UNSEEN)
        assert full[HEARD + 2 * agent :][:2].tolist() == [UNHEARD] * 2
        assert is_own or heard.tolist() == [UNHEARD] * 2
        enemies = [other for other in NAMES if TEAMS[other] != TEAMS[name]]
        for enemy, noisy in zip(enemies, heard, strict=True):
            assert not is_own or abs(noisy - naive.apart(name, enemy)) <= 6
    rest = [0, 1, 2, MOVER, MOVES_LEFT, SENT, *range(DOTS, len(full))]
    assert view.array[rest].tolist() == full[rest].tolist()


@settings(max_examples=12, deadline=None)
@given(
    options=st.sampled_from([SMALL, {"maze": 3, "width": 10, "height": 5, "dots": 2, "moves": 90}]),
    seed=st.integers(0, 2**32),
)
def test_random_play_is_that_of_the_slow_rules(options, seed):
    rng = python_random.Random(seed)
    state = games.make("capture-the-flag", **options).start(seed)
    layout = LAYOUT
    if options["maze"] != "small":
        digits = dict(zip("axby", "1234", strict=True))
        layout = "".join(digits.get(at, at) for at in str(state).split("\n\n")[0])
    naive = first(layout, options["moves"])
    while not naive.is_over:
        assert as_naive(state, naive) == naive
        assert (state.seat_to_move, state.array[MOVER]) == (naive.played % 2, naive.played % 4)
        for seat in (0, 1):
            check_view(state, naive, seat)
        ways = naive.moves()
        assert [ACTIONS[action] for action in state.legal_actions()] == list(ways)
        # rarely back home, so that agents meet
        forth = [way for way in ways if way == ("east", "west")[naive.played % 2]]
        way = rng.choice([*ways, *forth * 3])
        state.play(ACTIONS.index(way))
        naive = naive.after(way)
    assert state.is_over
    assert state.scores == (naive.points["red"], naive.points["blue"])


def test_a_view_is_the_same_whatever_it_hides():
    state = games.make("capture-the-flag", maze=4, width=18, height=9, dots=5).start(7)
    rng, views, moved = python_random.Random(7), {}, 0
    for seat in (0, 1):
        shown = state.view(seat)
        for cell in range(len(cells_of(state.game.board))):
            other = state.clone()
            enemy = 1 - seat + 2 * rng.randrange(2)
            other.array[PLACE + enemy] = cell
            other.array[FACING + enemy] = rng.randrange(4)
            other.array[STREAM : STREAM + STREAM_SIZE] = rng.randrange(1, 1000)
            seen = other.view(seat)
            is_seen = seen.array[PLACE + enemy] >= 0
            seen.array[HEARD:DOTS] = shown.array[HEARD:DOTS]  # other noise of other distances
            assert (seen == shown) != is_seen
            moved += not is_seen
        views[seat] = str(shown)
    assert moved > 50
    assert views[0] != views[1]


def placed(**places: str) -> State:
    """A position of the small maze with agents on these squares, ``a="7:1"``; they face east."""
    state = games.make("capture-the-flag", **SMALL).start()
    records = cells_of(state.game.board)[:, 4:6].tolist()
    for letter, place in places.items():
        cell = records.index([int(number) for number in place.split(":")])
        state.array[PLACE + "axby".index(letter)] = cell
    return state


def where(state: State, letter: str) -> tuple[int, int]:
    return square_of(state.game, state.array[PLACE + "axby".index(letter)])


def test_a_pac_man_that_steps_on_a_ghost_goes_home():
    state = placed(a="7:1", x="8:1")
    state.play(ACTIONS.index("east"))
    assert (where(state, "a"), where(state, "x")) == ((1, 5), (8, 1))
    assert all("sent home: red 1" in str(state.view(seat)) for seat in (0, 1))


def test_a_ghost_that_steps_on_pac_men_sends_both_home():
    state = placed(a="7:1", b="7:1", x="8:1")
    state.play(ACTIONS.index("stay"))
    assert "sent home: nobody" in str(state)
    state.play(ACTIONS.index("west"))
    assert "sent home: red 1 and red 2" in str(state)
    assert [where(state, letter) for letter in "abx"] == [(1, 5), (1, 1), (7, 1)]


def test_a_pac_man_eats_the_dot_on_which_it_meets_a_ghost():
    state = placed(a="9:3", x="8:3")
    state.play(ACTIONS.index("west"))
    assert (state.scores, where(state, "a")) == ((1, 0), (1, 5))


def test_noise_is_even_and_each_agents_own():
    game = games.make("capture-the-flag", maze="small", moves=30000)
    state = game.start(1)
    heard = []
    for _ in range(2000):
        state.play(ACTIONS.index("stay"))
        heard.append(np.maximum(state.view(0).array[HEARD:DOTS], state.view(1).array[HEARD:DOTS]))
    noise = np.array(heard) - np.array(heard).min(axis=0) - 6
    for column in noise.T:
        counts = Counter(column.tolist())
        assert sorted(counts) == list(range(-6, 7))
        assert sum((count - 2000 / 13) ** 2 / (2000 / 13) for count in counts.values()) < 33
    assert abs(np.corrcoef(noise.T) - np.eye(8)).max() < 0.1


@pytest.mark.parametrize("seed", range(3))
def test_the_text_board_and_each_sides_board_are_read_back(seed):
    game = games.make("capture-the-flag", maze=seed, width=14, height=7, dots=4, moves=200)
    rng, state = python_random.Random(seed), game.start(seed)
    while not state.is_over:
        for shown in (state, state.view(0), state.view(1)):
            assert game.parse(str(shown)) == shown
        state.play(rng.choice(state.legal_actions()))
    assert game.parse(str(state)) == state


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("60 moves", "61 moves"),
        ("red 0,", "red 1,"),
        ("1:5", "1:6"),
        (".", " "),
        ("facing east", "facing up"),
        ("red 1 to move", "blue 1 next, game over"),
        ("b  .", " b ."),
    ],
)
def test_a_board_that_is_no_position_is_refused(old, new):
    game = games.make("capture-the-flag", **SMALL)
    with pytest.raises(TournamentError, match="not a position of this maze"):
        game.parse(str(game.start()).replace(old, new, 1))


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    width=st.sampled_from([10, 14, 22, 30]),
    height=st.sampled_from([5, 7, 15]),
)
def test_random_mazes_are_the_same_turned_round_and_have_ways_across(seed, width, height):
    maze = random_maze(seed, width, height, 5, "maze")
    squares = list(zip(maze.columns.tolist(), maze.rows.tolist(), strict=True))
    turned = {(width - 1 - x, height - 1 - y) for x, y in squares}
    assert turned == set(squares)
    assert [squares[dot] for dot in maze.dots] == [
        (width - 1 - x, height - 1 - y) for x, y in (squares[dot] for dot in maze.dots[::-1])
    ]
    across = [y for x, y in squares if x == width // 2 - 1 and (x + 1, y) in squares]
    assert len(across) >= 2 or height == 5
    assert (distances(maze.neighbours) >= 0).all()
    for cell, beside in enumerate(maze.neighbours):
        for (dx, dy), other in zip(((0, -1), (1, 0), (0, 1), (-1, 0)), beside, strict=True):
            there = squares[cell][0] + dx, squares[cell][1] + dy
            assert squares[other] == there if other >= 0 else there not in squares


def test_distances_are_those_of_shortest_ways():
    neighbours = neighbours_of(games.make("capture-the-flag", maze="small").board)
    steps = distances(neighbours)
    for cell in range(len(steps)):
        level, layer = 0, {cell}
        known = set(layer)
        while layer:
            assert all(steps[cell, other] == level for other in layer)
            layer = {int(b) for other in layer for b in neighbours[other] if b >= 0} - known
            known |= layer
            level += 1
    assert steps.dtype == np.int16


def test_a_maze_may_come_from_a_file(tmp_path):
    file = tmp_path / "maze.txt"
    file.write_text(LAYOUT.replace("#", "%"), encoding="utf-8")
    game = games.make("capture-the-flag", maze=str(file), moves=60)
    assert np.array_equal(game.board, games.make("capture-the-flag", **SMALL).board)


@pytest.mark.parametrize(
    ("line", "new", "why"),
    [
        (5, "#    # .  4#", "'1' must stand in it exactly once"),
        (5, "#1   # .  1#", "'1' must stand in it exactly once"),
        (3, "#  o ## .  #", "'o' stands in it"),
        (3, "#    ## .  #", "2 dots to the left and 3 to the right"),
        (2, "  ## .  ## #", "open at its rim"),
        (1, "#2  . #   3#", "'2' stands in the other team's half"),
        (5, "#1 # # .  4#", "cannot be reached"),
        (1, "#3  . #   2##", "13x7 squares"),
        (1, "#3" + 30 * " ." + "  2#", "66x7 squares"),
    ],
)
def test_a_maze_that_is_none_is_refused_in_a_line(line, new, why):
    lines = LAYOUT.replace("# ##  . ## #", "####  . ## #").split("\n")
    lines[line] = new
    with pytest.raises(TournamentError, match=why) as refused:
        maze_of("\n".join(lines), "maze")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "options",
    [
        {"maze": "nowhere.txt"},
        {"maze": -1},
        {"maze": 1.5},
        {"width": 12},
        {"height": 8},
        {"dots": 900},
        {"moves": 0},
        {"maze": "small", "dots": 3},
    ],
    ids=str,
)
def test_options_that_make_no_game_are_refused_in_a_line(options):
    with pytest.raises(TournamentError, match="given") as refused:
        games.make("capture-the-flag", **options)
    assert "\n" not in str(refused.value)


# --- drawn mazes ---------------------------------------------------------------------------------


def test_each_game_draws_its_maze_by_its_seed():
    game = games.make("capture-the-flag", width=14, height=7, dots=4)
    states = [game.start(seed) for seed in range(1000)]
    assert {int(state.array[-1]) for state in states} == set(range(board_module.MAZES))
    assert len({str(state).split("\n\n")[0] for state in states}) == board_module.MAZES
    assert str(game.start(7)) == str(game.start(7))


@pytest.mark.parametrize("size", [(10, 5), (10, 7), (14, 9), (30, 15), (62, 31)])
def test_drawn_mazes_of_a_size_have_as_many_cells(size):
    width, height = size
    mazes = [random_maze(number, width, height, 3, "who", True) for number in range(12)]
    assert len({len(maze.columns) for maze in mazes}) == 1
    assert len({(maze.neighbours.tobytes(), maze.dots) for maze in mazes}) > 1


def test_a_view_tells_the_maze_and_boards_are_read_again():
    state = games.make("capture-the-flag", width=14, height=7, dots=4, moves=50).start(3)
    rng = Stream(1)
    while not state.is_over:
        state.play(rng.choice(state.legal_actions()))
        for shown in (state, state.view(0), state.view(1)):
            assert shown.array[-1] == state.array[-1]
            assert np.array_equal(state.game.parse(str(shown)).array, shown.array)
    for wrong in (-1, board_module.MAZES, "x", (1 + state.array[-1]) % board_module.MAZES):
        with pytest.raises(TournamentError, match="not a position of this maze"):
            state.game.parse(str(state).replace(f"maze {state.array[-1]}", f"maze {wrong}"))


@pytest.mark.parametrize(
    "players_",
    [pytest.param(("team", "hungry"), marks=pytest.mark.slow), ("random", "random")],
)
def test_a_game_in_a_drawn_maze_is_that_in_the_maze_alone(monkeypatch, players_):
    mazes = [random_maze(number, 14, 7, 4, "who", True) for number in range(2)]

    def outcomes(*some):
        monkeypatch.setattr(board_module, "make_mazes", lambda options: list(some))
        game = games.make("capture-the-flag", moves=200)
        return np.array(tournaments.play_matches(game, *players_, matches=12, seed=1).outcomes)

    drawn, first, second = outcomes(*mazes), outcomes(mazes[0]), outcomes(mazes[1])
    is_first, is_second = ((drawn == alone).all(axis=2) for alone in (first, second))
    assert (is_first | is_second).all()
    assert (first != second).any()
    assert is_first.sum() > 3
    assert is_second.sum() > 3
