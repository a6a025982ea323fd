"""Environments of PettingZoo as contests: agents are seats, total rewards are scores."""

from __future__ import annotations

import inspect
import pickle
import sys
from contextlib import closing
from types import MappingProxyType

import numpy as np
import pytest

from cluster import LocalEvaluator
from evo.cli.main import main
from tournaments import Competition, Disqualified, TournamentError, contest
from tournaments.adapters.environments import EnvironmentSimulator, legal_actions
from tournaments.errors import PlayerFault
from tournaments.kernels.rng import generator


class Discrete:
    """A space of whole numbers, as Gymnasium has it."""

    def __init__(self, n, start=0):
        self.n, self.start = n, start


class Interval:
    """A space of one real number from 0 to 1, as Gymnasium's Box: it refuses float64."""

    shape, dtype = (1,), np.dtype(np.float32)

    def contains(self, action):
        return action.dtype == self.dtype and action.shape == (1,) and 0 <= action[0] <= 1


class Climb:
    """Agents climb in turn by 5 to 7 steps; agent k leaves after k + 1 turns, the last is cut off.

    An observation shows the energy. A step of 7 costs one, and the mask forbids it without energy.
    Each reward has some luck. The next agent gets a tenth of the reward.
    """

    metadata = MappingProxyType({"name": "climb"})
    made = 0

    def __init__(self, agents=3):
        type(self).made += 1
        self.possible_agents = [f"agent_{number}" for number in range(agents)]

    def __reduce__(self):
        raise AssertionError("an environment is never pickled")

    def action_space(self, agent):
        return Discrete(3, start=5)

    def reset(self, seed=None):
        self._rng = np.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        self.agent_selection = self.agents[0]
        self.energy = {agent: np.array([1]) for agent in self.agents}
        self.turns = dict.fromkeys(self.agents, 0)
        self.cumulative = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)

    def agent_iter(self):
        while self.agents:
            yield self.agent_selection

    def mask(self, agent):
        return np.array([1, 1, self.energy[agent][0] > 0], dtype=np.int8)

    def last(self):
        agent = self.agent_selection
        observation = {"observation": self.energy[agent], "action_mask": self.mask(agent)}
        ends = self.terminations[agent], self.truncations[agent]
        return observation, self.cumulative[agent], *ends, {}

    def step(self, action):
        agent = self.agent_selection
        index = self.agents.index(agent)
        following = self.agents[(index + 1) % len(self.agents)]
        self.agent_selection = following
        if self.terminations[agent] or self.truncations[agent]:
            assert action is None
            self.agents.remove(agent)
            return
        assert type(action) is int
        assert self.mask(agent)[action - 5]
        self.energy[agent][0] -= action == 7
        reward = action + self._rng.random()
        self.cumulative[agent] = 0.0
        self.cumulative[agent] += reward
        self.cumulative[following] += reward / 10
        self.turns[agent] += 1
        if self.turns[agent] == self.possible_agents.index(agent) + 1:
            is_last = agent == self.possible_agents[-1]
            (self.truncations if is_last else self.terminations)[agent] = True


class Crowd:
    """Agents give real numbers at the same time; whoever gives least leaves; at most four rounds.

    The first reward of an agent has some luck.
    """

    def __init__(self, agents=3):
        self.possible_agents = list(range(agents))

    def action_space(self, agent):
        return Interval()

    def reset(self, seed=None):
        self.agents = list(self.possible_agents)
        self.round, self.luck = 0, np.random.default_rng(seed).random(len(self.agents))
        return dict.fromkeys(self.agents, self.luck.copy()), {}

    def step(self, actions):
        assert [*actions] == self.agents
        assert all(action.dtype == np.float32 for action in actions.values())
        self.round += 1
        numbers = {agent: float(action[0]) for agent, action in actions.items()}
        least = min(numbers, key=numbers.get)
        rewards = {agent: number + self.luck[agent] for agent, number in numbers.items()}
        self.luck[:] = 0
        is_cut = self.round == 4 or len(self.agents) == 1
        over = {agent: agent == least and not is_cut for agent in self.agents}
        cut = dict.fromkeys(self.agents, is_cut)
        self.agents = [] if is_cut else [agent for agent in self.agents if agent != least]
        shown = dict.fromkeys(actions, np.zeros(3))
        return shown, rewards, over, cut, {agent: {} for agent in actions}


