"""The benchmark of structure counts what it says it counts."""

from __future__ import annotations

import ast

from benchmarks import structure

SOURCE = '''"""A docstring
of two lines."""

import os
from a import (
    b,
)


def f(self, x, *, y, **more):
    """Another one."""
    # A comment.
    text = """A text
    of two lines."""
    return (
        text
    )
'''


def test_lines_of_code_are_no_docstrings_imports_comments_or_blank_lines():
    assert structure.code_lines(SOURCE) == 6


def test_parameters_are_those_that_a_caller_names():
    function = next(node for node in ast.parse(SOURCE).body if isinstance(node, ast.FunctionDef))
    assert structure.num_parameters(function) == 2


def test_calls_between_files_of_the_product_are_hops():
    from tournaments import games

    with structure.counted() as calls:
        games.make("nim")
    assert calls.own > calls.hops > 0
    assert any(file.endswith("/rules.py") for file in calls.files)
    assert not any(file.startswith("tests") for file in calls.files)


def test_the_layers_are_those_that_the_linter_holds():
    layers = structure.import_layers("tournaments")
    assert "errors" in layers[-1]
