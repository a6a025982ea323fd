"""Whether what a game may offer beside its rules agrees with what its rules say.

Part of :func:`tournaments.contract.check.check_game`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from tournaments import players
from tournaments.arena.arena import play_pairs
from tournaments.arena.entrants import Entrants
from tournaments.arena.outcomes import results_of_a
from tournaments.contract.samples import registered_players
from tournaments.drawing.film import svg
from tournaments.drawing.scenes import film
from tournaments.drawing.shapes import Drawing, Scene
from tournaments.errors import TournamentError
from tournaments.game import Game, State
from tournaments.kernels import bitset as action_sets
from tournaments.kernels.hooks import action_value_by_play
from tournaments.kernels.linker import build
from tournaments.kernels.rng import match_seeds
from tournaments.player import CompiledPlayer, Player, identity
from tournaments.players.network.bits import layers_for
from tournaments.registry import parse_spec
from tournaments.solver import table as oracle
from tournaments.solver.every_game import best_responses, meetings
from tournaments.solver.exact import BestResponses, Meetings
from tournaments.solver.states import may_have_states

MOST_TURNED = 30
"""Plies of a game that are played again by each symmetry: a whole game on 3x3 boxes."""
MOST_POSITIONS = 1 << 12
"""Of a game that can be solved, and whose exact play is looked at: 2x2 boxes."""
MATCHES = 200
"""Played beside a meeting that was computed."""
ROUNDING = 1e-9
"""What a figure may be off by."""


def broken_law(before: State, action: int, after: State) -> str | None:
    """The law that an offered kernel breaks in going from one position to the next, if any."""
    checks = _encode_change, _legal_set, _action_value, _index
    return next(filter(None, (check(before, action, after) for check in checks)), None)


def _index(before: State, action: int, after: State) -> str | None:
    """Numbers of positions must lead back to them, and fit into the tables."""
    game, index = before.game, before.game.rules.states
    if index is None or not may_have_states(game):
        return None
    number, again = index.number(game.board, before.array), np.zeros_like(before.array)
    if not 0 <= number < index.count(game.board):
        return "states.number() must be from 0 to count() - 1"
    seat = before.seat_to_move
    is_there = index.position(game.board, seat, number, again)
    if not is_there or not np.array_equal(again, before.array):
        return "states.position() of a position's number must be that position"
    if len(before.legal_actions()) > index.most_legal(game.board)[seat]:
        return "states.most_legal() must be as many as are legal in any position of a seat"
    return None


def broken_symmetry(start: State, actions: Sequence[int]) -> str | None:
    """The law that symmetries break which a game offers, over the plies of one game, if any.

    Args:
        start: where the game began.
        actions: all that were played; of a long game the first ones are looked at.
    """
    game, rules = start.game, start.game.rules.network
    if rules is None or rules.symmetries is None:
        return None
    parts = rules.symmetries(game.board)
    if [part.shape[1] for part in parts] != list(layers_for(game)):
        return "symmetries() must say where each input, hidden node and action goes"
    if any((np.sort(part) != np.arange(part.shape[1])).any() for part in parts):
        return "each row of symmetries() must name every input, hidden node or action once"
    whole = np.hstack(parts)  # one symmetry a row
    shifts = np.cumsum([0, *layers_for(game)[:-1]]).repeat(layers_for(game))
    rows = {row.tobytes() for row in whole}
    if any((row[other + shifts]).tobytes() not in rows for row in whole for other in whole):
        return "two of symmetries(), one after the other, must be one of them"
    for inputs, moved in zip(parts.inputs, parts.actions, strict=True):
        if not _same_game(start, actions[:MOST_TURNED], inputs, moved):
            return "a game with its actions led elsewhere by symmetries() must be the same game"
    return None


def _same_game(start: State, actions: Sequence[int], inputs: np.ndarray, moved: np.ndarray) -> bool:
    """Whether the game with each action where a symmetry leads it has the same course."""
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


def _encode_change(before: State, action: int, after: State) -> str | None:
    game, rules = after.game, after.game.rules.network
    if rules is None or rules.encode_change is None:
        return None
    old, new = np.zeros(layers_for(game)[0]), np.zeros(layers_for(game)[0])
    rules.encode(game.board, before.array, old)
    rules.encode(game.board, after.array, new)
    inputs, changed = old.copy(), np.zeros(old.size, dtype=np.int16)
    count = rules.encode_change(game.board, after.array, action, old, inputs, changed)
    if not np.array_equal(inputs, new) or {*changed[:count]} != {*np.flatnonzero(old != new)}:
        return "encode_change() must bring the inputs to those of encode() and list what it changed"
    return None


def _legal_set(before: State, action: int, after: State) -> str | None:
    """Both kernels are held to ``legal``; a position that ends the game has no set."""
    sets, board = after.game.rules.sets, after.game.board
    if sets is None:
        return None
    words = np.full_like(action_sets.empty(after.game.num_actions), 99)
    count = sets.legal_set(board, before.array, words)
    if (count, action_sets.members(words)) != _expected(before):
        return "legal_set() must write the actions of legal() and return how many there are"
    if after.is_over:
        return None
    count = sets.legal_set_change(board, after.array, action, words)
    if (count, action_sets.members(words)) != _expected(after):
        return "legal_set_change() must bring the set to that of legal_set() and return its size"
    return None


def _expected(state: State) -> tuple[int, list[int]]:
    legal = state.legal_actions()
    return len(legal), legal


def _action_value(before: State, action: int, after: State) -> str | None:
    game, rules = after.game, after.game.rules.solver
    if rules is None or rules.action_value is None or not oracle.can_solve(game):
        return None
    values = oracle.values(game)
    by_play = build(action_value_by_play, game.hooks, compiled=False)
    number = rules.position(game.board, before.array)
    asked = game.board, before.array, number, action, values
    if rules.action_value(*asked, before.array.copy()) != by_play(*asked, before.array.copy()):
        return "action_value() must be what is scored by the action and the value of what follows"
    return None


def broken_objective(game: Game, courses: Iterable[Sequence[np.ndarray]]) -> str | None:
    """The law that a table of exact values breaks which leaves the scores out, if any.

    Args:
        game: what was played.
        courses: the states of each game, the last one over.
    """
    if game.rules.solver is None or game.counts_points:
        return None
    for *course, end in courses:
        early = [state for state in course if state[1] != state[2]]
        if early or abs(int(end[1]) - int(end[2])) > 1:
            return (
                "objective must be 'points' where the table of exact values counts points: the "
                "scores differ before the end, or by more than one"
            )
    return None


# --- what stands beside the rules --------------------------------------------------------------


def unknown_yardstick(game: Game) -> str | None:
    """The law that yardsticks or usual opponents break which name nobody, if any."""
    for field in ("yardsticks", "opponents"):
        try:
            for name in getattr(game.rules, field):
                players.offer(parse_spec(name)[0], game)
        except TournamentError as error:
            return f"{field} must name players ({error})"
    return None


def broken_drawing(course: Sequence[State], actions: Sequence[int]) -> str | None:
    """The law that a game's drawing breaks over the positions of one game, if any.

    Args:
        course: the positions.
        actions: what was played in each; of the last one nothing.
    """
    seats = [-1, *(state.seat_to_move for state in course[:-1])]
    played = [-1, *actions[: len(course) - 1]]
    scenes = [
        Scene(state, seat, action, ("a caption",))
        for state, seat, action in zip(course, seats, played, strict=True)
    ]
    if course[0].game.rules.draw is not None:
        drawing = course[0].game.rules.draw(scenes)
        if (
            not isinstance(drawing, Drawing)
            or len(drawing.frames) != len(scenes)
            or min(drawing.width, drawing.height) <= 0
        ):
            return "draw() must give a board with a width and a height, and a frame for each scene"
    if "<svg" not in svg(film(scenes, ("one", "other"), 1.0)):
        return "draw() must give shapes of tournaments.drawing.shapes"
    return None


def broken_picture(state: State) -> str | None:
    """The law that a position's picture for terminals breaks, or the rulers beside it, if any."""
    game, rules = state.game, state.game.rules
    if rules.emoji is not None and not isinstance(rules.emoji(game.board, state.array), str):
        return "emoji() must give a text"
    if rules.rulers is None:
        return None
    match rules.rulers(game.board):
        case (str(), [*left]) if all(isinstance(each, str) for each in left):
            return None
    return "rulers() must give a text, and a list of one for each line of the picture"


