"""Players: what they choose, how strong they are, and how they are named and made."""

from __future__ import annotations

import json
import random as python_random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import PLIES, SIZES, assert_uniform, choices, position

import tournaments
from tournaments import TournamentError, games, players
from tournaments.arena import match
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants, Genomes
from tournaments.arena.outcomes import results_of_a
from tournaments.contract import ContractError, check_player
from tournaments.contract.player import registered_players
from tournaments.game import Game, IllegalAction
from tournaments.games.dots_and_boxes import RULES
from tournaments.kernels.rng import Stream, generator, match_seeds
from tournaments.players import random
from tournaments.players.network import Encoding, layers_for

GAME = games.make("dots-and-boxes")


@settings(max_examples=25)
@given(size=SIZES, plies=PLIES, seed=st.integers(0, 2**32))
def test_levels_choose_evenly_among_the_moves_of_the_slow_rules(size, plies, seed):
    state, naive = position(*size, plies, seed)
    sets = {
        "level-0": naive.legal(),
        "level-1": naive.level_1_moves(),
        "level-2": naive.level_2_moves(),
    }
    for name, among in sets.items():
        counts = choices(players.make(name, state.game), state, 25 * len(among), seed)
        assert_uniform(counts, among)


LARGE_SIZES = st.sampled_from([(1, 9), (4, 4), (3, 6), (5, 5), (7, 2), (6, 6), (9, 8)])
"""Of 28 to 161 edges: sets of one word and of several."""


@settings(max_examples=80)
@given(
    size=st.one_of(SIZES, LARGE_SIZES),
    share=st.floats(0, 1),
    seed=st.integers(0, 2**32),
)
def test_levels_take_one_draw_for_a_place_in_the_slow_rules_moves(size, share, seed):
    """The moves in rising order, one draw of the stream: results that were published stand."""
    edges = games.make("dots-and-boxes", rows=size[0], cols=size[1]).num_actions
    state, naive = position(*size, int(share * edges), seed)
    sets = {
        "level-0": naive.legal(),
        "level-1": naive.level_1_moves(),
        "level-2": naive.level_2_moves(),
    }
    for name, among in sets.items():
        stream, expected = Stream(seed), Stream(seed)
        for _ in range(4):
            assert players.make(name, state.game).choose(state, stream) == expected.choice(among)
        assert stream.state[0] == expected.state[0]


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (2, 3), (4, 4), (6, 6)])
@pytest.mark.parametrize("name", ["level-0", "level-1", "level-2"])
def test_levels_remember_over_a_compiled_game_what_they_see_afresh_in_each_position(
    name, rows, cols
):
    game = games.make("dots-and-boxes", rows=rows, cols=cols)
    player, other = players.make(name, game), players.make("level-1", game)
    seeds = match_seeds(rows, "games", 0, 12)
    pairs = np.array([[-1, -2]] * 12, dtype=np.int32)
    compiled = play_pairs(Entrants(game, (player, other)), pairs, seeds)
    readable = [match.play_match(game, player, other, int(seed)) for seed in seeds]
    assert np.array_equal(compiled, readable)


@pytest.mark.parametrize("name", ["level-0", "optimal"])
def test_games_that_offer_no_short_cuts_are_played_alike(name):
    assert RULES.solver is not None
    bare = replace(RULES, sets=None, solver=replace(RULES.solver, action_value=None))
    outcomes = []
    for rules in (RULES, bare):
        game = Game(rules, {"rows": 2, "cols": 3})
        made = players.make(name, game), players.make("level-0", game)
        outcomes.append(tournaments.play_matches(game, *made, matches=100, seed=3).outcomes)
    assert players.make("level-0", game).kind is random.KIND
    assert len(np.unique(outcomes[0])) > 3
    assert np.array_equal(*outcomes)


@settings(max_examples=60)
@given(size=SIZES, plies=PLIES, seed=st.integers(0, 2**32))
def test_the_box_completion_network_completes_a_box_whenever_it_can(size, plies, seed):
    state, naive = position(*size, plies, seed)
    completing = [action for action in naive.legal() if naive.completes(action)]
    chosen = players.make("box-completion-network", state.game).choose(state, Stream(seed))
    assert chosen in (completing or naive.legal())


@pytest.mark.slow
def test_the_box_completion_network_completes_boxes_on_large_boards():
    player = players.make("box-completion-network", games.make("dots-and-boxes", rows=10, cols=10))
    found = 0
    for seed in range(40):
        state, naive = position(10, 10, 100 + 3 * seed, seed)
        completing = [action for action in naive.legal() if naive.completes(action)]
        found += bool(completing)
        assert player.choose(state, Stream(seed)) in (completing or naive.legal())
    assert found > 20


def test_the_box_completion_network_has_weights_of_the_genome():
    encoding = Encoding(layers_for(GAME))
    weights = players.make("box-completion-network", GAME).options["numbers"][0]
    levels = (weights + 64) * 1023 / 128
    assert np.abs(levels - np.rint(levels)).max() < 1e-9
    assert np.array_equal(encoding.decode(encoding.encode(weights))[0], weights)
    # Absent connections, edges, output thresholds; hidden thresholds and output weights.
    assert set(np.round(np.abs(weights), 3).tolist()) == {0.063, 25.587, 31.969, 64.0}


