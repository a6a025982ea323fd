"""The classics all against all, with and without noise, and memory-one players among them.

Points are computed (:mod:`tournaments.repeated.exact`), not played. What is published: Axelrod,
"Effective choice in the prisoner's dilemma" (1980) on tit-for-tat; Nowak and Sigmund (Nature 1993)
on pavlov and noise; Press and Dyson (PNAS 2012) on extortion.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from evo.evolution.runs import run
from evo.studies.intervals import Interval, mean_interval
from evo.studies.page import Announce, last_lines, markdown_table, text_table, what_holds
from evo.studies.reproduction import JudgedStudy
from evo.studies.verdicts import FAILS, HOLDS, Judged, above
from tournaments import games, players
from tournaments.game import Game
from tournaments.games.iterated_prisoners_dilemma.classics import MACHINES
from tournaments.options import option
from tournaments.players.table import TableEncoding
from tournaments.repeated.exact import expected_scores, machine_of
from tournaments.repeated.machines import Machine

NOISES = (0.0, 0.05)
FORM = "memory-one"
FIELD = Path(__file__).with_name("axelrod_1980.csv")
"""The entries of Axelrod's first tournament; its first lines say where the points are from."""
RUNS = "reproduced/iterated-prisoners-dilemma/runs"


@dataclass(frozen=True)
class Settings:
    """What the study lets one choose."""

    rounds: int = option(200, "of a game", 1, 6553)
    generations: int = option(30, "of evolution", 1, 10**6)
    population: int = option(30, "individuals", 4, 1000)
    seed: int = option(1, "of evolution", 0, 2**62)
    runs: str = option("", "folder of the runs; empty: beside the results")
    page: str = option("", "file of the page that is to be written")


def _record(settings: Settings, announce: Announce) -> Mapping[str, Any]:
    tables: dict[str, Any] = {}
    for noise in NOISES:
        announce(f"all against all, noise {noise}")
        tables[str(noise)] = _ranked(_game(settings, noise))
    evolved = [_evolved(settings, noise, announce) for noise in NOISES]
    record: dict[str, Any] = {"tables": tables, "evolved": evolved}
    return {**record, "claims": _claims(record, settings)}


def _game(settings: Settings, noise: float) -> Game:
    return games.make("iterated-prisoners-dilemma", rounds=settings.rounds, noise=noise)


def _field(game: Game) -> dict[str, Machine]:
    """The classics, and who moves at random."""
    names = [*MACHINES, "biased:weights=1+1"]
    return {name: machine_of(players.make(name, game)) for name in names}


def points(game: Game, machine: Machine, other: Machine) -> float:
    """Points a round that a machine can expect against another."""
    return expected_scores(game, machine, other)[0] / int(game.options["rounds"])


def _ranked(game: Game) -> list[dict[str, Any]]:
    """The mean points a round of each classic against all, itself included; the best first."""
    known = _field(game)
    rows = []
    for name, machine in known.items():
        against = {other: points(game, machine, each) for other, each in known.items()}
        mean = math.fsum(against.values()) / len(against)
        rows.append({"player": name, "points": mean, "against": against})
    return sorted(rows, key=lambda row: (-row["points"], row["player"]))


# --- evolution -----------------------------------------------------------------------------------


def _evolved(settings: Settings, noise: float, announce: Announce) -> dict[str, Any]:
    """The champion of a run against the classics, and the best of all memory-one tables."""
    game = _game(settings, noise)
    announce(f"evolution against the classics, noise {noise}")
    path = Path(settings.runs or RUNS) / f"noise-{noise}"
    held = run(path, _configuration(settings, game), threads=1, or_resume=True)
    best = held.population().nlargest(1, "fitness")["genome"].iloc[0]
    encoding = TableEncoding(game, FORM, (0, 1))
    known = _field(game)
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
    """First move, then after CC, CD, DC and DD."""
    letters = ["CD"[gene] for gene in genes]
    return f"{letters[0]} {''.join(letters[1:])}"


def _configuration(settings: Settings, game: Game) -> dict[str, Any]:
    return {
        "game": game.spec,
        "population": settings.population,
        "generations": settings.generations,
        "snapshot_interval": settings.generations,
        "scheme": {
            "name": "direct",
            "opponents": [*MACHINES, "biased:weights=1+1"],
            "matches": 2,
            "two_wins": 0.0,
            "one_win": 0.0,
            "score": 1.0 / settings.rounds,
        },
        "seed": settings.seed,
        "genome": {"encoding": FORM},
        "learner": {"name": "genetic", "selection": "truncation", "crossover": "uniform"},
    }


# --- claims ---------------------------------------------------------------------------------------


