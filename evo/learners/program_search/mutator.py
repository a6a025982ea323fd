"""Mutators: a program, a function of a Python file, or the edits of this project.

A mutator gets a request and returns an answer, both as JSON has them (``docs/learners.md``).
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from selectors import EVENT_READ, EVENT_WRITE
from typing import Any, NamedTuple

from evo.genomes.program import MOST_BYTES
from evo.learners.program_search.edits import edited
from tournaments import code_files
from tournaments.errors import ConfigError, TournamentError, nearest, shown, signal_name, storable
from tournaments.players.bot.command import command_of
from tournaments.players.bot.sandbox import KEPT
from tournaments.players.bot.warden import warden

EDITS = "edits"
"""The name of this project's mutator."""
MOST_QUOTED = 100
"""Maximum number of characters that are quoted of what a program wrote."""
MOST_TOLD = 400
"""Maximum number of characters of an error that is recorded."""
MOST_NOTE = 10_000
"""Maximum number of characters of a note that is recorded."""
MOST_WRITTEN = 16 * MOST_BYTES
"""Maximum number of bytes that a program may write: JSON, with escaped letters, and a note."""
POLL_SECONDS = 0.05
"""Time after which the end of a program is noticed whose output another process holds open."""
CHUNK = 65_536
LEAST_SECRET = 6
"""Minimum length of the value of a variable that is kept out of records."""
Mutator = Callable[[dict[str, Any], float], Any]
"""Function (request, seconds) -> answer."""


class MutatorError(Exception):
    """A failed call of a mutator. The message describes the failure and follows ``the mutator``."""


class MutatorLate(Exception):
    """A call of a mutator that exceeds its time limit."""


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

        The answer is complete when the program ends. Processes that it has started are killed then.

        Raises:
            MutatorLate: the program takes longer than ``seconds``. It is killed.
            MutatorError: it fails, writes no JSON, or more than :data:`MOST_WRITTEN` bytes.
        """
        names, guard = (*KEPT, *self.variables), warden()  # which ends it if this process is killed
        process = subprocess.Popen(
            self.words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder,
            env={name: os.environ[name] for name in names if name in os.environ},
            start_new_session=True,
        )
        guard.note("+", process.pid)
        try:
            output, errors = _exchanged(process, json.dumps(request).encode(), seconds)
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for pipe in filter(None, (process.stdin, process.stdout, process.stderr)):
                pipe.close()
            guard.note("-", process.pid)
        secrets = secrets_of(self.variables)
        if code := process.returncode:
            words = hide_secrets(secrets, errors.decode(errors="replace")).strip().split("\n")[-1]
            how = f"ended with status {code}"
            if -code in set(signal.Signals):
                how = f"was killed by signal {-code} ({signal_name(-code)})"
            raise MutatorError(f"{how}: {words}" if words else how)
        try:
            return json.loads(output)
        except (ValueError, RecursionError):
            text = hide_secrets(secrets, output.decode(errors="replace"))
            raise MutatorError(f"wrote {text[:MOST_QUOTED]!r}, which is not JSON") from None


def _exchanged(
    process: subprocess.Popen[bytes], content: bytes, seconds: float
) -> tuple[bytes, bytes]:
    """Write to a program and return what it writes to its output and errors before it ends.

    Raises:
        MutatorLate: it has not ended after ``seconds``.
        MutatorError: it writes more than :data:`MOST_WRITTEN` bytes.
    """
    assert process.stdin
    assert process.stdout
    assert process.stderr
    source, until = process.stdin.fileno(), time.monotonic() + seconds
    output, errors = bytearray(), bytearray()
    written = {process.stdout.fileno(): output, process.stderr.fileno(): errors}
    with selectors.DefaultSelector() as ready:
        for pipe in (source, *written):
            os.set_blocking(pipe, False)
            ready.register(pipe, EVENT_READ if pipe in written else EVENT_WRITE)
        while True:
            has_ended = process.poll() is not None  # before the last bytes are read
            left = until - time.monotonic()
            events = ready.select(0 if has_ended else max(0.0, min(left, POLL_SECONDS)))
            for key, _ in events:
                if key.fd != source:
                    part = os.read(key.fd, CHUNK)
                    written[key.fd] += part
                    if not part:
                        ready.unregister(key.fd)
                    continue
                with contextlib.suppress(BrokenPipeError):  # it reads no more
                    content = content[os.write(source, content) :]
                    if content:
                        continue
                ready.unregister(source)
                process.stdin.close()
            if len(output) + len(errors) > MOST_WRITTEN:
                raise MutatorError(f"wrote more than {MOST_WRITTEN:,} bytes")
            if has_ended and not any(key.fd != source for key, _ in events):
                return bytes(output), bytes(errors)
            if left <= 0 and not has_ended:
                raise MutatorLate


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


def child_of(answer: Any, check: Callable[[str], None], secrets: Mapping[str, str]) -> Child:
    """Return the child in the answer of a mutator after a check.

    Args:
        answer: ``{"child": TEXT, "note": TEXT, "cost": NUMBER}``, or the text of the child.
        check: function that raises a TournamentError for a text that is no valid program.
        secrets: names of variables by their values, which no child may contain.

    Raises:
        MutatorError: the answer has another form, or the child is no valid program.
    """
    if isinstance(answer, str):
        answer = {"child": answer}
    given = answer if isinstance(answer, Mapping) else {}
    source, note, cost = given.get("child"), given.get("note", ""), given.get("cost", 0.0)
    if not isinstance(source, str) or not isinstance(note, str):
        raise MutatorError(
            f"returned {type(answer).__name__} without the text of a child; "
            '{"child": "the program"} is expected'
        )
    if (price := cost_of(cost)) is None:
        raise MutatorError(f"returned the cost {shown(cost)}; a number from 0 is expected")
    if hidden := next((name for value, name in secrets.items() if value in source), ""):
        raise MutatorError(f"returned a program that contains the value of {hidden}")
    try:
        size = len(source.encode())
        check(source)
    except (UnicodeEncodeError, TournamentError) as error:
        what = str(error).removeprefix("the program is not valid: ")
        raise MutatorError(f"returned a program that is not valid: {what}") from None
    if size > MOST_BYTES:
        raise MutatorError(f"returned {size:,} bytes; at most {MOST_BYTES:,} are expected")
    return Child(source, storable(hide_secrets(secrets, note)[:MOST_NOTE]), price)


def cost_of(given: Any) -> float | None:
    """Return the cost in an answer of a mutator; None if it is no number from 0."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    try:
        cost = float(given)
    except OverflowError:
        return None
    return cost if 0.0 <= cost < math.inf else None


def secrets_of(variables: Sequence[str]) -> dict[str, str]:
    """Return names of variables of the environment by their values, the longest values first.

    Each line of a value counts. Lines of fewer than :data:`LEAST_SECRET` characters are left out.
    """
    values: dict[str, str] = {}
    for name in variables:
        whole = os.environ.get(name, "")
        values |= dict.fromkeys((whole, *whole.splitlines()), name)
    long = sorted((value for value in values if len(value) >= LEAST_SECRET), key=len, reverse=True)
    return {value: values[value] for value in long}


def hide_secrets(secrets: Mapping[str, str], text: str) -> str:
    """Return a text with the names of variables in place of their values.

    Values that are quoted, as in the text of an exception, are found as well.
    """
    for value, name in secrets.items():
        for form in (value, repr(value)[1:-1], json.dumps(value)[1:-1]):
            text = text.replace(form, f"[{name}]")
    return text
