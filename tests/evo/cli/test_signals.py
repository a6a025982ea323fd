"""Signals end every command: in their time, with their status, whatever the main thread is at."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from processes import ROOT

from evo.cli.main import main
from evo.evolution import signals
from evo.evolution.signals import Watch, graceful_stop


@pytest.fixture(autouse=True)
def _not_under_nohup():
    """Tests may be called by nohup, under which SIGHUP is left alone."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


PROGRAM = """
import ctypes, sys, threading, time
from types import SimpleNamespace
from evo.cli.main import main
from evo.cli.options import Command
from evo.evolution.signals import graceful_stop, watch
from evo.requests.base import Request
from tournaments import registry

def stuck():
    # In C, without the interpreter lock, and no signal ends it: as a kernel that never returns.
    mutex, library = ctypes.create_string_buffer(128), ctypes.CDLL(None)
    library.pthread_mutex_lock(mutex)
    threading.Thread(target=tell, args=(threading.get_ident(),), daemon=True).start()
    library.pthread_mutex_lock(mutex)

def tell(thread):
    # Where a thread stays at one instruction while this one has the lock it is in the call.
    stays, before = 0, None
    while stays < 20:
        frame = sys._current_frames()[thread]
        place = frame, frame.f_lasti
        stays, before = stays + 1 if place == before else 0, place
        time.sleep(0.005)
    print("in hand", flush=True)

def here(request, execution):
    with graceful_stop():
        watch().farewell = lambda: (1, "last words")
        watch().releases.append(lambda: print("let go of", flush=True))
        stuck()

def beside(request, execution):
    with graceful_stop() as asked:
        threading.Thread(target=stuck).start()  # no daemon: Python would wait for it
        while not asked:
            pass
    return 128 + asked[0]

class Graceful(Request):
    execution = ("grace",)

def point(act):
    command = Command("of a test", Graceful, act)
    return SimpleNamespace(name=act.__name__, load=lambda: command, value="", dist=None)

points = {"evo.commands": [point(here), point(beside)]}
registry.entry_points = lambda group: points.get(group, [])
sys.exit(main())
"""


@pytest.fixture
def stuck(begin) -> Callable[..., subprocess.Popen[str]]:
    """A command whose main thread, or one beside it, never comes back."""

    def stuck(what: str, grace: float, **options) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", PROGRAM, what, "--grace", str(grace)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = begin(command, **pipes, **options)
        assert process.stdout.readline() == "in hand\n", process.communicate()
        return process

    return stuck


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.slow)]
)
def test_a_command_ends_with_its_grace_though_its_main_thread_never_comes_back(number, stuck):
    process = stuck("here", 0.2)
    process.send_signal(number)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (128 + number, "let go of\n\nlast words\n")
    assert err == (
        "\nstopping after the generation in hand, within 0 seconds; once more: without it\n"
    )


def test_the_second_signal_ends_it_at_once(stuck):
    process = stuck("here", 1000)
    process.send_signal(signal.SIGINT)
    assert process.stderr.readline() == "\n"
    assert "within 1,000 seconds; once more: without it" in process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    assert process.communicate(timeout=300)[0] == "let go of\n\nlast words\n"
    assert process.returncode == 128 + signal.SIGINT


def test_another_thread_does_not_keep_a_process_that_was_asked_to_end(stuck):
    process = stuck("beside", 0.5)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=300)
    assert process.returncode == 128 + signal.SIGTERM


def test_a_limit_on_processor_time_asks_once_though_it_comes_each_second(stuck):
    """The kernel sends SIGXCPU each second from the soft limit on; none but the first counts."""
    process = stuck("here", 0.5)
    for _ in range(3):
        process.send_signal(signal.SIGXCPU)
    process.communicate(timeout=300)
    assert process.returncode == 128 + signal.SIGXCPU


