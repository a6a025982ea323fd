"""The laws of what a game may offer beside its rules: it agrees with what the rules say.

Part of :func:`tournaments.contract.check.check_game`. A law raises :class:`ContractError` with its
text if the game breaks it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tournaments import players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.arena.outcomes import results_of_a
from tournaments.contract.player import registered_players
from tournaments.drawing.film import svg
from tournaments.drawing.scenes import film
from tournaments.drawing.shapes import Drawing, Scene
from tournaments.errors import TournamentError
from tournaments.game import Game, State
from tournaments.guard import ContractError, require
from tournaments.kernels import bitset as action_sets
from tournaments.kernels.hooks import action_value_by_play
from tournaments.kernels.linker import build
from tournaments.kernels.rng import match_seeds
from tournaments.player import CompiledPlayer, Player, identity
from tournaments.players.network import layers_for
from tournaments.registry import parse_spec
from tournaments.solver import table as oracle
from tournaments.solver.every_game import best_responses, meetings
from tournaments.solver.exact import BestResponses, Meetings
from tournaments.solver.states import may_have_states

MOST_TURNED = 30
"""Number of plies that are played again by each symmetry: a whole game on 3x3 boxes."""
MOST_POSITIONS = 1 << 12
"""Number of positions of a solvable game whose exact play is checked: 2x2 boxes."""
MATCHES = 200
"""Number of matches played beside a meeting that was computed."""
ROUNDING = 1e-9
"""Tolerance of a figure."""


# --- a move ------------------------------------------------------------------------------------


def numbers_lead_back(before: State, action: int, after: State) -> None:
    """Check that a game's numbers of positions lead back to them, and fit into the tables."""
    game, index = before.game, before.game.rules.states
    if index is None or not may_have_states(game):
        return
    number, again = index.number(game.board, before.array), np.zeros_like(before.array)
    is_number = 0 <= number < index.count(game.board)
    require(is_number, "states.number() must be from 0 to count() - 1")
    seat = before.seat_to_move
    leads_back = index.position(game.board, seat, number, again) and (again == before.array).all()
    require(leads_back, "states.position() of a position's number must be that position")
    law = "states.most_legal() must be as many as are legal in any position of a seat"
    require(len(before.legal_actions()) <= index.most_legal(game.board)[seat], law)


def inputs_change(before: State, action: int, after: State) -> None:
    """Check that a game's ``encode_change`` leads to the network inputs of the next position."""
    game, rules = after.game, after.game.rules.network
    if rules is None or rules.encode_change is None:
        return
    old, new = np.zeros(layers_for(game)[0]), np.zeros(layers_for(game)[0])
    rules.encode(game.board, before.array, old)
    rules.encode(game.board, after.array, new)
    inputs, changed = old.copy(), np.zeros(old.size, dtype=np.int16)
    count = rules.encode_change(game.board, after.array, action, old, inputs, changed)
    are_listed = {*changed[:count]} == {*np.flatnonzero(old != new)}
    law = "encode_change() must bring the inputs to those of encode() and list what it changed"
    require(np.array_equal(inputs, new) and are_listed, law)


def sets_are_legal(before: State, action: int, after: State) -> None:
    """Check both kernels of a game for sets of legal actions against its list of legal actions.

    A position that ends the game has no set.
    """
    sets, board = after.game.rules.sets, after.game.board
    if sets is None:
        return
    words = np.full_like(action_sets.empty(after.game.num_actions), 99)
    count, legal = sets.legal_set(board, before.array, words), before.legal_actions()
    law = "legal_set() must write the actions of legal() and return how many there are"
    require((count, action_sets.members(words)) == (len(legal), legal), law)
    if after.is_over:
        return
    count, legal = sets.legal_set_change(board, after.array, action, words), after.legal_actions()
    law = "legal_set_change() must bring the set to that of legal_set() and return its size"
    require((count, action_sets.members(words)) == (len(legal), legal), law)


