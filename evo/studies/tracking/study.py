"""The study of the tracker: the gain of each piece, and the gain of teams that use it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from evo.evaluation.players import champion
from evo.studies.claims import Finding, above, below, read_toml, together
from evo.studies.intervals import Interval, mean_interval
from evo.studies.play import evolve, play_two, share_won
from evo.studies.report import Evidence, StudyReport
from evo.studies.settings import Announce, QuickSettings, runs_setting, setting
from evo.studies.tracking.pieces import (
    BY_BETA,
    OPPONENTS,
    VARIANTS,
    Case,
    case,
    case_of_game,
    gain,
    rows_of,
    track_all,
)
from evo.studies.tracking.walkers import WALKS
from tournaments import games, players
from tournaments.kernels.rng import match_seeds
from tournaments.options import option

FORAGERS = ("exploring", "hungry")
"""Agents that go somewhere, which the source calls realistic."""
EVOLVED = "evolved"
"""The champions of all runs, as a team."""
PAIRS = read_toml(__package__, "study.toml")["pairs"]
"""Pairs of teams that play."""
FIRST_TRAINED = 100_000
"""Mazes from this seed on are for evolution, those from 1 on for games."""


@dataclass(frozen=True)
class TrackingSettings(QuickSettings):
    """Options of the study.

    Attributes:
        quick: few mazes and short records: some seconds
        mazes: mazes, each with an agent of each kind
        steps: moves of an agent
        play_mazes: mazes of the games in which agents are tracked
        plies: moves of such a game, of all agents
        team_mazes: mazes in which teams play
        games: games of two teams in a maze
        seeds: runs of evolution, each in its maze
        generations: generations of a run
        population: teams of a run
        seed: seed of mazes, agents, noise and runs
    """

    mazes: int = setting(200, high=10**5, quick=6)
    steps: int = setting(300, high=10**5, quick=60)
    play_mazes: int = setting(100, high=10**5, quick=2)
    plies: int = setting(600, high=30_000, quick=60)
    team_mazes: int = setting(100, high=10**5, quick=3)
    games: int = setting(10, low=2, high=10**5, quick=2, even=True)
    seeds: int = setting(3, high=1000, quick=1)
    generations: int = setting(80, quick=1)
    population: int = setting(24, high=1000, quick=4)
    seed: int = option(1, low=0, high=2**53)
    runs: str = runs_setting("reproduced/tracking/runs")


def measure(settings: TrackingSettings, announce: Announce) -> Evidence:
    """Measure the tracker on single agents and in games, and let the teams play."""

    def walking(walk: str, maze: int) -> Case:
        return case(walk, settings.seed, maze, settings.steps)

    def in_game(team: str, maze: int) -> Case:
        return case_of_game(team, settings.seed, maze, settings.plies)

    pieces = track_all(VARIANTS | BY_BETA, WALKS, walking, settings.mazes, announce)
    play = track_all(VARIANTS, OPPONENTS, in_game, settings.play_mazes, announce)
    rows = list(rows_of(pieces))
    record = {
        "pieces": [row for row in rows if row["tracker"] in VARIANTS],
        "betas": betas_of(rows),
        "play": list(rows_of(play)),
        "teams": list(measure_teams(settings, announce)),
    }
    return Evidence(record, {"pieces": pieces, "play": play}, tables=record)


def betas_of(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows on trackers of different beta, with their beta and their other pieces.

    They are those named in :data:`.pieces.BY_BETA`.
    """
    return [
        row | {"pieces": row["tracker"].split()[0], "beta": float(row["tracker"].split()[1])}
        for row in rows
        if row["tracker"] in BY_BETA
    ]


# --- teams -------------------------------------------------------------------------------------


def measure_teams(settings: TrackingSettings, announce: Announce) -> Iterator[dict[str, Any]]:
    """Yield for each pair of teams in capture the flag what the first wins: games, and points.

    A draw is half a game.
    """
    champions = [evolved(settings, number, announce) for number in range(settings.seeds)]
    for team, against in PAIRS:
        announce(f"{team} against {against} in {settings.team_mazes} mazes")
        play_in = partial(meeting, settings, team, against, champions)
        with ThreadPoolExecutor(2) as pool:
            means = np.array(list(pool.map(play_in, range(settings.team_mazes))))
        row: dict[str, Any] = {"team": team, "against": against}
        for place, what in enumerate(("win_rate", "points", "conceded")):
            row |= mean_interval(means[:, place]).columns(what)
        yield row


