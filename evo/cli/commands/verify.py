"""``evo verify``: a check that every file of a folder is complete and unchanged."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from evo.cli.console import coloured, print_report
from evo.cli.options import EXIT_FAILED, command_of
from evo.execution import Execution
from evo.requests.base import Request, argument


@dataclass(frozen=True)
class VerifyRequest(Request):
    """Check every file of a run, a tournament or a sweep.

    List damaged, missing, duplicate and foreign files, and files left by a crash, and say how to
    repair them. The exit status is 0 if everything that was written is there and undamaged. No file
    is changed.

    Attributes:
        run: folder of a run, a tournament or a sweep
    """

    run: str = argument("RUN")


def _verify(request: VerifyRequest, execution: Execution) -> int:
    from results.read.verify import WHOLE, verify

    findings = list(verify(request.run))
    counts = Counter(finding.state for finding in findings)
    told = [finding for finding in findings if finding.state != WHOLE]
    lines = [f"{coloured(each.state)}: {each.file}: {each.detail}" for each in told]
    states = (f"{count:,} {coloured(state)}" for state, count in counts.items())
    lines.append(f"checked {len(findings):,} files of {request.run}: {', '.join(states)}")
    print_report(map(vars, findings), lines, execution.json)
    return EXIT_FAILED if any(finding.is_fault for finding in findings) else 0


COMMAND = command_of(VerifyRequest, _verify, rank=5, group="look")
