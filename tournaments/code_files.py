"""Python files named by their path, relative to the current folder: ``./connect.py:RULES``.

A file is loaded as a module whose name is derived from the path and the content. Two versions of a
file are thus two modules, and their objects can be pickled by reference in this process. Other
processes receive the text first (:func:`known_files`, :func:`receive`) and do not read the file, so
all processes run the same code on any machine.

Files of the same folder that a file imports, by ``import helpers`` or ``from parts import board``,
belong to its content. They are read with the file, become modules in the same way, and are sent
along. They are found by parsing the text, before any code is run. No file of the folder hides an
installed library. A package is read with all of its modules.

Users may name any file. The folder of a run may name only files that a user has named before in
this process.
"""

from __future__ import annotations

import ast
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
from functools import lru_cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import packages_distributions
from importlib.util import decode_source, find_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from tournaments.errors import TournamentError
from tournaments.named_files import naming_folder, read_named

MOST_BYTES = 4 << 20
"""Most bytes of a Python file."""
MOST_FILES = 1000
"""Most files of a folder of modules."""
OURS = ("cluster", "evo", "results", "tournaments")
"""Packages that a file imports from nowhere else, wherever it lies."""
INIT = "__init__.py"
_SPEC = re.compile(r"(?P<name>[^:]+\.py(?::[^\W\d]\w*(?=:|$))?)(?::(?P<tail>.*))?", re.DOTALL)


def split_spec(spec: str) -> tuple[str, str]:
    """Split a name and its options: ``a.py:BOT:depth=3`` into ``a.py:BOT`` and ``depth=3``."""
    of_file = _SPEC.fullmatch(spec.strip())
    if of_file is not None:
        return of_file["name"], of_file["tail"] or ""
    name, _, tail = spec.partition(":")
    return name.strip(), tail


def is_code(name: str) -> bool:
    """Return whether a name is the path of a Python file, with or without an attribute."""
    of_file = _SPEC.fullmatch(name)
    return of_file is not None and of_file["tail"] is None


def names_thing(name: str) -> bool:
    """Return whether a name such as ``./a.py:BOT`` selects an attribute of a Python file.

    A file alone is a program.
    """
    return is_code(name) and ":" in name


def path_of(name: str) -> str:
    """Return the path of the Python file in a name such as ``a.py:BOT``, as the user wrote it."""
    return name.partition(":")[0]


def file_of_function(name: str) -> str:
    """Return the file in the current folder that defines a named function, or an empty text.

    Accepts ``myops.py:select``, and ``myops.select`` unless Python finds another ``myops``.
    """
    if is_code(name):
        return path_of(name)
    *module, function = name.split(".")
    is_near = bool(module) and all(map(str.isidentifier, (*module, function)))
    if not is_near or not _near("", module[0]):
        return ""
    place = Path(*module)
    files = place.with_suffix(".py"), place / INIT
    return next((str(file) for file in files if file.is_file()), "")


class CodeFile(NamedTuple):
    """The content of a Python file at the time it was read.

    Attributes:
        name: the path of the file as the user named it.
        place: the path at which the file was read, for tracebacks and imports from its folder.
        text: the source text.
        digest: SHA-256 of the bytes of the file, in hexadecimal digits.
        whole: SHA-256 of the file with all of its imports from its folder. It equals ``digest`` if
            there are no such imports.
        imports: pairs of an imported name and its module, for imports from the folder of the file.
            For the ``__init__`` file of a package also the other files of the package, under names
            that are not valid in Python.
        package: the path of the ``__init__`` file of the file's package, or empty.
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
        """The name of the file's Python module, which depends on its path and content."""
        return _module_name(self.name, self.whole, self.package)

    @property
    def parts(self) -> list[CodeFile]:
        """The Python file and all files of its folder that it imports, directly or indirectly."""
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
    """Read the Python file of a name such as ``a.py:BOT`` as it is now, without running it.

    Raises:
        TournamentError: the file does not exist, or the folder of a run names it.
    """
    path = path_of(name)
    if path in _newest and (path in _received or naming_folder()):
        return _newest[path]
    for file in reversed(list(_files_of(_read_with_imports(path)))):  # the file itself is last
        newest = _noted(file)
    _newest[path] = newest
    return newest


