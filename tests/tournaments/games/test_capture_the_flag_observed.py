"""The game and the tracker fit: what a view shows never excludes where the enemy is."""

import numpy as np

from tournaments import games
from tournaments.games.capture_the_flag.board import Options, make_mazes
from tournaments.games.capture_the_flag.observed import cell_of_agent, graph_of_board, observation
from tournaments.games.capture_the_flag.tracking.tracker import Tracker
from tournaments.kernels.rng import Stream

GAME = games.make("capture-the-flag", maze="small", moves=200)
GRAPH = graph_of_board(GAME.board)


def test_the_true_cell_is_never_ruled_out_in_a_game():
    homes = seen = 0
    for seed in range(3):
        state, stream = GAME.start(seed), Stream(seed)
        trackers = {
            (seat, enemy): Tracker(GRAPH, cell_of_agent(state, enemy))
            for seat, enemy in ((0, 1), (0, 3), (1, 0), (1, 2))
        }
        while not state.is_over:
            state.play(stream.choice(state.legal_actions()))
            for (seat, enemy), tracker in trackers.items():
                known = observation(state, seat, enemy)
                assert known == observation(state.view(seat), seat, enemy)
                assert tracker.observe(known) > 0.0
                assert tracker.belief[cell_of_agent(state, enemy)] > 0.0
                homes += known.home
                seen += known.seen >= 0
    assert homes > 0
    assert seen > homes


def test_the_graph_is_that_of_the_maze():
    (maze,) = make_mazes(Options(maze="small"))
    for name in ("neighbours", "columns", "rows"):
        np.testing.assert_array_equal(getattr(GRAPH, name), getattr(maze, name))
    assert (GRAPH.height, GRAPH.width) == (maze.height, maze.width)
