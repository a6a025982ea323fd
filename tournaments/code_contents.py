"""What a Python file by path is made of: itself, and all of its folder that it imports.

Nothing is run: which files these are their texts say. A folder of modules counts whole.
"""

from __future__ import annotations

import ast
import hashlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.machinery import ModuleSpec
from importlib.metadata import packages_distributions
from importlib.util import decode_source, find_spec
from typing import NamedTuple

from tournaments.errors import TournamentError

MOST_BYTES = 4 << 20
"""Of a Python file."""
MOST_FILES = 1000
"""Of a folder of modules."""
OURS = ("cluster", "evo", "results", "tournaments")
"""Packages that a file imports from nowhere else, wherever it lies."""
INIT = "__init__.py"


class Content(NamedTuple):
    """A file that was read: its text, its digest, and by name the files that it imports.

    The others of its folder of modules are among these, of the first one, by their paths.
    """

    text: str
    digest: str
    near: Mapping[str, str]
    package: str = ""


def contents_of(path: str) -> dict[str, Content]:
    """A file and all of its folder that it imports, and these import; itself first."""
    folder = path.removesuffix(os.path.basename(path))
    contents = {path: _content_of(path, folder)}
    for name in (waiting := [path]):
        for imported, file in contents[name].near.items():
            if file not in contents:
                package = contents[name].package if imported == file else _package_of(file)
                contents[file] = _content_of(file, folder, package)
                waiting.append(file)
    return contents


def _package_of(file: str) -> str:
    """The first file of the folder of modules that a file stands for; empty: it is one alone."""
    return file if os.path.basename(file) == INIT else ""


def _content_of(path: str, folder: str, package: str = "") -> Content:
    """
    Raises:
        TournamentError: there is no such file, or the folder of a run names it.
    """
    from tournaments.named_files import read_named

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
    return Content(text, digest, {name: file for name, file in near.items() if file}, package)


@lru_cache(maxsize=2 * MOST_FILES)
def _imported(text: str) -> tuple[str, ...]:
    """The modules that a text imports, of a package its name."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError):  # which is said when it is loaded
        return ()
    names = [each.name for node in nodes if isinstance(node, ast.Import) for each in node.names]
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    names += [node.module or "" for node in froms]
    return tuple(dict.fromkeys(name.partition(".")[0] for name in names if name))


def _near(folder: str, module: str) -> str:
    """The file of a folder that a name stands for, of a folder of modules its first; empty: none.

    As Python has it: a folder with a first file, then a file, then a folder without.
    """
    first, file = f"{folder}{module}/{INIT}", f"{folder}{module}.py"
    is_folder = os.path.isfile(first) or not os.path.isfile(file)
    near = first if is_folder else file
    if not os.path.exists(os.path.dirname(first) if is_folder else file):
        return ""
    return near if _is_near(near, module) else ""


def _is_near(file: str, module: str) -> bool:
    """Whether a name that is imported is this file, and no library's."""
    try:
        spec = getattr(sys.modules.get(module), "__spec__", None) or find_spec(module)
    except ValueError:  # of __main__
        return False
    origin = getattr(sys.modules.get(module), "__file__", None) or (spec and spec.origin)
    places = [origin] if origin else [f"{each}/{INIT}" for each in _locations(spec)]
    if any(os.path.realpath(place) != os.path.realpath(file) for place in places):
        return False
    is_folder = os.path.basename(file) == INIT
    return not (is_folder and (module in OURS or (places and module in packages_distributions())))


def _locations(spec: ModuleSpec | None) -> Sequence[str]:
    return () if spec is None else (spec.submodule_search_locations or ())


def _files_in(first: str) -> list[str]:
    """The other Python files of a folder of modules, in the folders below it, too.

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
    """The first files of a folder and of those above it, below the top; some may not be there."""
    while folder != top:
        yield f"{folder}/{INIT}"
        folder = os.path.dirname(folder)


def whole_of(name: str, contents: Mapping[str, Content]) -> str:
    """A digest of a file and of all that it imports, which may import it too."""
    reached = [name]
    for file in reached:
        reached += {*contents[file].near.values()} - {*reached}
    folder = os.path.dirname(next(iter(contents)))
    names = {file: os.path.relpath(file, folder or os.curdir) for file in reached[1:]}
    others = sorted((names[file], contents[file].digest) for file in reached[1:])
    own = contents[name].digest
    return hashlib.sha256(repr((own, others)).encode()).hexdigest() if others else own
