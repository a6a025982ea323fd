"""The study as a page of Markdown, written from what was measured and from nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evo.studies.fox_and_hounds.rivals import RIVALS
from evo.studies.fox_and_hounds.study import Settings
from evo.studies.page import command_of, markdown_table
from evo.studies.verdicts import VERDICTS

TITLES = {
    "1": "Experiment 1: both at random",
    "2": "Experiment 2: hounds learn against a random fox",
    "3": "Experiment 3: foxes learn against random hounds",
    "4": "Experiment 4: foxes of experiment 3 and hounds of experiment 2 learn on",
    "5": "Experiment 5: both learn from nothing",
    "0": "Ours: exploration that adapts, and hounds that hardly explore",
}
HEAD = ("cell", "turns", "fox wins", "hounds win", "by the text: fox", "hounds", "90%", "99%")


def page(record: Mapping[str, Any], pictures: Sequence[str]) -> str:
    """The page; ``pictures`` are those of the experiments 1 to 5, ours, and the positions seen."""
    return "\n".join(_parts(record, pictures)) + "\n"


def _parts(record: Mapping[str, Any], pictures: Sequence[str]) -> Iterator[str]:
    settings = record["settings"]
    yield INTRODUCTION.format(command=command_of("fox-and-hounds", settings, Settings()))
    counts = Counter(claim["verdict"] for claim in record["claims"])
    hold, in_part, fail = (counts[verdict] for verdict in VERDICTS)
    yield f"\n## What holds\n\nOf {len(record['claims'])} claims {hold} hold, {in_part} hold in"
    yield f"part and {fail} do not. Intervals are of the median over {settings['seeds']} pairs,"
    yield "with 95% confidence where there are six or more."
    yield "A claim about several cells holds in part where it holds in some.\n"
    yield markdown_table(
        ("section", "claim", "holds where", "measured", "verdict"),
        (
            (claim["section"], claim["claim"], claim["rule"], claim["measured"], claim["verdict"])
            for claim in record["claims"]
        ),
    )
    yield READINGS
    for number, picture in zip("123450", pictures, strict=False):
        yield f"\n## {TITLES[number]}\n\n![Games won over turns]({picture})\n"
        rows = [row for row in record["courses"] if str(row["experiment"]) == number]
        yield markdown_table(HEAD, map(_course_row, rows))
    yield SEEN.format(
        picture=pictures[-1],
        numbered=record["numbered"],
        fox=record["positions"][0],
        hounds=record["positions"][1],
    )
    yield markdown_table(
        ("cell", "fox", "hounds", "turns a game"), map(_seen_row, record["courses"])
    )
    yield EXACT.format(wins=record["random_fox_wins"])
    yield markdown_table(
        ("player", "seeds", "turns", "fox", "hounds", "points lost", "sure"),
        map(_worth_row, record["exact"]),
    )
    yield f"\n{NOTES}"


def _course_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    fox, hounds = (
        "{1:.1%} [{0:.1%}, {2:.1%}]".format(*row[f"{role}_quartiles"]) for role in ("fox", "hounds")
    )
    until = [
        "" if row[name] is None else f"{row[name] / 1e6:.1f} million"
        for name in ("until_90", "until_99")
    ]
    by_text = f"{row['fox_by_text']:.1%}", f"{row['hounds_by_text']:.1%}"
    name = f"`{row['cell']}` {row['in_words']}"
    return name, f"{row['turns']:,}", fox, hounds, *by_text, *until


def _seen_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    seen = (f"{row[f'visited_{role}']:,.0f}" for role in ("fox", "hounds"))
    return f"`{row['cell']}`", *seen, f"{row['turns_a_game']:.1f}"


def _worth_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    shares = (_spread(row, role, ".1%") for role in ("fox", "hounds"))
    sure = f"{row['sure']} of {row['seeds']}"
    known = row["player"], str(row["seeds"]), f"{row['turns']:,.0f}"
    return *known, *shares, _spread(row, "lost", ".3f"), sure


def _spread(row: Mapping[str, Any], name: str, form: str) -> str:
    least, most = row[f"{name}_ends"]
    return f"{row[name]:{form}} [{least:{form}}, {most:{form}}]"


INTRODUCTION = """\
# Fox and hounds

J. Bakhshi and M. Budriunas, *Q-learning for Fox and Hounds Board Game* (2012): two tables of
values learn the game from rewards, one a role. This page is written by a command, the first
one; no number in it was put there by hand. The second one shows in a minute how it goes. With
`--runs FOLDER` a study that was stopped goes on.

```sh
{command}
evo reproduce fox-and-hounds --quick
```

A *pair* is a fox and hounds that learn from each other, one a seed; all pairs of a cell share a
population of the learner [`q-learning`](../learners.md#q-learning). A *phase* is 100,000 turns,
of both sides. *epsilon* is the share of turns in which any step is taken, *eta* the learning
rate, *gamma* the discount. A role that is random has a table that never learns."""

READINGS = """
## How it is evaluated

After each phase nothing is learned for a while, and the pair plays 100 games with the
exploration of one side at 0, then 100 with that of the other. The paper's text says that the
wins of the *other* side are recorded. By that reading hounds that explore would be said to win
what the fox without exploration leaves them, and their curves could not come near 100% in
experiments 4 and 5, as published ones do; so figures here count the wins of the side whose
exploration is 0, and both are in the tables. Shares are medians over pairs in the last quarter
of the phases [and quartiles]; the last columns are turns until that share was won first, by the
hounds where they learn, else by the fox; empty: never.

The paper does not print the parameters of each graph of experiments 2 and 3; the cells here are
those that its text compares."""

SEEN = """
## Positions seen

![Positions seen over turns]({picture})

Of a role's own turns; {numbered:,} positions are numbered for both as the paper counts them.
{fox:,} with the fox to move and {hounds:,} with the hounds to move can come up in a game. In
experiment 4 those that were seen before are not counted.
"""

EXACT = """
## Exactly, and beside evolution

All positions are solved, so nothing is played here. `fox` and `hounds` are shares of all games
that are won against random play in the other role, without exploration (a random fox wins
{wins:.2%} of its games against random hounds); `points lost` is what the best possible fox
takes from the hounds, of two points a game; `sure` counts hounds that win whatever the fox
does. Medians [least, greatest]. The rivals spend as many turns, counted in all their games;
what is measured is the champion of each role.
"""

_SETTINGS = "\n".join(f"* {name}: `{dict(config)}`" for name, config in RIVALS.items())
NOTES = f"""\
The settings of the rivals, two populations each, one a role; what is not said is as it would be
anyway:

{_SETTINGS}

They were not tuned. A table of half a million genes changes in a handful of them at a time,
while each game of Q-learning changes every value that it met; equal turns are not equal work
either."""
