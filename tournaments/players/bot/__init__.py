"""``bot``: a program in any language, which talks JSON lines over its standard input and output.

``command`` says which program it is, ``sandbox`` how it is held, ``process`` talks with it within
limits, ``messages`` are what is said, and ``player`` is the player. See ``docs/bots.md``.
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
