"""Mutants: plausible faults, each put into a copy of this checkout, where some test must find it.

    python -m benchmarks.mutants --only swiss-rest-is-no-win --jobs 2

``mutants.toml`` lists them, with the files that they are put into and the tests that are to find
them. A mutant is killed where a test fails, or runs into the time limit. The exit status is 1 where
one survives, does not apply, or where its tests do not run. ``--unmutated`` first runs the tests of
each mutant without it: where they fail then, they kill nothing.

The working tree is never touched. What is compiled is kept in ``EVO_CACHE_DIR``, where it is set:
kernels go by their content there, so mutated and unmutated ones never meet.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST = Path(__file__).with_suffix(".toml")
LIMIT = 300.0
"""Seconds that the tests of a mutant may take."""
PYTEST = ("-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider")
PASSED, FAILED = 0, 1
"""Exit statuses of pytest; any other one says that the tests did not run."""

KILLED, LATE, SURVIVED = "killed", "killed (time limit)", "SURVIVED"
NOT_APPLIED, NOT_RUN, RED = "DOES NOT APPLY", "TESTS DO NOT RUN", "RED WITHOUT IT"


class MutantError(ValueError):
    """A mutant does not apply, or the list of mutants is not what it should be."""


@dataclass(frozen=True)
class Mutant:
    """One fault.

    Attributes:
        name: of the mutant.
        subject: what it is about.
        source: the file that it is put into, or a folder with the file, relative to the checkout.
        old: text that stands in there once.
        new: what stands there in its place.
        tests: arguments of pytest, the files relative to the checkout.
    """

    name: str
    subject: str
    source: str
    old: str
    new: str
    tests: tuple[str, ...]

    def applied(self, root: Path) -> tuple[Path, str]:
        """Return the file that the mutant changes in a checkout, and its changed text.

        Raises:
            MutantError: the text to be replaced is not there exactly once.
        """
        source = root / self.source
        files = sorted(source.rglob("*.py")) if source.is_dir() else [source]
        texts = {file: file.read_text(encoding="utf-8") for file in files if file.is_file()}
        count = sum(text.count(self.old) for text in texts.values())
        if count != 1:
            raise MutantError(
                f"{self.name}: {self.old!r} stands {count} times in {self.source}; once is "
                f"expected: mend the mutant in {LIST.name}"
            )
        file = next(file for file, text in texts.items() if self.old in text)
        return file, texts[file].replace(self.old, self.new)


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant, and how many seconds its tests took."""

    mutant: Mutant
    verdict: str
    seconds: float = 0.0

    @property
    def is_killed(self) -> bool:
        return self.verdict in (KILLED, LATE)


def load_mutants(path: Path = LIST) -> list[Mutant]:
    """All mutants of a list.

    Raises:
        MutantError: a mutant names a source or tests that the list does not have, or a name twice.
    """
    listed = tomllib.loads(path.read_text(encoding="utf-8"))
    mutants = []
    for subject, group in listed["mutants"].items():
        for name, (source, old, new, tests) in group.items():
            files, dash_k, expression = tests.partition(" -k ")
            try:
                arguments = [listed["tests"][key] for key in files.split()]
                source = listed["sources"][source]
            except KeyError as error:
                raise MutantError(
                    f"{name}: {error} stands neither under [sources] nor under [tests]"
                ) from None
            arguments += ["-k", expression] if dash_k else []
            mutants.append(Mutant(name, subject, source, old, new, tuple(arguments)))
    names = [mutant.name for mutant in mutants]
    if twice := {name for name in names if names.count(name) > 1}:
        raise MutantError(f"mutants {sorted(twice)} are listed twice; give each a name of its own")
    return mutants