class Lingering(Crowd):
    """A crowd that still lists the agents that are done."""

    def step(self, actions):
        before = list(self.possible_agents)
        self.agents = list(actions)
        answer = super().step(actions)
        self.agents = before if self.agents else []
        return answer


def lowest(observation, legal, rng):
    return legal[0]


def highest(observation, legal, rng):
    return legal[-1]


def drawn(observation, legal, rng):
    return rng.choice(legal)


def giver(number):
    def gives(observation, legal, rng):
        assert legal is None
        return [number]

    return gives


CLIMBERS = {"low": lowest, "high": highest, "drawn": drawn, "drawn too": drawn, "6": lambda *_: 6}
GIVERS = {f"{number}": giver(number) for number in (0.25, 0.5, 0.125, 0.75)}


def test_scores_are_the_sums_of_the_rewards_of_three_agents_that_leave_in_turn():
    scores = contest(Climb).rules.contest.play([lowest, highest, highest], 7)
    luck = np.random.default_rng(7).random(6)
    # turns: 0, 1 and 2, then 1 and 2, then 2; the reward after the end of agent 0 is lost
    rewards = np.array([5, 7, 7, 6, 6, 6]) + luck
    expected = [
        rewards[0] + rewards[2] * 0.1,
        rewards[[1, 3]].sum() + rewards[0] * 0.1,
        rewards[[2, 4, 5]].sum() + rewards[[1, 3]].sum() * 0.1,
    ]
    assert scores[1] == pytest.approx(expected[1] + rewards[4] * 0.1)
    assert scores[0] == pytest.approx(expected[0])
    assert scores[2] == pytest.approx(expected[2] + rewards[5] * 0.1)


@pytest.mark.parametrize("make", [Crowd, Lingering])
def test_agents_that_act_at_the_same_time_leave_one_by_one(make):
    scores = contest(make).rules.contest.play([giver(0.5), giver(0.25), giver(0.75)], 3)
    luck = np.random.default_rng(3).random(3)
    assert scores == pytest.approx([1.0 + luck[0], 0.25 + luck[1], 2.25 + luck[2]])


def test_the_game_is_named_after_the_environment_and_has_a_seat_for_each_agent():
    game = contest(Climb)
    assert (game.name, len(game.seats)) == ("climb", 3)
    assert contest(Crowd, seats=3).name == "Crowd"
    assert contest(lambda: Crowd(2), name="duel").name == "duel"
    assert not contest(lambda: Crowd(2)).rules.has_roles
    identities = {contest(make).rules.contest.identity for make in (Climb, Crowd, lambda: Crowd(2))}
    assert len(identities) == 3


@pytest.mark.parametrize("names", [("agent_0", "agent_1"), ("agent_1", "agent_0"), ("fox", "owl")])
def test_two_agents_are_roles_by_their_names_in_either_order(names):
    game = contest(lambda: Climb(2), seats=names)
    assert game.seats == names
    assert game.rules.has_roles
    first, second = game.rules.contest.play([lowest, lowest], 1)
    assert (first > second) == (names[0] == "agent_1"), "agent 1 has more turns"
    results = Competition(game, "round-robin").evaluate([lowest, highest], [drawn, lowest, highest])
    assert [len(each) for each in results.fitness] == [2, 3]


@pytest.mark.parametrize(
    ("make", "players"), [(Climb, CLIMBERS), (Crowd, GIVERS), (Lingering, GIVERS)]
)
def test_the_same_seed_gives_the_same_scores_on_any_number_of_threads(make, players):
    results = []
    for threads, seed in ((1, 5), (4, 5), (1, 6)):
        with closing(LocalEvaluator(threads)) as evaluator:
            competition = Competition(contest(make), seed=seed, evaluator=evaluator)
            results.append(competition.evaluate(players).matches)
    assert results[0].equals(results[1])
    assert not results[0].equals(results[2])


