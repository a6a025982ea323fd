"""The linter and the type checker find nothing."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = {"ruff": ["check", "--no-cache", "."], "mypy": []}


@pytest.mark.parametrize("tool", COMMANDS)
def test_the_code_is_clean(tool):
    if importlib.util.find_spec(tool) is None:
        pytest.fail(f"{tool} is not installed; install it with: pip install -e '.[test]'")
    done = subprocess.run(
        [sys.executable, "-m", tool, *COMMANDS[tool]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{tool} finds:\n{done.stdout}{done.stderr}"
