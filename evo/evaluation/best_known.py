"""The strongest champions of each game that take about a minute, to compare a champion with."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tournaments.game import Game


class Standing(NamedTuple):
    """A champion beside the strongest one recorded.

    Attributes:
        sentence: the comparison in words.
        command: the command that evolves the strongest one; empty if the champion is as strong.
    """

    sentence: str
    command: str


def champions() -> list[dict[str, Any]]:
    """Return the strongest champions recorded: the tables of ``best_known.toml``."""
    text = Path(__file__).with_name("best_known.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["champion"]


def standings(game: Game, rows: Sequence[Mapping[Any, Any]]) -> Iterator[Standing]:
    """Yield how measured champions compare with the strongest recorded ones of a game.

    Args:
        game: the game of the run.
        rows: rows of ``evaluations``, of one champion per population.
    """
    for known in champions():
        for row in rows:
            if (
                known["game"] == game.short_spec
                and known["opponent"] == row["opponent"]
                and known.get("role", row["population"]) == row["population"]
            ):
                yield _compared(known, row)


def _compared(known: Mapping[str, Any], row: Mapping[Any, Any]) -> Standing:
    unit = "wins" if "wins" in known else "points"
    share = row["win_rate"] if unit == "wins" else (row["wins"] + row["draws"] / 2) / row["games"]
    is_reached = share + row["win_rate_high"] - row["win_rate"] >= known[unit]
    who = f"the champion of {known['role']}" if "role" in known else "the champion"
    verb, of = ("wins", "its games") if unit == "wins" else ("scores", "the points")
    sentence = (
        f"{who} {verb} {share:.1%} of {of} against {row['opponent']}; {known['is']} {verb} "
        f"{known[unit]:.1%} ({known['page']})"
    )
    return Standing(sentence, "" if is_reached else known["command"])
