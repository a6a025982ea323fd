"""The laws that every game, player and scheme keeps, as checks for their authors."""

from tournaments.contract.check import Seen, check_game
from tournaments.contract.player import check_player
from tournaments.contract.schemes import check_scheme
from tournaments.guard import ContractError

__all__ = ["ContractError", "Seen", "check_game", "check_player", "check_scheme"]
