"""What a program promises of its folders whenever it crashes, and the work that is judged by it.

A :class:`Work` makes a folder, and checks what a crash left of it: it holds the old or the new
state and nothing else, it can be gone on with, and then ends in the undisturbed bytes.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from crash_disk import CrashState, Step, Tree, crash_states, read_tree, recorded, write_tree
from results_data import columns, described, evaluation, go_on, rows_of, written_run
from run_checks import snapshot_bytes

from results import ResultsError, RunWriter, open_run
from results.folder.evaluations import Measurement, clear_leftovers, measured, write_evaluation
from results.folder.files import read_json
from results.folder.runfile import read_info
from results.folder.tournament import TournamentWriter, open_tournament
from results.read.sweep import DESCRIPTION, write_description
from results.read.verify import verify

Mark = Callable[[str, Any], None]
BROKEN = (AssertionError, ResultsError, OSError, UserWarning)
"""What a check raises where a promise is broken."""


class Work(Protocol):
    """Something that writes, and what is promised of it."""

    def prepare(self, folder: Path) -> object:
        """Make what is there before it."""

    def act(self, folder: Path, mark: Mark) -> object:
        """Do it, and mark what is begun and what is promised to be kept from then on."""

    def check(self, folder: Path, marks: dict[str, Any]) -> object:
        """Raise one of ``BROKEN`` unless a crash may leave such a folder after these marks."""


class PlainWork(NamedTuple):
    """A ``Work`` of three functions."""

    prepare: Callable[[Path], object]
    act: Callable[[Path, Mark], object]
    check: Callable[[Path, dict[str, Any]], object]


@dataclass
class Explored:
    """How many states were checked, and those in which a promise is broken."""

    states: int = 0
    broken: list[str] = field(default_factory=list)


class Recording(NamedTuple):
    """The tree before some work, and the calls that it made."""

    before: Tree
    steps: list[Step]


def record(work: Work, folder: Path) -> Recording:
    """Do some work in a new folder."""
    folder.mkdir(parents=True)
    work.prepare(folder)
    before = read_tree(folder)
    with recorded(folder) as recorder:
        work.act(folder, recorder.mark)
    return Recording(before, recorder.steps)


def explore(
    work: Work,
    recording: Recording,
    folder: Path,
    each: int = 1,
    until_broken: bool = False,
    marks: dict[str, Any] | None = None,
) -> Explored:
    """Check every state, or each so many, that a crash of some work may leave, after ``marks``."""
    explored = Explored()
    for number, state in enumerate(crash_states(*recording)):
        if number % each:
            continue
        state = state._replace(marks={**(marks or {}), **state.marks})
        broken = broken_promise(work, folder / str(number), state)
        explored.states += 1
        explored.broken += [f"state {number}, {state.place} calls: {broken}"] if broken else []
        if broken and until_broken:
            break
    return explored


def broken_promise(work: Work, folder: Path, state: CrashState) -> str:
    """What is wrong with a state, or nothing."""
    write_tree(folder, state.tree)
    try:
        with warnings.catch_warnings():  # a crash alone is no damage
            warnings.simplefilter("error")
            work.check(folder, state.marks)
    except BROKEN as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    return ""


# --- runs ----------------------------------------------------------------------------------------

INTERVAL = 2


def step_by_step(writer: RunWriter, until: int, mark: Mark) -> None:
    """Evolve up to a generation; each snapshot is on the disk before the next is begun."""
    first = 0 if writer.last is None else writer.last.generation + 1
    for generation in range(first, until + 1):
        rows_of(writer, generation)
        if generation % INTERVAL == 0 or generation == until:
            mark("begun", generation)
            writer.snapshot(columns(generation), generation, 100 * (generation + 1))
            writer.flush()
            mark("kept", generation)


def at_once(writer: RunWriter, until: int, mark: Mark) -> None:
    """Evolve up to a generation, the snapshots waiting for the disk."""
    mark("begun", until)
    go_on(writer, until)
    writer.flush()
    mark("kept", until)


@dataclass
class RunWork:
    """A run from nothing, or one that is gone on with; a ``Work``.

    Attributes:
        base: a folder for a run that nothing disturbs.
        start: the generation that it has reached; None: it is made.
        until: its end.
        evolve: how it goes there.
        keep: which snapshots stay, and whether there is lineage, as its configuration says.
        damage: is done to it before.
        whole: the generation up to which it is whole after that.
    """

    base: Path
    start: int | None
    until: int
    evolve: Callable[[RunWriter, int, Mark], None] = step_by_step
    keep: Mapping[str, int] = field(default_factory=dict)
    damage: Callable[[Path], object] | None = None
    whole: int | None = None
    _proven: set[Any] = field(default_factory=set)

    def prepare(self, folder: Path) -> None:
        if self.start is not None:
            with self._create(folder / "run") as writer:
                go_on(writer, self.start)
        if self.damage is not None:
            self.damage(folder / "run")

    def act(self, folder: Path, mark: Mark) -> None:
        if self.start is None:
            with self._create(folder / "run") as writer:
                mark("made", True)
                self.evolve(writer, self.until, mark)
            return
        with RunWriter.open(folder / "run") as writer:
            if self.damage is None:
                writer.set_generations(self.until + 1)
                mark("end", self.until + 1)
            self.evolve(writer, self.until, mark)

    def check(self, folder: Path, marks: dict[str, Any]) -> None:
        run = folder / "run"
        if not (run / "run.json").exists():
            assert self.start is None, "a run is gone"
            assert "made" not in marks, "a run that was made is gone"
            self._create(run).close()
        end = read_info(run)["config"]["generations"]  # a run with damage is not only a crash's
        assert end == marks.get("end", end), f"ends with {end}"
        there = [] if self.damage else check_read(run)
        with RunWriter.open(run) as writer:
            self._check_opened(writer, there, marks)
            # Going on from a folder from which that was seen to end well is not tried again.
            opened = frozenset(read_tree(run).items())
            if opened in self._proven:
                return
            go_on(writer, max(self.until, writer.last.generation if writer.last else 0))
        self._check_ended(run)
        self._proven.add(opened)

    def _check_opened(self, writer: RunWriter, there: list[int], marks: dict[str, Any]) -> None:
        last = writer.last.generation if writer.last else -1
        before = self.start if self.whole is None else self.whole
        kept = marks.get("kept", -1 if before is None else before)
        begun = marks.get("begun", kept)
        assert kept <= last <= begun, f"at {last}, {kept} was kept and {begun} begun"
        lost = [line for line in writer.damaged if "is missing" in line or "is damaged" in line]
        assert self.damage or not lost, f"a crash alone, and it says: {lost}"
        assert self.damage or last == max(there, default=-1), f"at {last}, readers see {there}"

    def _check_ended(self, run: Path) -> None:
        check_read(run)
        wanted = self._undisturbed()
        assert snapshot_bytes(run) == snapshot_bytes(wanted), "not the undisturbed bytes"
        for table in tables_of(run):
            rows, straight = (raw_rows(path, table) for path in (run, wanted))
            assert rows == straight, f"rows of {table} are missing, or there twice"
        assert not list(run.rglob("*.tmp")), "a temporary file is left"
        assert {finding.state for finding in verify(run)} == {"whole"}

    def _undisturbed(self) -> Path:
        path = self.base / f"undisturbed-{self.until}-{len(self.keep)}"
        if not path.exists():
            with self._create(path) as writer:
                go_on(writer, self.until)
        return path

    def _create(self, path: Path) -> RunWriter:
        config = {"generations": self.until, "snapshot_interval": INTERVAL, **self.keep}
        return RunWriter.create(path, described(config))


def check_read(run: Path) -> list[int]:
    """Read all there is; the snapshots. Rows up to the last one are there."""
    opened = open_run(run)
    there = opened.snapshots
    for generation in there:
        assert len(opened.genomes(generation)) > 0
    until = max(there, default=-1)
    for table in tables_of(run):
        numbers = {number for number, _ in raw_rows(run, table)}
        assert numbers >= set(range(until + 1)), f"rows of {table} missing"
    if "lineage" in tables_of(run) and there:
        born = opened.population(until)["id"].iloc[0]
        assert opened.lineage(int(born))["generation"].min() == 0, "a line of descent is cut"
    return there


def tables_of(run: Path) -> list[str]:
    """The tables with rows of every generation."""
    return ["generations", "lineage"] if open_run(run).config.get("lineage") else ["generations"]


def raw_rows(run: Path, table: str) -> list[tuple[int, int]]:
    """The generations of the rows of all files, sorted, with the id where there is one."""
    parts = open_run(run).parts(table)
    rows = [row for part in parts for row in part.to_pylist()]
    return sorted((row["generation"], row.get("id", 0)) for row in rows)


# --- evaluations, tournaments, sweeps ------------------------------------------------------------

OPPONENTS = ("level-0", "random")


def evaluation_work() -> Work:
    """Two measurements of a run, each of which is there whole or not at all."""

    def measure(run: Path, mark: Mark) -> None:
        clear_leftovers(run)
        for number, opponent in enumerate(OPPONENTS):
            if not rows_against(run, opponent):
                rows = evaluation(2, 1, {opponent: 100})
                write_evaluation(run, f"{measurement(opponent).prefix}1", rows)
            mark("kept", number + 1)

    def check(folder: Path, marks: dict[str, Any]) -> None:
        run = folder / "run"
        counts = [rows_against(run, opponent) for opponent in OPPONENTS]
        kept = marks.get("kept", 0)
        assert counts[:kept] == [1] * kept, f"{counts} rows, {kept} files were kept"
        assert set(counts) <= {0, 1}, f"{counts} rows"
        measure(run, lambda name, value: None)
        assert sorted(open_run(run).evaluations["opponent"]) == sorted(OPPONENTS)
        assert not list(run.rglob("*.tmp")), "a temporary file is left"

    return PlainWork(
        lambda folder: written_run(folder / "run", 2, INTERVAL),
        lambda folder, mark: measure(folder / "run", mark),
        check,
    )


def measurement(opponent: str) -> Measurement:
    return Measurement(2, opponent, 300, 1, opponent)


def rows_against(run: Path, opponent: str) -> int:
    return sum(len(table) for table in measured(run, measurement(opponent)))


PARTS = 2
INFO = {"game": "made-up", "seed": 1, "games": 4, "schedule": "round-robin", "players": {"a": "a"}}


def tournament_work() -> Work:
    """A tournament of two parts and its ratings."""

    def play(folder: Path, mark: Mark) -> None:
        writer = TournamentWriter(folder / "tournament")
        try:
            if writer.info is None:
                writer.write_info(INFO)
            mark("made", True)
            for part in range(len(writer.pairs["round"]), PARTS):
                writer.add_pairs([pair(part)])
                mark("kept", part + 1)
            writer.write_ratings([RATING])
            mark("rated", True)
        finally:
            writer.close()

    def check(folder: Path, marks: dict[str, Any]) -> None:
        if "made" in marks:
            opened = open_tournament(folder / "tournament")
            played = list(opened.pairs["round"])
            assert played == list(range(len(played))), f"parts {played}"
            assert len(played) >= marks.get("kept", 0), f"parts {played}"
            assert len(opened.ratings) == 1 or "rated" not in marks, "the ratings are gone"
        play(folder, lambda name, value: None)
        opened = open_tournament(folder / "tournament")
        assert list(opened.pairs["round"]) == list(range(PARTS))
        assert list(opened.ratings["player"]) == ["a"]
        assert not list(folder.rglob("*.tmp")), "a temporary file is left"

    return PlainWork(lambda folder: None, play, check)


def pair(number: int) -> dict[str, Any]:
    counts = {"games": 4, "wins": 2, "draws": 0, "losses": 2}
    firsts = {"wins_first": 1, "draws_first": 0, "losses_first": 1}
    return {
        "round": number,
        "player": "a",
        "opponent": "b",
        "first_match": 2 * number,
        **counts,
        **firsts,
    }


RATING = {
    "rank": 1,
    "player": "a",
    **dict.fromkeys(("rating", "rating_low", "rating_high", "score"), 0.5),
    **dict.fromkeys(("games", "wins", "draws", "losses"), 4),
}


def description_work() -> Work:
    """What a sweep is, written twice: it is the one or the other."""

    def act(folder: Path, mark: Mark) -> None:
        for number in (1, 2):
            mark("begun", number)
            write_description(folder / "sweep", {"seeds": [number] * 300})
            mark("kept", number)

    def check(folder: Path, marks: dict[str, Any]) -> None:
        kept, path = marks.get("kept", 0), folder / "sweep" / DESCRIPTION
        number = read_json(path)["seeds"][0] if path.exists() else 0
        assert kept <= number <= marks.get("begun", 0), f"{number}, but {kept} was kept"
        act(folder, lambda name, value: None)
        assert not list(folder.rglob("*.tmp")), "a temporary file is left"

    return PlainWork(lambda folder: None, act, check)


LINEAGE = {"lineage": True}

WORKS: dict[str, Callable[[Path], Work]] = {
    "a new run": lambda base: RunWork(base, None, 0),
    "a snapshot": lambda base: RunWork(base, 0, 2),
    "off the interval": lambda base: RunWork(base, 3, 4),
    "snapshots that wait": lambda base: RunWork(base, 0, 7, at_once),
    "parts that become one": lambda base: RunWork(base, 19, 20),
    "snapshots that go": lambda base: RunWork(base, 10, 12, keep={"keep_every": 4, "keep_last": 2}),
    "after damage": lambda base: RunWork(base, 6, 6, damage=cut_snapshot, whole=2),
    "lineage": lambda base: RunWork(base, 0, 2, keep=LINEAGE),
    "lineage off the interval": lambda base: RunWork(base, 3, 4, keep=LINEAGE),
    "lineage that waits": lambda base: RunWork(base, 0, 7, at_once, keep=LINEAGE),
    "lineage of parts that become one": lambda base: RunWork(base, 19, 20, keep=LINEAGE),
    "lineage of snapshots that go": lambda base: RunWork(
        base, 10, 12, keep={**LINEAGE, "keep_every": 4, "keep_last": 2}
    ),
    "lineage after damage": lambda base: RunWork(
        base, 6, 6, damage=cut_lineage, whole=0, keep=LINEAGE
    ),
    "an evaluation": lambda base: evaluation_work(),
    "a sweep": lambda base: description_work(),
    "a tournament": lambda base: tournament_work(),
}
"""All that is let crash, by name; each takes a folder for runs that nothing disturbs."""


def cut_lineage(run: Path) -> None:
    path = sorted((run / "lineage").iterdir())[1]
    path.write_bytes(path.read_bytes()[:-1])


def cut_snapshot(run: Path) -> None:
    path = run / "snapshots/generation-000004.parquet"
    path.write_bytes(path.read_bytes()[:-1])
