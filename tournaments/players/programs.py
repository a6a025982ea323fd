"""Players that are texts of programs: individuals of runs that evolve programs.

The genome of a program is the SHA-256 of its text. A process keeps each text that it has seen.
Where programs play, their texts are written to files in the folder of cached files.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import math
import os
import pickle
import random
import sys
import threading
import time
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tournaments.errors import Disqualified, PlayerFault, TournamentError
from tournaments.game import Game, State
from tournaments.guard import raised
from tournaments.kernels.cache import cache_folder, write
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import Stream
from tournaments.player import ContestPlayer, Kind, Player, Representation, sit_down
from tournaments.players.bot.command import ProgramCommand, command_of
from tournaments.players.bot.player import Bot
from tournaments.players.bot.process import GameTime, Process
from tournaments.players.bot.sandbox import ProgramLimits, own_namespaces
from tournaments.players.contestants import DIGITS

DIGEST_BYTES = 32
KEPT_SECONDS = 30 * 24 * 3600
"""Seconds after which an unused file of a program is removed from the cache."""
SERVER = Path(__file__).with_name("bot") / "function_server.py"
"""The program that calls a function of another program, see :class:`ConfinedFunction`."""
MOST_IDLE = 32
"""Number of idle processes of functions that are kept for later matches."""
IDLE_SECONDS = 20.0
"""Seconds after which such a process ends."""
MOST_GAMES = 1000
"""Number of games that a process of a function plays before it is replaced."""
GAME_IS_OVER = b"%08x" % 0
"""Message to the server of a function at the end of a match."""
MOST_DIGITS = 300
"""Maximum number of digits of a whole number in the result of a function."""
FIRST_BOT = """\
import json
import random
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "game":
        rng = random.Random(message["seed"])
    if message["type"] == "move":
        print(json.dumps({"action": rng.choice(message["legal"])}), flush=True)
"""
"""A bot that plays at random: the first program of runs of games with positions."""
_texts: dict[bytes, str] = {}
"""The texts of programs that this process has seen, by SHA-256."""


def remember(text: str) -> bytes:
    """Return the SHA-256 of a program's text, by which this process finds the text from now on."""
    digest = hashlib.sha256(text.encode()).digest()
    _texts[digest] = text
    return digest


def text_of(digest: bytes) -> str:
    """Return the text of a program with this SHA-256.

    Raises:
        TournamentError: this process has not seen it.
    """
    if digest not in _texts:
        raise TournamentError(
            f"the program with SHA-256 {digest.hex()} is in no snapshot that was read; name a "
            "generation whose snapshot has it in column source"
        )
    return _texts[digest]


class ProgramText(NamedTuple):
    """The text of a program, and the ending of the name of its file."""

    text: str
    suffix: str


class ProgramFile(str):
    """The path of a file with the text of a program.

    The file is written where it is missing, also after a transfer to another machine.

    Attributes:
        text: the text.
        suffix: the ending of the file's name.
    """

    text: str
    suffix: str

    def __new__(cls, text: str, suffix: str) -> ProgramFile:
        content = text.encode()
        path = _folder() / f"{hashlib.sha256(content).hexdigest()}{suffix}"
        try:
            if not path.exists() or path.read_bytes() != content:
                write(path, content, 0o555 if content.startswith(b"#!") else 0o444)
            os.utime(path)
        except OSError as error:
            raise TournamentError(
                f"{path}: a program cannot be written ({error}); set EVO_CACHE_DIR to a folder "
                "that can be written"
            ) from None
        made = super().__new__(cls, path)
        made.text, made.suffix = text, suffix
        return made

    def restored(self) -> ProgramFile:
        """Return the file, written again if another program has changed or removed it."""
        return ProgramFile(self.text, self.suffix)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, self.suffix)


@functools.cache
def _folder() -> Path:
    """Return the folder of programs' files. Files that were not used for a month are removed."""
    folder = cache_folder() / "programs"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.iterdir():
            if time.time() - path.stat().st_mtime > KEPT_SECONDS:
                path.unlink()
    return folder.resolve()