def broken_exact_play(game: Game, seed: int) -> str | None:
    """The law that a game breaks in computing what others play, if any."""
    rules = game.rules
    if rules.solver is not None and not _is_small(game):
        return None
    sample = {identity(player): player for player in registered_players(game) if _is_quick(player)}
    laws: Iterable[str | None] = ()
    if rules.best_responses is not None:
        try:
            responses = best_responses(game)
        except TournamentError:
            return None  # another board, or other options
        laws = (_best_response(responses, player, seed) for player in sample.values())
    if rules.meetings is not None:
        computed = meetings(game)
        laws = chain(laws, (_meeting(computed, player, seed) for player in sample.values()))
    return next(filter(None, laws), None)


def _is_small(game: Game) -> bool:
    return oracle.can_solve(game) and oracle.num_positions(game) <= MOST_POSITIONS


def _is_quick(player: CompiledPlayer) -> bool:
    """Networks are left out: to ask what they draw from takes the compiler long."""
    return player.options == {} or player.kind.candidates is None


def _best_response(responses: BestResponses, player: CompiledPlayer, seed: int) -> str | None:
    try:
        proof = responses.proof(player, lambda line: None)
    except TournamentError:
        return None  # of this player it is not known
    seats = len(player.seats) if responses.is_certain else 0
    if not 0 <= proof.wins <= proof.games == seats or not proof.exploitability >= -ROUNDING:
        return f"best responses: {player.name} cannot have {proof}"
    if not proof.sentences:
        return f"best responses: no sentence says what was found about {player.name}"
    if seats and proof.wins == seats and responses.start == "":
        other = players.make("level-0", player.game)
        if len(player.seats) == 2 and (_results(player, other, 20, seed) < 0).any():
            return f"best responses: {player.name} wins against whomever, and lost to random play"
    return None


