"""Which islands send migrants to which."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evo.topologies import TOPOLOGIES, distinct_ways
from tournaments.errors import ConfigError


def ways(name, count, **options):
    return distinct_ways(TOPOLOGIES[name](**options), count)


def degrees(given_ways, count):
    """For each island how many ways leave it, and how many lead to it."""
    return [
        (
            sum(source == island for source, _ in given_ways),
            sum(to == island for _, to in given_ways),
        )
        for island in range(count)
    ]


def is_connected(given_ways, count):
    """Whether migrants of island 0 can come to every island in the end."""
    reached, new = set(), {0}
    while new:
        reached |= new
        new = {to for source, to in given_ways if source in reached} - reached
    return len(reached) == count


@given(st.sampled_from(["complete", "none", "ring", "star", "torus"]), st.integers(1, 30))
def test_no_way_leads_from_an_island_to_itself_nor_comes_twice_and_all_can_be_reached(name, count):
    there = ways(name, count)
    assert len(set(there)) == len(there)
    assert all(source != to for source, to in there)
    assert all(0 <= end < count for way in there for end in way)
    assert there == tuple(sorted(there, key=lambda way: (way[1], way[0])))
    assert is_connected(there, count) == (name != "none" or count == 1)


@given(st.sampled_from(["complete", "star", "torus"]), st.integers(1, 30))
def test_these_topologies_are_symmetric(name, count):
    there = set(ways(name, count))
    assert {(to, source) for source, to in there} == there


@given(st.integers(3, 30))
def test_a_ring_has_one_way_from_each_island_or_two(count):
    assert ways("ring", count) == tuple(
        sorted(((i, (i + 1) % count) for i in range(count)), key=lambda way: (way[1], way[0]))
    )
    assert degrees(ways("ring", count, both_ways=True), count) == [(2, 2)] * count


@given(st.integers(2, 30))
def test_in_a_complete_graph_each_sends_to_all_others_and_in_a_star_the_middle_alone(count):
    assert degrees(ways("complete", count), count) == [(count - 1, count - 1)] * count
    rays = count - 1
    assert degrees(ways("star", count), count) == [(rays, rays), *[(1, 1)] * rays]


@given(st.integers(3, 6), st.integers(3, 6))
def test_a_torus_joins_each_island_with_the_four_about_it(rows, columns):
    there = set(ways("torus", rows * columns, rows=rows))
    expected = set()
    for r in range(rows):
        for c in range(columns):
            for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                to = (r + dr) % rows * columns + (c + dc) % columns
                expected.add((r * columns + c, to))
    assert there == expected


def test_a_torus_is_as_near_to_a_square_as_can_be():
    assert ways("torus", 12) == ways("torus", 12, rows=3)
    assert set(ways("torus", 7)) == set(ways("ring", 7, both_ways=True))


def test_a_graph_has_the_ways_that_it_names():
    assert ways("graph", 3, edges=("0>1", "1-2", "2-1")) == ((0, 1), (2, 1), (1, 2))


def test_more_ways_than_can_be_are_refused_before_they_are_made():
    with pytest.raises(ConfigError, match="more than 1,000,000 ways: take fewer islands"):
        ways("complete", 10_000)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("torus", {"rows": 3}, "rows that divide the number of islands are expected"),
        ("graph", {}, "given without edges"),
        ("graph", {"edges": ("0>4",)}, "'0>4' given; two different islands from 0 to 3"),
        ("graph", {"edges": ("1-1",)}, "'1-1' given; two different islands"),
        ("graph", {"edges": ("0->1",)}, "'0->1' given; two different islands"),
        ("graph", {"edges": ("²>1",)}, "two different islands"),
    ],
)
def test_a_topology_that_cannot_be_is_refused_in_a_line(name, options, message):
    with pytest.raises(ConfigError, match=message) as error:
        ways(name, 4, **options)
    assert "\n" not in str(error.value)
