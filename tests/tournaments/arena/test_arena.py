"""The arena: compiled play is readable play, and a match depends on its own seed alone."""

from __future__ import annotations

import itertools
import pickle
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tournaments
from tournaments import TournamentError, games, players
from tournaments.arena import arena, match
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants, Genomes
from tournaments.arena.lanes import play_matches_abreast
from tournaments.arena.loops import (
    Called,
    Seated,
    hooks_of,
    lay_down,
    play_matches,
    play_matches_by_address,
    take_turn,
)
from tournaments.arena.outcomes import ScoreSheet
from tournaments.contract.player import registered_players
from tournaments.game import Game
from tournaments.games.dots_and_boxes import rules as dots_and_boxes
from tournaments.games.dots_and_boxes.players import LEVEL_1
from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import generator, match_seeds
from tournaments.player import Abreast, Kind
from tournaments.players import random
from tournaments.players.network import Encoding, layers_for
from tournaments.players.network import play as network
from tournaments.players.network.play import KIND
from tournaments.schedules.base import Matches
from tournaments.schedules.pairs import EachPair

GAME = games.make("dots-and-boxes")


def entrants_of(game=GAME, individuals: int = 12, panel: tuple[str, ...] = ("level-0", "level-1")):
    encoding = Encoding(layers_for(game))
    genomes = generator(1, "genomes").integers(
        0, 256, (individuals, encoding.num_bytes), dtype=np.uint8
    )
    opponents = tuple(players.make(name, game) for name in panel)
    return Entrants(game, opponents, (Genomes(encoding, genomes),))


def pairs_of(rows: list[tuple[int, int]]) -> np.ndarray:
    return np.array(rows, dtype=np.int32).reshape(-1, 2)


MIXED = pairs_of([(0, 1), (-1, 2), (3, -2), (-2, -1), (1, 0), (4, 4), (-1, -1), (5, -1), (0, -2)])


@pytest.mark.parametrize(("rows", "cols"), [(1, 2), (3, 3), (5, 5)])
def test_compiled_matches_are_the_readable_ones(rows, cols):
    entrants = entrants_of(games.make("dots-and-boxes", rows=rows, cols=cols))
    seeds = match_seeds(rows, "games", 0, len(MIXED))
    played = play_pairs(entrants, MIXED, seeds, games=3)
    assert (played.shape, played.dtype) == ((len(MIXED), 3, 2), np.int16)
    for (a, b), seed, outcome in zip(MIXED.tolist(), seeds, played, strict=True):
        sides = entrants.player(a), entrants.player(b)
        readable = match.play_match(entrants.game, *sides, int(seed), games=3)
        assert np.array_equal(outcome, readable)
        assert (outcome.sum(axis=1) == rows * cols).all()


def test_a_population_is_decoded_once_and_travels_packed():
    class Counted(Encoding):
        decoded = 0

        def parameters(self, genomes):
            Counted.decoded += 1
            return super().parameters(genomes)

    (population,) = entrants_of().populations
    packed = population.packed.copy()
    packed.flags.writeable = False  # as what Ray hands over
    genomes = Genomes(Counted(population.representation.layers), packed)
    entrants = replace(entrants_of(), populations=(genomes,))
    seeds = match_seeds(1, "games", 0, len(MIXED))
    for _ in range(2):
        played = play_pairs(entrants, MIXED, seeds)
        assert np.array_equal(played, play_pairs(entrants_of(), MIXED, seeds))
    assert Counted.decoded == 1
    _ = population.parameters
    sent = pickle.loads(pickle.dumps(population))
    assert "parameters" not in vars(sent)
    assert np.array_equal(sent.packed, population.packed)


def test_every_kind_plays_alike_in_the_arena_and_move_by_move():
    made = registered_players(GAME)
    seeds = match_seeds(4, "games", 0, 4)
    strongest = players.make("optimal", GAME)
    for player in made:
        entrants = Entrants(GAME, (strongest, player))
        compiled = play_pairs(entrants, pairs_of([(-1, -2)] * 4), seeds)
        readable = [match.play_match(GAME, strongest, player, int(seed)) for seed in seeds]
        assert np.array_equal(compiled, readable)


