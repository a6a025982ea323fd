"""The contract of every study: it runs small, goes on, and its claims and pages are well formed."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from evo.cli.main import main
from evo.studies import STUDIES
from evo.studies.claims import NOT_MEASURED, VERDICTS, load_claims, measured_value

SMALL = {
    "cat-trap": "--quick --size 5 --games 40 --held-out 4 --generations 1 --population 6",
    "cat-and-mouse-beaten": "--tasks cat+mouse --rows 4 --cols 3 --mouse-rows 4 --mouse-cols 4 "
    "--seeds 2 --candidates 5 --budget 1",
    "cat-and-mouse-v1": "--rows 4 --cols 3 --iterations 50",
    "cat-and-mouse-v2": "--games 60 --patience 4 --rounds 4 --more-rounds 4 --seed 3",
    "dots-and-boxes-1998": "--quick --seeds 2 --games 3000 --no-supervised",
    "dots-and-boxes-supervised": "--sets 2 --networks 3 --training-games 40 --widths 0.5+64 "
    "--epochs 8 --checkpoints 2 --games 8 --again 40 --explained-by 1 --explained-epochs 2",
    "fox-and-hounds": "--quick --rows 4 --cols 4 --turns 200000 --runs runs",
    "islands": "--quick --games 2000 --seeds 2 --held-out 20 --population 24 --threads 1",
    "iterated-prisoners-dilemma": "--rounds 20 --generations 2 --population 6",
    "hand-built-networks": "--orders 1 --games 4",
    "karate": "--quick --generations 1 --population 4 --rounds 20",
    "leaderboard": "--quick 1 --rows 2 --cols 2 --games 20 --threads 1 --exact 0 "
    "--entries genetic-direct-level-0",
    "set": "--quick --games 300",
    "tracking": "--quick",
}
"""Options by which each study takes seconds."""
TIMED = {
    "cat-trap": ("times", "their_times", "claims"),
    "dots-and-boxes-1998": ("processor_seconds",),
    "dots-and-boxes-supervised": ("widths",),
}
"""Parts of a record that are measured anew by each call, as they are times."""


def test_every_study_has_small_options():
    assert sorted(SMALL) == STUDIES.own()


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_a_study_runs_goes_on_and_writes_its_page(name: str, here: Path, capsys):
    takes_page = any(item.name == "page" for item in fields(STUDIES.load(name).report.settings))
    options, records = [*SMALL[name].split(), "--out", "out"], []
    for more in ([], ["--page", "docs/page.md"] if takes_page else []):
        assert main(["reproduce", name, *options, *more]) == 0
        records.append(json.loads(Path("out/result.json").read_text()))
    lines = capsys.readouterr().out.splitlines()
    files = lines[len(lines) - lines[::-1].index("") :]
    assert "out/result.json" in files
    assert all(Path(file).exists() for file in files)
    first, again = (without_times(record, name) for record in records)
    assert first == again
    page = Path("docs/page.md").read_text(encoding="utf-8") if takes_page else ""
    for claim in records[1].get("claims", []):
        assert claim["verdict"] in (*VERDICTS, NOT_MEASURED)
        sentence = claim.get("text", claim["claim"])
        assert any(sentence in line and claim["verdict"] in line for line in lines)
        assert sentence.replace("|", "\\|") in page
    if takes_page:
        assert f"evo reproduce {name} " in page
        assert "<!--" not in page
    for picture in re.findall(r"!\[[^]]*\]\(([^)]*)\)", page):
        assert Path("docs", picture).exists()


def without_times(record: dict[str, Any], name: str) -> dict[str, Any]:
    """What a second call must find again."""
    varying = {"seconds", "settings", *TIMED.get(name, ())}
    return {key: value for key, value in record.items() if key not in varying}


@pytest.mark.parametrize("name", SMALL)
def test_claims_are_well_formed(name: str):
    report = STUDIES.load(name).report
    claims = load_claims(report.package) if report.has_claims else []
    for claim in claims:
        assert not claim.claim[0].islower()
        assert not claim.rule.endswith(".")
    used = {claim.measure for claim in claims}
    for module in {measure.__module__ for measure in used} - {measured_value.__module__}:
        offered = {
            function
            for name, function in vars(import_module(module)).items()
            if getattr(function, "__module__", "") == module
            and not name.startswith("_")
            and function.__annotations__.get("return")
            in ("Finding", "Interval", "dict[str, Interval]")
            and next(iter(signature(function).parameters)) in ("evidence", "measured")
        }
        assert offered <= used


@pytest.mark.parametrize("name", SMALL)
def test_what_is_quick_is_in_range(name: str):
    for item in fields(STUDIES.load(name).report.settings):
        quick = item.metadata.get("quick")
        if isinstance(quick, int):
            assert item.metadata["low"] <= quick <= item.metadata["high"]
