"""Which schemes and learners make the strongest 24-9-24 networks: runs, and their strength.

The entries are those of ``leaderboard.toml``, two million games each, and the longer ones of
``leaderboard_long.toml`` and ``leaderboard_second.toml``. A run is measured by its champion,
which the run's own fitness has chosen, by its own games only. Of the seeds of an entry, the best
and the median by games against level 1 are then measured exactly, without games.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from cluster.processors import available_threads
from evo.config import config as configuration
from evo.config.config import Config
from evo.evaluation.evaluate import evaluate
from evo.evaluation.players import champion
from evo.studies.claims import read_toml
from evo.studies.play import complete
from evo.studies.report import Evidence, StudyReport
from evo.studies.settings import Announce, PageSettings, names_of, setting
from evo.sweeps.experiment import Cell, Experiment, flat, load_experiment
from evo.sweeps.sweep import folder_of
from results import open_run
from results.read.status import is_over
from tournaments import players
from tournaments.errors import ConfigError
from tournaments.options import option
from tournaments.player import CompiledPlayer
from tournaments.players.network import Encoding, layers_for
from tournaments.solver.every_game import best_responses, meetings
from tournaments.solver.exact import Meeting

OPPONENTS = ("level-0", "level-1", "level-2", "optimal")
BY = OPPONENTS.index("level-1")
"""The opponent by whom seeds and entries are ranked."""
BARS = {"level-0": 0.98, "level-1": 0.5, "level-2": 1 / 3}
"""Shares of the games that one network is to win at once, or more."""
SHORT, LONG, SECOND = "two-million", "first", "second"
FILES = {SHORT: "leaderboard", LONG: "leaderboard-long", SECOND: "leaderboard-second"}
"""The experiment files by the folder of their runs."""
ON_THE_GRID = "-10-bits"
"""Ends the name of the nearest network of the study's genome."""
STARTS = "openai-es-symmetric"
"""The entry that has most seeds, as the best of those of two million games."""


ABOUT: Mapping[str, str] = read_toml(__package__, "about.toml")
"""What an entry tries, where its configuration does not say it plainly."""
STUDY = [name for name, about in ABOUT.items() if about == "the study's population"]
"""The four populations of Weaver and Bossomaier (1998)."""


@dataclass(frozen=True)
class LeaderboardSettings(PageSettings):
    """Options of the study.

    Attributes:
        seeds: seeds of openai-es-symmetric
        other_seeds: seeds of each other entry of two million games
        long_seeds: seeds of each longer entry, at most as many as seeds; 0: none
        entries: these entries alone, joined by +; empty: all
        games: games of each champion against each opponent; even
        exact: entries from the top of which the best seed and the median one are measured exactly,
            half a minute of one processor each
        rows: rows of boxes
        cols: columns of boxes
        quick: 1: short runs, few seeds, one entry exactly: to see how it goes
        runs: folder of the runs; what is done there stays done
        evolve: 0: evolve nothing, measure what is over
        threads: runs side by side; 0: one a processor
    """

    seeds: int = setting(10, low=1, high=1000, quick=2)
    other_seeds: int = setting(10, low=1, high=1000, quick=2)
    long_seeds: int = setting(3, low=0, high=1000, quick=1)
    entries: str = option("")
    games: int = setting(2000, low=2, high=10**7, even=True)
    exact: int = setting(8, low=0, high=1000, quick=1)
    rows: int = setting(3, low=1, high=3)
    cols: int = setting(3, low=1, high=3)
    quick: int = setting(0, low=0, high=1)
    runs: str = option("sweeps/leaderboard")
    evolve: int = setting(1, low=0, high=1)
    threads: int = setting(0, low=0, high=4096)

    @property
    def workers(self) -> int:
        """Number of runs at a time, and of threads of computations."""
        return self.threads or available_threads()