class ProgramBot(Bot):
    """An evolved program that plays a game as a bot does. It is transferred with its text."""

    repeats = False

    def __init__(self, name: str, game: Game, file: ProgramFile, limits: ProgramLimits) -> None:
        super().__init__(name, game, command_of(file), limits)
        self._file = file

    def taken(self) -> Process:
        """Return a process of the program for a game, after its file was changed back if needed."""
        self._file.restored()
        return super().taken()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.game, self._file, self.limits)


@dataclass(frozen=True)
class ByRole:
    """A player that consists of a player per role.

    Attributes:
        name: display name.
        players: the player of each seat.
        identity: a text that changes with the players.
    """

    name: str
    players: tuple[Player, ...]
    identity: str
    repeats: ClassVar[bool] = False
    limit_seconds: ClassVar[float] = float("inf")
    outlives_games: ClassVar[bool] = True
    takes_seed: ClassVar[bool] = True

    def sit(self, state: State, seat: int) -> Any:
        """Return the player of a seat, seated in a game that begins at this position."""
        return sit_down(self.players[seat], state, seat)

    def choose(self, state: State, rng: Stream) -> int:
        """Return the action of the player of the seat to move."""
        return self.players[state.seat_to_move].choose(state, rng)


class ConfinedFunction:
    """A function of a program during one match, which the contest's simulator calls.

    The program runs in a process of its own, within the limits of bots, from its first call to the
    end of the match. The process is forked by a server, which is kept for later matches of the
    program. Arguments are any objects. The result is a value that JSON can represent. A generator
    of random numbers among the arguments arrives as a ``random.Random``.
    """

    def __init__(self, player: EvolvedPlayer, text: str, seat: int) -> None:
        self._player, self._seat = player, seat
        self._key = text, player.function, player.limits
        self._time = GameTime(player.limits)
        self._lock = threading.Lock()  # a simulator may call from several threads
        self._process: Process | None = None
        self._is_over = False

    def __call__(self, *arguments: Any) -> Any:
        """Return the result of the program's function.

        Raises:
            Disqualified: the program raised an exception, exceeded a limit or has no such function.
        """
        sent = _framed(tuple(map(_seeded, arguments)))
        try:
            with self._lock:
                if self._is_over:
                    raise PlayerFault(self._player.name, "exited", "had ended when it was asked")
                is_start = self._process is None
                if self._process is None:
                    self._process = self._begun()
                answer = _result_of(self._time.ask(self._process, sent, is_start))
        except PlayerFault as fault:
            raise Disqualified(self._seat, fault.what, fault.cause) from None
        finally:
            if self._is_over:  # by the time limit of the match, while the program was asked
                self.end_match()
        if "error" in answer:
            raise Disqualified(self._seat, str(answer["error"]), "raised")
        return answer["value"]

    def _begun(self) -> Process:
        """Return a process of the program for this match, idle or new."""
        process = _idle_of(os.getpid()).taken(self._key)
        if process is None or process.has_ended:
            apart = "apart" if _is_apart() else ""
            words = sys.executable, "-P", "-S", str(SERVER), os.pathsep.join(sys.path), apart
            command = ProgramCommand(words, (), "")
            process = Process(self._player.name, command, self._player.limits, 1, is_bot=False)
            process.tell(_framed(self._key[:2]))
        process.begin_game()
        return process

    def end_match(self) -> None:
        """End the game of the program and keep its server for another match, if possible."""
        self._is_over = True
        if not self._lock.acquire(blocking=False):
            return  # the caller ends it
        process, self._process = self._process, None
        self._lock.release()
        if process is None or not process.is_open:
            return
        process.tell(GAME_IS_OVER)
        if _is_apart() and process.games < MOST_GAMES:
            _idle_of(os.getpid()).give(self._key, process)
        else:
            process.close()


