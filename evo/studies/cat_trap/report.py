"""What ``evo reproduce cat-trap`` prints, keeps and draws, and the page that it writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evo.studies.cat_trap.claims import ALIKE, judge, near
from evo.studies.cat_trap.study import (
    BLOCKERS,
    MATCHES,
    PUBLISHED,
    REWARDS,
    Settings,
    measure_blockers,
    measure_evolved,
    measure_readings,
    measure_their_times,
    measure_times,
)
from evo.studies.page import Announce, last_lines, markdown_table, text_table, what_holds
from evo.studies.reproduction import JudgedStudy

__all__ = ["Settings", "reproduce"]

RATES = {f"reward_{reward}": ".1%" for reward in REWARDS}
FIGURES = "figures/cat-trap"
EVOLVED = ("random", "shortest-path", "evolved")


def _record(settings: Settings, announce: Announce) -> Mapping[str, Any]:
    record: dict[str, Any] = {
        "readings": measure_readings(settings, announce),
        "times": measure_times(settings, announce),
        "their_times": measure_their_times(settings, announce),
        "blockers": measure_blockers(settings, announce),
        "evolved": measure_evolved(settings, announce),
    }
    return {**record, "claims": judge(record)}


def _draw(record: Mapping[str, Any], folder: Path) -> list[Path]:
    from evo.studies.cat_trap.plot import times_figure  # late: matplotlib takes a second
    from results.plots.style import save_all

    return save_all({"times": lambda: times_figure(record["times"])}, folder)


def _lines(record: Mapping[str, Any]) -> Iterator[str]:
    settings = Settings(**record["settings"])
    number, held_out = settings.usual("games"), settings.usual("held_out")
    yield f"Shares of {number:,} games won against random blocks (published: .63 .92 .97 .99)"
    yield from text_table(record["readings"], {"reading": "", **RATES})
    yield ""
    yield "The time of a move on 7x7"
    columns = {"max_depth": "d", "num_states": "d", "milliseconds": ".3f"}
    yield from text_table(record["times"], columns)
    yield ""
    yield f"Shares of {held_out:,} games on 7x7 that cats win against blockers"
    yield from text_table(record["blockers"], {"cat": "", **dict.fromkeys(BLOCKERS, ".1%")})
    yield ""
    size = settings.size
    yield f"Shares of {held_out:,} games a pair on {size}x{size} that cats win"
    yield from text_table(record["evolved"], {"cat": "", **dict.fromkeys(EVOLVED, ".1%")})
    yield from last_lines(record, "What the source claims")


# --- the page ----------------------------------------------------------------------------------


def _page(record: Mapping[str, Any]) -> Iterator[str]:
    settings = Settings(**record["settings"])
    number, held_out = settings.usual("games"), settings.usual("held_out")
    yield "# Cat trap: a planner and its pseudo-rewards"
    yield (
        'S. Chawla, D. Zertucheserna and F. Zhu, "Solving the cat trap game" (2021): a cat that '
        "plans by value iteration with a finite horizon, by four pseudo-rewards. This page is "
        "written by"
    )
    yield from what_holds("cat-trap", record, Settings())
    yield "## The four rewards"
    yield (
        f"Shares of {number:,} games on 7x7, where nothing else is said, that a cat wins against "
        "random blocks. The readings of the text leave it open on what scale a reward stands "
        "beside the +100 of an escape, whether a tile of the rim counts as that or as any other "
        "tile, and how many are blocked at the start. The others are the three versions of the "
        "authors' program ([zhuf11/CatTrapGameMDP](https://github.com/zhuf11/CatTrapGameMDP), "
        "commit a0365f8): their rewards by straight rays, gamma 0.85, their ends, and as blocks 3 "
        "to 6, or none. What each planner is otherwise: `evo players cat-trap`, "
        "`tournaments/games/cat_trap/planner.py` and `rays.py`. The last column names the rewards "
        f"whose rate is within {ALIKE} of the published one."
    )
    published = ("published", "", *(f"{PUBLISHED[reward]:.0%}" for reward in REWARDS), "")
    yield markdown_table(
        ("reading", "options", *(f"reward {reward}" for reward in REWARDS), "as published"),
        [
            published,
            *(
                (
                    row["reading"],
                    f"`{row['options']}`" if row["options"] else "",
                    *(f"{row[name]:.1%}" for name in RATES),
                    ", ".join(map(str, near(row))),
                )
                for row in record["readings"]
            ),
        ],
    )
    yield (
        "The published table does not come out of any reading. The script that made it is not in "
        "the repository; the text does not say the size of the board, `max_depth`, `num_states` "
        "or which version of the program was run; and where rewards 3 and 4 win nearly always, "
        "reward 2 does, too. Text and program differ: epsilon is 0.001 there and 0.1 here, and the "
        "last version takes the top and the left rim alone for an escape."
    )
    yield "## The time of a move"
    yield (
        "Milliseconds of processor time of a cat's move on 7x7 after one block, the median over "
        "positions; -1 are all tiles. The authors' plots rise likewise, on scales of their own. "
        "With `max_depth` 0 no block is looked at and `num_states` has no effect."
    )
    yield f"![Time of a move over num_states, a panel a depth]({FIGURES}/times.svg)"
    depths = sorted({row["max_depth"] for row in record["times"]})
    states = list(dict.fromkeys(row["num_states"] for row in record["times"]))
    found = {(row["max_depth"], row["num_states"]): row["milliseconds"] for row in record["times"]}
    yield markdown_table(
        ("num_states", *(f"max_depth {depth}" for depth in depths)),
        [(f"{one}", *(f"{found[depth, one]:,.3f}" for depth in depths)) for one in states],
    )
    yield "## Better blockers"
    yield (
        f"Shares of {held_out:,} games on 7x7 that cats win. A cat that plays perfectly "
        "(`optimal`) loses those alone that no cat could win."
    )
    yield _rates_table(record["blockers"], BLOCKERS)
    yield "## The authors' planner in time"
    yield (
        "Milliseconds of the first move by the authors' planner, reward 4, on an empty board of "
        "5x5, for the least and the largest `num_states`: ours by processor time, theirs as read "
        "off the plots of their program in Python."
    )
    yield markdown_table(
        ("max_depth", "num_states 1", "published", "num_states 25", "published"),
        [
            (
                f"{row['max_depth']}",
                f"{row['ours_1']:,.3f}",
                f"{row['published_1']:,.0f}" if row["published_1"] else "",
                f"{row['ours_25']:,.3f}",
                f"{row['published_25']:,.0f}",
            )
            for row in record["their_times"]
        ],
    )
    size, seeds = settings.size, settings.usual("seeds")
    yield "## Evolution"
    yield (
        f"Two populations of {settings.population} on {size}x{size}, {MATCHES} games of every cat "
        f"against every blocker, {settings.usual('generations')} generations, seeds: {seeds}. A "
        "cat's genes are the weights of six features of a step, which see blocks (form `ways`), a "
        "blocker's those of eight features of a tile ([genomes](../genomes.md#real-vector)); the "
        "first are drawn with a standard deviation of 1. Shares of "
        f"{held_out:,} games a pair that cats win, on starts on which none was evolved. `evolved` "
        "is the mean over the champions of the other seeds, with which a cat was not trained."
    )
    yield _rates_table(record["evolved"], EVOLVED)


def _rates_table(rows: list[dict[str, Any]], blockers: tuple[str, ...]) -> str:
    cells = [(row["cat"], *(f"{row[name]:.1%}" for name in blockers)) for row in rows]
    return markdown_table(("cat", *(f"against {name}" for name in blockers)), cells)


reproduce = JudgedStudy(
    "cat-trap", _record, _lines, _page, tables=("readings", "times"), draw=_draw
).reproduce