def meeting(
    settings: TrackingSettings, first: str, second: str, champions: list[np.ndarray], number: int
) -> np.ndarray:
    """Return the win rate, the points and the points conceded of a team against another.

    They play capture the flag in one maze. For evolved teams these are means over the champions.

    Args:
        settings: settings of the study.
        first: the team.
        second: its opponent.
        champions: the numbers of evolved teams.
        number: number of the maze.
    """
    moves = 200 if settings.quick else 3000
    game = games.make("capture-the-flag", maze=1 + number, moves=moves)
    opponent = players.make(second, game)
    teams = (
        [players.make(first, game)]
        if first != EVOLVED
        else [players.make("vector", game, weights=numbers) for numbers in champions]
    )
    seeds = match_seeds(settings.seed, f"tracking {game.spec}", 0, settings.games // 2)
    scores = [play_two(game, (team, opponent), seeds, 2) for team in teams]
    return np.mean([[share_won(each), *each.mean(axis=(0, 1))] for each in scores], axis=0)


def evolved(settings: TrackingSettings, number: int, announce: Announce) -> np.ndarray:
    """Evolve teams of capture the flag in a run, unless it is there, and return the champion.

    ``number`` is the number of the run. The champion is an array of numbers.
    """
    announce(f"evolution of teams, run {1 + number} of {settings.seeds}")
    name = f"{settings.population}-teams-{settings.generations}-generations-{settings.seed}"
    changes = configuration(settings, number)
    run = evolve(__package__, settings, f"{name}-{1 + number}", threads=2, **changes)
    player = champion(run.path)
    return np.array(player.parameters.first[player.row])


def configuration(settings: TrackingSettings, number: int) -> dict[str, Any]:
    """Return the game and the seed of a run in which every team plays every other.

    The game is capture the flag in a maze.
    """
    maze, moves = FIRST_TRAINED + number, 60 if settings.quick else 1500
    seed = 1000 * settings.seed + number
    return {"game": f"capture-the-flag:maze={maze},moves={moves}", "seed": seed}


# --- claims ------------------------------------------------------------------------------------


def gains(
    evidence: Evidence, table: str, agents: Sequence[str], name: str, over: str
) -> dict[str, Interval]:
    """Return how much more probability one tracker gives to the true cell than another, by agent.

    Args:
        evidence: the measurements of the study.
        table: name of the table of results.
        agents: the agents.
        name: the tracker.
        over: the other tracker.
    """
    return {agent: gain(evidence.values[table], agent, name, over) for agent in agents}


def uniform_model_fails(evidence: Evidence) -> Finding:
    """Judge whether the tracker with the uniform model is worse for real agents.

    Worse means less probability of the true cell and a greater error.
    """
    table, names = evidence.values["pieces"], ("uniform model", "exploring model")
    worse = {agent: gain(table, agent, *names) for agent in FORAGERS}
    errors = {agent: gain(table, agent, *names, "error") for agent in FORAGERS}
    parts = [f"{agent} {interval:+.3f}" for agent, interval in worse.items()]
    squares = [
        f"{agent} {interval.middle:+.1f} squares ({interval.low:+.1f} to {interval.high:+.1f})"
        for agent, interval in errors.items()
    ]
    verdicts = [below(each, 0.0) for each in worse.values()] + [*map(above, errors.values())]
    return Finding(f"{', '.join(parts)}; error {', '.join(squares)}", together(*verdicts))


def games_won(evidence: Evidence, team: str, against: str) -> Interval:
    """Return the share of games of capture the flag that a team wins against another."""
    rows = evidence.record["teams"]
    row = next(row for row in rows if (row["team"], row["against"]) == (team, against))
    return Interval.of_row(row, "win_rate")


# --- the study ---------------------------------------------------------------------------------


def texts(evidence: Evidence) -> dict[str, Any]:
    """Return values for the page: games per pair of teams, and result tables by tracking method."""
    record = evidence.record
    return {
        "num_games": record["settings"]["team_mazes"] * record["settings"]["games"],
        "pieces_by_tracker": _by_tracker(record["pieces"]),
        "play_by_tracker": _by_tracker(record["play"]),
    }


def _by_tracker(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    table: dict[str, dict[str, Any]] = {name: {"tracker": name} for name in VARIANTS}
    for row in rows:
        rate = Interval.of_row(row, "probability")
        table[row["tracker"]][row["agent"]] = {**row, "probability": rate}
    return list(table.values())


def shown_case(evidence: Evidence) -> Case:
    """Return the case of the film of the tracker: a hungry agent in the fourth maze, 60 moves."""
    return case("hungry", evidence.record["settings"]["seed"], 3, 60)


REPORT = StudyReport(__package__, TrackingSettings, measure, texts)
