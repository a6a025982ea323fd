"""The study of the tracker: agents, measurements, how claims are judged, what is written."""

from __future__ import annotations

import numpy as np
import pytest

from evo.studies import play
from evo.studies.claims import FAILS, HOLDS, IN_PART, UNDECIDED, judged, load_claims
from evo.studies.report import Evidence
from evo.studies.tracking import study
from evo.studies.tracking.pieces import (
    FULL,
    OPPONENTS,
    VARIANTS,
    Measured,
    Pieces,
    beliefs_of,
    case,
    measured,
    rows_of,
)
from evo.studies.tracking.plot import betas_figure, pieces_figure, teams_figure
from evo.studies.tracking.study import (
    PAIRS,
    REPORT,
    TrackingSettings,
    betas_of,
    configuration,
)
from evo.studies.tracking.walkers import WALKS
from tournaments.games.capture_the_flag.board import NOISE, SIGHT
from tournaments.games.capture_the_flag.maze import maze_of
from tournaments.games.capture_the_flag.tracking.record import NOTHING
from tournaments.kernels.rng import Stream

ORDER = ("uniform model", "exploring model", "exploring model, noise", FULL, f"{FULL}, smoothed")


def verdicts(evidence, claims=slice(None)):
    """Verdicts by claim."""
    chosen = load_claims(REPORT.package)[claims]
    return {row["claim"]: row["verdict"] for row in judged(chosen, evidence)}


TRACKER, GAMES, TEAMS = slice(6), slice(6, 7), slice(7, None)
"""The claims about the tracker, about games and about teams."""


def of_tables(**tables):
    return Evidence({}, tables)


def table(rising=True):
    """Measurements in which each piece gains, or costs, as much again."""
    ranks = {name: rank if rising else -rank for rank, name in enumerate(ORDER)}
    by_walk = dict.fromkeys(("exploring", "hungry"), ranks) | {
        "random": {name: -rank for name, rank in ranks.items()}
    }
    return {
        (walk, name): [Measured(0.5 + 0.1 * rank + 0.001 * maze, 9.0 - rank) for maze in range(5)]
        for walk, given in by_walk.items()
        for name, rank in given.items()
    }


@pytest.mark.parametrize(("rising", "verdict"), [(True, HOLDS), (False, FAILS)])
def test_claims_are_judged_by_gains_over_mazes(rising, verdict):
    found = verdicts(of_tables(pieces=table(rising)), TRACKER)
    assert list(found.values()) == [verdict] * 6


def test_the_claim_about_games_is_judged_over_all_opponents():
    better, worse = (
        [Measured(0.5 + 0.01 * maze, 1.0) for maze in range(5)],
        [Measured(0.4, 2.0)] * 5,
    )
    uniform = "uniform model, noise, sight"
    won = {
        (team, name): many
        for team in OPPONENTS
        for name, many in ((FULL, better), (uniform, worse))
    }
    mixed = won | {("random", FULL): [Measured(0.1, 3.0)] * 5}
    for measured_table, verdict in ((won, HOLDS), (mixed, IN_PART)):
        assert list(verdicts(of_tables(play=measured_table), GAMES).values()) == [verdict]


def test_a_piece_that_helps_one_kind_of_agent_holds_in_part():
    mixed = table() | {("hungry", FULL): table()["hungry", "uniform model"]}
    assert verdicts(of_tables(pieces=mixed), TRACKER)["So does the range of sight"] == IN_PART


@pytest.mark.parametrize("walk", WALKS)
def test_agents_go_by_legal_moves_and_are_observed_truly(walk):
    one = case(walk, 1, 0, 40)
    graph, watcher = one.graph, int(one.record.watchers[0, 0])
    for here, there in zip(one.way, one.way[1:], strict=False):
        assert here == there or there in graph.neighbours[here]
    apart = graph.distances(watcher)[one.way[1:]]
    assert (abs(apart - one.record.noisy[:, 0]) <= NOISE).all()
    assert (one.record.seen == np.where(apart <= SIGHT, one.way[1:], -1)).all()
    assert len(set((apart - one.record.noisy[:, 0]).tolist())) > NOISE


