"""The bar that ``progress=True`` asks for."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

import evo
from evo.evolution.loop import Progress
from evo.progress.bar import Bar
from evo.sweeps.sweep import SweepProgress

SMALL = {"scheme": "round-robin", "population": 4, "game": "dots-and-boxes:rows=1,cols=1"}


@pytest.fixture
def states(monkeypatch) -> list[tuple]:
    """What a bar is told."""
    told: list[tuple] = []

    def opened(unit: str, total: int):
        told.append(("new", unit))
        return lambda *state: told.append(state), lambda: told.append(("closed",))

    monkeypatch.setattr("evo.progress.bar._opened", opened)
    monkeypatch.setattr("evo.progress.bar.BAR_SECONDS", 0.0)
    return told


def test_a_run_shows_each_generation_and_reports_as_before(tmp_path, states):
    seen: list[int] = []
    evo.run(
        tmp_path / "run", SMALL, generations=2, threads=1, progress=True,
        report=lambda progress: seen.append(progress.generation),
    )  # fmt: skip
    assert seen == [0, 1, 2]
    rows = [(k, 2, f"{12 * (k + 1)} games") for k in range(3)]
    assert states == [("new", "generation"), *rows, ("closed",)]
    evo.resume(tmp_path / "run", 3, threads=1, progress=True)
    assert states[-2:] == [(3, 3, "48 games"), ("closed",)]


@pytest.mark.slow
def test_what_is_played_in_parts_shows_each_part_and_all_games(tmp_path, states):
    run = evo.run(tmp_path / "run", SMALL, generations=0, threads=1)
    seen: list[tuple[int, int, int]] = []

    def shown(unit: str, work) -> None:
        states.clear()
        seen.clear()
        work()
        assert (states[0], states[-1]) == (("new", unit), ("closed",))
        assert [state[:2] for state in states[1:-1]] == [part[:2] for part in seen]
        assert states[-2][2] == f"{sum(games for *_, games in seen):,} games"

    more = {"threads": 1, "progress": True, "report": lambda *part: seen.append(part)}
    game, pair = SMALL["game"], ["level-0", "level-1"]
    shown("part", lambda: evo.evaluate(run.path, ["random"], 2, **more))
    shown("part", lambda: evo.analyse(run.path, games=2, **more))
    shown("meeting", lambda: evo.tournament(game, pair, 2, **more))
    shown("game", lambda: evo.compare(*pair, game, most_games=2, **more))


def test_a_sweep_shows_its_runs(states):
    with Bar(True, "run") as bar:
        bar.runs(lambda progress: None)(SweepProgress(1, 4, 1200, 0))
    assert states == [("new", "run"), (1, 4, "1,200 games"), ("closed",)]


def test_nothing_is_shown_unasked(tmp_path, states):
    evo.run(tmp_path / "run", SMALL, generations=0, threads=1)
    assert states == []


def test_the_bar_says_what_is_counted_and_how_far_it_is(capsys):
    with Bar(True, "generation") as bar:
        show = bar.generations(lambda progress: None)
        for done in (1, 2, 3):
            show(Progress(done, 3, 1000 * done, 1000, ()))
    out = capsys.readouterr().out
    assert "generation" in out
    assert "3/3" in out
    assert "3,000 games" in out


def test_help_and_a_run_itself_say_what_they_are(tmp_path):
    for name in ("generations", "scheme", "lineage", "evo config"):
        assert name in (evo.run.__doc__ or "")
    run = evo.run(tmp_path / "run", SMALL, generations=1, threads=1)
    shown = repr(run)
    assert "round-robin" in shown
    assert "dots-and-boxes:rows=1,cols=1" in shown
    assert "generation 1 of 1" in shown


def test_a_notebook_without_widgets_has_a_bar(monkeypatch):
    shown: list[str] = []
    handle = SimpleNamespace(update=shown.append)
    page = SimpleNamespace(HTML=str, display=lambda html, display_id: handle)
    monkeypatch.setitem(sys.modules, "IPython.display", page)
    monkeypatch.setattr("rich.get_console", lambda: SimpleNamespace(is_jupyter=True))
    with Bar(True, "part") as bar:
        bar.parts(lambda *part: None)(2, 2, 1000)
    assert shown == ["part <progress value=2 max=2></progress> 2/2 1,000 games"]
