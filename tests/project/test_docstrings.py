"""``help`` of what the packages offer says what it takes and what it raises."""

from __future__ import annotations

import inspect

import pytest

import evo
import results
import tournaments

FUNCTIONS = {
    f"{package.__name__}.{name}": getattr(package, name)
    for package in (evo, tournaments, results)
    for name in package.__all__
    if inspect.isfunction(getattr(package, name))
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_help_names_each_argument_and_the_errors(name):
    text = inspect.getdoc(FUNCTIONS[name]) or ""
    assert "Raises:" in text
    lacking = [key for key in inspect.signature(FUNCTIONS[name]).parameters if key not in text]
    assert lacking == []
