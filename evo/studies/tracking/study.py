"""What the study of the tracker measures: the gain of each piece, and what teams gain by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evo.studies.claims import Finding, above, below, together
from evo.studies.intervals import Interval
from evo.studies.report import Evidence, StudyReport
from evo.studies.settings import Announce, page_setting, runs_setting, setting
from evo.studies.tracking.pieces import (
    VARIANTS,
    Case,
    Table,
    by_beta,
    case,
    gain,
    rows_of,
    track_all,
)
from evo.studies.tracking.play import OPPONENTS, case_of_game
from evo.studies.tracking.teams import Sizes, measure_teams
from evo.studies.tracking.walkers import WALKS
from tournaments.options import option

FORAGERS = ("exploring", "hungry")
"""Agents that go somewhere, which the source calls realistic."""


@dataclass(frozen=True)
class TrackingSettings:
    """Options of the study."""

    quick: bool = option(False, "few mazes and short records: some seconds")
    mazes: int = setting(200, "mazes, each with an agent of each kind", high=10**5, quick=6)
    steps: int = setting(300, "moves of an agent", high=10**5, quick=60)
    play_mazes: int = setting(
        100, "mazes of the games in which agents are tracked", high=10**5, quick=2
    )
    plies: int = setting(600, "moves of such a game, of all agents", high=30_000, quick=60)
    team_mazes: int = setting(100, "mazes in which teams play", high=10**5, quick=3)
    games: int = setting(10, "games of two teams in a maze", 2, 10**5, quick=2, even=True)
    seeds: int = setting(3, "runs of evolution, each in its maze", high=1000, quick=1)
    generations: int = setting(80, "generations of a run", quick=1)
    population: int = setting(24, "teams of a run", high=1000, quick=4)
    seed: int = option(1, "seed of mazes, agents, noise and runs", 0, 2**53)
    runs: str = runs_setting("reproduced/tracking/runs")
    page: str = page_setting()


def measure(settings: TrackingSettings, announce: Announce) -> Evidence:
    """Measure the tracker on single agents and in games, and play the teams."""
    pieces = measure_pieces(settings, announce)
    play = measure_play(settings, announce)
    rows = list(rows_of(pieces))
    record = {
        "pieces": [row for row in rows if row["tracker"] in VARIANTS],
        "betas": betas_of(rows),
        "play": list(rows_of(play)),
        "teams": measure_games(settings, announce),
    }
    return Evidence(record, {"pieces": pieces, "play": play}, tables=record)


def measure_pieces(settings: TrackingSettings, announce: Announce) -> Table:
    """Measure each piece of the tracker, and each beta, on the same agents."""

    def case_of(agent: str, number: int) -> Case:
        return case(agent, settings.seed, number, settings.steps)

    return track_all(VARIANTS | by_beta(), WALKS, case_of, settings.mazes, announce)


def measure_play(settings: TrackingSettings, announce: Announce) -> Table:
    """Measure each piece of the tracker on agents of whole teams, as games show them."""

    def case_of(team: str, number: int) -> Case:
        return case_of_game(team, settings.seed, number, settings.plies)

    return track_all(VARIANTS, OPPONENTS, case_of, settings.play_mazes, announce)


def measure_games(settings: TrackingSettings, announce: Announce) -> list[dict[str, Any]]:
    """Play teams with and without pieces, and evolved ones; return a row per pair."""
    sizes = Sizes(
        mazes=settings.team_mazes,
        games=settings.games,
        seeds=settings.seeds,
        generations=settings.generations,
        population=settings.population,
        moves=200 if settings.quick else 3000,
        evolved_moves=60 if settings.quick else 1500,
    )
    return measure_teams(sizes, settings.seed, Path(settings.runs), announce)


def betas_of(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of :func:`.pieces.by_beta`, with the beta and its other pieces."""
    return [
        row | {"pieces": row["tracker"].split()[0], "beta": float(row["tracker"].split()[1])}
        for row in rows
        if row["tracker"] in by_beta()
    ]


# --- claims ------------------------------------------------------------------------------------


def gains(
    evidence: Evidence, table: str, agents: Sequence[str], name: str, over: str
) -> dict[str, Interval]:
    """Return how much more probability one tracker has than another, by agent."""
    return {agent: gain(evidence.values[table], agent, name, over) for agent in agents}


def uniform_model_fails(evidence: Evidence) -> Finding:
    """Judge whether the uniform model has less probability and more error for real agents."""
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
    """Return the share of games that a team wins against another."""
    rows = evidence.record["teams"]
    row = next(row for row in rows if (row["team"], row["against"]) == (team, against))
    return Interval.of_row(row, "win_rate")


# --- the study ---------------------------------------------------------------------------------


def texts(evidence: Evidence) -> dict[str, Any]:
    """Return the number of games of a pair, and the tables with a row for each tracker."""
    record = evidence.record
    return {
        "num_games": record["settings"]["team_mazes"] * record["settings"]["games"],
        "pieces_by_tracker": _by_tracker(record["pieces"]),
        "play_by_tracker": _by_tracker(record["play"]),
    }


def _by_tracker(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    table: dict[str, dict[str, Any]] = {name: {"tracker": name} for name in VARIANTS}
    for row in rows:
        table[row["tracker"]][row["agent"]] = {
            "probability": f"{Interval.of_row(row, 'probability'):.3f}",
            "error": f"{row['error']:.1f}",
        }
    return list(table.values())


def shown_case(evidence: Evidence) -> Case:
    """Return the agent of the film: a hungry one in the fourth maze, for 60 moves."""
    return case("hungry", evidence.record["settings"]["seed"], 3, 60)


REPORT = StudyReport(
    "evo.studies.tracking",
    TrackingSettings,
    measure,
    (gains, uniform_model_fails, games_won),
    texts,
)
