"""Linked kernels on disk: written, imported, compiled, and found again unless they were damaged.

A module lies in a folder named by the digest of its text and of everything else that the compiled
code depends on. numba keeps compiled code in a folder of its own choice, unchecked: a flipped bit
in it would be run. So the checksums of numba's files are kept beside them, and files that do not
match are removed before numba reads them. A process that has already loaded the removed files is
not affected. A process that is about to load them compiles again. If several processes find no code
at the same time, one process compiles and the others wait.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO

import numpy as np

from tournaments.errors import KernelError
from tournaments.kernels.cache import cache_folder, load, store, write
from tournaments.kernels.compilation import compilation

_import_lock = threading.Lock()
_RECORD = "linked.checked"
_LOCK = "linked.lock"
PATIENCE = 120.0
"""Seconds to wait for another process that compiles the same kernel."""
_CODE = "linked.*.nb[ci]"  # numba's index and compiled code
_ALLOCATES = "NRT required but not enabled"
_PLACE = re.compile(r'linked\.py(?:", line |:| \()(\d+)')
_PREAMBLE = ("Failed in nopython mode", "Resolution failure")
_RULE = (
    "Kernels allocate nothing: no lists, no np.zeros, no arithmetic on whole arrays, no copies of "
    "slices; pass arrays to be filled as arguments, and loop over numbers"
)


@cache
def _observe_numba() -> None:
    """Register a listener with numba that records the time of all compilations of kernels."""
    from numba.core import event

    class Observer(event.Listener):
        def on_start(self, event: object) -> None:
            compilation.begin()

        def on_end(self, event: object) -> None:
            compilation.end()

    event.register("numba:compile", Observer())


class CompiledKernel:
    """A linked entry kernel that is loaded or compiled at the first call with arguments of a type.

    Loading and compiling are separate steps before the call. So their errors are not confused with
    errors of the kernel, and a second attempt never runs on arrays that the first one has changed.
    """

    def __init__(self, title: str, text: str, name: str) -> None:
        self.title = title
        self._text = text
        self._name = name
        self._run = getattr(_module_on_disk(text), name)
        self._seen: set[tuple[Any, ...]] = set()
        self._addresses: dict[Any, int] = {}
        self._libraries: list[Any] = []
        self._lock = threading.Lock()

    def __call__(self, *arguments: Any) -> Any:
        kinds = tuple(map(_kind, arguments))
        if kinds not in self._seen:
            with self._lock:
                if kinds not in self._seen:
                    self._prepare(self._signature(arguments))
                    self._seen.add(kinds)
        return self._run(*arguments)

    def prepared(self, *arguments: Any) -> Callable[..., Any]:
        """Call the compiled kernel once; return a faster function for arguments of these types."""
        self(*arguments)
        return self._run

    @property
    def is_on_disk(self) -> bool:
        """Return whether the cache folder has undamaged compiled code of this kernel."""
        path = self._run.stats.cache_path
        return path is not None and bool(_checked(Path(path)))

    def address(self, record: Any) -> int:
        """Return the address of the machine code of a kernel that takes a record and three numbers.

        The address is valid only in this process and must not be written to disk.
        """
        kind = _kind(record)
        with self._lock:
            if kind not in self._addresses:
                from numba import types

                (of_record,) = self._signature((record,))
                signature = types.CPointer(of_record), *[types.int64] * 3
                self._prepare(signature)
                code = self._run.overloads[signature]
                self._libraries.append(code.library)  # which an address alone would not keep
                pointer = code.library.get_pointer_to_function(code.fndesc.llvm_func_name)
                self._addresses[kind] = int(pointer)
            return self._addresses[kind]

    def _signature(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        import numba

        try:
            return tuple(numba.typeof(argument) for argument in arguments)
        except ValueError as error:
            raise KernelError(
                f"kernel {self.title!r} cannot take what it was given: {error}; expected are numpy "
                "arrays, numbers, and named tuples of them"
            ) from error

    def _prepare(self, signature: tuple[Any, ...]) -> None:
        """Load the kernel's code for argument types from the cache, or compile it.

        If files are damaged, the kernel is compiled again, and in memory if that fails, too.
        """
        from numba.core.errors import NumbaError, UnsupportedBytecodeError

        _observe_numba()
        try:
            for clear_first in (False, True):
                try:
                    return self._load_or_compile(signature, clear_first)
                except NumbaError:
                    raise
                except Exception:  # whatever unpickling damaged files raises, or a full disk
                    continue
            self._run = in_memory(self._text, self._name)
            self._run.compile(signature)
        except (NumbaError, UnsupportedBytecodeError) as error:
            raise KernelError(f"{self._blamed(error)}. {_RULE}") from error

    def _blamed(self, error: Exception) -> str:
        """Return a message that names the kernel that cannot be compiled, and the reason.

        The message has the line of the kernel if it is known.
        """
        lines = self._text.splitlines()
        for place in _PLACE.finditer(str(error)):  # the innermost one first
            above = lines[: int(place[1])]
            if above[-1].startswith(" "):
                name = next(line for line in reversed(above) if line.startswith("def "))
                name = name[4:].partition("(")[0].removeprefix("kernel__")
                line = above[-1].strip().replace("kernel__", "")
                return f"kernel {name!r} cannot be compiled: {_first_line(error)}, in `{line}`"
        return f"kernel {self.title!r} cannot be compiled: {_first_line(error)}"

    def _load_or_compile(self, signature: tuple[Any, ...], clear_first: bool) -> None:
        path = self._run.stats.cache_path  # beside the module, or elsewhere, or nowhere
        if path is None:
            self._run.compile(signature)
            return
        folder = Path(path)
        if clear_first or not _checked(folder):
            with _alone_in(folder):  # of several processes one compiles, and the others load
                if clear_first or not _checked(folder):
                    _clear(folder)
                    self._compile_and_record(folder, signature)
                    return
        self._compile_and_record(folder, signature)

    def _compile_and_record(self, folder: Path, signature: tuple[Any, ...]) -> None:
        before = _checksums(folder)
        self._run.compile(signature)  # or loads
        if _checksums(folder) != before:
            store(folder / _RECORD, json.dumps(_checksums(folder)).encode())


def _kind(argument: Any) -> Any:
    """Return a key that is equal for arguments of the same numba type.

    It costs a fraction of asking numba.
    """
    if isinstance(argument, np.ndarray):
        return argument.dtype, argument.ndim, argument.flags.num
    if isinstance(argument, tuple):
        return type(argument), *map(_kind, argument)
    return type(argument)


def _first_line(error: Exception) -> str:
    """Return numba's first line about the reason why a kernel cannot be compiled."""
    if _ALLOCATES in str(error):
        return "it allocates"
    lines = [line.strip(" -") for line in str(error).splitlines()]
    telling = (line for line in lines if line and not line.startswith(_PREAMBLE))
    return next(telling, type(error).__name__)


