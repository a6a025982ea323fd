"""Several populations that meet: compiled play is readable play, whoever meets whom."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournaments import TournamentError, games, players
from tournaments.arena import arena, match
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants, Genomes
from tournaments.kernels.rng import generator, match_seeds
from tournaments.players.network import Encoding, layers_for
from tournaments.players.table import TableEncoding
from tournaments.schedules.antibodies import Antibodies
from tournaments.schedules.base import Groups, Listed
from tournaments.schedules.combined import Placed
from tournaments.schedules.pairs import Challenges, EachPair

BOARDS = {
    "corners": {"rows": 4, "cols": 3},
    "random starts": {"rows": 4, "cols": 4, "cat_start": "any", "mouse_start": "any"},
    "a move limit": {"rows": 3, "cols": 4, "end": "move-limit", "first": "mouse"},
    "two mice": {"rows": 3, "cols": 3, "mice": 2, "cat_steps": 2},
}
CATS, MICE, PAIRS = 0, 1, 2
SIZES = (4, 3, 5)
STARTS = (0, 4, 7, 12)
GREEDY, CAREFUL = -1, -2  # the latter chooses move by move


class Careful:
    """The last legal action."""

    name = "careful"

    def choose(self, state, rng):
        return state.legal_actions()[-1]


@cache
def chased(board: str) -> Entrants:
    """Cats, mice and pairs of both, and two fixed opponents."""
    game = games.make("cat-and-mouse", **BOARDS[board])
    populations = []
    for number, seats in enumerate([(0,), (1,), (0, 1)]):
        encoding = TableEncoding(game, "position-table", seats)
        genomes = encoding.random(SIZES[number], generator(3, board, number))
        populations.append(Genomes(encoding, genomes.view(np.uint8)))
    return Entrants(game, (players.make("greedy", game), Careful()), tuple(populations))


@cache
def drawn() -> Entrants:
    """Networks of two sizes on one board of dots and boxes, and a level."""
    game = games.make("dots-and-boxes", rows=2, cols=2)
    populations = []
    for number, (hidden, bits, size) in enumerate([(6, 10, 5), (9, 7, 4)]):
        layers = layers_for(game)
        encoding = Encoding((layers[0], hidden, layers[2]), bits)
        genomes = generator(4, "genomes", number).integers(
            0, 256, (size, encoding.num_bytes), dtype=np.uint8
        )
        spare = -encoding.num_bits % 8
        genomes[:, -1] &= np.uint8((0xFF << spare) & 0xFF)
        populations.append(Genomes(encoding, genomes))
    return Entrants(game, (players.make("level-0", game),), tuple(populations))


def pairs_of(rows) -> np.ndarray:
    return np.array(rows, dtype=np.int32).reshape(-1, 2)


def readable(entrants: Entrants, pairs: np.ndarray, seeds: np.ndarray, games_a_match: int) -> list:
    """The same matches move by move, measured."""
    return [
        match.play_match(
            entrants.game, entrants.player(a), entrants.player(b), int(seed), games_a_match, True
        )
        for (a, b), seed in zip(pairs.tolist(), seeds, strict=True)
    ]


def check_played(entrants: Entrants, pairs: np.ndarray, games_a_match: int, groups: Groups | None):
    seeds = match_seeds(9, "games", 1, len(pairs))
    measured = play_pairs(entrants, pairs, seeds, games_a_match, groups, measured=True)
    assert (measured.dtype, measured.shape) == (np.int16, (len(pairs), games_a_match, 4))
    assert np.array_equal(measured, readable(entrants, pairs, seeds, games_a_match))
    scores = play_pairs(entrants, pairs, seeds, games_a_match, groups)
    assert np.array_equal(scores, measured[:, :, :2])


# --- the same outcomes -------------------------------------------------------------------------

HOLDING_CAT = [*range(4), *range(7, 12), GREEDY, CAREFUL]
HOLDING_MOUSE = [*range(4, 12), GREEDY, CAREFUL]
HOLDING_BOTH = [*range(7, 12), GREEDY, CAREFUL]


@pytest.mark.parametrize("board", BOARDS)
@settings(max_examples=8)
@given(data=st.data())
def test_tables_of_several_populations_play_alike_in_the_arena_and_move_by_move(board, data):
    entrants, games_a_match = chased(board), data.draw(st.integers(1, 3))
    if games_a_match == 1:
        sides = st.tuples(st.sampled_from(HOLDING_CAT), st.sampled_from(HOLDING_MOUSE))
    else:
        sides = st.tuples(st.sampled_from(HOLDING_BOTH), st.sampled_from(HOLDING_BOTH))
    pairs = pairs_of(data.draw(st.lists(sides, min_size=1, max_size=8)))
    met = tuple({(entrants.group_of(a), entrants.group_of(b)) for a, b in pairs.tolist()})
    check_played(entrants, pairs, games_a_match, data.draw(st.sampled_from([None, met])))


@settings(max_examples=15)
@given(
    rows=st.lists(st.tuples(st.integers(-1, 8), st.integers(-1, 8)), min_size=1, max_size=8),
    games_a_match=st.integers(1, 3),
)
def test_networks_of_two_sizes_play_alike_in_the_arena_and_move_by_move(rows, games_a_match):
    check_played(drawn(), pairs_of(rows), games_a_match, None)


def test_games_that_end_at_different_times_are_measured_so():
    entrants = chased("corners")
    pairs = pairs_of(list(itertools.product(range(4), range(4, 12))))
    played = play_pairs(entrants, pairs, match_seeds(1, "games", 0, len(pairs)), 1, None, True)
    scores, plies, distance = played[:, 0, :2], played[:, 0, 2], played[:, 0, 3]
    assert (scores.sum(axis=1) == 1).all()
    caught = scores[:, 0] == 1
    assert 0 < caught.sum() < len(pairs)
    assert (distance[caught] == 0).all()
    assert len(set(plies[~caught].tolist())) > 1
    assert len(set(distance[~caught].tolist())) > 1


# --- one schedule after another ----------------------------------------------------------------

SCHEDULES = {
    "cats against mice": Challenges(
        np.arange(4), np.array([4, 6, 9, -1], dtype=np.int32), 2, 0, MICE
    ),
    "mice against cats": Challenges(np.arange(4, 7), np.array([3, -1], dtype=np.int32), 2, 1, CATS),
    "pairs among themselves": Placed(EachPair(5), 0, (PAIRS, PAIRS), (7, 7)),
    "antibodies among cats": Placed(
        Antibodies(4, 2, 3, 1, hosts=3, name="/0"), 0, (CATS, MICE), (0, 4)
    ),
    "antibodies among mice": Placed(
        Antibodies(3, 4, 2, 1, hosts=4, name="/1"), 1, (MICE, CATS), (4, 0)
    ),
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_schedule_of_known_groups_plays_what_it_plays_unsorted(name):
    entrants, schedule = chased("corners"), SCHEDULES[name]
    pairs = schedule.pairs(0, len(schedule))
    groups = tuple({(entrants.group_of(a), entrants.group_of(b)) for a, b in pairs.tolist()})
    if name == "cats against mice":  # whose opponents are of two populations and of the panel
        assert set(groups) > set(schedule.groups)
    else:
        assert set(schedule.groups) == set(groups)
    check_played(entrants, pairs, 1, groups)


@pytest.mark.slow
def test_kinds_that_are_linked_play_what_they_play_by_address(monkeypatch):
    entrants = chased("random starts")
    pairs = pairs_of([(0, -1), (8, -1)] * 5)
    seeds = match_seeds(5, "games", 0, len(pairs))
    played = play_pairs(entrants, pairs, seeds, 1, None, True)
    monkeypatch.setattr(arena, "LINKED_FROM", 0)
    assert np.array_equal(play_pairs(entrants, pairs, seeds, 1, None, True), played)


def test_each_entrant_is_of_the_population_that_counts_up_to_it():
    entrants = chased("corners")
    assert entrants.starts == STARTS
    expected = [group for group, size in enumerate(SIZES) for _ in range(size)]
    numbers = np.arange(-2, 12)
    assert entrants.groups_of(numbers).tolist() == [-2, -1, *expected]
    assert [entrants.group_of(int(number)) for number in numbers] == [-2, -1, *expected]
    for entrant in range(12):
        group = entrants.group(entrants.group_of(entrant))
        (row,) = entrants.rows_of(np.array([entrant]))
        mine = entrants.player(entrant)
        assert (mine.row, mine.parameters) == (row, group.parameters)
        assert row == entrant - STARTS[entrants.group_of(entrant)]


def test_a_population_of_nobody_changes_nothing():
    entrants = chased("corners")
    cats, mice = entrants.populations[:2]
    nobody = replace(cats, packed=cats.packed[:0])
    with_nobody = Entrants(entrants.game, (), (nobody, cats, nobody, mice))
    assert with_nobody.starts == (0, 0, 4, 4, 7)
    pairs, seeds = pairs_of([(0, 4), (3, 6)]), match_seeds(1, "games", 0, 2)
    assert np.array_equal(
        play_pairs(with_nobody, pairs, seeds, 1), play_pairs(entrants, pairs, seeds, 1)
    )


# --- what is refused ---------------------------------------------------------------------------


@settings(max_examples=200)
@given(
    rows=st.lists(st.tuples(st.integers(-3, 13), st.integers(-3, 13)), min_size=1, max_size=4),
    known=st.none() | st.tuples(st.integers(-2, 3), st.integers(-2, 3)),
)
def test_what_is_said_to_meet_is_what_is_played_or_an_error(rows, known):
    """A kernel that took a row of one population for one of another would read beside it."""
    entrants, pairs = drawn(), pairs_of(rows)
    seeds = match_seeds(2, "games", 0, len(pairs))
    are_there = ((pairs >= -1) & (pairs < 9)).all()
    met = [(entrants.group_of(a), entrants.group_of(b)) for a, b in rows] if are_there else []
    group = known or (met or [(0, 0)])[0]  # often right for some of the matches
    if set(met) == {group}:
        played = play_pairs(entrants, pairs, seeds, groups=(group,))
        assert np.array_equal(played, play_pairs(entrants, pairs, seeds))
        return
    with pytest.raises(TournamentError, match="entrants") as refused:
        play_pairs(entrants, pairs, seeds, groups=(group,))
    assert ("must name all that meet" in str(refused.value)) == bool(are_there)


@pytest.mark.parametrize(
    ("pair", "games_a_match"),
    [
        ((4, 5), 1),  # a mouse as the cat
        ((-1, 0), 1),  # a cat as the mouse
        ((0, 4), 2),  # the right way round, but the seats are swapped
        ((0, 0), 1),
        ((7, 4), 2),
        ((-2, 0), 1),  # move by move
        ((4, -2), 1),
    ],
)
@pytest.mark.parametrize("measured", [False, True])
def test_a_population_of_one_role_never_plays_the_other(pair, games_a_match, measured):
    """Its table has no steps for that seat: it would take those of its own, off the board."""
    with pytest.raises(TournamentError, match=r"plays the (cat|mouse) only"):
        play_pairs(
            chased("corners"),
            pairs_of([pair]),
            np.ones(1, np.uint64),
            games_a_match,
            None,
            measured,
        )


def test_a_population_that_there_is_not_is_refused():
    pairs, seeds = pairs_of([(0, -1)]), np.ones(1, np.uint64)
    with pytest.raises(TournamentError, match=r"12 individuals .*2 fixed opponents"):
        play_pairs(chased("corners"), pairs_of([(0, 12)]), seeds, 1)
    with pytest.raises(TournamentError, match=r"0 individuals .*0 fixed opponents"):
        play_pairs(Entrants(chased("corners").game), pairs, seeds, 1)
    with pytest.raises(TournamentError, match="must name all that meet"):
        play_pairs(chased("corners"), pairs, seeds, 1, ((0, -3),))


def test_a_list_of_matches_of_several_populations_says_only_who_is_fixed():
    """It knows no sizes, so its groups are those of one population; entrants look themselves."""
    entrants, pairs = drawn(), pairs_of([(0, 7), (8, 1), (-1, 6), (2, -1)])
    listed, seeds = Listed(pairs), match_seeds(0, "games", 0, 4)
    assert set(listed.groups) == {(0, 0), (-1, 0), (0, -1)}
    check_played(entrants, pairs, 2, listed.groups)
    with pytest.raises(TournamentError, match="must name all that meet"):
        play_pairs(entrants, pairs[:2], seeds[:2], groups=Listed(pairs[:2]).groups)
