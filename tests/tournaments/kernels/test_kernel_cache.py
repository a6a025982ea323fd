"""The kernel cache on disk: what was compiled is found again, and damage is mended."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from crash_disk import torn
from numba.core import caching, config
from numba.core.event import install_recorder
from processes import ROOT

from tournaments.kernels import cache
from tournaments.kernels import disk as kernel_cache
from tournaments.kernels.compilation import Compilation, compilation
from tournaments.kernels.disk import CompiledKernel, digest_of
from tournaments.kernels.linker import (
    KernelError,
    address_of,
    by_address,
    kernel,
    link,
    record_at,
)

STEP = 3


@kernel
def total(values):
    result = 0.0
    for index in range(values.size):
        result += values[index] * STEP
    return result


VALUES = np.arange(4.0)
TEXT, NAME = link(total, {})


def fresh() -> CompiledKernel:
    """The kernel as a process that has just started builds it."""
    sys.modules.pop(f"tournaments_linked_{digest_of(TEXT)}", None)
    return CompiledKernel("total", TEXT, NAME)


def runs_compiler(values: np.ndarray = VALUES) -> bool:
    """Whether a fresh kernel is compiled, and what it gives is right; the clock agrees."""
    made, heard = fresh(), []
    with (
        install_recorder("numba:compile") as recorded,
        compilation.heard_by(lambda: heard.append("compiling")),
    ):
        assert made(values) == 18.0
    assert bool(heard) is bool(recorded.buffer)
    return bool(recorded.buffer)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """The folder of a kernel that was compiled into an empty cache."""
    monkeypatch.setenv("EVO_CACHE_DIR", str(tmp_path / "cache"))
    assert runs_compiler()
    return tmp_path / "cache" / "kernels" / digest_of(TEXT)


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.rglob(pattern)
    return found


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def empty(content: bytes) -> bytes:
    return b""


def flip(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


DAMAGE = [cut, empty, flip]


def test_what_was_compiled_is_found_again(folder):
    assert not runs_compiler()


def test_code_for_another_processor_has_a_folder_of_its_own(monkeypatch):
    here = digest_of(TEXT)
    monkeypatch.setattr(config, "CPU_NAME", "generic")
    monkeypatch.setattr(kernel_cache, "_processor", kernel_cache._processor.__wrapped__)
    assert digest_of(TEXT) != here


def test_code_that_numba_keeps_elsewhere_is_found_again(tmp_path, monkeypatch):
    monkeypatch.setenv("EVO_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "elsewhere"))
    assert runs_compiler()
    assert list((tmp_path / "elsewhere").rglob("*.nbc"))
    assert not list((tmp_path / "cache").rglob("*.nbc"))
    assert not runs_compiler()


def test_code_that_stands_in_a_folder_numba_does_not_use_is_not_taken_for_it(
    folder, tmp_path, monkeypatch
):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "elsewhere"))
    assert runs_compiler()


def test_a_kernel_that_can_be_kept_nowhere_is_compiled_each_time(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("EVO_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert runs_compiler()
    assert runs_compiler()


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_linked_module_is_written_again(folder, damage):
    path = folder / "linked.py"
    path.write_bytes(damage(path.read_bytes()))
    assert not runs_compiler()
    assert path.read_text() == TEXT


def test_a_linked_module_that_computes_something_else_is_not_run(folder):
    path = folder / "linked.py"
    path.write_text(TEXT.replace("STEP = 3", "STEP = 4"))
    shutil.rmtree(folder / "__pycache__")
    assert runs_compiler()
    assert path.read_text() == TEXT


def test_a_linked_module_leaves_no_unfinished_file_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("EVO_CACHE_DIR", str(tmp_path))

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert runs_compiler()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("kept", ["*.nbi", "*.nbc", "linked.checked"])
def test_damaged_compiled_code_is_removed_and_made_again(folder, kept, damage):
    path = only(folder, kept)
    path.write_bytes(damage(path.read_bytes()))
    assert runs_compiler()
    assert not runs_compiler()


@pytest.mark.parametrize("kept", ["*.nbi", "*.nbc", "linked.checked"])
def test_missing_compiled_code_is_made_again(folder, kept):
    only(folder, kept).unlink()
    assert runs_compiler()
    assert not runs_compiler()


@pytest.mark.parametrize("kept", ["*.nbi", "*.nbc"])
def test_compiled_code_that_numba_cannot_read_is_made_again_whatever_its_checksum(folder, kept):
    path = only(folder, kept)
    path.write_bytes(cut(path.read_bytes()))
    checksums = kernel_cache._checksums(path.parent)
    cache.store(path.parent / "linked.checked", json.dumps(checksums).encode())
    made = fresh()
    with install_recorder("numba:compile") as recorded:
        assert made(VALUES) == 18.0
    assert recorded.buffer
    assert not runs_compiler()


def broken(*arguments: object) -> None:
    raise EOFError("Ran out of input")


def test_where_the_cache_stays_broken_code_is_compiled_in_memory(folder, monkeypatch):
    monkeypatch.setattr(caching.IndexDataCacheFile, "load", broken)
    assert fresh()(VALUES) == 18.0


def test_a_cache_that_cannot_be_written_is_no_hindrance(tmp_path, monkeypatch):
    monkeypatch.setenv("EVO_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(caching.IndexDataCacheFile, "save", broken)
    assert runs_compiler()
    assert runs_compiler()


def test_code_for_other_arguments_is_added_to_what_is_there(folder):
    made = fresh()
    assert made(VALUES) == made(VALUES.astype(np.float32)) == made(VALUES) == 18.0
    assert len(list(folder.rglob("*.nbc"))) == 2
    assert not runs_compiler()
    assert not runs_compiler(VALUES.astype(np.float32))


# --- several processes -------------------------------------------------------------------------

SCRIPT = """
from tournaments.kernels.linker import build
import sys
import test_kernel_cache as here
sys.stdin.readline()
with here.install_recorder("numba:compile") as recorded:
    print(build(here.total)(here.VALUES), bool(recorded.buffer))
