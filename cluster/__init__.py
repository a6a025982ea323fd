"""Where matches are played: threads of this process, or Ray actors here and on a cluster."""

from cluster.evaluator import ClusterError, Evaluator
from cluster.threads import LocalEvaluator, evaluator_or_threads
from tournaments.arena.entrants import Entrants

__all__ = ["ClusterError", "Entrants", "Evaluator", "LocalEvaluator", "evaluator_or_threads"]
