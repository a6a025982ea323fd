"""``network``: networks as players."""

from tournaments.players.network import player
from tournaments.rules import PlayerOffer

PLAYER = PlayerOffer(
    "an evolved genome or a weights file: network:weights=FILE.npy (hidden=18+9: its layers)",
    player.player,
    lambda game: game.rules.network is not None,
    of_file="weights",
    samples=player.samples,
)
