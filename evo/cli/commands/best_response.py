"""``evo best-response``: the exact results of the best possible opponent against champions."""

from __future__ import annotations

from itertools import chain

from evo.cli.console import print_report, where_rows_are
from evo.cli.options import command_of
from evo.execution import Execution
from evo.requests.evaluation import BestResponseRequest


def _best_response(request: BestResponseRequest, execution: Execution) -> int:
    from evo.evaluation.evaluate import best_response_in_words

    rows, sentences = best_response_in_words(request, execution)
    lines = chain(sentences, ["", where_rows_are(request.run, len(rows))])
    print_report(rows.to_dict("records"), lines, execution.json)
    return 0


COMMAND = command_of(BestResponseRequest, _best_response, rank=2, group="measure")
