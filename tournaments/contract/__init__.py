"""The laws that every game, player and scheme keeps, as checks for their authors."""

from tournaments.contract.check import ContractError, check_game, check_player
from tournaments.contract.schemes import check_scheme

__all__ = ["ContractError", "check_game", "check_player", "check_scheme"]
