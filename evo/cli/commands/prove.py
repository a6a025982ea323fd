"""``evo prove``: what the best possible opponent does to the champions of a run, exactly."""

from __future__ import annotations

from evo.cli.console import print_rows, where_rows_are
from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.evaluation import ProveRequest


def _prove(request: ProveRequest, execution: Execution) -> int:
    from evo.evaluation.evaluate import proved

    rows, sentences = proved(request, execution)
    if execution.json:
        print_rows(rows.to_dict("records"), {}, as_json=True)
        return 0
    print(*sentences, "", where_rows_are(request.run, len(rows)), sep="\n")
    return 0


COMMAND = command_of(ProveRequest, _prove, rank=5)