"""
LOADED, COMPILED = ("18.0 False\n", ""), ("18.0 True\n", "")


@pytest.fixture
def start(begin) -> Callable[..., subprocess.Popen[str]]:
    """Starts a process with a cache folder; it runs the kernel once it is sent a line."""

    def start(folder: Path, script: str = SCRIPT, **variables: str) -> subprocess.Popen[str]:
        places = [str(ROOT), str(ROOT / "tests"), str(Path(__file__).parent)]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(places),
            "EVO_CACHE_DIR": str(folder),
            **variables,
        }
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        return begin([sys.executable, "-W", "error", "-c", script], env=environment, **pipes)

    return start


def end(started: subprocess.Popen[str]) -> tuple[str, str]:
    return started.communicate("\n", timeout=300)


def end_together(started: list[subprocess.Popen[str]]) -> list[tuple[str, str]]:
    """What processes say that are sent their lines at once, sorted."""
    for one in started:
        assert one.stdin
        one.stdin.write("\n")
        one.stdin.flush()
    return sorted(end(one) for one in started)


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.slow
def test_of_processes_that_meet_an_empty_folder_at_once_one_compiles(start, tmp_path):
    started = [start(tmp_path) for _ in range(4)]
    assert end_together(started) == [LOADED] * 3 + [COMPILED]
    code = only(tmp_path, "*.nbc").parent
    assert kernel_cache._checked(code)
    left = {path.name.rpartition(".")[2] for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"py", "nbi", "nbc", "checked", "lock"}  # nothing unfinished
    assert end(start(tmp_path)) == LOADED


@pytest.mark.parametrize(
    "damage", [DAMAGE[0], *(pytest.param(each, marks=pytest.mark.slow) for each in DAMAGE[1:])]
)
@pytest.mark.slow
def test_processes_may_meet_damaged_code_at_once(start, tmp_path, damage: Callable[[bytes], bytes]):
    assert end(start(tmp_path)) == COMPILED
    code = only(tmp_path, "*.nbc")
    code.write_bytes(damage(code.read_bytes()))
    assert end_together([start(tmp_path) for _ in range(3)]) == [LOADED] * 2 + [COMPILED]


def test_a_process_that_holds_the_lock_and_hangs_is_not_waited_for_for_ever(folder, monkeypatch):
    monkeypatch.setattr(kernel_cache, "PATIENCE", 0.1)
    only(folder, "*.nbc").unlink()
    with open(only(folder, "linked.lock"), "ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert runs_compiler()
        assert not runs_compiler()  # what is whole is loaded without the lock


def test_waiting_for_a_process_that_compiles_is_no_time_of_playing(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_cache, "PATIENCE", 0.05)
    began = time.perf_counter()
    spent, clock = compilation.seconds, compilation.clock()
    with open(tmp_path / "linked.lock", "ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with kernel_cache._alone_in(tmp_path):
            pass
    waited, played = compilation.seconds - spent, compilation.clock() - clock
    assert waited >= 0.05
    assert waited + played <= time.perf_counter() - began + 1e-6  # of rounding


def test_what_another_process_compiled_meanwhile_is_loaded(folder, monkeypatch):
    """Damaged when this process looks, whole when it has the lock."""
    answers = iter([{}])  # of the first look; the others tell the truth
    checked = kernel_cache._checked
    made = fresh()
    monkeypatch.setattr(kernel_cache, "_checked", lambda code: next(answers, checked(code)))
    with install_recorder("numba:compile") as recorded:
        assert made(VALUES) == 18.0
    assert not recorded.buffer


def no_locks(*arguments: object) -> None:
    raise OSError(errno.ENOLCK, "No locks available")


@pytest.mark.parametrize("way", ["no locks", "no file"])
def test_a_file_system_without_locks_is_no_hindrance(tmp_path, monkeypatch, way: str):
    if way == "no locks":
        monkeypatch.setattr(kernel_cache.fcntl, "flock", no_locks)
    else:
        monkeypatch.setattr(kernel_cache, "_LOCK", "missing/linked.lock")
    monkeypatch.setenv("EVO_CACHE_DIR", str(tmp_path))
    assert runs_compiler()
    assert not runs_compiler()


# --- folders that cannot be written ------------------------------------------------------------

# Permissions do not bind the superuser, so every attempt to write is refused as it is made.
READ_ONLY = """
import os, sys
def refuse(event, arguments):
    changes = event in ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate")
    if event == "open" and isinstance(arguments[2], int):
        changes = arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if changes and isinstance(arguments[0], str | os.PathLike):
        path = os.path.abspath(arguments[0])
        if any(path.startswith(place) for place in os.environ["READ_ONLY"].split(os.pathsep)):
            raise PermissionError(13, "Permission denied", path)