def test_a_match_depends_on_its_pair_and_seed_alone():
    entrants = entrants_of()
    seeds = match_seeds(1, "games", 0, len(MIXED))
    whole = play_pairs(entrants, MIXED, seeds)
    order = generator(0, "order").permutation(len(MIXED))
    assert np.array_equal(play_pairs(entrants, MIXED[order], seeds[order]), whole[order])
    for number in range(len(MIXED)):
        alone = play_pairs(entrants, MIXED[number : number + 1], seeds[number : number + 1])
        assert np.array_equal(alone[0], whole[number])
    assert not np.array_equal(play_pairs(entrants, MIXED, seeds + np.uint64(1)), whole)


def test_the_first_games_of_a_longer_match_are_those_of_a_shorter_one():
    entrants, seeds = entrants_of(), match_seeds(1, "games", 0, len(MIXED))
    longer = play_pairs(entrants, MIXED, seeds, games=5)
    assert np.array_equal(longer[:, :2], play_pairs(entrants, MIXED, seeds))


class First:
    """Plays the first legal action: as entrant a of the first game it draws edge 0."""

    name = "first"

    def __init__(self) -> None:
        self.seats: list[int] = []

    def choose(self, state, rng):
        if sum(state.array[4:28]) < 2:
            self.seats.append(state.seat_to_move)
        return state.legal_actions()[0]


class Last(First):
    name = "last"

    def choose(self, state, rng):
        super().choose(state, rng)
        return state.legal_actions()[-1]


@kernel
def start_or_end(board, state, seed):
    """Every third game is over as it starts, with a score that tells its seed."""
    dots_and_boxes.start(board, state, seed)
    if seed % np.uint64(3) == np.uint64(0):
        state[0] = -1
        state[1] = np.int64(seed % np.uint64(1000))


@kernel
def play_to_a_box(board, state, edge):
    """The first box ends the game."""
    dots_and_boxes.play(board, state, edge)
    if state[1] + state[2] > 0:
        state[0] = -1


SHORT = Game(replace(GAME.rules, start=start_or_end, play=play_to_a_box), GAME.options)
BOARDS = {
    "1x2": games.make("dots-and-boxes", rows=1, cols=2),
    "3x3": GAME,
    "4x5": games.make("dots-and-boxes", rows=4, cols=5),
    "games of unequal length": SHORT,
}


@dataclass(frozen=True)
class OtherwiseAbreast(Encoding):
    """Networks of a kind that plays abreast in another way, or not at all."""

    abreast: Abreast | None = None

    @property
    def kind(self) -> Kind:
        return replace(network.kind_of(self.layers), abreast=self.abreast)


def one_by_one(entrants: Entrants) -> Entrants:
    """The same entrants, of a kind that does not play abreast."""
    return with_abreast(entrants, None)


def with_abreast(entrants: Entrants, abreast: Abreast | None) -> Entrants:
    (population,) = entrants.populations
    representation = OtherwiseAbreast(population.representation.layers, abreast=abreast)
    return replace(entrants, populations=(Genomes(representation, population.packed),))


@pytest.mark.parametrize(
    "board",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (board is SHORT))
        for name, board in BOARDS.items()
    ],
)
@pytest.mark.parametrize("games_a_match", [1, 2, 3])
def test_games_played_abreast_are_those_played_one_by_one(board, games_a_match):
    entrants = entrants_of(BOARDS[board], panel=())
    for count in (0, 1, 2, 3, 7, 40):
        pairs = generator(6, "pairs").integers(0, 12, (count, 2)).astype(np.int32)
        seeds = match_seeds(3, "games", 0, count)
        abreast, single = (
            play_pairs(population, pairs, seeds, games_a_match, ((0, 0),))
            for population in (entrants, one_by_one(entrants))
        )
        assert abreast.shape == (count, games_a_match, 2)
        assert np.array_equal(abreast, single)


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(GAME, id="equal length"),
        pytest.param(SHORT, id="unequal length", marks=pytest.mark.slow),
    ],
)
@settings(max_examples=25, deadline=None)
@given(lanes=st.integers(1, 9), cuts=st.lists(st.integers(0, 30), max_size=4))
def test_an_outcome_depends_on_neither_lane_nor_call(game, lanes, cuts):
    entrants = entrants_of(game, panel=())
    abreast = entrants.group(0).kind.abreast
    assert abreast is not None
    in_lanes = with_abreast(entrants, replace(abreast, lanes=lambda _: lanes))
    pairs, seeds = Matches(EachPair(12), 1, "games").part(0, 30)
    parts = [
        play_pairs(in_lanes, pairs[first:last], seeds[first:last], games=3)
        for first, last in itertools.pairwise([0, *sorted(cuts), 30])
    ]
    whole = play_pairs(one_by_one(entrants), pairs, seeds, games=3)
    assert np.array_equal(np.concatenate(parts), whole)


