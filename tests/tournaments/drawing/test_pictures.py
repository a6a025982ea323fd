"""The pictures of games: what the text board shows stands where it stands there."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments import games
from tournaments.drawing.film import svg
from tournaments.drawing.scenes import film
from tournaments.drawing.shapes import (
    BLUE,
    INK,
    MARGIN,
    ORANGE,
    SEAT_COLOURS,
    SEAT_PALES,
    WHITE,
    Disc,
    Drawing,
    Line,
    Polygon,
    Scene,
    Shape,
    ShapeGroup,
    Text,
)
from tournaments.drawing.squares import NEUTRAL, NO_SQUARE
from tournaments.game import GAMES
from tournaments.games import nim
from tournaments.games.cat_trap.board import beside as neighbours
from tournaments.games.cat_trap.drawing import TAKEN
from tournaments.games.set import drawing as set_drawing
from tournaments.games.set import rules as set_rules
from tournaments.kernels.rng import Stream


def scenes_of(spec: str, seed: int) -> list[Scene]:
    """A random game."""
    stream = Stream(seed)
    state = games.parse(spec).start(seed)
    scenes = [Scene(state, -1, -1, ("the start",))]
    while not state.is_over:
        seat, action = state.seat_to_move, stream.choice(state.legal_actions())
        state = state.clone()
        state.play(action)
        scenes.append(Scene(state, seat, action, ("a move",)))
    return scenes


def drawn(scenes: list[Scene]) -> Drawing:
    draw = scenes[0].state.game.rules.draw
    assert draw is not None
    return draw(scenes)


def letters(scene: Scene) -> list[list[str]]:
    """The lines of a text board up to the empty one, a letter a place."""
    picture = str(scene.state).split("\n\n")[0]
    return [line.split() for line in picture.split("\n")]


def middle_of(shape: Shape) -> tuple[float, float]:
    """The middle of a figure: of its first part, which is even about it."""
    part = shape.shapes[0] if isinstance(shape, ShapeGroup) else shape
    if isinstance(part, Line):
        return (part.x + part.to_x) / 2, (part.y + part.to_y) / 2
    assert isinstance(part, Disc)
    return part.x, part.y


@pytest.mark.parametrize("name", sorted(GAMES.own()))
def test_every_game_of_ours_draws_itself(name):
    assert games.make(name).rules.draw is not None


SQUARES = st.sampled_from(["tic-tac-toe", "connect-four:rows=4,cols=5"])


@settings(max_examples=30)
@given(SQUARES, st.integers(0, 10**6))
def test_marks_are_drawn_where_the_text_board_has_them(spec, seed):
    scenes = scenes_of(spec, seed)
    drawing = drawn(scenes)
    for scene, shapes in zip(scenes, drawing.frames, strict=True):
        board = letters(scene)
        assert (drawing.width, drawing.height) == (len(board[0]), len(board))
        marks = {}
        for shape in shapes:
            if not isinstance(shape, Polygon | Line):
                x, y = middle_of(shape)
                part = shape.shapes[0] if isinstance(shape, ShapeGroup) else shape
                marks[int(x - MARGIN), int(y - MARGIN)] = getattr(part, "colour", "")
        shown = {
            (x, y): {"X": ORANGE, "O": BLUE}[letter]
            for y, line in enumerate(board)
            for x, letter in enumerate(line)
            if letter != "."
        }
        assert marks == shown
        emoji = scene.state.game.rules.emoji
        assert emoji is not None
        picture = emoji(scene.state.game.board, scene.state.array)
        letters_shown = dict(zip("⬜❌⭕🟠🔵❎🔴🟧🟦", ".XOXOXOXO", strict=True))
        rows = picture.split("\n")
        assert [[letters_shown[letter] for letter in row] for row in rows] == board


@settings(max_examples=30)
@given(SQUARES, st.integers(0, 10**6))
def test_the_last_mark_alone_has_a_frame_in_the_colour_of_its_seat(spec, seed):
    scenes = scenes_of(spec, seed)
    frames = drawn(scenes).frames
    assert not pale(frames[0])
    for scene, shapes in zip(scenes[1:], frames[1:], strict=True):
        assert [shape.colour for shape in pale(shapes)] == [SEAT_PALES[scene.seat]]


def pale(shapes: list[Shape]) -> list[Polygon]:
    return [shape for shape in shapes if isinstance(shape, Polygon) and shape.colour in SEAT_PALES]


@given(st.integers(0, 10**6))
def test_a_heap_is_a_row_of_stones(seed):
    scenes = scenes_of("nim:heaps=3-1-4", seed)
    for before, scene in pairwise(scenes):
        marks = nim.stones_left(scene.state.game.board, scene.state.array)
        heaps = [int(heap) for heap in str(scene.state).split()[0].split("-")]
        assert (marks == NEUTRAL).sum(axis=1).tolist() == heaps
        assert (marks != NO_SQUARE).sum(axis=1).tolist() == [3, 1, 4]
        taken = sum(map(int, str(before.state).split()[0].split("-"))) - sum(heaps)
        shapes = drawn([before, scene]).frames[1]
        assert len(pale(shapes)) == taken
        stones = [shape for shape in shapes if isinstance(shape, Disc)]
        assert [stone.colour for stone in stones] == [INK] * sum(heaps)


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_hexagons_are_blocked_where_the_text_board_has_them(seed):
    scenes = scenes_of("cat-trap:size=5", seed)
    for scene, shapes in zip(scenes, drawn(scenes).frames, strict=True):
        tiles = [shape for shape in shapes if isinstance(shape, Polygon)]
        board = [letter for line in letters(scene) for letter in line]
        blocked = [tile.colour in (TAKEN, BLUE) for tile in tiles]
        assert blocked == [letter == "#" for letter in board]
        assert [tile.colour for tile in tiles].count(BLUE) == (scene.seat == 1)
        cat = next(shape for shape in shapes if isinstance(shape, ShapeGroup))
        x, y = middle_of(ShapeGroup(cat.shapes[2:]))
        corners = tiles[board.index("C")].points
        assert min(across for across, _ in corners) < x < max(across for across, _ in corners)
        assert min(down for _, down in corners) < y < max(down for _, down in corners)


def test_hexagons_stand_beside_those_that_the_cat_steps_to():
    scenes = scenes_of("cat-trap:size=5", 1)[:1]
    drawing = drawn(scenes)
    tiles = [shape for shape in drawing.frames[0] if isinstance(shape, Polygon)]
    middles = [(tile.points[0][0], (tile.points[0][1] + tile.points[3][1]) / 2) for tile in tiles]
    beside = neighbours(scenes[0].state.game.board)
    for tile, (a, b) in enumerate(middles):
        away = [((a - c) ** 2 + (b - d) ** 2) ** 0.5 for c, d in middles]
        assert [other for other, far in enumerate(away) if 0 < far < 1.01] == sorted(
            other for other in beside[tile].tolist() if other >= 0
        )
        assert min(far for far in away if far > 0) == pytest.approx(1.0)
    for tile in tiles:
        for x, y in tile.points:
            assert MARGIN <= x <= MARGIN + drawing.width
            assert MARGIN <= y <= MARGIN + drawing.height


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_fox_and_hounds_stand_where_the_text_board_has_them(seed):
    scenes = scenes_of("fox-and-hounds:rows=5,cols=6", seed)
    for scene, shapes in zip(scenes, drawn(scenes).frames, strict=True):
        board = letters(scene)
        squares = [shape for shape in shapes if isinstance(shape, Polygon)]
        dark = {
            (int(square.points[0][0] - MARGIN), int(square.points[0][1] - MARGIN))
            for square in squares
            if square.colour == "#b58863"
        }
        assert dark == {
            (x, y) for y, line in enumerate(board) for x, mark in enumerate(line) if mark != "_"
        }
        dots = [shape for shape in shapes if isinstance(shape, Disc)]
        has_stepped = scene.seat >= 0 and "begin" not in name_of(scene)
        assert [dot.colour for dot in dots] == [SEAT_PALES[scene.seat]] * has_stepped
        figures = [shape for shape in shapes if isinstance(shape, ShapeGroup)]
        placed = sorted(place_of(figure) for figure in figures)
        assert placed == sorted(
            (x, y)
            for y, line in enumerate(board)
            for x, mark in enumerate(line)
            if mark not in (".", "_")
        )


def test_hounds_have_their_numbers_in_the_picture():
    (scene,) = scenes_of("fox-and-hounds:rows=5,cols=6", 0)[:1]
    (shapes,) = drawn([scene]).frames
    assert [shape.text for shape in shapes if isinstance(shape, Text)] == ["1", "2", "3"]


def test_the_cat_trap_has_rulers_by_which_tiles_are_named():
    scenes = scenes_of("cat-trap:size=5", 0)
    rulers = [shape for shape in drawn(scenes).frames[-1] if isinstance(shape, Text)]
    above, left = rulers[::2], rulers[1::2]
    assert [each.text for each in above] == [each.text for each in left] == [*"01234"]
    assert len({each.y for each in above}) == len({each.x for each in left}) == 1
    assert [each.x for each in above] == sorted(each.x for each in above)
    assert [each.y for each in left] == sorted(each.y for each in left)


@pytest.mark.parametrize(
    ("spec", "board", "ends", "emoji"),
    [
        (
            "connect-four:rows=4,cols=5",
            ". . . . X\n. . . X O\n. . X O O\nO O O X X\n\nfirst to move",
            [],
            "🔵🔵🔵🟠🟠",
        ),
        (
            "connect-four:rows=4,cols=5",
            ". . . . X\n. . . X O\n. O X O O\n. X X O X\n\nfirst won",
            [((1, 3), (4, 0))],
            "⬜🟧🟠🔵🟠",
        ),
        (
            "tic-tac-toe",
            "X O O\nX O X\nX X O\n\ncross won",
            [((0, 0), (0, 2))],
            "❎❌⭕",
        ),
        (
            "tic-tac-toe",
            "O X X\nO X X\nO O O\n\nnought won",
            [((0, 0), (0, 2)), ((0, 2), (2, 2))],
            "🔴🔴🔴",
        ),
    ],
)
def test_the_row_that_wins_is_marked(spec, board, ends, emoji):
    state = games.parse(spec).parse(board)
    (shapes,) = drawn([Scene(state, -1, -1, ("",))]).frames
    lines = {
        tuple(
            sorted(
                (
                    (s.x - MARGIN - 0.5, s.y - MARGIN - 0.5),
                    (s.to_x - MARGIN - 0.5, s.to_y - MARGIN - 0.5),
                )
            )
        )
        for s in shapes
        if isinstance(s, Line)
    }
    assert lines == {tuple(sorted(each)) for each in ends}
    assert state.game.rules.emoji(state.game.board, state.array).split("\n")[-1] == emoji


def name_of(scene: Scene) -> str:
    """The action that led to a scene."""
    return scene.state.game.rules.describe(scene.state.game.board, scene.action)


def place_of(figure: ShapeGroup) -> tuple[int, int]:
    """The square of a figure: that of its last disc, the nose."""
    nose = figure.shapes[-1]
    assert isinstance(nose, Disc)
    return int(nose.x - MARGIN), int(nose.y - MARGIN)


def test_a_changed_position_has_no_mover():
    """After an edit nothing is painted in the colour of a seat."""
    game = games.parse("cat-trap:size=5,blocks=none")
    state = game.start()
    assert game.rules.edit is not None
    after = type(state)(game, game.rules.edit(game.board, state.array.copy(), "0:0 1:2"))
    scenes = [Scene(state, -1, -1, ("the start",)), Scene(after, -1, -1, ("edit",))]
    assert BLUE not in {getattr(shape, "colour", "") for shape in drawn(scenes).frames[1]}


@pytest.mark.parametrize("spec", ["tic-tac-toe", "nim:heaps=2-2", "fox-and-hounds:rows=4,cols=4"])
def test_pictures_are_written(spec):
    scenes = scenes_of(spec, 1)
    assert svg(film(scenes, ("a", "b"), 0.5)).count("<animate") > 0


def test_boxes_of_a_board_that_was_pasted_are_nobodys():
    game = games.parse("dots-and-boxes:rows=1,cols=1")
    full = game.parse(".-.\n| |\n.-.\n\nover, first 1, second 0")
    scenes = [Scene(game.start(), -1, -1, ("the start",)), Scene(full, -1, -1, ("another board",))]
    shapes = drawn(scenes).frames[1]
    owned = [shape for shape in shapes if isinstance(shape, Polygon)]
    assert [shape.colour in SEAT_PALES for shape in owned] == [False]
    assert sum(isinstance(shape, Line) for shape in shapes) == 4


# --- set -----------------------------------------------------------------------------------------


def cards_drawn(shapes: list[Shape]) -> list[tuple[int, str, int]]:
    """For each card its number, colour and texture (0: full), in the order of painting."""
    cards = []
    for group in shapes:
        if isinstance(group, ShapeGroup):
            symbols = [part for part in group.shapes[1:] if isinstance(part, Polygon)]
            colours = [symbol.colour for symbol in symbols]
            full = WHITE not in colours
            striped = any(isinstance(part, Line) for part in group.shapes)
            number = len(symbols) // (1 if full else 2)
            cards.append((number, colours[0], 0 if full else 1 if striped else 2))
    return cards


@pytest.mark.parametrize("seed", [1, 2])
def test_a_table_of_set_is_drawn_and_the_set_that_was_taken(seed):
    scenes = scenes_of("set", seed)
    frames, board = drawn(scenes).frames, scenes[0].state.game.board
    before: list[int] = []
    for scene, shapes in zip(scenes, frames, strict=True):
        table = set_rules.cards_at(scene.state.array, set_rules.ON_TABLE)
        taken = sorted({*before} - {*table})
        shown = cards_drawn(shapes)
        named = [set_rules.card_name(board, card) for card in [*table, *taken]]
        letters_of = dict(zip("RGP", set_drawing.COLOURS, strict=True))
        expected = [(int(name[0]), letters_of[name[1]], "FSE".index(name[3])) for name in named]
        assert sorted(shown) == sorted(expected)
        frames_of_seat = [each for each in shapes if getattr(each, "colour", "") in SEAT_COLOURS]
        is_start = scene.seat < 0
        assert len(frames_of_seat) == (0 if is_start else len({*table} - {*before}) + len(taken))
        before = table


def test_a_card_of_set_keeps_its_place_as_long_as_it_lies_there():
    scenes = scenes_of("set", 3)
    cards: set[int] = set()
    before: set[ShapeGroup] = set()
    for scene, shapes in zip(scenes, drawn(scenes).frames, strict=True):
        table = {*set_rules.cards_at(scene.state.array, set_rules.ON_TABLE)}
        now = {shape for shape in shapes if isinstance(shape, ShapeGroup)}
        assert len(now) == len(table) + len(cards - table)
        assert len(now & before) == len(table & cards)
        cards, before = table, now
