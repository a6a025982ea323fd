"""What a crash may leave of a program's writes: its calls are recorded, and every state is built.

The model of a file system is as weak as POSIX lets one be, and as ALICE (Pillai and others 2014)
found some to be. Until a file was seen to the disk (``fsync``) a crash leaves of its content what
was there before, any part of what was written since, or the new length filled with zeros. Until a
folder was, each of its names is in a state of its own: as it was, or as any change since made it,
whatever became of other names and of what the files hold. So a rename may come before its data, a
new file may have no name, and one that was removed or renamed may have its old name again.
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from results.storage import system

BLOCK = 512
"""Bytes that reach a disk whole."""
MOST_COMBINATIONS = 256
"""Of pending changes, all of which are tried; of more: all, none, each alone, each left out."""
Tree = dict[str, bytes | None]
"""Files with their content, and folders (None), by their path from the root."""


class Step(NamedTuple):
    """A call that changed the disk: its name, a path or the number of an open file, and more."""

    call: str
    what: Any
    more: Any = None


class Recorder:
    """The calls by which ``results.storage.system`` changes what stands below a folder."""

    def __init__(self, root: Path) -> None:
        self.steps: list[Step] = []
        self._root = root
        self._files: dict[int, int] = {}  # numbers by descriptor
        self._opened = itertools.count()

    def mark(self, name: str, value: Any) -> None:
        """Note what the program has promised, or begun, by now."""
        self.steps.append(Step("mark", name, value))

    def patch(self, patch: pytest.MonkeyPatch) -> None:
        for name in ("open", "write", "truncate", "replace", "unlink", "mkdir", "close"):
            patch.setattr(system, name, self._after(getattr(self, f"_{name}"), name))
        patch.setattr(system, "fsync", self._fsync)  # no test waits for the disk itself

    def _after(self, note: Callable[..., None], name: str) -> Callable[..., Any]:
        real = getattr(system, name)

        def call(*arguments: Any, **options: Any) -> Any:
            result = real(*arguments, **options)
            note(result, *arguments)
            return result

        return call

    def _path(self, path: Any) -> str:
        return Path(path).relative_to(self._root).as_posix()

    def _open(self, descriptor: int, path: Any, *_: Any) -> None:
        self._files[descriptor] = next(self._opened)
        self.steps.append(Step("open", self._path(path), self._files[descriptor]))

    def _write(self, written: int, descriptor: int, data: Any) -> None:
        self.steps.append(Step("write", self._files[descriptor], bytes(data[:written])))

    def _truncate(self, _: None, descriptor: int, size: int) -> None:
        self.steps.append(Step("truncate", self._files[descriptor], size))

    def _replace(self, _: None, source: Any, target: Any) -> None:
        self.steps.append(Step("replace", self._path(source), self._path(target)))

    def _unlink(self, _: None, path: Any) -> None:
        self.steps.append(Step("unlink", self._path(path)))

    def _mkdir(self, _: None, path: Any) -> None:
        self.steps.append(Step("mkdir", self._path(path)))

    def _close(self, _: None, descriptor: int) -> None:
        self._files.pop(descriptor, None)

    def _fsync(self, descriptor: int) -> None:
        if descriptor in self._files:
            self.steps.append(Step("fsync", self._files[descriptor]))
            return
        status = os.fstat(descriptor)
        for folder in (self._root, *(path for path in self._root.rglob("*") if path.is_dir())):
            if os.path.samestat(status, folder.stat()):
                self.steps.append(Step("fsync folder", self._path(folder)))


@contextmanager
def recorded(root: Path) -> Iterator[Recorder]:
    """Record what happens below a folder."""
    recorder = Recorder(root)
    with pytest.MonkeyPatch.context() as patch:
        recorder.patch(patch)
        yield recorder


class Disk:
    """Files and folders by number, each with what is sure to be there and what came since.

    Attributes:
        contents: of each file, the durable one first.
        names: what a name in a folder stands for: a number, or None for nothing; durable first.
    """

    def __init__(self, tree: Tree) -> None:
        self.contents: dict[int, list[bytes]] = {}
        self.names: dict[tuple[int, str], list[int | None]] = {}
        self._folders = {0}
        self._open: dict[int, int] = {}
        self._numbers = itertools.count(1)
        self._gone: set[tuple[int, str]] = set()
        for path in sorted(tree):
            self._enter(path, self._new(tree[path]))
        self._settle(lambda key: True)

    def take(self, step: Step) -> None:
        """Do what a call does."""
        if step.call == "open":
            number = self._at(step.what)
            if number is None:
                self._enter(step.what, number := self._new(b""))
            self._open[step.more] = number
        elif step.call in ("write", "truncate"):
            versions = self.contents[self._open[step.what]]
            now = versions[-1]
            versions.append(now + step.more if step.call == "write" else now[: step.more])
        elif step.call == "fsync":
            number = self._open[step.what]
            del self.contents[number][:-1]
        elif step.call == "fsync folder":
            folder = self._at(step.what)
            self._settle(lambda key: key[0] == folder)
        elif step.call == "replace":
            number = self._at(step.what)
            self._enter(step.what, None)
            self._enter(step.more, number)
        elif step.call == "unlink":
            self._enter(step.what, None)
        elif step.call == "mkdir":
            self._enter(step.what, self._new(None))
        elif step.call == "mark":  # what came and went before comes back together or not at all
            self._gone |= {key for key, ends in self.names.items() if ends[0] is ends[-1] is None}

    def states(self) -> Iterator[Tree]:
        """Every tree that a crash may leave now."""
        keys = [key for key, ends in self.names.items() if len(set(ends)) > 1]
        names = [key for key in keys if key not in self._gone]
        files = [number for number, versions in self.contents.items() if len(versions) > 1]
        back = [None, *([True] if self._gone.intersection(keys) else [])]
        options: list[Sequence[Any]] = [list(dict.fromkeys(self.names[key])) for key in names]
        options += [torn(self.contents[number]) for number in files]
        for choice in choices([*options, back]):
            ends = {key: versions[-1] for key, versions in self.names.items()}
            ends |= dict(zip(names, choice, strict=False))
            if choice[-1]:
                ends |= {key: max(self.names[key], key=lambda end: end or 0) for key in self._gone}
            held = {number: versions[-1] for number, versions in self.contents.items()}
            held |= dict(zip(files, choice[len(names) : -1], strict=True))
            yield self._tree(ends, held)

    def _tree(self, ends: dict[tuple[int, str], int | None], held: dict[int, bytes]) -> Tree:
        tree: Tree = {}
        inside: dict[int, list[tuple[str, int]]] = {}
        for (folder, name), number in ends.items():
            if number is not None:
                inside.setdefault(folder, []).append((name, number))
        waiting = [("", 0)]
        while waiting:
            path, folder = waiting.pop()
            for name, number in inside.get(folder, []):
                where = f"{path}/{name}" if path else name
                tree[where] = held.get(number)
                if number in self._folders:
                    waiting.append((where, number))
        return tree

    def _new(self, content: bytes | None) -> int:
        number = next(self._numbers)
        if content is None:
            self._folders.add(number)
        else:
            self.contents[number] = [content]
        return number

    def _key(self, path: str) -> tuple[int, str]:
        folder, _, name = path.rpartition("/")
        number = self._at(folder)
        assert number is not None, path
        return number, name

    def _at(self, path: str) -> int | None:
        """What stands under a path now, as a running program sees it."""
        number: int | None = 0
        for name in path.split("/") if path not in ("", ".") else ():
            assert number is not None, path
            number = self.names.get((number, name), [None])[-1]
        return number

    def _enter(self, path: str, number: int | None) -> None:
        self.names.setdefault(self._key(path), [None]).append(number)

    def _settle(self, is_settled: Callable[[tuple[int, str]], bool]) -> None:
        for key, ends in self.names.items():
            if is_settled(key):
                del ends[:-1]
                self._gone.discard(key)


def torn(versions: Sequence[bytes]) -> list[bytes]:
    """What a crash may leave of a file's content, the durable one being the first version."""
    old, new = versions[0], versions[-1]
    kinds = list(versions)
    if new.startswith(old) and len(new) > len(old):
        size, rest = len(old), new[len(old) :]
        zeros = bytes(len(rest))
        kinds += [new[: size + len(rest) // 2], new[:-1], old + zeros]
        kinds.append(new[: size + len(rest) // 2] + zeros[len(rest) // 2 :])
        if len(rest) > BLOCK:  # the first block is lost, and the last one alone is not
            kinds += [old + zeros[:BLOCK] + rest[BLOCK:], old + zeros[:-BLOCK] + rest[-BLOCK:]]
    return list(dict.fromkeys(kinds))


def choices(options: Sequence[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    """One of each: all combinations, or where they are many all first, all last and one apart."""
    if math.prod(map(len, options)) <= MOST_COMBINATIONS:
        yield from itertools.product(*options)
        return
    for base in ([values[0] for values in options], [values[-1] for values in options]):
        yield tuple(base)
        for place, values in enumerate(options):
            yield from ((*base[:place], value, *base[place + 1 :]) for value in values)


class CrashState(NamedTuple):
    """A tree that a crash may leave, after so many steps, and the newest marks by name."""

    place: int
    tree: Tree
    marks: dict[str, Any]


def crash_states(before: Tree, steps: Sequence[Step]) -> Iterator[CrashState]:
    """Every state that a crash may leave at any moment, each with the same marks once."""
    disk, marks, seen = Disk(before), {}, set()
    for place, step in enumerate([Step("begin", None), *steps]):
        disk.take(step)
        if step.call == "mark":
            marks = {**marks, step.what: step.more}
        for tree in disk.states():
            key = (frozenset(_nameless(tree)), tuple(marks.items()))
            if key not in seen:
                seen.add(key)
                yield CrashState(place, tree, marks)


def _nameless(tree: Tree) -> Iterator[tuple[str, bytes | None]]:
    """Paths and contents, temporary files by the folder alone: their names and content are free."""
    for path, content in tree.items():
        folder, _, name = path.rpartition("/")
        yield (f"{folder}/*.tmp", None) if name.endswith(".tmp") else (path, content)


def read_tree(root: Path) -> Tree:
    """All that stands below a folder."""
    paths = sorted(root.rglob("*"))
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else None
        for path in paths
    }


def write_tree(root: Path, tree: Tree) -> None:
    """Make a folder that holds a tree."""
    root.mkdir(parents=True)
    for path, content in sorted(tree.items()):
        if content is None:
            (root / path).mkdir()
        else:
            (root / path).write_bytes(content)
