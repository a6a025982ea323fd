"""Direct evolution against several opponents, and by the points that a player scores."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evo
from evo.config import config as configuration
from evo.config.toml import as_toml
from evo.errors import ConfigError
from tests.test_evolution_strategy import snapshots
from tournaments import TournamentError, schemes
from tournaments.arena.outcomes import GameCounter, Played
from tournaments.schemes.scoring import ByScore

Scores = list[list[int]]
"""Of one match: the scores of both seats in each game."""


def plain_points(
    matches: Iterable[tuple[int, int, Scores]],
    individuals: int,
    worth: dict[int, float],
    a_box: int,
) -> list[float]:
    """What everybody earns, match after match; an entrant below 0 is a fixed opponent."""
    points = [0.0] * individuals
    for a, b, games in matches:
        side = 0 if b < 0 else 1
        won = 0
        for number, scores in enumerate(games):
            mine, other = scores if (number + side) % 2 == 0 else reversed(scores)
            won += mine > other
            points[max(a, b)] += a_box * mine
        points[max(a, b)] += worth[won]
    return points


def fitness_of(scheme: Any, sizes: tuple[int, ...], outcomes: np.ndarray, rng: Any) -> np.ndarray:
    """Raw fitness of a generation whose matches come in parts, in any order."""
    schedule = scheme.schedule(sizes, 1, 0)
    scoring, counter = scheme.scoring(schedule, sizes), GameCounter(sum(sizes))
    cuts = [0, *np.sort(rng.integers(0, len(schedule) + 1, 3)).tolist(), len(schedule)]
    for part in rng.permutation(4):
        first, last = cuts[part], cuts[part + 1]
        played = Played(first, schedule.pairs(first, last), outcomes[first:last])
        scoring.take(played, counter.take(played))
    return scoring.points()


@given(
    individuals=st.integers(1, 9),
    matches=st.integers(1, 4),
    panel=st.integers(1, 3),
    a_box=st.integers(0, 3),
    seed=st.integers(0, 2**32),
)
def test_points_are_those_of_plain_counting(individuals, matches, panel, a_box, seed):
    rng = np.random.default_rng(seed)
    names = [f"level-{number}" for number in range(panel)]
    scheme = schemes.make(
        "direct", opponents=names, matches=matches, two_wins=8.0, one_win=2.5, score=float(a_box)
    )
    schedule = scheme.schedule((individuals,), 1, 0)
    pairs = schedule.pairs(0, len(schedule)).tolist()
    expected = [
        [one, -1 - opponent]
        for one in range(individuals)
        for opponent in range(panel)
        for _ in range(matches)
    ]
    assert pairs == expected
    assert len(pairs) == scheme.num_matches((individuals,))
    assert scheme.panel == tuple(names)
    outcomes = rng.integers(0, 10, (len(pairs), 2, 2)).astype(np.int16)
    met = [(*pair, games) for pair, games in zip(pairs, outcomes.tolist(), strict=True)]
    worth = {0: 0.0, 1: 2.5, 2: 8.0}
    found = fitness_of(scheme, (individuals,), outcomes, rng)
    assert found.dtype == np.float64
    assert found.tolist() == plain_points(met, individuals, worth, a_box)


@given(sizes=st.tuples(st.integers(1, 5), st.integers(1, 5)), seed=st.integers(0, 2**32))
def test_each_role_earns_by_its_own_score(sizes, seed):
    rng = np.random.default_rng(seed)
    scheme = schemes.make("direct", opponent="random", matches=3, score=0.5)
    scheme.check(sizes)
    schedule = scheme.schedule(sizes, 1, 0)
    pairs = schedule.pairs(0, len(schedule)).tolist()
    outcomes = rng.integers(0, 10, (len(pairs), 1, 2)).astype(np.int16)
    met = [(*pair, (2 * games).tolist()) for pair, games in zip(pairs, outcomes, strict=True)]
    doubled = plain_points(met, sum(sizes), {0: 0.0, 1: 4.0}, 1)
    assert fitness_of(scheme, sizes, outcomes, rng).tolist() == [points / 4 for points in doubled]


def test_a_score_of_no_worth_leaves_the_study_as_it_is():
    scheme = schemes.make("direct", matches=1)
    outcomes = np.array([[[5, 4], [4, 5]], [[5, 4], [5, 4]]], dtype=np.int16)
    rng = np.random.default_rng(0)
    assert fitness_of(scheme, (2,), outcomes, rng).tolist() == [1.0, 0.5]
    worth = schemes.make("direct", matches=1, score=0.25)
    assert fitness_of(worth, (2,), outcomes, rng).tolist() == [1.0 + 2.5, 0.5 + 2.25]


def test_points_are_never_negative_though_a_game_counts_below_zero():
    scoring = ByScore(np.zeros(2, dtype=np.int64), 0.5)
    pairs = np.array([[0, -1], [1, -1]], dtype=np.int32)
    outcomes = np.array([[[-7, 0], [0, 3]], [[2, 0], [0, 5]]], dtype=np.int16)
    played = Played(0, pairs, outcomes)
    scoring.take(played, GameCounter(2).take(played))
    assert scoring.points().tolist() == [0.0, 3.5]


# --- configurations ----------------------------------------------------------------------------


def test_a_configuration_says_what_the_options_mean_and_comes_back_from_its_text():
    table = {"name": "direct", "opponents": ["level-0", "level-1"], "score": 1.0}
    config = configuration.from_dict({"scheme": table})
    text = as_toml(config)
    assert 'opponents = ["level-0", "level-1"]' in text
    assert "# several in its place" in text
    assert "# points for each point of its score in a game, such as a box" in text
    assert configuration.from_dict(tomllib.loads(text)).scheme == config.scheme
    assert [player.name for player in config.panel] == ["level-0", "level-1"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            {"game": "cat-and-mouse", "scheme": {"opponents": ["random", "greedy"]}},
            "scheme.opponents=['random', 'greedy'] given; where the seats have roles",
        ),
        ({"scheme": {"opponents": ["level-0", "level-7"]}}, "level-7"),
        (
            {"scheme": {"opponent": "level-2", "opponents": ["level-0", "level-1"]}},
            "scheme.opponent='level-2' and opponents=['level-0', 'level-1'] given",
        ),
        ({"scheme": {"opponents": "level-1"}}, "opponents='level-1' given; a list of texts"),
        ({"scheme": {"opponents": [1]}}, "opponents=[1] given; a list of texts"),
        ({"scheme": {"score": -1.0}}, "score=-1.0 given"),
        ({"scheme": {"matches": 10**9, "opponents": ["level-0", "level-1"]}}, "matches a genera"),
    ],
)
def test_a_mistake_is_refused_in_one_line(table: dict[str, Any], message: str):
    table["scheme"]["name"] = "direct"
    with pytest.raises((TournamentError, ConfigError)) as refusal:
        configuration.from_dict(table)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_one_opponent_in_a_list_is_that_opponent_for_roles_as_well():
    schemes.make("direct", opponents=["random"]).check((4, 4))


def test_a_run_against_two_opponents_by_score_goes_on_to_the_same_bytes(tmp_path: Path):
    scheme = {"name": "direct", "opponents": ["level-0", "level-1"], "matches": 3, "score": 1.0}
    options = {
        "game": "dots-and-boxes:rows=1,cols=2",
        "scheme": scheme | {"two_wins": 0.0, "one_win": 0.0},
        "population": 6,
        "snapshot_interval": 1,
    }
    run = evo.run(tmp_path / "whole", options, generations=4, threads=1)
    raw, games = run.population(4)["raw_fitness"], run.population(4)["games"]
    assert (games == 2 * 3 * 2).all()
    assert ((raw == raw.round()) & (raw <= 2 * games)).all()  # at most both boxes of each game
    assert raw.max() > 0
    evo.run(tmp_path / "parts", options, generations=2, threads=2)
    evo.resume(tmp_path / "parts", 4, threads=2)
    assert snapshots(tmp_path / "parts") == snapshots(tmp_path / "whole")
