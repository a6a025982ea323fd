"""The linker of plain Python functions into one compiled module.

A *kernel* is a Python function over numpy arrays and numbers, marked by :func:`kernel`. It stays an
ordinary function that can be called, stepped through and tested. A *hook* is a kernel without a
body of its own: a place that a game or a player fills (:mod:`tournaments.kernels.hooks`).

:func:`build` takes an entry kernel and the hooks' fillings, gathers every kernel that the entry
reaches, and writes a single self-contained module. Two things follow:

* The arena, the games and the players do not depend on one another, but are compiled together. The
  inner loop contains no call through a pointer.
* The name of the module is the digest of its whole text, so a compiled kernel on disk is never
  stale: an edit in any contributing file changes the name. Processes that share the folder agree.

The same text is run uncompiled where readability matters more than speed (``compiled=False``).
"""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import inspect
import math
import textwrap
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from tournaments.errors import KernelError
from tournaments.kernels.disk import CompiledKernel, in_memory

Function = TypeVar("Function", bound=Callable[..., Any])
Hooks = Mapping[str, Callable[..., Any]]

# No reference counts: kernels allocate nothing, and counting references of the arrays that they
# pass on costs more than the moves. LLVM inlines the inner kernels, so nothing is called inside a
# game; numba's own inliner would take twice the time of all the rest.
_ENTRY = "@njit(cache=True, nogil=True, error_model='numpy', _nrt=False, no_cfunc_wrapper=True)\n"
_BY_ADDRESS = _ENTRY.replace("no_cfunc_wrapper", "no_cpython_wrapper=True, no_cfunc_wrapper")
_INNER = (
    "@njit(pipeline_class=Inner, nogil=True, error_model='numpy', _nrt=False, forceinline=True, "
    "no_cpython_wrapper=True, no_cfunc_wrapper=True)\n"
)
_BY_NUMBA = "@njit(nogil=True, error_model='numpy', _nrt=False, inline='always')\n"
_HEADER = '''"""Linked from the kernels of tournaments; made anew whenever one of them changes."""

import numpy as np
'''


# numpy's functions whose results IEEE 754 fixes to the last bit. The others, sums and products of
# arrays included, differ between processors and versions, or allocate.
_EXACT_NUMPY = """
    bool bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 intp uintp float32 float64
    iinfo finfo inf nan pi e abs absolute fabs sign signbit copysign floor ceil trunc rint sqrt
    minimum maximum fmin fmax isnan isinf isfinite logical_and logical_or logical_not logical_xor
    bitwise_and bitwise_or bitwise_xor invert left_shift right_shift
"""
_EXACT_MATH = "sqrt fabs floor ceil trunc copysign isnan isinf isfinite"
_EXACT_METHODS = {"view", "item", "fill", "reshape"}
_INEXACT_BUILTINS = {"pow", "print", "sum"}


def kernel(function: Function) -> Function:
    """Mark a plain Python function as a kernel, which may be compiled.

    The function's text is stored now, so that an edit of the file cannot change what a running
    process links.
    """
    function.__kernel__ = textwrap.dedent(inspect.getsource(function))  # type: ignore[attr-defined]
    return function


def hook(function: Function) -> Function:
    """Mark a function without a body as a hook, which a game or a player fills at linking."""
    function.__hook__ = True  # type: ignore[attr-defined]
    return kernel(function)


def by_address(function: Function) -> Function:
    """Mark a kernel that other compiled code calls by its address, see :func:`call_turn`."""
    function.__by_address__ = True  # type: ignore[attr-defined]
    return kernel(function)


def checked(function: Function) -> Function:
    """Mark a kernel that raises if an index is out of bounds or a divisor is 0."""
    function.__checked__ = True  # type: ignore[attr-defined]
    return kernel(function)


def numba_inlines(levels: int) -> Callable[[Function], Function]:
    """Return a decorator that marks a kernel in which numba inlines ``levels`` levels of calls.

    LLVM inlines the rest. Compilation takes 1.5 times as long. The kernel runs up to 4% faster.
    """

    def mark(function: Function) -> Function:
        function.__levels__ = levels  # type: ignore[attr-defined]
        return kernel(function)

    return mark


