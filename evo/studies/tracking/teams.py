"""What teams gain by the tracker, by heading pac-men off, and by evolution: games in new mazes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evo.evaluation.players import champion
from evo.evolution.runs import run
from evo.studies.intervals import mean_interval
from evo.studies.settings import Announce
from tournaments import games, players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.game import Game
from tournaments.kernels.rng import match_seeds
from tournaments.player import Player

Maker = Callable[[Game], Player]
"""Makes a team for the game of one maze."""
PAIRS = (
    ("team", "team:tracker=0"),
    ("team", "team:beta=0"),
    ("team", "team:noise=0"),
    ("team", "team:sight=0"),
    ("team", "team:deeds=0"),
    ("team", "team:heading=0"),
    ("team", "team:whim=0"),
    ("team", "team:soft=0"),
    ("team", "team:soft=0,whim=0"),
    ("team", "attackers"),
    ("team", "hungry"),
    ("attackers", "hungry"),
    ("evolved", "team"),
    ("evolved", "attackers"),
    ("evolved", "hungry"),
)
"""Pairs of teams; ``evolved`` stands for the champions of all runs."""
FIRST_TRAINED = 100_000
"""Mazes from this seed on are for evolution, those from 1 on for games."""


class Sizes(NamedTuple):
    """How much is played and evolved.

    Attributes:
        mazes: in which each pair plays.
        games: of a pair in a maze, an even number; half of them with the sides swapped.
        seeds, generations, population: of evolution, each seed in a maze of its own.
        moves: of a game that is played; ``evolved_moves`` of one in evolution.
    """

    mazes: int
    games: int
    seeds: int
    generations: int
    population: int
    moves: int
    evolved_moves: int


def measure_teams(sizes: Sizes, seed: int, runs: Path, announce: Announce) -> list[dict[str, Any]]:
    """Return the share of games that the first team of each pair wins, draws half."""
    numbers = [evolved(sizes, seed, number, runs, announce) for number in range(sizes.seeds)]
    rows = []
    for first, second in PAIRS:
        announce(f"{first} against {second} in {sizes.mazes} mazes")
        makers = [vector(row) for row in numbers] if first == "evolved" else [named(first)]
        rows.append({"team": first, "against": second, **_meeting(makers, second, sizes, seed)})
    return rows


def named(name: str) -> Maker:
    """Return a maker of a team by its name."""
    return lambda game: players.make(name, game)


def vector(numbers: np.ndarray) -> Maker:
    """Return a maker of a team by its numbers."""
    return lambda game: players.make("vector", game, weights=numbers)


def _meeting(makers: list[Maker], second: str, sizes: Sizes, seed: int) -> dict[str, Any]:
    """Return the mean share of games, points and points conceded of the first teams, over mazes."""

    def in_maze(number: int) -> np.ndarray:
        game = games.make("capture-the-flag", maze=1 + number, moves=sizes.moves)
        opponent = players.make(second, game)
        played = [_play(game, make(game), opponent, sizes.games // 2, seed) for make in makers]
        return np.mean(played, axis=0)

    with ThreadPoolExecutor(2) as pool:
        means = np.array(list(pool.map(in_maze, range(sizes.mazes))))
    row: dict[str, Any] = {}
    for place, what in enumerate(("win_rate", "points", "conceded")):
        row |= mean_interval(means[:, place]).columns(what)
    return row


def _play(game: Game, first: Player, second: Player, matches: int, seed: int) -> np.ndarray:
    """Return the win rate of a team in matches of two games, its points and its opponent's."""
    pairs = np.tile(np.array([[-1, -2]], dtype=np.int32), (matches, 1))
    seeds = match_seeds(seed, f"tracking {game.spec}", 0, matches)
    outcomes = play_pairs(Entrants(game, (first, second)), pairs, seeds, 2).astype(np.float64)
    own = np.concatenate([outcomes[:, 0, 0], outcomes[:, 1, 1]])
    other = np.concatenate([outcomes[:, 0, 1], outcomes[:, 1, 0]])
    won = (own > other) + 0.5 * (own == other)
    return np.array([won.mean(), own.mean(), other.mean()])


def evolved(sizes: Sizes, seed: int, number: int, runs: Path, announce: Announce) -> np.ndarray:
    """Evolve a run, unless that is done already, and return the numbers of its champion."""
    announce(f"evolution of teams, run {1 + number} of {sizes.seeds}")
    path = runs / f"{sizes.population}-teams-{sizes.generations}-generations-{seed}-{1 + number}"
    run(path, configuration(sizes, seed, number), threads=2, or_resume=True)
    player = champion(path)
    return np.array(player.parameters.first[player.row])


def configuration(sizes: Sizes, seed: int, number: int) -> Mapping[str, Any]:
    """Return the configuration of a run in which every team plays every other."""
    maze = FIRST_TRAINED + number
    return {
        "game": f"capture-the-flag:maze={maze},moves={sizes.evolved_moves}",
        "population": sizes.population,
        "generations": sizes.generations,
        "snapshot_interval": 10,
        "scheme": "round-robin",
        "seed": 1000 * seed + number,
        "genome": {"encoding": "real-vector", "initial": 3.0},
        "learner": {
            "name": "genetic",
            "selection": "truncation",
            "crossover": "uniform",
            "mutation_probability": 0.2,
        },
    }
