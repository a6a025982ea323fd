"""Starting and resuming runs."""

from __future__ import annotations

import hashlib
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evo.config import config as configuration
from evo.config.config import Config
from evo.evolution import start as starting
from evo.evolution.loop import REACHED, Archipelago, Progress
from evo.evolution.signals import graceful_stop
from evo.execution import Execution
from evo.learners.base import Learner
from evo.requests.base import called_with
from evo.requests.evolution import ResumeRequest, RunRequest
from evo.versions import SHA, code_of, differing, other_files, other_rules, versions
from results import ResultsError, Run, RunWriter, open_run
from results.folder.files import names_in, place_of
from results.folder.recording import FOLDER, Recording
from results.folder.runfile import holds_run
from results.folder.status import StatusFile
from results.format.metadata import ENDS, KEEP, START
from results.read.mutations import calls_of, summary_of
from results.read.status import is_over
from results.redact import redacted
from results.writer.beginning import refuse_taken
from tournaments.errors import ConfigError, shown
from tournaments.named_files import named_by, read_named


class Interrupted(KeyboardInterrupt):
    """Raised when a run has stopped on request, after the generation in progress.

    The run can be resumed.

    Attributes:
        path: the run's folder.
        signal: the number of the signal that asked.
    """

    def __init__(self, path: Path, signal_number: int, go_on: str = "evo resume") -> None:
        super().__init__(f"stopped after the generation in hand; go on with: {go_on} {path}")
        self.path = path
        self.signal = signal_number


@called_with(RunRequest)
def run(request: RunRequest, execution: Execution) -> Run:
    """Evolve a population from nothing, into a new folder.

    Further keywords are fields of the configuration: ``generations``, ``population``, ``seed``,
    ``games``, ``snapshot_interval``, ``start``, ``lineage``..., and the tables ``game``,
    ``scheme``, ``genome``, ``learner`` and ``islands``, each by its name or with its options:
    ``run("runs/rr", scheme="round-robin", game={"name": "nim"}, seed=1)``. ``evo config`` lists all
    of them. ``report`` is called with an :class:`evo.evolution.loop.Progress` after each
    generation.

    Returns:
        The run, to be read with pandas: ``.generations``, ``.population()``, ``.champion()``.

    Raises:
        ConfigError, TournamentError: a wrong configuration, before any work.
            With ``or_resume`` also a run of another configuration. The message names the first
            field that differs.
        ResultsError: the folder holds a run already, or cannot be written.
        Interrupted: a signal, or ``stop``, asked to stop; the run can be resumed.
    """
    source = None if request.replay is None else open_run(request.replay, execution.trust)
    config = _config_of(request, source, execution.trust)
    refuse_secrets(config)
    out, may_resume = request.out, request.or_resume
    if may_resume and holds_run(out):
        if source is not None:  # a crash may have left a part of it
            Recording(place_of(out)).copy(Recording(source.path))
        return _resumed(out, config, execution)
    is_replay = source is not None
    if config.genome.programs and config.run.start and not execution.trust:
        raise ConfigError(
            f"start={config.run.start!r} given; it holds programs, which are not run without your "
            "word: if you trust it, add --trust (trust=True)"
        )
    is_recorded = is_replay and config.genome.programs  # the first programs, too
    started = config if is_recorded else starting.resolved(config)
    learners = starting.learners_of(started)
    _prepare(learners, is_new=not is_replay, is_replay=is_replay)
    refuse_taken(place_of(out))
    info = {
        "seed": config.seed,
        "config": started.to_dict(),
        "genome": config.genome_spec(),
        "layouts": config.layouts(),
        "relative_fitness": config.scheme is not None and config.scheme.is_relative,
        "versions": versions_of(config),
    }
    if source is not None:
        info["replay"] = True
    if request.command is not None:
        info["command"] = list(map(redacted, request.command))
    with execution.shared() as shared:
        shared.making()  # nothing stands in the folder where Ray cannot be joined
        try:
            writer = RunWriter.create(out, info)
        except ResultsError:
            if may_resume and holds_run(out):  # another process was faster
                return _resumed(out, config, shared)
            raise
        with writer:
            if source is not None:
                Recording(writer.path).copy(Recording(source.path))
            return _go_on(started, learners, writer, shared)


