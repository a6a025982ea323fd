"""Print the size and structure of the product: `python -m benchmarks.structure [--cold]`.

Lines of code are lines with a token that is not a docstring, a comment or an import. Calls are
counted with `sys.setprofile` in all threads of a process in which the same work was done before, so
that nothing is imported or compiled meanwhile. One JSON object a line; `--cold` adds the processor
time of `evo run` as in README with an empty cache, half a minute. Run it in a checkout, as it reads
the list of files from git.
"""

import argparse
import ast
import collections
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import tokenize
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, TypeGuard

from benchmarks.report import emit, machine

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("evo", "tournaments", "cluster", "results")
SMALL_LINES, MANY_PARAMETERS = 60, 6
BOARD = "dots-and-boxes:rows=2,cols=2"
IGNORED = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    tokenize.ENDMARKER,
}
"""Tokens that make no line a line of code."""


# --- size ----------------------------------------------------------------------------------------


@dataclass
class Size:
    """The size of some files: numbers of files, of lines, and of lines of code."""

    files: int = 0
    lines: int = 0
    code: int = 0


def code_lines(text: str) -> int:
    """Return the number of lines of a file that hold code."""
    skipped: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom) or _is_docstring(node):
            skipped.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in IGNORED:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - skipped)


def _is_docstring(node: ast.AST) -> TypeGuard[ast.Expr]:
    """Return whether a statement is a text alone."""
    is_constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_constant and isinstance(node.value.value, str)  # type: ignore[attr-defined]


def num_parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the number of parameters of a function, without `self`, `cls`, `*args`, `**more`."""
    names = function.args
    count = len(names.posonlyargs + names.args + names.kwonlyargs)
    return count - bool(names.args and names.args[0].arg in ("self", "cls"))


def python_files() -> list[str]:
    """Return the Python files of the checkout that git knows."""
    command = ["git", "ls-files", "*.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.split() if (ROOT / name).is_file()]


def print_sizes() -> None:
    """Print the size of the product, its packages and the tests, and what house rules count."""
    sizes: dict[str, Size] = collections.defaultdict(Size)
    small = long_signatures = 0
    classes: collections.Counter[str] = collections.Counter()
    for name in python_files():
        text, package = (ROOT / name).read_text(encoding="utf-8"), name.partition("/")[0]
        lines, code = text.count("\n"), code_lines(text)
        in_product = package in PACKAGES
        for key in (package, "product") if in_product else (package,):
            size = sizes[key]
            size.files, size.lines, size.code = size.files + 1, size.lines + lines, size.code + code
        if not in_product:
            continue
        small += lines < SMALL_LINES
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                long_signatures += num_parameters(node) > MANY_PARAMETERS
            is_game = "/games/" in name
            if isinstance(node, ast.ClassDef) and not (is_game or node.name.startswith("_")):
                classes[node.name] += 1
    for name in ("product", *PACKAGES, "tests", "benchmarks"):
        emit("code", sizes[name].code, "lines", of=name, **vars(sizes[name]))
    emit("small-files", small, "files", of=f"fewer than {SMALL_LINES} lines")
    emit("long-signatures", long_signatures, "functions", of=f"more than {MANY_PARAMETERS}")
    repeated = [name for name, count in classes.most_common() if count > 1]
    emit("repeated-class-names", len(repeated), "names", names=repeated)
    layers = import_layers("tournaments")
    emit("import-layers", len(layers), "layers", of="tournaments", layers=layers)


def import_layers(package: str) -> list[str]:
    """Return the layers of a package that import-linter holds, the upper ones first."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = table["tool"]["importlinter"]["contracts"]
    return next(each["layers"] for each in contracts if each.get("containers") == [package])


# --- calls ---------------------------------------------------------------------------------------


@dataclass
class Calls:
    """Counts of calls of Python functions.

    Attributes:
        hops: calls from one file of the product to another one.
        files: files of the product with a function that was called.
        classes: classes of the product of whose instances a method was called.
        by_package: calls by package of the product; `others` is the standard library and all other
            packages.
    """

    hops: int = 0
    files: set[str] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)
    by_package: collections.Counter[str] = field(default_factory=collections.Counter)

    @property
    def own(self) -> int:
        """The number of calls of functions of the product."""
        return self.by_package.total() - self.by_package["others"]

    def count(self, frame: FrameType, event: str, argument: Any) -> None:
        """Count a call: the function that `sys.setprofile` takes."""
        if event != "call":
            return
        file = _file_of_product(frame)
        self.by_package[file.partition("/")[0] if file else "others"] += 1
        if not file:
            return
        self.files.add(file)
        caller = _file_of_product(frame.f_back)
        self.hops += bool(caller) and caller != file
        kind = type(frame.f_locals.get("self"))
        if kind.__module__.partition(".")[0] in PACKAGES:
            self.classes.add(f"{kind.__module__}.{kind.__qualname__}")


