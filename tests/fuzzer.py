"""Runs of strangers, made at random from sound ones, and all that reads them.

    python tests/fuzzer.py --cases 10000            the whole corpus; failing cases are printed
    python tests/fuzzer.py --first 4711 --cases 1   one case again, with its traceback

A case depends on its number alone. Each must end within a deadline, in memory that is bounded, with
what was read or an error of this project's in one line; it opens no file outside its folder, starts
nothing and imports nothing that the folder names.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import io
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

BASES = Path(__file__).parent / "data" / "kept-runs"
SECONDS = 20.0
"""Of processor time that a case may take."""
MEMORY = 3 << 29
"""Bytes that a case may take: a gigabyte of positions (``solver.graph.MOST_OF_FOLDER``) and their
index."""
CANARY = "module_of_a_stranger"
"""A module that can be imported, and never is."""


class Overdue(BaseException):
    """A case took too long."""


# --- what stands in a folder ----------------------------------------------------------------------

NAMES = ["main", "cat", "mouse", "main-archive", "cat-archive", "", "all", "*", ".."]
PATHS = ["../../outside.npy", "/dev/zero", "/etc/passwd", "outside.json", "runs/x@1", "a\x00b", "~"]
TEXTS = [
    *NAMES,
    *PATHS,
    "\x1b[2J\x07",
    "a\nb\r",
    "x" * 5000,
    "\ud800",
    "é\u202e",
    "%s{0}",
    f"{CANARY}.function",
    "os.system",
    "deap.tools.cxTwoPoint",
    "network:weights=outside.npy",
    "capture-the-flag:maze=outside.txt",
    "recorded:file=/dev/zero",
    "dots-and-boxes",
    "cat-and-mouse",
    "capture-the-flag",
    "connect-four",
    "karate",
    "nim",
    "bit-network",
    "real-network",
    "value-table",
    "position-table",
    "hill-climbing",
    "cma-es",
    "openai-es",
    "q-learning",
    "swiss",
    "hall-of-fame",
    "optimal",
    "best-response",
]
NUMBERS = [
    -1, 0, 1, 2, 3, 7, 100, 1000, 65_536, 10**6, 10**9, 2**31 - 1, 2**31, 2**53, 2**63 - 1, 2**63,
    2**64, -(2**63), 10**300, 0.0, -0.0, 0.5, 1e-300, 1e308, -1e308, float("nan"),
    float("inf"), float("-inf"),
]  # fmt: skip


def poison(draw: random.Random) -> Any:
    """A value that stands nowhere in a sound run, or elsewhere."""
    kind = draw.randrange(6)
    if kind == 0:
        return draw.choice([None, True, False, [], {}, [[]], {"": None}, [None] * 3])
    if kind == 1:
        return draw.choice(TEXTS)
    if kind == 2:
        return [draw.choice(NUMBERS) for _ in range(draw.choice([1, 2, 5, 2000]))]
    if kind == 3:
        return {draw.choice(TEXTS): poison(draw) for _ in range(draw.randrange(3))}
    return draw.choice(NUMBERS)


def changed_tree(tree: Any, draw: random.Random) -> Any:
    """A tree of JSON with one or a few changes."""
    tree = json.loads(json.dumps(tree))
    for _ in range(draw.choice([1, 1, 1, 2, 5])):
        _change(tree, draw)
    return tree


def _change(tree: Any, draw: random.Random) -> None:
    places = list(_places(tree))
    if not places:
        return
    parent, key = draw.choice(places)
    value, kind = parent[key], draw.randrange(8)
    if kind == 0 and isinstance(parent, dict):
        del parent[key]
    elif kind == 1 and isinstance(parent, dict):
        parent[draw.choice(TEXTS)] = poison(draw)
    elif kind == 2 and isinstance(parent, dict):
        parent[draw.choice(TEXTS)] = parent.pop(key)
    elif kind == 3:
        other, place = draw.choice(places)
        if place in other if isinstance(other, dict) else place < len(other):
            parent[key] = json.loads(json.dumps(other[place]))
    elif kind == 4 and type(value) in (int, float):
        parent[key] = draw.choice([value + 1, value - 1, -value, value * 10**6, value * 1.5])
    else:
        parent[key] = poison(draw)


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    keys = list(tree) if isinstance(tree, dict) else range(len(tree))
    for key in keys:
        yield tree, key
        if isinstance(tree[key], dict | list):
            yield from _places(tree[key])


def changed_bytes(data: bytes, draw: random.Random, tail: int = 0) -> bytes:
    """Bytes with flips, cuts, stretches of zeros, and others; ``tail``: most often of so many."""
    content = bytearray(data)
    for _ in range(draw.choice([1, 1, 2, 4, 16])):
        if not content:
            return b""
        low = max(0, len(content) - tail) if tail and draw.random() < 0.7 else 0
        place = draw.randrange(low, len(content))
        length = draw.choice([1, 1, 4, 8, 100])
        kind = draw.randrange(7)
        if kind <= 1:
            content[place] ^= 1 << draw.randrange(8)
        elif kind == 2:
            content[place] = draw.choice([0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256)])
        elif kind == 3:
            del content[place : place + length]
        elif kind == 4:
            content[place : place + length] = bytes(length)
        elif kind == 5:
            other = draw.randrange(len(content))
            content[place:place] = content[other : other + length]
        else:
            content[place : place + length] = b"\xff" * length
    return bytes(content[: draw.randrange(len(content) + 1)] if draw.random() < 0.1 else content)


def changed_json(data: bytes, draw: random.Random) -> bytes:
    """A JSON file, changed as a tree or as bytes."""
    kind = draw.random()
    if kind < 0.15:
        return changed_bytes(data, draw)
    text = json.dumps(changed_tree(json.loads(data), draw), indent=draw.choice([None, 2])).encode()
    if kind > 0.9:
        depth = draw.choice([50, 1000, 100_000])
        value = draw.choice([b"[" * depth + b"]" * depth, b'{"":' * depth, b"9" * 5000, b"1e999"])
        text = text.replace(draw.choice([b"1", b"true", b'"main"', b"8"]), value, 1)
    return text


def changed_parquet(data: bytes, draw: random.Random) -> bytes:
    """A Parquet file, changed as a table or as bytes, most often its footer."""
    if draw.random() < 0.5:
        length = int.from_bytes(data[-8:-4], "little")
        kept = draw.random() < 0.5  # else the length, which few changes leave right
        return (
            changed_bytes(data[:-8], draw, length) + data[-8:]
            if kept
            else changed_bytes(data, draw, length)
        )
    table = pq.read_table(io.BytesIO(data))
    metadata = dict(table.schema.metadata or {})
    for _ in range(draw.choice([1, 1, 3])):
        table = _changed_table(table, draw)
    if metadata and draw.random() < 0.3:
        key = draw.choice(list(metadata))
        metadata[key] = changed_json(b'{"a": [1], "turn": 0}', draw)
    return _written(table, metadata, draw)


def _changed_table(table: pa.Table, draw: random.Random) -> pa.Table:
    kind, place = draw.randrange(10), draw.randrange(max(1, table.num_columns))
    if kind == 0:
        return table.slice(0, draw.choice([0, 1]))
    if kind == 1 and table.num_rows:
        return table.take([draw.randrange(table.num_rows) for _ in range(draw.choice([1, 5, 100]))])
    if kind == 2 and table.num_rows:
        most = 10**8 * table.num_rows // max(1, table.nbytes)  # or this process lacks memory
        return table.take([0] * min(most, 10 ** draw.choice([3, 4, 5])))
    if kind == 3 and table.num_columns:
        return table.remove_column(place)
    if not table.num_columns:
        return table
    name = table.column_names[place]
    if kind == 4:
        return table.append_column(draw.choice([name, "é", "x" * 3000]), table.column(place))
    if kind == 5:
        names = [draw.choice(["id", "x\x00"]) if n == name else n for n in table.column_names]
        return table.rename_columns(names)
    values = table.column(place).to_pylist()
    field = table.schema.field(place)
    for _ in range(draw.choice([1, 1, len(values)])):
        if values:
            values[draw.randrange(len(values))] = _value(field.type, draw)
    column = pa.array(values, field.type)
    return table.set_column(place, field.with_nullable(True) if kind == 9 else field, column)


def _value(kind: pa.DataType, draw: random.Random) -> Any:
    if pa.types.is_integer(kind):
        most = 2 ** (kind.bit_width - 1)
        return draw.choice([-most, -1, 0, 1, 2, 5, 10**6, most - 1])
    if pa.types.is_floating(kind):
        return draw.choice([float("nan"), float("inf"), -float("inf"), 1e308, -1.0, 0.0, 2.0])
    if pa.types.is_string(kind):
        return draw.choice(TEXTS[:12]).replace("\ud800", "")
    width = kind.byte_width
    number = draw.choice([b"\x00\x00\xc0\x7f", b"\xff" * 4, b"\x00\x00\x80\x7f", b"\x01" * 4])
    return (number * width)[:width]


def _written(table: pa.Table, metadata: dict[bytes, bytes], draw: random.Random) -> bytes:
    stream = io.BytesIO()
    with pq.ParquetWriter(
        stream,
        table.schema.remove_metadata(),
        compression=draw.choice(["zstd", "zstd", "none", "gzip", "brotli", "snappy"]),
        use_dictionary=draw.choice([True, False, ["population"]]),
        store_schema=draw.random() < 0.2,
    ) as writer:
        writer.write_table(table, row_group_size=draw.choice([None, 1 + table.num_rows // 3]))
        writer.add_key_value_metadata(metadata)
    return stream.getvalue()


# --- what reads it --------------------------------------------------------------------------------


def read_frames(folder: Path, draw: random.Random) -> None:
    """All that a run shows."""
    from results import open_run

    run = open_run(folder)
    shown = ("populations", "snapshots", "generations", "evaluations", "games_played", "config")
    for name in shown:
        each(lambda name=name: getattr(run, name))
    for method in (run.population, run.weights, run.policies, run.values, run.champion):
        generation = draw.choice([None, None, 0, 4])
        name = draw.choice([None, None, "main", "cat"])
        each(lambda method=method, at=(generation, name): method(*at))


def read_curves(folder: Path, draw: random.Random) -> None:
    """What pictures show."""
    from results import open_run
    from results.read import curves

    run = open_run(folder)
    of_run = curves.champion_curve, curves.exploitability_curve, curves.regret_curve
    for curve in (*of_run, curves.seat_curve):
        each(lambda curve=curve: curve(run))
    if draw.random() < 0.01:
        from results.plots.run import plot_run

        plot_run(run)


def read_to_evaluate(folder: Path, draw: random.Random) -> None:
    """What ``evo evaluate`` does before it plays."""
    from evo.config.config import of_run
    from evo.evaluation import evaluate
    from evo.execution import Execution
    from evo.requests.evaluation import EvaluateRequest
    from results import open_run

    run = open_run(folder)
    run.population()
    config = of_run(run)
    names = evaluate.default_opponents(config.game)[:1]
    opponents = evaluate._opponents(names, config, Execution(threads=1), False)
    tasks = list(evaluate._tasks(run, config, EvaluateRequest(run, names), opponents))
    run.evaluations_of([(task.measurement, task.rows) for task in tasks])


def read_to_analyse(folder: Path, draw: random.Random) -> None:
    """What ``evo analyse`` does before it plays."""
    from evo.config.config import of_run
    from evo.evaluation import analyse
    from evo.evaluation.champions import champions_of
    from results import open_run

    run = open_run(folder)
    run.population()
    config = of_run(run)
    analyse._opponents(config, ())
    champions_of(run, config, analyse._generations(run, None))


def read_to_play(folder: Path, draw: random.Random) -> None:
    """What ``evo watch``, ``evo export`` and tournaments read."""
    from evo.evaluation import players
    from evo.evaluation.export import export

    made = players.champion(folder)
    players.identity(made)
    export(folder, folder / "champion.npy")


def read_to_resume(folder: Path, draw: random.Random) -> None:
    """What ``evo resume`` does before it plays."""
    from evo.config.config import of_run
    from evo.evolution import checkpoint, runs, start
    from results import RunWriter

    with RunWriter.open(folder) as writer:
        config = of_run(writer)
        runs._check_versions(config, writer)
        start.learner_of(config)
        if writer.last is not None:
            checkpoint.restored(config, writer.last)


def read_to_verify(folder: Path, draw: random.Random) -> None:
    """What ``evo verify`` says."""
    from results.read.verify import verify

    list(verify(folder))


def each(read: Callable[[], Any]) -> None:
    """Read something that may not be there, and go on."""
    with contextlib.suppress(*refusals()):
        try:
            read()
        except refusals() as error:
            check_line(error)
            raise


def refusals() -> tuple[type[Exception], ...]:
    """The errors of this project's."""
    from results import ResultsError
    from tournaments.errors import ConfigError, TournamentError

    return ResultsError, ConfigError, TournamentError


