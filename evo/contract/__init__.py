"""The laws that every encoding and every learner keeps, as checks for their authors."""

from evo.contract.genome import check_genome
from evo.contract.learner import check_learner

__all__ = ["check_genome", "check_learner"]
