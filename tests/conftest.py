"""What all tests share: a cache folder of their own, and which tests are left out."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import processes
import pytest
from hypothesis import settings

# The same examples every time; the first one of a test may wait for a compiler.
settings.register_profile("project", deadline=None, derandomize=True, database=None)
settings.load_profile("project")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests marked slow, too")


def pytest_xdist_auto_num_workers() -> int:
    """One more than processors: many a test waits for a process that it has started."""
    from cluster.processors import available_threads

    return available_threads() + 1


@pytest.fixture(autouse=True, scope="session")
def cache_folder(tmp_path_factory: pytest.TempPathFactory):
    """Compiled kernels and solved games go to a folder of this session, unless one is named.

    All workers share it: a kernel is compiled once.
    """
    if os.environ.get("EVO_CACHE_DIR"):
        yield
        return
    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    os.environ["EVO_CACHE_DIR"] = str(base / "cache")
    yield
    del os.environ["EVO_CACHE_DIR"]


@pytest.fixture
def begin() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts processes, see :func:`processes.begin`; those still there end with the test."""
    begun = []

    def begin(command, **options) -> subprocess.Popen[str]:
        begun.append(processes.begin(command, **options))
        return begun[-1]

    yield begin
    for process in begun:
        processes.end(process)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test waits for the disk itself; what is no descriptor is refused, too."""
    monkeypatch.setattr("results.storage.system.fsync", os.fstat)


@pytest.fixture(scope="module")
def ray(cache_folder):
    """A Ray of this process's own, which evaluators find running; it has four processors.

    It ends with the file: other tests are about a program in which none runs yet.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray = pytest.importorskip("ray")
    ray.init("local", num_cpus=4, include_dashboard=False, log_to_driver=False, logging_level=40)
    yield ray
    ray.shutdown()


SLOW_PLACES = (
    *("studies", "evo/pages", "evo/serve", "evo/sweeps"),
    "tournaments/games/test_capture_the_flag.py",
    "tournaments/games/test_cat_and_mouse_players.py",
    "tournaments/games/test_exploitability.py",
    "tournaments/kernels/test_moves.py",
)
"""Folders and files whose tests are all slow: together they take minutes to compile and play."""


@pytest.hookimpl(tryfirst=True)  # before pytest selects by -m
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    places = [Path(__file__).parent / name for name in SLOW_PLACES]
    for item in items:
        if any(item.path.is_relative_to(place) for place in places):
            item.add_marker(pytest.mark.slow)
    slow = pytest.mark.skip(reason="slow: run with --slow")
    study = pytest.mark.skip(reason="study: run with -m study")
    peers = pytest.mark.skip(reason="needs the peers extra (axelrod, jax, open_spiel, pettingzoo)")
    has_peers = importlib.util.find_spec("pyspiel") is not None
    for item in items:
        if "slow" in item.keywords and not config.getoption("--slow"):
            item.add_marker(slow)
        if item.get_closest_marker("study") and "study" not in config.getoption("-m"):
            item.add_marker(study)
        if "peers" in item.keywords and not has_peers:
            item.add_marker(peers)
    # Files go to workers whole, one after another: those that take long must not come last.
    there = Counter(item.path for item in items if not item.get_closest_marker("skip"))
    there[Path(__file__).parent / "project" / "test_quality.py"] = len(items)  # the type checker
    items.sort(key=lambda item: -there[item.path])
