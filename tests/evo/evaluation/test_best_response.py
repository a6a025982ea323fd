"""``evo best-response``: exact rows beside played ones, against slow induction, and in words."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from naive.cat_and_mouse import Grid, plies_of_all
from naive.dots_and_boxes import DotsAndBoxes, Network, guaranteed_gains, levels_of_genome

import evo
from evo.cli.main import main
from evo.config import config as configuration
from evo.evaluation import exact
from evo.evaluation.exact import best_opponent
from evo.evaluation.players import individual
from evo.genomes.policy_table import PolicyTable
from results import ResultsError, open_run
from results.read.curves import best_of_each_snapshot, champion_curve, exploitability_curve
from tournaments import games
from tournaments.errors import ConfigError
from tournaments.game import Game
from tournaments.games.cat_and_mouse import best_response as caught
from tournaments.games.cat_and_mouse import solver as pursuit
from tournaments.games.dots_and_boxes import best_response as exploitability
from tournaments.kernels import cache
from tournaments.kernels.arithmetic import sigmoid
from tournaments.solver.exact import Proof

ROWS, COLS = 3, 4
GAME = f"cat-and-mouse:rows={ROWS},cols={COLS},end=move-limit"
OPTIONS = {"scheme": "round-robin", "population": 12, "generations": 12, "seed": 2, "threads": 1}
TIMES = ["evaluate_seconds"]


def evolved(path: Path, game: str, **options) -> Path:
    evo.run(path, options, game=game, **OPTIONS)
    return path


@pytest.fixture(scope="module")
def templates(tmp_path_factory) -> dict[str, Path]:
    """Two populations, pairs, drawn starts, and networks."""
    folder = tmp_path_factory.mktemp("templates")
    drawn = f"{GAME},cat_start=any,mouse_start=any"
    boxes = "dots-and-boxes:rows=1,cols=2"
    return {
        "roles": evolved(folder / "roles", GAME),
        "pairs": evolved(folder / "pairs", GAME, genome={"pairs": True}),
        "drawn": evolved(folder / "drawn", drawn),
        "boxes": evolved(folder / "boxes", boxes),
    }


@pytest.fixture
def run_of(templates, tmp_path):
    """A copy of a run, without evaluations."""
    return lambda name: Path(shutil.copytree(templates[name], tmp_path / name))


def slow_plies(policy: np.ndarray, seat: int) -> int | None:
    """Plies from the corners, the cat first, against a policy int8 [cells, cells]."""
    places = [(x, y) for y in range(ROWS) for x in range(COLS)]
    named = {
        (cat, mouse): policy[i, j]
        for i, cat in enumerate(places)
        for j, mouse in enumerate(places)
        if cat != mouse
    }
    both = (named, None) if seat == 0 else (None, named)
    return plies_of_all(Grid(ROWS, COLS), policies=both)[0, places[0], places[-1]]


ALLOWED = 2 * (2 * (ROWS + COLS)) - 1
"""Plies until the end of the cat's last turn."""


def expected_row(policies: dict[int, np.ndarray]) -> tuple[int, int, float, float]:
    """Games, wins, exploitability and plies of an individual with these policies."""
    plies = {seat: slow_plies(policy, seat) for seat, policy in policies.items()}
    caught = {seat: one is not None and one <= ALLOWED for seat, one in plies.items()}
    won = [caught[seat] == (seat == 0) for seat in plies]
    perfect = [seat == 0 for seat in plies]  # the cat wins, as 3 + 4 is odd
    lost = np.mean([2.0 * (best - own) for best, own in zip(perfect, won, strict=True)])
    first = plies[min(plies)]
    return len(plies), sum(won), float(lost), np.nan if first is None else float(first)


@pytest.mark.parametrize("name", ["roles", "drawn"])
def test_each_individual_of_a_role_gets_what_slow_induction_says(name, run_of):
    path = run_of(name)
    frame = evo.best_response(path, best=None, every=1)
    run = open_run(path)
    assert len(frame) == 3 * 2 * 12
    found = set()
    for row in frame.to_dict("records"):
        seat = ("cat", "mouse").index(row["population"])
        genes = run.policies(row["generation"], row["population"])[row["individual"]]
        expected = expected_row({seat: genes.reshape(12, 12)})
        got = (row["games"], row["wins"], row["exploitability"], row["plies"])
        np.testing.assert_equal(got, expected)
        assert row["wins"] + row["losses"] == row["games"]
        found.add(expected[:3])
    assert len(found) > 1  # the fixture has more than one answer
    opponent = {"roles": "best-response", "drawn": "best-response from corners"}[name]
    assert set(frame["opponent"]) == {opponent}