def _files_of(files: Mapping[str, CodeFile]) -> Iterator[CodeFile]:
    """Yield Python files with their digests and module names filled in.

    ``files`` are those of :func:`_read_with_imports`.
    """
    whole = {name: _whole_of(each.package or name, files) for name, each in files.items()}
    for name, each in files.items():
        imports = tuple(
            (imported, _module_name(file, whole[file], files[file].package))
            for imported, file in each.imports
        )
        yield each._replace(whole=whole[name], imports=imports)


# --- reading of files and their imports, without running them ----------------------------------


# Until all are read, a file has no ``whole``, and ``imports`` names paths in place of modules. The
# first file of a folder of modules has the others of the folder among these, by their paths.


def _read_with_imports(path: str) -> dict[str, CodeFile]:
    """Read a Python file and all files of its folder that it imports, also indirectly.

    Returns:
        The files by path; the file itself is first.
    """
    folder = path.removesuffix(os.path.basename(path))
    files = {path: _read(path, folder)}
    for name in (waiting := [path]):
        for imported, file in files[name].imports:
            if file not in files:
                is_first = os.path.basename(file) == INIT  # of a package
                package = files[name].package if imported == file else file * is_first
                files[file] = _read(file, folder, package)
                waiting.append(file)
    return files


def _read(path: str, folder: str, package: str = "") -> CodeFile:
    """Read a Python file, and find the files of its folder that it imports.

    ``package`` is the path of the package's first file if the file belongs to one.

    Raises:
        TournamentError: the file does not exist, or the folder of a run names it.
    """
    is_empty = bool(package) and os.path.basename(path) == INIT and not os.path.exists(path)
    try:
        content = b"" if is_empty else read_named(path, MOST_BYTES)
        text = decode_source(content)
    except TournamentError:
        raise
    except (OSError, ValueError, SyntaxError) as error:
        why = getattr(error, "strerror", None) or error
        raise TournamentError(
            f"{path!r} given, which cannot be read ({why}); a Python file is expected, named from "
            f"the current folder, {os.getcwd()}"
        ) from None
    near = {name: _near(folder, name) for name in _imported(text)}
    near |= {file: file for file in (_files_in(path) if path == package else ())}
    digest = hashlib.sha256(content).hexdigest()
    imports = tuple((name, file) for name, file in near.items() if file)
    return CodeFile(path, os.path.abspath(path), text, digest, "", imports, package)


