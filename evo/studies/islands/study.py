"""The study of islands: runs of equally many games, and the strength of their players.

The classical claims are of E. Cantu-Paz, "A Survey of Parallel Genetic Algorithms" (1998): demes
that exchange few individuals seldom keep diversity and equal or surpass a single population;
demes that never meet do worse; how often and along which ways they exchange matters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evo.config import config as configuration
from evo.config.config import Config
from evo.evaluation.island_diversity import genes_of_islands
from evo.evaluation.players import champion
from evo.studies.claims import read_toml
from evo.studies.intervals import Interval, median_interval
from evo.studies.play import complete, play_two, share_won
from evo.studies.report import Evidence, StudyReport
from evo.studies.settings import Announce, QuickSettings, runs_setting, setting
from evo.sweeps import experiment as experiments
from evo.sweeps.sweep import folder_of
from results import Run, open_run
from tournaments import players
from tournaments.errors import ConfigError
from tournaments.game import Game
from tournaments.kernels.rng import match_seeds
from tournaments.options import option
from tournaments.player import Player

_DATA = read_toml(__package__, "study.toml")
MIGRATIONS, GAMES = _DATA["migrations"], _DATA["games"]
ONE, APART = "one population", "apart"
CELLS = (ONE, *MIGRATIONS)
"""What is compared."""


@dataclass(frozen=True)
class IslandsSettings(QuickSettings):
    """Options of the study.

    Attributes:
        quick: short runs of few seeds: about a minute
        seeds: runs of each cell
        games: games of a run, on all islands together
        held_out: games by which the player of a run is measured in each role
        population: individuals (a role) on all islands together
        islands: number of islands that share the individuals
        threads: runs side by side; 0: one a processor
    """

    seeds: int = setting(12, high=1000, quick=6)
    games: int = setting(250_000, high=10**9, quick=10_000)
    held_out: int = setting(1_000, quick=100)
    population: int = option(96, low=8, high=100_000)
    islands: int = option(4, low=2, high=100)
    threads: int = option(0, low=0, high=1000)
    runs: str = runs_setting("reproduced/islands/runs")


def experiment(settings: IslandsSettings, game: str) -> experiments.Experiment:
    """Return the planned runs of a game, with and without islands: each cell with each seed."""
    each = settings.population // settings.islands
    cells: dict[str, Any] = {_folder(ONE): {"population": settings.population}}
    for cell, migration in MIGRATIONS.items():
        islands = {"count": settings.islands, **migration}
        cells[_folder(cell)] = {"population": each, "islands": islands}
    base = {
        "game": GAMES[game]["game"],
        "games": settings.games,
        "snapshot_interval": 100,
        "learner": {"mutation_probability": 0.005},
    }
    given = {"name": _folder(game), "base": base, "populations": cells}
    return experiments.from_dict({**given, "seeds": settings.seeds})


def _folder(name: str) -> str:
    return name.replace(",", "").replace(" ", "-")


def measure(settings: IslandsSettings, announce: Announce) -> Evidence:
    """Evolve and measure all runs, with and without islands, and summarise the cells."""
    if settings.population % settings.islands:
        raise ConfigError(
            f"population={settings.population} and islands={settings.islands} given; a population "
            "that is a multiple of islands is expected"
        )
    runs = list(run_rows(settings, announce))
    cells = [cell_row(of_cell(runs, game, cell)) for game in GAMES for cell in CELLS]
    return Evidence({"runs": runs, "cells": cells}, tables={"cells": cells})


def run_rows(settings: IslandsSettings, announce: Announce) -> Iterator[dict[str, Any]]:
    """Evolve and measure all runs, with and without islands, and yield a row for each."""
    for game in GAMES:
        announce(f"{game}: {len(CELLS)} cells of {settings.seeds} runs")
        planned = experiment(settings, game)
        folder = Path(settings.runs) / planned.name
        complete(planned, folder, settings.threads, announce)
        announce(f"{game}: measuring the players")
        for cell, name in zip(planned.cells, CELLS, strict=True):
            for seed in planned.seeds:
                found = measured(folder_of(folder, cell, seed), settings.held_out, game)
                yield {"game": game, "cell": name, "seed": seed, **found}


def of_cell(runs: Sequence[Mapping[str, Any]], game: str, cell: str) -> list[Mapping[str, Any]]:
    """Return the rows on the runs of a game in one cell of the study, by seed."""
    return [row for row in runs if (row["game"], row["cell"]) == (game, cell)]


def cell_row(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a row on the runs of a cell: medians, that of the strength with its interval."""
    strength = median_interval([row["strength"] for row in runs])
    names = ("generations", "within", "together")
    return {
        **{name: runs[0][name] for name in ("game", "cell")},
        "strength": strength.middle,
        "low": strength.low,
        "high": strength.high,
        **{name: float(np.median([row[name] for row in runs])) for name in names},
    }