def test_a_pair_is_proved_in_both_seats(run_of):
    path = run_of("pairs")
    frame = evo.best_response(path, best=None)
    policies = open_run(path).policies().reshape(12, 2, 12, 12)
    for row, both in zip(frame.to_dict("records"), policies, strict=True):
        got = (row["games"], row["wins"], row["exploitability"], row["plies"])
        np.testing.assert_equal(got, expected_row(dict(enumerate(both))))
    assert set(frame["games"]) == {2}


def test_networks_are_proved_as_plain_recursion_does(run_of):
    path = run_of("boxes")
    frame = evo.best_response(path, best=3)
    population = open_run(path).population()
    layers = tuple(open_run(path).genome["layers"])
    weights = (layers[0] + 1) * layers[1] + (layers[1] + 1) * layers[2]
    proved = frame[frame["opponent"] == "best-response"]
    assert len(proved) == 3
    for row in proved.to_dict("records"):
        genome = population["genome"].iloc[row["individual"]]
        network = Network(levels_of_genome(genome, weights), layers)

        def moves(naive: DotsAndBoxes, network: Network = network) -> list[int]:
            inputs = [int(line in naive.drawn) for line in naive.lines]
            return network.moves(inputs, naive.legal(), sigmoid)

        expected = -sum(guaranteed_gains(1, 2, moves)) / 2
        assert row["exploitability"] == pytest.approx(float(expected), abs=1e-12)
        assert (row["games"], row["wins"], row["losses"]) == (0, 0, 0)
        assert np.isnan([row["plies"], row["win_rate"]]).all()


@pytest.mark.parametrize("name", ["roles", "boxes"])
def test_nothing_is_proved_twice(name, run_of, monkeypatch):
    path = run_of(name)
    first = evo.best_response(path, best=2)
    files = {file: file.read_bytes() for file in (path / "evaluations").iterdir()}

    def again(*arguments: object):
        raise AssertionError("proved twice")

    for computes in (caught, exploitability):
        monkeypatch.setattr(computes, "_proof", again)
    monkeypatch.setattr(exact.ComputedOpponent, "meeting", again)
    assert evo.best_response(path, best=2).equals(first)
    proved = first[first["opponent"] == "best-response"]
    assert evo.evaluate(path, ["best-response"], best=2, generations=[12]).equals(proved)
    assert {file: file.read_bytes() for file in (path / "evaluations").iterdir()} == files


def test_an_interruption_loses_one_network_alone(run_of, monkeypatch):
    path = run_of("boxes")
    prove, done = exploitability._proof, []

    def stopping(*arguments):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(arguments)
        return prove(*arguments)

    monkeypatch.setattr(exploitability, "_proof", stopping)
    with pytest.raises(KeyboardInterrupt):
        evo.best_response(path, best=4)
    assert len(open_run(path).evaluations) == 2


def test_what_a_network_is_guaranteed_is_kept(run_of, monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path / "cache")
    path = run_of("boxes")
    config = configuration.of_run(open_run(path))
    champion = open_run(path).champion()
    said: list[str] = []
    it = individual(config, config.populations[0], champion["genome"], "it")
    first = best_opponent(config, 1).proof(it, said.append)
    assert said == ["computing the best response to it"]
    again = best_opponent(config, 2).proof(it, said.append)
    assert again._replace(plies=0.0) == first._replace(plies=0.0)
    assert len(said) == 1
    made = config.populations[0].genome.representation
    found = exploitability.best_response(made.player(config.game, [champion["genome"]], "it"))
    assert first.exploitability == found.exploitability
    assert first.sentences == (str(found),)


# --- beside what was played ----------------------------------------------------------------------


def test_proofs_stand_beside_games(run_of):
    path = run_of("roles")
    both = evo.evaluate(path, ["best-response", "random"], 10, best=2, threads=1)
    assert (both["exploitability"].notna() == (both["opponent"] == "best-response")).all()
    assert set(both[both["opponent"] == "random"]["games"]) == {10}
    assert len(open_run(path).evaluations) == len(both) == 3 * 2 * 2 * 2


@pytest.mark.parametrize("name", ["roles", "drawn"])
def test_a_proof_is_no_sample_and_makes_a_curve(name, run_of):
    path = run_of(name)
    rows = evo.best_response(path, every=1)
    assert (rows["win_rate"] == rows["win_rate_low"]).all()
    assert (rows["win_rate"] == rows["win_rate_high"]).all()
    curve = champion_curve(open_run(path))
    assert (curve["win_rate"] == curve["low"]).all()
    assert (curve["win_rate"] == curve["high"]).all()
    curve = exploitability_curve(open_run(path))
    assert curve["generation"].tolist() == [0, 10, 12] * 2
    assert curve["population"].tolist() == ["cat"] * 3 + ["mouse"] * 3