# --- strength ------------------------------------------------------------------------------------

MATCHES = 50_000
"""Two games each; the standard error of a rate is at most 0.16 points."""


def rates_by_seat(a: str, b: str, seed: int = 7) -> np.ndarray:
    """Win rates of a in percent, from the first and from the second seat."""
    made = players.make(a, GAME), players.make(b, GAME)
    outcomes = tournaments.play_matches(GAME, *made, matches=MATCHES, seed=seed).outcomes
    return 100 * (results_of_a(outcomes) > 0).mean(axis=0)


@pytest.mark.parametrize(
    ("a", "b", "first", "second", "published"),
    [
        ("level-1", "level-0", 99.45, 99.83, 99.63),
        ("level-2", "level-0", 99.48, 99.87, 99.69),
        ("level-2", "level-1", 76.72, 91.23, 83.83),
    ],
)
def test_levels_beat_one_another_as_often_as_published(a, b, first, second, published):
    """The rates by seat are those of 2,000,000 games; both seats together were published.

    Weaver and Bossomaier 1998, section 2.2. Their own sample is unknown; 0.3 points cover it.
    """
    rates = rates_by_seat(a, b)
    for rate, expected in zip(rates, (first, second), strict=True):
        error = 100 * np.sqrt(expected / 100 * (1 - expected / 100) / MATCHES)
        assert abs(rate - expected) < 0.01 + 3.5 * error
    assert abs(rates.mean() - published) < 0.3


@pytest.mark.parametrize(
    ("name", "expected"), [("level-0", 50.16), ("level-1", 35.96), ("level-2", 41.39)]
)
def test_the_first_seat_wins_as_often_as_expected_among_equals(name, expected):
    first, second = rates_by_seat(name, name)
    error = 100 * np.sqrt(0.25 / MATCHES)
    assert abs(first - expected) < 0.01 + 3.5 * error
    assert abs(first - (100 - second)) < 5 * error


def test_the_box_completion_network_beats_random_play_but_not_level_1():
    assert 99.3 < rates_by_seat("box-completion-network", "level-0").mean() < 99.8
    assert 10.0 < rates_by_seat("box-completion-network", "level-1").mean() < 30.0


def test_random_networks_are_as_strong_as_random_play():
    """1,000 random networks win .498 of their games against level 0, with s.d. .06."""
    from tournaments.schedules.pairs import against_panel

    encoding = Encoding(layers_for(GAME))
    genomes = generator(3, "genomes").integers(0, 256, (1000, encoding.num_bytes), dtype=np.uint8)
    population = Genomes(encoding, genomes)
    entrants = Entrants(GAME, (players.make("level-0", GAME),), (population,))
    pairs = against_panel(np.arange(1000), 50).pairs(0, 50_000)
    outcomes = play_pairs(entrants, pairs, match_seeds(3, "games", 0, len(pairs)))
    rates = (results_of_a(outcomes) > 0).reshape(1000, -1).mean(axis=1)
    assert abs(rates.mean() - 0.498) < 0.008
    # The spread of the networks and that of 100 games each.
    assert abs(np.sqrt(rates.var() - 0.25 / 100) - 0.06) < 0.02


# --- the contract --------------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "cols"), [(3, 3), (1, 2)])
def test_registered_players_keep_the_contract(rows, cols):
    game = games.make("dots-and-boxes", rows=rows, cols=cols)
    made = registered_players(game)
    elsewhere = {"third-side-network", "bot", "greedy", "alpha-beta", "mcts"}
    names = {*players.names(game), "network-4-3"} - elsewhere
    assert {player.name.partition(":")[0] for player in made} == names
    for player in made:
        check_player(player, game, games=4)
        check_player(replace(player, name="another name"), game, games=2)


class Plain:
    """A user's own player: the first legal action, or what a subclass makes of it."""

    name = "plain"

    def choose(self, state, rng):
        return state.legal_actions()[0]


class RandomOfItsOwn(Plain):
    def choose(self, state, rng):
        return python_random.choice(state.legal_actions()[:1])


class GlobalNumpy(Plain):
    def choose(self, state, rng):
        np.random.random()
        return state.legal_actions()[0]


class Meddler(Plain):
    def choose(self, state, rng):
        action = state.legal_actions()[0]
        state.play(action)
        return action


class Cheat(Plain):
    def choose(self, state, rng):
        return next(action for action in range(99) if action not in state.legal_actions())


class Moody(Plain):
    asked = 0

    def choose(self, state, rng):
        self.asked += 1
        legal = state.legal_actions()
        return legal[self.asked % len(legal)]


class Vague(Plain):
    def choose(self, state, rng):
        return float(state.legal_actions()[0])


class Homebound(Plain):
    def __reduce__(self):
        raise TypeError("stays here")


def test_a_plain_player_keeps_the_contract_and_plays():
    check_player(Plain(), GAME)
    record = tournaments.play_matches(GAME, Plain(), players.make("level-1", GAME), matches=3)
    assert record.games == 6