def interpreted(function: Function, package: str = "") -> Function:
    """Mark a plain Python function that fills a hook, for rules from other packages.

    The interpreter runs all kernels that are linked with the function.

    Args:
        function: a function of a module, under its own name.
        package: the installed package of the rules, whose version is part of fingerprints.
    """
    function.__interpreted__ = package  # type: ignore[attr-defined]
    return function


def build(
    entry: Callable[..., Any],
    hooks: Hooks | None = None,
    *,
    compiled: bool = True,
    by_parts: bool = False,
) -> Callable[..., Any]:
    """Link a kernel with all kernels that it calls, and return the function to call.

    Args:
        entry: a function marked by :func:`kernel`.
        hooks: for the name of each hook that the entry reaches, the kernel that fills it.
        compiled: whether numba compiles the kernel, which is then kept in the cache folder, or the
            interpreter runs it.
        by_parts: run by the interpreter, except that loops that reach no hook are compiled: fast
            for hooks that are filled by plain Python.

    Raises:
        KernelError: a kernel uses a global that is not a kernel, a number or numpy, or something of
            numpy that differs between processors. Calling what is built raises it, too, where numba
            cannot compile the kernel for the arguments.
    """
    filled = tuple(sorted((hooks or {}).items()))
    with _one_at_a_time:
        return _build(entry, filled, compiled, by_parts)


def address_of(entry: Callable[..., Any], hooks: Hooks, record: Any) -> int:
    """Return the address of a kernel's machine code, compiled for the type of a record.

    The address is valid only in this process. ``hooks`` has the kernel that fills each hook.

    Raises:
        KernelError: as for :func:`build`, and where numba cannot compile the kernel.
    """
    compiled = build(entry, hooks)
    assert isinstance(compiled, CompiledKernel)
    return compiled.address(record)


# Python 3.11 counts the depth of the syntax trees that it makes for all threads together, so that
# two that parse at once now and then end in a SystemError (CPython's issue 106905). A second thread
# that wants the same kernel finds it built, too.
_one_at_a_time = threading.Lock()


@cache
def _build(
    entry: Callable[..., Any],
    hooks: tuple[tuple[str, Callable[..., Any]], ...],
    compiled: bool,
    by_parts: bool = False,
) -> Callable[..., Any]:
    parts: dict[str, Callable[..., Any]] | None = {} if by_parts else None
    text, name = link(entry, dict(hooks), compiled=compiled, parts=parts)
    return CompiledKernel(entry.__name__, text, name) if compiled else in_memory(text, name, parts)


# --- records and calls through addresses ---------------------------------------------------------
# Run by the interpreter, a kernel's address is the function, and a record's the named tuple itself.


def built_in(function: Function) -> Function:
    """Mark a function that kernels may call and that the compiler module writes for numba."""
    function.__built_in__ = True  # type: ignore[attr-defined]
    return function


@built_in
def write_record(record: Any, words: Any) -> None:
    """Copy a named tuple of arrays and numbers into ``words``, int64 of sufficient size.

    Kernels at an address receive their arguments in this form.
    """
    words[0] = record


@built_in
def record_at(address: Any) -> Any:
    """Return the named tuple that :func:`write_record` has written at an address."""
    return address


@built_in
def call_turn(turn: Any, record: Any, row: int, seat: int, last: int) -> int:
    """Call the kernel at an address, with the address of a record and three whole numbers.

    Returns:
        The kernel's result, a whole number.
    """
    return turn(record, row, seat, last)


# --- linking -----------------------------------------------------------------------------------


class Linked(NamedTuple):
    """The text of a linked module, and the name of the entry kernel in it."""

    text: str
    entry: str


def link(
    entry: Callable[..., Any],
    hooks: Hooks,
    *,
    compiled: bool = True,
    parts: dict[str, Callable[..., Any]] | None = None,
) -> Linked:
    """Return the text of one module with a kernel and all kernels that it calls.

    ``hooks`` has the kernel that fills each hook. ``compiled`` is whether numba will compile the
    module. ``parts`` receives compiled kernels, by their linked names, that loop and reach no
    hook. None: these are linked, too.
    """
    linker = _Linker(hooks, compiled, getattr(entry, "__levels__", 0), parts)
    name = linker.add(entry, is_entry=True)
    header = _HEADER + ("import math\n" if linker.uses_math else "")
    if compiled:
        header += "from numba import njit\n\nfrom tournaments.kernels.compiler import Inner\n"
    origin = f"tournaments.kernels.{'compiler' if compiled else 'linker'}"
    header += "".join(f"from {origin} import {name}\n" for name in linker.built_ins)
    text = "\n\n".join([header, "\n".join(linker.constants), *linker.functions]) + "\n"
    if getattr(entry, "__checked__", False):
        text = text.replace("error_model='numpy'", "error_model='python', boundscheck=True")
    return Linked(text, name)