@dataclass(frozen=True, eq=False)
class Entry:
    """An entry of the leaderboard: a configuration, run with several seeds.

    Attributes:
        cell: the cell that runs the entry.
        config: the configuration of the first seed.
        paths: the folders of the finished runs, by seed.
        missing: seeds whose runs are not finished.
        is_long: whether the entry spends more games than the standard entries.
        played: int64 [K], games that the first seed's run had spent at each of its K snapshots,
            including the games of a run that it continues.
        rates: float64 [seeds, K, O], the champions' shares of the games won.
    """

    cell: Cell
    config: Config
    paths: Mapping[int, Path]
    missing: tuple[int, ...]
    is_long: bool
    played: np.ndarray
    rates: np.ndarray

    @property
    def final(self) -> np.ndarray:
        """The win rates of the entry's champions at the end against O opponents, [seeds, O]."""
        return self.rates[:, -1]

    @property
    def median(self) -> np.ndarray:
        """The medians over seeds of the win rates of the entry's final champions, float64 [O]."""
        return np.median(self.final, axis=0)

    @property
    def meets_bars(self) -> np.ndarray:
        """Which of the entry's champions meet all bars of the leaderboard, bool [seeds]."""
        return meets_bars(self.final)

    def seed_at(self, share: float) -> int:
        """Return the seed of the entry at a place in the order of strength: 0 worst, 1 best.

        Seeds that meet all bars rank above the others. Games against level 1 decide within a group.
        """
        order = np.lexsort((self.final[:, BY], self.meets_bars))
        return list(self.paths)[int(order[int(share * (len(order) - 1))])]


def start_of(cell: Cell) -> str:
    """Return the entry of the leaderboard whose runs a cell continues; empty: none."""
    return Path(cell.table.get("start", "")).parent.name


def ranked_entries(settings: LeaderboardSettings, announce: Announce) -> list[Entry]:
    """Run the leaderboard's unfinished entries and measure their champions, the strongest first.

    Raises:
        ConfigError: a setting that cannot be, a run that failed, or runs in the folder that were
            made with another configuration.
        Interrupted: a signal asked to stop; the same again goes on.
    """
    entries = []
    for folder, plan in _experiments(settings):
        if settings.evolve:
            announce(f"{plan.name}: {len(plan.cells)} entries, {len(plan.seeds)} seeds")
            complete(plan, folder, settings.threads, announce)
        measured = [_entry(plan, cell, folder, settings, announce) for cell in plan.cells]
        entries += [entry for entry in measured if entry is not None]
    if not entries:
        raise ConfigError(f"evolve=0 given, but no run in {settings.runs} is over; leave it out")
    return sorted(entries, key=lambda entry: -float(entry.median[BY]))


def _experiments(settings: LeaderboardSettings) -> Iterator[tuple[Path, Experiment]]:
    """Yield the runs of the leaderboard as cells, by folder.

    The second stage continues runs of the first.
    """
    runs, longest = Path(settings.runs).absolute(), min(settings.long_seeds, settings.seeds)
    numbers = {SHORT: settings.other_seeds, LONG: longest, SECOND: longest}
    board = {"name": "dots-and-boxes", "rows": settings.rows, "cols": settings.cols}
    stages = {
        stage: load_experiment(
            FILES[stage], {"seeds": number, "base": {"game": board}}, bool(settings.quick)
        )
        for stage, number in numbers.items()
        if number
    }
    wanted = _wanted(settings, [cell for whole in stages.values() for cell in whole.cells])
    for stage, whole in stages.items():
        cells = [_placed(cell, runs) for cell in whole.cells if cell.name in wanted]
        for is_start, seeds in ((False, whole.seeds), (True, tuple(range(1, settings.seeds + 1)))):
            part = tuple(cell for cell in cells if (cell.name == STARTS) == is_start)
            if part:
                yield runs / stage, replace(whole, cells=part, seeds=seeds)


