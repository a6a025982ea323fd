"""The calls of :mod:`evo`, with all their keywords (``python -m tests.declared``)."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cluster import Evaluator
from evo.config.config import Config
from evo.contract import check_genome as check_genome
from evo.contract import check_learner as check_learner
from evo.evaluation.findings import Analysis
from evo.evaluation.players import champion as champion
from evo.evaluation.players import player as player
from evo.evolution.runs import Interrupted as Interrupted
from evo.pages.report import Report
from evo.sweeps.experiment import Experiment
from evo.sweeps.experiment import load_experiment as load_experiment
from evo.sweeps.sweep import Ended, Slice
from evo.tournaments.compare import Comparison
from evo.tournaments.cross_table import CrossTable
from evo.tournaments.league_table import LeagueTable
from results import DataFrame, Run
from tournaments.errors import ConfigError as ConfigError
from tournaments.game import Game

def analyse(
    run: str | Path | Run,
    *,
    every: int | None = ...,
    games: int = ...,
    against: Sequence[Any] = ...,
    seed: int | None = ...,
    exact: bool = ...,
    evaluator: Evaluator | None = ...,
    threads: int | None = ...,
    ray: str | None = ...,
    actors: int | None = ...,
    check: int | None = ...,
    patience: float | None = ...,
    trust: bool = ...,
    report: Callable[..., object] = ...,
    announce: Callable[[str], object] = ...,
    progress: bool = ...,
) -> Analysis: ...
def compare(
    player: Any,
    opponent: Any,
    game: str | Game | None = ...,
    elo: tuple[float, float] = ...,
    *,
    alpha: float = ...,
    beta: float = ...,
    most_games: int = ...,
    seed: int = ...,
    evaluator: Evaluator | None = ...,
    threads: int | None = ...,
    ray: str | None = ...,
    actors: int | None = ...,
    check: int | None = ...,
    patience: float | None = ...,
    faults: str = ...,
    trust: bool = ...,
    report: Callable[..., object] = ...,
    announce: Callable[[str], object] = ...,
    progress: bool = ...,
) -> Comparison: ...
def evaluate(
    run: str | Path | Run,
    opponents: Sequence[Any] | None = ...,
    games: int | None = ...,
    *,
    exact: bool = ...,
    best: int | None = ...,
    best_by: int | None = ...,
    every: int | None = ...,
    generations: Sequence[int] | None = ...,
    populations: Sequence[str] | None = ...,
    config: Config | None = ...,
    evaluator: Evaluator | None = ...,
    threads: int | None = ...,
    ray: str | None = ...,
    actors: int | None = ...,
    check: int | None = ...,
    patience: float | None = ...,
    faults: str = ...,
    trust: bool = ...,
    report: Callable[..., object] = ...,
    announce: Callable[[str], object] = ...,
    progress: bool = ...,
) -> DataFrame: ...
def league(
    folder: str | Path,
    game: str,
    games: int = ...,
    *,
    seed: int | None = ...,
    schedule: str = ...,
    rounds: int | None = ...,
    most_games: int | None = ...,
    seconds: float | None = ...,
    staff: str | Path | None = ...,
    again: bool = ...,
    show_errors: bool = ...,
    out: str | Path | None = ...,
    site: str | Path | None = ...,
    replays: int = ...,
    evaluator: Evaluator | None = ...,
    threads: int | None = ...,
    ray: str | None = ...,
    actors: int | None = ...,
    check: int | None = ...,
    patience: float | None = ...,
    report: Callable[..., object] = ...,
    announce: Callable[[str], object] = ...,
    progress: bool = ...,
) -> LeagueTable: ...
def best_response(
    run: str | Path | Run,
    *,
    best: int | None = ...,
    every: int | None = ...,
    generations: Sequence[int] | None = ...,
    threads: int | None = ...,
    trust: bool = ...,
    report: Callable[..., object] = ...,
    announce: Callable[[str], object] = ...,
    progress: bool = ...,
) -> DataFrame: ...
def report(
    folder: str | Path | Run | Sequence[str | Path],
    *,
    html: str | None = ...,
    quick: bool = ...,
    threads: int | None = ...,
    ray: str | None = ...,
    actors: int | None = ...,
    check: int | None = ...,
    patience: float | None = ...,
    trust: bool = ...,
    report: Callable[..., object] = ...,
    announce: Callable[[str], object] = ...,
    progress: bool = ...,
) -> Report: ...
def resume(
    run: str | Path,
    generations: int | None = ...,
    games: int | None = ...,
    *,
    evaluator: Evaluator | None = ...,
    threads: int | None = ...,
    ray: str | None = ...,
    actors: int | None = ...,
    check: int | None = ...,
    patience: float | None = ...,
    faults: str = ...,
    trust: bool = ...,
    stop: Callable[[], bool] | None = ...,
    report: Callable[..., object] = ...,
    announce: Callable[[str], object] = ...,
    progress: bool = ...,
) -> Run: ...
def run(
    out: str | Path,
    options: Mapping[str, Any] | Config | None = ...,
    *,
    command: Sequence[str] | None = ...,
    or_resume: bool = ...,
    replay: str | Path | None = ...,
    evaluator: Evaluator | None = ...,
    threads: int | None = ...,
    ray: str | None = ...,
    actors: int | None = ...,
    check: int | None = ...,
    patience: float | None = ...,
    faults: str = ...,
    trust: bool = ...,
    stop: Callable[[], bool] | None = ...,
    report: Callable[..., object] = ...,
    announce: Callable[[str], object] = ...,
    progress: bool = ...,
    **fields: Any,
) -> Run: ...
def sweep(
    experiment: str | Path | Experiment,
    out: str | Path | None = ...,
    *,
    quick: bool = ...,
    part: Slice | None = ...,
    patience: float = ...,
    threads: int | None = ...,
    ray: str | None = ...,
    actors: int | None = ...,
    report: Callable[..., object] = ...,
    announce: Callable[[str], object] = ...,
    progress: bool = ...,
) -> list[Ended]: ...
def tournament(
    game: str | Game,
    players: Sequence[Any],
    games: int = ...,
    *,
    seed: int = ...,
    secret: bool = ...,
    schedule: str = ...,
    rounds: int | None = ...,
    challengers: int | None = ...,
    stop_within: float | None = ...,
    most_games: int | None = ...,
    anchor: str | None = ...,
    out: str | Path | None = ...,
    evaluator: Evaluator | None = ...,
    threads: int | None = ...,
    ray: str | None = ...,
    actors: int | None = ...,
    check: int | None = ...,
    patience: float | None = ...,
    faults: str = ...,
    trust: bool = ...,
    report: Callable[..., object] = ...,
    announce: Callable[[str], object] = ...,
    progress: bool = ...,
) -> CrossTable: ...