def link_several(entries: Iterable[Callable[..., Any]], hooks: Hooks) -> tuple[str, list[str]]:
    """Return the text of several kernels and all that they call, uncompiled, and their names in it.

    The text is for stand-alone programs. It uses ``numpy`` as ``np``.
    """
    linker = _Linker(hooks, False, 0)
    names = [linker.add(entry) for entry in entries]
    if linker.built_ins or linker.uses_math:
        raise KernelError("kernels that call by address, or use math, make no stand-alone program")
    return "\n\n".join(["\n".join(linker.constants), *linker.functions]), names


def fingerprint(kernels: Iterable[Callable[..., Any]], hooks: Hooks, board: np.ndarray) -> str:
    """Return a digest of the code of kernels with filled hooks and of a board.

    It has twelve hexadecimal digits. It depends on the code of the kernels, not on their files or
    documentation.
    """
    filled = tuple(sorted(hooks.items()))
    texts = sorted(interpreted_text(kernel, filled) for kernel in kernels)
    digest = hashlib.sha256("\n".join(texts).encode() + board.tobytes())
    return digest.hexdigest()[:12]


@cache
def interpreted_text(
    entry: Callable[..., Any], hooks: tuple[tuple[str, Callable[..., Any]], ...]
) -> str:
    """Return the text of a kernel and of all that it calls, for the interpreter."""
    return link(entry, dict(hooks), compiled=False).text


class _Linker:
    """A linker that collects kernels depth first, so that each is defined before it is used."""

    def __init__(
        self,
        hooks: Hooks,
        compiled: bool,
        levels: int,
        parts: dict[str, Callable[..., Any]] | None = None,
    ) -> None:
        self.hooks = hooks
        self.parts = parts
        self.compiled = compiled
        self.levels = levels  # of calls that numba inlines
        self.functions: list[str] = []
        self.constants: dict[str, None] = {}  # lines, in their order
        self.built_ins: dict[str, None] = {}  # names
        self.uses_math = False
        self._taken: dict[str, object] = {}  # what each linked name stands for
        self._names: dict[Callable[..., Any], str] = {}
        self._in_progress: list[Callable[..., Any]] = []

    def add(self, function: Callable[..., Any], *, is_entry: bool = False) -> str:
        """Return the name of a kernel in the linked module.

        The first call adds the kernel's text.
        """
        if getattr(function, "__hook__", False):
            function = self._filling(function)
        if hasattr(function, "__interpreted__"):
            return self._imported(function)
        if function in self._names:
            return self._names[function]
        if self.parts is not None and not is_entry:
            with suppress(KernelError):  # raised for a kernel that reaches a hook
                part = link(function, {})
                if "    for " in part.text or "    while " in part.text:  # else too small to pay
                    linked = self._names[function] = self._name(function.__name__, function)
                    self.parts[linked] = CompiledKernel(function.__name__, *part)
                    return linked
        if function in self._in_progress:
            raise KernelError(f"kernel {function.__name__!r} calls itself; write a loop instead")
        self._in_progress.append(function)
        tree = _definition(function)
        tree.name = self._name(function.__name__, function)
        _Renamer(self, function).visit(tree)
        if is_entry:
            decorator = _BY_ADDRESS if getattr(function, "__by_address__", False) else _ENTRY
        else:
            decorator = _BY_NUMBA if len(self._in_progress) <= self.levels + 1 else _INNER
        text = ast.unparse(tree)
        self.functions.append((decorator if self.compiled else "") + text)
        self._in_progress.pop()
        self._names[function] = tree.name
        return tree.name

    def _name(self, name: str, thing: object) -> str:
        """Return a name for an object in the linked module.

        A number is appended to a name in use.
        """
        plain = linked = f"kernel__{name}"
        number = 1
        while self._taken.setdefault(linked, thing) != thing:
            number += 1
            linked = f"{plain}_{number}"
        return linked

    def _filling(self, function: Callable[..., Any]) -> Callable[..., Any]:
        filling = self.hooks.get(function.__name__)
        if filling is None:
            raise KernelError(
                f"nothing fills the hook {function.__name__!r}: the game or the player does not "
                f"offer it (filled: {', '.join(sorted(self.hooks)) or 'none'})"
            )
        return filling

    def _imported(self, function: Callable[..., Any]) -> str:
        """Return the name, in the linked module, of a plain Python function that it imports.

        Raises:
            KernelError: the module is to be compiled.
        """
        where, own = function.__module__, function.__name__
        linked = self._name(own, function)
        if self.compiled:
            raise KernelError(
                f"{where}.{own} is plain Python, which compiled code cannot call; play move by move"
            )
        package: str = function.__interpreted__  # type: ignore[attr-defined]
        version = f"  # {package} {importlib.metadata.version(package)}" if package else ""
        self.constants[f"from {where} import {own} as {linked}{version}"] = None
        return linked

    def constant(self, name: str, value: object) -> str:
        """Return the name, in the linked module, of a constant that a kernel reads.

        The first call adds the constant to the module.
        """
        shown = repr(value)  # of numpy's numbers with their type, such as np.uint64(3)
        if isinstance(value, float) and not math.isfinite(value):
            shown = f"float('{float(value)}')"
        linked = self._name(name, shown)
        self.constants[f"{linked} = {shown}"] = None
        return linked