def _wanted(settings: LeaderboardSettings, cells: Sequence[Cell]) -> set[str]:
    """Return the names of the requested entries of the leaderboard, and those they start from."""
    starts = {cell.name: start_of(cell) for cell in cells}
    names = list(starts)
    if settings.entries:
        names = names_of("entries", "entry", settings.entries, starts)
    return {*names, *(starts[name] for name in names)}


def _placed(cell: Cell, runs: Path) -> Cell:
    """Return a cell of the leaderboard whose start is a run in the folder ``runs``."""
    if not start_of(cell):
        return cell
    start = Path(cell.table["start"]).relative_to(LeaderboardSettings.runs)
    return replace(cell, table={**cell.table, "start": str(runs / start)})


def _entry(
    experiment: Experiment,
    cell: Cell,
    folder: Path,
    settings: LeaderboardSettings,
    announce: Announce,
) -> Entry | None:
    """Measure by games the champions of all snapshots of an entry of the leaderboard.

    None is returned if no run of the entry is over.
    """
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
    return Entry(cell, config, paths, missing, is_long, games, np.array(rates))


def _is_over(path: Path) -> bool:
    return (path / "run.json").exists() and is_over(open_run(path))


def _rates(path: Path, settings: LeaderboardSettings) -> np.ndarray:
    """Return the share of games that the champion of each snapshot of a run wins.

    The result is float64 [K, O]: snapshots by opponents.
    """
    rows = evaluate(path, OPPONENTS, settings.games, best=1, threads=settings.workers)
    table = rows.pivot(index="generation", columns="opponent", values="win_rate")
    return table.sort_index()[list(OPPONENTS)].to_numpy()


# --- exactly -------------------------------------------------------------------------------------


def champion_of(entry: Entry, seed: int) -> CompiledPlayer:
    """Return the champion of the run of a leaderboard entry with a seed, as a player."""
    return replace(champion(entry.paths[seed]), name=f"{entry.cell.name}-seed-{seed}")


def weights_of(network: CompiledPlayer) -> np.ndarray:
    """Return the weights and thresholds of an evolved network player, float64 [W]."""
    made = network.options or {}
    packed = np.frombuffer(made["genome"], dtype=np.uint8)[None]
    return made["representation"].decode(packed)[0]


def on_the_grid(network: CompiledPlayer) -> CompiledPlayer:
    """Return the nearest network player with weights of ten bits, as the 1998 study has them.

    Its genome is 582 bytes for 24-9-24.
    """
    encoding = Encoding(layers_for(network.game))
    genome = encoding.encode(weights_of(network))[0].tobytes()
    return encoding.player(network.game, [genome], f"{network.name}{ON_THE_GRID}")


def exact_row(
    network: CompiledPlayer, met: Mapping[str, Meeting], exploitability: float
) -> dict[str, Any]:
    """Return a row of exact results of a network against :data:`OPPONENTS`.

    ``met`` are its exact meetings, by opponent.
    """
    perfect, level = met["optimal"], met[OPPONENTS[BY]]
    rates = {name: meeting.win_rate for name, meeting in met.items()}
    return {
        "network": network.name,
        **rates,
        "bars": bool(meets_bars(np.array(list(rates.values())))),
        "optimal_first": float(perfect.wins[0]),
        "optimal_second": float(perfect.wins[1]),
        "margin_first": float(perfect.margins[0]),
        "margin_second": float(perfect.margins[1]),
        "regret": perfect.regret,
        "optimal_share": perfect.optimal_share,
        "regret_level_1": level.regret,
        "optimal_share_level_1": level.optimal_share,
        "exploitability": exploitability,
    }


def meets_bars(rates: np.ndarray) -> np.ndarray:
    """Return whether win rates against the opponents meet all bars of the leaderboard.

    ``rates`` is ``[..., O]``, the result bool ``[...]``. The bar of level 0 itself is enough, the
    others must be passed.
    """
    enough, *passed = BARS.values()
    return (rates[..., 0] >= enough) & (rates[..., 1 : 1 + len(passed)] > passed).all(axis=-1)


