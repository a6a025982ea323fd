"""Cat trap: rules and boards."""

from __future__ import annotations

from dataclasses import asdict

from tournaments.games.cat_trap import board, drawing, rules
from tournaments.rules import NetworkRules, Rules

RULES = Rules(
    name="cat-trap",
    summary="the cat reaches the rim, or is trapped by blocked tiles; size=7 blocks=random",
    seats=board.SEATS,
    has_roles=True,
    options=asdict(board.Options()),
    board=board.make_board,
    state_size=board.state_size,
    num_actions=board.num_actions,
    start=rules.start,
    legal=rules.legal,
    play=rules.play,
    text=rules.text,
    parse=rules.parse,
    describe=rules.describe,
    measure=rules.measure,
    emoji=rules.emoji,
    draw=drawing.draw,
    edit=rules.edit,
    network=NetworkRules(lambda board_: 2 * int(board_[board.TILES]), rules.encode),
)
