"""What a command shows while kernels are compiled."""

from __future__ import annotations

import numpy as np
import pytest

from evo.cli.progress import Display
from evo.evolution.loop import Clock, PopulationSummary, Progress
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
    assert capsys.readouterr().err == "game 64/100000  32 games/s  until it is known\n"


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
        (shown,) = display._bar.tasks
        assert "100 games/s" in shown.fields["text"]
        compiler.begin()
        assert shown.fields["text"] == "compiling"


def test_the_parts_of_a_generation_count_no_compiling(seconds):
    clock = Clock()
    compile_for(compilation, seconds, 7.0)
    seconds.append(seconds[-1] + 0.5)
    clock.lap("play")
    assert np.isclose(clock.turn()["play"], 0.5)
