"""A running program: send one line and receive one line, within a time limit."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import subprocess
import time
import weakref
from collections.abc import Iterator

from tournaments.errors import PlayerFault, counted
from tournaments.players.bot.command import ProgramCommand
from tournaments.players.bot.messages import beginning
from tournaments.players.bot.sandbox import ProgramLimits, environment, launched
from tournaments.players.bot.warden import Warden, warden

TAIL = 4096
"""Number of last bytes of a program's standard error that are kept."""
WROTE = "; it wrote: "
"""Words before the standard error of a program in the description of its fault."""
MOST_TOLD = 400
"""Number of characters of the standard error that error messages quote."""
CHUNK = 65_536
MOST_CHUNKS = 16
ENDING_SECONDS = 2.0
"""Time to wait for the end of a program that has closed its output, in seconds."""
NO_MEMORY = re.compile(r"MemoryError|bad_alloc|out of memory|Cannot allocate memory", re.IGNORECASE)
NOTHING = ", and has written nothing so far: does it flush what it writes?"
SIGNAL_STATUS = 128
"""Offset of a shell's exit status: a program killed by signal S has this number plus S."""


class Process:
    """A running program, in its own session. :meth:`close` kills all processes of the session.

    Attributes:
        games: number of games that the process has begun.
        expected: what the program should write, for error messages.
    """

    expected = 'one short line a question, such as {"action": 3}, is expected'

    def __init__(
        self,
        name: str,
        command: ProgramCommand,
        limits: ProgramLimits,
        games: int,
        is_isolated: bool = True,
        is_bot: bool = True,
    ) -> None:
        """Start the program of a player.

        Args:
            name: name of the player, for error messages.
            command: the command line of the program.
            limits: the limits of the program.
            games: number of games that the process may play.
            is_isolated: whether the program has the limits of the system and few variables of the
                environment. Otherwise it has what this process has.
            is_bot: whether descriptions of faults have hints for authors of bots.
        """
        self.name, self.limits, self.games = name, limits, 0
        self._folder = command.folder
        self._is_bot = is_bot
        self._is_python = any(word.endswith(".py") for word in command.words)
        guard = warden()  # starts before the program and ends after it
        self._popen = subprocess.Popen(
            launched(command.words, limits, games) if is_isolated else command.words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=command.folder,
            env=environment() if is_isolated else None,
            start_new_session=True,
        )
        guard.note("+", self._popen.pid)
        self._end = weakref.finalize(self, _kill, self._popen, guard)
        pipes = (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        self._stdin, self._stdout, self._stderr = (pipe.fileno() for pipe in pipes if pipe)
        for descriptor in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(descriptor, False)
        self._unsent, self._answer, self._tail = b"", b"", b""
        self._was_asked = self._has_written = False
        self._open = {self._stdin, self._stdout, self._stderr}

    @property
    def is_open(self) -> bool:
        """Whether the program's process can answer: it has not been killed."""
        return self._end.alive

    @property
    def has_ended(self) -> bool:
        """Whether the program's process has ended."""
        return self._popen.poll() is not None

    def close(self) -> None:
        """Kill the program and all processes that it has started."""
        self._end()

    def begin_game(self) -> None:
        """Count a game, and forget what earlier games wrote to standard error."""
        if self.games:
            self._take(self._stderr)
            self._tail = b""
        self.games += 1

    def tell(self, lines: bytes) -> None:
        """Send lines to the program, as far as it takes them; the rest before its next question."""
        self._unsent += lines
        self._send()

    def ask(self, line: bytes, seconds: float, limit: str) -> bytes:
        """Send a line to the program and return the line that it answers.

        Args:
            line: the line to send.
            seconds: time for the answer.
            limit: description of the time limit for error messages. It names the whole limit, even
                if part of the time is used up.

        Raises:
            PlayerFault: the program sends no answer or violates the protocol. It is killed.
        """
        with self._closed_on_error():
            self._take(self._stdout)
            if self._was_asked or self._answer.lstrip().startswith(b"{"):
                self._check_silent("before it was asked")
            self._was_asked = True  # a greeting is treated as an answer
            self._unsent += line
            self._send()
            return self._answered(seconds, limit)

    def answer(self, seconds: float, limit: str) -> bytes:
        """Return the line that the program writes without a question, as it may at any time.

        Args:
            seconds: time for the answer.
            limit: description of the time limit, as in :meth:`ask`.

        Raises:
            PlayerFault: as in :meth:`ask`.
        """
        with self._closed_on_error():
            return self._answered(seconds, limit)

    @contextlib.contextmanager
    def _closed_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.close()
            raise

    def fault(self, cause: str, what: str) -> PlayerFault:
        """Return a fault of the program that quotes the end of its standard error."""
        for _ in range(MOST_CHUNKS):  # the program may be writing endlessly
            self._take(self._stderr)
        written = self._tail.decode(errors="replace")
        if self._folder:  # which differs between machines
            written = written.replace(f"{self._folder}/", "")
        words = " | ".join(written.split("\n")[-6:]).strip(" |")
        words = "".join(letter if letter.isprintable() else "?" for letter in words)[-MOST_TOLD:]
        return PlayerFault(self.name, cause, f"{what}{WROTE}{words}" if words else what)

    def _answered(self, seconds: float, limit: str) -> bytes:
        until = time.monotonic() + seconds
        while b"\n" not in self._answer:
            self._check_length()
            left = until - time.monotonic()
            if left <= 0:
                raise self.fault("late", f"gave no answer within {limit}{self._so_far}")
            self._wait(left)
        answer, _, self._answer = self._answer.partition(b"\n")
        self._check_length(answer)
        self._check_silent(f"after its answer {beginning(answer)}; {self.expected}")
        if self._unsent:
            raise self.fault("output", "answered before it had read the whole question")
        return answer

    @property
    def _so_far(self) -> str:
        """Description of the incomplete answer of a program that is late."""
        if self._answer:
            return f", but {beginning(self._answer)} without the end of a line"
        return "" if self._has_written or not self._is_bot else NOTHING

    def _wait(self, seconds: float) -> None:
        """Wait until a pipe of the program is ready or the time is over, then write and read."""
        if self._stdout not in self._open:
            raise self._ended()
        poll = select.poll()
        for descriptor in self._open:
            if descriptor != self._stdin:
                poll.register(descriptor, select.POLLIN)
            elif self._unsent:
                poll.register(descriptor, select.POLLOUT)
        for descriptor, _ in poll.poll(seconds * 1000):
            if descriptor == self._stdin:
                self._send()
            else:
                self._take(descriptor)
        if self._stdout not in self._open and b"\n" not in self._answer:
            raise self._ended()

    def _send(self) -> None:
        """Write queued lines to the program, as much as the pipe accepts, without waiting."""
        try:
            self._unsent = self._unsent[os.write(self._stdin, self._unsent) :]
        except BlockingIOError:
            pass
        except OSError:  # the program has closed its input, but may still answer
            self._open.discard(self._stdin)
            self._unsent = b""

    def _take(self, descriptor: int) -> int:
        """Read the available bytes of a pipe of the program without waiting.

        Returns:
            The number of bytes.
        """
        if descriptor not in self._open or not self.is_open:
            return 0
        try:
            content = os.read(descriptor, CHUNK)
        except BlockingIOError:
            return 0
        if not content:
            self._open.discard(descriptor)
        elif descriptor == self._stdout:
            self._answer += content
            self._has_written = True
        else:
            self._tail = (self._tail + content)[-TAIL:]
        return len(content)

    def _check_silent(self, when: str) -> None:
        """Raise a fault if the program has written something without a question.

        ``when`` says in the message when it did.
        """
        self._take(self._stdout)
        if self._answer.strip():
            raise self.fault("output", f"wrote {beginning(self._answer)} {when}")
        self._answer = b""

    def _check_length(self, answer: bytes | None = None) -> None:
        length = len(self._answer if answer is None else answer)
        if length > self.limits.output:
            raise self.fault(
                "output",
                f"wrote a line of more than {self.limits.output:,} bytes (output); {self.expected}",
            )

    def _ended(self) -> PlayerFault:
        """Return the fault of a program that has closed its output, by its exit status."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(ENDING_SECONDS)
        status = self._popen.returncode
        if status is None:
            return self.fault("exited", "closed its standard output and gave no answer")
        number = -status if status < 0 else status - SIGNAL_STATUS
        if number == signal.SIGXCPU:
            what = "took more processor time than its games may (game_seconds)"
            return self.fault("late", what)
        cause, what = "exited", f"ended with status {status} in place of an answer"
        if status == 0 and self._is_python and self._is_bot:
            what += " (a player in a Python file is named as FILE.py:NAME)"
        if number in set(signal.Signals):
            name = signal.Signals(number).name
            cause, what = "crashed", f"was killed by signal {number} ({name}) while it was asked"
        fault = self.fault(cause, what)
        if NO_MEMORY.search(self._tail.decode(errors="replace")):
            what = f"could not have more than {self.limits.memory:,} MiB (memory), and ended"
            return self.fault("memory", what)
        return fault


class GameTime:
    """The time that is left to a program in a game."""

    def __init__(self, limits: ProgramLimits) -> None:
        self._limits, self._left = limits, limits.game_seconds

    def ask(self, process: Process, line: bytes, is_start: bool) -> bytes:
        """Send a line to a program and return its answer.

        Args:
            process: the process of the program.
            line: the line.
            is_start: whether the program may take additional time to start.

        Raises:
            PlayerFault: there is no answer within the time limits of the move and of the game.
        """
        if not process.is_open:
            raise PlayerFault(process.name, "exited", "had ended when it was asked")
        limits = self._limits
        seconds = limits.seconds
        limit = f"{counted(seconds, 'second')} of its move (option seconds)"
        if self._left < seconds:
            seconds = max(0.0, self._left)
            limit = counted(limits.game_seconds, "second")
            limit = f"the {limit} of its game (option game_seconds)"
        extra = limits.start if is_start else 0.0
        limit += f" and {extra:g} more to start" if extra else ""
        began = time.monotonic()
        answer = process.ask(line, seconds + extra, limit)
        self._left -= max(0.0, time.monotonic() - began - extra)
        return answer


def _kill(popen: subprocess.Popen[bytes], guard: Warden) -> None:
    """Kill the process group of a program, and close its pipes."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(popen.pid, signal.SIGKILL)
    guard.note("-", popen.pid)
    popen.wait()
    with contextlib.suppress(ChildProcessError):  # orphans, if this is process 1 of a container
        while True:
            os.waitpid(-popen.pid, 0)
    for pipe in (popen.stdin, popen.stdout, popen.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
