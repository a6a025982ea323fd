"""The laws that every game, player and scheme keeps, as checks for their authors."""

from tournaments.contract.check import ContractError, check_game, check_player

__all__ = ["ContractError", "check_game", "check_player"]
