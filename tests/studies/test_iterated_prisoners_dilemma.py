"""The study of the dilemma: points against all, claims, the page."""

from __future__ import annotations

import json

import pytest
from evo.studies.verdicts import FAILS, HOLDS, UNDECIDED, above

from evo.cli.main import main
from evo.evolution.runs import Interrupted, run
from evo.studies.iterated_prisoners_dilemma import report
from evo.studies.iterated_prisoners_dilemma.report import Settings
from results import open_run


def test_points_a_round_of_defectors_and_cooperators_are_the_payoffs():
    (table,) = [report._ranked(report._game(Settings(rounds=10), 0.0))]
    against = {row["player"]: row["against"] for row in table}
    assert against["always-defect"]["always-cooperate"] == 5.0
    assert against["always-cooperate"]["always-defect"] == 0.0
    assert against["tit-for-tat"]["always-defect"] == pytest.approx(9 / 10)
    assert against["grim"]["tit-for-tat"] == 3.0
    assert [row["points"] for row in table] == sorted(
        (row["points"] for row in table), reverse=True
    )


def test_claims_are_judged_by_the_points():
    settings = Settings(rounds=200)
    tables = {str(noise): report._ranked(report._game(settings, noise)) for noise in (0.0, 0.05)}
    record = {"tables": tables}
    assert [claim.verdict for claim in report._claims(record, settings)] == [
        *[FAILS] * 2,
        *[HOLDS] * 3,
    ]
    first = next(row for row in tables["0.0"] if row["player"] == "tit-for-tat")
    tables["0.0"].remove(first)
    tables["0.0"].insert(0, first)
    first["against"]["joss"] = 9.0
    claims = list(report._claims(record, settings))
    assert [claim.verdict for claim in claims[:3]] == [HOLDS, FAILS, FAILS]
    assert claims[2].found == "it has more than joss"


def test_the_claim_about_axelrods_own_field_is_judged_by_its_rules(monkeypatch):
    rules = report.field()
    assert len(rules) == 15
    assert {len(points) for points in rules.values()} == {20}
    others = {name: points for name, points in rules.items() if name != "tit-for-tat"}
    for more, verdict in ((30.0, HOLDS), (11.9, UNDECIDED), (0.0, FAILS)):
        field = {**others, "tit-for-tat": rules["tit-for-tat"] + more}
        monkeypatch.setattr(report, "field", field.copy)
        assert above(report._lead_in_his_field()[0]) == verdict


@pytest.mark.slow
def test_the_study_writes_its_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    short = ["--rounds", "20", "--generations", "2", "--population", "6", "--page", "docs/page.md"]
    assert main(["reproduce", "iterated-prisoners-dilemma", *short, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert all(1 <= row["rank"] <= 32 for row in record["evolved"])
    page = (tmp_path / "docs" / "page.md").read_text(encoding="utf-8")
    assert page.count("\n## ") == 4


def test_a_stopped_run_goes_on_to_its_end(tmp_path):
    settings = Settings(rounds=5, generations=3, population=4, runs=str(tmp_path))
    options = report._configuration(settings, report._game(settings, 0.0))
    with pytest.raises(Interrupted):
        run(tmp_path / "noise-0.0", options, threads=1, stop=lambda: True)
    report._evolved(settings, 0.0, lambda line: None)
    assert open_run(tmp_path / "noise-0.0").snapshots[-1] == 3
