"""What ``evo reproduce karate`` prints, keeps and draws, and the page that it writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evo.studies.karate.claims import judge
from evo.studies.karate.study import (
    LONG,
    PEOPLE,
    READERS,
    SHORT,
    Settings,
    measure_betas,
    measure_evolution,
    measure_levels,
    measure_orders,
    measure_priors,
    measure_stage,
)
from evo.studies.page import Announce, last_lines, markdown_table, text_table, what_holds
from evo.studies.reproduction import JudgedStudy

__all__ = ["Settings", "reproduce"]

FIGURES = "figures/karate"
COLUMNS = {
    "orders": {"short": "", "long": "", "short_eight": "", "long_eight": ""},
    "betas": {"people": "", **{f"reader_{place}": "" for place in range(len(READERS))}},
    "levels": {f"level_{level}": "" for level in range(4)},
    "priors": {"short": "", "long": ""},
}
"""The columns of each table of net points a round, after the players."""


def _record(settings: Settings, announce: Announce) -> Mapping[str, Any]:
    record: dict[str, Any] = {
        "stage": measure_stage(settings, announce),
        "orders": measure_orders(settings, announce),
        "betas": measure_betas(settings, announce),
        "levels": measure_levels(settings, announce),
        "priors": measure_priors(settings, announce),
        "evolved": measure_evolution(settings, announce),
    }
    return {**record, "claims": judge(record)}


def _draw(record: Mapping[str, Any], folder: Path) -> list[Path]:
    from evo.studies.karate.plot import evolved_figure  # late: matplotlib takes a second
    from results.plots.style import save_all

    return save_all({"evolved": lambda: evolved_figure(record["evolved"])}, folder)


TITLES = {
    "orders": f"Net points a round of each order against people, {SHORT} rounds and {LONG}",
    "betas": "Net points a round of each beta, against people whom the model describes and readers",
    "levels": "Net points a round of each level against each level",
    "priors": f"Net points a round against new people, {SHORT} rounds and {LONG}",
}
SHARES = {"world": "", "time": "", **{f"order_{n}": ".0%" for n in range(5)}}
LEVELS = {"world": "", "time": "", **{f"level_{n}": ".0%" for n in range(4)}}
REST = {"world": "", "time": "", **dict.fromkeys(("beta", "prior", "threshold", "net"), ".2f")}


def _lines(record: Mapping[str, Any]) -> Iterator[str]:
    for name, title in TITLES.items():
        yield title
        columns = {"player": "", **dict.fromkeys(COLUMNS[name], "+.2f")}
        yield from text_table(record[name], columns)
        yield ""
    yield "Evolved mind readers: orders, levels, and the medians of the rest"
    for shown in (SHARES, LEVELS, REST):
        yield from text_table(record["evolved"], shown)
    yield from last_lines(record, "What the source claims")


# --- the page ----------------------------------------------------------------------------------


def _page(record: Mapping[str, Any]) -> Iterator[str]:
    settings = Settings(**record["settings"])
    number, stage = settings.usual("games"), record["stage"]
    yield "# Karate: a game AI that reads your mind"
    yield (
        'P. Berkes, "My AI reads your mind" (2011), three articles: a model of the opponent\'s '
        "moves, decision theory, and what could be better. The game is "
        "[karate](../games/karate.md), the AI `markov`; people are scripted. This page is "
        "written by"
    )
    yield from what_holds("karate", record, Settings())
    yield (
        f"Net points: a player's own less the other's. Intervals are 1.96 standard errors over "
        f"{number} games a pair, of priors over {settings.usual('communities')} communities."
    )
    yield from _stage_part(stage, settings)
    yield "## Orders"
    yield (
        f"Each order, taking the best move in net points, against {_listed(PEOPLE)}; the cycle of "
        "eight is told by three last moves and not by two. `4 with data` uses an order from "
        "4 observations on."
    )
    heads = (f"{SHORT} rounds", f"{LONG} rounds", f"cycle of eight, {SHORT}", f"the same, {LONG}")
    yield _net_table(record["orders"], "orders", ("order", *heads))
    yield "## Probability matching"
    yield (
        "A second-order reader that plays for its own score, with each beta, against biased people "
        "and the cycle of four, whom the model describes, and against other readers. Two readers "
        "that play for their own scores and take the best move come to kick for ever, 10 points "
        "each: an equilibrium of own scores."
    )
    yield _net_table(record["betas"], "betas", ("beta", "people", *READERS))
    yield "## Theory of mind"
    yield "Levels (rows) against levels (columns), all second-order with beta 0.5."
    yield _net_table(record["levels"], "levels", ("", *(f"level {level}" for level in range(4))))
    yield "## Priors"
    yield (
        f"{settings.usual('communities')} communities of people who go by their own last "
        "move, with chances that are half common to a community and half their own. A prior is "
        f"learnt from a game each of {settings.usual('persons')} of them (`evo evaluate "
        "--counts`) and used against as many others. The kick answers most expectations best, the "
        "even one among them, so that a better expectation changes few moves in this game."
    )
    yield _net_table(record["priors"], "priors", ("prior", f"{SHORT} rounds", f"{LONG} rounds"))
    yield from _evolution_part(record["evolved"], settings)


def _stage_part(stage: Mapping[str, Any], settings: Settings) -> Iterator[str]:
    yield "## One round"
    mix = ", ".join(
        f"{move} {share:.0%}"
        for move, share in zip(stage["moves"], stage["equilibrium"], strict=True)
    )
    yield (
        f"The equilibrium in net points is {mix}, exactly; its value is 0. What a player loses to "
        "the best response to it is computed, not played:"
    )
    yield markdown_table(
        ("player", f"net points a round, of {settings.rounds}"),
        [(row["player"], f"{row['loss']:.3f}") for row in stage["losses"]],
    )


def _evolution_part(rows: list[dict[str, Any]], settings: Settings) -> Iterator[str]:
    yield "## Evolution"
    yield (
        f"Populations of {settings.population} readers, {settings.usual('seeds')} seeds, "
        f"{settings.usual('generations')} generations of {settings.rounds}-round games, against "
        f"one another (`round-robin`: wins count) and against people (`direct`: wins, and a "
        "thousandth of the score). Order, level, beta, prior, threshold and the weight of the "
        "other's score evolve ([real-vector](../genomes.md#real-vector)). Shares of all "
        "individuals:"
    )
    yield f"![Shares of orders and levels, before and after]({FIGURES}/evolved.svg)"
    orders = [f"order_{value}" for value in range(5)] + [f"level_{value}" for value in range(4)]
    yield markdown_table(
        ("against", "generation", *(name.replace("_", " ") for name in orders)),
        [(row["world"], row["time"], *(f"{row[name]:.0%}" for name in orders)) for row in rows],
    )
    rest = ("beta", "prior", "threshold", "net")
    yield "Medians of the rest, with quartiles:"
    yield markdown_table(
        ("against", "generation", *rest),
        [
            (
                row["world"],
                row["time"],
                *(
                    f"{row[name]:.2f} ({row[f'{name}_low']:.2f} to {row[f'{name}_high']:.2f})"
                    for name in rest
                ),
            )
            for row in rows
        ],
    )
    yield _survivors(rows)


def _survivors(rows: list[dict[str, Any]]) -> str:
    said = []
    for row in rows:
        if row["time"] == "last":
            order = max(range(5), key=lambda value: row[f"order_{value}"])
            level = max(range(4), key=lambda value: row[f"level_{value}"])
            said.append(
                f"Against {row['world']} order {order} ({row[f'order_{order}']:.0%}) and level "
                f"{level} ({row[f'level_{level}']:.0%}) are left most often, with a median beta of "
                f"{row['beta']:.2f} and a prior of {row['prior']:.2f}."
            )
    return " ".join(said)


def _net_table(rows: list[dict[str, Any]], name: str, head: tuple[str, ...]) -> str:
    cells = [
        (
            row["player"],
            *(_points(row[column], row[f"{column}_error"]) for column in COLUMNS[name]),
        )
        for row in rows
    ]
    return markdown_table(head, cells)


def _points(value: float, error: float) -> str:
    """Without a sign before zero."""
    return f"{round(value, 2) + 0.0:+.2f} ± {error:.2f}"


def _listed(people: Mapping[str, str]) -> str:
    return ", ".join(f"{label} (`{spec}`)" for label, spec in people.items())


reproduce = JudgedStudy(
    "karate", _record, _lines, _page, tables=("orders", "betas", "levels"), draw=_draw
).reproduce
