"""Programs and PettingZoo environments as contests: the same fitness wherever they are played."""

from __future__ import annotations

import sys
import threading
from contextlib import closing
from types import MappingProxyType

import numpy as np
import pytest

from cluster import LocalEvaluator, RayEvaluator, threads
from tournaments import Competition, contest

PROGRAM = """#!{python}
import json, random, sys
first, second = (json.load(open(name)) for name in sys.argv[1:3])
rng = random.Random(int(sys.argv[3]))
print(json.dumps({{"scores": [sum(first) + rng.random(), sum(second) + rng.random()]}}))
"""


class Actions:
    """A space of whole numbers, as Gymnasium has it."""

    n, start = 3, 0


class Race:
    """An AEC environment of two agents, which run for four turns each.

    An action is the number of steps, each of which has some luck. Two steps cost the energy, and
    the mask forbids them afterwards.
    """

    metadata = MappingProxyType({"name": "race"})
    possible_agents = ("left", "right")

    def action_space(self, agent):
        return Actions()

    def reset(self, seed=None):
        self.rng = np.random.default_rng(seed)
        self.agents, self.agent_selection = list(self.possible_agents), "left"
        self.energy = dict.fromkeys(self.agents, 2)
        self.turns = dict.fromkeys(self.agents, 4)
        self.rewards = dict.fromkeys(self.agents, 0.0)

    def agent_iter(self):
        while self.agents:
            yield self.agent_selection

    def last(self):
        agent = self.agent_selection
        mask = np.array([1, 1, self.energy[agent] > 0], dtype=np.int8)
        seen = {"observation": np.array([self.energy[agent]]), "action_mask": mask}
        return seen, self.rewards[agent], self.turns[agent] == 0, False, {}

    def step(self, action):
        agent = self.agent_selection
        if action is None:
            self.agents.remove(agent)
        else:
            self.rewards[agent] = action * float(self.rng.random())
            self.energy[agent] -= action == 2
            self.turns[agent] -= 1
        self.agent_selection = "right" if agent == "left" else "left"


def first_legal(observation, legal, rng):
    return int(legal[0])


def last_legal(observation, legal, rng):
    return int(legal[-1])


def drawn(observation, legal, rng):
    return int(rng.choice(legal))


AGENTS = {"first": first_legal, "last": last_legal, "drawn": drawn, "drawn too": drawn}
VECTORS = {f"{number}": [number / 4, 0.25] for number in range(4)}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("program") / "simulate.py"
    path.write_text(PROGRAM.format(python=sys.executable))
    path.chmod(0o755)
    return contest(f"{path} {{0}} {{1}} {{seed}}"), VECTORS, 1


def environment():
    return contest(Race), AGENTS, 4


def pettingzoo():
    module = pytest.importorskip("pettingzoo.classic.connect_four_v3")
    return contest(module.env), AGENTS, 2


MAKERS = {"environment": environment, "pettingzoo": pettingzoo}


@pytest.fixture(params=["program", *MAKERS])
def played(request):
    """A function that plays a contest by an evaluator and returns the bytes of the results."""
    if request.param == "program":
        game, players, matches = request.getfixturevalue("program")
    else:
        game, players, matches = MAKERS[request.param]()

    def play(evaluator=None):
        scheme = f"round-robin:matches={matches}"
        result = Competition(game, scheme, seed=5, evaluator=evaluator).evaluate(players)
        assert result.fitness.std() > 0
        return result.fitness.tobytes(), result._rounds[0].outcomes.tobytes()

    play.is_program = game.rules.contest.is_program
    return play


@pytest.fixture
def at_once(monkeypatch):
    """Processes start for any work, however short, after a first match in this process."""
    for name in ("WORTH_STARTING", "WORTH_HANDING"):
        monkeypatch.setattr(threads, name, 0.0)
    monkeypatch.setattr(threads, "TRIAL", 1)


@pytest.mark.filterwarnings("ignore")  # gymnasium's, about precision
def test_one_thread_and_eight_give_the_same_fitness(played, monkeypatch):
    workers, play_part = set(), threads.play_part

    def noted(*arguments):
        workers.add(threading.get_ident())
        return play_part(*arguments)

    monkeypatch.setattr(threads, "play_part", noted)
    expected = played()
    for count in (1, 8):
        workers.clear()
        with closing(LocalEvaluator(count, chunk=1)) as evaluator:
            assert played(evaluator) == expected
        assert (len(workers) > 1) == (played.is_program and count > 1)


@pytest.mark.filterwarnings("ignore")
def test_processes_give_the_fitness_of_one_thread(played, at_once):
    lines = []
    with closing(LocalEvaluator(8, announce=lines.append)) as evaluator:
        assert played(evaluator) == played()
    said = "matches are played by 8 processes"
    assert [each.endswith(said) for each in lines] == [True] * (not played.is_program)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_ray_actors_give_the_fitness_of_one_thread(played, ray):
    with closing(RayEvaluator(2, check=3)) as evaluator:
        assert played(evaluator) == played()
