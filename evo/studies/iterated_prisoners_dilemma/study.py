"""The classics all against all, with and without noise, and memory-one players among them.

Points are computed (:mod:`tournaments.repeated.exact`), not played. What is published: Axelrod,
"Effective choice in the prisoner's dilemma" (1980) on tit-for-tat; Nowak and Sigmund (Nature 1993)
on pavlov and noise; Press and Dyson (PNAS 2012) on extortion.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from evo.studies.claims import Finding, verdict_on
from evo.studies.intervals import Interval, exactly, mean_interval
from evo.studies.play import evolve
from evo.studies.report import Evidence, StudyReport
from evo.studies.settings import Announce, PageSettings
from tournaments import games, players
from tournaments.game import Game
from tournaments.games.iterated_prisoners_dilemma import MACHINES
from tournaments.options import option
from tournaments.players.table import TableEncoding
from tournaments.repeated.exact import expected_scores, machine_of
from tournaments.repeated.machines import Machine

NOISES = (0.0, 0.05)
FORM = "memory-one"
CLASSICS = (*MACHINES, "biased:weights=1+1")
"""The strategies that meet one another; the last one moves at random."""
FIELD = Path(__file__).with_name("axelrod_1980.csv")
"""Points of the entries of Axelrod's first tournament; the first lines name the source."""


@dataclass(frozen=True)
class DilemmaSettings(PageSettings):
    """Options of the study.

    Attributes:
        rounds: rounds of a game
        generations: generations of evolution
        population: individuals
        seed: seed of evolution
        runs: folder of the runs
    """

    rounds: int = option(200, low=1, high=6553)
    generations: int = option(30, low=1, high=10**6)
    population: int = option(30, low=4, high=1000)
    seed: int = option(1, low=0, high=2**62)
    runs: str = option("reproduced/iterated-prisoners-dilemma/runs")


def measure(settings: DilemmaSettings, announce: Announce) -> Evidence:
    """Compute the points of the classic rules of the dilemma, and evolve players among them."""
    tables: dict[str, Any] = {}
    for noise in NOISES:
        announce(f"all against all, noise {noise}")
        tables[str(noise)] = ranked(dilemma(settings, noise))
    evolved = [compare_champion(settings, noise, announce) for noise in NOISES]
    return Evidence({"tables": tables, "evolved": evolved})


def dilemma(settings: DilemmaSettings, noise: float) -> Game:
    """Return the iterated prisoner's dilemma with some noise."""
    return games.make("iterated-prisoners-dilemma", rounds=settings.rounds, noise=noise)


def classics(game: Game) -> dict[str, Machine]:
    """Return the machines of the dilemma's classic rules and of random play, by name."""
    return {name: machine_of(players.make(name, game)) for name in CLASSICS}


def points(game: Game, machine: Machine, other: Machine) -> float:
    """Return the expected points a round of a machine against another in the dilemma."""
    return expected_scores(game, machine, other)[0] / int(game.options["rounds"])


def ranked(game: Game) -> list[dict[str, Any]]:
    """Return the mean points a round of each classic rule of the dilemma against all of them.

    The rules are ordered, the best first. Each plays against itself, too.
    """
    known = classics(game)
    rows = []
    for name, machine in known.items():
        against = {other: points(game, machine, each) for other, each in known.items()}
        mean = math.fsum(against.values()) / len(against)
        rows.append({"player": name, "points": mean, "against": against})
    return sorted(rows, key=lambda row: (-row["points"], row["player"]))


# --- evolution -----------------------------------------------------------------------------------


def compare_champion(settings: DilemmaSettings, noise: float, announce: Announce) -> dict[str, Any]:
    """Evolve memory-one players among the classic rules; compare the champion with all others.

    The others are all memory-one players. ``noise`` is the chance that a move is changed.
    """
    game = dilemma(settings, noise)
    announce(f"evolution against the classics, noise {noise}")
    held = evolve(
        __package__,
        settings,
        f"noise-{noise}",
        game=game.spec,
        snapshot_interval=settings.generations,
        scheme={"opponents": list(CLASSICS), "score": 1.0 / settings.rounds},
        seed=settings.seed,
    )
    best = held.population().nlargest(1, "fitness")["genome"].iloc[0]
    encoding = TableEncoding(game, FORM, (0, 1))
    known = classics(game)
    worth = {
        genes: _mean_points(game, encoding, np.array(genes), known)
        for genes in product((0, 1), repeat=encoding.num_genes)
    }
    champion = tuple(np.frombuffer(best, dtype=np.int8).tolist())
    top = max(worth, key=lambda genes: worth[genes])
    return {
        "noise": noise,
        "champion": _letters(champion),
        "points": worth[champion],
        "rank": 1 + sum(value > worth[champion] + 1e-9 for value in worth.values()),
        "best": _letters(top),
        "best_points": worth[top],
    }