def _config_of(request: RunRequest, source: Run | None, trust: bool) -> Config:
    """Return the configuration that a request for a run gives, validated if necessary.

    That of a replay is the configuration of the run that is played again, ``source``.
    """
    given = request.options
    if source is not None:
        if given or request.fields:
            raise ConfigError(
                f"replay={source.path} and a configuration given; the run has one: leave it out"
            )
        if not names_in(source.path / FOLDER):
            raise ConfigError(
                f"replay={source.path} given; it has no recording, so it repeats by its seed: give "
                "the run of a contest with recorded=True, or of the learner program-search"
            )
        config = configuration.of_run(source, trust)
        if not source.snapshots:
            raise ConfigError(f"replay={source.path} given; it holds no snapshot yet")
        last = {"generations": source.snapshots[-1]}  # it may have been stopped
        return replace(config, run=config.run.with_end(last))
    if isinstance(given, Config):
        return given.changed(request.fields)
    if not isinstance(given, Mapping | None):
        raise ConfigError(f"options={shown(given)} given; a Config, or a dict, is expected")
    return configuration.from_dict(configuration.merge(given or {}, request.fields))


def refuse_secrets(config: Config) -> None:
    """Raise if a configuration contains a password or key, since it is written into the run."""
    texts = {"start": config.run.start, "learner.mutator": getattr(config.learner, "mutator", "")}
    for name, text in texts.items():
        if redacted(text) != text:
            raise ConfigError(
                f"{name}={redacted(text)!r} given with a password or key in it, which would be "
                "kept in run.json; leave it out, and give it by the variables of the environment"
            )


def _resumed(path: str | Path, config: Config, execution: Execution) -> Run:
    """Resume the run in a folder, if it has this configuration and has not reached its end."""
    present, wanted = open_run(path), config.to_dict()
    refuse_another(present, config)
    ends: list[int | None] = [wanted.get(name) for name in ENDS]
    if ends == [present.config.get(name) for name in ENDS]:
        ends = [None, None]
        is_done = is_over(present)
    else:  # the run may have passed the end that the configuration asks for
        last, games = max(present.snapshots, default=-1), config.run.games
        is_beyond = last > config.run.generations or 0 < games < present.games_played
        is_done = last >= 0 and is_beyond
    if is_done:
        newest = present.snapshots[-1]
        execution.announce(f"{present.path} is done already, with generation {newest}")
        return present
    trusting = replace(execution, trust=True)  # the user names it all, too
    return resume(ResumeRequest(path, *ends), trusting)


def refuse_another(run: Run, config: Config) -> None:
    """Raise if a run has another configuration than ``config``.

    Its end, and which snapshots are kept, may differ.

    Raises:
        ConfigError: the first field that differs, with both values.
    """
    present, wanted = run.config, config.to_dict()
    if _same_start(present.get(START, ""), wanted.get(START, "")):
        present, wanted = ({**table, START: ""} for table in (present, wanted))
    for name, theirs, ours in _differing(present, wanted):
        if name not in (*ENDS, *KEEP):
            raise ConfigError(
                f"{run.path} was made with {name}={theirs!r}, and {ours!r} is given; give another "
                "folder, or the configuration as it was"
            )


def _differing(
    present: Mapping[str, Any], wanted: Mapping[str, Any], prefix: str = ""
) -> Iterator[tuple[str, Any, Any]]:
    """Yield the fields in which a run's configuration differs from the wanted one.

    The order is that of the wanted one.

    Args:
        present: the table of the run.
        wanted: the table of the other configuration.
        prefix: beginning of the dotted names.

    Yields:
        The dotted name and both values of a field.
    """
    for name in [*wanted, *(key for key in present if key not in wanted)]:
        theirs, ours = present.get(name), wanted.get(name)
        if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
            yield from _differing(theirs, ours, f"{prefix}{name}.")
        elif theirs != ours:
            yield f"{prefix}{name}", theirs, ours


def _same_start(present: str, wanted: str) -> bool:
    """Return whether a run started from the run that a configuration names as its start.

    The configuration may leave the generation open.
    """
    theirs, ours = present.split("+"), wanted.split("+")
    pairs = zip(theirs, ours, strict=False)
    return len(theirs) == len(ours) and all(
        there in (here, f"{here}@{there.rpartition('@')[2]}") for there, here in pairs
    )


