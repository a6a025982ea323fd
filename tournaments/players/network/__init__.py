"""``network``: networks as players."""

from tournaments.players.network.encodings import Encoding, RealEncoding, groups_of
from tournaments.players.network.player import player, samples
from tournaments.players.network.weights import layers_for
from tournaments.rules import PlayerOffer

__all__ = ["PLAYER", "Encoding", "RealEncoding", "groups_of", "layers_for", "player"]

PLAYER = PlayerOffer(
    "an evolved genome or a weights file: network:weights=FILE.npy (hidden=18+9: its layers)",
    player,
    lambda game: game.rules.network is not None,
    of_file="weights",
    samples=samples,
)