def check_line(error: Exception) -> None:
    """An error is a line, and not a long one."""
    text = str(error)
    if "\n" in text or len(text) > 20_000:
        raise AssertionError(f"no line of {len(text)} letters: {text[:300]!r}") from error


READERS = (
    read_frames, read_curves, read_to_evaluate, read_to_analyse, read_to_play, read_to_resume,
    read_to_verify,
)  # fmt: skip


# --- cases ----------------------------------------------------------------------------------------


def run_case(draw: random.Random, folder: Path) -> None:
    """A run with a file changed, read in one way."""
    from tests.results_data import sign  # once the path has the checkout in place of this folder

    base = draw.choice(sorted(path for path in BASES.iterdir() if path.is_dir()))
    shutil.copytree(base, folder)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    kind = draw.choice(["run.json", "run.json", ".parquet", ".parquet", "snapshots.sha256"])
    changed = draw.choice([path for path in files if path.name.endswith(kind)])
    changed.write_bytes(_changed(changed, draw))
    if draw.random() < 0.8:
        (sign if changed.name == "run.json" else _list_again)(folder)
    draw.choice(READERS)(folder, draw)


def _changed(path: Path, draw: random.Random) -> bytes:
    change = {".json": changed_json, ".parquet": changed_parquet}.get(path.suffix, changed_bytes)
    return change(path.read_bytes(), draw)


