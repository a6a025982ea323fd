"""The linter and the type checker find nothing."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest
from processes import ROOT

LINT_IMPORTS = "from importlinter.cli import lint_imports_command; lint_imports_command()"
COMMANDS = [
    ("ruff", ["-m", "ruff", "check", "--no-cache", "."]),
    ("ruff", ["-m", "ruff", "format", "--no-cache", "--check", "."]),
    pytest.param("mypy", ["-m", "mypy"], marks=pytest.mark.slow),  # half a minute
    ("importlinter", ["-c", LINT_IMPORTS, "--no-cache"]),
]


@pytest.mark.parametrize(("tool", "arguments"), COMMANDS)
def test_the_code_is_clean(tool, arguments):
    if tool == "mypy" and sys.version_info[:2] != (3, 11):
        pytest.skip("types are checked by the numpy of the oldest Python: later ones differ")
    if importlib.util.find_spec(tool) is None:
        pytest.fail(f"{tool} is not installed; install it with: pip install -e '.[test]'")
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{tool} finds:\n{done.stdout}{done.stderr}"
