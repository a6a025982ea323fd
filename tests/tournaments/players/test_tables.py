"""Tables as genomes: what is looked up, that only legal alleles arise, and what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.cat_and_mouse import Grid
from naive.study import NaivePursuit
from naive.tables import (
    far_digits,
    legal_steps,
    number_of,
    placements,
    window_action,
    window_digits,
)
from positions import settings_of_games

from evo.learners.genetic.variation import reset, single_point
from evo.studies.cat_and_mouse_v2 import study
from tournaments import TournamentError, games
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants, Genomes
from tournaments.arena.match import play_match
from tournaments.games.cat_and_mouse import solver as pursuit
from tournaments.games.cat_and_mouse.board import PIECES
from tournaments.kernels.rng import Stream, generator, match_seeds
from tournaments.player import player_of
from tournaments.players.table import TableEncoding

SEATS = ("cat", "mouse")
FAR = ("larger-axis", "euclidean", "table")
GAME = games.make("cat-and-mouse")
FOUR = {"cats": 2, "mice": 2, "end": "move-limit"}


def made(rows: int, cols: int, **options):
    return games.make("cat-and-mouse", rows=rows, cols=cols, **options)


def encoding_of(game=GAME, form="position-table", seats=(0, 1), **options) -> TableEncoding:
    return TableEncoding(game, form, seats, options)


def random_table(encoding: TableEncoding, seed: int) -> np.ndarray:
    return encoding.random(1, generator(seed, "tables of a test"))[0]


# --- what is looked up ---------------------------------------------------------------------------


@settings(max_examples=60)
@given(setting=settings_of_games(), seed=st.integers(0, 2**32))
def test_a_position_table_plays_its_gene_of_the_placement(setting, seed):
    """With obstacles, up to two pieces a side and turns of two steps."""
    options, naive = setting
    game = games.make("cat-and-mouse", **options)
    genome = random_table(encoding_of(game), seed)
    found = player_of(game, representation=encoding_of(game), numbers=genome[None])
    listed = placements(options["rows"], options["cols"], options["cats"], options["mice"])
    state = game.start()
    for _ in range(6):
        if state.is_over:
            break
        gene = naive.mover * len(listed) + listed.index((*naive.pieces[0], *naive.pieces[1]))
        action = found.choose(state, Stream(0))
        assert action == genome[gene]
        state.play(action)
        naive.play(action)


@settings(max_examples=15)
@given(setting=settings_of_games())
def test_the_alleles_of_a_position_table_are_the_legal_steps(setting):
    options, naive = setting
    encoding = encoding_of(games.make("cat-and-mouse", **options))
    cats = options["cats"]
    listed = placements(options["rows"], options["cols"], cats, options["mice"])
    assert encoding.num_genes == 2 * len(listed)
    expected = [
        legal_steps(naive.grid, cats, side, placement) for side in range(2) for placement in listed
    ]
    assert_alleles(encoding, expected)


def assert_alleles(encoding: TableEncoding, expected: list[list[int]]) -> None:
    width = encoding.alleles.shape[1]
    rows = [legal or [0] for legal in expected]
    assert encoding.alleles.tolist() == [row + [-1] * (width - len(row)) for row in rows]
    assert encoding.counts.tolist() == [len(row) for row in rows]
    assert encoding.never_read.tolist() == [not legal for legal in expected]


@pytest.mark.parametrize("far", FAR)
@pytest.mark.parametrize("seat", [0, 1])
@settings(max_examples=12)
@given(
    size=st.tuples(st.integers(4, 8), st.integers(4, 8)),
    pair=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_a_window_table_plays_what_the_slow_one_says(size, far, seat, pair, seed):
    game, grid = made(*size), Grid(*size)
    encoding = encoding_of(game, "window-table", (0, 1) if pair else (seat,), far=far)
    genome = random_table(encoding, seed)
    table = genome[encoding.begins[seat] :]
    found = player_of(game, representation=encoding, numbers=genome[None])
    state, rng = game.start(), np.random.default_rng(seed)
    state.array[0] = seat
    for cat, mouse in rng.integers(0, size[0] * size[1], (25, 2)).tolist():
        if cat != mouse:
            state.array[PIECES : PIECES + 2] = cat, mouse
            cells = tuple((cell % size[1], cell // size[1]) for cell in (cat, mouse))
            expected = window_action(grid, size, seat, cells, table, far)
            assert found.choose(state, Stream(0)) == expected
            assert encoding.policy(genome, seat)[cat, mouse] == expected


@pytest.mark.parametrize("seat", [0, 1])
def test_the_alleles_of_a_window_table_are_the_steps_legal_wherever_it_is_read(seat):
    """On all boards together: a gene has the same alleles on each on which it is read."""
    found: dict[int, set[tuple[int, ...]]] = {}
    sizes = [(rows, cols) for rows in range(4, 10) for cols in range(4, 10)]
    for rows, cols in sizes:
        grid = Grid(rows, cols)
        for cat in grid.cells:
            for mouse in grid.cells - {cat}:
                digits = window_digits(rows, cols, cat, mouse)
                far = digits is None
                digits = far_digits(rows, cols, seat, cat, mouse) if far else digits
                gene = 729 * far + number_of(digits)
                found.setdefault(gene, set()).add(tuple(grid.moves((cat, mouse)[seat])))
    assert all(len(alleles) == 1 for alleles in found.values())
    expected = [list(*found.get(gene, [()])) for gene in range(729 + 6561)]
    for rows, cols in ((4, 4), (5, 5), (15, 32)):
        assert_alleles(
            encoding_of(made(rows, cols), "window-table", (seat,), far="table"), expected
        )
    assert_alleles(encoding_of(made(6, 9), "window-table", (seat,)), expected[:729])


@pytest.mark.parametrize("size", [5, 15])
def test_the_table_of_the_second_study_plays_as_it_does_there(size):
    game = made(size, size, first="mouse", end="move-limit")
    encoding = encoding_of(game, "window-table", (0,))
    for seed in (1, 2):
        table = study.first_table(seed)
        policy = encoding.policy(encoding.from_outside(table[None])[0], "cat")
        letters = {place: "RLUD"[move] for place, move in np.ndenumerate(table.reshape((3,) * 6))}
        slow = NaivePursuit(size, size, letters, lambda n: 0)
        for cat, mouse in np.argwhere(~np.eye(size * size, dtype=bool)).tolist():
            slow.cat, slow.mouse = ((cell % size, cell // size) for cell in (cat, mouse))
            assert "RLUD"[policy[cat, mouse]] == slow.cat_letter()


def test_what_the_study_may_draw_is_what_is_legal_here():
    encoding = encoding_of(made(5, 5), "window-table", (0,))
    read = ~encoding.never_read
    assert int(read.sum()) == 336
    assert np.array_equal(encoding.counts[read], study.CLOSED_COUNTS[read])
    for gene in np.flatnonzero(read):
        count = encoding.counts[gene]
        assert [*encoding.alleles[gene, :count]] == [*study.CLOSED_ACTIONS[gene, :count]]


class ByPolicy:
    """Looks its step up in policies, move by move."""

    name = "by policy"

    def __init__(self, policies) -> None:
        self.policies = policies

    def choose(self, state, rng):
        cat, mouse = state.array[PIECES : PIECES + 2]
        return int(self.policies[state.seat_to_move][cat, mouse])


@pytest.mark.parametrize(
    ("form", "options"),
    [("position-table", {}), *(("window-table", {"far": far}) for far in FAR)],
)
def test_policies_play_the_moves_of_the_arena(form, options):
    game = made(6, 5, first="mouse")
    encoding = TableEncoding(game, form, (0, 1), options)
    genomes = encoding.random(12, generator(3, "tables of a test"))
    entrants = Entrants(game, (), (Genomes(encoding, genomes),))
    pairs = np.array([(a, b) for a in range(12) for b in range(12)], dtype=np.int32)
    outcomes = play_pairs(entrants, pairs, match_seeds(1, "test", 0, len(pairs)))
    plain = [ByPolicy([encoding.policy(row, seat) for seat in SEATS]) for row in genomes]
    expected = [play_match(game, plain[a], plain[b], 0) for a, b in pairs]
    assert outcomes.tolist() == np.array(expected).tolist()
    assert 0 < outcomes[:, :, 0].mean() < 1


def test_a_policy_is_the_one_that_is_judged():
    game = GAME
    encoding = encoding_of(seats=(0,))
    optimal = pursuit.best_actions(game, pursuit.plies_to_capture(game), 0)[0]
    (genome,) = encoding.from_outside(optimal.reshape(1, -1))
    assert pursuit.best_response(game, encoding.policy(genome, "cat"), "cat").plies == 23


# --- closure -------------------------------------------------------------------------------------


@st.composite
def encodings(draw) -> TableEncoding:
    seats = draw(st.sampled_from([(0,), (1,), (0, 1)]))
    if draw(st.booleans()):
        options, _ = draw(settings_of_games())
        return TableEncoding(games.make("cat-and-mouse", **options), "position-table", seats)
    size = draw(st.tuples(st.integers(4, 6), st.integers(4, 6)))
    return encoding_of(made(*size), "window-table", seats, far=draw(st.sampled_from(FAR)))


@settings(max_examples=60)
@given(
    encoding=encodings(),
    probability=st.sampled_from([0.0, 0.01, 0.3, 1.0]),
    seed=st.integers(0, 99),
)
def test_only_legal_alleles_arise(encoding, probability, seed):
    rng = generator(seed, "closure")
    genomes = encoding.random(6, rng)
    single_point(genomes[0::2], genomes[1::2], rng)
    reset(genomes, rng, probability, encoding.alleles, encoding.counts)
    checked = encoding.checked(genomes)
    assert np.array_equal(checked, genomes)
    assert np.array_equal(encoding.checked(genomes.view(np.uint8)), genomes)
    assert not genomes[:, encoding.never_read].any()


def test_random_tables_draw_each_allele_alike():
    encoding = encoding_of(made(4, 4), "window-table", (0, 1))
    genomes = encoding.random(3000, generator(1, "tables of a test"))
    for gene in np.flatnonzero(encoding.counts > 1):
        count = encoding.counts[gene]
        drawn = np.array(
            [(genomes[:, gene] == one).sum() for one in encoding.alleles[gene, :count]]
        )
        assert drawn.sum() == 3000
        assert ((drawn - 3000 / count) ** 2 / (3000 / count)).sum() < count - 1 + 35


def test_a_chosen_seed_draws_the_same_tables_again():
    encoding = encoding_of()
    again = [encoding.random(3, generator(5, "tables of a test")) for _ in range(2)]
    assert np.array_equal(*again)
    assert again[0].dtype == np.int8


def test_parameters_are_a_copy_that_may_be_written():
    encoding = encoding_of()
    packed = np.asfortranarray(encoding.random(3, generator(5, "tables of a test")).view(np.uint8))
    packed.flags.writeable = False
    parameters = encoding.parameters(packed)
    assert parameters.tables.dtype == np.int8
    assert parameters.tables.flags.c_contiguous
    assert parameters.tables.flags.writeable
    assert len(parameters[0]) == 3
    assert np.array_equal(parameters.tables, packed)


# --- what an encoding says of itself -------------------------------------------------------------


@settings(max_examples=30)
@given(encoding=encodings())
def test_an_encoding_describes_itself_and_travels(encoding):
    spec = encoding.spec()
    assert spec["genes"] == spec["bytes"] == encoding.num_genes == len(encoding.counts)
    copy = pickle.loads(pickle.dumps(encoding))
    assert (copy, hash(copy)) == (encoding, hash(encoding))


def test_numbers_of_genes():
    assert encoding_of(seats=(0,)).num_genes == 3136
    assert encoding_of().num_bytes == 6272
    assert encoding_of(made(8, 7, **FOUR), seats=(1,)).num_genes == 56 * 56 * 57 * 57
    assert encoding_of(form="window-table", seats=(1,)).num_genes == 729
    assert encoding_of(form="window-table", seats=(1,), far="table").num_genes == 729 + 6561


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"form": "bit-network"}, "unknown table of cat-and-mouse 'bit-network'"),
        ({"form": "windows-table"}, "did you mean 'window-table'"),
        ({"seats": (1, 0)}, r"seats=\(1, 0\) given"),
        ({"far": "table"}, "unknown option of position-table 'far'"),
        ({"form": "window-table", "far": "tables"}, "did you mean 'table'"),
        ({"game": made(3, 8), "form": "window-table"}, "for boards from 4x4 cells"),
        ({"game": made(8, 8, mice=2), "form": "window-table"}, "for one cat and one mouse"),
        ({"game": made(8, 8, obstacles="3:3"), "form": "window-table"}, "without obstacles"),
        ({"game": made(9, 8, **FOUR)}, "at most 16,000,000 are taken"),
        ({"game": games.make("dots-and-boxes")}, "dots-and-boxes offers no tables"),
    ],
)
def test_an_encoding_that_a_game_does_not_have_is_refused(change, complaint):
    with pytest.raises(TournamentError, match=complaint):
        encoding_of(**change)


@pytest.mark.parametrize(
    ("genes", "complaint"),
    [
        (3136, "3136 genes given; .* has 6272. So many fit a position-table of 2x28 or"),
        (3136, "7x8 or 8x7"),
        (1250, "a pair, each a position-table of 5x5 cells"),
        (625, r"a position-table of 5x5 cells$"),
        (729, "or a window-table with far=larger-axis or far=euclidean"),
        (14580, "a pair, each a window-table with far=table"),
        (7, "has 6272$"),
    ],
)
def test_a_table_of_another_width_is_told_where_it_fits(genes, complaint):
    with pytest.raises(TournamentError, match=complaint):
        encoding_of().checked(np.zeros((1, genes), dtype=np.int8))


@pytest.mark.parametrize("action", [1, -1, 4, 127])
def test_an_illegal_allele_is_named_with_the_placement_and_what_is_legal(action):
    genomes = encoding_of().random(2, generator(1, "tables of a test"))
    genomes[1, 3136 + 6 * 56 + 49] = action  # of the mouse on 0:7, with the cat on 6:0
    with pytest.raises(TournamentError) as caught:
        encoding_of().checked(genomes)
    for part in (
        f"action {action} ",
        "gene 3521",
        "the mouse with the cat on 6:0",
        "0:7",
        "[0, 3]",
    ):
        assert part in str(caught.value)


def test_an_illegal_allele_of_a_window_is_named_in_words():
    encoding = encoding_of(form="window-table", seats=(0,), far="table")
    genome = random_table(encoding, 1)
    near = (0, 1, 2, 2, 1, 0)
    genome[number_of(near)] = 1
    with pytest.raises(
        TournamentError, match="cat on 0:1 and the mouse on 2:2 of the window, which"
    ):
        encoding.policy(genome, 0)
    genome[number_of(near)] = 0
    genome[729 + number_of((2, 1, 0, 1, 0, 0, 0, 1))] = 3
    with pytest.raises(TournamentError, match="above and in the same column, closer horizontally"):
        encoding.policy(genome, 0)


def test_a_table_of_the_other_seat_alone_has_no_policy():
    encoding = encoding_of(seats=(0,))
    with pytest.raises(TournamentError, match="seat='mouse' given; the genome, a position-"):
        encoding.policy(random_table(encoding, 1), "mouse")


def test_more_than_two_pieces_have_no_policy():
    encoding = encoding_of(made(3, 3, cats=2), seats=(0,))
    with pytest.raises(TournamentError, match="has 3 pieces"):
        encoding.policy(random_table(encoding, 1), "cat")