def test_random_numbers_belong_to_the_game_and_the_seat_and_do_not_show_the_seed():
    numbers = []

    def notes(observation, legal, rng):
        numbers.append(rng.random())
        return legal[0]

    play = contest(lambda: Climb(2)).rules.contest.play
    for seed in (1, 2, 1):
        play([notes, notes], seed)
    assert numbers[:3] == numbers[6:]
    assert len({*numbers}) == 6
    assert numbers[0] == generator(1, "environment", 0, 0).random()


def test_an_environment_is_made_once_for_games_one_after_another():
    before = Climb.made
    game = contest(lambda: Climb(3))
    for seed in range(5):
        game.rules.contest.play([lowest] * 3, seed)
    assert Climb.made <= before + 2


def test_the_function_that_makes_the_environment_travels_and_no_environment_does():
    size = 3
    game = contest(lambda: Climb(size))
    scores = game.rules.contest.play([drawn] * 3, 9)
    again = pickle.loads(pickle.dumps(game))
    assert again.rules.contest.play([drawn] * 3, 9) == scores
    assert again.rules.contest.identity == game.rules.contest.identity
    assert again.rules.contest.play.agents == ("agent_0", "agent_1", "agent_2")


def test_legal_actions_are_those_of_the_mask_or_all_or_none():
    space = Discrete(4, start=-1)
    assert legal_actions(space, np.zeros(2), None).tolist() == [-1, 0, 1, 2]
    assert legal_actions(space, np.zeros(2), {"action_mask": [0, 1, 0, 1]}).tolist() == [0, 2]
    both = {"action_mask": [1, 0, 0, 0]}, {"action_mask": [0, 1, 0, 1]}
    assert legal_actions(space, *both).tolist() == [-1]
    assert legal_actions(Interval(), {"action_mask": [1]}, None) is None


def raises(observation, legal, rng):
    raise ValueError("lost\nmy way")


def blames_another(observation, legal, rng):
    raise Disqualified(0, "not me")


@pytest.mark.parametrize(
    ("player", "what"),
    [
        (lambda *_: 4, "chose 4; one of the legal actions [5, 6, 7] is expected"),
        (lambda *_: 7, "chose 7; one of the legal actions [5, 6] is expected"),
        (lambda *_: None, "chose None"),
        (lambda *_: 5.0, "chose 5.0"),
        (lambda *_: [5], "chose [5]"),
        (raises, "raised ValueError: lost (test_contest_environments.py, line"),
        (blames_another, "raised Disqualified: (0, 'not me')"),
        (lambda *_: sys.exit(3), "ended by sys.exit(3)"),
        (lambda observation: 5, "raised TypeError"),
        (np.zeros(3), "; a function (observation, legal, rng) -> action is expected"),
    ],
)
def test_an_illegal_action_or_an_exception_costs_the_player_its_games(player, what):
    game = contest(Climb)
    players = {"a": lowest, "b": highest, "x": player}
    result = Competition(game, faults="forfeit").evaluate(players)
    assert result.tally.losses.tolist()[2] == result.tally.games[2]
    assert {*result.faults["cause"]} == {"disqualified"}
    assert all(seat >= 0 for seat in result.faults["seat"])
    assert any(what in text for text in result.faults["what"])
    with pytest.raises(PlayerFault, match="was disqualified"):
        Competition(game).evaluate(players)


def test_the_observation_and_the_legal_actions_of_a_player_are_copies():
    energies = []

    def cheats(observation, legal, rng):
        energies.append(int(observation["observation"][0]))
        observation["observation"][:] = 9
        observation["action_mask"][:] = 1
        legal[:] = 7
        return 7

    with pytest.raises(Disqualified, match=r"chose 7; one of the legal actions \[5, 6\]"):
        contest(Climb).rules.contest.play([lowest, highest, cheats], 1)
    assert energies == [1, 0]


def test_an_action_outside_a_space_of_real_numbers_is_illegal():
    play = contest(Crowd).rules.contest.play
    for action in (2.0, float("nan"), [0.5], "a", None):
        with pytest.raises(Disqualified) as caught:
            play([giver(0.5), giver(0.5), giver(action)], 1)
        assert caught.value.seat == 2