def _list_again(folder: Path) -> None:
    """Digests of what was changed, as a stranger would write them."""
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  snapshots/{path.name}\n"
        for path in sorted((folder / "snapshots").iterdir())
    ]
    (folder / "snapshots.sha256").write_text("".join(lines))


def table_case(draw: random.Random, folder: Path) -> None:
    """A Parquet file, decoded."""
    from results.format import tables
    from results.format.schema import arrow_schema

    path = draw.choice(sorted(BASES.rglob("*.parquet")))
    width = json.loads((path.parents[1] / "run.json").read_text())["genome"]["bytes"]
    schema = arrow_schema(path.parent.name, width)
    table = tables.decode(changed_parquet(path.read_bytes(), draw), schema, "it")
    tables.columns_of(table)


CONFIGURATIONS: list[dict[str, Any]] = [
    {"game": "dots-and-boxes:rows=2,cols=2"},
    {"game": {"name": "capture-the-flag", "maze": 1}, "learner": {"name": "openai-es"}},
    {"game": "cat-and-mouse:rows=5,cols=5", "learner": "hill-climbing"},
    {"game": "cat-trap:size=5", "genome": {"encoding": "real-vector"}},
    {"game": "fox-and-hounds", "scheme": {"name": "hall-of-fame"}},
    {"game": "karate", "genome": {"encoding": "finite-state", "digits": 2}},
    {"game": "iterated-prisoners-dilemma", "scheme": {"name": "direct", "opponents": ["random"]}},
    {"game": "nim", "learner": {"name": "q-learning"}},
    {"game": "connect-four", "genome": {"encoding": "real-network", "symmetry": True}},
    {"game": "tic-tac-toe", "learner": {"name": "cma-es"}, "genome": {"hidden": [3]}},
    {"game": "set", "scheme": {"name": "swiss"}},
]


