"""The study of the tracker: agents, measurements, how claims are judged, what is written."""

from __future__ import annotations

import json

import numpy as np
import pytest

from evo.cli.main import main
from evo.studies.intervals import mean_interval
from evo.studies.tracking import teams
from evo.studies.tracking.claims import judge, judge_play, judge_teams
from evo.studies.tracking.pieces import (
    FULL,
    VARIANTS,
    Measured,
    Pieces,
    beliefs_of,
    case,
    measured,
    rows_of,
)
from evo.studies.tracking.play import OPPONENTS
from evo.studies.tracking.plot import betas_figure, pieces_figure, teams_figure
from evo.studies.tracking.study import betas_of
from evo.studies.tracking.walkers import WALKS
from evo.studies.verdicts import FAILS, HOLDS, IN_PART, UNDECIDED
from tournaments import games, players
from tournaments.games.capture_the_flag.board import NOISE, SIGHT
from tournaments.games.capture_the_flag.maze import maze_of
from tournaments.games.capture_the_flag.tracking.record import NOTHING
from tournaments.kernels.rng import Stream

ORDER = ("uniform model", "exploring model", "exploring model, noise", FULL, f"{FULL}, smoothed")


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
    assert [claim.verdict for claim in judge(table(rising))] == [verdict] * 6


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
    assert judge_play(won).verdict == HOLDS
    assert judge_play(won | {("random", FULL): [Measured(0.1, 3.0)] * 5}).verdict == IN_PART


def test_a_piece_that_helps_one_kind_of_agent_holds_in_part():
    mixed = table() | {("hungry", FULL): table()["hungry", "uniform model"]}
    verdicts = {claim.claim: claim.verdict for claim in judge(mixed)}
    assert verdicts["So does the range of sight"] == IN_PART


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
    blind = beliefs_of(one, Pieces(0.0, False, False), at_speed=False)
    deaf = one._replace(
        record=one.record._replace(
            noisy=np.full_like(one.record.noisy, NOTHING), seen=np.full_like(one.record.seen, -1)
        )
    )
    assert (blind == beliefs_of(deaf, Pieces(0.0, True, False), at_speed=False)).all()
    assert (blind != beliefs_of(one, VARIANTS[FULL], at_speed=False)).any()


def test_games_are_counted_for_the_first_team_on_either_side(monkeypatch):
    outcomes = np.array([[[5, 3], [5, 3]], [[2, 2], [0, 4]]], dtype=np.int16)
    monkeypatch.setattr(teams, "play_pairs", lambda entrants, pairs, seeds, games: outcomes)
    game = games.make("capture-the-flag", maze="small")
    team = players.make("random", game)
    win_rate, points, conceded = teams._play(game, team, team, 2, 1)
    assert win_rate == (1 + 0 + 0.5 + 1) / 4  # games 0 and 1 of both matches
    assert (points, conceded) == ((5 + 3 + 2 + 4) / 4, (3 + 5 + 2 + 0) / 4)


def test_evolution_is_in_a_maze_in_which_nobody_plays_afterwards():
    sizes = teams.Sizes(100, 10, 3, 40, 24, 3000, 1500)
    configs = [teams.configuration(sizes, 1, number) for number in range(3)]
    mazes = {config["game"].partition("maze=")[2].partition(",")[0] for config in configs}
    assert len(mazes) == 3
    assert min(map(int, mazes)) > sizes.mazes
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
    rows = [{"team": first, "against": second, **ends} for first, second in teams.PAIRS]
    judged = list(judge_teams(rows))
    assert [claim.verdict for claim in judged] == [verdict] * len(judged)
    assert len(teams_figure(rows).axes[0].get_yticks()) == len(teams.PAIRS)


def test_with_a_model_that_needs_no_visits_true_ones_change_nothing():
    one = case("hungry", 1, 0, 30)
    told = Pieces(0.0, True, True, knows=True)
    expected = beliefs_of(one, Pieces(0.0, True, True), at_speed=False)
    assert (beliefs_of(one, told, at_speed=False) == expected).all()
    exploring = beliefs_of(one, told._replace(beta=10.0), at_speed=False)
    assert (exploring != beliefs_of(one, VARIANTS[FULL], at_speed=False)).any()


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


def test_the_interval_of_a_mean():
    interval = mean_interval([1.0, 2.0, 3.0])
    assert interval.middle == 2.0
    assert interval.high - 2.0 == pytest.approx(1.959964 / np.sqrt(3))
    assert mean_interval([4.0]) == (4.0, 4.0, 4.0, 0.0)


@pytest.mark.slow
def test_a_quick_study_writes_its_page(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    quick = ["reproduce", "tracking", "--quick", "--json"]
    main([*quick, "--out", "out"])
    first = json.loads(capsys.readouterr().out)
    assert len(first["pieces"]) == len(WALKS) * len(VARIANTS)
    assert len(first["teams"]) == len(teams.PAIRS)
    assert all((tmp_path / "out" / name).exists() for name in ("frames.svg", "teams.svg"))
    main([*quick, "--page", "page.md", "--runs", "others"])
    second = json.loads(capsys.readouterr().out)
    for name in ("pieces", "betas", "play", "teams", "claims"):
        assert second[name] == first[name]
    page = (tmp_path / "page.md").read_text()
    assert all(row["claim"] in page and row["verdict"] in page for row in second["claims"])
    assert (tmp_path / "figures/tracking/frame.svg").exists()
