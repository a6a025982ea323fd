"""``evo evaluate --exact`` and ``evo best-response``: computed rows beside those of games."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from run_checks import Counting

import evo
from evo.cli.main import main
from evo.evaluation.players import champion
from results import open_run
from results.plots.run import plot_run
from results.read.curves import REGRET_COLUMNS, champion_curve, regret_curve
from tournaments import players
from tournaments.errors import ConfigError, TournamentError
from tournaments.games.dots_and_boxes import edge_sets, exact_play
from tournaments.games.dots_and_boxes.edge_sets import Surveyed
from tournaments.games.dots_and_boxes.exact_play import meet
from tournaments.kernels import cache

OPPONENTS = ["level-1", "optimal"]
REFUSED = r"(24 edges|computes no meetings).*Leave exact out"


@pytest.fixture(scope="module")
def template(tmp_path_factory) -> Path:
    """Networks on a board of two boxes, where games can be drawn."""
    path = tmp_path_factory.mktemp("template") / "run"
    game = "dots-and-boxes:rows=1,cols=2"
    evo.run(path, game=game, scheme="round-robin", population=6, generations=12, seed=2, threads=1)
    return path


@pytest.fixture
def run_path(template, tmp_path) -> Path:
    """A run with snapshots 0, 10 and 12, and no evaluations."""
    return Path(shutil.copytree(template, tmp_path / "run"))


def test_rows_hold_what_the_individual_makes_of_its_games(run_path):
    counting = Counting()
    frame = evo.evaluate(run_path, OPPONENTS, best=1, exact=True, evaluator=counting)
    assert counting.calls == 0
    assert list(zip(frame["generation"], frame["opponent"], strict=True)) == [
        (generation, opponent) for generation in (0, 10, 12) for opponent in OPPONENTS
    ]
    for row in frame.to_dict("records"):
        one = champion(run_path, generation=row["generation"])
        found = meet(one, players.make(row["opponent"], one.game))
        assert [row[name] for name in ("games", "wins", "draws", "losses")] == [0, 0, 0, 0]
        assert {row["win_rate"], row["win_rate_low"], row["win_rate_high"]} == {found.win_rate}
        assert [row["win_rate_first"], row["win_rate_second"]] == found.wins.tolist()
        assert [row["margin_first"], row["margin_second"]] == found.margins.tolist()
        for name in ("draw_rate", "margin", "regret", "optimal_share"):
            assert row[name] == getattr(found, name)
    assert (frame["draw_rate"] > 0).any()
    assert frame["exploitability"].isna().all()
    assert len(open_run(run_path).evaluations) == 6


@pytest.mark.slow
def test_nothing_is_computed_twice(run_path, monkeypatch):
    asked = {"opponents": OPPONENTS, "best": 2, "exact": True}
    first = evo.evaluate(run_path, **asked)
    evo.evaluate(run_path, OPPONENTS, 10, best=2, threads=1)

    def again(*arguments: object):
        raise AssertionError("computed twice")

    monkeypatch.setattr(exact_play, "meet", again)
    assert evo.evaluate(run_path, **asked).equals(first)
    for file in (run_path / "evaluations").iterdir():
        file.unlink()
    rows = evo.evaluate(run_path, **asked)  # from the cache folder
    assert rows.drop(columns="evaluate_seconds").equals(first.drop(columns="evaluate_seconds"))


def test_what_an_individual_does_is_asked_for_once(run_path, monkeypatch, tmp_path):
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path / "cache")
    survey, asked = edge_sets.survey, []

    def counted(player, threads):
        if not isinstance(player, Surveyed):
            asked.append(player.name)
        return survey(player, threads)

    monkeypatch.setattr(edge_sets, "survey", counted)
    monkeypatch.setattr(edge_sets, "_newest", {})
    said: list[str] = []
    evo.evaluate(
        run_path, OPPONENTS, best=2, generations=[0], exact=True, threads=1, announce=said.append
    )
    individuals = [name for name in asked if name.startswith("individual")]
    assert sorted(asked) == sorted([*OPPONENTS, *individuals])
    assert len(individuals) == len(set(individuals)) == 2
    assert len(said) == 4


def test_a_rate_that_was_computed_takes_the_place_of_games(run_path):
    evo.evaluate(run_path, ["level-0", "level-1"], 10, threads=1)
    played = champion_curve(open_run(run_path))
    evo.evaluate(run_path, ["level-1"], best=1, exact=True)
    run = open_run(run_path)
    curve = champion_curve(run)
    assert len(curve) == len(played)
    others = curve["opponent"] == "level-0"
    assert curve[others].equals(played[others])
    computed = run.evaluations[run.evaluations["games"] == 0].sort_values("generation")
    assert curve[~others]["win_rate"].tolist() == computed["win_rate"].tolist()
    assert (curve[~others]["low"] == curve[~others]["high"]).all()
    assert (curve[~others]["games"] == 0).all()
    assert not curve.duplicated(["generation", "opponent"]).any()


@pytest.mark.slow
def test_regret_makes_a_curve_and_pictures(run_path):
    evo.evaluate(run_path, ["level-1"], 10, best=1, threads=1)
    assert regret_curve(open_run(run_path)).empty
    frame = evo.evaluate(run_path, OPPONENTS, best=None, exact=True)
    run = open_run(run_path)
    curve = regret_curve(run)
    assert tuple(curve.columns) == REGRET_COLUMNS
    assert curve["opponent"].tolist() == ["level-1"] * 3 + ["optimal"] * 3
    assert curve["generation"].tolist() == [0, 10, 12] * 2
    rows = frame.set_index(["generation", "individual", "opponent"])
    for row in curve.to_dict("records"):
        assert row["individual"] == run.champion(row["generation"])["individual"]
        there = rows.loc[(row["generation"], row["individual"], row["opponent"])]
        assert [row["regret"], row["optimal_share"]] == there[["regret", "optimal_share"]].tolist()
    stems = dict.fromkeys(path.stem for path in plot_run(run))
    assert list(stems) == [
        *["win-rate", "win-rate-by-seat", "regret", "optimal-moves", "fitness", "diversity"]
    ]


def test_a_champion_of_another_run_is_an_opponent(run_path, template):
    (row,) = evo.evaluate(
        run_path, [f"{template}@0"], best=1, generations=[12], exact=True
    ).to_dict("records")
    found = meet(champion(run_path), champion(template, generation=0))
    assert (row["opponent"], row["win_rate"]) == (f"{template}@0", found.win_rate)


def test_proofs_come_with_perfect_play(run_path):
    frame = evo.best_response(run_path, every=2)
    assert frame["opponent"].tolist() == ["best-response", "optimal"] * 2
    met, proved = frame[frame["opponent"] == "optimal"], frame[frame["opponent"] != "optimal"]
    assert met["exploitability"].isna().all()
    assert proved["regret"].isna().all()
    # Nobody guarantees itself more than it makes of perfect play.
    assert (proved["exploitability"].to_numpy() >= -met["margin"].to_numpy() - 1e-12).all()
    again = evo.evaluate(run_path, ["optimal"], best=1, every=2, exact=True)
    assert again.equals(met.reset_index(drop=True))


# --- on the command line -------------------------------------------------------------------------


def test_the_command_measures_the_champions(run_path, capsys):
    command = ["evaluate", str(run_path), "--exact", "--opponents", *OPPONENTS]
    assert main(command) == 0
    out = capsys.readouterr().out
    header, *lines = out.splitlines()[2:9]
    assert header.split()[2:] == list(exact_columns())
    assert len(lines) == 6
    assert main([*command, "--json"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == 6
    assert all(row["regret"] > 0 and row["exploitability"] is None for row in rows)
    assert main(["best-response", str(run_path)]) == 0
    out = capsys.readouterr().out
    assert f"it wins {rows[-1]['win_rate']:.3%} of its games against optimal" in out
    assert "it can be exploited by" in out


def exact_columns() -> list[str]:
    from evo.cli.console import EXACT_COLUMNS

    return list(EXACT_COLUMNS)


def test_it_takes_no_ray(run_path, capsys):
    assert main(["evaluate", str(run_path), "--exact", "--ray"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_it_takes_no_number_of_games(run_path, capsys):
    assert main(["evaluate", str(run_path), "--exact", "--games", "300"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("evo: --games 300 given with exact results")
    assert said.count("\n") == 1


# --- what cannot be computed ---------------------------------------------------------------------


@pytest.mark.parametrize("game", ["cat-and-mouse:rows=3,cols=3", "dots-and-boxes:rows=4,cols=4"])
def test_games_that_cannot_be_computed_are_refused(game, tmp_path):
    evo.run(
        tmp_path / "run", game=game, scheme="round-robin", population=4, generations=1, threads=1
    )
    with pytest.raises(ConfigError, match=REFUSED):
        evo.evaluate(tmp_path / "run", exact=True)
    assert not (tmp_path / "run" / "evaluations").exists() or not len(
        open_run(tmp_path / "run").evaluations.query("games == 0")
    )


def test_other_kinds_of_opponents_are_refused(run_path, monkeypatch):
    from dataclasses import replace

    from tournaments.games.dots_and_boxes import players as levels

    silent = replace(levels.LEVEL_2, candidates=None)
    named = evo.evaluation.evaluate.naming.named

    def made(name, game, trust=False):
        spec, player = named(name, game)
        return spec, replace(player, kind=silent)

    monkeypatch.setattr(evo.evaluation.evaluate.naming, "named", made)
    with pytest.raises(TournamentError, match="does not list the actions that it draws from"):
        evo.evaluate(run_path, ["level-2"], exact=True)
    assert open_run(run_path).evaluations.empty


def test_no_threads_are_refused(run_path):
    with pytest.raises(ConfigError, match="threads=0 given"):
        evo.evaluate(run_path, ["level-1"], exact=True, threads=0)


def test_numbers_of_a_proof_add_up(run_path):
    (row,) = evo.evaluate(run_path, ["optimal"], best=1, generations=[12], exact=True).to_dict(
        "records"
    )
    assert row["margin"] == np.mean([row["margin_first"], row["margin_second"]])
    assert row["win_rate"] == np.mean([row["win_rate_first"], row["win_rate_second"]])
