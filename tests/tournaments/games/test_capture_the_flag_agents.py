"""The agents of capture the flag: what they believe, what steps cost them, and where they go."""

from __future__ import annotations

import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive.capture_the_flag import NAMES, STEPS, TEAMS, Flag, Square, first
from naive.capture_the_flag_agents import best_ways, chase, costs, steps_from

from evo.cli.main import main
from tournaments import TournamentError, games, players
from tournaments.contract import check_player
from tournaments.game import Game, State
from tournaments.games.capture_the_flag.agents.memory import NAMES as NUMBERS
from tournaments.games.capture_the_flag.agents.memory import PIECES
from tournaments.games.capture_the_flag.board import (
    ACTIONS,
    FACING,
    HEARD,
    LAYOUTS,
    MOVER,
    PLACE,
    SENT,
    cells_of,
)
from tournaments.games.capture_the_flag.tracking.graph import graph_of_text
from tournaments.games.capture_the_flag.tracking.record import Observation
from tournaments.games.capture_the_flag.tracking.tracker import Tracker
from tournaments.kernels.hooks import HIDDEN
from tournaments.kernels.rng import Stream
from tournaments.players.vector import Vectors

LAYOUT = LAYOUTS["small"].strip("\n")
RING = """
################
#1     ##  .  2#
# #### ## #### #
# #  .       # #
# #### ## #### #
#3     ##     4#
################
"""


def small(moves: int = 60) -> Game:
    return games.make("capture-the-flag", maze="small", moves=moves)


class Team(NamedTuple):
    """A team at a seat, by its uncompiled kernels."""

    seat: int
    kernels: Any
    parameters: Vectors
    memory: Any

    def watch(self, state: State, action: int) -> None:
        view = state.view(self.seat)
        self.kernels[1](state.game.board, view.array, action, self.parameters, 0, self.memory)

    def choose(self, state: State, stream: Stream) -> int:
        view = state.view(self.seat)
        own = self.parameters, 0, self.memory
        with np.errstate(over="ignore"):
            return int(self.kernels[2](state.game.board, view.array, *own, stream.state))

    def beliefs(self, game: Game) -> dict[str, dict[Square, float]]:
        """By name of each enemy its belief on squares."""
        squares = [tuple(record) for record in cells_of(game.board)[:, 4:6].tolist()]
        enemies = [name for name in NAMES if TEAMS[name] != game.seats[self.seat]]
        return {
            enemy: {square: share for square, share in zip(squares, belief, strict=True) if share}
            for enemy, belief in zip(enemies, self.memory.belief.tolist(), strict=True)
        }


def seated(state: State, seat: int, numbers: np.ndarray | None = None, spec: str = "team") -> Team:
    """A team that sits down at a position; ``numbers`` may stand for those of its name."""
    player: Any = players.make(spec, state.game)
    parameters = player.parameters if numbers is None else Vectors(numbers[None], numbers[None])
    memory = player.kind.memory(state.game, parameters)
    team = Team(seat, player.kernels, parameters, memory)
    with np.errstate(over="ignore"):
        team.kernels[0](state.game.board, state.view(seat).array, parameters, 0, memory)
    return team


def play_on(state: State, teams: list[Team], stream: Stream, whims: int) -> int:
    """One move, of a team or (in ``whims`` of 10 moves) at random, which both teams watch."""
    mover = state.seat_to_move
    action = teams[mover].choose(state, stream)
    if stream.below(10) < whims:
        action = stream.choice(state.legal_actions())
    state.play(action)
    if not state.is_over:
        for team in teams:
            team.watch(state, action if team.seat == mover else HIDDEN)
    return action


