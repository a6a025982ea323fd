"""``evo reproduce leaderboard``: the runs, what is measured of them, the page, the networks."""

from __future__ import annotations

import math
import re
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from processes import ROOT

import evo
import tournaments
from evo.cli import main as cli
from evo.cli.commands.config import configuration_of
from evo.cli.options import read
from evo.config import config as configuration
from evo.evaluation import players as opponents
from evo.requests.evolution import RunFlags
from evo.studies.leaderboard import study
from evo.studies.leaderboard.plot import leaders_figure
from evo.studies.leaderboard.study import ABOUT, REPORT, STUDY, LeaderboardSettings, command_of
from evo.sweeps.experiment import load_experiment
from results import open_run
from tournaments import games, players
from tournaments.errors import ConfigError

LONG, SHORT = "openai-es-symmetric-long", "genetic-direct-level-0"
FIRST = "openai-es-symmetric-8m"
"""The entry that the long one goes on from."""
SMALL = LeaderboardSettings(rows=2, cols=2, games=20, quick=1, threads=1, entries=f"{LONG}+{SHORT}")
NETWORKS = ROOT / "docs" / "studies" / "networks"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("leaderboard")
    settings = replace(
        SMALL, runs=str(folder / "runs"), page=str(folder / "page" / "leaderboard.md")
    )
    return settings, REPORT.reproduce(settings)


@pytest.mark.study
def test_the_rows_are_those_of_the_runs(made):
    settings, found = made
    rows = {row["entry"]: row for row in found.record["entries"]}
    seeds = {name: row["seeds"] for name, row in rows.items()}
    assert seeds == {LONG: 1, FIRST: 1, SHORT: 2}
    for seed in (1, 2):
        path = Path(settings.runs) / "two-million" / SHORT / f"seed-{seed}"
        run = open_run(path)
        (row,) = evo.evaluate(
            path, ["level-1"], 20, best=1, generations=run.snapshots[-1:], threads=1
        ).to_dict("records")
        assert row["individual"] == run.champion()["individual"]
        assert rows[SHORT]["level-1"]["seeds"][seed - 1] == row["win_rate"]
    medians = [row["level-1"]["median"] for row in found.record["entries"]]
    assert medians == sorted(medians, reverse=True)


@pytest.mark.study
def test_the_second_stage_goes_on_from_the_first_of_its_seed_and_counts_its_games(made):
    settings, found = made
    rows = {row["entry"]: row for row in found.record["entries"]}
    run = open_run(Path(settings.runs) / "second" / LONG / "seed-1")
    source = Path(run.config["start"].rpartition("@")[0])
    assert source == Path(settings.runs) / "first" / FIRST / "seed-1"
    assert run.champion(0)["genome"] == open_run(source).champion()["genome"]
    assert rows[LONG]["games"] == open_run(source).games_played + run.games_played


@pytest.mark.study
def test_exact_figures_are_those_of_evaluate_and_of_the_networks_kept(made):
    settings, found = made
    exact = found.record["exact"]
    assert [row["which"] for row in exact[:1]] == ["best"]
    top = found.record["entries"][0]["entry"]
    name, _, seed = exact[0]["network"].rpartition("-seed-")
    assert name == top
    (path,) = Path(settings.runs).glob(f"*/{name}/seed-{seed}")
    last = open_run(path).snapshots[-1:]
    row = evo.evaluate(path, ["level-2"], best=1, generations=last, exact=True, threads=1).iloc[0]
    assert exact[0]["level-2"] == row["win_rate"]
    for place, weights in found.arrays.items():
        kept = np.load(Path(settings.page).parent / "networks" / f"{place}.npy")
        assert np.array_equal(kept, weights)
        if place.endswith("-10-bits"):
            other = found.arrays[place.removesuffix("-10-bits")]
            assert np.abs(kept - other).max() <= 128 / 1023 / 2 + 1e-9


@pytest.mark.study
def test_the_page_has_a_row_an_entry_and_its_commands_make_the_runs(made):
    settings, found = made
    text = Path(settings.page).read_text()
    assert Path(settings.page).with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    for row in found.record["entries"]:
        share = f"{100 * row['level-1']['median']:.1f}%"
        (line,) = re.findall(rf"^\| `{row['entry']}` \|.*$", text, re.M)
        assert f"| {share} [" in line
        assert f"| {row['games']:,} | {row['seeds']} |" in line
    lines = [line for line in text.splitlines() if line.startswith("evo ")]
    for line in lines:
        cli.parser().parse_args(shlex.split(line)[1:])
    kept = [row for row in found.record["exact"] if row["kept"]]
    assert len(kept) >= 2
    assert len(lines) == 2 + len(kept) + len(found.record["entries"])


