"""A game as the package of somebody else offers it: all there is to it, in one file.

Stones lie in a heap; in turn each takes one or two; who takes the last one wins. Who leaves a
multiple of three behind wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from tournaments.drawing.shapes import INK, Disc, Drawing, Scene
from tournaments.errors import TournamentError
from tournaments.game import Game, State
from tournaments.kernels import bitset
from tournaments.kernels.linker import build, kernel
from tournaments.kernels.rng import Stream
from tournaments.player import CompiledPlayer, Kind, Player
from tournaments.rules import HEADER, PlayerOffer, Rules, SolverRules, TableForm
from tournaments.solver.exact import Announce, BestResponses, Meeting, Meetings, Proof

LEFT = HEADER
"""Where a state has the stones that are left."""
MOST = 100


def make_board(stones: int = 7) -> np.ndarray:
    if not 1 <= stones <= MOST:
        raise TournamentError(f"last-stone: stones={stones} given; from 1 to {MOST} are expected")
    return np.array([stones], dtype=np.int16)


@kernel
def start(board, state, seed):
    state[:] = 0
    state[LEFT] = board[0]


@kernel
def legal(board, state, actions):
    actions[0] = 0
    if state[LEFT] == 1:
        return 1
    actions[1] = 1
    return 2


@kernel
def play(board, state, action):
    state[LEFT] -= action + 1
    seat = state[0]
    state[0] = 1 - seat
    if state[LEFT] == 0:
        state[0] = -1
        state[1 + seat] = 1


@kernel
def position(board, state):
    return np.int64(state[LEFT])


@kernel
def solve(board, values, scratch):
    for left in range(1, values.size):
        values[left] = -1 if left % 3 == 0 else 1


def text(board: np.ndarray, state: np.ndarray) -> str:
    return " ".join(str(number) for number in state)


def parse(board: np.ndarray, picture: str) -> np.ndarray:
    words = picture.split()
    if len(words) != HEADER + 1 or not all(word.lstrip("-").isdecimal() for word in words):
        raise TournamentError(f"{picture!r} given; {HEADER + 1} numbers are expected")
    return np.array(words, dtype=np.int16)


# --- tables, and a player of its own -------------------------------------------------------------


@kernel
def choose_by_table(board, state, parameters, row, memory, stream):
    begin_of_table = parameters.layout[np.uint64(state[0])]
    return np.int64(parameters.tables[row, begin_of_table + state[LEFT]])


def legal_in_table(game: Game, seat: int, options: Any) -> np.ndarray:
    left = np.arange(game.board[0] + 1)
    return np.stack([left >= 1, left >= 2], axis=1)


TABLE = TableForm(
    name="position-table",
    summary="how many stones to take of each heap",
    options={},
    num_genes=lambda game, options: int(game.board[0]) + 1,
    legal=legal_in_table,
    constants=lambda options: (),
    choose=choose_by_table,
    policy=lambda game, seat, table, options: table,
    describe=lambda game, gene, options: f"{gene} stones left",
    fits=lambda game, genes: "",
)


@kernel
def choose_most(board, state, parameters, row, memory, stream):
    return np.int64(state[LEFT] > 1)


@kernel
def candidates_most(board, state, parameters, row, memory, words):
    words[0] = np.uint64(2 if state[LEFT] > 1 else 1)
    return 1


TAKER = Kind("taker", choose_most, candidates=candidates_most)


class Waverer:
    """A player that cannot be compiled."""

    name = "waverer"

    def choose(self, state: State, rng: Stream) -> int:
        return rng.choice(state.legal_actions())


# --- exact play ----------------------------------------------------------------------------------


def drawn_from(player: CompiledPlayer, left: int, seat: int) -> list[int]:
    """What a player draws from where so many stones are left."""
    state = player.game.start()
    state.array[0], state.array[LEFT] = seat, left
    if player.kind.candidates is None:
        return [player.choose(state, Stream(0))]
    ask = [
        build(asked, player.game.hooks, compiled=False)
        for asked in (player.kind.begin, player.kind.candidates)
    ]
    memory = player.kind.memory(player.game, player.parameters)
    words = bitset.empty(player.game.num_actions)
    given = player.game.board, state.array, player.parameters, player.row, memory
    with np.errstate(over="ignore"):
        ask[0](*given)
        ask[1](*given, words)
    return bitset.members(words)


def chance_of_winning(player: CompiledPlayer, other: CompiledPlayer | None, seat: int) -> float:
    """Of a player in a seat, against another one or against the best possible one."""

    @cache
    def wins(left: int, mover: int) -> float:
        def after(action: int) -> float:
            if left == action + 1:
                return float(mover == seat)
            return wins(left - action - 1, 1 - mover)

        mine = mover == seat
        if mine or other is not None:
            one = player if mine else other
            assert one is not None
            return float(np.mean([after(action) for action in drawn_from(one, left, mover)]))
        return min(after(action) for action in range(min(2, left)))

    return wins(int(player.game.board[0]), 0)


def proof(player: CompiledPlayer, announce: Announce) -> Proof:
    """What the best opponent does to a player."""
    guaranteed = [2 * chance_of_winning(player, None, seat) - 1 for seat in player.seats]
    lost = -float(np.mean(guaranteed))
    return Proof(0, 0, lost, np.nan, (f"the best opponent gains {lost:.3f} stones",))


def checked(player: Player) -> CompiledPlayer:
    """The player, if it tells what it draws from."""
    if not isinstance(player, CompiledPlayer) or (
        player.kind.candidates is None and player.kind.draws
    ):
        raise TournamentError(f"player {player.name!r} does not tell what it draws from")
    return player


def meeting(player: CompiledPlayer, other: CompiledPlayer, announce: Announce) -> Meeting:
    """What comes of all games of a player against another."""
    wins = np.full(2, np.nan)  # in a seat that the player does not hold
    for seat in player.seats:
        wins[seat] = chance_of_winning(player, other, seat)
    share = float(np.nanmean(wins))
    words = f"{{player}} takes the last stone in {share:.1%} of its games with {{opponent}}"
    return Meeting(wins, np.zeros(2), 2 * wins - 1, words)


# --- the offer -----------------------------------------------------------------------------------


def draw(scenes: Sequence[Scene]) -> Drawing:
    """A disc a stone."""
    stones = [int(scene.state.array[LEFT]) for scene in scenes]
    return Drawing(max(stones), 1, [[Disc(n + 1, 1, 0.4, INK) for n in range(k)] for k in stones])


def edit(board: np.ndarray, state: np.ndarray, words: str) -> np.ndarray:
    """So many stones are left."""
    if not words.isdecimal() or not 1 <= int(words) <= board[0]:
        raise TournamentError(f"{words!r} given; 1 to {board[0]} stones are expected")
    state[LEFT] = int(words)
    return state


RULES = Rules(
    name="last-stone",
    summary="take one or two stones, and the last; stones=7",
    seats=("first", "second"),
    options={"stones": 7},
    board=make_board,
    state_size=lambda board: HEADER + 1,
    num_actions=lambda board: 2,
    start=start,
    legal=legal,
    play=play,
    text=text,
    parse=parse,
    describe=lambda board, action: f"take {action + 1}",
    solver=SolverRules(position, lambda board: int(board[0]) + 1, solve),
    tables={TABLE.name: TABLE},
    players={
        "taker": PlayerOffer("takes two where it can", TAKER.player),
        "waverer": PlayerOffer("cannot be compiled", lambda game: Waverer()),
    },
    yardsticks=("random", "taker", "optimal"),
    best_responses=lambda game, threads: BestResponses(proof),
    meetings=lambda game, threads: Meetings(checked, meeting),
    draw=draw,
    edit=edit,
)


@dataclass(frozen=True)
class Passer:
    """A player of a package: it always takes as many."""

    taken: int

    @property
    def name(self) -> str:
        return f"passer-{self.taken}"

    def choose(self, state: State, rng: Stream) -> int:
        return min(self.taken - 1, state.legal_actions()[-1])


def passer(game: Game, *, taken: int = 1) -> Player:
    return Passer(taken)


def plays_stones(game: Game) -> bool:
    return "stones" in game.options


PASSER = PlayerOffer("takes the same number each time", passer, plays_stones)