# --- rows, report and page -----------------------------------------------------------------------


def measure(settings: LeaderboardSettings, announce: Announce) -> Evidence:
    """Run the unfinished runs of the leaderboard, and measure all runs.

    Raises:
        ConfigError: see :func:`ranked_entries`.
    """
    entries = ranked_entries(settings, announce)
    kept = dict(_kept(entries))
    record = {
        "entries": [_entry_record(entry) for entry in entries],
        "exact": list(_exactly(entries, kept, settings, announce)),
    }
    curves = [row for entry in entries for row in _curves(entry)]
    arrays = {name: weights_of(network) for name, network in kept.items()}
    return Evidence(record, arrays=arrays, tables={"curves": curves})


def _kept(entries: list[Entry]) -> Iterator[tuple[str, CompiledPlayer]]:
    """Yield the best networks of the leaderboard, by name, as evolved and on the grid of ten bits.

    They are the best of the longer entries, and of those of two million games.
    """
    for is_long in (True, False):
        some = [entry for entry in entries if entry.is_long == is_long]
        if some:
            entry = max(some, key=lambda entry: bool(entry.meets_bars.any()))  # the first of equals
            network = champion_of(entry, entry.seed_at(1.0))
            for form in (network, on_the_grid(network)):
                yield form.name, form


def _exactly(
    entries: list[Entry],
    kept: Mapping[str, CompiledPlayer],
    settings: LeaderboardSettings,
    announce: Announce,
) -> Iterator[dict[str, Any]]:
    """Yield rows of exact results of networks of each of the best entries of the leaderboard.

    These are the networks of the best seed, of the median seed, and the best one with weights of
    ten bits, where it is in ``kept``.
    """
    if not settings.exact:
        return
    game, threads = entries[0].config.game, settings.workers
    known, responses = meetings(game, threads), best_responses(game, threads)
    opponents = {name: known.checked(players.make(name, game)) for name in OPPONENTS}
    for entry in entries[: settings.exact]:
        best, median = entry.seed_at(1.0), entry.seed_at(0.5)
        networks = {"best": champion_of(entry, best)}
        if median != best:
            networks["median"] = champion_of(entry, median)
        grid = kept.get(f"{networks['best'].name}{ON_THE_GRID}")
        if grid is not None:
            networks["best, on the grid"] = grid
        for which, network in networks.items():
            met = {
                name: known.meeting(network, other, announce) for name, other in opponents.items()
            }
            row = exact_row(network, met, responses.proof(network, announce).exploitability)
            yield {**row, "which": which, "kept": network.name in kept}


def _entry_record(entry: Entry) -> dict[str, Any]:
    spread = {
        name: {
            "median": float(entry.median[place]),
            "least": float(entry.final[:, place].min()),
            "greatest": float(entry.final[:, place].max()),
            "seeds": entry.final[:, place].tolist(),
        }
        for place, name in enumerate(OPPONENTS)
    }
    table, origin = entry.cell.table, ""
    if start := start_of(entry.cell):
        table, origin = {**table, "start": f"runs/{start}"}, f", from `{start}`"
    return {
        "entry": entry.cell.name,
        "scheme": scheme_of(entry.config),
        "learner": entry.config.learner.in_words + origin,
        "genome": genome_of(entry.config),
        "games": int(entry.played[-1]),
        "seeds": len(entry.paths),
        "missing": list(entry.missing),
        **spread,
        "bars": int(entry.meets_bars.sum()),
        "is_long": entry.is_long,
        "command": command_of(table, next(iter(entry.paths)), f"runs/{entry.cell.name}"),
    }


