"""Environments of PettingZoo's are games: played as PettingZoo has them, by players of ours."""

from __future__ import annotations

import pickle
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from run_checks import snapshot_bytes

import evo
from cluster import LocalEvaluator
from tournaments import Competition, games
from tournaments.contract import check_game
from tournaments.errors import TournamentError
from tournaments.kernels.rng import Stream
from tournaments.players.network import layers_for

HEAP = Path(__file__).with_name("heap.py")
SPECS = ["pettingzoo:tictactoe_v3", "pettingzoo:connect_four_v3", "pettingzoo:leduc_holdem_v4"]
pytestmark = [
    pytest.mark.peers,
    pytest.mark.filterwarnings("ignore"),  # gymnasium's, about precision
]


@pytest.fixture
def heap(tmp_path, monkeypatch) -> str:
    """The environment of a user, in the current folder."""
    pytest.importorskip("pettingzoo")
    (tmp_path / "heap.py").write_bytes(HEAP.read_bytes())
    monkeypatch.chdir(tmp_path)
    return "./heap.py"


def environment_of(spec: str):
    return pytest.importorskip(f"pettingzoo.classic.{spec.partition(':')[2]}").env()


@pytest.mark.parametrize("spec", SPECS)
def test_games_are_those_of_pettingzoo(spec):
    environment, game = environment_of(spec), games.parse(spec)
    for seed in range(4):
        state, stream, totals = game.start(seed), Stream(seed), {}
        words = str(state).splitlines()[-1].partition(" stream")[0].split()[1:]
        environment.reset(seed=int.from_bytes(map(int, words)) >> 1)
        for agent in environment.agent_iter():
            shown, reward, is_over, is_cut, _ = environment.last()
            totals[agent] = totals.get(agent, 0) + reward
            if is_over or is_cut:
                environment.step(None)
                continue
            seat = environment.possible_agents.index(agent)
            seen = state.view(seat)
            assert state.seat_to_move == seat
            assert state.legal_actions() == np.flatnonzero(shown["action_mask"]).tolist()
            assert seen.legal_actions() == state.legal_actions()
            inputs = np.full(layers_for(game)[0], np.nan)
            game.rules.network.encode(game.board, seen.array, inputs)
            assert inputs.tolist() == shown["observation"].ravel().tolist()
            assert game.parse(str(state)) == state
            action = stream.choice(state.legal_actions())
            environment.step(action)
            state.play(action)
        assert state.is_over
        assert list(state.scores) == [100 * totals[each] for each in environment.possible_agents]


@pytest.mark.parametrize("spec", SPECS)
def test_the_contract_holds(spec):
    environment_of(spec)
    assert check_game(games.parse(spec), games=2).games == 2


def test_a_position_is_played_anew_where_its_environment_went_on(heap):
    game = games.parse(heap)
    state = game.start(3)
    others = [state.clone() for _ in range(3)]
    for other, actions in zip(others, ([0, 1], [2, 0], [0, 1]), strict=True):
        for action in actions:
            other.play(action)
    assert others[0] == others[2] != others[1]
    assert str(state) != str(others[0])
    assert game.start(3) == state


def test_an_environment_of_a_user_is_a_game(heap):
    assert check_game(heap, games=3).games == 3
    game = games.parse(heap)
    assert pickle.loads(pickle.dumps(game)) == game
    state = game.start(1)
    while not state.is_over:
        state.play(0)
    winner = int(np.argmax(state.scores))
    moves = len(str(state).splitlines()[-1].partition(" stream")[0].split()) - 5  # played, a seed
    assert sum(state.scores) == 25 * (moves - 1)
    assert state.scores[winner] == 100 + 25 * ((moves - 1) // 2)
    results = []
    for threads in (1, 2):
        with closing(LocalEvaluator(threads)) as evaluator:
            competition = Competition(heap, scheme="round-robin", seed=1, evaluator=evaluator)
            take_three = competition.evaluate(
                ["random", lambda state, rng: state.legal_actions()[-1]]
            )
            results.append(take_three.matches)
    assert results[0].equals(results[1])


@pytest.mark.parametrize("spec", ["./heap.py", "pettingzoo:tictactoe_v3"])
def test_networks_evolve_to_the_same_bytes_however_they_are_played(spec, heap, tmp_path):
    options = {
        "game": spec,
        "population": 5,
        "generations": 2,
        "snapshot_interval": 1,
        "genome": {"encoding": "real-network", "hidden": [4]},
        "scheme": {"name": "direct", "opponent": "random", "matches": 2},
        "learner": "openai-es",
    }
    whole = evo.run(tmp_path / "whole", options, threads=1)
    evo.run(tmp_path / "again", options | {"generations": 1}, threads=2)
    again = evo.resume(tmp_path / "again", generations=2, threads=2, trust=True)
    assert snapshot_bytes(again.path) == snapshot_bytes(whole.path)


REFUSED = """
from gymnasium.spaces import Box, Discrete
from heap import Heap, environment_rules


class Three(Heap):
    def __init__(self):
        super().__init__()
        self.possible_agents = ["a", "b", "c"]


class Unmasked(Heap):
    def observe(self, agent):
        return super().observe(agent)["observation"]


class Real(Heap):
    def action_space(self, agent):
        return Box(0, 1)


class Shown(Heap):
    def observe(self, agent):
        return super().observe(agent) | {"observation": "sticks"}


class Parallel:
    possible_agents = ["a", "b"]
"""


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("Three", "an environment of 3 agents"),
        ("Unmasked", "which has no action mask"),
        ("Real", "whose actions are not numbered"),
        ("Shown", "do not both see an array of numbers"),
        ("Parallel", "do not act in turn"),
        ("lambda: Heap()", "a function or class of a module"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_line(heap, given, why):
    Path("refused.py").write_text(f"{REFUSED}\n\nRULES = environment_rules({given})\n")
    with pytest.raises(TournamentError, match=why) as refused:
        games.parse("./refused.py")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("pettingzoo:rps_v2", "pettingzoo:rps_v2 given, which has no action mask"),
        ("pettingzoo:tictacto_v3", "did you mean 'tictactoe_v3'"),
        ("pettingzoo:chess", "unknown environment of PettingZoo 'chess'"),
    ],
)
def test_an_environment_that_cannot_be_played_is_named(spec, why):
    pytest.importorskip("pettingzoo")
    with pytest.raises(TournamentError, match=why):
        games.parse(spec)


def test_without_pettingzoo_a_line_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pettingzoo.classic", None)
    with pytest.raises(TournamentError, match=r"pip install 'evo-tournaments\[peers\]'"):
        games.parse("pettingzoo:go_v5")
