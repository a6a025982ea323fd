"""Set: rules, players that prefer some sets, and a drawing."""

from __future__ import annotations

from dataclasses import asdict

from tournaments.games.set import board, drawing, preferences, rules
from tournaments.rules import ChanceRules, Rules

RULES = Rules(
    name="set",
    summary="take sets of three cards off the table in turn; cards=12 dimensions=4",
    seats=board.SEATS,
    options=asdict(board.Options()),
    board=board.make_board,
    state_size=rules.state_size,
    num_actions=rules.num_actions,
    most_plies=rules.most_plies,
    start=rules.start,
    legal=rules.legal,
    play=rules.play,
    chance=ChanceRules(),
    text=rules.text,
    parse=rules.parse,
    describe=rules.describe,
    is_search=True,
    emoji=rules.emoji,
    draw=drawing.draw,
    vectors={preferences.FORM.name: preferences.FORM},
    yardsticks=("random", "spoiler"),
    opponents=("random", "taker"),
    players=preferences.OFFERS,
)
