"""The study of islands: what is compared, how claims are judged, what is written."""

from __future__ import annotations

from typing import Any

import pytest

import evo
from evo.cli.main import main
from evo.config.config import from_dict
from evo.studies.claims import FAILS, HOLDS, UNDECIDED, judged, load_claims
from evo.studies.islands import study
from evo.studies.islands.plot import VIEWS, cells_figure
from evo.studies.islands.study import (
    CELLS,
    GAMES,
    ONE,
    REPORT,
    IslandsSettings,
    difference,
    experiment,
)
from evo.studies.report import Evidence
from evo.studies.settings import checked_settings
from results import open_run
from tournaments import games, players

RING_10 = "ring, every 10"


def rows(**of_ring: float) -> list[dict[str, Any]]:
    """Eight seeds, all cells alike but for a ring that has so much more of something."""
    return [
        {
            "game": game,
            "cell": cell,
            "seed": seed,
            "strength": 0.5,
            "together": 0.2,
        }
        | ({key: 0.5 + more for key, more in of_ring.items()} if cell == RING_10 else {})
        for game in GAMES
        for cell in CELLS
        for seed in range(8)
    ]


def verdicts(runs: list[dict[str, Any]]) -> list[str]:
    claims = load_claims(REPORT.package)
    return [row["verdict"] for row in judged(claims, Evidence({"runs": runs}))]


@pytest.mark.parametrize(("gain", "verdict"), [(0.1, HOLDS), (-0.1, FAILS), (0.0, FAILS)])
def test_a_claim_holds_where_the_interval_is_above(gain, verdict):
    assert verdicts(rows(strength=gain))[:4] == [verdict] * 4


def test_a_claim_is_undecided_where_seeds_disagree():
    mixed = rows(strength=0.1)
    for row in mixed:
        if row["cell"] == RING_10 and row["seed"] < 3:
            row["strength"] = 0.4
    assert verdicts(mixed)[0] == UNDECIDED
    interval = difference(Evidence({"runs": mixed}), "dots and boxes", RING_10, ONE, "strength")
    assert interval[:3] == pytest.approx((0.1, -0.1, 0.1))


def test_all_cells_have_the_same_games_and_as_many_individuals():
    settings = checked_settings(IslandsSettings(quick=True, population=48))
    for game in GAMES:
        cells = experiment(settings, game).cells
        configs = [cell.config(1) for cell in cells]
        assert {config.run.games for config in configs} == {10_000}
        assert len(configs) == len(CELLS)
        for config in configs:
            islands = config.islands.count if config.islands else 1
            assert config.run.population * islands == 48


def test_a_role_is_measured_in_its_own_seat():
    game = games.make("cat-and-mouse", rows=3, cols=4, cat_start="any", mouse_start="any")
    optimal, weak = players.make("optimal", game), players.make("random", game)
    strong = [study.share_in_seat(game, optimal, weak, seat, 200) for seat in (0, 1)]
    poor = [study.share_in_seat(game, weak, optimal, seat, 200) for seat in (0, 1)]
    assert strong[0] > 0.9
    assert all(more > less for more, less in zip(strong, poor, strict=True))


def test_diversities_are_those_of_the_run_and_of_all_islands_as_one(tmp_path):
    table = {"game": "dots-and-boxes:rows=1,cols=1", "population": 6, "generations": 2}
    for number, islands in enumerate((None, {"count": 3, "topology": "none"})):
        options = table if islands is None else table | {"islands": islands}
        path = evo.run(tmp_path / str(number), options, threads=1).path
        run = open_run(path)
        within, together = study.diversities(run, from_dict(run.config))
        last = run.generations[run.generations["generation"] == 2]
        assert within == pytest.approx(last["diversity"].mean())
        assert (together == pytest.approx(within)) == (islands is None)


def test_a_picture_has_a_panel_a_game_and_a_dot_a_run():
    for field in VIEWS:
        figure = cells_figure(rows(), field)
        assert [axes.get_title(loc="left") for axes in figure.axes] == list(GAMES)
        assert all(len(axes.lines) == 3 * len(CELLS) for axes in figure.axes)


def test_islands_that_do_not_divide_a_population_are_refused(capsys):
    assert main(["reproduce", "islands", "--population", "50", "--islands", "4"]) == 2
    assert "a population that is a multiple of islands" in capsys.readouterr().err
