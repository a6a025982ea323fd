"""The mutator ``edits``, for tests and examples: constants, order of lines, exchanged functions."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

TRIES = 30
"""Maximum number of edits that are tried until one gives a valid program that differs."""
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
Edit = Callable[[str, random.Random], str]


def edited(request: dict[str, Any]) -> dict[str, Any]:
    """Return an answer to a request: a child of its parents.

    With two parents that are Python programs, a function of the second parent replaces the function
    of the same name. Otherwise a number changes, or a line moves or is deleted.
    """
    rng = random.Random(request["seed"])
    is_python = request["suffix"] == ".py"
    source, *others = (parent["source"] for parent in request["parents"])
    if others and is_python:
        child = crossed(source, others[0], rng)
        if child != source:
            return {"child": child, "note": "crossover of a function"}
    for _ in range(TRIES):
        name = rng.choices([*EDITS], WEIGHTS)[0]
        child = EDITS[name](source, rng)
        if child != source and not (is_python and not is_valid(child)):
            return {"child": child, "note": name}
    return {"child": source, "note": "no edit gave a valid program"}


def is_valid(source: str) -> bool:
    """Return whether a Python program has no syntax error."""
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True


def change_constant(source: str, rng: random.Random) -> str:
    """Change a number: by a normal step, or by 1 for a whole number."""
    found = list(NUMBER.finditer(source))
    if not found:
        return source
    place = rng.choice(found)
    text = place[0]
    if "." in text:
        text = f"{abs(float(text) * (1 + rng.gauss(0, 0.3)) + rng.gauss(0, 0.05)):.4g}"
        text = text if "." in text or "e" in text else f"{text}.0"
    else:
        text = str(abs(int(text) + rng.choice((-1, 1))))
    return source[: place.start()] + text + source[place.end() :]


def move_line(source: str, rng: random.Random) -> str:
    """Move a line to another place, where it takes the indentation of the line that it precedes."""
    lines = source.split("\n")
    if len(lines) < 3:
        return source
    line = lines.pop(rng.randrange(len(lines) - 1)).strip()
    place = rng.randrange(len(lines))
    indent = lines[place][: len(lines[place]) - len(lines[place].lstrip())]
    return "\n".join([*lines[:place], indent + line, *lines[place:]])


def delete_line(source: str, rng: random.Random) -> str:
    """Delete a line."""
    lines = source.split("\n")
    place = rng.randrange(len(lines))
    return "\n".join([*lines[:place], *lines[place + 1 :]])


def crossed(source: str, other: str, rng: random.Random) -> str:
    """Return a Python program with a function of another program in place of its own."""
    try:
        own, theirs = dict(_functions(source)), dict(_functions(other))
    except (SyntaxError, ValueError):
        return source
    lines, from_lines = source.split("\n"), other.split("\n")
    differing = [
        name for name in own if name in theirs and lines[own[name]] != from_lines[theirs[name]]
    ]
    if not differing:
        return source
    name = rng.choice(differing)
    lines[own[name]] = from_lines[theirs[name]]
    return "\n".join(lines)


def _functions(source: str) -> Iterator[tuple[str, slice]]:
    """Yield the name and the lines of each function at the top level of a program."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            yield node.name, slice(first - 1, node.end_lineno)


EDITS: dict[str, Edit] = {
    "constant": change_constant,
    "moved line": move_line,
    "deleted line": delete_line,
}
WEIGHTS = (3, 1, 1)
"""Relative frequencies of the edits."""
