"""What the study of the tracker lets one choose, and what it measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from evo.studies.page import Announce, QuickOrWhole
from evo.studies.tracking.pieces import VARIANTS, Case, Table, by_beta, case, measure
from evo.studies.tracking.play import OPPONENTS, case_of_game
from evo.studies.tracking.teams import Sizes, measure_teams
from evo.studies.tracking.walkers import WALKS
from tournaments.options import option


@dataclass(frozen=True)
class Settings(QuickOrWhole):
    """What the study lets one choose."""

    NAME: ClassVar = "tracking"
    USUAL: ClassVar = {
        "mazes": (200, 6),
        "steps": (300, 60),
        "play_mazes": (100, 2),
        "plies": (600, 60),
        "team_mazes": (100, 3),
        "games": (10, 2),
        "seeds": (3, 1),
        "generations": (80, 1),
        "population": (24, 4),
    }

    quick: bool = option(False, "few mazes and short records: some seconds")
    mazes: int = option(0, "mazes, each with an agent of each kind; 0: 200, quick 6", 0, 10**5)
    steps: int = option(0, "moves of an agent; 0: 300, quick 60", 0, 10**5)
    play_mazes: int = option(0, "mazes of games in which is tracked; 0: 100, quick 2", 0, 10**5)
    plies: int = option(0, "moves of such a game, of all agents; 0: 600, quick 60", 0, 30_000)
    team_mazes: int = option(0, "mazes in which teams play; 0: 100, quick 3", 0, 10**5)
    games: int = option(0, "of two teams in a maze, an even number; 0: 10, quick 2", 0, 10**5)
    seeds: int = option(0, "runs of evolution, each in its maze; 0: 3, quick 1", 0, 1000)
    generations: int = option(0, "of a run; 0: 80, quick 1", 0, 10**6)
    population: int = option(0, "teams of a run; 0: 24, quick 4", 0, 1000)
    seed: int = option(1, "of mazes, agents, noise and runs", 0, 2**53)
    runs: str = option("", "folder of the runs; empty: reproduced/tracking/runs, quick runs-quick")
    page: str = option("", "file of the page that is to be written")


def measure_pieces(settings: Settings, announce: Announce) -> Table:
    """Each piece of the tracker, and each beta, on the same agents."""

    def case_of(agent: str, number: int) -> Case:
        return case(agent, settings.seed, number, settings.usual("steps"))

    variants = VARIANTS | by_beta()
    return measure(variants, WALKS, case_of, settings.usual("mazes"), announce)


def measure_play(settings: Settings, announce: Announce) -> Table:
    """Each piece of the tracker on agents of whole teams, as games show them."""

    def case_of(team: str, number: int) -> Case:
        return case_of_game(team, settings.seed, number, settings.usual("plies"))

    return measure(VARIANTS, OPPONENTS, case_of, settings.usual("play_mazes"), announce)


def measure_games(settings: Settings, announce: Announce) -> list[dict[str, Any]]:
    """Teams with and without pieces, and evolved ones."""
    sizes = Sizes(
        mazes=settings.usual("team_mazes"),
        games=settings.usual("games"),
        seeds=settings.usual("seeds"),
        generations=settings.usual("generations"),
        population=settings.usual("population"),
        moves=200 if settings.quick else 3000,
        evolved_moves=60 if settings.quick else 1500,
    )
    return measure_teams(sizes, settings.seed, settings.folder, announce)


def betas_of(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of :func:`.pieces.by_beta`, with the beta and what it is alone with."""
    return [
        row | {"pieces": row["tracker"].split()[0], "beta": float(row["tracker"].split()[1])}
        for row in rows
        if row["tracker"] in by_beta()
    ]
