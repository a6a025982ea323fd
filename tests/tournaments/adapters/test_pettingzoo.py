"""Our games as environments of PettingZoo's."""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
import pytest

from tournaments import adapters, games
from tournaments.errors import TournamentError
from tournaments.game import IllegalAction
from tournaments.kernels.rng import Stream, opening_seed
from tournaments.players.network import layers_for

SPECS = ["tic-tac-toe", "dots-and-boxes:rows=2,cols=2", "cat-and-mouse", "karate:rounds=5", "set"]
"""Extra turns, roles, moves that are hidden, draws."""


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")  # PettingZoo's advice: names of agents, other spaces
@pytest.mark.parametrize("spec", SPECS)
def test_it_passes_the_tests_of_pettingzoo(spec):
    test = pytest.importorskip("pettingzoo.test")
    game = games.parse(spec)
    test.api_test(adapters.to_pettingzoo(game), num_cycles=100, verbose_progress=False)
    test.seed_test(partial(adapters.to_pettingzoo, game), num_cycles=30)


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("spec", ["tic-tac-toe", "dots-and-boxes:rows=2,cols=2", "fox-and-hounds"])
def test_the_inputs_of_networks_are_offered_as_observations(spec):
    test = pytest.importorskip("pettingzoo.test")
    game = games.parse(spec)
    environment = adapters.to_pettingzoo(game, observations="inputs")
    test.api_test(environment, num_cycles=100, verbose_progress=False)
    environment.reset(seed=5)
    state, inputs = game.start(opening_seed(5, 0)), np.full(layers_for(game)[0], np.nan)
    for action in (state.legal_actions()[0], None):
        seat = state.seat_to_move
        game.rules.network.encode(game.board, state.view(seat).array, inputs)
        shown = environment.observe(game.seats[seat])["observation"]
        assert shown.dtype == np.int8
        assert shown.tolist() == inputs.tolist()
        if action is not None:
            environment.step(action)
            state.play(action)


@pytest.mark.peers
def test_observations_that_do_not_exist_are_refused():
    pytest.importorskip("pettingzoo")
    with pytest.raises(TournamentError, match="did you mean 'inputs'"):
        adapters.to_pettingzoo("tic-tac-toe", observations="input")
    with pytest.raises(TournamentError, match="cat-and-mouse offers no inputs"):
        adapters.to_pettingzoo("cat-and-mouse", observations="inputs")


@pytest.mark.peers
@pytest.mark.parametrize("spec", SPECS)
def test_it_plays_the_game(spec):
    pytest.importorskip("pettingzoo")
    game = games.parse(spec)
    environment = adapters.to_pettingzoo(game, render_mode="ansi")
    environment.reset(seed=5)
    stream = Stream(5)
    state = game.start(opening_seed(5, 0))
    for agent in environment.agent_iter():
        shown, reward, over, cut, _ = environment.last()
        if over or cut:
            assert reward == state.returns()[game.seats.index(agent)]
            environment.step(None)
            continue
        assert reward == 0
        assert environment.render() == str(state)
        assert agent == game.seats[state.seat_to_move]
        assert np.flatnonzero(shown["action_mask"]).tolist() == state.legal_actions()
        assert shown["observation"].tolist() == state.view(state.seat_to_move).array.tolist()
        action = stream.choice(state.legal_actions())
        environment.step(action)
        state.play(action)
    assert state.is_over
    assert environment.agents == []


@pytest.mark.peers
def test_a_game_as_typed_is_taken_and_who_plays_none_is_told_to_begin():
    pytest.importorskip("pettingzoo")
    environment = adapters.to_pettingzoo("tic-tac-toe")
    for call in (partial(environment.step, 0), partial(environment.observe, "nought")):
        with pytest.raises(TournamentError, match="no game is being played; call reset"):
            call()
    environment.reset()
    for _ in environment.agent_iter():
        shown, _, is_over, _, _ = environment.last()
        environment.step(None if is_over else int(np.argmax(shown["action_mask"])))
    with pytest.raises(TournamentError, match="call reset"):
        environment.step(0)
    with pytest.raises(TournamentError, match="seed=-1 given"):
        environment.reset(seed=-1)


@pytest.mark.peers
def test_an_action_that_the_mask_lacks_is_refused():
    pytest.importorskip("pettingzoo")
    environment = adapters.to_pettingzoo(games.make("tic-tac-toe"))
    environment.reset(seed=1)
    environment.step(4)
    for action in (4, 9, None):
        with pytest.raises(IllegalAction, match="legal here"):
            environment.step(action)
    assert environment.render() is None
    with pytest.raises(TournamentError, match="'ansi' or None is expected"):
        adapters.to_pettingzoo(games.make("tic-tac-toe"), "human")


def test_without_pettingzoo_a_line_says_how_to_install_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "tournaments.adapters.aec", raising=False)
    monkeypatch.setitem(sys.modules, "gymnasium.spaces", None)
    with pytest.raises(TournamentError, match=r"pip install 'evo-tournaments\[peers\]'"):
        adapters.to_pettingzoo(games.make("tic-tac-toe"))