def measured(path: Path, number: int, game: str) -> dict[str, Any]:
    """Return the strength, the diversity and the length of a run, with or without islands.

    ``strength`` is the mean over roles of the shares of games that the run's player wins against
    its yardsticks, where a draw counts half. ``within`` is the mean diversity of its populations.
    ``together`` is the diversity of all islands' individuals in a single population. Both are means
    over roles.
    """
    run = open_run(path)
    config = configuration.of_run(run)
    player = champion(path)
    shares = {
        role: share_in_seat(config.game, player, players.make(name, config.game), seat, number)
        for seat, (role, name) in enumerate(GAMES[game]["yardsticks"].items())
    }
    within, together = diversities(run, config)
    return {
        "strength": float(np.mean(list(shares.values()))),
        "shares": shares,
        "within": within,
        "together": together,
        "generations": run.snapshots[-1],
        "games": run.games_played,
    }


def share_in_seat(game: Game, player: Player, yardstick: Player, seat: int, number: int) -> float:
    """Return the share of the points that a player wins in games against a yardstick.

    A draw is half a point. The player holds one seat if seats have roles, and both in turn if they
    are alike.
    """
    a_match = 1 if game.rules.has_roles else 2
    seeds = match_seeds(1, f"islands held out/{seat}", 0, number // a_match)
    if seat == 0:
        return share_won(play_two(game, (player, yardstick), seeds, a_match))
    return 1.0 - share_won(play_two(game, (yardstick, player), seeds, a_match))


def diversities(run: Run, config: Config) -> tuple[float, float]:
    """Return a run's diversity within its populations, and that of all islands together.

    Both are means over roles in the newest snapshot.
    """
    within, together = [], []
    for role in config.populations:
        genes = genes_of_islands(run, config, role)
        within += [role.genome.diversity(part) for part in genes]
        together.append(role.genome.diversity(np.concatenate(genes)))
    return float(np.mean(within)), float(np.mean(together))


def difference(evidence: Evidence, game: str, more: str, less: str, field: str) -> Interval:
    """Return by how much runs of cell ``more`` exceed those of cell ``less`` in a value.

    The value is the field of a run's row. The result is the median over seeds with its interval.
    """
    runs = evidence.record["runs"]
    one, other = ([row[field] for row in of_cell(runs, game, cell)] for cell in (more, less))
    return median_interval(np.subtract(one, other))


def texts(evidence: Evidence) -> dict[str, Any]:
    """Return texts for the page of the study of islands.

    These are the size of an island, and the generations of islands divided by those of one
    population in as many games.
    """
    settings = evidence.record["settings"]
    generations = {row["cell"]: row["generations"] for row in evidence.record["cells"]}
    return {
        "size": settings["population"] // settings["islands"],
        "times": generations[APART] / generations[ONE],
        "num_claims": len(evidence.record["claims"]),
    }


REPORT = StudyReport(__package__, IslandsSettings, measure, texts)
