"""The study of the dilemma: points against all, claims, the page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evo.evolution.runs import Interrupted, run
from evo.studies.claims import FAILS, HOLDS, UNDECIDED, judged, load_claims
from evo.studies.iterated_prisoners_dilemma import study
from evo.studies.iterated_prisoners_dilemma.study import REPORT, DilemmaSettings, dilemma
from evo.studies.report import Evidence
from results import open_run


def test_points_a_round_of_defectors_and_cooperators_are_the_payoffs():
    (table,) = [study.ranked(dilemma(DilemmaSettings(rounds=10), 0.0))]
    against = {row["player"]: row["against"] for row in table}
    assert against["always-defect"]["always-cooperate"] == 5.0
    assert against["always-cooperate"]["always-defect"] == 0.0
    assert against["tit-for-tat"]["always-defect"] == pytest.approx(9 / 10)
    assert against["grim"]["tit-for-tat"] == 3.0
    assert [row["points"] for row in table] == sorted(
        (row["points"] for row in table), reverse=True
    )


def test_claims_are_judged_by_the_points():
    settings = DilemmaSettings(rounds=200)
    tables = {str(noise): study.ranked(dilemma(settings, noise)) for noise in (0.0, 0.05)}
    evidence, claims = Evidence({"tables": tables}), load_claims(REPORT.package)
    assert [row["verdict"] for row in judged(claims, evidence)] == [FAILS] * 2 + [HOLDS] * 3
    first = next(row for row in tables["0.0"] if row["player"] == "tit-for-tat")
    tables["0.0"].remove(first)
    tables["0.0"].insert(0, first)
    first["against"]["joss"] = 9.0
    rows = judged(claims, evidence)
    assert [row["verdict"] for row in rows[:3]] == [HOLDS, FAILS, FAILS]
    assert rows[2]["found"] == "it has more points than joss"


def test_the_claim_about_axelrods_own_field_is_judged_by_its_rules(monkeypatch):
    rules = study.axelrods_field()
    assert len(rules) == 15
    assert {len(points) for points in rules.values()} == {20}
    others = {name: points for name, points in rules.items() if name != "tit-for-tat"}
    claim = load_claims(REPORT.package)[1]
    for more, verdict in ((30.0, HOLDS), (11.9, UNDECIDED), (0.0, FAILS)):
        field = {**others, "tit-for-tat": rules["tit-for-tat"] + more}
        monkeypatch.setattr(study, "axelrods_field", field.copy)
        assert claim.judge(None).verdict == verdict


def test_a_stopped_run_goes_on_to_its_end(tmp_path):
    settings = DilemmaSettings(rounds=5, generations=3, population=4, runs=str(tmp_path))
    study.compare_champion(replace(settings, runs=str(tmp_path / "whole")), 0.0, lambda line: None)
    options = open_run(tmp_path / "whole" / "noise-0.0").config
    with pytest.raises(Interrupted):
        run(tmp_path / "noise-0.0", options, threads=1, stop=lambda: True)
    study.compare_champion(settings, 0.0, lambda line: None)
    assert open_run(tmp_path / "noise-0.0").snapshots[-1] == 3
