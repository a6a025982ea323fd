"""An import of a module that moved says where the module is now."""

from __future__ import annotations

import importlib
import pkgutil
import re
import subprocess
import sys
import tomllib

import pytest
from processes import ROOT

MOVED = tomllib.loads((ROOT / "tournaments/moved.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", MOVED)
def test_an_import_of_a_moved_module_names_a_module_that_exists(name: str):
    with pytest.raises(ModuleNotFoundError, match=re.escape(MOVED[name])):
        importlib.import_module(name)
    for place in re.findall(r"(?:evo|tournaments|cluster|results)(?:\.\w+)+", MOVED[name]):
        pkgutil.resolve_name(place)


@pytest.mark.parametrize("name", ["evo.evaluation.advice", "tournaments.rule_types"])
def test_a_new_process_names_the_place_of_a_moved_module(name: str):
    command = [sys.executable, "-c", f"import {name}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"{name} moved: see {MOVED[name]}" in done.stderr
