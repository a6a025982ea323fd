"""Evolution of game players that improve by playing each other.

    import evo
    run = evo.run("runs/rr", scheme="round-robin", generations=300, seed=1)
    run = evo.resume("runs/rr", generations=500)
    evo.evaluate("runs/rr", ["level-0", "level-1", "level-2", "optimal"], games=300)
    evo.prove("runs/rr")
    evo.tournament("dots-and-boxes", ["level-1", "level-2", "optimal", "runs/rr"]).scores

What they return is read with pandas, see :mod:`results`. Nothing is imported before it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evo.cross_table import tournament
    from evo.errors import ConfigError
    from evo.evaluation import evaluate
    from evo.opponents import champion, player
    from evo.proving import prove
    from evo.runs import Interrupted, resume, run

__all__ = [
    "ConfigError",
    "Interrupted",
    "champion",
    "evaluate",
    "player",
    "prove",
    "resume",
    "run",
    "tournament",
]

_HOMES = {
    "ConfigError": "evo.errors",
    "Interrupted": "evo.runs",
    "champion": "evo.opponents",
    "evaluate": "evo.evaluation",
    "player": "evo.opponents",
    "prove": "evo.proving",
    "resume": "evo.runs",
    "run": "evo.runs",
    "tournament": "evo.cross_table",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'evo' has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found