def _file_of_product(frame: FrameType | None) -> str:
    """Return the file of a frame relative to the checkout, or nothing for other code."""
    if frame is None:
        return ""
    name = frame.f_code.co_filename
    return _FILES.setdefault(name, _relative(name))


_FILES: dict[str, str] = {}


def _relative(name: str) -> str:
    path = Path(name)
    inside = path.is_absolute() and path.is_relative_to(ROOT)
    relative = str(path.relative_to(ROOT)) if inside else ""
    return relative if relative.partition("/")[0] in PACKAGES else ""


@contextmanager
def counted() -> Iterator[Calls]:
    """Count the calls of a block, in this thread and in those that it starts."""
    calls = Calls()
    threading.setprofile(calls.count)
    sys.setprofile(calls.count)
    try:
        yield calls
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def print_calls() -> None:
    """Print the calls of a run, of one more generation, and of a tournament."""
    import evo
    from evo.cli.main import main

    def command(folder: Path, generations: int) -> None:
        out = str(folder / f"run-{generations}-{time.monotonic_ns()}")
        flags = f"--game {BOARD} --scheme antibody-antigen --generations {generations} --threads 1"
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            assert main(["run", *flags.split(), "--out", out]) == 0

    def of(work: Callable[[], object]) -> Calls:
        work()
        with counted() as calls:
            work()
        return calls

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = of(lambda: command(folder, 2))
        more = of(lambda: command(folder, 12))
    emit("calls-of-evo-run", run.own, "calls", generations=2, by=dict(run.by_package))
    emit("calls-of-a-generation", (more.own - run.own) / 10, "calls")
    emit("met-by-evo-run", len(run.classes), "classes", files=len(run.files))
    generation = of_generation()
    emit("met-by-a-generation", len(generation.classes), "classes", files=len(generation.files))
    players = ["level-0", "level-1"]
    tournament = of(lambda: evo.tournament(BOARD, players, games=10, threads=1))
    emit("calls-between-files", tournament.hops, "calls", of="evo.tournament", all=tournament.own)


def of_generation() -> Calls:
    """Count the calls of one generation of a run by threads, its first and last ones left out."""
    import evo

    calls, seen = Calls(), []

    def report(progress: Any) -> None:
        seen.append(progress.generation)
        sys.setprofile(calls.count if len(seen) == 3 else None)

    with tempfile.TemporaryDirectory() as name:
        options = {"game": BOARD, "scheme": "antibody-antigen", "generations": 6}
        try:
            evo.run(Path(name) / "run", options, threads=1, report=report)
        finally:
            sys.setprofile(None)
    return calls


# --- time ----------------------------------------------------------------------------------------


def print_snapshot_ratio(repeats: int = 30) -> None:
    """Print the time to read a snapshot by `results`, as a ratio to `pandas.read_parquet`."""
    import statistics

    import pandas as pd

    import evo
    from results import open_run

    with tempfile.TemporaryDirectory() as name:
        path = evo.run(Path(name) / "run", {"generations": 3}, threads=1).path
        snapshot = path / "snapshots" / "generation-000003.parquet"
        ratios = []
        for _ in range(repeats):
            begun = time.perf_counter()
            open_run(path).population()
            middle = time.perf_counter()
            pd.read_parquet(snapshot, dtype_backend="numpy_nullable")
            ratios.append((middle - begun) / (time.perf_counter() - middle))
    emit("snapshot-beside-pandas", statistics.median(ratios), "ratio", rows=100)


def print_cold_run() -> None:
    """Print the processor time of the run of README with an empty cache of kernels."""
    script = (
        "import sys, time, json\nfrom evo.cli.main import main\n"
        "assert main(['run', '--out', sys.argv[1]]) == 0\nprint(json.dumps(time.process_time()))"
    )
    with tempfile.TemporaryDirectory() as name:
        environment = {**os.environ, "EVO_CACHE_DIR": f"{name}/cache", "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [sys.executable, "-c", script, f"{name}/run"],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
    emit("cold-run", float(json.loads(done.stdout.splitlines()[-1])), "seconds of processor time")


def main() -> None:
    """Print all figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cold", action="store_true", help="also time `evo run` without a cache")
    cold = options.parse_args().cold
    emit("machine", 1, "machine", **machine())
    print_sizes()
    print_calls()
    print_snapshot_ratio()
    if cold:
        print_cold_run()


if __name__ == "__main__":
    main()
