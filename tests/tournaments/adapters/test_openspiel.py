"""OpenSpiel's games are played as OpenSpiel has them, by players of ours."""

from __future__ import annotations

import random as python_random
import sys
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from typing import Any

import games_with_mistakes as squares
import numpy as np
import pytest
from run_checks import snapshot_bytes

import evo
from cluster import LocalEvaluator
from evo.config.config import from_dict
from tournaments import Competition, games, players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.arena.match import play_match
from tournaments.contract import check_game
from tournaments.errors import ConfigError, KernelError, TournamentError
from tournaments.game import Game, State
from tournaments.kernels.disk import CompiledKernel
from tournaments.kernels.linker import build, interpreted, interpreted_text
from tournaments.kernels.rng import match_seeds
from tournaments.player import compiled
from tournaments.players.network import layers_for
from tournaments.players.network.player import samples
from tournaments.rules import NetworkRules

SPECS = [
    "openspiel:tic_tac_toe",
    "openspiel:connect_four(rows=4,columns=5)",
    "openspiel:kuhn_poker",
    "openspiel:leduc_poker",
    "openspiel:pig(winscore=20)",
    "openspiel:hex(board_size=3)",
]


def played_beside(game: Game, seed: int) -> Any:
    """Positions of a random game, each beside OpenSpiel's own with the same history."""
    import pyspiel

    rng = python_random.Random(seed)
    state = game.start(seed)
    while True:
        other = pyspiel.load_game(game.options["game"]).new_initial_state()
        words = str(state).splitlines()[-1].partition(" stream")[0].split()[1:]
        for action in map(int, words):
            other.apply_action(action)
        yield state, other
        if state.is_over:
            return
        state.play(rng.choice(state.legal_actions()))


@pytest.mark.peers
@pytest.mark.parametrize("spec", SPECS)
def test_positions_are_those_of_openspiel(spec):
    game = games.parse(spec)
    assert games.parse(game.spec) == game
    for seed in range(8):
        for state, other in played_beside(game, seed):
            assert state.is_over == other.is_terminal()
            assert not other.is_chance_node()
            assert str(other).rstrip() in str(state)
            if state.is_over:
                assert list(state.scores) == other.returns()
                continue
            seat = state.seat_to_move
            assert (seat, state.legal_actions()) == (other.current_player(), other.legal_actions())
            seen = state.view(seat)
            assert seen.legal_actions() == other.legal_actions()
            if game.hides:
                assert str(seen) == other.information_state_string(seat)


@pytest.mark.peers
@pytest.mark.parametrize("spec", SPECS)
def test_the_contract_holds(spec):
    assert check_game(games.parse(spec), games=4).games == 4


@pytest.mark.peers
def test_chance_draws_as_often_as_openspiel_says():
    game = games.parse("openspiel:kuhn_poker")
    deals = [str(game.start(seed)).split("\nplayed ")[1].split(" stream")[0] for seed in range(600)]
    assert len(set(deals)) == 6
    assert all(70 <= deals.count(deal) <= 130 for deal in set(deals))


@pytest.mark.peers
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("tic-tac-toe", "tic_tac_toe"),
        ("connect-four:rows=4,cols=4", "connect_four(rows=4,columns=4)"),
    ],
)
@pytest.mark.parametrize("name", ["random", "greedy", "alpha-beta:depth=2", "mcts:playouts=10"])
def test_players_play_as_in_our_version_of_the_game(ours, theirs, name):
    results = []
    for spec in (ours, f"openspiel:{theirs}"):
        game = games.parse(spec)
        sides = players.make(name, game), players.make("random", game)
        outcomes = np.concatenate([play_match(game, *sides, seed) for seed in range(4)])
        results.append(np.sign(outcomes[:, 0] - outcomes[:, 1]).tolist())
    assert results[0] == results[1]


@pytest.mark.peers
def test_schemes_have_players_meet_in_them():
    competition = Competition("openspiel:tic_tac_toe", scheme="round-robin", seed=1)
    result = competition.evaluate(
        ["random", "alpha-beta:depth=2", lambda state, rng: state.legal_actions()[0]]
    )
    assert result.fitness.argmax() == 1
    assert np.isnan(np.diagonal(result.payoffs)).all()


