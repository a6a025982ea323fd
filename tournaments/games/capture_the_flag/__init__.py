"""Capture the flag: rules, mazes and agents."""

from __future__ import annotations

from dataclasses import asdict, replace

from tournaments.games.capture_the_flag import board, drawing, rules, text
from tournaments.games.capture_the_flag.agents import hungry, players
from tournaments.games.capture_the_flag.pelita.program import program
from tournaments.rules import ChanceRules, PlayerOffer, Rules

RULES = Rules(
    name="capture-the-flag",
    summary="ghosts at home, pac-men abroad, enemies out of sight; maze=1 width=30 height=15",
    seats=board.SEATS,
    options=asdict(board.Options()),
    board=board.make_board,
    state_size=board.state_size,
    num_actions=lambda board_: len(board.ACTIONS),
    most_plies=lambda board_: int(board_[board.MOVES]),
    start=rules.start,
    legal=rules.legal,
    play=rules.play,
    view=rules.view,
    chance=ChanceRules(),
    text=text.text,
    parse=text.parse,
    describe=text.describe,
    emoji=text.emoji,
    draw=drawing.draw,
    vectors={players.FORM.name: replace(players.FORM, programs={"pelita": program})},
    yardsticks=("random", "hungry", "team"),
    opponents=("hungry", "team"),
    ground=board.ground,
    players={
        "hungry": PlayerOffer("both agents make for the nearest dot, blind", hungry.KIND.player),
        **players.OFFERS,
    },
)