def configuration_case(draw: random.Random, folder: Path) -> None:
    """A configuration, validated as that of a run."""
    from evo.config.config import from_dict, of_run
    from evo.config.toml import as_toml

    given = draw.choice(CONFIGURATIONS)
    table = given if draw.random() < 0.3 else from_dict(given).to_dict()
    with contextlib.suppress(AttributeError):
        stored = SimpleNamespace(config=changed_tree(table, draw), genome={}, path=folder)
        as_toml(of_run(stored))


def named_file_case(draw: random.Random, folder: Path) -> None:
    """A player's file, or the record of a game, in the folder."""
    from evo.play.record import read_record
    from tournaments import games, players

    folder.mkdir()
    game = games.parse(draw.choice(["dots-and-boxes:rows=1,cols=1", "cat-and-mouse:rows=5,cols=5"]))
    kind = draw.randrange(3)
    if kind == 0:
        stream = io.BytesIO()
        np.save(stream, np.zeros(draw.choice([25, 625]), draw.choice(["f8", "i1", "O", "U9"])))
        path = folder / "player.npy"
        path.write_bytes(changed_bytes(stream.getvalue(), draw))
    elif kind == 1:
        path = folder / "player.json"
        path.write_bytes(changed_json(b'{"layers": [4, 3, 4], "weights": [1, 0.5, 2]}', draw))
    else:
        record = {
            "version": 1, "game": "nim:heaps=1-2", "seed": 1, "players": ["you", "random"],
            "start": "1-2 first to move",
            "moves": [{"seat": "first", "player": "you", "action": 0, "name": "1 of heap 1"},
                      {"change": "edited", "board": "0-2 first to move"}],
        }  # fmt: skip
        path = folder / "record.json"
        path.write_bytes(changed_json(json.dumps(record).encode(), draw))
        list(read_record(str(path)).scenes())
        return
    players.make(str(path), game)


