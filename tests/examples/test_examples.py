"""The examples run, with few individuals, and give the same every time."""

from __future__ import annotations

import re
import runpy

import pytest
from processes import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
NEEDS = {"cma_network": "cma", "neat_python": "neat"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_runs_and_gives_the_same_again(path, capsys):
    assert len(path.read_text(encoding="utf-8").splitlines()) < 50
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
        *("own_fitness", "two_populations"),
    }


def test_the_page_of_the_library_says_what_works(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec("\n".join(blocks), {"__name__": "page"})
    assert len(blocks) == 9
    assert "2 of 2" in capsys.readouterr().out
    named = set(re.findall(r"\(\.\./examples/(\w+)\.py\)", page))
    assert named == {path.stem for path in EXAMPLES}