def values_follow(before: State, action: int, after: State) -> None:
    """Check the game's exact value of an action against that of the position that follows."""
    game, rules = after.game, after.game.rules.solver
    if rules is None or rules.action_value is None or not oracle.can_solve(game):
        return
    values = oracle.values(game)
    by_play = build(action_value_by_play, game.hooks, compiled=False)
    number = rules.position(game.board, before.array)
    given = game.board, before.array, number, action, values
    offered, played = (
        value(*given, before.array.copy()) for value in (rules.action_value, by_play)
    )
    law = "action_value() must be the action's score plus the value of the next position"
    require(offered == played, law)


MOVE_LAWS = (inputs_change, sets_are_legal, values_follow, numbers_lead_back)
"""Laws of a move: (position before, action, position after)."""


# --- a game that was played --------------------------------------------------------------------


def has_symmetries(course: Sequence[State], actions: Sequence[int]) -> None:
    """Check that a game takes the same course if a symmetry maps its positions and actions."""
    game, rules = course[0].game, course[0].game.rules.network
    if rules is None or rules.symmetries is None:
        return
    parts = rules.symmetries(game.board)
    law = "symmetries() must say where each input, hidden node and action goes"
    require([part.shape[1] for part in parts] == list(layers_for(game)), law)
    law = "each row of symmetries() must name every input, hidden node or action once"
    require(all((np.sort(part) == np.arange(part.shape[1])).all() for part in parts), law)
    whole = np.hstack(parts)  # one symmetry a row
    shifts = np.cumsum([0, *layers_for(game)[:-1]]).repeat(layers_for(game))
    rows = {row.tobytes() for row in whole}
    law = "two of symmetries() in sequence must be one of symmetries()"
    require(all(row[other + shifts].tobytes() in rows for row in whole for other in whole), law)
    law = "a game with actions mapped by symmetries() must take the same course"
    for inputs, moved in zip(parts.inputs, parts.actions, strict=True):
        require(_same_game(course[0], actions[:MOST_TURNED], inputs, moved), law)


def _same_game(start: State, actions: Sequence[int], inputs: np.ndarray, moved: np.ndarray) -> bool:
    """Return whether a game takes the same course with each action mapped by a symmetry.

    Args:
        start: the first position.
        actions: the actions of the game.
        inputs: the symmetry of the network's inputs.
        moved: the symmetry of the actions.
    """
    game, here, there = start.game, start.clone(), start.clone()
    shown = np.zeros((2, len(inputs)))
    for action in actions:
        if sorted(moved[here.legal_actions()].tolist()) != there.legal_actions():
            return False
        here.play(action)
        there.play(int(moved[action]))
        for state, row in zip((here, there), shown, strict=True):
            assert game.rules.network is not None
            game.rules.network.encode(game.board, state.view(max(0, state.seat_to_move)).array, row)
        if (here.seat_to_move, here.scores) != (there.seat_to_move, there.scores):
            return False
        if not np.array_equal(shown[0], shown[1][inputs]):
            return False
    return True


def has_drawing(course: Sequence[State], actions: Sequence[int]) -> None:
    """Check the frames that a game draws of its positions."""
    seats = [-1, *(state.seat_to_move for state in course[:-1])]
    scenes = [
        Scene(state, seat, action, ("a caption",))
        for state, seat, action in zip(course, seats, [-1, *actions], strict=True)
    ]
    if course[0].game.rules.draw is not None:
        drawing = course[0].game.rules.draw(scenes)
        require(
            isinstance(drawing, Drawing)
            and len(drawing.frames) == len(scenes)
            and min(drawing.width, drawing.height) > 0,
            "draw() must give a board with a width and a height, and a frame for each scene",
        )
    picture = svg(film(scenes, ("one", "other"), 1.0))
    require("<svg" in picture, "draw() must give shapes of tournaments.drawing.shapes")


def has_picture(course: Sequence[State], actions: Sequence[int]) -> None:
    """Check a game's emoji for terminals, and the rulers beside them."""
    board, rules = course[0].game.board, course[0].game.rules
    if rules.emoji is not None:
        require(isinstance(rules.emoji(board, course[0].array), str), "emoji() must give a text")
    if rules.rulers is None:
        return
    match rules.rulers(board):
        case (str(), [*left]) if all(isinstance(each, str) for each in left):
            return
    raise ContractError("rulers() must give a text, and a list of a text per line of the picture")