class Copy:
    """A copy of the checkout, with what git knows of it and what is new there.

    Attributes:
        root: the folder of the copy.
    """

    def __init__(self, root: Path, kernels: Path) -> None:
        """Copy the checkout to a folder, and keep compiled kernels in another.

        Raises:
            MutantError: Python would not import the copy.
        """
        self.root, self._kernels = root, kernels
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        for name in filter(None, listed.stdout.split("\0")):
            if (ROOT / name).is_file():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, root / name)
        self._check_imports()

    def _check_imports(self) -> None:
        packages = [file.parent.name for file in sorted(self.root.glob("*/__init__.py"))]
        code = "\n".join(f"import {name}; print({name}.__file__)" for name in packages)
        shown = subprocess.run(
            [sys.executable, "-c", code],
            cwd=self.root.parent,
            env=self._environment(self.root.parent),
            capture_output=True,
            text=True,
            check=True,
        )
        for line in shown.stdout.splitlines():
            if not Path(line).resolve().is_relative_to(self.root.resolve()):
                raise MutantError(f"{line} is imported in place of the copy in {self.root}")

    def _environment(self, cache: Path) -> dict[str, str]:
        """Return an environment in which tests, and processes that tests start, import the copy."""
        return {**os.environ, "PYTHONPATH": str(self.root), "EVO_CACHE_DIR": str(cache)}

    def run(self, tests: Sequence[str], limit: float) -> int | None:
        """Run tests in the copy; the exit status of pytest, None at the time limit."""
        with tempfile.TemporaryDirectory(dir=self.root.parent) as folder:
            # Only kernels go by their content: what else is cached would tell of other sources.
            (Path(folder) / "kernels").symlink_to(self._kernels)
            process = subprocess.Popen(
                [sys.executable, *PYTEST, "--basetemp", f"{folder}/tests", *tests],
                cwd=self.root,
                env=self._environment(Path(folder)),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            try:
                return process.wait(limit)
            except subprocess.TimeoutExpired:
                return None
            finally:
                with suppress(ProcessLookupError):  # what tests have left behind
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    @contextmanager
    def with_mutant(self, mutant: Mutant, number: int) -> Iterator[None]:
        """Put a mutant into the copy, and restore the copy afterwards.

        Compiled bytecode is told from stale one by size and time: so the time is the ``number`` of
        the mutant, which no other has.
        """
        file, text = mutant.applied(self.root)
        original, times = file.read_bytes(), file.stat()
        try:
            file.write_text(text, encoding="utf-8")
            os.utime(file, (number, number))
            yield
        finally:
            file.write_bytes(original)
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


def judge(mutant: Mutant, number: int, copy: Copy, limit: float, unmutated: bool) -> Verdict:
    """Put a mutant into a copy and run its tests there."""
    started = time.perf_counter()
    if unmutated and copy.run(mutant.tests, limit) != PASSED:
        return Verdict(mutant, RED, time.perf_counter() - started)
    started = time.perf_counter()
    try:
        with copy.with_mutant(mutant, number):
            status = copy.run(mutant.tests, limit)
    except MutantError:
        return Verdict(mutant, NOT_APPLIED)
    verdicts = {PASSED: SURVIVED, FAILED: KILLED, None: LATE}
    return Verdict(mutant, verdicts.get(status, NOT_RUN), time.perf_counter() - started)


def judge_all(
    mutants: Sequence[Mutant], jobs: int, limit: float, unmutated: bool
) -> Iterator[Verdict]:
    """Yield the verdict on each mutant as soon as it is known. Each job has its own copy."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder, ThreadPoolExecutor(jobs) as pool:
        kept = Path(os.environ.get("EVO_CACHE_DIR") or folder) / "kernels"
        kept.mkdir(parents=True, exist_ok=True)
        copies: queue.SimpleQueue[Copy] = queue.SimpleQueue()
        for job in range(min(jobs, len(mutants))):
            copies.put(Copy(Path(folder) / f"job-{job}" / ROOT.name, kept.resolve()))

        def in_some_copy(number: int, mutant: Mutant) -> Verdict:
            copy = copies.get()
            try:
                return judge(mutant, number, copy, limit, unmutated)
            finally:
                copies.put(copy)

        judged = [pool.submit(in_some_copy, *numbered) for numbered in enumerate(mutants, start=1)]
        try:
            for verdict in as_completed(judged):
                yield verdict.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def mutants_named(only: Sequence[str]) -> list[Mutant]:
    """Return the mutants with these names or subjects; all mutants if no names are given.

    Raises:
        MutantError: nothing has one of the names.
    """
    mutants = load_mutants()
    for name in only:
        if not any(name in (mutant.name, mutant.subject) for mutant in mutants):
            raise MutantError(f"{name!r} given; the name of a mutant or a subject is expected")
    return [mutant for mutant in mutants if not only or {mutant.name, mutant.subject} & set(only)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge mutants and print a row each; 1 where one is not killed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="names, or subjects")
    parser.add_argument("--jobs", type=int, default=1, help="mutants side by side (1)")
    parser.add_argument("--limit", type=float, default=LIMIT, help=f"seconds of one ({LIMIT:g})")
    parser.add_argument("--unmutated", action="store_true", help="tests must pass without, first")
    parser.add_argument("--json", action="store_true", help="an object a line in place of a table")
    options = parser.parse_args(arguments)
    try:
        mutants = mutants_named(options.only)
    except MutantError as error:
        parser.error(str(error))
    form = f"{{:<{max(len(mutant.name) for mutant in mutants)}}}  {{:<12}}  {{:<19}} {{:>8}}"
    if not options.json:
        print(form.format("mutant", "subject", "verdict", "seconds"), flush=True)
    killed = 0
    for judged in judge_all(mutants, max(1, options.jobs), options.limit, options.unmutated):
        mutant, seconds = judged.mutant, round(judged.seconds, 1)
        killed += judged.is_killed
        row = {"mutant": mutant.name, "subject": mutant.subject, "verdict": judged.verdict}
        if options.json:
            print(json.dumps({**row, "seconds": seconds}), flush=True)
        else:
            print(form.format(*row.values(), seconds), flush=True)
    if not options.json:
        print(f"\n{killed} of {len(mutants)} killed")
    return 0 if killed == len(mutants) else 1


if __name__ == "__main__":
    sys.exit(main())