@pytest.mark.peers
@pytest.mark.parametrize("spec", SPECS)
def test_inputs_of_networks_are_what_the_seat_to_move_sees_scaled(spec):
    game = games.parse(spec)
    for seed in range(3):
        for state, other in played_beside(game, seed):
            if state.is_over:
                continue
            seat = state.seat_to_move
            tensor = other.information_state_tensor if game.hides else other.observation_tensor
            inputs = inputs_of(game, state.view(seat))
            assert inputs.tolist() == tensor(seat)  # which are whole and small in these games
            assert inputs.tolist() == inputs_of(game, state).tolist()
            if game.hides:  # at the other's turn, a seat's view tells a network nothing
                assert np.isnan(inputs_of(game, state.view(1 - seat))).all()


def inputs_of(game: Game, state: State) -> np.ndarray:
    inputs = np.full(layers_for(game)[0], np.nan)
    game.rules.network.encode(game.board, state.array, inputs)
    return inputs


@pytest.mark.peers
def test_fractions_and_large_numbers_are_scaled_to_whole_inputs():
    game = games.parse("openspiel:oware")  # seeds of a house, as a share of 48
    _, hidden, _ = layers_for(game)
    state = game.start()
    inputs = inputs_of(game, state)
    assert (inputs % 1 == 0).all()
    assert 0 < inputs.max() <= 16
    assert hidden == inputs.size // 2
    assert layers_for(games.parse("openspiel:go(board_size=9)"))[1] == 64


@pytest.mark.peers
def test_a_game_without_tensors_says_that_nothing_can_evolve():
    with pytest.raises(ConfigError, match="openspiel:liars_dice_ir offers neither inputs for"):
        from_dict({"game": "openspiel:liars_dice_ir"})


@pytest.mark.peers
@pytest.mark.parametrize(
    ("spec", "scheme"),
    [
        *((spec, {"name": "direct", "opponent": "random", "matches": 2}) for spec in SPECS[:4]),
        ("openspiel:kuhn_poker", {"name": "round-robin"}),
    ],
)
def test_networks_evolve_to_the_same_bytes_however_they_are_played(spec, scheme, tmp_path):
    options = {
        "game": spec,
        "population": 5,
        "generations": 2,
        "snapshot_interval": 1,
        "genome": {"encoding": "real-network", "hidden": [4]},
        "scheme": scheme,
        "learner": "openai-es",
    }
    whole = evo.run(tmp_path / "whole", options, threads=1)
    evo.run(tmp_path / "again", options | {"generations": 1}, threads=2)
    again = evo.resume(tmp_path / "again", generations=2, threads=2)
    assert snapshot_bytes(again.path) == snapshot_bytes(whole.path)


@pytest.mark.peers
@pytest.mark.slow
def test_champions_of_tic_tac_toe_beat_random_play(tmp_path):
    """The 95% interval of the champion's share of wins and half of the draws lies above 60%."""
    options = {
        "game": "openspiel:tic_tac_toe",
        "seed": 1,
        "population": 21,
        "generations": 20,
        "genome": {"encoding": "real-network", "initial": 0.5},
        "scheme": {"name": "direct", "opponent": "random", "matches": 5},
        "learner": "openai-es",
    }
    evo.run(tmp_path / "run", options, threads=1)
    row = evo.evaluate(tmp_path / "run", ["random"], games=400, threads=1).iloc[-1]
    assert row["win_rate_low"] > 0.6, row


@pytest.mark.peers
def test_a_fingerprint_tells_the_version_of_openspiel(monkeypatch):
    game = games.parse("openspiel:tic_tac_toe")
    before = game.fingerprint()
    assert game.fingerprint() == before
    monkeypatch.setattr("importlib.metadata.version", lambda package: "0.0")
    interpreted_text.cache_clear()
    assert game.fingerprint() != before


@pytest.mark.peers
@pytest.mark.slow
def test_ray_actors_play_the_same_games():
    from cluster.ray_matches import RayEvaluator

    results = []
    for evaluator in (LocalEvaluator(1), RayEvaluator(2, chunk=3)):
        with closing(evaluator):
            competition = Competition("openspiel:tic_tac_toe", seed=2, evaluator=evaluator)
            results.append(competition.evaluate(["random", "greedy", "mcts:playouts=5"]))
    assert results[0].matches.equals(results[1].matches)


