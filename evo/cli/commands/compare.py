"""``evo compare``: a sequential test of which of two players is stronger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evo.cli.console import print_report
from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.tournaments import CompareRequest

if TYPE_CHECKING:
    from evo.tournaments.compare import Comparison


def _compare(request: CompareRequest, execution: Execution) -> int:
    from evo.tournaments.compare import compare

    comparison = compare(request, execution)
    print_report([comparison.record()], _lines(comparison), execution.json)
    return 0


def _lines(comparison: Comparison) -> list[str]:
    """Return the lines of text on a comparison of two players: the answer and its numbers."""
    from results.errors import printable

    row, sprt = comparison.record(), comparison.sprt
    names = [printable(name) for name in comparison.names]
    answer = {
        "stronger": f"{names[0]} is stronger than {names[1]}: a lead of {sprt.high:g} Elo points "
        f"was accepted, against {sprt.low:g}",
        "not stronger": f"{names[0]} is not {sprt.high:g} Elo points stronger than {names[1]}: a "
        f"lead of {sprt.low:g} was accepted",
    }
    undecided = "undecided: more games are needed, see --most"
    if comparison.repeats:
        undecided = "undecided: they play without randomness, the same games in every match"
    return [
        answer.get(comparison.verdict, undecided),
        f"log-likelihood ratio of the two leads {row['llr']:+.2f}; the test ends at "
        f"{row['llr_low']:+.2f} or {row['llr_high']:+.2f}",
        f"Elo {row['elo']:+.1f} ({row['elo_low']:+.1f}, {row['elo_high']:+.1f}), 95% interval",
        f"games {row['games']:,}: {row['wins']:,} won, {row['draws']:,} drawn, "
        f"{row['losses']:,} lost; {row['win_rate_first']:.1%} won in the first seat, "
        f"{row['win_rate_second']:.1%} in the second; matches of 0, 1/2, 1, 3/2, 2 points: "
        f"{', '.join(f'{count:,}' for count in comparison.counts.tolist())}",
    ]


COMMAND = command_of(CompareRequest, _compare, rank=4, group="measure")