@lru_cache(maxsize=2 * MOST_FILES)
def _imported(text: str) -> tuple[str, ...]:
    """Return the top-level names of the modules that the text of a Python file imports."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError):  # reported when the file is loaded
        return ()
    names = [each.name for node in nodes if isinstance(node, ast.Import) for each in node.names]
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    names += [node.module or "" for node in froms]
    return tuple(dict.fromkeys(name.partition(".")[0] for name in names if name))


def _near(folder: str, module: str) -> str:
    """Return the Python file of a folder that an imported module name selects, or an empty text.

    For a package this is its ``__init__`` file. The order is that of Python: a package with an
    ``__init__`` file, then a file, then a package without an ``__init__`` file.
    """
    first, file = f"{folder}{module}/{INIT}", f"{folder}{module}.py"
    is_folder = os.path.isfile(first) or not os.path.isfile(file)
    near = first if is_folder else file
    if not os.path.exists(os.path.dirname(first) if is_folder else file):
        return ""
    return near if _is_near(near, module) else ""


def _is_near(file: str, module: str) -> bool:
    """Return whether an imported name refers to this file and not to an installed library."""
    try:
        spec = getattr(sys.modules.get(module), "__spec__", None) or find_spec(module)
    except ValueError:  # raised for __main__
        return False
    origin = getattr(sys.modules.get(module), "__file__", None) or (spec and spec.origin)
    folders = (spec and spec.submodule_search_locations) or ()
    places = [origin] if origin else [f"{each}/{INIT}" for each in folders]
    if any(os.path.realpath(place) != os.path.realpath(file) for place in places):
        return False
    is_folder = os.path.basename(file) == INIT
    return not (is_folder and (module in OURS or (places and module in packages_distributions())))


def _files_in(first: str) -> list[str]:
    """Return the other Python files of a package, including its subpackages.

    ``first`` is the path of its ``__init__`` file.

    Raises:
        TournamentError: there are too many.
    """
    top = os.path.dirname(first)
    files, seen = dict[str, None](), set[str]()
    for folder in (waiting := [top]):
        if os.path.realpath(folder) in seen:  # a link that leads back
            continue
        seen.add(os.path.realpath(folder))
        for name in sorted(os.listdir(folder)):
            path = f"{folder}/{name}"
            if not name.removesuffix(".py").isidentifier() or name == "__pycache__":
                continue
            if os.path.isdir(path):
                waiting.append(path)
            elif name.endswith(".py"):
                files |= dict.fromkeys(_firsts(top, folder)) | {path: None}
        if len(files) > MOST_FILES:
            raise TournamentError(
                f"the folder {top!r} is imported, which holds more than {MOST_FILES:,} Python "
                "files; import a smaller one, or install it as a package"
            )
    return [file for file in files if file != first]


def _firsts(top: str, folder: str) -> Iterator[str]:
    """Yield the paths of the ``__init__`` files of a folder and of the folders above it.

    The folder ``top`` is not included. The files may not exist.
    """
    while folder != top:
        yield f"{folder}/{INIT}"
        folder = os.path.dirname(folder)


def _whole_of(name: str, files: Mapping[str, CodeFile]) -> str:
    """Return a digest of a Python file and of all files that it imports.

    Imports may be circular.
    """
    reached = [name]
    for file in reached:
        reached += {near for _, near in files[file].imports} - {*reached}
    folder = os.path.dirname(next(iter(files)))
    names = {file: os.path.relpath(file, folder or os.curdir) for file in reached[1:]}
    others = sorted((names[file], files[file].digest) for file in reached[1:])
    own = files[name].digest
    return hashlib.sha256(repr((own, others)).encode()).hexdigest() if others else own


# --- modules -----------------------------------------------------------------------------------


def module_of(file: CodeFile) -> ModuleType:
    """Return the module of a user's Python file. The first call runs the file.

    Raises:
        TournamentError: the file raises an error. The message names the line.
    """
    try:
        return importlib.import_module(file.module)
    except (Exception, SystemExit) as error:  # a user's file may raise any error
        raise TournamentError(
            f"{file.name!r} cannot be loaded: {_in_a_line(error, file)}; mend the file"
        ) from error


def module_called(name: str) -> ModuleType:
    """Return the module of a Python file that this process has read or received, by module name."""
    return module_of(_by_module[name])


def known_files() -> tuple[CodeFile, ...]:
    """Return all Python files that this process has read, to send them to another process.

    The newest is last.
    """
    return (*_by_module.values(), *_newest.values())


def receive(files: Sequence[Sequence[Any]]) -> None:
    """Register Python files that another process has read.

    This process will not read them again.
    """
    for fields in files:
        file = _noted(CodeFile(*fields))
        _newest[file.name] = file
        _received.add(file.name)


def _noted(file: CodeFile) -> CodeFile:
    if _FINDER not in sys.meta_path:
        sys.meta_path.append(_FINDER)
    return _by_module.setdefault(file.module, file)


def _in_a_line(error: BaseException, file: CodeFile) -> str:
    """Return one line with the error of a user's Python file and its position in the file."""
    names = {part.place: f" of {part.name}" for part in file.parts} | {file.place: ""}
    lines = [
        f" (line {frame.lineno}{names[frame.filename]})"
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename in names
    ]
    where = lines[-1] if lines else ""
    text = f"{type(error).__name__}: {error}{where}"
    for part in file.parts:  # users do not know the derived module names
        if part.module.isidentifier():
            text = text.replace(part.module, _called(part))
    return " ".join(text.split())


def _called(file: CodeFile) -> str:
    """Return the name of a Python file's module as its user would import it."""
    return Path(file.name).parent.name if file.package else Path(file.name).stem


def _importer(file: CodeFile) -> Callable[..., Any]:
    """Return the ``__import__`` of a user's Python file.

    Imports from the file's folder return the modules of files that were read before.
    """
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
    """The finder and loader for modules of files that this process has read or received."""

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
        with on_path(str(Path(file.place).parent)) if not file.package else nullcontext():
            exec(code, module.__dict__)


@contextmanager
def on_path(folder: str) -> Iterator[None]:
    """Append a folder to ``sys.path`` while the block runs.

    As the last entry it hides no library.
    """
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
