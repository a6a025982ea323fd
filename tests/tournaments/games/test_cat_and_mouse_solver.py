"""Exact play of cat and mouse: the theorem, slow solutions written apart, and best responses."""

from __future__ import annotations

import random as python_random
from copy import deepcopy
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive.cat_and_mouse import (
    CatAndMouse,
    Grid,
    all_policies,
    can_cat_win,
    plies_between,
    plies_of_all,
)

from tournaments import TournamentError, games, players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.arena.match import play_game
from tournaments.contract import check_player
from tournaments.game import Game
from tournaments.games.cat_and_mouse import solver as pursuit
from tournaments.games.cat_and_mouse.players import optimal
from tournaments.games.cat_and_mouse.solver import (
    NEVER,
    best_actions,
    best_response,
    plies_from,
    plies_to_capture,
)
from tournaments.kernels.rng import Stream, match_seeds

SIZES = list(product(range(2, 9), range(2, 9)))
SEATS = ("cat", "mouse")


def made(rows: int, cols: int, first: str = "cat", **options) -> Game:
    return games.make("cat-and-mouse", rows=rows, cols=cols, first=first, **options)


def optimal_policy(game: Game, seat: str) -> np.ndarray:
    return best_actions(game, plies_to_capture(game), SEATS.index(seat))[0]


def plies_by_parity(rows: int, cols: int, first: str) -> int | None:
    """From opposite corners: who wins is a matter of parity, how soon of the half circumference."""
    odd = (rows + cols) % 2 == 1
    if first == "cat":
        return 2 * (rows + cols) - 7 if odd else None
    return None if odd else 2 * (rows + cols) - 6


# --- perfect play ------------------------------------------------------------------------------


@pytest.mark.parametrize("first", SEATS)
@pytest.mark.parametrize(("rows", "cols"), SIZES)
def test_who_wins_and_how_soon_from_opposite_corners(rows, cols, first):
    assert plies_from(made(rows, cols, first).start()) == plies_by_parity(rows, cols, first)


@pytest.mark.parametrize(
    ("rows", "cols", "first", "plies"),
    [(8, 7, "cat", 23), (8, 8, "mouse", 26), (5, 5, "mouse", 14), (12, 12, "mouse", 42)],
)
def test_examples_of_perfect_play(rows, cols, first, plies):
    assert plies_from(made(rows, cols, first).start()) == plies


@pytest.mark.parametrize("sizes", [(7, 7, "cat"), (8, 7, "mouse"), (8, 8, "cat")])
def test_the_mouse_is_safe_where_the_article_says_so_and_where_it_says_otherwise(sizes):
    assert plies_from(made(*sizes).start()) is None


