"""Cat trap: rules and boards."""

from __future__ import annotations

from dataclasses import asdict

from tournaments.games.cat_trap import board, drawing, optimal, planner, rules
from tournaments.games.cat_trap.paths import GREEDY, SHORTEST_PATH
from tournaments.games.cat_trap.vectors import FORMS
from tournaments.rules import NetworkRules, PlayerOffer, Rules, nobody

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
    rulers=rules.rulers,
    draw=drawing.draw,
    edit=rules.edit,
    network=NetworkRules(lambda board_: 2 * int(board_[board.TILES]), rules.encode),
    vectors={form.name: form for form in FORMS},
    yardsticks=("random", "shortest-path", "planner"),
    players={
        "optimal": PlayerOffer(
            "perfect play: wins wherever that can be done",
            optimal.KIND.player,
            optimal.plays,
            samples=nobody,  # looked at by a test of its own
        ),
        "greedy": PlayerOffer("steps to the tile nearest to the rim, or blocks it", GREEDY.player),
        "shortest-path": PlayerOffer(
            "goes a shortest way out, or blocks one", SHORTEST_PATH.player
        ),
        "planner": PlayerOffer(
            "looks some rounds ahead by a pseudo-reward; max_depth=0 num_states=-1 reward=4",
            planner.player,
            samples=nobody,  # looked at move by move, one takes minutes
        ),
    },
)
