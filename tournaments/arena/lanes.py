"""Several games at a time in one thread, for entrants of one population.

A choice is a chain of steps, each of which waits for the one before, while most of a processor
idles. So games are dealt to a few *lanes*, and each step is taken in all lanes before the next. A
lane is dealt the next game when its own is over. A game has its own state, stream and memory, so
its outcome does not depend on the lane, nor on what is played beside it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tournaments.arena.outcomes import note_endless, note_outcome
from tournaments.game import Game
from tournaments.kernels.hooks import begin_abreast, choose_abreast, play, start, watch_abreast
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import seed_game
from tournaments.player import Kind
from tournaments.rules import Kernel


class Lanes(NamedTuple):
    """L games that are played at once in one thread, one per lane.

    Attributes:
        states: int16 ``[L, state size]``; where the seat to move is -1, the lane has no game.
        streams: uint64 ``[L, 2, 1]``, the stream of each seat.
        rows: int32 ``[L, 2]``, the entrant that holds each seat.
        actions: int64 ``[L]``, the latest choice.
        games: int64 ``[L]``, the number of the game in play, counted over all matches.
        plies: int64 ``[L]``, of that game so far.
    """

    states: np.ndarray
    streams: np.ndarray
    rows: np.ndarray
    actions: np.ndarray
    games: np.ndarray
    plies: np.ndarray


def empty_lanes(game: Game, count: int) -> Lanes:
    """Return room for ``count`` games that are played at once, in lanes without a game yet."""
    return Lanes(
        states=np.full((count, game.state_size), -1, dtype=np.int16),
        streams=np.zeros((count, 2, 1), dtype=np.uint64),
        rows=np.zeros((count, 2), dtype=np.int32),
        actions=np.zeros(count, dtype=np.int64),
        games=np.zeros(count, dtype=np.int64),
        plies=np.zeros(count, dtype=np.int64),
    )


@kernel
def play_matches_abreast(board, lanes, side, matches):
    """Play all matches of one group of entrants, several games at once; fill ``matches.outcomes``.

    ``side.rows`` (int32 ``[M, 2]``) has entrant a and entrant b of each match, ``lanes`` the games
    in play.
    """
    dealt = 0
    playing = 0
    for lane in range(lanes.games.size):
        dealt = deal(board, lanes, lane, dealt, side, matches)
        playing += lanes.states[lane, 0] >= 0
    while playing > 0:
        choose_abreast(board, lanes, side.parameters, side.memory)
        playing = 0
        for lane in range(np.uint64(lanes.games.size)):
            state = lanes.states[lane]
            if state[0] >= 0:
                play(board, state, lanes.actions[lane])
                watch_abreast(board, lanes, lane, side.parameters, side.memory)
                lanes.plies[lane] += 1
                if state[0] >= 0 and lanes.plies[lane] >= matches.most_plies:
                    games = matches.outcomes.shape[1]
                    note_endless(matches, lanes.games[lane] // games, lanes.games[lane] % games)
                    return
                if state[0] < 0:
                    note_game(board, lanes, lane, matches.outcomes)
                    dealt = deal(board, lanes, lane, dealt, side, matches)
            playing += state[0] >= 0


@kernel
def deal(board, lanes, lane, dealt, side, matches):
    """Start the next game of the matches in a lane.

    Games that are over as they start are recorded and skipped. ``dealt`` is the number of games
    that have been started.

    Returns:
        The number of games that have been started after that.
    """
    games = matches.outcomes.shape[1]
    state = lanes.states[lane]
    while (state[0] < 0) & (dealt < matches.seeds.size * games):
        index = dealt // games
        game = dealt % games
        lanes.games[lane] = dealt
        lanes.plies[lane] = 0
        lanes.rows[lane, game % 2] = side.rows[index, 0]
        lanes.rows[lane, 1 - game % 2] = side.rows[index, 1]
        start(board, state, seed_game(lanes.streams[lane], matches.seeds[index], game))
        begin_abreast(board, lanes, lane, side.parameters, side.memory)
        note_game(board, lanes, lane, matches.outcomes)
        dealt += 1
    return dealt


@kernel
def note_game(board, lanes, lane, outcomes):
    """Write the outcome of a lane's finished game to the game's place in ``outcomes``."""
    index = lanes.games[lane] // outcomes.shape[1]
    game = lanes.games[lane] % outcomes.shape[1]
    note_outcome(board, lanes.states[lane], lanes.plies[lane], outcomes[index, game])


def hooks_abreast(game: Game, kind: Kind) -> dict[str, Kernel]:
    """Return the hooks with which the kernel that plays several games at once is linked.

    ``kind`` is the kind of both players.
    """
    assert kind.abreast is not None
    names = ("begin", "watch", "choose")
    return {**game.hooks, **{f"{name}_abreast": getattr(kind.abreast, name) for name in names}}
