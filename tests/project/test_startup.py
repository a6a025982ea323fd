"""What a process loads, and when: nothing heavy before it is needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from processes import ROOT

from evo.cli.main import COMMANDS

HEAVY = {
    *("numpy", "numba", "llvmlite", "scipy", "ray", "pandas", "pyarrow", "matplotlib"),
    *("deap", "cmaes", "rich", "duckdb", "polars", "jinja2"),
}
LOADED = "import json, sys; print(json.dumps([n for n in sys.modules if '.' not in n]))"


def said_by(script: str, *arguments: str, **variables: str) -> list[list[str]]:
    """The lines of JSON that a process of its own prints."""
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('["')]


def loaded_after(script: str, *arguments: str) -> set[str]:
    """Which of the heavy packages a process has loaded once it has run a script."""
    return HEAVY & set(said_by(f"{script}\n{LOADED}", *arguments)[-1])


COMMAND = """
import sys
from evo.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
"""
HELPS = [["--help"], [], ["--version"], ["rnu"], *([name, "--help"] for name in COMMANDS.names())]


@pytest.mark.parametrize("arguments", HELPS, ids=" ".join)
def test_what_needs_no_work_loads_nothing_heavy(arguments: list[str]):
    assert loaded_after(COMMAND, *arguments) == set()


IMPORTS = {
    "evo": set(),
    "results": set(),
    "tournaments": set(),
    "evo.cli.main": set(),
    "results.errors": set(),
    "results.format.schema": {"pyarrow", "numpy"},
    "cluster": {"numpy"},
    "evo.cli.commands.run": set(),
    "evo.studies": set(),
    "results.read.run": {"pyarrow", "numpy"},
    "evo.evolution.runs": {"pyarrow", "numpy", "deap"},
}
"""Heavy packages that a module of ours may load when it is imported."""


@pytest.mark.parametrize("module", IMPORTS)
def test_an_import_loads_what_it_needs_and_no_more(module: str):
    assert loaded_after(f"import {module}") <= IMPORTS[module]


@pytest.mark.parametrize("name", ["games", "config"])
def test_lists_load_neither_pandas_nor_a_compiler(name: str):
    loaded = loaded_after(COMMAND, name)
    assert not loaded & {"numba", "pandas", "pyarrow", "ray", "matplotlib", "rich"}


SMALL = {"population": 8, "generations": 2, "snapshot_interval": 1}
RUN = """
import json, sys, evo
def tell(progress):
    print(json.dumps(list(sys.modules)))
run = evo.run(sys.argv[1], json.loads(sys.argv[2]), threads=2, report=tell)
print(json.dumps(list(sys.modules)))
run.generations
print(json.dumps(list(sys.modules)))
"""


def test_a_run_loads_pandas_when_its_tables_are_read_and_ray_never(tmp_path):
    said = said_by(RUN, str(tmp_path / "run"), json.dumps(SMALL))
    *generations, at_the_end, read = [HEAVY & set(names) for names in said]
    assert len(generations) == 3
    needed = {"numpy", "numba", "llvmlite", "pyarrow", "deap"}
    for loaded in [*generations, at_the_end]:
        assert needed <= loaded <= needed | {"scipy"}  # numba looks for scipy
    assert "pandas" in read
    assert not read & {"ray", "matplotlib", "rich"}


@pytest.mark.slow
def test_a_run_that_can_keep_nothing_but_itself_comes_to_the_same(tmp_path):
    """No cache folder, no bytecode: only the run's own folder can be written."""
    (tmp_path / "file").touch()
    nowhere = str(tmp_path / "file" / "cache")
    refused = {"EVO_CACHE_DIR": nowhere, "HOME": nowhere, "XDG_CACHE_HOME": nowhere}
    said_by(RUN, str(tmp_path / "usual"), json.dumps(SMALL))
    said_by(RUN, str(tmp_path / "bare"), json.dumps(SMALL), PYTHONPYCACHEPREFIX=nowhere, **refused)
    usual, bare = (
        {path.name: path.read_bytes() for path in (tmp_path / name / "snapshots").iterdir()}
        for name in ("usual", "bare")
    )
    assert len(usual) == 3
    assert usual == bare


def in_folder(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``python -m evo`` as a user starts it there."""
    variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, "-m", "evo", *arguments],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def strays(tmp_path: Path) -> Path:
    """A folder of modules that say so when they are imported, by the names of others."""
    names = ("typing", "argparse", "random", "numpy", "deap", "rich", "tournaments", "results")
    for name in (*names, "cluster", "bottleneck", "operators_here"):
        text = f"open({str(tmp_path / f'{name}.imported')!r}, 'w')\ndef keep(one): return (one,)\n"
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


def imported(folder: Path) -> set[str]:
    return {path.stem for path in folder.glob("*.imported")}


@pytest.mark.slow
def test_nothing_is_imported_from_the_current_folder_by_accident(strays: Path):
    for arguments in (["--version"], ["games"], ["config", "--set", "learner.mutation=numpy.keep"]):
        done = in_folder(strays, *arguments)
        assert (done.returncode, done.stderr) == (0, "")
        assert imported(strays) == set()


@pytest.mark.slow
def test_an_operator_of_the_current_folder_is_found_by_a_wish_to_run_it(strays: Path):
    flags = ["run", "--game", "dots-and-boxes:rows=1,cols=1", "--population", "4"]
    flags += ["--generations", "1", "--threads", "1", "--out", "run", "--set"]
    done = in_folder(strays, *flags, "learner.mutation=operators_here.keep")
    assert done.returncode == 0, done.stderr
    assert imported(strays) == {"operators_here"}
    (strays / "operators_here.imported").unlink()
    done = in_folder(strays, "resume", "run", "--generations", "2", "--threads", "1")
    assert (done.returncode, imported(strays)) == (2, set())
    done = in_folder(strays, "resume", "run", "--generations", "2", "--threads", "1", "--trust")
    assert (done.returncode, imported(strays)) == (0, {"operators_here"})


@pytest.mark.slow
def test_a_checkout_that_is_not_installed_runs():
    code = (
        "import os, runpy, sys\n"
        "sys.meta_path[:] = [one for one in sys.meta_path if 'editable' not in repr(one)]\n"
        "sys.path[:] = [os.getcwd(), *(one for one in sys.path[1:] if one != os.getcwd())]\n"
        "sys.argv = ['evo', 'games']\n"
        "runpy.run_module('evo', run_name='__main__', alter_sys=False)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "dots-and-boxes" in done.stdout