def test_of_equal_win_rates_the_least_exploitable_is_the_best(run_of):
    rows = evo.best_response(run_of("boxes"), best=None)
    rows = rows[rows["opponent"] == "best-response"].copy()
    rows["exploitability"] = np.arange(len(rows), 0.0, -1.0)
    (best,) = best_of_each_snapshot(rows).to_dict("records")
    assert best["individual"] == len(rows) - 1


def test_the_newest_champions_are_proved_unless_others_are_asked_for(run_of):
    path = run_of("roles")
    assert set(evo.best_response(path)["generation"]) == {12}
    assert len(evo.best_response(path)) == 2
    assert set(evo.best_response(path, every=2)["generation"]) == {0, 12}
    assert set(evo.best_response(path, generations=[10, 0])["generation"]) == {0, 10}


# --- in words ------------------------------------------------------------------------------------


def proof_of(game: str, seat: str, policy: np.ndarray) -> Proof:
    """Of a policy int8 [cells, cells], as an individual of its role."""
    config = configuration.from_dict({"game": game})
    plan = config.plan(seat)
    assert isinstance(plan.genome, PolicyTable)
    genome = plan.genome.representation.from_outside(policy.reshape(1, -1)).tobytes()
    return best_opponent(config).proof(individual(config, plan, genome, "it"), print)


def optimal_policy(game: Game, seat: str) -> np.ndarray:
    plies = pursuit.plies_to_capture(game)
    return pursuit.best_actions(game, plies, game.seats.index(seat))[0]


def test_perfect_players_are_found_to_be_perfect():
    eight = games.parse("cat-and-mouse")
    cat = optimal_policy(eight, "cat")
    assert proof_of("cat-and-mouse", "cat", cat).sentences == (
        "this cat catches every mouse within 23 plies (perfect play: 23)",
    )
    drawn = "cat-and-mouse:cat_start=any,mouse_start=any"
    assert proof_of(drawn, "cat", cat) == proof_of("cat-and-mouse", "cat", cat)
    square = games.parse("cat-and-mouse:rows=8,cols=8")
    mouse = optimal_policy(square, "mouse")
    safe = proof_of("cat-and-mouse:rows=8,cols=8", "mouse", mouse)
    assert safe.sentences == ("no cat ever catches this mouse (perfect play: never)",)
    assert (safe.wins, safe.exploitability) == (1, 0.0)


def test_a_capture_that_comes_too_late_is_no_win():
    game = "cat-and-mouse:rows=4,cols=3,end=move-limit,limit=3"
    proof = proof_of(game, "cat", optimal_policy(games.parse(game), "cat"))
    assert (proof.wins, proof.exploitability, proof.plies) == (0, 0.0, 7.0)
    assert "within 7 plies, 5 being allowed" in proof.sentences[0]


def test_the_command_says_what_happens_to_each(run_of, capsys):
    for name, seats in {"roles": 2, "pairs": 2, "drawn": 2, "boxes": 2}.items():
        path = run_of(name)
        assert main(["best-response", str(path)]) == 0
        out = capsys.readouterr().out
        lines = [line for line in out.splitlines() if " of generation 12: " in line]
        assert len(lines) == seats
        assert ("from the corners" in out) == (name == "drawn")
        assert f"evo plot {path}" in out
        assert main(["best-response", str(path)]) == 0
        assert capsys.readouterr().out == out
        assert main(["best-response", str(path), "--json"]) == 0
        rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert len(rows) == (1 if name == "pairs" else 2)


# --- what cannot be proved -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ("cat-and-mouse:rows=3,cols=3,cats=2", "with one cat and one mouse"),
        ("dots-and-boxes:rows=4,cols=4", "up to 24 edges"),
        (
            "cat-and-mouse:rows=3,cols=4,obstacles=0:0,cat_start=any,mouse_start=any",
            "cannot be computed from the corners instead: .*an obstacle stands on 0:0",
        ),
    ],
)
def test_a_game_that_cannot_be_proved_is_refused_in_one_line(game, message):
    with pytest.raises(ConfigError, match=message) as refused:
        best_opponent(configuration.from_dict({"game": game}))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"best": 0}, ConfigError, "best=0 given"),
        ({"every": 0}, ConfigError, "every=0 given"),
        ({"generations": [5]}, ResultsError, "no snapshot of generation 5"),
        ({"threads": 0}, ConfigError, "threads=0 given"),
    ],
)
def test_wrong_arguments_are_refused(options, error, message, run_of):
    with pytest.raises(error, match=message):
        evo.best_response(run_of("roles"), **options)


def test_threads_change_no_row(run_of, tmp_path, monkeypatch):
    found = []
    for threads in (1, 3):
        folder = tmp_path / f"cache-{threads}"
        monkeypatch.setattr(cache, "cache_folder", lambda folder=folder: folder)
        path = run_of("boxes").rename(tmp_path / f"by-{threads}")
        found.append(evo.best_response(path, best=2, threads=threads).drop(columns=TIMES))
    assert found[0].equals(found[1])
