"""Completion in the shell, as the shell's function asks for it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from processes import ROOT

pytest.importorskip("argcomplete")
ASK = "import os; os.dup2(1, 8); from evo.cli.main import main; main()"


def completions(line: str) -> list[str]:
    """Return what the shell offers after a line."""
    asked = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_SHELL": "bash", "COMP_TYPE": "9", "IFS": "\v"}
    asked |= {"COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_SUPPRESS_SPACE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        cwd=ROOT,
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=True,
    )
    return [word.strip() for word in done.stdout.split("\v")]


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("evo best", "best-response"),
        ("evo run --popu", "--population"),
        ("evo run --game cat-t", "cat-trap"),
        ("evo run --scheme round", "round-robin"),
        ("evo run --set learner.mutation_p", "learner.mutation_probability="),
        ("evo tournament nim random opti", "optimal"),
        ("evo tournament nim random --schedule gau", "gauntlet"),
        ("evo evaluate tests/dat", "tests/data/"),
    ],
)
def test_the_only_completion_is_offered(line, word):
    assert completions(line) == [word]


def test_all_commands_are_offered():
    assert {"run", "resume", "tournament", "check-game"} <= set(completions("evo "))
