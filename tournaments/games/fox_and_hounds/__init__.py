"""Fox and hounds: rules, boards, positions as numbers, tables."""

from __future__ import annotations

from dataclasses import asdict

from tournaments.games.fox_and_hounds import board, drawing, rules
from tournaments.games.fox_and_hounds.position_table import POSITION
from tournaments.games.fox_and_hounds.state_index import INDEX
from tournaments.rules import NetworkRules, Rules

RULES = Rules(
    name="fox-and-hounds",
    summary="the fox slips past the hounds, or they surround it; rule=easier or standard rows=8 "
    "cols=8",
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
    network=NetworkRules(lambda board_: 2 * int(board_[board.SQUARES]), rules.encode),
    states=INDEX,
    tables={POSITION.name: POSITION},
)