def scheme_of(config: Config) -> str:
    """Return the scheme of a run in words: the opponents, and the score that counts."""
    scheme = config.scheme
    assert scheme is not None  # the entries' learners arrange no matches
    if not scheme.panel:
        return scheme.name
    counted = "boxes" if getattr(scheme, "score", 0) else "games won"
    return f"{scheme.name}, {' + '.join(scheme.panel)}, by {counted}"


def genome_of(config: Config) -> str:
    """Return the genome of a run in words."""
    genome = config.genome
    if genome.encoding == "bit-network":
        return f"{genome.bits} bits a weight"
    return f"real, symmetric, own {genome.own:g}" if genome.symmetry else "real"


def _curves(entry: Entry) -> Iterator[dict[str, Any]]:
    """Yield the median win rates of an entry against each opponent, a row for each snapshot."""
    medians = np.median(entry.rates, axis=0).tolist()
    for games, rates in zip(entry.played.tolist(), medians, strict=True):
        yield {"entry": entry.cell.name, "games": games, **dict(zip(OPPONENTS, rates, strict=True))}


def texts(evidence: Evidence) -> dict[str, Any]:
    """Return texts for the page of the leaderboard: entries by columns, and summaries."""
    import pandas as pd  # late: the options of the study need none

    entries, exact = evidence.record["entries"], evidence.record["exact"]
    kept = [row for row in exact if row["kept"]]
    names = [f"`{row['network']}`" for row in kept]
    return {
        "strengths": pd.json_normalize(entries, sep="_").to_dict("records"),
        "notes": [
            {**entry, "seeds": ", ".join(map(str, entry["missing"]))}
            for entry in entries
            if entry["missing"]
        ],
        "networks": [{**row, "all_bars": "yes" if row["bars"] else "no"} for row in exact],
        "kept": kept,
        "kept_names": " and ".join([", ".join(names[:-1]), *names[-1:]] if names[1:] else names),
        "who_meets_bars": [*_at_equal_games(entries), *_who_meets_bars(entries, exact)],
        "failed": [
            {**entry, "about": f": {ABOUT[name]}" if name in ABOUT else ""}
            for entry in entries
            if (name := entry["entry"]) and entry["level-1"]["greatest"] <= BARS["level-1"]
        ],
    }


def _at_equal_games(entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a sentence that compares the best entry of two million games with the 1998 study's.

    ``entries`` are sorted, the best first.
    """
    short = [entry for entry in entries if not entry["is_long"]]
    theirs = [entry for entry in short if entry["entry"] in STUDY]
    if theirs and short[0] is not theirs[0]:
        one, other = (
            f"{entry['level-1']['median']:.1%} in the median with `{entry['entry']}`"
            for entry in (short[0], theirs[0])
        )
        yield (
            f"At {short[0]['games']:,} games, against level 1: {one}, and of the study's\n"
            f"  populations at most {other}."
        )


def _who_meets_bars(
    entries: Sequence[Mapping[str, Any]], exact: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    met = [row for row in exact if row["bars"]]
    for row in met:
        shares = ", ".join(f"{row[name]:.2%} against {name}" for name in BARS)
        yield f"`{row['network']}` does, exactly: {shares}."
    if not met:
        yield "No network that was measured exactly does."
    for entry in entries:
        if entry["bars"]:
            yield (
                f"By games, {entry['bars']} of {entry['seeds']} seeds of `{entry['entry']}` do, "
                f"after {entry['games']:,} games."
            )


def command_of(table: Mapping[str, Any], seed: int, out: str) -> str:
    """Return the command line that makes a run of a configuration.

    Args:
        table: the configuration, without a seed.
        seed: of the run.
        out: its folder.
    """
    words = ["evo", "run"]
    for name, value in flat(table).items():
        field = f"{name}.name" if name in ("scheme", "learner", "game") else name
        text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
        words += ["--set", f"{field}={text}"]
    words += ["--seed", str(seed), "--out", out]
    return shlex.join(words)


REPORT = StudyReport(__package__, LeaderboardSettings, measure, texts=texts, figures=".")
