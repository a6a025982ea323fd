"""The study of 1998 from one end to the other, by the command line, with few games."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from evo.cli.main import main
from evo.evolution import runs
from evo.studies.dots_and_boxes_1998 import facts, study
from evo.studies.dots_and_boxes_1998.curves import POPULATIONS
from evo.studies.dots_and_boxes_1998.plot import figure_name
from evo.studies.dots_and_boxes_1998.study import (
    NAME,
    DotsAndBoxes1998Settings,
    experiment_of,
)
from evo.studies.settings import checked_settings
from evo.sweeps.experiment import load_experiment
from results import open_runs
from results.read.sweep import ReadOnce
from tournaments import games, players

CALL = "reproduce dots-and-boxes-1998 --quick --seeds 2 --games 3000 --threads 1 --no-supervised"


@pytest.fixture(scope="module")
def small() -> Iterator[None]:
    """Populations of 10 that are measured by few games."""
    load = study.load_experiment

    def loaded(name: str, changes: dict | None = None, quick: bool = False):
        given = {**(changes or {}), "evaluation": {"games": 20, "again": 40}}
        base = {**given.get("base", {}), "population": 10}
        return load(name, {**given, "base": base}, quick)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "load_experiment", loaded)
        patch.setattr(facts, "PLAYED", 200)
        yield


@pytest.fixture(scope="module")
def done(small, tmp_path_factory) -> Path:
    """The folder in which the study was made, with its page."""
    folder = tmp_path_factory.mktemp("study")
    call = [*CALL.split(), "--out", f"{folder}/out", "--runs", f"{folder}/runs"]
    assert main([*call, "--page", f"{folder}/docs/page.md"]) == 0
    return folder


@pytest.mark.study
def test_the_study_keeps_its_numbers_its_figures_and_its_page(done):
    record = json.loads((done / "out" / "result.json").read_text())
    assert (record["seeds"], record["games"] > 2500) == (2, True)
    claims = pd.read_parquet(done / "out" / "claims.parquet")
    assert claims["verdict"].tolist() == [row["verdict"] for row in record["claims"]]
    best = pd.read_parquet(done / "out" / "best.parquet")
    assert set(best["variant"]) == set(POPULATIONS)
    assert best["again"].notna().all()
    names = [f"figure-{number}.{kind}" for number in (3, 4) for kind in ("png", "svg")]
    assert set(names) <= {path.name for path in (done / "out").iterdir()}
    for number in (3, 4):
        link = f"figures/dots-and-boxes-1998-figure-{number}.png"
        copied, drawn = done / "docs" / link, done / "out" / f"figure-{number}.png"
        assert copied.stat().st_size < drawn.stat().st_size
        pixels = [np.asarray(Image.open(path).convert("RGB"), float) for path in (copied, drawn)]
        assert np.abs(pixels[0] - pixels[1]).mean() < 1


def test_figures_are_named_after_the_paper_and_the_mutation_rate():
    names = [
        f"best-level-{one}-mutation_probability={rate}"
        for one in (0, 1)
        for rate in ("0-00072", "0-005")
    ]
    found = ["figure-3-rate-0-00072", "figure-3-rate-0-005", "figure-4-rate-0-00072"]
    assert [figure_name(name) for name in names] == [*found, "figure-4-rate-0-005"]


@pytest.mark.study
def test_what_a_claim_rests_on_is_in_the_runs(done):
    """The gain of round-robin, from the evaluations themselves."""
    runs_of = open_runs(done / "runs")
    rows = runs_of.evaluations.query("variant == 'round-robin' and opponent == 'level-0'")
    rows = rows[rows["games"] == 20]
    best = rows.groupby(["seed", "generation"])["win_rate"].max().unstack()
    played = runs_of.generations.query("variant == 'round-robin'")
    at = played.groupby("generation")["games_played"].first().loc[best.columns].to_numpy()
    claims = pd.read_parquet(done / "out" / "claims.parquet").set_index("claim")
    record = json.loads((done / "out" / "result.json").read_text())
    points = len(
        pd.read_parquet(done / "out" / "best.parquet").query(
            "variant == 'direct-level-0' and opponent == 'level-0' and seed == 1"
        )
    )
    grid = np.linspace(0, record["games"], points)
    curves = np.array([np.interp(grid, at, row) for row in best.to_numpy()])
    gains = curves[:, grid >= 0.75 * grid[-1]].mean(axis=1) - curves[:, 0]
    assert claims.loc["round-robin-slow", "value"] == pytest.approx(np.median(gains))


@pytest.mark.study
def test_runs_that_are_over_are_read_once(done):
    runs_of = open_runs(done / "runs")
    once = ReadOnce(runs_of.path, runs_of.description)
    pd.testing.assert_frame_equal(once.evaluations, runs_of.evaluations)
    pd.testing.assert_frame_equal(once.generations, runs_of.generations)
    assert once.evaluations is once.evaluations
    assert once.generations is once.generations


def test_a_stopped_study_says_so_and_ends_with_the_signal(small, tmp_path, monkeypatch, capsys):
    def stopped(*_arguments, **_more):
        raise runs.Interrupted(tmp_path, signal.SIGINT)

    monkeypatch.setattr("evo.studies.play.sweep", stopped)
    assert main([*CALL.split(), "--runs", str(tmp_path / "runs")]) == 128 + signal.SIGINT
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("stopped; run the same command again to go on\n")


@pytest.mark.study
def test_settings_reach_the_experiments(monkeypatch):
    monkeypatch.setattr(study, "load_experiment", load_experiment)

    def experiment(name: str = NAME, **options):
        return experiment_of(checked_settings(DotsAndBoxes1998Settings(**options)), name)

    usual = experiment()
    assert experiment(games=10_000).cells[0].table["snapshot_games"] == 2000
    assert (len(usual.cells), usual.seeds) == (8, tuple(range(1, 11)))
    assert usual.evaluation.games >= 300
    assert usual == load_experiment(NAME)
    quick = experiment(quick=True)
    assert (len(quick.cells), len(quick.seeds)) == (4, 3)
    given = {"seeds": 7, "games": 10_000_000, "seed": 5}
    more = experiment(**given)
    assert more.seeds == tuple(range(5, 12))
    assert {cell.config(5).run.games for cell in more.cells} == {10_000_000}
    before, after = (one.cells[0].config(5).to_dict() for one in (usual, more))
    # So runs are gone on with:
    assert {key for key in after if after[key] != before[key]} == {"games"}
    other = experiment(f"{NAME}-readings", **given)
    assert other.seeds == more.seeds[:5]
    assert {cell.variant.partition("--")[0] for cell in other.cells} == set(POPULATIONS)


def test_the_networks_of_section_3_6_are_looked_at_in_every_edge_set(monkeypatch):
    """On 2x2; the network with a layer more stands aside, its kernels take long to compile."""
    monkeypatch.setattr(facts, "PAIRS", tuple(p for p in facts.PAIRS if facts.TWO_LAYERS not in p))
    game = games.make("dots-and-boxes", rows=2, cols=2)
    monkeypatch.setattr(facts, "TWO_LAYERS", facts.LOOKAHEAD)
    made = {name: players.make(name, game) for pair in facts.PAIRS for name in pair}
    *_, completing, as_level_1, as_level_2 = facts._computed(made, 1)
    assert (completing, as_level_2) == (1.0, 1.0)
    assert 0.0 < as_level_1 < 1.0
