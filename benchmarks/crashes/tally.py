"""What happened so far, and how long it may go on."""

import time
from collections import Counter
from dataclasses import dataclass, field

MOST_SECONDS = 300
"""After which a piece of work counts as one that hangs."""


@dataclass
class Tally:
    """What happened so far."""

    seconds: float
    started: float = field(default_factory=time.monotonic)
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def is_late(self) -> bool:
        """Whether the time is up that was given."""
        return time.monotonic() - self.started > self.seconds

    def fault(self, line: str) -> None:
        """Note a fault and print it."""
        self.faults.append(line)
        print(f"FAULT {line}", flush=True)
