"""Python files that are named by their path, from the current folder: ``./connect.py:RULES``.

A file is loaded as a module that is called by its name and its content. So two versions of a file
are two modules, and what one of them defines is pickled by reference in this process. Another
process is sent the text first (:func:`known_files`, :func:`receive`), and reads no file of its own:
it plays what the first one plays, wherever it is.

What a file imports from its own folder, ``import helpers`` or ``from parts import board``, is part
of its content: it is read with the file, is a module by name and content too, and is sent along.
Which files these are its text says, before anything is run; nothing in the folder hides a library.
A folder of modules counts whole, :mod:`tournaments.code_contents`.

A user names files. The folder of a run may name those alone that a user has named in this process.
"""

from __future__ import annotations

import builtins
import hashlib
import importlib
import linecache
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from tournaments.code_contents import INIT, Content, contents_of, whole_of
from tournaments.errors import TournamentError

_SPEC = re.compile(r"(?P<name>[^:]+\.py(?::[^\W\d]\w*(?=:|$))?)(?::(?P<tail>.*))?", re.DOTALL)


def split_spec(spec: str) -> tuple[str, str]:
    """A name, and the text of the options behind it: ``a.py:BOT:depth=3`` is named ``a.py:BOT``."""
    of_file = _SPEC.fullmatch(spec.strip())
    if of_file is not None:
        return of_file["name"], of_file["tail"] or ""
    name, _, tail = spec.partition(":")
    return name.strip(), tail


def is_code(name: str) -> bool:
    """Whether a name is that of a Python file, with or without what is meant in it."""
    of_file = _SPEC.fullmatch(name)
    return of_file is not None and of_file["tail"] is None


def path_of(name: str) -> str:
    """The path in a name, as the user wrote it."""
    return name.partition(":")[0]


def file_of_function(name: str) -> str:
    """The file, from the current folder, in which a name of a function finds it; empty: in none.

    Of ``myops.py:select``, and of ``myops.select`` where Python finds no other ``myops``.
    """
    if is_code(name):
        return path_of(name)
    *module, function = name.split(".")
    place = Path(*module)
    for file in (place.with_suffix(".py"), place / "__init__.py") if module else ():
        if all(part.isidentifier() for part in (*module, function)) and file.is_file():
            known = sys.modules.get(module[0])
            origin = getattr(known, "__file__", None) or _origin(module[0])
            return str(file) if Path(origin or file).resolve().is_relative_to(Path.cwd()) else ""
    return ""


def _origin(module: str) -> str | None:
    spec = find_spec(module)
    return None if spec is None else spec.origin


class CodeFile(NamedTuple):
    """A Python file as it was when it was read.

    Attributes:
        name: its path as the user named it.
        place: its path where it was read, for tracebacks and what it imports from its folder.
        text: what stands in it.
        digest: SHA-256 of its bytes, in hexadecimal digits.
        whole: likewise of it and all that it imports from its folder; without any, ``digest``.
        imports: names that it imports from its folder, each with the module that they stand for;
            of the first file of a folder of modules also the others, under no name of Python's.
        package: the path of the first file of the folder of modules that it is of; empty: of none.
    """

    name: str
    place: str
    text: str
    digest: str
    whole: str
    imports: tuple[tuple[str, str], ...] = ()
    package: str = ""

    @property
    def module(self) -> str:
        """What its module is called: another name or another content is another module."""
        return _module_name(self.name, self.whole, self.package)

    @property
    def folder(self) -> str:
        """The folder from which it imports, for what its text does not say."""
        levels = self.name.removeprefix(self.package.removesuffix(INIT)).count("/") + 2
        return str(Path(self.place).parents[levels - 1 if self.package else 0])

    @property
    def parts(self) -> list[CodeFile]:
        """The file, and those of its folder that it imports, and these import."""
        parts = {self.module: self}
        for file in (waiting := [self]):
            new = [_by_module[module] for _, module in file.imports if module not in parts]
            parts.update((each.module, each) for each in new)
            waiting += new
        return list(parts.values())


def _module_name(name: str, whole: str, package: str = "") -> str:
    called = hashlib.sha256(f"{package or name}\0{whole}".encode()).hexdigest()[:16]
    within = name.removeprefix(package.removesuffix(INIT)) if package else ""
    below = within.removesuffix(INIT).removesuffix(".py").rstrip("/").replace("/", ".")
    return f"code_file_{called}.{below}".rstrip(".")