sys.addaudithook(refuse)
"""


@pytest.fixture
def end_read_only(start, tmp_path) -> Callable[..., tuple[str, str]]:
    """What the process says that can write in none of some places."""

    def end_read_only(*places: Path) -> tuple[str, str]:
        home = str(tmp_path / "home")
        refused = os.pathsep.join(map(str, places))
        variables = {"READ_ONLY": refused, "HOME": home, "XDG_CACHE_HOME": home}
        return end(start(tmp_path / "cache", READ_ONLY + SCRIPT, **variables))

    return end_read_only


@pytest.mark.parametrize("filled", [False, True])
@pytest.mark.slow
def test_a_cache_folder_that_cannot_be_written_is_no_hindrance(
    start, end_read_only, tmp_path, filled: bool
):
    folder = tmp_path / "cache"
    folder.mkdir()
    if filled:
        assert end(start(folder)) == COMPILED
    before = files_of(folder)
    assert end_read_only(folder, tmp_path / "home") == COMPILED
    assert files_of(folder) == before


@pytest.mark.slow
def test_where_the_folder_cannot_be_written_code_is_kept_where_numba_can(
    start, end_read_only, tmp_path
):
    folder = tmp_path / "cache"
    assert end(start(folder)) == COMPILED
    assert end_read_only(folder) == COMPILED
    assert end_read_only(folder) == LOADED
    assert only(tmp_path / "home", "linked.checked")


@pytest.mark.slow
def test_a_package_that_cannot_be_written_is_no_hindrance(end_read_only, tmp_path):
    assert end_read_only(ROOT / "tournaments") == COMPILED
    assert end_read_only(ROOT / "tournaments") == LOADED


# --- kernels that are called by their address ----------------------------------------------------


class Room(NamedTuple):
    values: np.ndarray
    weight: float


@by_address
def weighted(record, row, seat, last):
    room = record_at(record)
    return np.int64(room.values[row] * room.weight) + seat + last


BY_ADDRESS = link(weighted, {})


def address_compiles() -> bool:
    """Whether a process that has just started compiles what is called by address."""
    text, name = BY_ADDRESS
    sys.modules.pop(f"tournaments_linked_{digest_of(text)}", None)
    made = CompiledKernel("weighted", text, name)
    with install_recorder("numba:compile") as recorded:
        address = made.address(Room(VALUES, 2.0))
    assert address == made.address(Room(VALUES[::1], 3.0)) != 0
    assert address != made.address(Room(VALUES.astype(np.float32), 2.0))
    return bool(recorded.buffer)


@pytest.mark.parametrize(
    "damage", [DAMAGE[0], *(pytest.param(each, marks=pytest.mark.slow) for each in DAMAGE[1:])]
)
def test_what_is_called_by_address_is_found_again_and_mended(tmp_path, monkeypatch, damage):
    monkeypatch.setenv("EVO_CACHE_DIR", str(tmp_path))
    assert address_compiles()
    assert not address_compiles()
    for path in tmp_path.rglob("*.nbc"):
        path.write_bytes(damage(path.read_bytes()))
    assert address_compiles()


def test_what_is_called_by_address_and_can_be_kept_nowhere_is_compiled(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("EVO_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert address_compiles()
    assert address_compiles()


def test_no_address_is_kept_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("EVO_CACHE_DIR", str(tmp_path))
    text, name = BY_ADDRESS
    sys.modules.pop(f"tournaments_linked_{digest_of(text)}", None)
    address = CompiledKernel("weighted", text, name).address(Room(VALUES, 2.0))
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(kept) > 2
    for path in kept:
        content = path.read_bytes()
        assert address.to_bytes(8, "little") not in content
        assert str(address).encode() not in content


def test_a_record_that_kernels_cannot_take_is_refused():
    with pytest.raises(KernelError, match="numpy arrays, numbers, and named tuples"):
        address_of(weighted, {}, Room(VALUES, object()))


# --- what compiling takes ------------------------------------------------------------------------


def test_the_clock_stands_still_while_a_kernel_compiles(monkeypatch):
    now = iter([10.0, 12.0, 20.0, 23.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(now))
    spent = Compilation()
    assert spent.clock() == 10.0
    spent.begin()  # at 12
    spent.begin()  # an inner kernel
    assert spent.clock() == 12.0
    spent.end()
    assert spent.clock() == 12.0
    spent.end()  # at 20, after 8 seconds
    assert spent.clock() == 15.0


def test_a_listener_hears_of_each_start_of_the_compiler_and_of_no_inner_kernel():
    spent, heard = Compilation(), []
    with spent.heard_by(lambda: heard.append("compiling")):
        for _ in range(2):
            spent.begin()
            spent.begin()
            spent.end()
            spent.end()
    spent.begin()
    assert heard == ["compiling", "compiling"]


def test_a_listener_that_fails_leaves_the_clock_going():
    def fail() -> None:
        raise BrokenPipeError

    spent = Compilation()
    with spent.heard_by(fail), pytest.raises(BrokenPipeError):
        spent.begin()
    assert spent.clock() < spent.clock()


def test_whatever_a_crash_leaves_of_a_stored_file_is_all_of_it_or_nothing(tmp_path):
    content, path = bytes(range(256)) * 5, tmp_path / "stored"
    cache.store(path, content)
    left = torn([b"", path.read_bytes()])
    assert len(left) > 6
    for state in left:
        path.write_bytes(state)
        assert cache.load(path) == (content if state == left[1] else None)
