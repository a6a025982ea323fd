"""What studies share: settings, claims, templates, and the way from measuring to a page."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from evo.studies.claims import FAILS, HOLDS, IN_PART, UNDECIDED, Claim, Finding
from evo.studies.intervals import Interval
from evo.studies.kept import kept
from evo.studies.page import rendered
from evo.studies.report import Evidence, StudyReport
from evo.studies.settings import (
    PageSettings,
    checked_settings,
    command_of,
    runs_setting,
    setting,
)
from tournaments.errors import ConfigError
from tournaments.options import option


@dataclass(frozen=True)
class CoinSettings(PageSettings):
    quick: bool = option(False, "few games")
    games: int = setting(1000, 0, quick=10, even=True, doc="thrown")
    fair: bool = option(True, "whether coins are")
    threads: int = option(0, "threads", 0, 64)
    runs: str = runs_setting("reproduced/coins/runs")


def measure(settings, announce):
    announce(f"throwing {settings.games} times")
    rows = [{"coin": coin, "heads": 5} for coin in "ab"]
    return Evidence({"rows": rows}, values=0.5, tables={"rows": rows, "whole": {"coin": ["a"]}})


@pytest.fixture
def coins(tmp_path: Path, monkeypatch) -> StudyReport:
    """A study in a folder of its own."""
    folder = tmp_path / "package" / "many_coins"
    folder.mkdir(parents=True)
    documents = {
        "__init__.py": "",
        "study.py": "from evo.studies.intervals import Interval\n"
        "def heads(evidence, least):\n    return Interval(evidence.values, least, 1.0)\n",
        "claims.toml": '[[claim]]\nclaim = "It lands"\nrule = "always"\nmeasure = "heads"\n'
        'of = [{ least = 0.25 }]\nabove = 0.1\nfound = "{0:.0%}"\n',
        "report.md": "Coins of {settings.games}\n\n<!-- text: rows -->\ncoin, heads:d\n\n{twice}\n",
        "page.md": "# Coins\n\n`{command}`\n\n<!-- table: claims -->\n| claim |\n| --- |\n"
        "| {claim}: {verdict}, {found} |\n",
        "plot.py": "def draw(evidence, folder):\n    folder.mkdir(parents=True, exist_ok=True)\n"
        "    file = folder / 'coins.svg'\n    file.write_text(evidence.record['rows'][0]['coin'])\n"
        "    return [file]\n",
    }
    for name, text in documents.items():
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(folder.parent)
    for name in ("many_coins", "many_coins.plot", "many_coins.study"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    texts = lambda evidence: {"twice": 2 * evidence.values}  # noqa: E731
    return StudyReport("many_coins", CoinSettings, measure, texts)


def test_a_study_judges_claims_prints_draws_and_writes_its_page(coins, tmp_path):
    told: list[str] = []
    page = tmp_path / "docs" / "coins.md"
    made = coins.reproduce(CoinSettings(games=4, page=str(page)), told.append)
    assert told == ["throwing 4 times"]
    claim = {"claim": "It lands", "rule": "always", "found": "50% (25% to 100%)", "verdict": HOLDS}
    assert made.record["claims"] == [claim]
    assert made.record["settings"]["games"] == 4
    assert list(made.lines) == [
        "Coins of 4",
        "",
        "coin  heads",
        "a         5",
        "b         5",
        "",
        "1.0",
    ]
    assert made.tables == {"rows": {"coin": ["a", "b"], "heads": [5, 5]}, "whole": {"coin": ["a"]}}
    assert page.read_text() == (
        f"# Coins\n\n`evo reproduce many-coins --games 4 --page {page}`\n\n"
        "| claim |\n| --- |\n| It lands: holds, 50% (25% to 100%) |\n"
    )
    assert (page.parent / "figures" / "many-coins" / "coins.svg").read_text() == "a"
    assert made.draw is not None
    assert made.draw(tmp_path / "out") == [tmp_path / "out" / "coins.svg"]


def test_settings_are_refused_before_anything_is_measured(coins):
    told: list[str] = []
    with pytest.raises(ConfigError, match="games=3 given; an even number"):
        coins.reproduce(CoinSettings(games=3), told.append)
    assert told == []


def test_quick_changes_what_is_at_its_default():
    given = (CoinSettings(), CoinSettings(quick=True), CoinSettings(quick=True, games=40, runs="x"))
    used = [checked_settings(settings) for settings in given]
    assert [settings.games for settings in used] == [1000, 10, 40]
    assert [settings.runs for settings in used[1:]] == ["reproduced/coins/runs-quick", "x"]


def test_a_command_has_what_is_not_at_its_default_but_for_where_and_on_how_many_threads():
    given = CoinSettings(quick=True, games=6, fair=False, threads=3, runs="here")
    assert command_of("coins", given) == "evo reproduce coins --quick --games 6 --no-fair"


# --- claims --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bounds", "verdict"),
    [
        ({"above": 0.1}, HOLDS),
        ({"above": 0.3}, UNDECIDED),
        ({"below": 0.2}, FAILS),
        ({"within": [0.2, 0.6]}, HOLDS),
        ({"within": [0.3, 0.6]}, UNDECIDED),
        ({"above": 0.1, "below": 0.2}, IN_PART),
    ],
)
def test_an_interval_is_judged_by_all_bounds(bounds, verdict):
    claim = Claim("It is", "always", lambda evidence: Interval(0.4, 0.2, 0.6), **bounds)
    assert claim.judge(None) == Finding("0.4 (0.2 to 0.6)", verdict, Interval(0.4, 0.2, 0.6))


def test_a_claim_of_several_intervals_names_each_and_holds_in_part():
    gains = {"a": Interval(2.0, 1.0, 3.0), "b": Interval(-2.0, -3.0, -1.0)}
    claim = Claim(
        *("It gains", "each does", lambda evidence: gains),
        above=0.0,
        found="gains: {each}; {b.middle:.0f}",
        each="{name} {value:+.0f}",
    )
    assert claim.judge(None)[:2] == ("gains: a +2 (+1 to +3); b -2 (-3 to -1); -2", IN_PART)


# --- templates -----------------------------------------------------------------------------------

ROWS = [{"name": "a|b", "rate": 0.5}, {"name": "c", "rate": None}]


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{some.0.name}, {some.1.rate:.1%}!", "a|b, !"),
        ("<!-- if: nothing -->\nleft out\n\nstays", "stays"),
        ("<!-- if: some -->\nThose:\n<!-- each: some -->\n* {name}", "Those:\n* a|b\n* c"),
        (
            "<!-- table: some -->\n| {n} |\n| - |\n| {name} {n} |",
            "| 7 |\n| - |\n| a\\|b 7 |\n| c 7 |",
        ),
        ("(\n<!-- each: some -->\n{name}\n<!-- end -->\n)", "(\na|b\nc\n)"),
        ("<!-- text: some -->\nname, rate:.0%", "name  rate\na|b    50%\nc        -"),
        ("<!-- text: some -->\nname = {name}!, a = {rate:.0%}", "name  a\na|b!  50%\nc!"),
    ],
)
def test_templates_are_filled(template, text):
    assert rendered(template, {"some": ROWS, "nothing": [], "n": 7}) == text


# --- intervals and kept parts --------------------------------------------------------------------


def test_an_interval_goes_into_columns_comes_back_and_is_written():
    rate = Interval(0.5, 0.25, 0.75, 0.95)
    assert rate.columns("rate") == {"rate": 0.5, "rate_low": 0.25, "rate_high": 0.75}
    assert Interval.of_row(rate.columns("rate"), "rate") == rate
    assert f"{rate:.1%}" == "50.0% (25.0% to 75.0%)"
    assert f"{Interval(0.5, 0.499, 0.501):.0%}" == "50%"
    assert (rate.scaled(100), rate.reach) == ((50, 25, 75, 0.95), 0.25)


def test_a_part_that_was_computed_is_kept(tmp_path):
    calls = []

    def compute():
        calls.append(1)
        return {"a": np.arange(3), "b": np.zeros((2, 2))}

    for _ in range(2):
        found = kept(str(tmp_path), "part", ("one",), ("a",), compute)
        np.testing.assert_array_equal(found["a"], np.arange(3))
    assert len(calls) == 1
    kept(str(tmp_path), "part", ("other",), ("a",), compute)
    kept("", "part", ("one",), ("a",), compute)
    assert len(calls) == 3