def counts_its_objective(course: Sequence[State], actions: Sequence[int]) -> None:
    """Check that the objective of a game fits its table of exact values.

    A table that leaves the scores out must not count points.
    """
    game = course[0].game
    if game.rules.solver is None or game.counts_points:
        return
    scores = [state.scores for state in course]
    early = any(first != second for first, second in scores[:-1])
    require(
        not early and abs(scores[-1][0] - scores[-1][1]) <= 1,
        "objective must be 'points' where the table of exact values counts points: the scores "
        "differ before the end, or by more than one",
    )


FIRST_COURSE_LAWS = (has_symmetries, has_drawing, has_picture)
"""Laws of the first game played: (its positions, the actions between them)."""


# --- other offers ------------------------------------------------------------------------------


def names_players(game: Game) -> None:
    """Check that a game's yardsticks and default opponents are names of players."""
    for field in ("yardsticks", "opponents"):
        try:
            for name in getattr(game.rules, field):
                players.offer(parse_spec(name)[0], game)
        except TournamentError as error:
            raise ContractError(f"{field} must name players ({error})") from None


def computes_exactly(game: Game, seed: int) -> None:
    """Check the best responses and exact results that a game computes against games played."""
    rules = game.rules
    if rules.solver is not None and not _is_small(game):
        return
    sample = {identity(player): player for player in registered_players(game) if _is_quick(player)}
    if rules.best_responses is not None:
        try:
            responses = best_responses(game)
        except TournamentError:
            return  # another board, or other options
        for player in sample.values():
            _check_best_response(responses, player, seed)
    if rules.meetings is not None:
        computed = meetings(game)
        for player in sample.values():
            _check_meeting(computed, player, seed)


def _is_small(game: Game) -> bool:
    return oracle.can_solve(game) and oracle.num_positions(game) <= MOST_POSITIONS


def _is_quick(player: CompiledPlayer) -> bool:
    """Return whether a player's candidate actions compile quickly; those of networks do not."""
    return player.options == {} or player.kind.candidates is None


def _check_best_response(responses: BestResponses, player: CompiledPlayer, seed: int) -> None:
    try:
        proof = responses.proof(player, lambda line: None)
    except TournamentError:
        return  # nothing is known of this player
    seats = len(player.seats) if responses.is_certain else 0
    is_possible = 0 <= proof.wins <= proof.games == seats and proof.exploitability >= -ROUNDING
    require(is_possible, f"best responses: {player.name} cannot have {proof}")
    law = f"best responses: the result for {player.name} lacks a sentence in words"
    require(proof.sentences, law)
    if proof.wins == seats == len(player.seats) == 2 and responses.start == "":
        results = _results(player, players.make("level-0", player.game), 20, seed)
        law = f"best responses: {player.name} is said to beat any opponent, but lost to random play"
        require((results >= 0).all(), law)


def _results(player: CompiledPlayer, other: Player, matches: int, seed: int) -> np.ndarray:
    """Return the results of a player in matches against another: +1, 0 or -1, ``[matches, 2]``.

    The columns are the games as the first seat and as the second.
    """
    pairs = np.tile(np.array([[-1, -2]], dtype=np.int32), (matches, 1))
    entrants = Entrants(player.game, (player, other))
    return results_of_a(play_pairs(entrants, pairs, match_seeds(seed, "contract", 1, matches)))


def _check_meeting(computed: Meetings, player: CompiledPlayer, seed: int) -> None:
    """Check the computed shares of games that a player wins against games that are played."""
    game = player.game
    try:
        mine = computed.checked(player)
        other = computed.checked(players.make("level-0", game))
        meeting = computed.meeting(mine, other, lambda line: None)
    except TournamentError:
        return  # nothing is known of this player
    won = _results(player, other, MATCHES, seed) > 0
    for seat, share in enumerate(np.asarray(meeting.wins).tolist()):
        played = float(won[:, seat].mean())
        require(
            abs(played - share) <= 6.0 * np.sqrt(max(share * (1.0 - share), 0.0) / MATCHES),
            f"meetings: {player.name} is to win {share:.1%} of its games as the "
            f"{game.seats[seat]} against random play, and wins {played:.1%} of {MATCHES}",
        )
