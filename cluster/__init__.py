"""Evaluators, which play matches: threads of this process, or Ray actors here and on a cluster."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cluster.evaluator import ClusterError, Evaluator
from cluster.threads import LocalEvaluator
from tournaments.arena.entrants import Entrants

if TYPE_CHECKING:
    from cluster.ray_matches import RayEvaluator as RayEvaluator

__all__ = ["ClusterError", "Entrants", "Evaluator", "LocalEvaluator", "RayEvaluator"]


def __getattr__(name: str) -> Any:
    """Import modules that need Ray when they are used."""
    if name != "RayEvaluator":
        raise AttributeError(f"module 'cluster' has no attribute {name!r}")
    return import_module("cluster.ray_matches").RayEvaluator
