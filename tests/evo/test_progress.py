"""What a command, or ``progress=True``, shows."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import evo
from evo.evolution.loop import Clock, PopulationSummary, Progress
from evo.progress import Display
from tournaments.kernels.compilation import Compilation, compilation

LINE = "compiling kernels (once; they are kept)\n"


@pytest.fixture
def seconds(monkeypatch) -> list[float]:
    """What the clock of the machine shows, in its last place."""
    shown = [100.0]
    monkeypatch.setattr("time.perf_counter", lambda: shown[-1])
    return shown


@pytest.fixture
def compiler(monkeypatch, seconds) -> Compilation:
    """A compiler that starts when it is told to."""
    compilation = Compilation()
    monkeypatch.setattr("tournaments.kernels.compilation.compilation", compilation)
    return compilation


def compile_for(compiler: Compilation, seconds: list[float], spent: float) -> None:
    compiler.begin()
    seconds.append(seconds[-1] + spent)
    compiler.end()


def test_a_command_says_once_that_it_compiles(compiler, seconds, capsys):
    with Display() as display:
        assert capsys.readouterr().err == ""
        compile_for(compiler, seconds, 3.0)
        assert capsys.readouterr().err == LINE
        compile_for(compiler, seconds, 3.0)
        display.close()
    compile_for(compiler, seconds, 3.0)  # another command's
    assert capsys.readouterr().err == ""


def test_the_speed_of_opponents_counts_no_compiling(compiler, seconds, capsys):
    with Display() as display:
        compile_for(compiler, seconds, 10.0)
        seconds.append(seconds[-1] + 2.0)
        display.part(1, 4, games=500)
    assert capsys.readouterr().err == f"{LINE}part 1/4  250 games/s  6 s left\n"


def test_a_test_that_may_end_at_any_game_tells_no_time_left(compiler, seconds, capsys):
    with Display() as display:
        seconds.append(seconds[-1] + 2.0)
        display.game(64, 100_000, games=64)
    assert capsys.readouterr().err == "game 64/100000  32 games/s  until the test decides\n"


def test_lost_repeated_and_overdue_work_is_shown(seconds, capsys):
    summary = PopulationSummary("all", 1.0, 1.0, 0.5)
    faults = {"lost": 2, "repeated": 1234, "checked": 7}
    with Display() as display:
        display.generation(Progress(9, 9, 0, 100, (summary,), faults=faults))
        assert capsys.readouterr().err.endswith("diversity 0.500  2 lost, 1,234 repeated\n")


def test_a_bar_says_so_in_place_of_a_speed(compiler, seconds, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with Display() as display:
        for number in range(3):
            seconds.append(seconds[-1] + 1.0)
            display.generation(
                Progress(number, 9, 0, 100, (PopulationSummary("all", 1.0, 1.0, 0.5),), seconds=1.0)
            )
        (shown,) = display._bar.progress.tasks
        assert "100 games/s" in shown.fields["text"]
        compiler.begin()
        assert shown.fields["text"] == "compiling"


def test_the_parts_of_a_generation_count_no_compiling(seconds):
    clock = Clock()
    compile_for(compilation, seconds, 7.0)
    seconds.append(seconds[-1] + 0.5)
    clock.lap("play")
    assert np.isclose(clock.turn()["play"], 0.5)


# --- progress=True in Python --------------------------------------------------------------------

SMALL = {"scheme": "round-robin", "population": 4, "game": "dots-and-boxes:rows=1,cols=1"}


@pytest.fixture
def bars(monkeypatch) -> list[tuple]:
    """What bars show in a notebook, and when they are closed."""
    shown: list[tuple] = []

    class Bar:
        def __init__(self, what: str) -> None:
            shown.append(("new", what))

        def update(self, text, done=None, total=None) -> None:
            shown.append((done, total, text))

        def close(self) -> None:
            shown.append(("closed",))

    monkeypatch.setattr("evo.progress._notebook", lambda: Bar)
    monkeypatch.setattr("evo.progress.PLAIN_SECONDS", 0.0)
    return shown


def test_a_run_shows_each_generation_and_reports_as_before(tmp_path, bars):
    seen: list[int] = []

    def report(progress: Progress) -> None:
        seen.append(progress.generation)

    evo.run(tmp_path / "run", SMALL, generations=2, threads=1, progress=True, report=report)
    assert seen == [0, 1, 2]
    assert [bar[:2] for bar in bars] == [("new", "generation"), (0, 2), (1, 2), (2, 2), ("closed",)]
    assert "diversity" in bars[1][2]
    evo.resume(tmp_path / "run", 3, threads=1, progress=True)
    assert [bar[:2] for bar in bars[-2:]] == [(3, 3), ("closed",)]


@pytest.mark.slow
def test_what_is_played_in_parts_shows_each_part(tmp_path, bars):
    run = evo.run(tmp_path / "run", SMALL, generations=0, threads=1)
    seen: list[tuple[int, int, int]] = []

    def shown(unit: str, work) -> None:
        bars.clear()
        seen.clear()
        work()
        assert (bars[0], bars[-1]) == (("new", unit), ("closed",))
        assert [bar[:2] for bar in bars[1:-1]] == [part[:2] for part in seen]

    more = {"threads": 1, "progress": True, "report": lambda *part: seen.append(part)}
    game, pair = SMALL["game"], ["level-0", "level-1"]
    shown("part", lambda: evo.evaluate(run.path, ["random"], 2, **more))
    shown("part", lambda: evo.analyse(run.path, games=2, **more))
    shown("meeting", lambda: evo.tournament(game, pair, 2, **more))
    shown("game", lambda: evo.compare(*pair, game, most_games=2, **more))


def test_nothing_is_shown_unasked(tmp_path, bars, capsys):
    evo.run(tmp_path / "run", SMALL, generations=0, threads=1)
    assert (bars, capsys.readouterr().err) == ([], "")


def test_a_notebook_without_widgets_has_a_bar(monkeypatch):
    shown: list[str] = []
    handle = SimpleNamespace(update=shown.append)
    page = SimpleNamespace(HTML=str, display=lambda html, display_id: handle)
    monkeypatch.setitem(sys.modules, "IPython.display", page)
    monkeypatch.setattr("rich.get_console", lambda: SimpleNamespace(is_jupyter=True))
    with Display() as display:
        display.taking("meeting")(2, 2, 0)
    assert shown == ["meeting <progress value=2 max=2></progress> 2/2  no games to play"]


def test_help_and_a_run_itself_say_what_they_are(tmp_path):
    for name in ("generations", "scheme", "lineage", "evo config", "or_resume: "):
        assert name in (evo.run.__doc__ or "")
    run = evo.run(tmp_path / "run", SMALL, generations=1, threads=1)
    shown = repr(run)
    assert "round-robin" in shown
    assert "dots-and-boxes:rows=1,cols=1" in shown
    assert "generation 1 of 1" in shown
