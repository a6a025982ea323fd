"""The study as a page of Markdown: ``page.md``, filled with what was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evo.studies.fox_and_hounds.rivals import RIVALS
from evo.studies.fox_and_hounds.study import ROLES, Settings
from evo.studies.page import command_of, markdown_table
from evo.studies.verdicts import EXPLANATION, VERDICTS

TITLES = {
    1: "Experiment 1: both at random",
    2: "Experiment 2: hounds learn against a random fox",
    3: "Experiment 3: foxes learn against random hounds",
    4: "Experiment 4: foxes of experiment 3 and hounds of experiment 2 learn on",
    5: "Experiment 5: both learn from nothing",
    0: "Ours: exploration that adapts, and hounds that hardly explore",
}
SHARES = [f"{role}{whose}" for role in ROLES for whose in ("", "_published")]
UNTIL = [f"until_{share}{whose}" for share in (90, 99) for whose in ("", "_published")]
HEAD = ("cell", "turns", "fox wins", "published", "hounds win", "published")
HEAD_UNTIL = ("90%", "published", "99%", "published")


def page(record: Mapping[str, Any], pictures: Sequence[str]) -> str:
    """The page; ``pictures`` are those of the experiments 1 to 5, ours, and the positions seen."""
    settings, claims = record["settings"], record["claims"]
    verdicts = Counter(claim["verdict"] for claim in claims)
    fox, hounds = record["positions"]
    return (
        Path(__file__)
        .with_name("page.md")
        .read_text(encoding="utf-8")
        .format(
            command=command_of("fox-and-hounds", settings, Settings()),
            number=len(claims),
            counts=", ".join(f"{verdicts[verdict]} *{verdict}*" for verdict in VERDICTS),
            seeds=settings["seeds"],
            games=settings["games"],
            explanation=EXPLANATION,
            claims=markdown_table([*claims[0]], [[*claim.values()] for claim in claims]),
            experiments="\n\n".join(_experiments(record["courses"], pictures)),
            seen_picture=pictures[-1],
            numbered=f"{record['numbered']:,}",
            fox=f"{fox:,}",
            hounds=f"{hounds:,}",
            ends=f"{record['ends']:,}",
            seen=markdown_table(
                ("cell", "turns", "fox", "published", "hounds", "published"),
                map(_seen_row, record["seen"]),
            ),
            visited=markdown_table(
                ("cell", "fox", "hounds", "turns a game"), map(_visited_row, record["courses"])
            ),
            random=f"{record['random_fox_wins']:.2%}",
            turns=f"{settings['turns']:,}",
            exact=markdown_table(
                ("player", "seeds", "turns", "fox", "hounds", "points lost", "sure"),
                map(_worth_row, record["exact"]),
            ),
            rivals="\n".join(f"* {name}: `{dict(config)}`" for name, config in RIVALS.items()),
        )
    )


def _experiments(courses: Sequence[Mapping[str, Any]], pictures: Sequence[str]) -> Iterator[str]:
    for (number, title), picture in zip(TITLES.items(), pictures, strict=False):
        yield f"## {title}\n\n![Games won over turns]({picture})"
        rows = [row for row in courses if row["experiment"] == number]
        yield markdown_table(HEAD + HEAD_UNTIL, map(_course_row, rows))


def _course_row(row: Mapping[str, Any]) -> list[str]:
    shares = ["" if row[name] is None else f"{row[name]:.1%}" for name in SHARES]
    for place, role in enumerate(ROLES):
        low, _, high = row[f"{role}_quartiles"]
        shares[2 * place] += f" [{low:.1%}, {high:.1%}]"
    until = ["" if row[name] is None else f"{row[name] / 1e6:.1f}" for name in UNTIL]
    return [f"`{row['cell']}` {row['in_words']}", f"{row['turns']:,}", *shares, *until]


def _seen_row(row: Mapping[str, Any]) -> list[str]:
    cells = [f"`{row['cell']}`", f"{row['turns']:,}"]
    for role in ROLES:
        cells += [_spread(row, role, ",.0f"), f"{row[f'{role}_published']:,.0f}"]
    return cells


def _visited_row(row: Mapping[str, Any]) -> list[str]:
    seen = [f"{row[f'visited_{role}']:,.0f}" for role in ROLES]
    return [f"`{row['cell']}`", *seen, f"{row['turns_a_game']:.1f}"]


def _worth_row(row: Mapping[str, Any]) -> list[str]:
    known = [row["player"], str(row["seeds"]), f"{row['turns']:,.0f}"]
    shares = [_spread(row, role, ".1%") for role in ROLES]
    return [*known, *shares, _spread(row, "lost", ".3f"), f"{row['sure']} of {row['seeds']}"]


def _spread(row: Mapping[str, Any], name: str, form: str) -> str:
    least, most = row[f"{name}_ends"]
    return f"{row[name]:{form}} [{least:{form}}, {most:{form}}]"
