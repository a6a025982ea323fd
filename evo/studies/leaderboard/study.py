"""Which schemes and learners make the strongest 24-9-24 networks: runs, and what they are worth.

The entries are those of ``leaderboard.toml``, two million games each, and the longer ones of
``leaderboard_long.toml`` and ``leaderboard_second.toml``. What is measured of a run is its champion
by its own fitness: no games but its own chose it. Of the seeds of an entry the best and the median
one by games against level 1 are then measured exactly, where nothing is played.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from cluster.threads import available_threads
from evo.config import config as configuration
from evo.config.config import Config
from evo.evaluation.evaluate import evaluate
from evo.evaluation.players import individual
from evo.studies.page import Announce, checked_settings
from evo.sweeps.experiment import Cell, Experiment, load_experiment
from evo.sweeps.sweep import FAILED, Where, folder_of, sweep
from results import Run, open_run
from results.read.state import is_over
from tournaments import players
from tournaments.errors import ConfigError, nearest
from tournaments.options import option
from tournaments.solver.every_game import best_responses, meetings

OPPONENTS = ("level-0", "level-1", "level-2", "optimal")
BY = OPPONENTS.index("level-1")
"""The opponent by whom seeds and entries are ranked."""
BARS = {"level-0": 0.98, "level-1": 0.5, "level-2": 1 / 3}
"""Shares of the games that one network is to win at once, or more."""
SHORT, LONG, SECOND = "two-million", "first", "second"
FILES = {SHORT: "leaderboard", LONG: "leaderboard-long", SECOND: "leaderboard-second"}
"""The experiment files by the folder of their runs."""
STARTS = "openai-es-symmetric"
"""The entry that has most seeds, as the best of those of two million games."""


@dataclass(frozen=True)
class Settings:
    """What the study lets one choose."""

    seeds: int = option(10, f"seeds of {STARTS}", 1, 1000)
    other_seeds: int = option(10, "seeds of each other entry of two million games", 1, 1000)
    long_seeds: int = option(
        3, "seeds of each longer entry, at most as many as seeds; 0: these are left out", 0, 1000
    )
    entries: str = option("", "these entries alone, joined by +; empty: all")
    games: int = option(2000, "games of each champion against each opponent; even", 2, 10**7)
    exact: int = option(
        8,
        "entries from the top of which the best seed and the median one are measured exactly, half "
        "a minute of one processor each",
        low=0,
        high=1000,
    )
    rows: int = option(3, "rows of boxes", low=1, high=3)
    cols: int = option(3, "columns of boxes", low=1, high=3)
    quick: int = option(0, "1: short runs, few seeds, one entry exactly: to see how it goes", 0, 1)
    runs: str = option("sweeps/leaderboard", "folder of the runs; what is done there stays done")
    evolve: int = option(1, "0: evolve nothing, measure what is over", low=0, high=1)
    threads: int = option(0, "runs side by side; 0: one a processor", low=0, high=4096)
    page: str = option("", "file to write the page to, pictures and networks beside it")

    @property
    def workers(self) -> int:
        """Runs side by side, and threads of what is computed."""
        return self.threads or available_threads()


@dataclass(frozen=True, eq=False)
class Entry:
    """An entry of the leaderboard: a configuration, run with several seeds.

    Attributes:
        cell: how it is run.
        config: of its first seed.
        paths: the run folders by seed, of those that are over.
        missing: seeds that are not.
        is_long: whether it is one of those that spend more games than the others.
        before: games that the runs had spent that these went on from.
        played: int64 [K], games that a run had spent at each of its K snapshots, those before
            included; of the first seed.
        rates: float64 [seeds, K, O], the champions' shares of the games won.
    """

    cell: Cell
    config: Config
    paths: Mapping[int, Path]
    missing: tuple[int, ...]
    is_long: bool
    before: int
    played: np.ndarray
    rates: np.ndarray

    @property
    def final(self) -> np.ndarray:
        """The champions at the end, float64 [seeds, O]."""
        return self.rates[:, -1]

    @property
    def median(self) -> np.ndarray:
        """The medians over seeds at the end, float64 [O]."""
        return np.median(self.final, axis=0)

    @property
    def meets_bars(self) -> np.ndarray:
        """Which champions meet all bars at once, bool [seeds]."""
        rows = [dict(zip(OPPONENTS, rates, strict=True)) for rates in self.final.tolist()]
        return np.array([meets_bars(row) for row in rows])

    def seed_at(self, share: float) -> int:
        """The seed that stands there when all are ordered, 0 the worst, 1 the best.

        Those that meet all bars are above the others, and then games against level 1 count.
        """
        order = np.lexsort((self.final[:, BY], self.meets_bars))
        return list(self.paths)[int(order[int(share * (len(order) - 1))])]


def validated(settings: Settings) -> Settings:
    """The settings, after every one of them was looked at; short ones where ``quick`` says so.

    Raises:
        ConfigError: a setting that cannot be.
    """
    settings = checked_settings(settings, even=("games",))
    if not settings.quick:
        return settings
    few = {"seeds": 2, "other_seeds": 2, "long_seeds": 1, "exact": 1}
    return replace(settings, **{key: min(getattr(settings, key), few[key]) for key in few})


def run(settings: Settings, announce: Announce = lambda line: None) -> list[Entry]:
    """Evolve what is not evolved yet, and measure the champions by games; the strongest first.

    Raises:
        ConfigError: a setting that cannot be, a run that failed, or runs in the folder that were
            made with another configuration.
        Interrupted: a signal asked to stop; the same again goes on.
    """
    settings = validated(settings)
    experiments = list(_experiments(settings))
    _check_entries(settings, [experiment for _, experiment in experiments])
    entries = []
    for stage, experiment in experiments:
        named = _named(experiment, settings)
        if named.cells:
            folder = Path(settings.runs).absolute() / stage
            if settings.evolve:
                _evolve(named, folder, settings, announce)
            measured = [_entry(named, cell, folder, settings, announce) for cell in named.cells]
            entries += [entry for entry in measured if entry is not None]
    if not entries:
        raise ConfigError(f"evolve=0 given, but no run in {settings.runs} is over; leave it out")
    return sorted(entries, key=lambda entry: -float(entry.median[BY]))


def _experiments(settings: Settings) -> Iterator[tuple[str, Experiment]]:
    """What is run, by the name of its folder; the second stage goes on from runs of the first."""
    longest = min(settings.long_seeds, settings.seeds)
    numbers = {SHORT: settings.other_seeds, LONG: longest, SECOND: longest}
    for stage, name in FILES.items():
        board = {"rows": settings.rows, "cols": settings.cols}
        base: dict[str, Any] = {"game": {"name": "dots-and-boxes", **board}}
        if numbers[stage]:
            changes = {"seeds": numbers[stage], "base": base}
            whole = load_experiment(name, changes, bool(settings.quick))
            cells = [_placed(cell, settings) for cell in whole.cells]
            starts = [cell for cell in cells if cell.name == STARTS]
            others = [cell for cell in cells if cell.name != STARTS]
            yield stage, replace(whole, cells=tuple(others))
            seeds = tuple(range(1, settings.seeds + 1))
            yield stage, replace(whole, cells=tuple(starts), seeds=seeds)


def _placed(cell: Cell, settings: Settings) -> Cell:
    """A cell that starts from runs of the folder of the settings."""
    if "start" not in cell.table:
        return cell
    start = Path(cell.table["start"]).relative_to(Settings.runs)
    placed = Path(settings.runs).absolute() / start
    return replace(cell, table={**cell.table, "start": str(placed)})


def _names(settings: Settings) -> list[str]:
    return [name for name in settings.entries.split("+") if name]


def _check_entries(settings: Settings, experiments: Sequence[Experiment]) -> None:
    known = [cell.name for experiment in experiments for cell in experiment.cells]
    for name in _names(settings):
        if name not in known:
            raise ConfigError(
                f"entries={settings.entries!r} given; unknown entry {name!r}{nearest(name, known)} "
                f"(known: {', '.join(known)})"
            )


def _named(experiment: Experiment, settings: Settings) -> Experiment:
    """The cells that the settings name, and those that one of them goes on from."""
    names = set(_names(settings))
    if not names:
        return experiment
    for cell in load_experiment(FILES[SECOND]).cells:
        if cell.name in names:
            names.add(Path(cell.table["start"]).parent.name)
    return replace(experiment, cells=tuple(c for c in experiment.cells if c.name in names))


def _evolve(experiment: Experiment, folder: Path, settings: Settings, announce: Announce) -> None:
    announce(f"{experiment.name}: {len(experiment.cells)} entries, {len(experiment.seeds)} seeds")
    for ended in sweep(experiment, folder, Where(workers=settings.workers)):
        if ended.state == FAILED:
            raise ConfigError(f"{ended.folder}: {ended.error}")


def _entry(
    experiment: Experiment, cell: Cell, folder: Path, settings: Settings, announce: Announce
) -> Entry | None:
    """Measure the champions of all snapshots of an entry's runs, by games; None: none is over."""
    all_paths = {seed: folder_of(folder, cell, seed) for seed in experiment.seeds}
    paths = {seed: path for seed, path in all_paths.items() if _is_over(path)}
    if not paths:
        return None
    announce(f"measuring {cell.name}")
    rates = [_rates(path, settings) for path in paths.values()]
    first = open_run(next(iter(paths.values())))
    before = 0
    if first.config.get("start"):
        before = open_run(first.config["start"].rpartition("@")[0]).games_played
    played = first.generations.set_index("generation")["games_played"].loc[first.snapshots]
    config = configuration.of_run(first)
    games = before + played.to_numpy()
    missing = tuple(seed for seed in all_paths if seed not in paths)
    is_long = folder.name != SHORT
    return Entry(cell, config, paths, missing, is_long, before, games, np.array(rates))


