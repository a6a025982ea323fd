"""The leaderboard as a page of Markdown, written from what was measured and from nothing else."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evo.studies.leaderboard.study import BARS, OPPONENTS
from evo.studies.page import markdown_table

ABOUT = {
    "openai-es": "the same without shared weights",
    "openai-es-symmetric-own-0": "weights of a group are one number, so equal moves stay equal",
    "openai-es-symmetric-by-wins": "by games won in place of boxes",
    "openai-es-symmetric-levels-1-2": "level 2 as an opponent, too, from the start",
    "openai-es-symmetric-perfect": "perfect play as the opponent, by boxes",
    "openai-es-symmetric-antibody-antigen": "pure coevolution: no opponent but its own kind",
    "openai-es-symmetric-hall-of-fame": "pure coevolution with a hall of fame",
    "openai-es-symmetric-random-opponents": "pure coevolution with random opponents",
    "genetic-direct-level-0": "the study's population",
    "genetic-direct-level-1": "the study's population",
    "genetic-round-robin": "the study's population",
    "genetic-antibody-antigen": "the study's population",
    "genetic-tournament-selection": "the study's genome, other selection, crossover and mutation",
    "genetic-by-score": "the same, and by boxes in place of games won",
    "genetic-hall-of-fame": "the study's learner in coevolution with a hall of fame",
    "genetic-real-symmetric": "the genetic algorithm on the genome of the best entry",
    "sep-cma": "a strategy that adapts the width of each weight",
    "sep-cma-symmetric": "the same on the genome of the best entry, by boxes",
}
"""What an entry tries, where it is not plain from the table."""
STUDY = [name for name, about in ABOUT.items() if about == "the study's population"]
"""The four populations of Weaver and Bossomaier (1998)."""
INTRODUCTION = """\
Which scheme and learner makes the strongest networks for dots and boxes on
{rows}x{cols} boxes? This page is written by a command, the first one; no number in it was put
there by hand. The second one shows how it goes."""
ENTRIES = """\
A network is the champion of its run by the run's own fitness; of an evolution strategy,
its mean. Shares of games won, the median over seeds and [the least to the greatest], by
{games:,} games a seed and opponent; sorted by those against level 1. Games
are those spent on evolution. `bars`: how many of the seeds meet all bars at once, by the
games played here."""
EXACTLY = """\
Nothing is played here: each figure is that of all games, each as likely as it is.
The best of the seeds was chosen by the games above, those that meet all bars first; it is
the best of several runs, and the median seed says what one run gives. A name that ends in
`-10-bits` is the nearest network on the study's grid of ten bits a weight: 582 bytes for
24-9-24."""
AGAINST_PERFECT_PLAY = """\
Against perfect play: games won in either seat, net boxes a game in either seat, what a
move loses in the mean (regret, in net boxes), and how many lose nothing, over the
positions that come up; the same over those that come up against level 1. Last, what the
best response gains on perfect play, in net boxes a game (exploitability)."""


def page(record: Mapping[str, Any], picture: str, networks: str) -> str:
    """The page.

    Args:
        record: what ``evo reproduce leaderboard`` keeps as JSON.
        picture: the picture's place, from the page.
        networks: the folder of the networks' weights, from the page.
    """
    return "\n\n".join(part for part in _parts(record, picture, networks) if part) + "\n"


def _parts(record: Mapping[str, Any], picture: str, networks: str) -> Iterator[str]:
    settings, entries = record["settings"], record["entries"]
    shown = ("seeds", "other_seeds", "long_seeds", "exact", "games")
    words = [f"--{name.replace('_', '-')} {settings[name]}" for name in shown]
    yield "# The leaderboard"
    yield INTRODUCTION.format(**settings)
    yield (
        f"```sh\nevo reproduce leaderboard {' '.join(words)} --page docs/studies/leaderboard.md\n"
        "evo reproduce leaderboard --quick 1 --runs sweeps/leaderboard-quick\n```"
    )
    yield f"![Share of games won against level 1 over the games spent]({picture})"
    yield f"## Entries\n\n{ENTRIES.format(**settings)}"
    names = ["entry", "scheme", "learner", "genome", "games", "seeds", *OPPONENTS, "bars"]
    yield markdown_table(names, map(_row, entries), "---")
    if notes := "\n".join(_notes(entries)):
        yield notes
    yield from _networks(record["exact"], networks)
    yield f"## The bars\n\n{_bars()}"
    yield "\n".join([*_at_equal_games(entries), *_who_meets_bars(record)])
    yield "## What failed\n\nEntries of which no seed wins half of its games against level 1:"
    yield "\n".join(_failed(entries))
    runs = "\n".join(f"# {entry['entry']}\n{entry['command']}" for entry in entries)
    yield f"## The same again\n\nEach run alone, with its first seed:\n\n```sh\n{runs}\n```"


def _row(entry: Mapping[str, Any]) -> list[str]:
    spans = [
        f"{_share(won['median'])} [{_share(won['least'])} to {_share(won['greatest'])}]"
        for won in (entry[name] for name in OPPONENTS)
    ]
    names = [f"`{entry['entry']}`", entry["scheme"], entry["learner"], entry["genome"]]
    return [*names, f"{entry['games']:,}", str(entry["seeds"]), *spans, str(entry["bars"])]


def _notes(entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """A line for each thing that must be known of an entry."""
    for entry in entries:
        if entry["missing"]:
            missing = ", ".join(map(str, entry["missing"]))
            yield f"* `{entry['entry']}`: its runs of seed {missing} are not there yet."


def _networks(rows: Sequence[Mapping[str, Any]], folder: str) -> Iterator[str]:
    if not rows:
        return
    yield f"## Networks, exactly\n\n{EXACTLY}"
    names = ["network", "seed is the", *OPPONENTS, "all bars"]
    yield markdown_table(names, map(_rates, rows), "---")
    yield AGAINST_PERFECT_PLAY
    names = ["network", "won first", "won second", "boxes first", "boxes second"]
    names += ["regret", "best moves", "regret, level 1", "best moves, level 1", "exploitability"]
    yield markdown_table(names, map(_yardsticks, rows), "---")
    kept = [row["network"] for row in rows if row["kept"]]
    if kept:
        yield f"The weights of {_listed([f'`{name}`' for name in kept])} are kept, and play:"
        calls = [
            f"evo tournament dots-and-boxes docs/studies/{folder}/{name}.npy level-0 level-1 "
            "level-2 optimal --games 2000"
            for name in kept
        ]
        yield "\n".join(["```sh", *calls, "```"])


def _rates(row: Mapping[str, Any]) -> list[str]:
    shares = [_share(row[name], 2) for name in OPPONENTS]
    return [f"`{row['network']}`", row["which"], *shares, "yes" if row["bars"] else "no"]


def _yardsticks(row: Mapping[str, Any]) -> list[str]:
    return [
        f"`{row['network']}`",
        *(_share(row[name], 2) for name in ("optimal_first", "optimal_second")),
        *(f"{row[name]:+.3f}" for name in ("margin_first", "margin_second")),
        *(f"{row['regret']:.4f}", _share(row["optimal_share"])),
        *(f"{row['regret_level_1']:.4f}", _share(row["optimal_share_level_1"])),
        f"{row['exploitability']:.3f}",
    ]


def _bars() -> str:
    bars = [f"{_share(bar)} against {name}" for name, bar in BARS.items()]
    return (
        f"One network is to win more than {bars[1]}, more than {bars[2]}, and not less than\n"
        f"{bars[0]}, at once."
    )


def _who_meets_bars(record: Mapping[str, Any]) -> Iterator[str]:
    met = [row for row in record["exact"] if row["bars"]]
    for row in met:
        shares = ", ".join(f"{_share(row[name], 2)} against {name}" for name in BARS)
        yield f"* `{row['network']}` does, exactly: {shares}."
    if not met:
        yield "* No network that was measured exactly does."
    for entry in record["entries"]:
        if entry["bars"]:
            yield (
                f"* By games, {entry['bars']} of {entry['seeds']} seeds of `{entry['entry']}` do, "
                f"after {entry['games']:,} games."
            )


def _at_equal_games(entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The best entry of two million games beside the best of the study's, which come sorted."""
    short = [entry for entry in entries if not entry["is_long"]]
    theirs = [entry for entry in short if entry["entry"] in STUDY]
    if theirs and short[0] is not theirs[0]:
        shares = [
            f"{_share(entry['level-1']['median'])} in the median with `{entry['entry']}`"
            for entry in (short[0], theirs[0])
        ]
        yield f"* At {short[0]['games']:,} games, against level 1: {shares[0]}, and of the study's"
        yield f"  populations at most {shares[1]}."


def _failed(entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for entry in entries:
        level = entry["level-1"]
        if level["greatest"] <= BARS["level-1"]:
            about = ABOUT.get(entry["entry"], "")
            name = f"* `{entry['entry']}`{': ' if about else ''}{about}"
            won = f"{_share(level['greatest'])} at best, {_share(level['median'])} in the median"
            yield f"{name}; {won}."


def command_of(table: Mapping[str, Any], seed: int, out: str) -> str:
    """The command line that makes a run of a configuration.

    Args:
        table: the configuration, without a seed.
        seed: of the run.
        out: its folder.
    """
    words = ["evo", "run"]
    for name, value in _flat(table):
        words += ["--set", f"{name}={_value(value)}"]
    words += ["--seed", str(seed), "--out", out]
    return shlex.join(words)


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The fields by dotted name; what kind of thing a table is comes before its options."""
    for name, value in sorted(table.items(), key=lambda item: item[0] not in ("name", "encoding")):
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            named = not before and name in ("scheme", "learner", "game")
            yield f"{before}{name}{'.name' if named else ''}", value


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "[" + ",".join(f'"{item}"' for item in value) + "]"
    return str(value)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _share(value: float, places: int = 1) -> str:
    return f"{100 * value:.{places}f}%"
