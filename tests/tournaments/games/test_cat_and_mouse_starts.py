"""Starts that are drawn: from which placements, how evenly, and what is refused."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive.cat_and_mouse import Grid

from tournaments import TournamentError, games, players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.arena.match import play_match
from tournaments.games.cat_and_mouse import solver as pursuit
from tournaments.games.cat_and_mouse.board import PIECES
from tournaments.kernels.rng import match_seeds

NAME = "cat-and-mouse"
ANY = {"cat_start": "any", "mouse_start": "any"}


def cells_of(state) -> list[tuple[int, int]]:
    game = state.game
    number = game.options["cats"] + game.options["mice"]
    cols = game.options["cols"]
    return [(cell % cols, cell // cols) for cell in state.array[PIECES : PIECES + number].tolist()]


def reaches(grid: Grid, cell) -> set:
    reached, before = {cell}, set()
    while reached != before:
        before = set(reached)
        reached |= {there for one in before for there in grid.moves(one).values()}
    return reached


def may_start(reached, size, placed, with_parity: bool) -> bool:
    if not reached[placed[0]].issuperset(placed):
        return False
    if not with_parity:
        return True
    corners = size[0] - 1 + size[1] - 1
    return (sum(map(sum, placed)) - corners) % 2 == 0


@settings(max_examples=50)
@given(
    size=st.tuples(st.integers(2, 4), st.integers(2, 4)),
    pieces=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    cat_steps=st.integers(1, 2),
    data=st.data(),
)
def test_the_placements_drawn_are_those_of_the_slow_rules(size, pieces, cat_steps, data):
    cells = [(x, y) for x in range(size[1]) for y in range(size[0])]
    walls = data.draw(st.sets(st.sampled_from(cells), max_size=5))
    grid = Grid(*size, walls)
    assume(1 < len(grid.cells) <= (16, 16, 16, 10, 7)[sum(pieces)])
    reached = {cell: reaches(grid, cell) for cell in grid.cells}
    given_cat = data.draw(st.sampled_from(sorted(grid.cells)))
    starts = {"cat_start": "any", "mouse_start": "any"}
    is_given = pieces[0] == 1 and data.draw(st.booleans())
    if is_given:
        starts["cat_start"] = f"{given_cat[0]}:{given_cat[1]}"
    with_parity = cat_steps == 1 and pieces == (1, 1)
    allowed = {
        placed
        for placed in permutations(sorted(grid.cells), sum(pieces))
        if not (is_given and placed[0] != given_cat)
        and may_start(reached, size, placed, with_parity)
    }
    options = {
        "rows": size[0],
        "cols": size[1],
        "cats": pieces[0],
        "mice": pieces[1],
        "cat_steps": cat_steps,
        "obstacles": "+".join(f"{x}:{y}" for x, y in walls) or "none",
        **starts,
    }
    if not allowed:
        with pytest.raises(TournamentError, match="no placement is left to be drawn"):
            games.make(NAME, **options)
        return
    game = games.make(NAME, **options)
    found = {tuple(cells_of(game.start(seed))) for seed in range(40)}
    assert found <= allowed
    assert len(found) > 1 or len(allowed) < 12


def test_each_placement_is_as_likely_as_the_others():
    game = games.make(NAME, rows=3, cols=3, obstacles="1:1", **ANY)
    counts = Counter(tuple(cells_of(game.start(seed))) for seed in range(6000))
    assert len(counts) == 2 * 4 * 3  # as the corners: both of one colour
    expected = 6000 / len(counts)
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 23 + 35


def test_cats_given_in_one_cell_may_share_it():
    game = games.make(NAME, rows=3, cols=3, cats=2, cat_start="0:0+0:0", mouse_start="any")
    assert {tuple(cells_of(game.start(seed)))[:2] for seed in range(20)} == {((0, 0), (0, 0))}


def test_a_given_start_stays_and_the_other_has_the_colour_of_the_corners():
    game = games.make(NAME, rows=5, cols=4, cat_start="1:0", mouse_start="any")
    for seed in range(50):
        cat, mouse = cells_of(game.start(seed))
        assert cat == (1, 0)
        assert (mouse[0] - 1 + mouse[1]) % 2 == 1


def test_a_drawn_start_counts_as_seen_and_is_the_same_again():
    game = games.make(NAME, **ANY)
    state = game.start(12)
    (cat_x, cat_y), (mouse_x, mouse_y) = cells_of(state)
    assert str(state).endswith(f"seen: {cat_x}:{cat_y}-{mouse_x}:{mouse_y}")
    assert state == game.start(12)
    assert state != game.start(13)
    assert games.parse(game.spec) == game


def test_who_can_win_is_what_it_is_from_the_corners():
    game = games.make(NAME, rows=6, cols=5, **ANY)
    assert all(pursuit.plies_from(game.start(seed)) is not None for seed in range(30))
    game = games.make(NAME, rows=6, cols=6, **ANY)
    assert all(pursuit.plies_from(game.start(seed)) is None for seed in range(30))


def test_the_arena_draws_the_starts_of_the_readable_loop():
    game = games.make(NAME, rows=5, cols=4, **ANY)
    a, b = players.make("optimal", game), players.make("level-0", game)
    seeds = match_seeds(1, "test", 0, 20)
    outcomes = play_pairs(Entrants(game, (a, b)), np.tile([[-1, -2]], (20, 1)), seeds)
    assert outcomes.tolist() == [play_match(game, a, b, int(seed)).tolist() for seed in seeds]


def test_a_best_response_takes_a_start():
    game = games.make(NAME, rows=4, cols=4, mouse_start="any")
    policy = pursuit.best_actions(game, pursuit.plies_to_capture(game), 0)[0]
    with pytest.raises(TournamentError, match=r"draws its start.*give cells, or corner"):
        pursuit.best_response(game, policy, "cat")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"cat_start": "all"}, "cells such as 0:0 or"),
        ({"cat_start": "any+0:0", "cats": 2}, "cells such as 0:0 or"),
        ({"rows": 2, "cols": 2, "obstacles": "0:1+1:0+1:1", **ANY}, "no placement is left"),
        ({"rows": 2, "cols": 2, "obstacles": "0:1+1:0", **ANY}, "no placement is left"),
        ({"rows": 2, "cols": 3, "obstacles": "0:1+1:0", "mouse_start": "any"}, "no placement is"),
        ({"rows": 2, "cols": 2, "cats": 2, "mice": 2, "obstacles": "1:1", **ANY}, "no placement"),
        ({"obstacles": "0:0", "mouse_start": "any"}, "an obstacle stands on 0:0"),
    ],
)
def test_a_board_without_a_placement_to_draw_is_refused(options, complaint):
    with pytest.raises(TournamentError, match=complaint):
        games.make(NAME, **options)
