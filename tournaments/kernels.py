"""Plain Python functions, linked into one module and compiled.

A *kernel* is a Python function over numpy arrays and numbers, marked by :func:`kernel`. It stays an
ordinary function that can be called, stepped through and tested. A *hook* is a kernel without a
body of its own: a place that a game or a player fills (:mod:`tournaments.hooks`).

:func:`build` takes an entry kernel and the hooks' fillings, gathers every kernel that the entry
reaches, and writes them as one self-contained module. Two things follow:

* the arena, the games and the players know nothing of one another, yet are compiled together, with
  no call through a pointer left in the inner loop;
* the module's name is the digest of its whole text, so a compiled kernel on disk is stale never: an
  edit in any file that contributes gives another name. Processes that share the folder agree.

The same text is run uncompiled where readability matters more than speed (``compiled=False``).
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import inspect
import math
import os
import sys
import tempfile
import textwrap
import threading
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from tournaments.cache import cache_folder

Function = TypeVar("Function", bound=Callable[..., Any])
Hooks = Mapping[str, Callable[..., Any]]

# No reference counts: kernels allocate nothing, and counting references of the arrays that they
# pass on costs more than the moves. numba inlines the inner kernels, so nothing is called inside a
# game.
_ENTRY = "@njit(cache=True, nogil=True, error_model='numpy', _nrt=False)\n"
_INNER = "@njit(nogil=True, error_model='numpy', _nrt=False, inline='always')\n"
_HEADER = '''"""Linked from the kernels of tournaments; made anew whenever one of them changes."""

import numpy as np
'''


class KernelError(TypeError):
    """A kernel uses something that cannot be linked; the message names both."""


def kernel(function: Function) -> Function:
    """Mark a function as compilable; it stays the plain Python function that it is.

    Its text is taken now, so that an edit of the file cannot change what a running process links.
    """
    function.__kernel__ = textwrap.dedent(inspect.getsource(function))  # type: ignore[attr-defined]
    return function


def hook(function: Function) -> Function:
    """Mark a kernel without a body: a place that a game or a player fills when it is linked."""
    function.__hook__ = True  # type: ignore[attr-defined]
    return kernel(function)


def build(
    entry: Callable[..., Any], hooks: Hooks | None = None, *, compiled: bool = True
) -> Callable[..., Any]:
    """The entry kernel with its hooks filled, as one callable.

    Args:
        entry: a function marked by :func:`kernel`.
        hooks: for the name of each hook that the entry reaches, the kernel that fills it.
        compiled: compiled by numba and kept in the cache folder, or run by the interpreter.

    Raises:
        KernelError: a kernel uses a global that is not a kernel, a number or numpy.
    """
    filled = tuple(sorted((hooks or {}).items()))
    return _build(entry, filled, compiled)


def is_cached(entry: Callable[..., Any], hooks: Hooks | None = None) -> bool:
    """Whether the compiled form is on disk, so that building it takes no compiler."""
    text = link(entry, hooks or {}, compiled=True)
    folder = cache_folder() / "kernels" / _digest(text)
    return any(folder.glob("**/*.nbc"))


@cache
def _build(
    entry: Callable[..., Any], hooks: tuple[tuple[str, Callable[..., Any]], ...], compiled: bool
) -> Callable[..., Any]:
    text = link(entry, dict(hooks), compiled=compiled)
    module = _module_on_disk(text) if compiled else _module_in_memory(text)
    return getattr(module, _name_of(entry))


def _digest(text: str) -> str:
    import llvmlite
    import numba

    versions = f"{numba.__version__} {llvmlite.__version__} {np.__version__} {sys.version}"
    return hashlib.sha256(f"{versions}\n{_processor()}\n{text}".encode()).hexdigest()[:24]


@lru_cache(maxsize=1)
def _processor() -> str:
    """What is compiled for: nodes of different kinds may share a cache folder, never its files."""
    import llvmlite.binding as llvm
    from numba.core import config

    chosen = vars(config)  # numba sets these from the environment
    name = chosen.get("CPU_NAME") or llvm.get_host_cpu_name()
    features = chosen.get("CPU_FEATURES")
    return f"{name} {llvm.get_host_cpu_features().flatten() if features is None else features}"


_import_lock = threading.Lock()


def _module_in_memory(text: str) -> ModuleType:
    module = ModuleType("tournaments_linked")
    exec(compile(text, "<linked kernels>", "exec"), module.__dict__)
    return module


def _module_on_disk(text: str) -> ModuleType:
    """Import the text as a module from the cache folder, or from memory where none can be written.

    numba keeps its compiled code beside the module. The file's time is fixed, because numba takes
    it as part of the key, and two processes may write the same file one after the other.
    """
    name = _digest(text)
    path = cache_folder() / "kernels" / name / "linked.py"
    with _import_lock:
        try:
            if not path.exists():
                _write_once(path, text)
        except OSError:
            return _module_in_memory(_uncached(text))
        qualified = f"tournaments_linked_{name}"
        if qualified in sys.modules:
            return sys.modules[qualified]
        spec = importlib.util.spec_from_file_location(qualified, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[qualified] = module
        try:
            spec.loader.exec_module(module)
        except RuntimeError:  # numba found no folder to keep compiled code in
            module = _module_in_memory(_uncached(text))
            sys.modules[qualified] = module
        except BaseException:
            del sys.modules[qualified]
            raise
        return module


def _uncached(text: str) -> str:
    return text.replace("cache=True, ", "")


def _write_once(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".linked-", suffix=".tmp")
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.utime(temporary, (1_000_000_000, 1_000_000_000))
    os.replace(temporary, path)


# --- linking -----------------------------------------------------------------------------------


def link(entry: Callable[..., Any], hooks: Hooks, *, compiled: bool = True) -> str:
    """The text of one module that holds the entry kernel and all that it reaches."""
    linker = _Linker(hooks, compiled)
    linker.add(entry, is_entry=True)
    header = _HEADER + ("from numba import njit\n" if compiled else "")
    return "\n\n".join([header, "\n".join(linker.constants), *linker.functions]) + "\n"


def _name_of(function: Callable[..., Any]) -> str:
    module = function.__module__.replace(".", "_")
    return f"{module}__{function.__name__}"


class _Linker:
    """Gathers kernels depth first, so that each is defined before it is used."""

    def __init__(self, hooks: Hooks, compiled: bool) -> None:
        self.hooks = hooks
        self.compiled = compiled
        self.functions: list[str] = []
        self.constants: list[str] = []
        self._names: dict[Callable[..., Any], str] = {}
        self._in_progress: list[str] = []

    def add(self, function: Callable[..., Any], *, is_entry: bool = False) -> str:
        """The linked name of a kernel, which is emitted on the first call."""
        if getattr(function, "__hook__", False):
            function = self._filling(function)
        if function in self._names:
            return self._names[function]
        name = _name_of(function)
        if name in self._in_progress:
            raise KernelError(f"kernel {function.__name__!r} calls itself; write a loop instead")
        self._in_progress.append(name)
        tree = _definition(function)
        tree.name = name
        _Renamer(self, function).visit(tree)
        decorator = _ENTRY if is_entry else _INNER
        text = ast.unparse(tree)
        self.functions.append((decorator if self.compiled else "") + text)
        self._in_progress.pop()
        self._names[function] = name
        return name

    def _filling(self, function: Callable[..., Any]) -> Callable[..., Any]:
        try:
            return self.hooks[function.__name__]
        except KeyError:
            raise KernelError(
                f"nothing fills the hook {function.__name__!r}: the game or the player does not "
                f"offer it (filled: {', '.join(sorted(self.hooks)) or 'none'})"
            ) from None

    def constant(self, function: Callable[..., Any], name: str, value: object) -> str:
        """The linked name of a number that a kernel takes from its module."""
        linked = f"{function.__module__.replace('.', '_')}__{name}"
        shown = f"np.{type(value).__name__}({value})" if isinstance(value, np.generic) else value
        if isinstance(value, float) and not math.isfinite(value):
            shown = f"float('{float(value)}')"
        line = f"{linked} = {shown!r}" if shown is value else f"{linked} = {shown}"
        if line not in self.constants:
            self.constants.append(line)
        return linked


def _definition(function: Callable[..., Any]) -> ast.FunctionDef:
    """A function's syntax tree without what a compiler does not need."""
    tree = ast.parse(function.__kernel__).body[0]  # type: ignore[attr-defined]
    if not isinstance(tree, ast.FunctionDef):
        raise KernelError(f"kernel {function.__name__!r} is not a plain function")
    if ast.get_docstring(tree) is not None:
        tree.body = tree.body[1:] or [ast.Pass()]
    tree.decorator_list = []
    tree.returns = None
    for argument in tree.args.args:
        argument.annotation = None
    return tree