def _is_over(path: Path) -> bool:
    return (path / "run.json").exists() and is_over(open_run(path))


def _rates(path: Path, settings: Settings) -> np.ndarray:
    """Shares of the games that the champions of a run's snapshots win, float64 [K, O]."""
    rows = evaluate(path, OPPONENTS, settings.games, best=1, threads=settings.workers)
    table = rows.pivot(index="generation", columns="opponent", values="win_rate")
    return table.sort_index()[list(OPPONENTS)].to_numpy()


# --- exactly -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Network:
    """A network of an entry.

    Attributes:
        name: for people and files.
        config: what its genome is of.
        genome: packed.
    """

    name: str
    config: Config
    genome: bytes

    @property
    def weights(self) -> np.ndarray:
        """Its weights and thresholds, float64 [W]."""
        genome = self.config.populations[0].genome
        packed = np.frombuffer(self.genome, dtype=np.uint8)[None]
        encoding = genome.representation.encoding  # type: ignore[attr-defined]
        if hasattr(encoding, "weights"):
            return encoding.weights(encoding.decode(packed))[0]
        return encoding.decode(packed)[0]


def champion_of(entry: Entry, seed: int) -> Network:
    """What a run of an entry ended with."""
    run: Run = open_run(entry.paths[seed])
    genome = run.champion()["genome"][: entry.config.genome_bytes]
    return Network(f"{entry.cell.name}-seed-{seed}", entry.config, genome)


