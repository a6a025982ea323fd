"""Linking, compiling and caching of kernels."""

from __future__ import annotations

import hashlib
import importlib
import linecache
import math
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from processes import ROOT

from tournaments import games
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants, Genomes
from tournaments.arena.loops import (
    hooks_for,
    play_matches,
)
from tournaments.kernels import linker as kernels
from tournaments.kernels import memoryless
from tournaments.kernels.hooks import legal, play
from tournaments.kernels.linker import KernelError, build, kernel, link, numba_inlines
from tournaments.kernels.rng import generator, match_seeds
from tournaments.players import random
from tournaments.players.network import Encoding, layers_for
from tournaments.players.network import play as network

SMALL = 3
WIDE = np.uint64(2**63)
FAR = float("-inf")
NOWHERE = math.nan
LISTED = [1, 2, 3]
PLACES = os.pathsep.join(map(str, (ROOT, ROOT / "tests", Path(__file__).parent)))


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
        "PYTHONPATH": PLACES,
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
    text = link(entry, {}).text
    assert "float('-inf')" in text
    assert "float('nan')" in text
    assert math.isnan(build(entry)(np.array([FAR])))
    assert build(entry)(np.array([-1e300])) == -2e300


def test_a_hook_that_nothing_fills_is_named_with_those_that_are():
    with pytest.raises(KernelError, match=r"hook 'play'.*\(filled: legal\)"):
        build(counts_legal, {"legal": memoryless.begin})


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
    one = link(play_matches, hooks_for(game, network.KIND, network.KIND)).text
    other = link(play_matches, hooks_for(game, network.KIND, random.KIND)).text
    assert one != other
    assert one == link(play_matches, hooks_for(game, network.KIND, network.KIND)).text


@kernel
def lowest(x):
    return x + 1


@kernel
def middle(x):
    return lowest(x) * 2


@kernel
def above(x):
    return middle(x) + 3


@pytest.mark.parametrize("levels", [0, 1, 2])
def test_numba_inlines_as_many_levels_of_calls_as_an_entry_says(levels):
    @numba_inlines(levels)
    def topmost(x):
        return above(x) + 4

    text = link(topmost, {}).text
    by_numba = re.findall(r"inline='always'\)\ndef \w+__(\w+)", text)
    assert by_numba == ["middle", "above"][2 - levels :]
    assert text.count("forceinline=True") == 3 - levels
    assert build(topmost)(5) == topmost(5) == 19


# --- names ---------------------------------------------------------------------------------------


def module_of(name: str, text: str) -> ModuleType:
    """A module made of text, of which kernels can take their source."""
    module = ModuleType(name)
    source = f"from tournaments.kernels.linker import kernel\n{text}"
    place = f"<{name} {hashlib.sha256(source.encode()).hexdigest()}>"
    linecache.cache[place] = (len(source), None, source.splitlines(keepends=True), place)
    exec(compile(source, place, "exec"), module.__dict__)
    return module


def linked_by(entry_text: str, **taken: object) -> object:
    """An entry kernel of a module that was given these things, built and called with 5."""
    made = module_of("clashing", f"@kernel\ndef entry(x):\n    return {entry_text}\n")
    made.entry.__globals__.update(taken)
    assert link(made.entry, {}).text == link(made.entry, {}).text
    results = {build(made.entry, compiled=compiled)(5) for compiled in (False, True)}
    assert len(results) == 1
    return results.pop()


def adder(module: str, name: str, step: int):
    text = f"STEP = {step}\n@kernel\ndef {name}(x):\n    return x + STEP\n"
    return getattr(module_of(module, text), name)


def test_two_kernels_of_one_name_in_one_module_stay_apart():
    first, second = adder("one", "step", 10), adder("one", "step", 300)
    assert linked_by("first(x) * 1000 + second(x)", first=first, second=second) == 15305


def test_modules_whose_names_become_one_stay_apart():
    first, second = adder("a.b_c", "step", 10), adder("a_b.c", "step", 300)
    assert linked_by("first(x) * 1000 + second(x)", first=first, second=second) == 15305


def test_a_suffix_is_not_taken_for_a_name_that_a_kernel_has():
    named = [adder("one", name, step) for name, step in (("f_2", 1), ("f", 20), ("f", 300))]
    taken = dict(zip("abc", named, strict=True))
    assert linked_by("a(x) * 1000000 + b(x) * 1000 + c(x)", **taken) == 6025305


def test_a_kernel_may_call_another_one_of_its_name():
    entry = adder("clashing", "entry", 10)
    assert linked_by("other(x) * 2", other=entry) == 30


def test_a_constant_does_not_take_the_name_of_the_entry():
    shadow = module_of("clashing", "")
    shadow.entry = 7
    assert linked_by("shadow.entry * x", shadow=shadow) == 35


def test_a_constant_of_two_values_keeps_both():
    one, other = module_of("one", "STEP = 1"), module_of("other", "STEP = 200")
    assert linked_by("one.STEP * 1000 + other.STEP + one.STEP", one=one, other=other) == 1201


# --- what differs between processors -------------------------------------------------------------

REFUSED = {
    "np.exp(x)": "np.exp",
    "np.log(x)": "np.log",
    "np.tanh(x)": "np.tanh",
    "np.sum(values)": "np.sum",
    "np.dot(values, values)": "np.dot",
    "np.mean(values)": "np.mean",
    "np.random.random()": "np.random",
    "np.zeros(3)[0]": "np.zeros",
    "numpy.exp(x)": "np.exp",
    "here.np.exp(x)": "'np', a module",
    "values.sum()": ".sum()",
    "(values + 1).mean()": ".mean()",
    "math.exp(x)": "math.exp",
    "math.pow(x, 3)": "math.pow",
    "x ** 0.5": "**",
    "values @ values": "@",
    "pow(x, 0.5)": "pow",
    "sum(values)": "sum",
}


