"""Runs of strangers made at random: each is read, or refused in a line (see :mod:`fuzzer`)."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys

import fuzzer
import pytest
from processes import ROOT

SLOW_CASES = 10_000


def judged(number: int, folder) -> None:
    """Take a case as the fuzzer does, but for what it may open and how long it may take."""
    draw = random.Random(f"stranger/{number}")
    case = draw.choice(fuzzer.CASES)
    try:
        case(draw, folder)
    except fuzzer.refusals() as error:
        fuzzer.check_line(error)


def test_some_cases_are_read_or_refused_in_a_line(tmp_path, monkeypatch):
    """One that fails says its number, for ``python tests/fuzzer.py --first NUMBER --cases 1``."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for number in range(30):
        try:
            judged(number, tmp_path / "run")
        except Exception as error:
            raise AssertionError(f"case {number}") from error
        shutil.rmtree(tmp_path / "run", ignore_errors=True)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("open('/etc/hostname')", "outside: [\"open '/etc/hostname'"),
        ("open('beside')", "outside: [\"open 'beside'"),
        ("__import__(CANARY)", "outside: ['import module_of_a_stranger"),
        ("subprocess.run('true')", 'outside: ["subprocess.Popen'),
        ("socket.create_connection(('127.0.0.1', 9))", "outside: ['socket."),
        ("bytearray(2 << 30)", "MemoryError"),
        ("[].pop()", "IndexError"),
        ("exec('while True: pass')", "Overdue"),
    ],
)
@pytest.mark.slow
def test_the_fuzzer_sees_what_a_case_may_not_do(fault, message):
    text = f"""
import contextlib, signal, socket, subprocess, sys
sys.path.insert(0, "tests")
import fuzzer
from fuzzer import CANARY
def case(draw, folder):
    with contextlib.suppress(OSError, ImportError):
        {fault}
fuzzer.SECONDS, fuzzer.CASES = 1.0, [case]
signal.signal(signal.SIGPROF, fuzzer.overdue)
fuzzer.refusals()
fuzzer.limit_memory()
print(fuzzer.failure_of(1, fuzzer.Watch()))
"""
    ended = subprocess.run(
        [sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert message in ended.stdout, ended.stderr


@pytest.mark.slow
def test_ten_thousand_cases_end_in_time_and_memory_and_open_nothing_else():
    command = [sys.executable, "tests/fuzzer.py", "--cases", str(SLOW_CASES)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=3600)
    progress = re.compile(r"case \d+")
    said = [line for line in ended.stdout.splitlines() if not progress.fullmatch(line.strip())]
    assert ended.returncode == 0, "\n".join(said)[:4000] + ended.stderr[-1000:]
    assert f"{SLOW_CASES} cases from 0: 0 failed" in ended.stdout