class _IdleProcesses:
    """The idle processes of functions, which wait for another match, the longest idle first.

    A thread closes processes that have been idle for :data:`IDLE_SECONDS`, and ends after the last.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[tuple[float, tuple[Any, ...], Process]] = []
        self._is_watched = False

    def taken(self, key: tuple[Any, ...]) -> Process | None:
        """Remove an idle process of a function and return it, or None if none is idle."""
        with self._lock:
            for place, (_, its_key, process) in enumerate(self._waiting):
                if its_key == key:
                    del self._waiting[place]
                    return process
        return None

    def give(self, key: tuple[Any, ...], process: Process) -> None:
        """Add an idle process. Close the longest idle process if there are too many."""
        with self._lock:
            self._waiting.append((time.monotonic(), key, process))
            closed = self._waiting.pop(0)[2] if len(self._waiting) > MOST_IDLE else None
            if not self._is_watched:
                self._is_watched = True
                threading.Thread(target=self._watch, daemon=True, name="idle programs").start()
        if closed is not None:
            closed.close()

    def _watch(self) -> None:
        while self._is_watched:
            time.sleep(IDLE_SECONDS / 4)
            with self._lock:
                last = time.monotonic() - IDLE_SECONDS
                closed = [each[2] for each in self._waiting if each[0] < last]
                self._waiting = self._waiting[len(closed) :]
                self._is_watched = bool(self._waiting)
            for process in closed:
                process.close()


@functools.cache
def _idle_of(process: int) -> _IdleProcesses:
    """Return the idle processes of this process. A fork of it has none."""
    return _IdleProcesses()


def _is_apart() -> bool:
    """Return whether processes that a program leaves behind can be killed by its server."""
    return own_namespaces() == "processes and network"


def _framed(message: Any) -> bytes:
    """Return a message to the server of a function, with its length before it."""
    content = pickle.dumps(message)
    return b"%08x" % len(content) + content


def _result_of(line: bytes) -> dict[str, Any]:
    """Return the answer of a program, which may have written anything to its file descriptor."""

    def real(text: str) -> float:
        number = float(text)
        if not math.isfinite(number):
            raise ValueError(text)
        return number

    def whole(digits: str) -> int:
        if len(digits) > MOST_DIGITS:
            raise ValueError(digits)
        return int(digits)

    try:
        answer = json.loads(line, parse_constant=real, parse_float=real, parse_int=whole)
        if isinstance(answer, dict) and answer.keys() in ({"value"}, {"error"}):
            return answer
    except (ValueError, RecursionError):
        pass
    return {"error": "returned something that is not JSON, or a number of too many digits"}


def _seeded(argument: Any) -> Any:
    """Return a generator of random numbers as ``random.Random``, and other arguments unchanged."""
    if isinstance(argument, np.random.Generator):
        return random.Random(int(argument.integers(1 << 32)))
    return argument


@dataclass(frozen=True, eq=False)
class EvolvedPlayer(ContestPlayer):
    """A program in a contest. The simulator gets its file, or calls a function of it.

    Attributes:
        function: the name of the function. Empty: the simulator gets the path of the file.
        limits: the limits of the program's process.
        is_confined: whether the function is called in a process of its own. Otherwise the program
            runs in the process of the match, without limits.
    """

    repeats: ClassVar[bool] = False
    function: str = ""
    limits: ProgramLimits = field(default_factory=ProgramLimits)
    is_confined: bool = True

    def at(self, seat: int) -> Any:
        """Return the file, or the function for one match, of the program that takes a seat."""
        text: ProgramText = super().at(seat)
        if not self.function:
            return ProgramFile(text.text, text.suffix)
        if self.is_confined:
            return ConfinedFunction(self, text.text, seat)
        return FunctionHere(self.function, text.text, seat)


class FunctionHere:
    """A function of a program during one match, in the process of the match."""

    def __init__(self, function: str, text: str, seat: int) -> None:
        self._function, self._text, self._seat = function, text, seat
        self._module = ModuleType(f"evolved-{id(self)}")

    def __call__(self, *arguments: Any) -> Any:
        """Return the result of the program's function.

        Raises:
            Disqualified: the program raised an exception, or has no such function.
        """
        try:
            if self._module.__name__ not in sys.modules:
                sys.modules[self._module.__name__] = self._module
                exec(compile(self._text, "evolved", "exec"), vars(self._module))
            return getattr(self._module, self._function)(*arguments)
        except Exception as error:
            raise Disqualified(self._seat, raised(error), "raised") from error

    def end_match(self) -> None:
        """Forget the program's module."""
        sys.modules.pop(self._module.__name__, None)


@kernel
def choose_nothing(board, state, parameters, row, memory, stream):
    """Return no action: programs play as bots do, never in kernels."""
    return -1


KIND = Kind("program", choose_nothing)