def _results(player: CompiledPlayer, other: Player, matches: int, seed: int) -> np.ndarray:
    """Each game as the player sees it, +1, 0 or -1, ``[matches, 2]``: in the first seat and not."""
    pairs = np.tile(np.array([[-1, -2]], dtype=np.int32), (matches, 1))
    entrants = Entrants(player.game, (player, other))
    return results_of_a(play_pairs(entrants, pairs, match_seeds(seed, "contract", 1, matches)))


def _meeting(computed: Meetings, player: CompiledPlayer, seed: int) -> str | None:
    """The shares of games won, beside those of games that are played."""
    game = player.game
    try:
        mine = computed.checked(player)
        other = computed.checked(players.make("level-0", game))
        meeting = computed.meeting(mine, other, lambda line: None)
    except TournamentError:
        return None  # of this player it is not known
    won = _results(player, other, MATCHES, seed) > 0
    for seat, share in enumerate(np.asarray(meeting.wins).tolist()):
        played = float(won[:, seat].mean())
        if not abs(played - share) <= 6.0 * np.sqrt(max(share * (1.0 - share), 0.0) / MATCHES):
            return (
                f"meetings: {player.name} is to win {share:.1%} of its games as the "
                f"{game.seats[seat]} against random play, and wins {played:.1%} of {MATCHES}"
            )
    return None
