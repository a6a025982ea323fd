"""``table``: policy tables as players."""

from tournaments.players.table import player
from tournaments.rules import PlayerOffer

PLAYER = PlayerOffer(
    "an evolved table or a file of one: table:file=FILE.npy,seat=cat",
    player.player,
    lambda game: bool(game.rules.tables),
    of_file="file",
    samples=player.samples,
)
