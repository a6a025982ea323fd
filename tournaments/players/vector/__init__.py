"""``vector``: players that go by numbers, of a kind that the game offers."""

from tournaments.players.vector import player
from tournaments.rules import PlayerOffer

PLAYER = PlayerOffer(
    "evolved numbers or a file of them: vector:file=FILE.npy,seat=cat",
    player.player,
    lambda game: bool(game.rules.vectors),
    of_file="file",
    samples=player.samples,
)