@pytest.mark.parametrize("name", ["level-0", "level-2", "optimal", "third-side-network"])
def test_a_numpy_generator_chooses_too_and_another_object_is_refused_in_a_line(name):
    player, state = players.make(name, GAME), GAME.start()
    rng = np.random.default_rng(3)
    chosen = {player.choose(state, rng) for _ in range(20)}
    assert chosen <= set(state.legal_actions())
    assert len(chosen) > 1 or name.endswith("network")  # the generator goes on
    again = np.random.default_rng(3)
    assert player.choose(state, again) == player.choose(
        state, Stream(int(np.random.default_rng(3).integers(2**64, dtype=np.uint64)))
    )
    with pytest.raises(TournamentError, match=r"rng=Random given; .*Stream.* or a numpy Generator"):
        player.choose(state, python_random.Random(1))


@pytest.mark.parametrize(
    ("player", "law"),
    [
        (RandomOfItsOwn(), "global random generator"),
        (GlobalNumpy(), "global random generator"),
        (Meddler(), "must not change the position"),
        (Cheat(), "an illegal action"),
        (Moody(), "chooses or draws otherwise"),
        (Vague(), "whole number"),
        (Homebound(), "cannot be pickled"),
        (object(), "needs a name"),
    ],
)
def test_a_broken_player_is_found_and_the_law_named(player, law):
    with pytest.raises(ContractError, match=law):
        check_player(player, GAME)


def test_a_player_that_cheats_is_named_in_a_match():
    with pytest.raises(IllegalAction, match="'plain' chose"):
        tournaments.play_matches(GAME, Cheat(), Plain(), matches=1)


# --- the front door ------------------------------------------------------------------------------


def test_names_lists_the_players_of_a_board():
    assert players.names(GAME) == [
        "alpha-beta",
        "bot",
        "greedy",
        "level-0",
        "mcts",
        "network",
        "optimal",
        "random",
        "level-1",
        "level-2",
        "box-completion-network",
        "third-side-network",
    ]
    assert "optimal" not in players.names(games.make("dots-and-boxes", rows=5, cols=5))


def test_an_unknown_player_gets_the_nearest_name():
    with pytest.raises(TournamentError, match="did you mean 'level-1'"):
        players.make("level1", GAME)


def test_a_board_too_large_for_perfect_play_is_refused_with_the_largest():
    with pytest.raises(TournamentError, match=r"60 edges.*up to 24 edges"):
        players.make("optimal", games.make("dots-and-boxes", rows=5, cols=5))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({}, "missing a required (keyword-only )?argument: 'weights'"),
        ({"weights": [1.0, 2.0]}, "2 weights given"),
        ({"weights": np.full(465, np.nan)}, "finite"),
        ({"weights": np.full(465, 1e9)}, "within"),
        ({"weights": "no/such/file.npy"}, "cannot be read"),
        ({"weights": "champion.txt"}, "ends in .npy or .json"),
        ({"strength": 3}, "unexpected keyword argument 'strength'"),
    ],
)
def test_a_network_that_cannot_be_made_is_refused(options, complaint):
    with pytest.raises(TournamentError, match=complaint):
        players.make("network", GAME, **options)


@pytest.mark.parametrize(
    ("layers", "complaint"), [((24, 9, 24), "582 bytes"), ((4, 1, 4), "4-1-4 network given")]
)
def test_a_genome_that_is_no_network_of_the_board_is_refused(layers, complaint):
    with pytest.raises(TournamentError, match=complaint):
        Encoding(layers).player(GAME, [b"abc"], "network")


def test_a_player_for_another_board_is_refused():
    large = games.make("dots-and-boxes", rows=5, cols=5)
    with pytest.raises(TournamentError, match="was made for dots-and-boxes:rows=3,cols=3"):
        tournaments.play_matches(large, players.make("level-0", GAME), Plain(), matches=1)


def test_weights_files_are_networks(tmp_path):
    encoding = Encoding(layers_for(GAME))
    weights = generator(0, "weights").uniform(-64, 64, encoding.num_weights)
    np.save(tmp_path / "champion.npy", weights)
    (tmp_path / "champion.json").write_text(json.dumps(weights.tolist()))
    made = [
        players.make(spec, GAME)
        for spec in (
            f"{tmp_path}/champion.npy",
            f"network:weights={tmp_path}/champion.npy",
            f"{tmp_path}/champion.json",
        )
    ]
    expected = players.make("network", GAME, weights=weights)
    for player in made:
        for part, wanted in zip(player.parameters, expected.parameters, strict=True):
            assert np.array_equal(part, wanted)


@pytest.mark.parametrize("content", ["[1, 2, NaN]", '["a"]', "{", ""])
def test_an_unreadable_weights_file_is_one_clear_error(content, tmp_path):
    (tmp_path / "weights.json").write_text(content)
    with pytest.raises(TournamentError, match=r"weights\.json"):
        players.make(f"{tmp_path}/weights.json", GAME)


def test_fewer_than_one_match_is_refused():
    with pytest.raises(TournamentError, match="a whole number from 1"):
        tournaments.play_matches(GAME, Plain(), Plain(), matches=0)
