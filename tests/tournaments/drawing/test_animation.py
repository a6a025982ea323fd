"""Animated pictures: each frame shows its shapes and no others."""

from __future__ import annotations

from html import escape
from itertools import chain
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments import TournamentError
from tournaments.drawing.film import svg, write_film
from tournaments.drawing.shapes import Disc, Film, Line, Polygon, ShapeGroup, Text

SVG = "{http://www.w3.org/2000/svg}"
colours = st.sampled_from(["#d55e00", "#0072b2", "#222222"])
places = st.integers(0, 3)
squares = st.builds(
    lambda x, y, colour: Polygon(((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)), colour),
    *(places, places, colours),
)
discs = st.builds(lambda x, y, colour: Disc(x + 0.5, y + 0.5, 0.4, colour), places, places, colours)
lines = st.builds(Line, places, places, places, places, st.just(0.1), colours)
texts = st.builds(
    Text, places, places, st.text(st.characters(codec="ascii", min_codepoint=32)), st.just(0.3),
    colours,
)  # fmt: skip
groups = st.builds(lambda *parts: ShapeGroup(parts), squares, discs)
shapes = st.one_of(squares, discs, lines, texts, groups)
films = st.builds(
    Film,
    width=st.just(4),
    height=st.just(4),
    frames=st.lists(st.lists(shapes, max_size=5), min_size=1, max_size=6),
    seconds=st.sampled_from([0.02, 0.5, 0.7]),
)


def seen_at(document: str, moment: float) -> list[str]:
    """The elements of a document that are shown at a moment, as text, as the standard has it."""
    found = []
    for element in list(ElementTree.fromstring(document))[1:]:
        animation = element.find(f"{SVG}animate")
        if animation is not None:
            times = [float(time) for time in animation.get("keyTimes", "").split(";")]
            values = animation.get("values", "").split(";")
            assert (times[0], len(times)) == (0, len(values))
            assert animation.get("calcMode") == "discrete"
            share = moment / float(animation.get("dur", "")[:-1])
            shown = [value for time, value in zip(times, values, strict=True) if time <= share]
            if shown[-1] == "visible":
                found += [as_text(part) for part in element if part is not animation]
        else:
            found.append(as_text(element))
    return found


def as_text(element: ElementTree.Element) -> str:
    return f"{element.tag}{sorted(element.attrib.items())}{element.text}"


@given(films)
def test_each_moment_shows_its_frame(film):
    document = svg(film)
    for number, frame in enumerate(film.frames):
        alone = svg(Film(film.width, film.height, [frame]))
        shown = seen_at(document, (number + 0.5) * film.seconds)
        assert sorted(shown) == sorted(seen_at(alone, 0))
    held = len(film.frames) * film.seconds + 0.9 * film.hold
    assert sorted(seen_at(document, held)) == sorted(shown)


@given(films)
def test_without_animation_the_last_frame_is_seen(film):
    at_rest = [
        group.get("visibility")
        for group in ElementTree.fromstring(svg(film)).iter(f"{SVG}g")
        if group.find(f"{SVG}animate") is not None
    ]
    last = set(film.frames[-1])
    partly = [
        shape
        for shape in dict.fromkeys(chain.from_iterable(film.frames))
        if not in_all(shape, film)
    ]
    assert at_rest == ["visible" if shape in last else "hidden" for shape in partly]


def in_all(shape: object, film: Film) -> bool:
    return all(shape in frame for frame in film.frames)


def test_what_comes_later_is_painted_above():
    back, front = Disc(1, 1, 0.5, "#d55e00"), Disc(1, 1, 0.3, "#0072b2")
    document = svg(Film(2, 2, [[back], [back, front]]))
    assert document.index("#d55e00") < document.index("#0072b2")


def test_text_is_text_and_no_markup():
    text = """<b> & "c" 'd'"""
    document = svg(Film(2, 2, [[Text(0, 1, text, 0.3, "#222222")]]))
    assert escape(text) in document
    (element,) = ElementTree.fromstring(document).iter(f"{SVG}text")
    assert element.text == text


def test_the_same_film_gives_the_same_bytes():
    film = Film(2, 2, [[Disc(1, 1, 0.5, "#d55e00")], [Text(0, 1, "end", 0.3, "#222222")]])
    assert svg(film) == svg(film)


def test_large_boards_make_pictures_of_a_size_that_fits_a_screen():
    element = ElementTree.fromstring(svg(Film(60, 40, [[Disc(1, 1, 0.5, "#d55e00")]])))
    assert max(int(element.get(side, "")) for side in ("width", "height")) <= 600


@pytest.mark.parametrize("name", ["game.mp4", "game.gif", "game", "none/game.svg"])
def test_a_file_that_cannot_be_is_refused(name, tmp_path):
    with pytest.raises(TournamentError, match="given"):
        write_film(tmp_path / name, Film(1, 1, [[]]))
    assert list(tmp_path.iterdir()) == []
