"""What ``evo reproduce tracking`` prints, keeps and draws, and the page that it writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evo.studies.intervals import Interval
from evo.studies.page import Announce, last_lines, markdown_table, text_table, what_holds
from evo.studies.reproduction import JudgedStudy
from evo.studies.tracking.claims import judge, judge_play, judge_teams
from evo.studies.tracking.pieces import VARIANTS, Case, case, rows_of
from evo.studies.tracking.study import (
    Settings,
    betas_of,
    measure_games,
    measure_pieces,
    measure_play,
)
from results.folder.files import make_folder

__all__ = ["Settings", "reproduce"]

FIGURES = "figures/tracking"
SHOWN = "hungry", 3, 60
"""The agent of the film, its number, and how many moves are shown."""


def _record(settings: Settings, announce: Announce) -> Mapping[str, Any]:
    table = measure_pieces(settings, announce)
    rows = list(rows_of(table))
    play = measure_play(settings, announce)
    teams = measure_games(settings, announce)
    return {
        "pieces": [row for row in rows if row["tracker"] in VARIANTS],
        "betas": betas_of(rows),
        "play": list(rows_of(play)),
        "teams": teams,
        "claims": (*judge(table), judge_play(play), *judge_teams(teams)),
    }


def _plot(record: Mapping[str, Any], folder: Path) -> list[Path]:
    from evo.studies.tracking.plot import plot_all  # late: matplotlib takes a second

    return plot_all(record["pieces"], record["betas"], record["teams"], folder)


def _draw(record: Mapping[str, Any], folder: Path) -> list[Path]:
    from evo.studies.tracking.plot import draw_frames

    make_folder(folder)
    return _plot(record, folder) + draw_frames(shown(record), folder)


def shown(record: Mapping[str, Any]) -> Case:
    """The agent of the film."""
    walk, number, steps = SHOWN
    return case(walk, record["settings"]["seed"], number, steps)


def _number(record: Mapping[str, Any], name: str) -> int:
    return Settings(**record["settings"]).usual(name)


COLUMNS = {"agent": "", "tracker": "", "probability": ".3f", "error": ".2f"}


def _lines(record: Mapping[str, Any]) -> Iterator[str]:
    mazes, steps = _number(record, "mazes"), _number(record, "steps")
    yield f"Agents tracked for {steps} moves, {mazes} mazes: probability of the true square, error"
    yield from text_table(record["pieces"], COLUMNS)
    yield ""
    mazes, plies = _number(record, "play_mazes"), _number(record, "plies")
    yield f"An agent of a team tracked in games of up to {plies} moves, {mazes} mazes"
    yield from text_table(record["play"], COLUMNS)
    yield ""
    yield "By beta"
    columns = {"agent": "", "pieces": "", "beta": "g", "probability": ".3f", "error": ".2f"}
    yield from text_table(record["betas"], columns)
    yield ""
    games = _number(record, "team_mazes") * _number(record, "games")
    yield f"Shares of {games:,} games that teams win, and points"
    columns = {"team": "", "against": "", "win_rate": ".1%", "points": ".1f", "conceded": ".1f"}
    yield from text_table(record["teams"], columns)
    yield from last_lines(record, "What is claimed")


# --- the page ----------------------------------------------------------------------------------


def _draw_page(record: Mapping[str, Any], folder: Path) -> None:
    from evo.studies.tracking.plot import draw_frame

    _plot(record, folder)
    draw_frame(shown(record), folder)


def _page(record: Mapping[str, Any]) -> Iterator[str]:
    yield "# Tracking the enemy"
    yield (
        'P. Berkes, "Tracking down the enemy" and its second part (a notebook of games): where an '
        "agent that is out of sight may be, and what a team gains by it in "
        "[capture the flag](../games/capture-the-flag.md). The tracker is "
        "[a library](../tracking.md). This page is written by"
    )
    yield from what_holds("tracking", record, Settings())
    yield from _pieces(record)
    yield from _play(record)
    yield from _teams(record)


def _pieces(record: Mapping[str, Any]) -> Iterator[str]:
    mazes, steps = _number(record, "mazes"), _number(record, "steps")
    yield "## The gain of each piece"
    yield (
        f"One agent goes from its start through a maze of 30x15 squares for {steps} moves and is "
        "watched from the opposite corner, the first start of the other team. It goes at random, "
        "as the exploring model has it (beta 10, its true visits), or by shortest ways to the "
        f"nearest dot that it has not eaten. {mazes} mazes by seed, the same agents and the same "
        "noise for all trackers; in brackets 95% intervals over mazes. The yardstick is the true "
        "square: how much probability the tracker puts there, and how many squares (columns and "
        "rows) its most probable square is away. With `true visits` the model is told how often "
        "the agent has been where, which nobody can know; of the exploring agent the belief is "
        "then exact, and what the tracker loses by expected visits is the difference."
    )
    yield f"![Probability of the true square, a panel an agent]({FIGURES}/pieces.svg)"
    yield _accuracy(record["pieces"])
    yield (
        f"![A frame of the tracker: red squares by probability, blue bounds of the noisy distance, "
        f"the green range of sight]({FIGURES}/frame.svg)"
    )
    yield (
        "A frame of the whole tracker: the area of a red square is the probability of its cell, "
        "the agent is in the ring; blue lines bound the noisy distance, the green line is "
        "the range of sight. The command leaves the film as `frames.svg` in `reproduced/tracking`."
    )
    yield f"![Probability of the true square over beta]({FIGURES}/betas.svg)"


def _accuracy(rows: list[dict[str, Any]]) -> str:
    """A table of probabilities and errors, a line a tracker."""
    agents = list(dict.fromkeys(row["agent"] for row in rows))
    by_pair = {(row["agent"], row["tracker"]): row for row in rows}
    return markdown_table(
        ("tracker", *(f"{agent}: {what}" for agent in agents for what in ("probability", "error"))),
        [
            (name, *(cell for agent in agents for cell in _cells(by_pair[agent, name])))
            for name in VARIANTS
        ],
    )


def _play(record: Mapping[str, Any]) -> Iterator[str]:
    mazes, plies = _number(record, "play_mazes"), _number(record, "plies")
    yield "### In games"
    yield (
        "Red's `team` plays against others; what its two agents see and hear after every move is "
        f"recorded, and blue's first agent tracked by the record: games of up to {plies} moves in "
        f"{mazes} mazes. Two agents that go about hear and see more than one that stands still."
    )
    yield _accuracy(record["play"])


def _teams(record: Mapping[str, Any]) -> Iterator[str]:
    mazes, games = _number(record, "team_mazes"), _number(record, "games")
    seeds, population = _number(record, "seeds"), _number(record, "population")
    yield "## Teams"
    yield (
        "`team` is an attacker and a defender as the second part describes them, with weights set "
        "by hand; an option with 0 leaves that piece out (`evo players capture-the-flag`). Without "
        "`tracker` enemies out of sight are not known. Both `team` and `team:whim=0` weigh ways "
        "and draw among equal ones; only the first draws 2 steps in 100 from all. With `soft=0` "
        "there are hard rules: a step that costs 3 or more is forbidden where there is another "
        "way, all other steps cost the same, and the first of equal steps is taken. Each pair "
        f"plays {games} games in each of {mazes} mazes, half of them with the sides swapped; "
        "games won count draws half, with 95% intervals over mazes."
    )
    yield (
        f"`evolved` are the champions of {seeds} runs of {population} teams, each run in a maze in "
        f"which nobody plays afterwards: twelve numbers a team, at first random, "
        f"{_number(record, 'generations')} generations, every team against every other."
    )
    yield f"![Games won, a line a pair]({FIGURES}/teams.svg)"
    yield markdown_table(
        ("team", "against", "games won", "points", "conceded"),
        [
            (
                f"`{row['team']}`",
                f"`{row['against']}`",
                Interval.of_row(row, "win_rate").percent(),
                f"{row['points']:.1f}",
                f"{row['conceded']:.1f}",
            )
            for row in record["teams"]
        ],
    )


def _cells(row: Mapping[str, Any]) -> tuple[str, str]:
    low, high = row["probability_low"], row["probability_high"]
    return f"{row['probability']:.3f} ({low:.3f} to {high:.3f})", f"{row['error']:.1f}"


reproduce = JudgedStudy(
    "tracking",
    _record,
    _lines,
    _page,
    tables=("pieces", "betas", "play", "teams"),
    draw=_draw,
    draw_page=_draw_page,
    even=("games",),
).reproduce