_by_module: dict[str, CodeFile] = {}
_newest: dict[str, CodeFile] = {}  # by name
_received: set[str] = set()  # names of files that another process has read


def read(name: str) -> CodeFile:
    """The file of a name, as it is now; nothing of it is run.

    Raises:
        TournamentError: there is no such file, or the folder of a run names it.
    """
    from tournaments.named_files import naming_folder

    path = path_of(name)
    if path in _newest and (path in _received or naming_folder()):
        return _newest[path]
    for file in reversed(list(_files_of(contents_of(path)))):  # itself last
        newest = _noted(file)
    _newest[path] = newest
    return newest


def _files_of(contents: Mapping[str, Content]) -> Iterator[CodeFile]:
    """The files of some contents, each called by all that it imports."""
    whole = {name: whole_of(each.package or name, contents) for name, each in contents.items()}
    for name, (text, digest, near, package) in contents.items():
        imports = tuple(
            (imported, _module_name(file, whole[file], contents[file].package))
            for imported, file in near.items()
        )
        yield CodeFile(name, os.path.abspath(name), text, digest, whole[name], imports, package)


def module_of(file: CodeFile) -> ModuleType:
    """The module of a file, which is run at the first call.

    Raises:
        TournamentError: it fails; the message names the line.
    """
    try:
        return importlib.import_module(file.module)
    except (Exception, SystemExit) as error:  # whatever a user's file does
        raise TournamentError(
            f"{file.name!r} cannot be loaded: {_in_a_line(error, file)}; mend the file"
        ) from error


def module_called(name: str) -> ModuleType:
    """The module of a file that was read, or received, in this process."""
    return module_of(_by_module[name])


def known_files() -> tuple[CodeFile, ...]:
    """All files that were read in this process, for another one; the newest come last."""
    return (*_by_module.values(), *_newest.values())


def receive(files: Sequence[Sequence[Any]]) -> None:
    """Take files that another process has read: here they are not read, but are what they are."""
    for fields in files:
        file = _noted(CodeFile(*fields))
        _newest[file.name] = file
        _received.add(file.name)


def _noted(file: CodeFile) -> CodeFile:
    if _FINDER not in sys.meta_path:
        sys.meta_path.append(_FINDER)
    return _by_module.setdefault(file.module, file)


def _in_a_line(error: BaseException, file: CodeFile) -> str:
    """What was raised, and where in the file."""
    names = {part.place: f" of {part.name}" for part in file.parts} | {file.place: ""}
    lines = [
        f" (line {frame.lineno}{names[frame.filename]})"
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename in names
    ]
    where = lines[-1] if lines else ""
    text = f"{type(error).__name__}: {error}{where}"
    for part in file.parts:  # which users do not know by that name
        if part.module.isidentifier():
            text = text.replace(part.module, _called(part))
    return " ".join(text.split())


def _called(file: CodeFile) -> str:
    """What a user calls the module of a file."""
    return Path(file.name).parent.name if file.package else Path(file.name).stem


def _importer(file: CodeFile) -> Callable[..., Any]:
    """The ``__import__`` of a file: what it imports from its folder is what was read with it."""
    own = dict(file.imports)

    def load(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        top, dot, below = name.partition(".")
        if top in own and not level:
            name = own[top] + dot + below
        return __import__(name, globals, locals, fromlist, level)

    return load


class _Modules(MetaPathFinder, Loader):
    """Finds and loads the modules of files that are known here."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        file = _by_module.get(fullname)
        if file is None:
            return None
        is_package = bool(file.package) and os.path.basename(file.name) == INIT
        return spec_from_loader(fullname, self, origin=file.place, is_package=is_package)

    def exec_module(self, module: ModuleType) -> None:
        file = _by_module[module.__name__]
        module.__file__ = file.place
        lines = file.text.splitlines(keepends=True)
        linecache.cache[file.place] = (len(file.text), None, lines, file.place)
        code = compile(file.text, file.place, "exec", dont_inherit=True)
        if file.imports:
            module.__dict__["__builtins__"] = {**vars(builtins), "__import__": _importer(file)}
        with _on_path(str(Path(file.place).parent)) if not file.package else nullcontext():
            exec(code, module.__dict__)


@contextmanager
def _on_path(folder: str) -> Iterator[None]:
    """Let Python look in a folder, too, and last: nothing in it hides a library."""
    if folder in sys.path:
        yield
        return
    sys.path.append(folder)
    try:
        yield
    finally:
        with suppress(ValueError):  # a user's file may have taken it away
            sys.path.remove(folder)


_FINDER = _Modules()
