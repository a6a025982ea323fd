"""What ``evo reproduce cat-trap`` prints, keeps and draws, and the page that it writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evo.studies.cat_trap.claims import judge
from evo.studies.cat_trap.study import (
    BLOCKERS,
    PUBLISHED,
    REWARDS,
    Settings,
    measure_blockers,
    measure_evolved,
    measure_readings,
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
        f"Shares of {number:,} games on 7x7 that a cat wins against random blocks. The text "
        "leaves open on what scale a reward stands beside the +100 of an escape, whether a tile of "
        "the rim counts as that or as any other tile, and how many are blocked at the start; the "
        "authors' program draws 3 to 6. What each planner is otherwise: `evo players cat-trap`, "
        "`tournaments/games/cat_trap/planner.py`."
    )
    published = ("published", "", *(f"{PUBLISHED[reward]:.0%}" for reward in REWARDS))
    yield markdown_table(
        ("reading", "options", *(f"reward {reward}" for reward in REWARDS)),
        [
            published,
            *(
                (
                    row["reading"],
                    f"`{row['options']}`" if row["options"] else "",
                    *(f"{row[name]:.1%}" for name in RATES),
                )
                for row in record["readings"]
            ),
        ],
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
    size, seeds = settings.size, settings.usual("seeds")
    yield "## Evolution"
    yield (
        f"Two populations of {settings.population} on {size}x{size}, every cat against every "
        f"blocker, {settings.usual('generations')} generations, seeds: {seeds}. A cat's "
        "genes are the weights of its pseudo-reward by distance from the rim, a blocker's those of "
        "eight features of a tile ([genomes](../genomes.md#real-vector)). Shares of "
        f"{held_out:,} games a pair that cats win, on starts on which none was evolved; `evolved` "
        "is the mean over all champions."
    )
    yield _rates_table(record["evolved"], EVOLVED)
    yield _what_evolution_gave(record["evolved"])


def _rates_table(rows: list[dict[str, Any]], blockers: tuple[str, ...]) -> str:
    cells = [(row["cat"], *(f"{row[name]:.1%}" for name in blockers)) for row in rows]
    return markdown_table(("cat", *(f"against {name}" for name in blockers)), cells)


def _what_evolution_gave(rows: list[dict[str, Any]]) -> str:
    by_cat = {row["cat"]: row for row in rows}
    best = max((f"reward {reward}" for reward in REWARDS), key=lambda cat: by_cat[cat]["evolved"])
    gain = by_cat["evolved"]["evolved"] - by_cat[best]["evolved"]
    ordinary = by_cat[best]["shortest-path"] - by_cat[best]["evolved"]
    return (
        f"Against evolved blockers the evolved cats win {_points(gain)} of the games than the best "
        f"of the four ({best}). {best.capitalize()} loses {_points(ordinary)} of them to evolved "
        "blockers than to blockers of shortest ways."
    )


def _points(share: float) -> str:
    return f"{abs(100 * share):.1f} points {'more' if share >= 0 else 'fewer'}"


reproduce = JudgedStudy(
    "cat-trap", _record, _lines, _page, tables=("readings", "times"), draw=_draw
).reproduce
