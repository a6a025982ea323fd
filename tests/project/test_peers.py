"""Rules and values of positions beside OpenSpiel, and the dilemma's classics beside Axelrod.

The extra ``peers`` installs both packages.
"""

from __future__ import annotations

import random as python_random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from tournaments import games, players
from tournaments.arena.match import play_game
from tournaments.game import Game, State
from tournaments.kernels.positions import number_of
from tournaments.repeated.exact import machine_of
from tournaments.solver.retrograde import solution

pytestmark = pytest.mark.peers


class Peer(NamedTuple):
    """A game as both have it.

    Attributes:
        spec: ours.
        name: OpenSpiel's.
        translated: (game, their action) -> our action.
    """

    spec: str
    name: str
    translated: Callable[[Game, int], int] = lambda game, action: action

    def walks(self, count: int) -> Iterator[Iterator[tuple[State, Any]]]:
        """So many random games, played by both; each yields its positions in both forms."""
        pyspiel = pytest.importorskip("pyspiel")
        game, peer_game = games.parse(self.spec), pyspiel.load_game(self.name)
        rng = python_random.Random(self.spec)
        for _ in range(count):
            yield self._walk(game, peer_game.new_initial_state(), rng)

    def _walk(
        self, game: Game, peer: Any, rng: python_random.Random
    ) -> Iterator[tuple[State, Any]]:
        state = game.start()
        yield state, peer
        while not peer.is_terminal():
            action = rng.choice(peer.legal_actions())
            state.play(self.translated(game, action))
            peer.apply_action(action)
            yield state, peer


def of_nim(game: Game, action: int) -> int:
    """OpenSpiel counts the heaps first, then the stones."""
    heaps = len(game.board) - 1
    return (action % heaps) * int(game.board[0]) + action // heaps


DOTS = [
    Peer(
        f"dots-and-boxes:rows={rows},cols={cols}",
        f"dots_and_boxes(num_rows={rows},num_cols={cols})",
    )
    for rows, cols in [(1, 1), (1, 2), (2, 1), (2, 2), (2, 5), (3, 3), (4, 3), (5, 5)]
]
NIM = [
    Peer(f"nim:heaps={heaps}", f"nim(pile_sizes={heaps.replace('-', ';')},is_misere=False)", of_nim)
    for heaps in ("1-2", "3-4-5", "1-3-5-7")
]
TIC_TAC_TOE = Peer("tic-tac-toe", "tic_tac_toe")
FOUR = [
    Peer(f"connect-four:rows={rows},cols={cols}", f"connect_four(rows={rows},columns={cols})")
    for rows, cols in [(4, 4), (4, 5), (5, 4), (6, 7)]
]


def id_of(peer: Peer) -> str:
    return peer.spec


@pytest.mark.parametrize("peer", [*DOTS, *NIM, TIC_TAC_TOE, *FOUR], ids=id_of)
def test_the_rules_are_those_of_openspiel(peer):
    for walk in peer.walks(60):
        for state, other in walk:
            assert state.is_over == other.is_terminal()
            if state.is_over:
                assert state.returns() == tuple(other.returns())
                continue
            assert state.seat_to_move == other.current_player()
            legal = [peer.translated(state.game, action) for action in other.legal_actions()]
            assert state.legal_actions() == sorted(legal)


@pytest.mark.parametrize(
    ("peer", "plies"),
    [(TIC_TAC_TOE, 1), *((nim, 2) for nim in NIM[:2]), (NIM[2], 4), (FOUR[0], 7), (FOUR[2], 11)],
    ids=lambda value: id_of(value) if isinstance(value, Peer) else f"after {value}",
)
def test_values_are_those_of_openspiels_search(peer, plies):
    """Each position of random games after so many plies: all of it is searched in their Python."""
    pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms.minimax import alpha_beta_search

    solved = solution(games.parse(peer.spec))
    for walk in peer.walks(12):
        for ply, (state, other) in enumerate(walk):
            if ply >= plies and not state.is_over:
                value, _ = alpha_beta_search(
                    other.get_game(), other, maximum_depth=60, maximizing_player_id=0
                )
                with np.errstate(over="ignore"):
                    number = number_of(solved.graph.states, solved.graph.slots, state.array)
                assert solved.leads[number] == value


# --- the classics of the dilemma ---------------------------------------------------------------

DILEMMA = games.make("iterated-prisoners-dilemma", rounds=40)
CERTAIN = {
    "always-cooperate": "Cooperator",
    "always-defect": "Defector",
    "tit-for-tat": "TitForTat",
    "suspicious-tit-for-tat": "SuspiciousTitForTat",
    "tit-for-two-tats": "TitFor2Tats",
    "two-tits-for-tat": "TwoTitsForTat",
    "grim": "Grudger",
    "pavlov": "WinStayLoseShift",
    "cycle:moves=cooperate+cooperate+defect+cooperate+defect": "Cycler",
}
DRAWING = {"generous-tit-for-tat": "GTFT", "joss": "FirstByJoss", "extort-2": "ZDExtort2"}
"""Our players and those of the package Axelrod."""


def of_axelrod(name: str) -> Any:
    axelrod = pytest.importorskip("axelrod")
    return axelrod.Cycler("CCDCD") if name == "Cycler" else getattr(axelrod, name)()


@pytest.mark.parametrize("name", CERTAIN)
def test_a_classic_plays_as_in_axelrod(name):
    axelrod = pytest.importorskip("axelrod")
    for other, theirs in CERTAIN.items():
        match = axelrod.Match((of_axelrod(CERTAIN[name]), of_axelrod(theirs)), turns=40)
        pair = players.make(name, DILEMMA), players.make(other, DILEMMA)
        moves = [action for _, _, action in play_game(DILEMMA, *pair, seed=1)]
        letters = ["CD"[move] for move in moves]
        rounds = list(zip(letters[::2], letters[1::2], strict=True))
        assert rounds == [tuple(map(str, both)) for both in match.play()], other


@pytest.mark.parametrize("name", DRAWING)
def test_a_classic_that_draws_has_the_chances_of_axelrod(name):
    peer, machine = of_axelrod(DRAWING[name]), machine_of(players.make(name, DILEMMA))
    assert machine.chances[0].tolist() == [1.0, 0.0]
    assert str(peer._initial) == "C"
    for (own, other), share in peer._four_vector.items():
        state = machine.following[0]["CD".index(str(own)), "CD".index(str(other))]
        assert machine.chances[state, 0] == pytest.approx(float(share))
