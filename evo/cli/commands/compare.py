"""``evo compare``: which of two players is the stronger, in as many games as that takes."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from evo.cli.console import playing, print_rows
from evo.cli.options import PLAYERS, Command, Parser

if TYPE_CHECKING:
    from evo.tournaments.compare import Comparison


def _add_arguments(command: Parser) -> None:
    command.add_value("player", "A", f"{PLAYERS}; RUN@100: of generation 100")
    command.add_value("opponent", "B", "whom it is compared with, named likewise")
    command.add_value("--game", "GAME", "what they play (default: that of the run A or B)")
    command.add_argument(
        "--elo",
        metavar=("LOW", "HIGH"),
        help="whether A is ahead by LOW points or by HIGH (default: 0 5)",
        nargs=2,
        type=float,
        default=(0.0, 5.0),
    )
    for flag, truth in (("--alpha", "LOW"), ("--beta", "HIGH")):
        command.add_value(
            flag,
            "SHARE",
            f"how often the answer may be wrong where {truth} is true (default: %(default)s)",
            type=float,
            default=0.05,
        )
    command.add_number("--most", "N", "games at most (default: %(default)s)", 100_000)
    command.add_number("--seed", "N", "(default: %(default)s)", 1)
    command.add_where()
    command.add_faults()
    command.add_json()


def _compare(options: argparse.Namespace) -> int:
    from evo.tournaments.compare import compare

    with playing(options) as (display, where):
        comparison = compare(
            options.player,
            options.opponent,
            options.game,
            tuple(options.elo),
            alpha=options.alpha,
            beta=options.beta,
            most_games=options.most,
            seed=options.seed,
            report=display.game,
            **where,
        )
    if options.json:
        print_rows([comparison.record()], {}, as_json=True)
    else:
        print("\n".join(_lines(comparison)))
    return 0


def _lines(comparison: Comparison) -> list[str]:
    """The answer, and what it rests on."""
    from results.errors import printable

    row, sprt = comparison.record(), comparison.sprt
    names = [printable(name) for name in comparison.names]
    answer = {
        "stronger": f"{names[0]} is stronger than {names[1]}: {sprt.high:+g} was accepted",
        "not stronger": f"{names[0]} is not stronger than {names[1]} by so much: {sprt.low:+g} "
        "was accepted",
    }
    undecided = "undecided: more games are needed, see --most"
    if comparison.repeats:
        undecided = "undecided: they play without randomness, the same games in every match"
    lines = [
        answer.get(comparison.verdict, undecided),
        f"LLR {row['llr']:+.2f} ({row['llr_low']:+.2f}, {row['llr_high']:+.2f}) of "
        f"{sprt.high:+g} to {sprt.low:+g} Elo points",
        f"Elo {row['elo']:+.1f} ({row['elo_low']:+.1f}, {row['elo_high']:+.1f}), 95% interval",
        f"games {row['games']:,}: {row['wins']:,} won, {row['draws']:,} drawn, "
        f"{row['losses']:,} lost; {row['win_rate_first']:.1%} won in the first seat, "
        f"{row['win_rate_second']:.1%} in the second; matches of 0, 1/2, 1, 3/2, 2 points: "
        f"{', '.join(f'{count:,}' for count in comparison.counts.tolist())}",
    ]
    return lines


COMMAND = Command(
    "which of two is stronger: games until that is known",
    _add_arguments,
    _compare,
    "Let two players meet until a sequential test knows whether the first is ahead by so many Elo "
    "points, and print its answer, the likelihood ratio and the difference with its interval.",
    rank=7,
)
