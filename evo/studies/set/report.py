"""What ``evo reproduce set`` prints, keeps and draws, and the page that it writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from evo.studies.intervals import Interval
from evo.studies.kept import as_data
from evo.studies.page import (
    Announce,
    columns_of,
    last_lines,
    markdown_table,
    text_table,
    what_holds,
)
from evo.studies.reproduction import JudgedStudy, Reproduction
from evo.studies.set.claims import judge, one_in, times_as_long
from evo.studies.set.study import (
    READINGS,
    Settings,
    count_exactly,
    measure_choosers,
    measure_draws,
    measure_play,
    measure_speeds,
    part,
)

__all__ = ["Settings", "reproduce"]

FIGURES = "figures/set"
EVERY = 5
"""So many turns from a row of the page to the next."""
HEADS = ("no set", "three or more", "mean")


def reproduce(settings: Settings, announce: Announce) -> Reproduction:
    """See :class:`JudgedStudy`; intervals become objects, as JSON has them."""
    made = JudgedStudy("set", _record, _lines, _page, draw=_draw).reproduce(settings, announce)
    tables = {"turns": columns_of(made.record["play"]["turns"])}
    return replace(made, record=as_data(made.record), tables=tables)


PARTS = {
    "exact": count_exactly,
    "draws": measure_draws,
    "play": measure_play,
    "speeds": measure_speeds,
}


def _record(settings: Settings, announce: Announce) -> Mapping[str, Any]:
    record = {
        name: part(settings, name, partial(measure, settings, announce))
        for name, measure in PARTS.items()
    }
    record["choosers"] = measure_choosers(settings, announce)
    return {**record, "claims": judge(record)}


def _draw(record: Mapping[str, Any], folder: Path) -> list[Path]:
    from evo.studies.set.plot import tables_figure  # late: matplotlib takes a second
    from results.plots.style import save_all

    return save_all({"tables": lambda: tables_figure(record)}, folder)


# --- rows, for the terminal and for the page -----------------------------------------------------


def _measured(row: Mapping[str, Any]) -> list[str]:
    """The shares and the mean of some tables."""
    mean = row["mean"]
    return [
        row["none"].percent(2),
        row["many"].percent(2),
        f"{mean.middle:.3f} ({mean.low:.3f} to {mean.high:.3f})",
    ]


def _reading_rows(record: Mapping[str, Any]) -> Iterator[list[str]]:
    draws = record["draws"]
    yield ["random", f"{sum(draws['counts']):,}", *_measured(draws)]
    for row in record["play"]["readings"]:
        yield [f"in play, {row['reading']}", f"{row['tables']:,}", *_measured(row)]


def _turn_rows(record: Mapping[str, Any]) -> Iterator[list[str]]:
    for row in record["play"]["turns"]:
        if row["turn"] == 1 or row["turn"] % EVERY == 0:
            none, many = (Interval.of_row(row, name).percent(2) for name in ("none", "many"))
            yield [f"{row['turn']}", f"{row['tables']:,}", none, many, f"{row['mean']:.3f}"]


def _chooser_rows(record: Mapping[str, Any]) -> Iterator[list[str]]:
    for row in record["choosers"]:
        yield [row["player"], *_measured(row), row["points"].percent(2)]


def _alone_rows(record: Mapping[str, Any]) -> Iterator[list[str]]:
    for row in record["choosers"]:
        yield [row["player"], *_measured(row["alone"])]


def _speed_rows(record: Mapping[str, Any]) -> Iterator[list[str]]:
    times, ratios = record["speeds"]["microseconds"], record["speeds"]["ratios"]
    for name in ("triples", "pairs", "groups"):
        ratio = ratios[f"python_by_compiled_{name}"].middle
        python, compiled = times[f"python {name}"], times[f"compiled {name}"]
        yield [name, f"{python:,.0f}", f"{compiled:.2f}", f"{ratio:,.0f}"]


TABLES = ("tables", "tables counted", *HEADS)
TURNS = ("turn", "tables counted", *HEADS)
CHOOSERS = ("player", *HEADS, "its points")
ALONE = ("both seats", *HEADS)
SPEEDS = ("solver", "Python", "compiled", "times as fast")


# --- the terminal --------------------------------------------------------------------------------


def _lines(record: Mapping[str, Any]) -> Iterator[str]:
    exact = record["exact"]
    yield (
        f"{exact['without_set']:,} of {exact['hands']:,} hands of twelve cards hold no set: "
        f"{exact['share']:.6%}, {one_in(exact['share'])}"
    )
    parts = (
        ("Sets on tables at random, and in play", TABLES, _reading_rows(record)),
        ("By turn, of tables in play without the last", TURNS, _turn_rows(record)),
        ("Tables of the other, who takes any set", CHOOSERS, _chooser_rows(record)),
        ("Tables where both choose alike", ALONE, _alone_rows(record)),
        ("Microseconds for a table of twelve cards", SPEEDS, _speed_rows(record)),
    )
    for title, head, rows in parts:
        yield from ("", title)
        yield from _text(head, list(rows))
    yield from last_lines(record, "What the source claims")


def _text(head: Sequence[str], rows: list[list[str]]) -> list[str]:
    return text_table([dict(zip(head, row, strict=True)) for row in rows], dict.fromkeys(head, ""))


# --- the page ------------------------------------------------------------------------------------


def _page(record: Mapping[str, Any]) -> Iterator[str]:
    settings, exact, play = record["settings"], record["exact"], record["play"]
    games = sum(play["lengths"])
    yield "# Set: how often there is none"
    yield (
        'P. Berkes, "Solving the game Set" (2010): three ways to find the sets among some cards, '
        "and how many lie on the table, at random and during play. The game is "
        "[`set`](../games/set.md). This page is written by"
    )
    yield from what_holds("set", record, Settings())
    yield _why(record)
    yield "## No set among twelve cards"
    yield (
        f"{exact['without_set']:,} of {exact['hands']:,} hands hold none: {exact['share']:.6%}, "
        f"{one_in(exact['share'])}. That is a count and no sample: hands without a set are caps of "
        "an affine space, those of five cards fall into three classes, and a search around one of "
        "each counts those of twelve (`tournaments/games/set/caps.py`). "
        "`python -c 'from tournaments.games.set.caps import count_without_set; "
        "print(count_without_set(12))'` gives it alone."
    )
    yield "## At random and in play"
    yield (
        f"{games:,} games (the article: 5,000), of {play['mean_turns']:.1f} turns in the mean, in "
        "which a set of those on the table is taken at random, and three cards are dealt where "
        "there is none. A table counts "
        + "; ".join(f"*{name}*: {words}" for name, words in READINGS.items())
        + ". In brackets are intervals of 95%; tables of one game are not independent, so they are "
        "taken over games."
    )
    yield f"![Shares of tables by number of sets, and by turn]({FIGURES}/tables.svg)"
    yield markdown_table(TABLES, _reading_rows(record))
    yield "By turn, without the last table, of the games that come so far:"
    yield markdown_table(TURNS, _turn_rows(record))
    yield "## Who always takes some kind of set"
    yield (
        "The player in the first seat chooses, the other takes any set; shown are the tables at "
        "which the other is to move. A kind is the number of dimensions in which the cards differ; "
        "`taker:order=4` takes such sets first and any others else. `spoiler` takes the set after "
        "which the other may expect fewest. Its points are those of "
        f"{Settings(**settings).usual('matches'):,} matches of two games, a draw being half of one."
    )
    yield markdown_table(CHOOSERS, _chooser_rows(record))
    yield _what_choosing_does(record["choosers"])
    yield "Where both seats choose alike, all tables without the last:"
    yield markdown_table(ALONE, _alone_rows(record))
    yield "## Speeds"
    yield (
        "Microseconds of processor time for a table of twelve cards, the median of rounds in which "
        "each solver has its turn; ratios are those of a round, with the least and the greatest in "
        "brackets. The Python ones are written after the article's words "
        "(`evo/studies/set/in_python.py`), the compiled ones are the kernels of "
        "`tournaments/games/set/solvers.py`; `python -m benchmarks.set` measures them again."
    )
    yield markdown_table(SPEEDS, _speed_rows(record))
    yield _what_calls_cost(record["speeds"]["ratios"])


def _what_calls_cost(ratios: Mapping[str, Interval]) -> str:
    groups = ratios["compiled_groups_by_pairs"]
    told = "so calls alone do not make them slow" if groups.low > 1 else "and no slower"
    return (
        f"Compiled, triples take {times_as_long(ratios['compiled_triples_by_pairs'])} as pairs, "
        f"groups {times_as_long(groups)}. The article guesses that groups are slow for the calls "
        f"of a recursion; compiled they are a loop over a stack, {told}. The tables are many and "
        "different: of a few that come again and again a processor learns the branches."
    )


def _why(record: Mapping[str, Any]) -> str:
    with_last, without, *_ = record["play"]["readings"]
    return (
        "The figures in play are those of all tables, the last one of a game among them, which has "
        "no set whatever was played: the game ends because of that. The program as the article "
        "prints it ends before it notes that one, so that its own figures would be those without. "
        f"Of the tables at which something is still to be done {without['none'].percent(2)} have "
        f"none, in place of {with_last['none'].percent(2)}. How many times faster one Python "
        "program is than another depends on what numpy and Python take for small arrays, which has "
        "changed since 2010."
    )


def _what_choosing_does(rows: list[dict[str, Any]]) -> str:
    by_name = {row["player"]: row for row in rows}
    kinds = [row for row in rows if row["player"] not in ("any", "spoiler")]
    usual, spoiler = by_name["any"], by_name["spoiler"]
    far = max(kinds, key=lambda row: abs(_change(row, usual, "none")))
    return (
        "Of those that go by kinds alone "
        f"`{far['player']}` changes the chance of no set most, by "
        f"{_points(_change(far, usual, 'none'))}. `spoiler` changes it by "
        f"{_points(_change(spoiler, usual, 'none'))}, and the mean number of sets by "
        f"{_change(spoiler, usual, 'mean'):+.3f}."
    )


def _change(row: Mapping[str, Any], usual: Mapping[str, Any], name: str) -> float:
    return row[name].middle - usual[name].middle


def _points(share: float) -> str:
    return f"{100 * share:+.2f} points"