def _mean_points(
    game: Game, encoding: TableEncoding, genes: np.ndarray, known: Mapping[str, Machine]
) -> float:
    machine: Any = encoding.policy(genes, 0)
    return math.fsum(points(game, machine, other) for other in known.values()) / len(known)


def _letters(genes: tuple[int, ...]) -> str:
    """Return the genes of a memory-one player as letters C and D.

    They are the first move, then those after CC, CD, DC and DD.
    """
    letters = ["CD"[gene] for gene in genes]
    return f"{letters[0]} {''.join(letters[1:])}"


# --- claims ---------------------------------------------------------------------------------------


def _rows(evidence: Evidence, noise: float) -> dict[str, Any]:
    return {row["player"]: row for row in evidence.record["tables"][str(noise)]}


def is_first(evidence: Evidence) -> Finding:
    """Judge whether tit-for-tat has the most points among the classic rules of the dilemma."""
    names = list(_rows(evidence, 0.0))
    place = names.index("tit-for-tat")
    before = ", ".join(names[:place]) or "nobody"
    found = f"it is number {place + 1} of {len(names)}, after {before}"
    return Finding(found, verdict_on(place == 0))


def lead_in_axelrods_field(evidence: Evidence) -> dict[str, Interval]:
    """Return the lead of tit-for-tat over the best other rule of Axelrod's field, by its name."""
    points = axelrods_field()
    own = points.pop("tit-for-tat")
    best = max(points, key=lambda name: points[name].mean())
    return {best: mean_interval(own - points[best])}


def never_ahead(evidence: Evidence) -> Finding:
    """Judge whether tit-for-tat never has more points than its opponent in the dilemma."""
    rows = _rows(evidence, 0.0)
    ahead = [
        name
        for name, points in rows["tit-for-tat"]["against"].items()
        if points > rows[name]["against"]["tit-for-tat"] + 1e-9
    ]
    found = f"it has more points than {', '.join(ahead)}" if ahead else "it has at most as many"
    return Finding(found, verdict_on(not ahead))


def corrects_slips(evidence: Evidence) -> Finding:
    """Judge whether pavlov has clearly more points with itself than tit-for-tat, with noise."""
    rows = _rows(evidence, 0.05)
    lost, kept = (rows[name]["against"][name] for name in ("tit-for-tat", "pavlov"))
    found = f"with itself tit-for-tat has {lost:.2f} points a round, pavlov {kept:.2f}"
    return Finding(found, verdict_on(kept > lost + 0.1))


def extortion(evidence: Evidence) -> Interval:
    """Return the gain of extort-2 against always-cooperate, as a multiple of the opponent's gain.

    Gains are points above the punishment.
    """
    rows, names = _rows(evidence, 0.0), ("extort-2", "always-cooperate")
    own, other = (rows[a]["against"][b] for a, b in (names, names[::-1]))
    return exactly((own - 1) / (other - 1))


def axelrods_field() -> dict[str, np.ndarray]:
    """Return the points a game of each rule of Axelrod's field, float64 ``[R]``.

    The numbers are those of R tournaments.
    """
    lines = FIELD.read_text(encoding="utf-8").splitlines()
    names, *rows = (line.split(",") for line in lines if not line.startswith("#"))
    return dict(zip(names, np.array(rows, dtype=np.float64).T, strict=True))


# --- the study ------------------------------------------------------------------------------------


def texts(evidence: Evidence) -> dict[str, Any]:
    """Return texts for the page: results by noise side by side, and points of Axelrod's field."""
    quiet, noisy = (_rows(evidence, noise) for noise in NOISES)
    field = {name: mean_interval(points) for name, points in axelrods_field().items()}
    return {
        "quiet": list(quiet.values()),
        "noisy": list(noisy.values()),
        "both": [{**row, "with_noise": noisy[name]["points"]} for name, row in quiet.items()],
        "field": [
            {"rule": name, "mean": mean}
            for name, mean in sorted(field.items(), key=lambda item: -item[1].middle)
        ],
    }


REPORT = StudyReport(__package__, DilemmaSettings, measure, texts)