class Broken(Climb):
    def step(self, action):
        raise RuntimeError("out of order")


class Locked(Climb):
    def mask(self, agent):
        return np.zeros(3)


class Growing(Climb):
    def reset(self, seed=None):
        super().reset(seed)
        self.agents.append("another")


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (Broken, "raised RuntimeError: out of order"),
        (Locked, "the action mask of agent 'agent_0' has no legal action"),
        (
            Growing,
            "['agent_0', 'agent_1', 'agent_2', 'another']; ['agent_0', 'agent_1', 'agent_2']",
        ),
    ],
)
def test_an_environment_that_fails_makes_its_games_void(make, what):
    result = Competition(contest(make), faults="forfeit").evaluate([lowest, drawn, highest])
    assert result.tally.games.tolist() == [0, 0, 0]
    assert {*result.faults["seat"]} == {-1}
    assert what in result.faults["what"][0]


def lacks_a_package():
    import a_package_that_nobody_has  # noqa: F401


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((lambda: 3,), "3 was made; a PettingZoo environment with possible_agents is expected"),
        ((lambda: Climb(1),), "environment with 1 agents given; 2 to 8 agents are expected"),
        ((lambda: Crowd(9),), "environment with 9 agents given; 2 to 8 agents are expected"),
        ((Climb, 2), "seats=2 given; the environment has 3 agents: ['agent_0', "),
        ((Climb, ("a", "b")), "seats=('a', 'b') given; the environment has 3 agents"),
        ((Climb(2),), "or a function without arguments that makes a PettingZoo environment"),
        ((lambda agents: Climb(2),), "a function (players, seed) -> scores is expected"),
        ((lambda: Climb("3"),), "environment '<lambda>': cannot be made: it raised TypeError"),
        ((lacks_a_package,), "No module named 'a_package_that_nobody_has'); install it, or"),
    ],
)
def test_what_makes_no_environment_is_refused_in_a_line(arguments, message):
    with pytest.raises(TournamentError) as caught:
        contest(*arguments)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_simulator_of_any_number_of_arguments_is_no_environment():
    def plays(*given):
        return [1.0, 2.0]

    assert not isinstance(contest(plays).rules.contest.play, EnvironmentSimulator)


def test_an_environment_in_a_file_is_a_contest(here):
    source = "import numpy as np\nfrom types import MappingProxyType\n"
    source += inspect.getsource(Discrete) + inspect.getsource(Climb)
    source += "def two():\n    return Climb(2)\n"
    source += inspect.getsource(lowest) + inspect.getsource(highest)
    (here / "arena.py").write_text(source)
    players = ["arena.py:lowest", "arena.py:highest"]
    result = Competition("./arena.py:two").evaluate(players)
    assert result.matches["score"][0] < result.matches["opponent_score"][0]
    assert main(["tournament", "./arena.py:two", *players, "--games", "2"]) == 0


# --- environments of PettingZoo ------------------------------------------------------------------

FOUR = [(0, 1), (1, 0), (1, 1), (1, -1)]
"""Directions of four in a row."""


def wins_at(stones, column):
    """Whether a stone in a column completes four in a row of a board of 6 rows of 7."""
    row = next(row for row in range(5, -1, -1) if not stones.any(axis=2)[row, column])
    own = stones[:, :, 0].copy()
    own[row, column] = True
    return any(
        all(
            0 <= row + at * down < 6
            and 0 <= column + at * right < 7
            and own[row + at * down, column + at * right]
            for at in range(first, first + 4)
        )
        for down, right in FOUR
        for first in range(-3, 1)
    )


def one_ply(noise):
    """A player that wins or blocks, with random actions at some probability."""

    def chooses(observation, legal, rng):
        stones = observation["observation"].astype(bool)
        if rng.random() >= noise:
            for board in (stones, stones[:, :, ::-1]):
                for column in legal:
                    if wins_at(board, column):
                        return column
        return rng.choice(legal)

    return chooses


