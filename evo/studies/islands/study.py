"""What the study of islands measures: runs of equal games, and how good their players are.

The classical claims are of E. Cantu-Paz, "A Survey of Parallel Genetic Algorithms" (1998): demes
that exchange few individuals seldom keep diversity and do as well as one population, or better;
demes that never meet do worse; how often and along which ways they exchange matters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from evo.config import config as configuration
from evo.config.config import Config
from evo.evaluation.players import champion
from evo.studies.page import Announce, QuickOrWhole
from evo.sweeps import experiment as experiments
from evo.sweeps.sweep import DONE, folder_of, sweep
from results import ResultsError, Run, open_run
from tournaments import players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.arena.outcomes import results_of_a
from tournaments.game import Game
from tournaments.kernels.rng import match_seeds
from tournaments.options import option
from tournaments.player import Player

ONE, APART = "one population", "apart"
RING_10, RING_50 = "ring, every 10", "ring, every 50"
COMPLETE_10, COMPLETE_50 = "complete, every 10", "complete, every 50"
CELLS: dict[str, tuple[str, int] | None] = {
    ONE: None,
    APART: ("none", 10),
    RING_10: ("ring", 10),
    RING_50: ("ring", 50),
    COMPLETE_10: ("complete", 10),
    COMPLETE_50: ("complete", 50),
}
"""What is compared: the topology, and generations from one migration to the next."""
GAMES: dict[str, tuple[str, dict[str, str]]] = {
    "dots and boxes": ("dots-and-boxes", {"all": "level-0"}),
    "cat and mouse": (
        "cat-and-mouse:rows=5,cols=5,cat_start=any,mouse_start=any",
        {"cat": "random", "mouse": "greedy"},
    ),
}
"""The game, and whom a player of each role meets to be measured: nobody trains against them."""


@dataclass(frozen=True)
class Settings(QuickOrWhole):
    """What the study lets one choose."""

    NAME: ClassVar = "islands"
    USUAL: ClassVar = {"seeds": (12, 6), "games": (250_000, 10_000), "held_out": (1_000, 100)}

    quick: bool = option(False, "short runs of few seeds: about a minute")
    seeds: int = option(0, "runs of each cell; 0: 12, quick 6", 0, 1000)
    games: int = option(0, "of a run, on all islands together; 0: 250,000, quick 10,000", 0, 10**9)
    held_out: int = option(
        0, "games of a run's player in each role to measure it; 0: 1,000, quick 100", 0, 10**6
    )
    population: int = option(96, "individuals (a role) on all islands together", 8, 100_000)
    islands: int = option(4, "among which they are divided", 2, 100)
    threads: int = option(0, "runs side by side; 0: one a processor", 0, 1000)
    runs: str = option("", "folder of the runs; empty: reproduced/islands/runs, quick runs-quick")
    page: str = option("", "file of the page that is to be written")


def experiment(settings: Settings, game: str) -> experiments.Experiment:
    """The runs of a game: each cell with each seed."""
    spec, _ = GAMES[game]
    each = settings.population // settings.islands
    cells: dict[str, Any] = {}
    for cell, how in CELLS.items():
        table: dict[str, Any] = {"population": settings.population if how is None else each}
        if how is not None:
            topology, every = how
            table["islands"] = {"count": settings.islands, "topology": topology, "every": every}
        cells[_folder(cell)] = table
    base = {
        "game": spec,
        "games": settings.usual("games"),
        "snapshot_interval": 100,
        "learner": {"mutation_probability": 0.005},
    }
    given = {"name": _folder(game), "base": base, "populations": cells}
    return experiments.from_dict({**given, "seeds": settings.usual("seeds")})


def _folder(name: str) -> str:
    return name.replace(",", "").replace(" ", "-")


def measure(settings: Settings, announce: Announce) -> list[dict[str, Any]]:
    """Evolve and measure all runs: a row a game, cell and seed."""
    rows = []
    for game in GAMES:
        announce(f"{game}: {len(CELLS)} cells of {settings.usual('seeds')} runs")
        planned = experiment(settings, game)
        folder = settings.folder / planned.name
        for ended in sweep(planned, folder, threads=settings.threads or None):
            if ended.state != DONE:
                raise ResultsError(f"{ended.folder}: {ended.error or ended.state}")
        announce(f"{game}: measuring the players")
        for cell, name in zip(planned.cells, CELLS, strict=True):
            for seed in planned.seeds:
                found = measured(folder_of(folder, cell, seed), settings.usual("held_out"), game)
                rows.append({"game": game, "cell": name, "seed": seed, **found})
    return rows


def measured(path: Path, number: int, game: str) -> dict[str, Any]:
    """The strength and diversity of a run, and how long it was.

    ``strength`` is the mean over roles of the shares of games that the run's player wins against
    its yardsticks, a draw being half of one; ``within`` the mean diversity of its populations and
    ``together`` that of all islands' individuals taken as one population, both means over roles.
    """
    run = open_run(path)
    config = configuration.of_run(run)
    player = champion(path)
    shares = {
        role: share_won(config.game, player, players.make(name, config.game), seat, number)
        for seat, (role, name) in enumerate(GAMES[game][1].items())
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


def share_won(game: Game, player: Player, yardstick: Player, seat: int, number: int) -> float:
    """The share of the points of so many games, those of draws halved; where seats have roles the
    player holds one seat, else both in turn."""
    a_match = 1 if game.rules.has_roles else 2
    entrants = Entrants(game, (player, yardstick))
    order = [[-1, -2], [-2, -1]][seat]
    pairs = np.tile(np.array([order], dtype=np.int32), (number // a_match, 1))
    seeds = match_seeds(1, f"islands held out/{seat}", 0, len(pairs))
    results = results_of_a(play_pairs(entrants, pairs, seeds, a_match))
    won = float(((results > 0) + (results == 0) / 2).mean())
    return 1.0 - won if seat else won


def diversities(run: Run, config: Config) -> tuple[float, float]:
    """The mean diversity of the populations of the newest snapshot, and that of all islands'
    individuals together, means over roles."""
    within, together = [], []
    for role in config.populations:
        names = [plan.name for plan in config.evolving if config.plan(plan.name) == role]
        genes = [role.genome.unpack(run.genomes(None, name)) for name in names]
        within += [role.genome.diversity(part) for part in genes]
        together.append(role.genome.diversity(np.concatenate(genes)))
    return float(np.mean(within)), float(np.mean(together))


def differences(
    rows: Sequence[Mapping[str, Any]], game: str, cell: str, other: str, field: str
) -> list[float]:
    """What a cell has more of than another one, seed by seed."""
    mine, theirs = (
        {row["seed"]: row[field] for row in rows if (row["game"], row["cell"]) == (game, name)}
        for name in (cell, other)
    )
    return [mine[seed] - theirs[seed] for seed in sorted(mine)]