@dataclass(frozen=True)
class Programs(Representation):
    """Genomes of programs: the SHA-256 of each text.

    In games with positions, a program plays as a bot does (``docs/bots.md``). In contests, the
    simulator gets the path of its file, or a function of the program.

    Attributes:
        seats: the seats that the players can take.
        suffix: the ending of the files' names, such as ``.py``.
        function: the function of a Python program that a contest's simulator calls. Empty: the
            simulator gets the path of the file.
        is_confined: see :class:`EvolvedPlayer`.
        limits: the limits of the processes of programs.
        read_from: the folder of an untrusted run, whose programs must not run; empty: they may.
    """

    dtype: ClassVar[np.dtype[Any]] = np.dtype("u1")
    numbers: ClassVar[str] = "programs"
    unit: ClassVar[str] = "bytes of a SHA-256"
    seats: tuple[int, ...]
    suffix: str
    function: str = ""
    is_confined: bool = True
    limits: ProgramLimits = field(default_factory=ProgramLimits)
    read_from: str = field(default="", compare=False)

    @property
    def kind(self) -> Kind:
        """The kind of player of these genomes. It has no kernels."""
        return KIND

    @property
    def num_genes(self) -> int:
        """The number of genes of a genome: the bytes of a SHA-256."""
        return DIGEST_BYTES

    def decode(self, genomes: np.ndarray) -> np.ndarray:
        """Return the bytes of digests, uint8 ``[N, 32]``."""
        return self.genes(genomes)

    def from_numbers(self, numbers: np.ndarray) -> np.ndarray:
        """Return the digests unchanged, since no kernel reads programs."""
        return numbers

    def players(self, game: Game, genomes: np.ndarray, first: int = 0) -> tuple[Player, ...]:
        """Return the programs of a population as players.

        Args:
            game: the game.
            genomes: the digests, uint8 ``[N, 32]``.
            first: number of the first entrant, for the names.
        """
        return tuple(
            self.player(game, [digest.tobytes()], f"individual {number}", "")
            for number, digest in enumerate(genomes, first)
        )

    def player(
        self, game: Game, genomes: Sequence[bytes], name: str, identity: str | None = None
    ) -> Any:
        """Return the player of a program, or of a program per role.

        See :meth:`tournaments.player.Representation.player`.

        Raises:
            TournamentError: the text is not known, or the run is not trusted.
        """
        self.check_trusted()
        if identity is None:
            identity = f"program@{hashlib.sha256(b''.join(genomes)).hexdigest()[:DIGITS]}"
        texts = tuple(ProgramText(text_of(genome), self.suffix) for genome in genomes)
        if game.rules.contest is None:
            bots = [ProgramBot(name, game, ProgramFile(*text), self.limits) for text in texts]
            return bots[0] if len(bots) == 1 else ByRole(name, tuple(bots), identity)
        return EvolvedPlayer(
            name,
            texts[0],
            identity,
            seats=self.seats if len(texts) == 1 else (0, 1),
            by_seat=texts if len(texts) > 1 else (),
            function=self.function,
            limits=self.limits,
            is_confined=self.is_confined,
        )

    def check(self, game: Game, text: str) -> None:
        """Raise TournamentError if a text cannot be a program of this game.

        A bot in another language must be startable: its first line says what runs it.
        """
        if self.suffix == ".py":
            tree = _parsed(text)
            names = {
                getattr(node, "name", None) or getattr(node, "id", None) for node in ast.walk(tree)
            }
            if self.function and self.function not in names:
                raise TournamentError(f"the program has no function {self.function}")
        elif game.rules.contest is None:
            try:
                command_of(ProgramFile(text, self.suffix))
            except TournamentError as error:
                what = str(error).partition(": ")[2]
                raise TournamentError(f"the program cannot be started: {what}") from None

    def check_trusted(self) -> None:
        """Raise TournamentError if the programs are those of an untrusted run."""
        if self.read_from:
            raise TournamentError(
                f"{self.read_from} holds programs, which are not run without your word: if you "
                "trust it, add --trust (trust=True), where the command takes it"
            )

    def spec(self) -> dict[str, Any]:
        """Return the description of the encoding for ``run.json``."""
        return {"encoding": "program", "suffix": self.suffix, "bytes": DIGEST_BYTES}


def _parsed(text: str) -> ast.Module:
    """Return the syntax tree of a Python program.

    Raises:
        TournamentError: there is a syntax error.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise TournamentError(f"the program is not valid: {error}") from None