def _definition(function: Callable[..., Any]) -> ast.FunctionDef:
    """Return the syntax tree of a kernel, without its docstring and annotations."""
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
    """A transformer that replaces each global name in a kernel by its linked name."""

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
        if node.id in self.local:
            return node
        if node.id in self.globals:
            return self._resolve(node, node.id, self.globals[node.id])
        if node.id in _INEXACT_BUILTINS:
            raise self._inexact(node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id not in self.local:
            owner = self.globals.get(node.value.id)
            if owner is np:
                return self._exact(node, "np", _EXACT_NUMPY)
            if owner is math and not isinstance(getattr(math, node.attr, None), float):
                self.linker.uses_math = True
                return self._exact(node, "math", _EXACT_MATH)
            if isinstance(owner, ModuleType):
                return self._resolve(node, node.attr, getattr(owner, node.attr, None))
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        visited = self.generic_visit(node)
        called = node.func  # by now np and math are the only modules left
        if isinstance(called, ast.Attribute) and called.attr not in _EXACT_METHODS:
            owner = called.value
            if not (isinstance(owner, ast.Name) and owner.id in ("np", "math")):
                raise self._inexact(f".{called.attr}()")
        return visited

    def visit_Pow(self, node: ast.Pow) -> ast.AST:
        raise self._inexact("**")

    def visit_MatMult(self, node: ast.MatMult) -> ast.AST:
        raise self._inexact("@")

    def _exact(self, node: ast.Attribute, module: str, names: str) -> ast.AST:
        if node.attr not in names.split():
            raise self._inexact(f"{module}.{node.attr}")
        return ast.Attribute(ast.Name(module, ast.Load()), node.attr, ast.Load())

    def _inexact(self, what: str) -> KernelError:
        return KernelError(
            f"kernel {self.function.__name__!r} uses {what}: a kernel may use only what gives the "
            "same bits on every processor and allocates nothing. Write it with additions and "
            "multiplications in a loop; tournaments.kernels.arithmetic has exp and sigmoid. "
            f"Of numpy there are: {', '.join(_EXACT_NUMPY.split())}"
        )

    def _resolve(self, node: ast.expr, name: str, value: object) -> ast.AST:
        if hasattr(value, "__kernel__"):
            return ast.Name(self.linker.add(value), ast.Load())  # type: ignore[arg-type]
        if hasattr(value, "__built_in__"):
            self.linker.built_ins[name] = None
            return node
        if isinstance(value, bool | int | float | np.generic):
            return ast.Name(self.linker.constant(name, value), ast.Load())
        raise KernelError(
            f"kernel {self.function.__name__!r} uses {name!r}, a {type(value).__name__}: a kernel "
            "may use other kernels, numbers and numpy; pass anything else as an argument"
        )
