"""Where matches are played: threads of this process, or Ray actors here and on a cluster."""

from cluster.evaluator import ClusterError, Entrants, Evaluator
from cluster.threads import LocalEvaluator, evaluator_or_threads

__all__ = ["ClusterError", "Entrants", "Evaluator", "LocalEvaluator", "evaluator_or_threads"]