class _Renamer(ast.NodeTransformer):
    """Gives every global that a kernel uses its linked name."""

    def __init__(self, linker: _Linker, function: Callable[..., Any]) -> None:
        self.linker = linker
        self.function = function
        self.globals: dict[str, Any] = function.__globals__
        self.local = set(function.__code__.co_varnames)
        if function.__closure__:
            raise KernelError(
                f"kernel {function.__name__!r} uses variables of an enclosing function; "
                "pass them as arguments"
            )

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.local or node.id not in self.globals:
            return node
        return self._resolve(node, node.id, self.globals[node.id])

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id not in self.local:
            owner = self.globals.get(node.value.id)
            if isinstance(owner, ModuleType) and owner is not np:
                return self._resolve(node, node.attr, getattr(owner, node.attr, None))
        return self.generic_visit(node)

    def _resolve(self, node: ast.expr, name: str, value: object) -> ast.AST:
        if hasattr(value, "__kernel__"):
            return ast.copy_location(ast.Name(self.linker.add(value), ast.Load()), node)  # type: ignore[arg-type]
        if isinstance(value, bool | int | float | np.generic):
            linked = self.linker.constant(self.function, name, value)
            return ast.copy_location(ast.Name(linked, ast.Load()), node)
        if value is np:
            return ast.copy_location(ast.Name("np", ast.Load()), node)
        raise KernelError(
            f"kernel {self.function.__name__!r} uses {name!r}, a {type(value).__name__}: a kernel "
            "may use other kernels, numbers and numpy; pass anything else as an argument"
        )