def folder_case(draw: random.Random, folder: Path) -> None:
    """The folder of a sweep, or of a tournament."""
    from results import open_runs, open_tournament
    from results.folder.tournament import TournamentWriter

    if draw.random() < 0.5:
        description = {
            "name": "s", "about": "", "seeds": [3], "evaluation": {},
            "cells": [{"cell": "a", "variant": "v", "factors": {"scheme.name": "swiss"}}],
        }  # fmt: skip
        (folder / "a").mkdir(parents=True)
        shutil.copytree(BASES / "networks", folder / "a" / "seed-3")
        (folder / "experiment.json").write_bytes(
            changed_json(json.dumps(description).encode(), draw)
        )
        runs = open_runs(folder)
        each(lambda: runs.runs)
        each(lambda: runs.generations)
        each(lambda: runs.evaluations)
        return
    info = {
        "game": "nim",
        "seed": 1,
        "games": 2,
        "schedule": "all",
        "players": {"a": "x", "b": "y"},
    }
    row = {"round": 1, "player": "a", "opponent": "b", "first": 0, "last": 1}
    with contextlib.closing(TournamentWriter(folder)) as writer:
        writer.write_info(info)
        names = {name for name in _pair_columns() if name not in row}
        writer.add_pairs([{**row, **dict.fromkeys(names, 1)}])
    (part,) = (folder / "pairs").iterdir()
    changed = draw.choice([folder / "tournament.json", part])
    content = _changed(changed, draw)
    changed.write_bytes(content)
    if changed == part:  # whose name has its digest
        digest = hashlib.sha256(content).hexdigest()[:16]
        part.rename(part.with_name(re.sub(r"[0-9a-f]{16}", digest, part.name)))
    tournament = open_tournament(folder)
    each(lambda: tournament.pairs)
    each(lambda: tournament.ratings)
    each(lambda: tournament.cross_table)


def _pair_columns() -> list[str]:
    from results.format.schema import arrow_schema

    return arrow_schema("pairs").names


CASES = [
    *[run_case] * 5, *[table_case] * 4, *[configuration_case] * 4, named_file_case, folder_case,
]  # fmt: skip


# --- watched --------------------------------------------------------------------------------------


