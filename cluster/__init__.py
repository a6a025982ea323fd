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
    """Import an evaluator that needs Ray when the package's attribute ``name`` is first used."""
    if name != "RayEvaluator":
        raise AttributeError(f"module 'cluster' has no attribute {name!r}")
    return import_module("cluster.ray_matches").RayEvaluator
