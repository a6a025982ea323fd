"""Linking, compiling and caching of kernels."""

from __future__ import annotations

import hashlib
import importlib
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tournaments import games, kernels
from tournaments.arena import Field, hooks_for, play_matches, play_pairs
from tournaments.encoding import Encoding, layers_for
from tournaments.hooks import legal, play
from tournaments.kernels import KernelError, build, is_cached, kernel, link
from tournaments.players import network, random
from tournaments.rng import generator, match_seeds

ROOT = Path(kernels.__file__).parents[1]

SMALL = 3
WIDE = np.uint64(2**63)
FAR = float("-inf")
NOWHERE = math.nan
LISTED = [1, 2, 3]


@kernel
def twice(x):
    """A helper."""
    return x + x


@kernel
def entry(values):
    """Uses a helper, numbers, and numpy."""
    total = np.float64(0.0)
    for index in range(values.size):
        total += twice(values[index]) + SMALL
    return total if total > FAR else NOWHERE


@kernel
def wide(values):
    values[0] = values[0] + WIDE


@kernel
def uses_a_list(values):
    return LISTED[0] + values[0]


@kernel
def counts_legal(board, state, actions):
    return legal(board, state, actions) + play(board, state, 0)


@kernel
def ping(x):
    return pong(x)


@kernel
def pong(x):
    return ping(x)


def shell(script: str, cache: Path | str, **extra: str) -> str:
    """What a fresh interpreter prints, warnings being errors."""
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{Path(__file__).parent}",
        "EVO_CACHE_DIR": str(cache),
        "PYTHONWARNINGS": "error",
        **extra,
    }
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


def test_a_kernel_stays_an_ordinary_function():
    assert entry(np.array([1.0, 2.0])) == 12.0
    assert twice("ab") == "abab"
    assert entry.__doc__ == "Uses a helper, numbers, and numpy."


@pytest.mark.parametrize("compiled", [False, True])
def test_linked_kernels_compute_what_the_plain_ones_do(compiled):
    values = np.arange(10.0)
    assert build(entry, compiled=compiled)(values) == entry(values)
    words = np.array([2**63 + 5], dtype=np.uint64)
    with np.errstate(over="ignore"):
        build(wide, compiled=compiled)(words)
    assert words[0] == 5


def test_constants_that_are_no_numbers_of_python_source_are_linked():
    text = link(entry, {})
    assert "float('-inf')" in text
    assert "float('nan')" in text
    assert build(entry)(np.array([FAR])) is not None


def test_a_hook_that_nothing_fills_is_named_with_those_that_are():
    with pytest.raises(KernelError, match=r"hook 'play'.*\(filled: legal\)"):
        build(counts_legal, {"legal": random.begin})


def test_a_global_that_cannot_be_linked_is_named():
    with pytest.raises(KernelError, match=r"'uses_a_list' uses 'LISTED', a list"):
        build(uses_a_list)


def test_kernels_that_call_one_another_in_a_circle_are_refused():
    with pytest.raises(KernelError, match="calls itself"):
        build(ping)


def test_variables_of_an_enclosing_function_are_refused():
    hidden = 3

    @kernel
    def inner(x):
        return x + hidden

    with pytest.raises(KernelError, match="enclosing function"):
        build(inner)


def test_linked_text_depends_on_the_fillings():
    game = games.make("dots-and-boxes")
    one = link(play_matches, hooks_for(game, network.KIND, network.KIND))
    other = link(play_matches, hooks_for(game, network.KIND, random.KIND))
    assert one != other
    assert one == link(play_matches, hooks_for(game, network.KIND, network.KIND))


HELPER = """
from tournaments.kernels import kernel
STEP = {step}
@kernel
def helper(x):
    return x {operator} STEP
"""
ENTRY = """
from tournaments.kernels import kernel
import edited_helper
from edited_helper import helper
@kernel
def entry(x):
    return helper(x) * 10 + edited_helper.STEP
"""


def test_an_edit_in_another_file_is_never_served_stale(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "edited_entry.py").write_text(ENTRY)
    results, texts = [], set()
    for operator, step in (("+", 1), ("+", 2), ("-", 2), ("+", 1)):
        (tmp_path / "edited_helper.py").write_text(HELPER.format(operator=operator, step=step))
        for name in ("edited_helper", "edited_entry"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        for compiled_before in tmp_path.glob("__pycache__/*"):
            compiled_before.unlink()
        entry_module = importlib.import_module("edited_entry")
        results.append(build(entry_module.entry)(5))
        texts.add(link(entry_module.entry, {}))
    assert results == [61, 72, 32, 61]
    assert len(texts) == 3


# --- processors and cache folders ----------------------------------------------------------------

OUTCOMES = """
import test_kernels as here
print(here.digest_of_network_games(3), here.digest_of_network_games(5))
"""


def digest_of_network_games(size: int, matches: int = 1500) -> str:
    game = games.make("dots-and-boxes", rows=size, cols=size)
    encoding = Encoding(layers_for(game))
    rng = generator(1, "networks")
    weights = rng.uniform(-64, 64, (40, encoding.num_weights)) * rng.choice([1, 0.1], (40, 1))
    parameters = network.from_genomes(encoding, encoding.encode(weights))
    pairs = rng.integers(0, 40, (matches, 2)).astype(np.int32)
    entrants = Field(game, network.KIND, parameters)
    outcomes = play_pairs(entrants, pairs, match_seeds(1, "games", 0, matches))
    return hashlib.sha256(outcomes.tobytes()).hexdigest()


def test_outcomes_are_the_same_bytes_when_compiled_for_another_processor():
    here = f"{digest_of_network_games(3)} {digest_of_network_games(5)}"
    folder = os.environ["EVO_CACHE_DIR"]
    assert shell(OUTCOMES, folder, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="") == here


ADD = """
import numpy as np, test_kernels as here
from tournaments.kernels import build
print(build(here.entry)(np.arange(4.0)))
"""


def test_a_cache_folder_that_cannot_be_made_is_no_hindrance(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    assert shell(ADD, tmp_path / "file" / "cache") == "24.0"


def test_a_cache_folder_that_takes_no_compiled_code_is_no_hindrance(tmp_path):
    """The linked text is there, but nothing can be written beside it, nor in the home folder."""
    assert shell(ADD, tmp_path / "cache") == "24.0"
    (linked,) = tmp_path.glob("cache/kernels/*/linked.py")
    shutil.rmtree(linked.parent / "__pycache__")
    for blocked in (linked.parent / "__pycache__", tmp_path / "home"):
        blocked.write_text("not a folder")
    home = str(tmp_path / "home")
    assert shell(ADD, tmp_path / "cache", HOME=home, XDG_CACHE_HOME=home) == "24.0"


def test_processes_may_share_an_empty_cache_folder(tmp_path):
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT}{os.pathsep}{Path(__file__).parent}",
        "EVO_CACHE_DIR": str(tmp_path),
    }
    started = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", ADD],
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(3)
    ]
    finished = [process.communicate(timeout=300) for process in started]
    assert finished == [("24.0\n", "")] * 3
    assert not list(tmp_path.glob("**/*.tmp"))


def test_what_was_compiled_is_found_again(tmp_path, monkeypatch):
    monkeypatch.setenv("EVO_CACHE_DIR", str(tmp_path))
    assert not is_cached(entry)
    shell(ADD, tmp_path)
    assert is_cached(entry)
