"""Evolution of game players that improve by playing each other.

    import evo
    run = evo.run("runs/rr", scheme="round-robin", generations=300, seed=1)
    run = evo.resume("runs/rr", generations=500)
    evo.evaluate("runs/rr", ["level-0", "level-1", "level-2", "optimal"], games=300)
    evo.evaluate("runs/rr", ["level-1", "optimal"], best=1, exact=True)
    evo.analyse("runs/rr").diagnoses
    evo.best_response("runs/rr")
    evo.tournament("dots-and-boxes", ["level-1", "level-2", "optimal", "runs/rr"]).scores
    evo.compare("runs/rr@300", "runs/rr@200", elo=(0, 20)).verdict

The results are read with pandas, see :mod:`results`. Modules are imported when they are used.
"""

# Only modules that the interpreter has already loaded are imported here: with ``python -m evo``
# the current folder is still the first on the path.
import sys
from importlib import import_module

_HOMES = {
    "ConfigError": "tournaments.errors",
    "Interrupted": "evo.evolution.runs",
    "analyse": "evo.evaluation.analyse",
    "champion": "evo.evaluation.players",
    "check_genome": "evo.contract",
    "check_learner": "evo.contract",
    "compare": "evo.tournaments.compare",
    "evaluate": "evo.evaluation.evaluate",
    "league": "evo.pages.site",
    "load_experiment": "evo.sweeps.experiment",
    "player": "evo.evaluation.players",
    "best_response": "evo.evaluation.evaluate",
    "report": "evo.pages.report",
    "resume": "evo.evolution.runs",
    "run": "evo.evolution.runs",
    "sweep": "evo.sweeps.sweep",
    "tournament": "evo.tournaments.play",
}
__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'evo' has no attribute {name!r}")
    globals()[name] = offer = getattr(import_module(_HOMES[name]), name)
    return offer


class _MovedModules:
    """An import finder for modules that moved. The table of moves is in :mod:`tournaments`."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name.startswith("evo."):
            import_module("tournaments.moved").MovedModules.find_spec(name)


sys.meta_path.append(_MovedModules)