def test_games_of_unequal_length_are_so_and_some_are_over_as_they_start():
    entrants = entrants_of(SHORT, panel=())
    pairs, seeds = Matches(EachPair(12), 1, "games").part(0, 60)
    played = play_pairs(entrants, pairs, seeds)
    boxes = played.sum(axis=2)
    assert set(np.unique(boxes[boxes < 3])) <= {0, 1, 2}
    assert 0.2 < (boxes > 2).mean() < 0.45


@pytest.fixture
def built(monkeypatch) -> list:
    """The entry kernels that the arena asks for, each with the name of the kind that fills it."""
    asked: list = []

    def noted(make):
        def build(entry, hooks=None, *record):
            kinds = {k.choose: k.name for k in (KIND, LEVEL_1, random.WITH_SET)}
            choose = (hooks or {}).get("choose")
            asked.append((entry, kinds[choose]) if choose else entry)
            return make(entry, hooks, *record)

        return build

    monkeypatch.setattr(arena, "build", noted(arena.build))
    monkeypatch.setattr(arena, "address_of", noted(arena.address_of))
    return asked


def test_entrants_of_one_population_meet_abreast_and_others_do_not(built):
    entrants, seed = entrants_of(), np.ones(1, dtype=np.uint64)
    for pair in [(0, 0), (0, -1), (-1, 0), (-1, -1), (-1, -2)]:
        play_pairs(entrants, pairs_of([pair]), seed)
        assert built[-1] is (play_matches_abreast if pair == (0, 0) else play_matches_by_address)


def test_the_kernels_of_those_who_meet_grow_with_their_kinds_not_their_pairs(built):
    entrants = entrants_of()
    play_pairs(entrants, MIXED, match_seeds(0, "games", 0, len(MIXED)))
    apart = {play_matches_by_address, lay_down}
    turns = {(take_turn, name) for name in ("network", "level-0", "level-1")}
    assert set(built) == {play_matches_abreast, *apart, *turns}


@pytest.mark.parametrize(
    "met",
    [
        pytest.param([(-1, -2)] * 4, id="levels"),
        # Networks take three times as long to link.
        pytest.param([(3, -2), (4, -2), (-2, 5), (6, -2)], id="networks", marks=pytest.mark.slow),
    ],
)
def test_a_pair_that_has_played_much_is_linked_and_plays_the_same(met, built, monkeypatch):
    monkeypatch.setattr(arena, "_games_played", Counter())
    monkeypatch.setattr(arena, "LINKED_FROM", 50)
    entrants, pairs = entrants_of(), pairs_of(met * 3)
    seeds = match_seeds(2, "games", 0, 12)
    for measured in (False, True):
        first = play_pairs(entrants, pairs[:8], seeds[:8], measured=measured)
        assert built[-1] is play_matches if measured else play_matches_by_address
        monkeypatch.setattr(arena, "LINKED_FROM", 0)
        linked = play_pairs(entrants, pairs, seeds, measured=measured)
        assert built[-1] is play_matches
        assert np.array_equal(linked[:8], first)
        monkeypatch.setattr(arena, "LINKED_FROM", 10**9)
        assert np.array_equal(play_pairs(entrants, pairs, seeds, measured=measured), linked)
        assert built[-1] is play_matches_by_address
        monkeypatch.setattr(arena, "LINKED_FROM", 50)