@called_with(ResumeRequest)
def resume(request: ResumeRequest, execution: Execution) -> Run:
    """Continue a run from its last complete snapshot.

    ``generations`` and ``games`` set a new end, which must not be earlier than the progress of the
    run. With ``games`` alone the number of generations is unlimited. ``report`` is called as for
    :func:`run`.

    Raises:
        ResultsError: there is no run, or another process is writing it.
        ConfigError: the run has passed the new end; or an operator of the run is not trusted, or
            cannot be loaded.
        Interrupted: as for :func:`run`.
    """
    with RunWriter.open(request.run) as writer:
        config = configuration.of_run(writer, execution.trust)
        for line in filter(None, [*writer.damaged, _check_versions(config, writer)]):
            execution.announce(line)
        ends = {name: end for name in ENDS if (end := getattr(request, name)) is not None}
        if ends:
            config = _with_end(config, ends, writer)
        learners = starting.learners_of(config)
        _prepare(learners, is_new=False, is_replay=bool(writer.info.get("replay")))
        if ends:
            writer.set_generations(config.run.generations, config.run.games)
        return _go_on(config, learners, writer, execution)


def _prepare(learners: Sequence[Any], is_new: bool, is_replay: bool) -> None:
    """Raise ConfigError if a learner cannot begin, or continue, because something is missing."""
    for learner in learners:
        if hasattr(learner, "prepare"):
            learner.prepare(is_new, is_replay)


def versions_of(config: Config) -> dict[str, str]:
    """Return the versions that the results of a run depend on, by name.

    Python files and weights have their SHA-256.
    """
    files = code_of(config.code_files)
    for file in config.panel_files:
        files[file] = f"{SHA}{hashlib.sha256(read_named(file)).hexdigest()}"
    return versions(laws=config.laws, kernels=config.kernels, **files)


def _check_versions(config: Config, writer: RunWriter) -> str:
    """Return a line if anything has changed that the results of a run depend on, else "".

    Raises:
        ConfigError: damaged snapshots would be computed again with other results; or a Python file
            by path has changed.
    """
    with named_by(config.read_from):
        now = versions_of(config)
    path, made_with = str(writer.path), writer.info["versions"]
    fresh = f"start a new run from these individuals: evo run ... --set start={path}"
    if line := other_rules(path, made_with):
        raise ConfigError(f"{line}; {fresh}")
    for line in other_files(path, made_with, now):
        raise ConfigError(f"{line}; put the file back as it was, or {fresh}")
    changed = differing(made_with, now)
    if changed and writer.damaged:
        raise ConfigError(
            f"{writer.damaged[0]} This needs the versions that made the run ({changed}): install "
            "them, or start a new run"
        )
    return f"results may differ from those of an uninterrupted run: {changed}" if changed else ""


def _with_end(config: Config, ends: Mapping[str, int], writer: RunWriter) -> Config:
    """Return the configuration of a run with another end: by generations, by games, or both.

    Raise ConfigError if the run has passed that end.
    """
    last = writer.last
    reached = {
        "generations": (last.generation if last else 0, "generation {}"),
        "games": (last.games_played if last else 0, "{} games"),
    }
    for name, value in ends.items():
        there, words = reached[name]
        if value < there:
            raise ConfigError(
                f"{name}={value} given, but {writer.path} is at {words.format(there)} already; "
                "give more than that"
            )
    return replace(config, run=config.run.with_end(ends))


def _go_on(
    config: Config, learners: Sequence[Learner], writer: RunWriter, execution: Execution
) -> Run:
    status, referee = StatusFile(writer.path), execution.referee(writer.path)
    referee.is_replay = bool(writer.info.get("replay"))
    last: list[Progress] = []
    recording, contest = Recording(writer.path), config.game.rules.contest
    if config.genome.programs or (contest is not None and contest.is_recorded):
        referee.recording = recording
    for island, learner in zip(config.island_numbers, learners, strict=True):
        if hasattr(learner, "bind"):
            learner.bind(recording, island, referee.is_replay)
    try:
        with (
            execution.reporting("generation") as told,
            execution.playing() as evaluator,
            graceful_stop(execution.stop is None) as asked,
        ):

            def report(progress: Progress) -> None:
                last[:] = [progress]
                status.say(progress.games, lambda: _facts(progress))
                told(progress)

            stop = execution.stop or (lambda: bool(asked))
            run = Archipelago(config, learners, evaluator, writer, referee)
            over = run.evolve(report, stop)
    finally:
        status.end(_facts(last[0]) if last else {})
    referee.announce_forfeits()
    if calls := calls_of(writer.path):
        execution.announce(summary_of(calls))
    if not over:
        raise Interrupted(writer.path, asked[0] if asked else signal.SIGINT)
    if over != REACHED:
        writer.ended(over)
        execution.announce(f"done: {over}; with more generations it would stay as it is")
    return open_run(writer.path)


def _facts(progress: Progress) -> dict[str, Any]:
    """Return the fields of ``status.json`` about the progress of a run."""
    return {
        "generation": progress.generation,
        "games_played": progress.games_played,
        "faults": dict(progress.faults),
    }
