"""Evolution of game players that improve by playing each other.

    import evo
    run = evo.run("runs/rr", scheme="round-robin", generations=300, seed=1)
    run = evo.resume("runs/rr", generations=500)
    evo.evaluate("runs/rr", ["level-0", "level-1", "level-2", "optimal"], games=300)
    evo.evaluate("runs/rr", ["level-1", "optimal"], best=1, exact=True)
    evo.analyse("runs/rr").diagnoses
    evo.prove("runs/rr")
    evo.tournament("dots-and-boxes", ["level-1", "level-2", "optimal", "runs/rr"]).scores

What they return is read with pandas, see :mod:`results`. Nothing is imported before it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evo.analysing import analyse
    from evo.competition import tournament
    from evo.errors import ConfigError
    from evo.evaluation import evaluate
    from evo.experiment import load_experiment
    from evo.opponents import champion, player
    from evo.proving import prove
    from evo.runs import Interrupted, resume, run
    from evo.sweeps import Where, sweep

__all__ = [
    "ConfigError",
    "Interrupted",
    "Where",
    "analyse",
    "champion",
    "evaluate",
    "load_experiment",
    "player",
    "prove",
    "resume",
    "run",
    "sweep",
    "tournament",
]

_HOMES = {
    "ConfigError": "evo.errors",
    "Interrupted": "evo.runs",
    "Where": "evo.sweeps",
    "analyse": "evo.analysing",
    "champion": "evo.opponents",
    "evaluate": "evo.evaluation",
    "load_experiment": "evo.experiment",
    "player": "evo.opponents",
    "prove": "evo.proving",
    "resume": "evo.runs",
    "run": "evo.runs",
    "sweep": "evo.sweeps",
    "tournament": "evo.competition",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'evo' has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found
