"""``evo prove``: what the best possible opponent does to the champions of a run, exactly."""

from __future__ import annotations

from evo.cli.console import print_rows, where_rows_are
from evo.cli.options import Command
from evo.execution import Execution
from evo.requests.evaluation import ProveRequest


def _prove(request: ProveRequest, execution: Execution) -> int:
    from evo.evaluation.evaluate import proved

    proofs = proved(request, execution)
    if execution.json:
        print_rows(proofs.rows.to_dict("records"), {}, as_json=True)
        return 0
    print(*proofs.sentences(), "", where_rows_are(request.run, len(proofs.rows)), sep="\n")
    return 0


COMMAND = Command(
    "compute what the best possible opponent does to the champions of a run",
    ProveRequest,
    _prove,
    "Compute, exactly, what the best possible opponent does to the champion of each population, "
    "and append it to RUN/evaluations; for dots and boxes also what comes of its games against "
    "perfect play, its regret a move and its share of optimal moves. What was proved before is not "
    "computed again. Gains are in net wins, games won less games lost, or in net points where the "
    "game counts these. For cat and mouse with one of each, dots and boxes of up to 24 edges, "
    "repeated games and any game of few positions; cat and mouse that draws where it starts is "
    "proved from the corners.",
    rank=5,
)
