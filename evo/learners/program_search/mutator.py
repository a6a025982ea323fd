"""Mutators: a program, a function of a Python file, or the edits of this project.

A mutator gets a request and returns an answer, both as JSON has them (``docs/learners.md``).
"""

from __future__ import annotations

import ast
import contextlib
import json
import math
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from evo.learners.program_search.edits import edited
from tournaments import code_files
from tournaments.errors import ConfigError, TournamentError, nearest, shown, storable
from tournaments.players.bot.command import command_of
from tournaments.players.bot.sandbox import KEPT

EDITS = "edits"
"""The name of this project's mutator."""
MOST_BYTES = 1 << 20
"""Maximum size of a child in bytes."""
MOST_TOLD = 400
"""Maximum number of characters of an error that is recorded."""
LEAST_SECRET = 6
"""Minimum length of the value of a variable that is kept out of records."""
Mutator = Callable[[dict[str, Any], float], Any]
"""Function (request, seconds) -> answer."""


class MutatorError(Exception):
    """A failed call of a mutator. The message describes the failure and follows ``the mutator``."""


class Child(NamedTuple):
    """The answer of a mutator.

    Attributes:
        source: the text of the child.
        note: a remark on the change.
        cost: the cost of the call, in any unit.
    """

    source: str
    note: str
    cost: float


@dataclass(frozen=True)
class ProgramMutator:
    """A program that reads a request from standard input and writes its answer as JSON.

    Attributes:
        words: the command line.
        folder: the working directory; None: that of this process.
        variables: names of variables of the environment that are passed to the program.
    """

    words: tuple[str, ...]
    folder: str | None
    variables: tuple[str, ...]

    def __call__(self, request: dict[str, Any], seconds: float) -> Any:
        """Run the program and return its answer.

        Raises:
            TimeoutError: the program takes longer than ``seconds``. It is killed.
            MutatorError: it fails, or writes no JSON.
        """
        names = (*KEPT, *self.variables)
        process = subprocess.Popen(
            self.words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            env={name: os.environ[name] for name in names if name in os.environ},
            start_new_session=True,
        )
        try:
            output, errors = process.communicate(json.dumps(request).encode(), seconds)
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process.returncode:
            words = errors.decode(errors="replace").strip().split("\n")[-1]
            raise MutatorError(f"ended with status {process.returncode}: {words}")
        try:
            return json.loads(output)
        except ValueError:
            raise MutatorError(f"wrote {shown(output[:100].decode(errors='replace'))}") from None


def mutator_of(name: str, variables: Sequence[str], read_from: str) -> Mutator:
    """Return the mutator that a configuration names.

    Args:
        name: ``edits``, a function ``FILE.py:NAME``, or the command line of a program.
        variables: names of variables of the environment for the program.
        read_from: the folder of an untrusted run that names the mutator; empty: the user names it.

    Raises:
        ConfigError: there is no such function or program, a variable is not set, or the run is not
            trusted.
    """
    if name == EDITS:
        return lambda request, seconds: edited(request)
    if read_from:
        raise ConfigError(
            f"{read_from} names the mutator {shown(name)}, which is not started without your word: "
            "if you trust it, add --trust (trust=True)"
        )
    for variable in variables:
        if variable not in os.environ:
            raise ConfigError(
                f"learner.environment={variable!r} given; there is no such variable in the "
                f"environment: set it by export {variable}=..."
            )
    try:
        if not code_files.names_thing(name):
            command = command_of(name)
            return ProgramMutator(command.words, command.folder, tuple(variables))
        functions = vars(code_files.module_of(code_files.read(name)))
    except TournamentError as error:
        raise ConfigError(f"learner.mutator={name!r} given; {error}") from None
    wanted = name.rpartition(":")[2]
    function = functions.get(wanted)
    if not callable(function):
        raise ConfigError(
            f"learner.mutator={name!r} given; the file has no function {wanted}"
            f"{nearest(wanted, functions)}"
        )
    return lambda request, seconds: function(request)


def child_of(answer: Any, suffix: str, secrets: Mapping[str, str]) -> Child:
    """Return the child in the answer of a mutator after a check.

    Args:
        answer: ``{"child": TEXT, "note": TEXT, "cost": NUMBER}``, or the text of the child.
        suffix: the ending of the names of programs. Python programs must be free of syntax errors.
        secrets: names of variables by their values, which are replaced in the texts.

    Raises:
        MutatorError: the answer has another form, or the child is no valid program.
    """
    if isinstance(answer, str):
        answer = {"child": answer}
    given = answer if isinstance(answer, Mapping) else {}
    source, note, cost = given.get("child"), given.get("note", ""), given.get("cost", 0.0)
    if not isinstance(source, str) or not isinstance(note, str):
        raise MutatorError(f'returned {shown(answer)}; {{"child": "the program"}} is expected')
    if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 <= cost < math.inf:
        raise MutatorError(f"returned the cost {shown(cost)}; a number from 0 is expected")
    try:
        size = len(source.encode())
        if suffix == ".py":
            ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise MutatorError(f"returned a program that is not valid: {error}") from None
    if size > MOST_BYTES:
        raise MutatorError(f"returned {size:,} bytes; at most {MOST_BYTES:,} are expected")
    return Child(without(secrets, source), storable(without(secrets, note)), float(cost))


def secrets_of(variables: Sequence[str]) -> dict[str, str]:
    """Return the names of variables of the environment by their values, short values apart."""
    values = {os.environ.get(name, ""): name for name in variables}
    return {value: name for value, name in values.items() if len(value) >= LEAST_SECRET}


def without(secrets: Mapping[str, str], text: str) -> str:
    """Return a text with the names of variables in place of their values."""
    for value, name in secrets.items():
        text = text.replace(value, f"[{name}]")
    return text