@pytest.mark.peers
def test_the_text_of_a_position_leads_back_or_is_refused():
    game = games.parse("openspiel:kuhn_poker")
    state = game.start(3)
    state.play(1)
    assert game.parse(str(state)) == state
    for junk in ("played 9", "played x", "2 0", "played 0 0"):
        with pytest.raises(TournamentError, match="given"):
            game.parse(junk)


@pytest.mark.peers
@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("openspiel:goofspiel", "do not move in turn"),
        ("openspiel:hearts", "4 players"),
        ("openspiel:tiny_hanabi", "win together"),
        ("openspiel:negotiation", "does not tell what it draws"),
        ("openspiel:phantom_go", "does not tell what a player knows"),
        ("openspiel:cursor_go", "at most 32,767"),
        ("openspiel:conect_four", "did you mean 'connect_four'"),
        ("openspiel:connect_four(rows=x)", "OpenSpiel cannot load it: .*rows"),
        ("openspiel", "the name of a game is expected"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_line(spec, why):
    with pytest.raises(TournamentError, match=why) as refused:
        games.parse(spec)
    assert "\n" not in str(refused.value)


def test_without_openspiel_a_line_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(TournamentError, match=r"pip install 'evo-tournaments\[peers\]'"):
        games.parse("openspiel:othello")


# --- rules in plain Python, whoever wrote them ---------------------------------------------------


@interpreted
def start_plainly(board: np.ndarray, state: np.ndarray, seed: np.uint64) -> None:
    state[:] = 0


@interpreted
def legal_plainly(board: np.ndarray, state: np.ndarray, actions: np.ndarray) -> int:
    free = np.flatnonzero(state[squares.HEADER :] == 0)
    actions[: free.size] = free
    return free.size


@interpreted
def play_plainly(board: np.ndarray, state: np.ndarray, action: int) -> None:
    squares.play(board, state, action)


@interpreted
def encode_plainly(board: np.ndarray, state: np.ndarray, inputs: np.ndarray) -> None:
    squares.encode(board, state, inputs)


SHOWN = NetworkRules(lambda board: board.size, squares.encode)
PLAIN = replace(
    squares.RULES,
    start=start_plainly,
    legal=legal_plainly,
    play=play_plainly,
    network=replace(SHOWN, encode=encode_plainly),
)


@pytest.mark.slow
def test_rules_in_plain_python_are_played_as_kernels_are():
    results = []
    for rules in (PLAIN, replace(squares.RULES, network=SHOWN)):
        game = Game(rules, {})
        sides = players.make("mcts:playouts=5", game), players.make("greedy", game), *samples(game)
        results.append(
            [play_match(game, a, b, seed).tolist() for a, b in pairwise(sides) for seed in range(3)]
        )
    assert results[0] == results[1]


def test_loops_of_kernels_are_compiled_beside_hooks_in_plain_python():
    game = Game(PLAIN, {})
    choose = next(samples(game)).kernels[2]
    parts = {name for name, part in choose.__globals__.items() if isinstance(part, CompiledKernel)}
    assert parts == {"kernel__compute", "kernel__nth"}


def test_the_arena_plays_them_move_by_move():
    game = Game(PLAIN, {})
    a, b = players.make("greedy", game), players.make("random", game)
    assert compiled(a) is None
    seeds = match_seeds(1, "games", 0, 3)
    pairs = np.array([[-1, -2]] * 3, dtype=np.int32)
    outcomes = play_pairs(Entrants(game, (a, b)), pairs, seeds)
    each = [play_match(game, a, b, int(seed)).tolist() for seed in seeds]
    assert outcomes.tolist() == each
    assert check_game(game, games=3).games == 3
    assert "optimal" not in players.names(game)
    with pytest.raises(KernelError, match="plain Python"):
        build(players.make("random", game).kind.choose, game.hooks)


def test_a_state_of_them_is_a_state():
    game = Game(PLAIN, {})
    state = game.start()
    state.play(4)
    assert isinstance(state, State)
    assert state.scores == (4, 0)
    assert game.parse(str(state)) == state