@st.composite
def boards(draw, largest: int = 4, most_steps: int = 2):
    """A game with obstacles, given starts and speeds, and its slow grid."""
    rows, cols = draw(st.integers(2, largest)), draw(st.integers(2, largest))
    cells = [(x, y) for x in range(cols) for y in range(rows)]
    walls = draw(st.sets(st.sampled_from(cells), max_size=rows * cols // 4))
    grid = Grid(rows, cols, walls)
    assume(len(grid.cells) > 2 and grid.is_connected())
    cat, mouse = draw(
        st.lists(st.sampled_from(sorted(grid.cells)), min_size=2, max_size=2, unique=True)
    )
    speeds = draw(st.tuples(st.integers(1, most_steps), st.integers(1, most_steps)))
    options = {
        "cat_steps": speeds[0],
        "mouse_steps": speeds[1],
        "cat_start": f"{cat[0]}:{cat[1]}",
        "mouse_start": f"{mouse[0]}:{mouse[1]}",
        "obstacles": "+".join(f"{x}:{y}" for x, y in walls) or "none",
    }
    return made(rows, cols, draw(st.sampled_from(SEATS)), **options), grid, speeds


def number_of(game: Game, cell) -> int:
    return cell[1] * game.options["cols"] + cell[0]


def random_policy(grid: Grid, side: int, seed: int):
    rng = python_random.Random(seed)
    places = sorted(grid.cells)
    return {(c, m): rng.choice([*grid.moves((c, m)[side])]) for c in places for m in places}


def as_table(game: Game, policy) -> np.ndarray:
    cells = game.options["rows"] * game.options["cols"]
    table = np.full((cells, cells), 9, dtype=np.int8)  # what is not read may be anything
    for (cat, mouse), action in policy.items():
        if cat != mouse:
            table[number_of(game, cat), number_of(game, mouse)] = action
    return table


def assert_same(game: Game, table: np.ndarray, expected) -> None:
    for (phase, cat, mouse), plies in expected.items():
        found = table[phase, number_of(game, cat), number_of(game, mouse)]
        assert found == (NEVER if plies is None else plies), (phase, cat, mouse)


@settings(max_examples=60)
@given(setting=boards())
def test_every_position_is_worth_what_slow_induction_says(setting):
    game, grid, speeds = setting
    assert_same(game, plies_to_capture(game), plies_of_all(grid, speeds))


@settings(max_examples=60)
@given(setting=boards(), side=st.integers(0, 1), seed=st.integers(0, 2**32))
def test_a_best_response_is_worth_what_slow_induction_says(setting, side, seed):
    game, grid, speeds = setting
    policy = random_policy(grid, side, seed)
    both = (policy, None) if side == 0 else (None, policy)
    found = best_response(game, as_table(game, policy), SEATS[side])
    assert_same(game, found.table, plies_of_all(grid, speeds, both))


def ended(game: Game, actions) -> tuple[int, bool]:
    """Plies played until the game is over, and whether the cat has won."""
    state = game.start()
    plies = 0
    for action in actions:
        if not state.is_over:
            state.play(action)
            plies += 1
    return plies, state.scores == (1, 0)


@settings(max_examples=60)
@given(setting=boards(largest=5), side=st.integers(0, 1), seed=st.integers(0, 2**32))
def test_the_game_that_shows_a_best_response_is_a_game_of_that_policy(setting, side, seed):
    game, grid, _ = setting
    table = as_table(game, random_policy(grid, side, seed))
    found = best_response(game, table, SEATS[side])
    actions = list(found.actions)
    if found.repeats_from is not None:
        assert found.plies is None
        actions += 2 * actions[found.repeats_from :]  # round and round
    else:
        assert found.plies == len(actions)
    state = game.start()
    for action in actions:
        if state.is_over:
            break
        if state.seat_to_move == side:
            assert action == table[tuple(state.array[5:7])]
        state.play(action)
    assert state.is_over
    assert state.scores == ((1, 0) if found.winner == 0 else (0, 1))
    assert (found.winner == 0) == (found.plies is not None)


@settings(max_examples=60)
@given(
    setting=boards(largest=5), side=st.integers(0, 1), seed=st.integers(0, 2**32),
    limit=st.integers(1, 30),
)  # fmt: skip
def test_under_a_move_limit_the_plies_must_fit_into_it(setting, side, seed, limit):
    game, grid, _ = setting
    game = games.make(game.name, **{**game.options, "end": "move-limit", "limit": limit})
    table = as_table(game, random_policy(grid, side, seed))
    found = best_response(game, table, SEATS[side])
    actions = list(found.actions)
    if found.repeats_from is not None:
        actions += 4 * limit * actions[found.repeats_from :]
    _, cat_won = ended(game, actions)
    assert cat_won == (found.winner == 0)


@settings(max_examples=40)
@given(setting=boards(most_steps=1), side=st.integers(0, 1), seed=st.integers(0, 2**32))
def test_no_policy_is_better_than_the_optimal_one_which_is_worth_perfect_play(setting, side, seed):
    game, grid, _ = setting
    perfect = plies_to_capture(game).astype(np.int64)
    best = best_response(game, optimal_policy(game, SEATS[side]), SEATS[side])
    assert np.array_equal(best.table, perfect)
    poor = best_response(game, as_table(game, random_policy(grid, side, seed)), SEATS[side])
    assert (poor.table >= perfect).all() if side == 0 else (poor.table <= perfect).all()


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("walls", [set(), {(1, 1)}], ids=["square", "path of five"])
def test_a_best_response_is_the_best_of_all_policies(walls, side, first):
    """Every policy that the other side could have is played against a few of this one."""
    cols = 3 if walls else 2
    grid = Grid(2, cols, walls)
    options = {"obstacles": "1:1"} if walls else {}
    game = made(2, cols, SEATS[first], **options)
    for seed in range(3):
        policy = random_policy(grid, side, seed)
        found = best_response(game, as_table(game, policy), SEATS[side])
        results = set()
        for other in all_policies(grid, 1 - side):
            both = (policy, other) if side == 0 else (other, policy)
            results.add(plies_between(grid, first, ((0, 0), (cols - 1, 1)), both))
        caught = results - {None}
        if side == 0:
            assert found.plies == (None if None in results else max(caught))
        else:
            assert found.plies == (min(caught) if caught else None)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize(
    ("rows", "cols", "walls", "speeds", "limit"),
    [
        (2, 2, set(), (1, 1), None),
        (2, 2, set(), (2, 1), None),
        (2, 2, set(), (1, 2), None),
        (2, 3, {(1, 1)}, (1, 1), None),
        (2, 3, {(1, 1)}, (1, 2), None),
        (2, 3, set(), (1, 1), None),
        (3, 3, {(1, 1)}, (1, 1), None),
        (2, 3, set(), (1, 1), 2),
        (2, 3, set(), (1, 1), 1),
        (2, 4, set(), (1, 1), 3),
        (3, 3, set(), (1, 1), 3),
        (3, 3, set(), (2, 1), 2),
    ],
)
def test_the_whole_game_with_its_history_is_won_by_whom_the_table_names(
    rows, cols, walls, speeds, limit, first
):
    """No placement is taken for another because of what was seen before, or of turns made."""
    naive = CatAndMouse(
        Grid(rows, cols, walls), ([(0, 0)], [(cols - 1, rows - 1)]), first, speeds, limit
    )
    game = made(
        rows,
        cols,
        SEATS[first],
        obstacles="+".join(f"{x}:{y}" for x, y in walls) or "none",
        cat_steps=speeds[0],
        mouse_steps=speeds[1],
        end="move-limit" if limit else "repetition",
        limit=limit or 0,
    )
    plies = plies_from(game.start())
    wins = plies is not None and plies <= pursuit.plies_allowed(game)
    assert can_cat_win(naive, deepcopy) == wins


def test_the_cat_that_goes_along_the_longer_axis_is_optimal_on_the_board_of_the_study():
    """Ties vertical: the 'strong' cat, which the best mouse holds off for 23 plies, 12 its own."""
    game = made(8, 7)
    cat, mouse = np.indices((56, 56))
    x, y = mouse % 7 - cat % 7, mouse // 7 - cat // 7
    strong = np.where(abs(x) > abs(y), np.where(x > 0, 0, 1), np.where(y > 0, 2, 3))
    found = best_response(game, strong, "cat")
    assert (found.plies, found.winner, len(found.actions)) == (23, 0, 23)
    assert str(found) == "this cat catches every mouse within 23 plies"


def test_the_first_cat_of_the_study_is_escaped_for_ever():
    """It goes up, and down from the top row."""
    weak = np.full((56, 56), 2)
    weak[49:] = 3
    found = best_response(made(8, 7), weak, "cat")
    assert (found.plies, found.winner) == (None, 1)
    assert str(found).startswith("a mouse escapes this cat for ever: from ply")
    assert ended(made(8, 7), found.actions)[1] is False


def test_a_mouse_that_no_cat_can_catch_is_told_so():
    game = made(8, 8)
    found = best_response(game, optimal_policy(game, "mouse"), "mouse")
    assert (found.plies, found.winner) == (None, 1)
    assert str(found) == "no cat ever catches this mouse"


def test_a_capture_that_comes_too_late_is_told_so():
    game = made(8, 7, end="move-limit", limit=11)
    found = best_response(game, optimal_policy(game, "cat"), "cat")
    assert (found.plies, found.winner) == (23, 1)
    assert str(found) == "this cat catches every mouse within 23 plies, 21 being allowed"
    assert (
        best_response(
            made(8, 7, end="move-limit", limit=12), optimal_policy(game, "mouse"), "mouse"
        ).winner
        == 0
    )


# --- what is refused -----------------------------------------------------------------------------


def test_a_policy_for_another_board_is_refused():
    policy = optimal_policy(made(5, 5), "cat")
    with pytest.raises(
        TournamentError, match=r"\(25, 25\), int8, given; 8x7 cells take .*\(56, 56\)"
    ):
        best_response(made(8, 7), policy, "cat")
    with pytest.raises(TournamentError, match="float64"):
        best_response(made(5, 5), policy.astype(float), "cat")


@pytest.mark.parametrize(("seat", "action"), [("cat", 1), ("cat", 4), ("cat", -1), ("mouse", 0)])
def test_a_policy_that_steps_off_the_board_is_refused(seat, action):
    game = made(3, 4)
    policy = optimal_policy(game, seat).copy()
    policy[0, 11] = action
    expected = {"cat": r"\[0, 2\]", "mouse": r"\[1, 3\]"}[seat]
    where = f"{action}, given: with the cat on 0:0 and the mouse on 3:2 of 3x4 cells .* {expected}"
    with pytest.raises(TournamentError, match=where):
        best_response(game, policy, seat)


def test_a_policy_that_steps_onto_an_obstacle_is_refused():
    game = made(3, 3, obstacles="1:1")
    policy = optimal_policy(game, "cat").copy()
    best_response(game, policy, "cat")
    policy[3, 8] = 0
    with pytest.raises(TournamentError, match=r"cat on 0:1 .* \[2, 3\]"):
        best_response(game, policy, "cat")


def test_what_cannot_be_solved_is_refused():
    policy = np.zeros((9, 9), dtype=np.int8)
    for game in (made(3, 3, cats=2), made(3, 3, mice=2), games.make("dots-and-boxes")):
        with pytest.raises(TournamentError, match="cats=1 and mice=1"):
            plies_to_capture(game)
        with pytest.raises(TournamentError, match="cats=1 and mice=1"):
            best_response(game, policy, "cat")
    with pytest.raises(TournamentError, match="'cat' or 'mouse'"):
        best_response(made(3, 3), policy, "first")


# --- the perfect player --------------------------------------------------------------------------


@pytest.mark.parametrize("first", SEATS)
@pytest.mark.parametrize(("rows", "cols"), [(2, 2), (2, 3), (3, 3), (5, 5), (8, 7), (7, 8)])
@pytest.mark.parametrize("end", ["repetition", "move-limit"])
def test_perfect_players_take_the_plies_of_the_theorem(rows, cols, first, end):
    game = made(rows, cols, first, end=end)
    player = optimal(game)
    expected = plies_by_parity(rows, cols, first)
    for seed in range(5):
        played = list(play_game(game, player, player, seed))
        assert played[-1][0].scores == ((0, 1) if expected is None else (1, 0))
        assert expected in (None, len(played))


@settings(max_examples=30)
@given(setting=boards(largest=5), seed=st.integers(0, 2**32))
def test_the_perfect_player_of_a_won_seat_wins_against_random_play(setting, seed):
    game, _, _ = setting
    plies = plies_from(game.start())
    player, level_0 = optimal(game), players.make("level-0", game)
    if plies is None:
        *_, (state, _, _) = play_game(game, level_0, player, seed)
        assert state.scores == (0, 1)
    else:
        played = list(play_game(game, player, level_0, seed))
        assert played[-1][0].scores == (1, 0)
        assert len(played) <= plies


@settings(max_examples=40)
@given(setting=boards(), seed=st.integers(0, 2**32), plies=st.integers(0, 8))
def test_the_perfect_player_draws_evenly_from_the_best_steps(setting, seed, plies):
    game, _, _ = setting
    rng, state = python_random.Random(seed), game.start()
    for _ in range(plies):
        if not state.is_over:
            state.play(rng.choice(state.legal_actions()))
    assume(not state.is_over)
    worth = {}
    for action in state.legal_actions():
        after = state.clone()
        game.rules.play(game.board, after.array, action)
        # A placement that recurs ends the game, yet is not looked at.
        assume(not after.is_over or after.scores == (1, 0))
        found = plies_from(after)
        worth[action] = float("inf") if found is None else found
    best = (min if state.seat_to_move == 0 else max)(worth.values())
    chosen = optimal(game).choose(state, Stream(seed))
    assert chosen == Stream(seed).choice([a for a, value in worth.items() if value == best])


@pytest.mark.parametrize("options", [{}, {"cat_steps": 2, "obstacles": "1:1", "end": "move-limit"}])
@pytest.mark.slow
def test_the_perfect_player_keeps_the_contract(options):
    game = made(4, 4, "mouse", **options)
    check_player(optimal(game), game, games=5)


@pytest.mark.slow
def test_perfect_play_in_the_arena_wins_the_seat_that_is_won():
    game = made(8, 7)
    panel = (optimal(game), players.make("level-0", game))
    pairs = np.array([[-1, -2]] * 200, dtype=np.int32)
    outcomes = play_pairs(Entrants(game, panel), pairs, match_seeds(1, "test", 0, 200))
    assert (outcomes[:, 0] == (1, 0)).all()
    assert (outcomes[:, 1] == (0, 1)).mean() > 0.9