def leftmost(noise):
    """A player that fills columns from the left, with random actions at some probability."""
    return lambda observation, legal, rng: rng.choice(legal if rng.random() < noise else legal[:1])


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")  # gymnasium's, about precision
def test_better_players_of_connect_four_rank_higher():
    connect_four = pytest.importorskip("pettingzoo.classic.connect_four_v3")
    players = {f"one-ply {noise}": one_ply(noise) for noise in (0, 0.2, 0.4, 0.6, 0.8)}
    players |= {f"random {number}": drawn for number in range(3)}
    players |= {f"leftmost {noise}": leftmost(noise) for noise in (0, 0.1, 0.3, 0.5)}
    game = contest(connect_four.env)
    assert game.name == "connect_four_v3"
    result = Competition(game, "round-robin", seed=1).evaluate(players)
    fitness = dict(zip(players, result.fitness.tolist(), strict=True))
    strong = [fitness[f"one-ply {noise}"] for noise in (0, 0.2, 0.4)]
    assert strong == sorted(strong, reverse=True)
    others = [score for name, score in fitness.items() if score not in strong]
    assert min(strong) > max(others)
    assert len(others) == 9
    assert strong[0] == len(players) - 1, "it beats every other player"


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")
def test_connect_four_is_the_game_of_pettingzoo():
    connect_four = pytest.importorskip("pettingzoo.classic.connect_four_v3")
    play = contest(connect_four.env).rules.contest.play
    for seed in range(6):
        environment = connect_four.env()
        environment.reset(seed=seed)
        streams = [generator(seed, "environment", 0, seat) for seat in range(2)]
        totals = dict.fromkeys(environment.possible_agents, 0)
        for agent in environment.agent_iter():
            shown, reward, is_over, is_cut, _ = environment.last()
            totals[agent] += reward
            rng = streams[environment.possible_agents.index(agent)]
            legal = np.flatnonzero(shown["action_mask"])
            environment.step(None if is_over or is_cut else int(rng.choice(legal)))
        assert play([drawn, drawn], seed) == [*totals.values()]
        assert sum(totals.values()) == 0


def pursuer(observation, legal, rng):
    """A player of simple_tag that moves towards the first other agent."""
    right, up = observation[8:10]
    return (2 if right > 0 else 1) if abs(right) > abs(up) else (4 if up > 0 else 3)


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["env", "parallel_env"])
def test_four_agents_of_simple_tag_score_as_in_its_own_loop(kind):
    tag = pytest.importorskip("mpe2.simple_tag_v3")
    make = getattr(tag, kind)
    game = contest(lambda: make(max_cycles=40))
    environment = tag.parallel_env(max_cycles=40)
    observations, _ = environment.reset(seed=4)
    agents = environment.possible_agents
    streams = [generator(4, "environment", 0, seat) for seat in range(4)]
    players, totals = [pursuer, drawn, lowest, drawn], dict.fromkeys(agents, 0.0)
    while environment.agents:
        actions = {
            agent: int(player(observations[agent], np.arange(5), rng))
            for agent, player, rng in zip(agents, players, streams, strict=True)
        }
        observations, rewards, *_ = environment.step(actions)
        totals = {agent: total + rewards[agent] for agent, total in totals.items()}
    assert game.rules.contest.play(players, 4) == pytest.approx([*totals.values()])
    assert len({*totals.values()}) == 2, "the agents were caught, or the test shows nothing"
    results = []
    for threads in (1, 4):
        with closing(LocalEvaluator(threads)) as evaluator:
            competition = Competition(game, seed=1, evaluator=evaluator)
            results.append(competition.evaluate([pursuer, pursuer, drawn, lowest, highest]))
    assert results[0].matches.equals(results[1].matches)


def test_vectors_are_refused_as_players_of_an_environment(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arena.py").write_text(
        "class Climb:\n    possible_agents = 'a', 'b'\n    metadata = {}\n"
    )
    flags = ["--scheme", "round-robin", "--set", "genome.length=2"]
    assert main(["run", "--game", "./arena.py:Climb", *flags]) == 2
    said = capsys.readouterr().err
    assert "a function (observation, legal, rng) -> action is expected" in said
    assert not (tmp_path / "runs").exists()
