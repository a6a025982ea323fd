"""Frames of a tracker, as shapes."""

import numpy as np
import pytest

from tournaments.drawing.film import write_film
from tournaments.drawing.shapes import BLUE, Disc, Line, Polygon
from tournaments.games.capture_the_flag.tracking.frames import GREEN, RED, TRUTH, film_of
from tournaments.games.capture_the_flag.tracking.graph import graph_of_text
from tournaments.games.capture_the_flag.tracking.record import Observation

GRAPH = graph_of_text("#######\n#.....#\n#.###.#\n#.....#\n#######")
SEEN_FROM = Observation((GRAPH.cell(1, 1),), (4,))


def area(square):
    (left, low), _, (right, high), _ = square.points
    return (right - left) * (high - low)


def test_the_area_of_a_square_is_the_probability():
    belief = np.zeros(GRAPH.rows.size)
    belief[[3, 7]] = 0.75, 0.25
    (frame,) = film_of(GRAPH, belief[np.newaxis], [SEEN_FROM]).frames
    squares = [shape for shape in frame if isinstance(shape, Polygon) and shape.colour == RED]
    assert [area(square) for square in squares] == pytest.approx([0.75, 0.25])


def test_lines_bound_the_noise_and_the_sight_within_the_maze():
    belief = np.zeros((1, GRAPH.rows.size))
    film = film_of(GRAPH, belief, [SEEN_FROM], [GRAPH.cell(3, 4)], noise=1, sight=1)
    lines = [shape for shape in film.frames[0] if isinstance(shape, Line)]
    middle = 2.0  # of the watcher, in both directions
    for line in lines:
        assert 0.5 <= min(line.x, line.to_x) <= max(line.x, line.to_x) <= 7.5
        assert 0.5 <= min(line.y, line.to_y) <= max(line.y, line.to_y) <= 5.5
        away = abs(line.x - middle) + abs(line.y - middle)
        assert (line.colour, round(away, 6)) in {(BLUE, 2.5), (BLUE, 5.5), (GREEN, 1.5)} or (
            line.colour == TRUTH
        )
    assert {line.colour for line in lines} == {BLUE, GREEN, TRUTH}
    assert Disc(middle, middle, 0.36, BLUE) in film.frames[0]


def test_a_film_becomes_a_file(tmp_path):
    film = film_of(GRAPH, np.eye(GRAPH.rows.size)[:2], [SEEN_FROM] * 2, [0, 1])
    write_film(tmp_path / "track.svg", film)
    assert (tmp_path / "track.svg").stat().st_size > 1000