def kernel_of(expression: str):
    here = ModuleType("here")
    here.__dict__["np"] = np
    text = f"@kernel\ndef measure(x, values):\n    return {expression}\n"
    made = module_of("measures", text).measure
    made.__globals__.update(np=np, numpy=np, math=math, here=here)
    return made


@pytest.mark.parametrize("expression", REFUSED)
@pytest.mark.parametrize("compiled", [False, True])
def test_what_differs_between_processors_is_refused_by_name(expression, compiled):
    with pytest.raises(KernelError, match=re.escape(f"'measure' uses {REFUSED[expression]}")) as e:
        build(kernel_of(expression), compiled=compiled)
    assert "tournaments.kernels.arithmetic" in str(e.value) or "a module" in str(e.value)


EXACT = (
    "np.sqrt(x) + np.floor(x) + np.ceil(x) + np.rint(x) + np.abs(-x) + np.minimum(x, 1.0)"
    " + np.maximum(x, 9.0) + np.isnan(x) + np.int8(x) + np.pi + math.pi + math.sqrt(x)"
    " + math.floor(x) + numpy.uint64(3) + values.view(np.int64)[0] * 1e-30"
)


def test_what_is_exact_everywhere_may_be_used():
    made, values = kernel_of(EXACT), np.array([2.0])
    assert build(made)(2.5, values) == build(made, compiled=False)(2.5, values)
    assert build(made)(2.5, values) == made(2.5, values)


# --- what numba refuses --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("[x, x][0]", "it allocates"),
        ("np.abs(values)[0]", "it allocates"),
        ("x + missing", "'missing' is not defined"),
    ],
)
def test_what_numba_cannot_compile_is_a_kernel_error_with_the_rule(expression, said):
    with pytest.raises(KernelError) as raised:
        build(kernel_of(expression))(2.0, np.array([2.0]))
    message = str(raised.value)
    assert message.startswith("kernel 'measure' cannot be compiled: ")
    assert said in message
    assert "Kernels allocate nothing" in message
    assert "\n" not in message


def test_an_argument_that_numba_does_not_know_is_a_kernel_error():
    with pytest.raises(KernelError, match="'entry' cannot take what it was given"):
        build(entry)(object())


# --- edits ---------------------------------------------------------------------------------------

HELPER = """
from tournaments.kernels.linker import kernel
STEP = {step}
@kernel
def helper(x):
    return x {operator} STEP
"""
ENTRY = """
from tournaments.kernels.linker import kernel
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
        texts.add(link(entry_module.entry, {}).text)
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
    population = Genomes(encoding, encoding.encode(weights))
    pairs = rng.integers(0, 40, (matches, 2)).astype(np.int32)
    entrants = Entrants(game, (), (population,))
    outcomes = play_pairs(entrants, pairs, match_seeds(1, "games", 0, matches))
    return hashlib.sha256(outcomes.tobytes()).hexdigest()


@pytest.mark.slow
def test_outcomes_are_the_same_bytes_when_compiled_for_another_processor():
    here = f"{digest_of_network_games(3)} {digest_of_network_games(5)}"
    folder = os.environ["EVO_CACHE_DIR"]
    assert shell(OUTCOMES, folder, NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="") == here


ADD = """
import numpy as np, test_kernels as here
from tournaments.kernels.linker import build
print(build(here.entry)(np.arange(4.0)))
"""


@pytest.mark.slow
def test_a_cache_folder_that_cannot_be_made_is_no_hindrance(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    assert shell(ADD, tmp_path / "file" / "cache") == "24.0"


@pytest.mark.slow
def test_a_cache_folder_that_takes_no_compiled_code_is_no_hindrance(tmp_path):
    """The linked text is there, but nothing can be written beside it, nor in the home folder."""
    assert shell(ADD, tmp_path / "cache") == "24.0"
    (linked,) = tmp_path.glob("cache/kernels/*/linked.py")
    shutil.rmtree(linked.parent / "__pycache__")
    for blocked in (linked.parent / "__pycache__", tmp_path / "home"):
        blocked.write_text("not a folder")
    home = str(tmp_path / "home")
    assert shell(ADD, tmp_path / "cache", HOME=home, XDG_CACHE_HOME=home) == "24.0"


@pytest.mark.slow
def test_processes_may_share_an_empty_cache_folder(begin, tmp_path):
    environment = {**os.environ, "PYTHONPATH": PLACES, "EVO_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-W", "error", "-c", ADD]
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    started = [begin(command, env=environment, **pipes) for _ in range(3)]
    finished = [process.communicate(timeout=300) for process in started]
    assert finished == [("24.0\n", "")] * 3
    assert not list(tmp_path.glob("**/*.tmp"))


def test_threads_that_build_at_once_get_one_kernel_each_time():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads take turns as often as they can
    try:
        with ThreadPoolExecutor(4) as pool:
            for _ in range(100):
                kernels._build.cache_clear()
                asked = [pool.submit(build, entry, compiled=False) for _ in range(4)]
                built = [future.result() for future in asked]
                assert all(one is built[0] for one in built)
    finally:
        sys.setswitchinterval(interval)
        kernels._build.cache_clear()
