"""The examples run, with few individuals, and give the same every time."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import pytest
from processes import ROOT

from benchmarks.structure import code_lines

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
NEEDS = {
    "cma_network": "cma",
    "neat_python": "neat",
    "neat_contest": "neat",
    "pettingzoo_league": "pettingzoo.classic",
}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_runs_and_gives_the_same_again(path, capsys):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 50
    assert code_lines(text) < 40
    if path.stem in NEEDS:
        pytest.importorskip(NEEDS[path.stem])
    main = runpy.run_path(str(path))["main"]
    printed = []
    for _ in range(2):
        main(4, 2)
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert [line.partition(":")[0] for line in printed[0].splitlines()] == [
        *("generation 0", "generation 1")
    ]


def test_there_is_an_example_of_each_kind():
    assert {path.stem for path in EXAMPLES} == {
        *("cma_network", "deap_gp", "mlp_function", "neat_python"),
        *("own_fitness", "two_populations", "arm_and_physics", "red_and_blue_programs"),
        *("openevolve_evaluator", "shinka_evaluator", "neat_contest", "pettingzoo_league"),
    }


def test_evaluators_write_what_the_others_read_and_their_archive_grows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    evaluators = {
        name: runpy.run_path(str(ROOT / "examples" / f"{name}.py"))
        for name in ("openevolve_evaluator", "shinka_evaluator")
    }
    programs = {"good": "def act(x): return x / 2", "bad": "def act(x): return 1 / 0"}
    programs["better"] = "def act(x): return 1 - x / 10"
    for name, text in programs.items():
        Path(f"{name}.py").write_text(text)
    evaluate = evaluators["openevolve_evaluator"]["evaluate"]
    assert evaluate("good.py")["metrics"] == {"combined_score": 0.5, "opponents": 1.0}
    failed = evaluate("bad.py")
    assert failed["metrics"]["combined_score"] < 0.5
    assert "ZeroDivisionError" in failed["artifacts"]["faults"]
    assert [file.read_text() for file in Path("archive").iterdir()] == [programs["good"]]
    write_results = evaluators["shinka_evaluator"]["write_results"]
    assert write_results("better.py", ".")["combined_score"] == 1.0
    assert json.loads(Path("correct.json").read_text()) == {"correct": True, "error": None}
    assert len([*Path("archive").iterdir()]) == 2
    metrics = write_results("good.py", ".")
    assert metrics["combined_score"] == 0.25  # half against itself, none against the better one
    assert "0001.py" in metrics["text_feedback"]


def test_the_page_of_the_library_says_what_works(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec("\n".join(blocks), {"__name__": "page"})
    assert len(blocks) == 9
    assert "2 of 2" in capsys.readouterr().out
    named = set(re.findall(r"\(\.\./examples/(\w+)\.py\)", page))
    assert named == {path.stem for path in EXAMPLES}