def on_the_grid(network: Network) -> Network:
    """The nearest network of the study's genome: ten bits a weight, 582 bytes of 24-9-24."""
    game = network.config.game
    config = configuration.from_dict({"game": {"name": game.name, **game.options}})
    encoding = config.populations[0].genome.representation.encoding  # type: ignore[attr-defined]
    genome = encoding.encode(network.weights)[0].tobytes()
    return Network(f"{network.name}-10-bits", config, genome)


class Yardsticks:
    """Measures networks exactly; what the opponents do is found out once."""

    def __init__(self, config: Config, threads: int) -> None:
        self.opponents = {name: players.make(name, config.game) for name in OPPONENTS}
        self.meetings = meetings(config.game, threads)
        self.responses = best_responses(config.game, threads)

    def of(self, network: Network, announce: Announce) -> dict[str, Any]:
        """What a network makes of its games, of whom it meets and of the best response to it."""
        (plan,) = network.config.populations
        player = individual(network.config, plan, network.genome, network.name)
        met = {
            name: self.meetings.meeting(player, self.meetings.checked(other), announce)
            for name, other in self.opponents.items()
        }
        proof = self.responses.proof(player, announce)
        perfect, level = met["optimal"], met[OPPONENTS[BY]]
        rates = {name: meeting.win_rate for name, meeting in met.items()}
        return {
            "network": network.name,
            **rates,
            "bars": meets_bars(rates),
            "optimal_first": float(perfect.wins[0]),
            "optimal_second": float(perfect.wins[1]),
            "margin_first": float(perfect.margins[0]),
            "margin_second": float(perfect.margins[1]),
            "regret": perfect.regret,
            "optimal_share": perfect.optimal_share,
            "regret_level_1": level.regret,
            "optimal_share_level_1": level.optimal_share,
            "exploitability": proof.exploitability,
        }


def meets_bars(rates: Mapping[str, float]) -> bool:
    """Whether shares of games won, by opponent, are above all bars at once."""
    least, *others = BARS
    enough = rates[least] >= BARS[least]
    return enough and all(rates[name] > BARS[name] for name in others)