def test_whoever_ignores_hangups_goes_on_doing_so():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup has it
    try:
        with Watch(), graceful_stop() as asked:
            signal.raise_signal(signal.SIGHUP)
            assert asked == []
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", signals.SIGNALS)
def test_what_a_process_had_for_signals_is_put_back(number):
    """A signal ends a command with its status, and the program that called it goes on."""
    before = signal.getsignal(number)
    file = signal.set_wakeup_fd(-1)
    for _ in range(2):
        with pytest.raises(signals.EndedBySignal) as ended, Watch():
            signal.raise_signal(number)
        assert ended.value.signal == number
    assert signal.getsignal(number) is before
    assert signal.set_wakeup_fd(file) == -1
    assert signals.watch() is None
    assert "signals" not in {thread.name for thread in threading.enumerate()}


def test_in_another_thread_a_command_runs_without_a_watch(capsys):
    statuses: list[int] = []
    thread = threading.Thread(target=lambda: statuses.append(main(["games"])))
    thread.start()
    thread.join()
    assert statuses == [0]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    "line", ["play tic-tac-toe random", "watch tic-tac-toe random random --delay 0", "games"]
)
def test_each_command_ends_with_the_status_of_its_signal(line, number, monkeypatch, capsys):
    def asked(*anything, **more):
        signal.raise_signal(number)

    monkeypatch.setattr("evo.cli.commands.watch._shown", asked)
    monkeypatch.setattr("evo.cli.commands.play.Sitting.play", asked)
    monkeypatch.setattr("evo.cli.commands.games.print_rows", asked)
    assert main(line.split()) == 128 + number


# --- kernels, compiled -----------------------------------------------------------------------

EVOLVE = "run --game endless:stones=3 --population 4 --scheme round-robin --out"
COMPILED = {
    "run": f"{EVOLVE} run --threads 1",
    "run-by-threads": f"{EVOLVE} run --threads 2",
    "run-by-actors": f"{EVOLVE} run --ray --actors 1",
    "tournament": "tournament endless:stones=3 random greedy --threads 1",
}


@pytest.mark.slow
@pytest.mark.parametrize(("number", "grace"), [(signal.SIGTERM, "2"), (signal.SIGINT, "1000")])
@pytest.mark.parametrize("command", COMPILED)
def test_a_game_that_never_ends_is_ended_by_signals(command, number, grace, begin, tmp_path):
    mark = str(tmp_path)
    installed = tmp_path / "endless-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: endless\nVersion: 1\n")
    offer = "[tournaments.games]\nendless = endless:RULES\n"
    (installed / "entry_points.txt").write_text(offer)
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "tests", tmp_path)))
    process = begin(
        [sys.executable, "-m", "evo", *COMPILED[command].split(), "--grace", grace],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths, "MARK": mark},
    )
    until_busy(process, mark, "WorkerActor" if "--ray" in COMPILED[command] else "evo")
    process.send_signal(number)
    if command.startswith("run"):
        while "once more" not in process.stderr.readline():
            assert process.poll() is None
    if grace != "2":
        threading.Event().wait(1.0)  # two signals at once may come as one
        process.send_signal(number)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 128 + number, err
    assert "Traceback" not in err
    assert ("go on with: evo resume run" in out) == command.startswith("run")
    until = time.monotonic() + 300
    while processes_of(mark):  # Ray's agents try for a minute to tell a head that is gone
        left = [(folder / "cmdline").read_text() for folder in processes_of(mark)]
        assert time.monotonic() < until, left
        threading.Event().wait(0.1)


def until_busy(process: subprocess.Popen[str], mark: str, title: str) -> None:
    """Wait until a process of a title has computed for a while: so long no kernel takes to make."""
    before, seconds = 0.0, 0
    while seconds < 4:
        assert process.poll() is None, process.communicate()
        threading.Event().wait(1.0)
        used = sum(used_by(folder) for folder in processes_of(mark, title))
        before, seconds = used, seconds + 1 if used - before > 0.2 else 0


def used_by(folder: Path) -> float:
    """Seconds of a processor's time."""
    with suppress(OSError):
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def processes_of(mark: str, title: str = "") -> list[Path]:
    """The folders in ``/proc`` of processes of a title that have a variable of this value."""
    there = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            has_mark = mark in (folder / "environ").read_text(errors="replace")
            if has_mark and title in (folder / "cmdline").read_text(errors="replace"):
                there.append(folder)
    return there
