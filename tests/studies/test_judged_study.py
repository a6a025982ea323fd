"""What studies share: settings with a quick form, the way from measuring to a page, commands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest

from evo.studies.intervals import Interval
from evo.studies.page import QuickOrWhole, command_of
from evo.studies.reproduction import JudgedStudy
from evo.studies.verdicts import HOLDS, Judged
from tournaments.errors import ConfigError
from tournaments.options import option


@dataclass(frozen=True)
class Settings(QuickOrWhole):
    NAME: ClassVar = "coins"
    USUAL: ClassVar = {"games": (1000, 10)}

    quick: bool = option(False, "few games")
    games: int = option(0, "thrown", 0, 10**6)
    fair: bool = option(True, "whether coins are")
    threads: int = option(0, "threads", 0, 64)
    runs: str = option("", "folder")
    page: str = option("", "file")


def measure(settings, announce):
    announce("throwing")
    rows = [{"coin": coin, "heads": 5} for coin in "ab"]
    return {"rows": rows, "claims": iter([Judged("It lands", "always", "it did", HOLDS)])}


def draw(record, folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "coins.svg").write_text(record["rows"][0]["coin"])
    return [folder / "coins.svg"]


STUDY = JudgedStudy(
    "coins",
    measure,
    lambda record: [f"{len(record['rows'])} coins"],
    lambda record: ["# Coins", record["claims"][0]["verdict"]],
    tables=("rows",),
    draw=draw,
    even=("games",),
)


def test_a_study_that_judges_claims_keeps_prints_draws_and_writes_its_page(tmp_path):
    told: list[str] = []
    page = tmp_path / "docs" / "coins.md"
    made = STUDY.reproduce(Settings(games=4, page=str(page)), told.append)
    assert told == ["throwing"]
    assert [*made.record] == ["rows", "claims", "seconds", "settings"]
    claim = {"claim": "It lands", "rule": "always", "found": "it did", "verdict": HOLDS}
    assert made.record["claims"] == [claim]
    assert made.record["settings"]["games"] == 4
    assert made.lines == ("2 coins",)
    assert made.tables == {"rows": {"coin": ["a", "b"], "heads": [5, 5]}}
    assert page.read_text() == f"# Coins\n\n{HOLDS}\n"
    assert (page.parent / "figures" / "coins" / "coins.svg").read_text() == "a"
    assert made.draw is not None
    assert made.draw(tmp_path / "out") == [tmp_path / "out" / "coins.svg"]


def test_without_a_page_nothing_is_written_and_other_pictures_may_be_for_the_page(tmp_path):
    assert STUDY.reproduce(Settings(), lambda line: None).draw is not None
    assert replace(STUDY, draw=None).reproduce(Settings(), lambda line: None).draw is None
    page = tmp_path / "coins.md"
    other = replace(STUDY, draw_page=lambda record, folder: draw(record, folder / "small"))
    other.reproduce(Settings(page=str(page)), lambda line: None)
    assert (tmp_path / "figures" / "coins" / "small" / "coins.svg").exists()


def test_settings_are_refused_before_anything_is_measured():
    told: list[str] = []
    with pytest.raises(ConfigError, match="games=3 given; an even number"):
        STUDY.reproduce(Settings(games=3), told.append)
    assert told == []


def test_numbers_and_folders_are_those_of_the_study_or_of_a_quick_one_unless_given():
    quick = Settings(quick=True)
    assert [each.usual("games") for each in (Settings(), quick, Settings(games=7))] == [1000, 10, 7]
    folders = [each.folder for each in (Settings(), quick, Settings(runs="here"))]
    assert [*map(str, folders)] == ["reproduced/coins/runs", "reproduced/coins/runs-quick", "here"]


def test_a_command_has_what_is_not_as_usual_but_for_where_and_on_how_many_threads():
    given = {"quick": True, "games": 5, "fair": False, "threads": 3, "runs": "here", "page": ""}
    assert (
        command_of("coins", given, Settings()) == "evo reproduce coins --quick --games 5 --no-fair"
    )


def test_an_interval_goes_into_columns_and_comes_back():
    rate = Interval(0.5, 0.25, 0.75, 0.95)
    assert rate.columns("rate") == {"rate": 0.5, "rate_low": 0.25, "rate_high": 0.75}
    assert Interval.of_row(rate.columns("rate"), "rate") == rate
    assert rate.percent() == "50.0% (25.0% to 75.0%)"
    assert rate.percent(0) == "50% (25% to 75%)"