def _checksums(folder: Path) -> dict[str, str]:
    return {path.name: _checksum(path) for path in sorted(folder.glob(_CODE))}


def _checksum(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:  # another process removes it just now
        return "unreadable"


def _checked(folder: Path) -> dict[str, str]:
    """Return the checksums of the compiled code in a folder, none if files are lost or damaged."""
    checksums = _checksums(folder)
    record = load(folder / _RECORD)
    return checksums if record is not None and json.loads(record) == checksums else {}


def _clear(folder: Path) -> None:
    for path in [folder / _RECORD, *folder.glob(_CODE)]:
        path.unlink(missing_ok=True)


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Keep other processes from compiling a kernel into the same folder at the same time.

    This lock saves work and is not needed for correctness: without it, two processes would both
    compile, and the checksums of one might be kept beside the code of the other, which is then
    compiled again. So a file system without locks, or a process that holds one and hangs, is no
    hindrance. The system takes the lock from a process that ends, however it ends.
    """
    try:
        stream = open(folder / _LOCK, "ab")  # noqa: SIM115
    except OSError:
        yield
        return
    with stream:
        if not _locks(stream):
            _wait_for(stream)
        yield


def _wait_for(stream: BinaryIO) -> None:
    """Wait, for a limited time, until the process that compiles the same kernel unlocks a file."""
    deadline = time.monotonic() + PATIENCE
    compilation.begin()
    try:
        while not _locks(stream) and time.monotonic() < deadline:
            time.sleep(0.02)
    finally:
        compilation.end()


def _locks(stream: BinaryIO) -> bool:
    """Take the lock of an open file; return False if another process holds it.

    A file system without locks counts as success.
    """
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # the file system has none
        pass
    return True


# --- modules -----------------------------------------------------------------------------------


def digest_of(text: str) -> str:
    """Return the name of a linked module of kernels: a digest of text, compiler and processor."""
    return hashlib.sha256(f"{_compiler()}\n{_processor()}\n{text}".encode()).hexdigest()[:24]


@lru_cache(maxsize=1)
def _compiler() -> str:
    """Return a text that identifies the compiler of kernels: versions, and how they are used."""
    import llvmlite
    import numba

    use = Path(__file__).with_name("compiler.py").read_text(encoding="utf-8")
    return f"{numba.__version__} {llvmlite.__version__} {np.__version__} {sys.version}\n{use}"


@lru_cache(maxsize=1)
def _processor() -> str:
    """Return a text that identifies the processor for which kernels are compiled.

    Computers with different processors may share a cache folder, but never a file.
    """
    import llvmlite.binding as llvm
    from numba.core import config

    settings = vars(config)  # numba sets these from the environment
    name = settings.get("CPU_NAME") or llvm.get_host_cpu_name()
    features = settings.get("CPU_FEATURES")
    return f"{name} {llvm.get_host_cpu_features().flatten() if features is None else features}"


def in_memory(text: str, name: str, parts: Mapping[str, Any] | None = None) -> Any:
    """Return the function ``name`` of a linked module of kernels that is not written to disk.

    ``parts`` are other functions that the module uses, by name.
    """
    module = _module_in_memory(text)
    vars(module).update(parts or {})
    return vars(module)[name]


def _module_in_memory(text: str) -> ModuleType:
    module = ModuleType("tournaments_linked")
    uncached = text.replace("cache=True, ", "")
    exec(compile(uncached, "<linked kernels>", "exec"), module.__dict__)
    return module


def _module_on_disk(text: str) -> ModuleType:
    """Write the text of a linked module of kernels to the cache folder and import it.

    If it cannot be written, the module is made in memory.
    """
    name = digest_of(text)
    path = cache_folder() / "kernels" / name / "linked.py"
    qualified = f"tournaments_linked_{name}"
    with _import_lock:
        try:
            _write_where_different(path, text.encode())
        except OSError:
            return _module_in_memory(text)
        if qualified not in sys.modules:
            # An ordinary import would trust a file of bytecode, which is not checked either.
            module = sys.modules[qualified] = ModuleType(qualified)  # where numba looks
            module.__file__ = str(path)
            try:
                exec(compile(text, str(path), "exec"), module.__dict__)
            except RuntimeError:  # numba found no folder to keep compiled code in
                sys.modules[qualified] = _module_in_memory(text)
            except BaseException:
                del sys.modules[qualified]
                raise
        return sys.modules[qualified]


def _write_where_different(path: Path, content: bytes) -> None:
    with suppress(OSError):
        if path.read_bytes() == content:
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, content)