def _claims(record: Mapping[str, Any], settings: Settings) -> Iterator[Judged]:
    quiet, noisy = ({row["player"]: row for row in record["tables"][str(n)]} for n in NOISES)
    table = record["tables"]["0.0"]
    place = [row["player"] for row in table].index("tit-for-tat")
    yield Judged(
        "Tit-for-tat does best of all in the mean, among these classics",
        "no other has more points a round against all",
        f"it is number {place + 1} of {len(table)}, after {_before(table, place)}",
        HOLDS if place == 0 else FAILS,
    )
    gap, best = _lead_in_his_field()
    yield Judged(
        "Tit-for-tat does best of all in the mean, in Axelrod's own field (1980)",
        "it has more points than the best of the other 14 rules, in the mean of 20 tournaments",
        f"{gap.middle:+.1f} points a game ({gap.low:+.1f} to {gap.high:+.1f}) against {best}",
        above(gap),
    )
    ahead = [
        name
        for name, points in quiet["tit-for-tat"]["against"].items()
        if points > quiet[name]["against"]["tit-for-tat"] + 1e-9
    ]
    yield Judged(
        "It never has more points than its opponent (Axelrod 1984)",
        "it has not against any of these classics, exactly",
        f"it has more than {', '.join(ahead) or 'nobody'}",
        FAILS if ahead else HOLDS,
    )
    lost, kept = (noisy[name]["against"][name] for name in ("tit-for-tat", "pavlov"))
    yield Judged(
        "With noise tit-for-tat fails against itself, and pavlov corrects slips (Nowak and Sigmund "
        "1993)",
        "pavlov has at least 0.1 points a round more with itself",
        f"with itself tit-for-tat has {lost:.2f} points a round, pavlov {kept:.2f}",
        HOLDS if kept > lost + 0.1 else FAILS,
    )
    own, other = (
        quiet["extort-2"]["against"]["always-cooperate"],
        quiet["always-cooperate"]["against"]["extort-2"],
    )
    ratio = (own - 1) / (other - 1)
    yield Judged(
        "Extort-2 gains twice as much over the punishment as its opponent (Press, Dyson 2012)",
        "1.9 to 2.1 times as much, of one that cooperates",
        f"{ratio:.3f} times as much of one that cooperates, in {settings.rounds} rounds",
        HOLDS if abs(ratio - 2) < 0.1 else FAILS,
    )


def field() -> dict[str, np.ndarray]:
    """Mean points a game of each rule of Axelrod's own field, float64 ``[R]`` over tournaments."""
    lines = FIELD.read_text(encoding="utf-8").splitlines()
    names, *rows = (line.split(",") for line in lines if not line.startswith("#"))
    return dict(zip(names, np.array(rows, dtype=np.float64).T, strict=True))


def _lead_in_his_field() -> tuple[Interval, str]:
    """By how much tit-for-tat is ahead of the best of the others, and which that is."""
    points = field()
    own = points.pop("tit-for-tat")
    best = max(points, key=lambda name: points[name].mean())
    return mean_interval(own - points[best]), best


def _before(table: list[dict[str, Any]], place: int) -> str:
    return ", ".join(row["player"] for row in table[:place]) or "nobody"


# --- what is shown --------------------------------------------------------------------------------


def _lines(record: Mapping[str, Any]) -> Iterator[str]:
    for noise, rows in record["tables"].items():
        yield f"Points a round against all, noise {noise}"
        yield from text_table(rows, {"player": "", "points": ".3f"})
        yield ""
    yield "Memory-one players against them: the evolved one and the best of all 32"
    columns = {"noise": "", "champion": "", "points": ".3f", "rank": "d"}
    yield from text_table(record["evolved"], {**columns, "best": "", "best_points": ".3f"})
    yield from last_lines(record)


def _page(record: Mapping[str, Any]) -> Iterator[str]:
    settings = record["settings"]
    yield "# The iterated prisoner's dilemma: the classics"
    yield (
        "The classic strategies of the [game](../games/iterated-prisoners-dilemma.md) and random "
        f"play, all against all and themselves, {settings['rounds']} rounds. Points are computed "
        "exactly, noise as an expectation. This page is written by"
    )
    yield from what_holds("iterated-prisoners-dilemma", record, Settings())
    yield "## Axelrod's own field"
    yield (
        "The 15 rules of Axelrod's first tournament, as the package Axelrod 4.14 has them: mean "
        "points a game of 200 rounds, over 20 tournaments. In Axelrod's own table tit-for-tat was "
        "first, with 504 points. Several rules are known from a few sentences alone, so the "
        "package's readings need not be the programs that were sent in."
    )
    means = {name: mean_interval(values) for name, values in field().items()}
    yield markdown_table(
        ("rule", "points"),
        [
            (name, f"{mean.middle:.1f} ({mean.low:.1f} to {mean.high:.1f})")
            for name, mean in sorted(means.items(), key=lambda item: -item[1].middle)
        ],
    )
    yield "## Points a round against all"
    by_noise = [
        {row["player"]: row["points"] for row in rows} for rows in record["tables"].values()
    ]
    yield markdown_table(
        ("player", *(f"noise {noise}" for noise in record["tables"])),
        [(name, *(f"{rows[name]:.3f}" for rows in by_noise)) for name in by_noise[0]],
    )
    yield "## Memory-one players"
    yield (
        "A population evolves against all of these for points (`direct`, genomes "
        "[memory-one](../genomes.md#tables)); beside its champion stands the best of all 32 "
        "tables. Letters: the first move, then those after both cooperated, the sucker's payoff, "
        "the temptation, and both defected."
    )
    yield markdown_table(
        ("noise", "evolved", "points", "rank among 32", "best", "points"),
        [
            (
                f"{row['noise']}",
                f"`{row['champion']}`",
                f"{row['points']:.3f}",
                f"{row['rank']}",
                f"`{row['best']}`",
                f"{row['best_points']:.3f}",
            )
            for row in record["evolved"]
        ],
    )


reproduce = JudgedStudy("iterated-prisoners-dilemma", _record, _lines, _page).reproduce
