"""Pages of runs that evolve programs: texts, changes, the mutator, and no program that is run."""

from __future__ import annotations

import hashlib
import json
import shutil

import pytest
from html_pages import data_of, rows_in, sections_in

import evo
import results
from evo.pages import blocks
from evo.pages.document import one_file

MARKUP = "</script><img src=x onerror=alert(1)>"
ARENA = """
import tournaments

def more(players, seed):
    open("was-run", "w").close()
    return [float(open(player).readline()) for player in players]

MORE = tournaments.contest(more)
DUEL = tournaments.contest(more, seats=("red", "blue"))
"""
MUTATOR = f"""
def change(request):
    number = request["seed"] % 1000
    if number % 4 == 0:
        raise ValueError("failure %d of {MARKUP}" % number)
    lines = request["parents"][0]["source"].splitlines()
    child = "\\n".join([str(float(lines[0]) + number / 1000), *lines[1:], "{MARKUP} / 2"])
    return {{"child": child, "note": "note {MARKUP}", "cost": 0.5}}
"""
SETTINGS = {
    "genome": {"encoding": "program", "files": ["first.txt"]},
    "learner": {"name": "program-search", "mutator": "./mutator.py:change", "pause": 0.0},
    "scheme": "round-robin",
    "population": 5,
    "lineage": True,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a run of one population, ``more``, and one of two populations, ``duel``."""
    folder = tmp_path_factory.mktemp("programs")
    (folder / "arena.py").write_text(ARENA)
    (folder / "mutator.py").write_text(MUTATOR)
    (folder / "first.txt").write_text("1.0\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        evo.run("more", {**SETTINGS, "game": "./arena.py:MORE"}, generations=30, threads=1)
        evo.run("duel", {**SETTINGS, "game": "./arena.py:DUEL"}, generations=3, threads=1)
    return folder


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "was-run").unlink(missing_ok=True)
    return folder


def test_texts_and_changes_are_shown_and_no_program_is_run(here):
    report = evo.report("more")
    assert not (here / "was-run").exists()
    text = report.path.read_text()
    assert "<img" not in text
    sections = sections_in(report.path)
    champion, words, *changes, command = sections["Programs"]
    run = results.open_run("more")
    best = run.champion()
    assert champion["code"] == best["source"]
    assert MARKUP in champion["code"]
    assert f"a file .txt: individual {best['individual']} (id {best['id']})" in champion["note"]
    line = run.lineage().query("is_first_line and diff != ''")
    assert len(line) > 20
    assert f"{len(line)}; the first {len(line) - 20} are left out" in words["paragraphs"][0]
    assert [each["code"] for each in changes] == line["diff"].tolist()[-20:]
    assert all(each["is_diff"] and each["note"].startswith("note <") for each in changes)
    assert command["command"] == "evo export more"
    population = sections["Population"]
    assert [each["kind"] for each in population] == ["table"]
    assert "source" not in dict(population[0]["columns"])


def test_sections_that_play_programs_say_that_they_are_not_trusted(here):
    nim = {"game": "nim", "learner": "program-search", "scheme": "round-robin"}
    evo.run("nim", nim, population=2, generations=0)
    sections = sections_in(evo.report("nim").path)
    for title in ("Games of the champion", "Verdicts", "Champions against champions"):
        (block,) = sections[title]
        assert block["paragraphs"][0].startswith("Not shown: nim holds programs")
    assert sections["Programs"][0]["code"].startswith("import json")
    assert "Mutator" not in sections


def test_the_mutator_has_numbers_failures_by_cause_and_a_curve_of_its_cost(here):
    facts, failures, words, curve = sections_in(evo.report("more", quick=True).path)["Mutator"]
    calls = results.open_run("more").mutations
    failed, children = calls.query("outcome == 'error'"), calls.query("outcome == 'child'")
    shown = dict(facts["rows"])
    assert shown["calls"] == f"{len(calls):,}"
    assert shown["children"] == f"{len(children):,}"
    assert shown["failures"] == f"{len(failed):,}"
    assert shown["cost"] == f"{len(children) / 2:,.4g}"
    assert "without an answer" not in shown
    rows = rows_in(failures)
    assert len(rows) == 20
    assert [row["calls"] for row in rows] == failed["what"].value_counts().tolist()[:20]
    assert words["paragraphs"] == [f"{failed['what'].nunique() - 20} rarer causes are left out."]
    costs = children.groupby("generation")["cost"].sum()
    assert (curve["lines"][0]["x"], curve["lines"][0]["y"]) == (list(costs.index), costs.tolist())


def test_each_population_has_its_champion(here):
    shown = sections_in(evo.report("duel", quick=True).path)["Programs"]
    run = results.open_run("duel")
    for role in ("red", "blue"):
        (block,) = (each for each in shown if each.get("title") == f"The champion of {role}")
        assert block["code"] == run.champion(population=role)["source"]


def test_of_islands_the_best_champion_of_each_role_is_shown(here):
    settings = {**SETTINGS, "game": "./arena.py:DUEL", "islands": {"count": 2, "every": 1}}
    run = evo.run("islands", settings, generations=3, threads=1)
    shown = sections_in(evo.report("islands", quick=True).path)["Programs"]
    for role in ("red", "blue"):
        (block,) = (each for each in shown if each.get("title") == f"The champion of {role}")
        champions = [run.champion(population=f"{role}-island-{n}") for n in (0, 1)]
        best = max(champions, key=lambda row: row["raw_fitness"])
        assert block["code"] == best["source"]
        assert f"of {best['population']} of generation 3, score" in block["note"]


def test_long_programs_are_cut_and_texts_are_not_changed():
    text = "\n".join(f"x = a /{number}" for number in range(1000))
    block = blocks.code("a", f"{text}\n")
    assert block["code"] == "\n".join(text.split("\n")[:400])
    assert "400 of 1,000 lines" in block["cut"]
    whole = blocks.code("a", "#!/usr/bin/env python\n\n'/'\n")
    assert (whole["code"], whole["cut"]) == ("#!/usr/bin/env python\n\n'/'", "")
    page = blocks.page("", "", [("Programs", [whole])])
    assert data_of(one_file(page))["sections"][0]["blocks"][0]["code"] == whole["code"]
    assert len(blocks.code("a", "x" * 10**6)["code"]) == 40_000


def test_a_record_of_another_form_is_a_problem_and_no_crash(here):
    shutil.copytree("duel", "strange")
    for content in ([1], {"generation": 1, "answers": [{"population": 3}]}):
        data = json.dumps(content).encode()
        digest = hashlib.sha256(data).hexdigest()[:16]
        (here / "strange" / "recording" / f"mutations-9-{digest}.json").write_bytes(data)
        report = evo.report("strange", quick=True)
        assert any("a record of another form" in problem for problem in report.problems)
    shutil.rmtree("strange/recording")
    shown = sections_in(evo.report("strange", quick=True).path)
    assert "recording of the run is missing" in shown["Programs"][1]["paragraphs"][0]
    assert "Mutator" not in shown


def test_a_browser_shows_texts_as_text(here, opened):
    page = opened(evo.report("more", quick=True).path.resolve())
    assert MARKUP in page.locator(".code pre").first.inner_text()
    assert page.locator("img").count() == 0
    assert page.locator(".code .added").count() >= 20