def test_calls_by_address_run_by_the_interpreter_play_the_same():
    game = games.make("dots-and-boxes", rows=1, cols=2)
    panel = tuple(players.make(name, game) for name in ("level-1", "level-0"))
    seeds = match_seeds(2, "games", 0, 5)
    outcomes = np.zeros((5, 3, 4), dtype=np.int16)
    state, streams = arena.empty_position(game)
    turns, records, endless = [], [], np.full(2, -1)
    for player, stream in zip(panel, streams, strict=True):
        memory = player.kind.memory(game, player.parameters)
        turns.append(build(take_turn, hooks_of(game, player.kind), compiled=False))
        records.append(Seated(game.board, state, state.copy(), stream, player.parameters, memory))
    play = build(play_matches_by_address, game.hooks, compiled=False)
    sides = Called(turns, records, np.zeros((2, 5), dtype=np.int32), streams)
    with np.errstate(over="ignore"):
        play(game.board, state, sides, ScoreSheet(seeds, outcomes, endless, game.most_plies))
    pairs = pairs_of([(-1, -2)] * 5)
    assert np.array_equal(play_pairs(Entrants(game, panel), pairs, seeds, 3, None, True), outcomes)


def test_seats_are_swapped_after_each_game():
    a, b = First(), Last()
    match.play_match(GAME, a, b, seed=0, games=4)
    assert (a.seats, b.seats) == ([0, 1, 0, 1], [1, 0, 1, 0])


def test_the_readable_loop_yields_every_move():
    moves = []
    for state, seat, action in match.play_game(GAME, First(), Last(), seed=1):
        moves.append((seat, action))
        assert state.game is GAME
    assert sorted(action for _, action in moves) == list(range(24))
    assert moves[:2] == [(0, 0), (1, 23)]


def test_players_without_kernels_are_played_by_the_readable_loop():
    entrants = Entrants(GAME, (First(), players.make("level-0", GAME)))
    seeds = match_seeds(0, "games", 0, 3)
    played = play_pairs(entrants, pairs_of([(-1, -2), (-2, -1), (-2, -2)]), seeds)
    assert (played.sum(axis=2) == 9).all()


def test_a_schedule_of_one_group_plays_what_it_plays_unsorted():
    entrants, matches = entrants_of(), Matches(EachPair(12), 1, "games")
    pairs, seeds = matches.part(5, 40)
    known = play_pairs(entrants, pairs, seeds, groups=matches.schedule.groups)
    assert np.array_equal(known, play_pairs(entrants, pairs, seeds))


@pytest.mark.parametrize("pair", [(0, -1), (-1, 0), (-2, 0)])
def test_a_schedule_that_names_the_wrong_groups_is_refused(pair):
    with pytest.raises(TournamentError, match="must name all that meet"):
        play_pairs(entrants_of(), pairs_of([pair]), np.zeros(1, dtype=np.uint64), groups=((0, 0),))
    with pytest.raises(TournamentError, match="must name all that meet"):
        play_pairs(entrants_of(), pairs_of([(0, 1)]), np.zeros(1, dtype=np.uint64), groups=(pair,))


def test_an_empty_schedule_gives_no_outcomes():
    played = play_pairs(entrants_of(), pairs_of([]), np.zeros(0, dtype=np.uint64))
    assert played.shape == (0, 2, 2)


@pytest.mark.parametrize("pair", [(0, 12), (0, -3), (99, 0), (-9, -9)])
def test_entrants_who_do_not_exist_are_refused(pair):
    with pytest.raises(TournamentError, match=r"12 individuals.*2 fixed opponents"):
        play_pairs(entrants_of(), pairs_of([pair]), np.zeros(1, dtype=np.uint64))


def test_individuals_without_a_population_are_refused():
    entrants = Entrants(GAME, (players.make("level-0", GAME),))
    with pytest.raises(TournamentError, match="0 individuals"):
        play_pairs(entrants, pairs_of([(0, -1)]), np.zeros(1, dtype=np.uint64))


def test_a_record_counts_the_games_of_player_a():
    a, b = players.make("level-1", GAME), players.make("level-0", GAME)
    record = tournaments.play_matches(GAME, a, b, matches=150, seed=0)
    reverse = tournaments.play_matches(GAME, b, a, matches=150, seed=0)
    assert (record.games, record.wins + record.draws + record.losses) == (300, 300)
    assert record.win_rate == record.wins / 300 > 0.95
    assert reverse.losses > 280
    assert f"wins={record.wins}" in repr(record)