@pytest.mark.study
def test_the_same_again_evolves_nothing(made, monkeypatch):
    settings, found = made

    def refuse(*args, **kwargs):
        raise AssertionError("evolved again")

    monkeypatch.setattr("evo.evolution.loop.Archipelago.evolve", refuse)
    again = REPORT.reproduce(replace(settings, page="", exact=0))
    assert again.record["entries"] == found.record["entries"]
    assert again.record["exact"] == []


@pytest.mark.study
def test_runs_that_are_not_over_are_left_out_and_named(made):
    settings, _ = made
    more = replace(settings, quick=0, other_seeds=3, entries=SHORT, evolve=0, exact=0, long_seeds=0)
    with pytest.raises(ConfigError, match="evolve=0 given, but no run in"):
        REPORT.reproduce(replace(more, runs=f"{settings.runs}-nowhere"))
    (entry,) = study.ranked_entries(more, lambda line: None)
    assert (list(entry.paths), entry.missing) == ([1, 2], (3,))


@pytest.mark.parametrize("name", study.FILES.values())
def test_the_command_of_an_entry_has_its_configuration(name):
    for cell in load_experiment(name).cells:
        words = shlex.split(command_of(cell.table, 3, "runs/x"))
        options = cli.parser().parse_args(words[1:])
        given = configuration.from_dict(configuration_of(read(RunFlags, options)))
        assert given.to_dict() == cell.config(3).to_dict()


def test_what_the_page_says_of_entries_is_of_entries():
    names = {cell.name for cell in load_experiment("leaderboard").cells}
    assert set(ABOUT) <= names
    assert len(STUDY) == 4


def test_seeds_are_ordered_by_bars_then_by_level_1():
    rates = np.array([[[0.99, 0.6, 0.4, 0]], [[0.97, 0.9, 0.9, 0]], [[0.98, 0.51, 0.34, 0]]])
    paths = {seed: Path(str(seed)) for seed in (4, 5, 6)}
    entry = study.Entry(None, None, paths, (), False, np.array([1]), rates)
    assert entry.meets_bars.tolist() == [True, False, True]
    assert [entry.seed_at(share) for share in (0.0, 0.5, 1.0)] == [5, 6, 4]


def test_bars_are_met_at_once_or_not():
    enough = np.array([0.98, 0.501, 0.334, 0.0])
    assert study.meets_bars(enough)
    for place, less in enumerate((0.979, 0.5, 1 / 3)):
        assert not study.meets_bars(np.where(np.arange(4) == place, less, enough))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"games": 3}, "games=3 given; an even number"),
        ({"entries": "openai-es+sepcma"}, "unknown entry 'sepcma'"),
    ],
)
def test_settings_that_cannot_be_are_refused(wrong, message, tmp_path):
    with pytest.raises(ConfigError, match=message):
        REPORT.reproduce(LeaderboardSettings(runs=str(tmp_path / "runs"), **wrong))
    assert list(tmp_path.iterdir()) == []


def test_the_picture_has_a_line_an_entry_and_opponent():
    curves = {"entry": ["a", "a", "b"], "games": [10, 2000, 20], "level-0": [0.1, 0.3, 0.2]}
    (axes,) = leaders_figure(curves, ["b", "a"], ["level-0"]).axes
    assert [line.get_label() for line in axes.lines] == ["b", "a"]
    assert axes.lines[1].get_xydata().tolist() == [[10, 0.1], [2000, 0.3]]
    assert {"100", "1 k"} <= {label.get_text() for label in axes.get_xticklabels()}


@pytest.mark.parametrize("file", sorted(NETWORKS.glob("*.npy")), ids=lambda file: file.stem)
def test_the_networks_kept_play_as_well_as_the_page_says(file):
    """By games; the page's figures are exact, so an interval of five deviations holds them."""
    page = (NETWORKS.parent / "leaderboard.md").read_text()
    (line,) = re.findall(rf"^\| `{re.escape(file.stem)}` \| best.*% \| (?:yes|no) \|$", page, re.M)
    told = [float(share) / 100 for share in re.findall(r"([\d.]+)%", line)]
    game = games.make("dots-and-boxes")
    player = opponents.player(str(file), game)
    for place, name in enumerate(study.OPPONENTS[:2]):
        record = tournaments.play_matches(game, player, players.make(name, game), 500, seed=8)
        deviation = math.sqrt(max(told[place] * (1 - told[place]), 1e-3) / record.games)
        assert abs(record.win_rate - told[place]) < 5 * deviation


def test_networks_are_kept():
    assert len(list(NETWORKS.glob("*.npy"))) == 4