class Watch:
    """Notes what a case opens, starts or imports that it may not."""

    def __init__(self) -> None:
        self.folder = ""
        self.seen: list[str] = []
        here = Path(__file__).resolve().parents[1]
        self._allowed = tuple(
            str(Path(path).resolve())
            for path in (
                sys.prefix,
                sys.base_prefix,
                here,
                os.environ["EVO_CACHE_DIR"],
                "/proc/self",
            )
        )
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.folder:
            return
        if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork"):
            self.seen.append(f"{event} {arguments!r:.200}")
        elif event.startswith("socket.") and event != "socket.gethostname":
            self.seen.append(event)
        elif event == "import" and str(arguments[0]).startswith(CANARY):
            self.seen.append(f"import {arguments[0]}")
        elif event in ("open", "os.listdir", "os.scandir", "os.remove", "os.rename", "os.mkdir"):
            path = arguments[0]
            if isinstance(path, str | bytes | os.PathLike) and not self._may(os.fsdecode(path)):
                self.seen.append(f"{event} {path!r}")

    def _may(self, path: str) -> bool:
        whole = os.path.abspath(path)
        if whole.startswith(os.path.join(self.folder, "here", "")):
            return False  # a relative name
        return whole.startswith((self.folder, *self._allowed)) or whole in (
            "/dev/null",
            "/dev/urandom",
        )


def prepare() -> None:
    """Import what cases import, so that they are charged for what they do alone."""
    importlib.import_module("matplotlib.font_manager")  # which lists the machine's fonts, once
    importlib.import_module("numba")  # which reads /proc/cpuinfo, where kernels are in the cache
    draw, folder = random.Random(0), Path(tempfile.mkdtemp())
    for number, read in enumerate(READERS):
        shutil.copytree(BASES / "networks", folder / str(number))
        each(lambda read=read, number=number: read(folder / str(number), draw))
    shutil.rmtree(folder)
    for case in (configuration_case, named_file_case, folder_case):
        with contextlib.suppress(Exception), tempfile.TemporaryDirectory() as name:
            case(random.Random(1), Path(name) / "run")


def limit_memory() -> None:
    """No more than ``MEMORY`` beyond what is taken now, be it ever touched or not."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))


def failure_of(number: int, watch: Watch) -> str | None:
    """What is wrong with a case, as a traceback or a line; None: nothing."""
    draw = random.Random(f"stranger/{number}")
    case = draw.choice(CASES)
    base = Path(tempfile.mkdtemp(prefix="stranger-")).resolve()
    (base / "here").mkdir()
    os.chdir(base / "here")  # where relative names lead, which none may follow
    watch.seen.clear()
    watch.folder = str(base)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        case(draw, base / "run")
    except refusals() as error:
        if "\n" in str(error) or len(str(error)) > 20_000:
            return f"no line: {str(error)[:500]!r}"
    except BaseException:
        return traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        watch.folder = ""
        os.chdir(base.parent)
        shutil.rmtree(base, ignore_errors=True)
    return f"outside: {watch.seen[:5]}" if watch.seen else None


def overdue(*_: Any) -> None:
    """End a case."""
    raise Overdue(f"more than {SECONDS:g} seconds")


def main() -> int:
    """Judge cases; the exit status is 1 where any fails."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--stop", action="store_true", help="at the first failure")
    options = parser.parse_args()
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    os.environ.setdefault("EVO_CACHE_DIR", tempfile.mkdtemp())
    os.environ["MPLCONFIGDIR"] = os.environ["EVO_CACHE_DIR"]
    signal.signal(signal.SIGPROF, overdue)
    prepare()
    limit_memory()
    watch = Watch()
    failures = 0
    for number in range(options.first, options.first + options.cases):
        print(f"case {number}", end="\r", flush=True)  # the last line where the process dies
        failure = failure_of(number, watch)
        if failure is not None:
            failures += 1
            print(f"case {number}: {failure}", flush=True)
            if options.stop:
                break
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(f"{options.cases} cases from {options.first}: {failures} failed; at most {peak} MB")
    return int(failures > 0)


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # threads that late cases left in compiled code may abort a normal exit
