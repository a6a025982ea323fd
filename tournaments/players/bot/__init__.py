"""``bot``: a program in any language that exchanges JSON lines over standard input and output.

* ``command`` finds the program and builds its command line.
* ``sandbox`` sets resource limits.
* ``process`` runs the program and enforces time limits.
* ``messages`` encodes and decodes the protocol.
* ``player`` is the player.

The protocol is described in ``docs/bots.md``.
"""

from tournaments.players.bot.command import files_of_program, is_meant, names_program
from tournaments.players.bot.player import Bot, bot
from tournaments.rules import PlayerOffer, nobody

__all__ = ["PLAYER", "Bot", "bot", "is_meant", "names_program"]

PLAYER = PlayerOffer(
    "a program of yours: bot:cmd=./a.out, or by its file alone: ./bot.py (docs/bots.md)",
    bot,
    of_file="cmd",
    takes=names_program,
    files=files_of_program,
    samples=nobody,
)
