"""``value-table``: tables of the values of actions as players."""

from tournaments.players.value_table import player
from tournaments.players.value_table.encoding import may_have_values
from tournaments.rules import PlayerOffer

PLAYER = PlayerOffer(
    "learned values of actions, from a file: value-table:file=FILE.npy,seat=fox,epsilon=0.1",
    player.player,
    may_have_values,
    of_file="file",
    samples=player.samples,
)