def observation(state: State, seat: int, enemy: int) -> Observation:
    """What a seat observes of an enemy with a move."""
    view, own = state.view(seat).array, (seat, seat + 2)
    return Observation(
        watchers=tuple(int(view[PLACE + agent]) for agent in own),
        noisy=tuple(int(view[HEARD + 2 * agent + enemy // 2]) for agent in own),
        seen=int(view[PLACE + enemy]),
        moved=(int(view[MOVER]) + 3) % 4 == enemy,
        home=bool(int(view[SENT]) >> enemy & 1),
    )


@settings(max_examples=2, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_beliefs_are_those_of_a_tracker_of_each_enemy(seed):
    state, stream = small().start(seed), Stream(seed)
    teams = [seated(state, seat, spec="attackers:deeds=0,beta=3") for seat in (0, 1)]
    graph = graph_of_text(LAYOUT)
    trackers = {
        enemy: Tracker(graph, int(state.array[PLACE + enemy]), beta=3.0) for enemy in range(4)
    }
    while True:
        play_on(state, teams, stream, whims=3)
        if state.is_over:
            return
        for enemy, tracker in trackers.items():
            team = teams[1 - enemy % 2]
            seen = observation(state, team.seat, enemy)
            tracker.observe(seen)
            belief = team.memory.belief[enemy // 2]
            np.testing.assert_allclose(belief, tracker.belief, atol=1e-12)


@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_true_cell_is_always_possible_and_deeds_betray_it(seed):
    state, stream = small().start(seed), Stream(seed)
    teams = [seated(state, seat, spec="attackers") for seat in (0, 1)]
    while not state.is_over:
        before, mover = state.scores, int(state.array[MOVER])
        play_on(state, teams, stream, whims=5)
        for enemy in range(4):
            belief = teams[1 - enemy % 2].memory.belief[enemy // 2]
            if not state.is_over:
                assert belief[state.array[PLACE + enemy]] > 0.0
                assert abs(belief.sum() - 1.0) < 1e-9
        if state.scores != before and not state.is_over:
            belief = teams[1 - mover % 2].memory.belief[mover // 2]
            assert belief[state.array[PLACE + mover]] == 1.0


def expected_ways(state: State, team: Team, numbers: dict[str, float]) -> set[str]:
    """By the slow rules: the ways that the agent to move may go."""
    game, flag = state.game, naive_of(state)
    name = NAMES[state.array[MOVER]]
    here, own = flag.places[name], TEAMS[name]
    beliefs = team.beliefs(game)
    attacks = numbers[f"role-{name[-1]}"] > 0
    cost = costs(flag, name, attacks, beliefs, numbers)
    if attacks:
        targets = {dot for dot in flag.dots if flag.home(dot) != own}
        return best_ways(flag, here, targets, ruled(cost, numbers))
    modes = {enemy: max(belief, key=belief.__getitem__) for enemy, belief in beliefs.items()}
    away = steps_from(flag, here)

    def order(enemy: str) -> tuple[bool, int]:
        return flag.home(modes[enemy]) != own, away[modes[enemy]]

    enemy = min(modes, key=order)
    square = modes[enemy]
    if flag.home(square) != own:
        steps = steps_from(flag, square)
        square = min(
            (s for s in steps if flag.home(s) == own), key=lambda s: (steps[s], s[1], s[0])
        )
        return best_ways(flag, here, {square}, ruled(cost, numbers))
    behind = None
    if enemy in flag.seen(own):
        facing = ACTIONS[state.array[FACING + NAMES.index(enemy)]]
        behind = chase(flag, cost, square, facing, numbers)
    dear = (behind, square if behind else None, max(numbers["behind"], 0.0))
    return best_ways(flag, here, {square}, ruled(cost, numbers), dear)


def ruled(cost: dict[Square, float], numbers: dict[str, float]) -> dict[Square, float]:
    """Costs, or by hard rules 1 and, of forbidden squares, 1000."""
    if numbers.get("soft", 1.0) > 0:
        return cost
    return {square: 1000.0 if number >= 3.0 else 1.0 for square, number in cost.items()}


def naive_of(state: State) -> Flag:
    """The slow rules' position of the small maze."""
    board = str(state).split("\n\n")[0].split("\n")
    squares = [tuple(record) for record in cells_of(state.game.board)[:, 4:6].tolist()]
    places = {name: squares[state.array[PLACE + agent]] for agent, name in enumerate(NAMES)}
    dots = {(x, y) for y, line in enumerate(board) for x, at in enumerate(line) if at in ".AXBY"}
    start = first(LAYOUT, 60)
    return Flag(start.lines, places, frozenset(dots), start.points, 0, 60)


@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_steps_are_on_cheapest_ways_by_slow_costs(seed):
    rng = np.random.default_rng(seed)
    numbers = np.round(rng.normal(0.0, 3.0, len(NUMBERS)), 3)
    numbers[-1] = 0.0  # no whims
    named = dict(zip(NUMBERS, numbers.tolist(), strict=True))
    state, stream = small().start(seed), Stream(seed)
    teams = [seated(state, seat, numbers) for seat in (0, 1)]
    while not state.is_over:
        team = teams[state.seat_to_move]
        chosen = ACTIONS[team.choose(state, Stream(seed))]
        assert chosen in expected_ways(state, team, named)
        play_on(state, teams, stream, whims=4)


def test_hard_rules_forbid_what_costs_much_and_take_the_first_of_equal_steps():
    rules = {
        "ghost": 8.0,
        "ghost-fade": 0.5,
        "role-1": 1.0,
        "role-2": -1.0,
        "behind": 4.0,
        "soft": 0,
    }
    named = {**dict.fromkeys((*NUMBERS, *PIECES), 1.0), "whim": 0.0, **rules}
    numbers, differing = np.array(list(named.values())), 0
    for seed in range(3):
        state, stream = small().start(seed), Stream(seed)
        teams = [seated(state, 0, numbers), seated(state, 1)]
        while not state.is_over:
            if state.seat_to_move == 0:
                ways = expected_ways(state, teams[0], named)
                chosen = teams[0].choose(state, Stream(stream.draw()))
                assert chosen == min(ACTIONS.index(way) for way in ways)
                differing += ways != expected_ways(state, teams[0], named | {"soft": 1.0})
            play_on(state, teams, stream, whims=2)
    assert differing > 3


def test_chases_are_on_cheapest_ways_by_slow_costs():
    chases = 0
    for seed in range(3):
        named = {
            **dict.fromkeys(NUMBERS, 0.0),
            "role-1": -1.0,
            "role-2": -1.0,
            "friend": 1.0,
            "friend-fade": 0.4,
            "pac-man-fade": 0.2,
            "behind": 8.0,
            "ahead": 0.5 + seed / 10,
        }
        numbers = np.array(list(named.values()))
        state, stream = small().start(seed), Stream(seed)
        teams = [seated(state, 0, numbers), seated(state, 1, spec="attackers:ghost=0")]
        while not state.is_over:
            if state.seat_to_move == 0:
                chosen = ACTIONS[teams[0].choose(state, Stream(seed))]
                assert chosen in expected_ways(state, teams[0], named)
                flag = naive_of(state)
                seen = flag.seen("red") & {"blue 1", "blue 2"}
                chases += any(flag.home(flag.places[name]) == "red" for name in seen)
            play_on(state, teams, stream, whims=1)
    assert chases > 10


@pytest.mark.parametrize(("spec", "way"), [("defenders", "east"), ("defenders:heading=0", "west")])
def test_a_defender_right_behind_a_pac_man_goes_around_it(tmp_path, spec, way):
    file = tmp_path / "ring.txt"
    file.write_text(RING, encoding="utf-8")
    game = games.make("capture-the-flag", maze=str(file))
    state = game.start()
    text = str(state).replace("#a     ##  .  x#", "#  x a ##  .   #")
    text = text.replace("red 1 at 1:1", "red 1 at 5:1")
    state = game.parse(text.replace("blue 1 at 14:1 facing west", "blue 1 at 3:1 facing west"))
    chosen = seated(state, 0, spec=spec).choose(state, Stream(1))
    assert ACTIONS[chosen] == way


def test_defenders_stay_at_home_and_guard_the_way_in():
    state, stream = small().start(3), Stream(3)
    teams = [seated(state, 0, spec="defenders"), seated(state, 1, spec="attackers")]
    caught = 0
    while not state.is_over:
        play_on(state, teams, stream, whims=0)
        halves = cells_of(state.game.board)[state.array[[PLACE, PLACE + 2]], 7]
        assert not halves.any()
        caught += state.array[SENT] != 0
    assert caught > 0


def test_without_a_tracker_enemies_out_of_sight_are_nowhere():
    state, stream = small().start(4), Stream(4)
    teams = [seated(state, seat, spec="team:tracker=0") for seat in (0, 1)]
    hidden = 0
    for _ in range(30):
        play_on(state, teams, stream, whims=2)
        if state.is_over:
            break
        for enemy in range(4):
            team = teams[1 - enemy % 2]
            seen = int(state.view(team.seat).array[PLACE + enemy])
            sent = int(state.array[SENT]) >> enemy & 1
            expected = int(state.array[PLACE + enemy]) if sent else seen
            assert team.memory.estimate[enemy // 2] in (expected, state.array[PLACE + enemy])
            assert team.memory.belief[enemy // 2].sum() in (0.0, 1.0)
            hidden += expected < 0
    assert hidden > 0


def test_the_hungry_go_straight_for_the_nearest_dot():
    state, stream = small().start(1), Stream(1)
    hungry: Any = players.make("hungry", state.game)
    for _ in range(12):
        flag, name = naive_of(state), NAMES[state.array[MOVER]]
        steps = steps_from(flag, flag.places[name])
        food = [dot for dot in flag.dots if flag.home(dot) != TEAMS[name]]
        action = hungry.choose(state, stream)
        state.play(action)
        dx, dy = STEPS[ACTIONS[action]]
        end = flag.places[name][0] + dx, flag.places[name][1] + dy
        after = steps_from(flag, end)
        assert min(after[dot] for dot in food) == min(steps[dot] for dot in food) - 1


@pytest.mark.parametrize("option", ["bta=1", "beta=-1", "tracker=2", "heading=maybe"])
def test_options_that_a_team_does_not_take_are_refused_in_a_line(option):
    with pytest.raises(TournamentError, match="team: ") as refused:
        players.make(f"team:{option}", small())
    assert "\n" not in str(refused.value)


def test_a_team_is_named_by_what_is_unusual_and_arrives_whole_in_another_process():
    team: Any = players.make("attackers:beta=3.0,deeds=0", small())
    copy = pickle.loads(pickle.dumps(team))
    assert (team.name, copy.name) == ("attackers:beta=3.0,deeds=0",) * 2
    assert np.array_equal(copy.parameters.first, team.parameters.first)


@pytest.mark.slow  # compiles the teams
def test_teams_keep_the_contract():
    game = games.make("capture-the-flag", maze=2, width=14, height=7, dots=4, moves=60)
    for spec in ("team", "defenders:heading=0", "attackers:tracker=0", "hungry"):
        check_player(players.make(spec, game), game, games=4)


@pytest.mark.slow
def test_a_report_on_a_run_says_in_which_mazes_it_was_trained(tmp_path, capsys):
    small = "width=14,height=7,dots=4,moves=40"
    for number, (maze, where) in enumerate(
        [("", "the 64 mazes of which each game draws one"), ("maze=7,", "maze 7")]
    ):
        out = str(tmp_path / f"run-{number}")
        words = ["--game", f"capture-the-flag:{maze}{small}", "--scheme", "round-robin"]
        words += ["--population", "4", "--generations", "1", "--threads", "1", "--out", out]
        assert main(["run", *words]) == 0
        assert f"measured in {where}, in which it was trained" in capsys.readouterr().out
        assert main(["evaluate", out, "--best", "1", "--games", "2", "--threads", "1"]) == 0
        assert f"measured in {where}, in which it was trained" in capsys.readouterr().out