def test_a_hungry_agent_eats_the_nearest_dot_first():
    maze = maze_of("##########\n#1 . .  2#\n#3 . .  4#\n##########", "test")
    way = WALKS["hungry"](maze, maze.starts[1], 10, Stream(1))
    assert maze.columns[way[:6]].tolist() == [8, 7, 6, 5, 4, 3] or maze.rows[way[5]] == 2


def test_probability_and_error_are_of_the_true_square():
    one = case("random", 1, 0, 2)
    beliefs = np.zeros((2, one.graph.rows.size))
    beliefs[0, one.way[1]] = 1.0
    beliefs[1, [int(one.way[2]), int(one.record.watchers[0, 0])]] = 0.25, 0.75
    away = int(one.graph.distances(int(one.record.watchers[0, 0]))[one.way[2]])
    assert measured(one, beliefs) == Measured(0.625, away / 2)


def test_a_tracker_without_sight_and_hearing_knows_the_model_alone():
    one = case("hungry", 1, 0, 30)
    blind = beliefs_of(one, Pieces(0.0, False, False))
    deaf = one._replace(
        record=one.record._replace(
            noisy=np.full_like(one.record.noisy, NOTHING), seen=np.full_like(one.record.seen, -1)
        )
    )
    assert (blind == beliefs_of(deaf, Pieces(0.0, True, False))).all()
    assert (blind != beliefs_of(one, VARIANTS[FULL])).any()


def test_games_are_counted_for_the_first_team_on_either_side(monkeypatch):
    outcomes = np.array([[[5, 3], [5, 3]], [[2, 2], [0, 4]]], dtype=np.int16)
    monkeypatch.setattr(play, "play_pairs", lambda entrants, pairs, seeds, games: outcomes)
    settings = TrackingSettings(games=4)
    win_rate, points, conceded = study.meeting(settings, "random", "random", [], 0)
    assert win_rate == (1 + 0 + 0.5 + 1) / 4  # games 0 and 1 of both matches
    assert (points, conceded) == ((5 + 3 + 2 + 4) / 4, (3 + 5 + 2 + 0) / 4)


def test_evolution_is_in_a_maze_in_which_nobody_plays_afterwards():
    settings = TrackingSettings()
    configs = [configuration(settings, number) for number in range(3)]
    mazes = {config["game"].partition("maze=")[2].partition(",")[0] for config in configs}
    assert len(mazes) == 3
    assert min(map(int, mazes)) > settings.team_mazes
    assert len({config["seed"] for config in configs}) == 3


@pytest.mark.parametrize(
    ("rate", "verdict"),
    [
        ((0.7, 0.6, 0.8), HOLDS),
        ((0.6, 0.4, 0.8), UNDECIDED),
        ((0.48, 0.4, 0.6), UNDECIDED),
        ((0.4, 0.3, 0.45), FAILS),
    ],
)
def test_claims_about_teams_are_judged_by_games_won(rate, verdict):
    ends = dict(zip(("win_rate", "win_rate_low", "win_rate_high"), rate, strict=True))
    rows = [{"team": first, "against": second, **ends} for first, second in PAIRS]
    found = verdicts(Evidence({"teams": rows}), TEAMS)
    assert set(found.values()) == {verdict}
    assert len(teams_figure(rows).axes[0].get_yticks()) == len(PAIRS)


def test_with_a_model_that_needs_no_visits_true_ones_change_nothing():
    one = case("hungry", 1, 0, 30)
    told = Pieces(0.0, True, True, knows=True)
    expected = beliefs_of(one, Pieces(0.0, True, True))
    assert (beliefs_of(one, told) == expected).all()
    exploring = beliefs_of(one, told._replace(beta=10.0))
    assert (exploring != beliefs_of(one, VARIANTS[FULL])).any()


def test_the_pictures_have_a_panel_an_agent_and_a_panel_a_set_of_pieces():
    rows = list(rows_of(table()))
    assert len(pieces_figure(rows).axes) == len(WALKS)
    betas = [
        row | {"tracker": f"{pieces} {beta}"}
        for row in rows
        for pieces in ("model", "all")
        for beta in (0.0, 10.0)
    ]
    assert len(betas_figure(betas_of(betas)).axes) == 2
