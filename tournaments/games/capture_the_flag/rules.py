"""Capture the flag: two teams of two agents eat each other's dots in a maze.

The rules are those of J. DeNero's game, which he and H. Daume used for teaching, as described in
"PacMan capture-the-flag: a fun game for artificial intelligence development and education". The
left half is red's, the right one blue's. At home an agent is a ghost, abroad a pac-man. Red 1, blue
1, red 2 and blue 2 move in turn, a square each or none. A pac-man that steps on a dot of the enemy
eats it: one point. If a pac-man and a ghost of the other team meet, whichever of the two moved, the
pac-man is sent back to its start. The game ends when one team has eaten all dots of the other, or
after 3,000 moves; more points win.

A team sees an enemy that is within 5 squares (columns and rows together, as in the original) of one
of its agents. Of each enemy it hears two noisy distances, one from each of its agents: columns and
rows together, and a random number in -6..6 that is drawn anew after each move.

Details that the text leaves open: a pac-man that steps on a ghost eats the dot there before it is
sent home. An agent that is sent home harms no agent on its start. An agent that stays on the cell
of an enemy meets the enemy. Both sides learn at once which agents were sent home.

State: header (seat 0 is red), the stream, the agent to move, moves left, the agents sent home; a
cell, a direction and two noisy distances per agent; then a number per dot: 1 if the dot is left;
then the number of the maze, if the game has drawn it. The stream determines the noise, so only
views have noisy distances, each view those of its own team.
"""

from __future__ import annotations

import numpy as np

from tournaments.games.capture_the_flag.board import (
    CELL,
    CELLS,
    COLUMN,
    DOT,
    DOTS,
    DOTS_EACH,
    FACING,
    HALF,
    HEARD,
    MOVER,
    MOVES,
    MOVES_LEFT,
    NOISE,
    PLACE,
    RECORD,
    ROW,
    SENT,
    SIGHT,
    STARTS,
    STAY,
    UNHEARD,
    UNSEEN,
    has_one_maze,
    maze_begins,
)
from tournaments.games.capture_the_flag.maze import AGENTS
from tournaments.kernels.chance import (
    after,
    before,
    drawn_by,
    hide_chance,
    read_stream,
    seed_chance,
    write_stream,
)
from tournaments.kernels.linker import kernel
from tournaments.kernels.rng import U32, ZERO, one_way

MAZE = 64
"""The purpose of the stream that draws a maze, apart from those of ``tournaments.kernels.rng``."""
LEVELS = 2 * NOISE + 1
"""Values of the noise."""
BITS = 30
DRAWN = 1 << BITS
"""Of so many values, which are as likely, four noises are made: within 3 in 100,000 evenly."""
LAST_BITS = DRAWN - 1
LAST_AGENT, POSITIVE = AGENTS - 1, 32_767
"""Masks, by which the compiler sees that an index is not below 0."""


@kernel
def start(board, state, seed):
    """Set up capture the flag: agents on their starts, all dots in place, red 1 to move."""
    state[:DOTS] = 0
    state[DOTS:] = 1
    seed_chance(state, seed)
    draw_maze(board, state, seed)
    maze = board[maze_begins(board, state) :]
    state[MOVES_LEFT] = maze[MOVES]
    for agent in range(AGENTS):
        send_home(maze, state, agent)
    state[HEARD:DOTS] = UNHEARD
    state[SENT] = 0
    move_stream_on(state)


@kernel
def draw_maze(board, state, seed):
    """Draw the maze of a game of capture the flag by its seed, if the board has several mazes.

    The stream of the noise is not used.
    """
    if not has_one_maze(board):
        mazes = board.size // (CELL + RECORD * np.int64(board[CELLS]))
        drawn = one_way(np.uint64(seed), ZERO, np.uint64(MAZE)) >> U32
        state[state.size - 1] = np.int64((drawn * np.uint64(mazes)) >> U32)


@kernel
def move_stream_on(state):
    """Move the random stream of a state of capture the flag on by two draws, one per team.

    A team's draw determines the noise of the distances that it hears. The noise is not stored:
    :func:`hear` computes it from the stream.
    """
    write_stream(state, after(after(read_stream(state))))


@kernel
def send_home(maze, state, agent):
    """Put an agent of capture the flag back on its start, and mark it as sent home."""
    state[PLACE + agent] = maze[STARTS + agent]
    state[FACING + agent] = 1 + 2 * (agent % 2)
    state[SENT] |= 1 << agent


@kernel
def legal(board, state, actions):
    """List the legal actions in capture the flag: directions without a wall, then staying.

    Returns:
        The number of actions.
    """
    maze = board[maze_begins(board, state) :]
    record = record_of(state, np.int64(state[MOVER]) & LAST_AGENT)
    count = 0
    for direction in range(STAY):
        actions[count] = direction
        count += maze[record + direction] >= 0
    actions[count] = STAY
    return count + 1


@kernel
def play(board, state, action):
    """Play the action of the agent to move in capture the flag.

    The agent steps, eats a dot and meets enemies. Then the next agent is to move, and other noise
    is drawn.
    """
    maze = board[maze_begins(board, state) :]
    agent = np.int64(state[MOVER]) & LAST_AGENT
    team = agent & 1
    cell = np.int64(state[PLACE + agent]) & POSITIVE
    facing = np.int64(state[FACING + agent])
    if action < STAY:
        cell = np.int64(maze[CELL + RECORD * cell + action]) & POSITIVE
        facing = np.int64(action)
    record = CELL + RECORD * cell
    is_abroad = maze[record + HALF] != team
    dot = np.int64(maze[record + DOT])
    state[PLACE + agent] = cell
    state[FACING + agent] = facing
    if is_abroad and dot >= 0:
        state[1 + team] += state[DOTS + dot]
        state[DOTS + dot] = 0
    state[SENT] = 0
    met_first = state[PLACE + 1 - team] == cell
    met_second = state[PLACE + 3 - team] == cell
    if met_first or met_second:
        meet(maze, state, agent, is_abroad, met_first, met_second)
    state[MOVES_LEFT] -= 1
    state[MOVER] = (agent + 1) & LAST_AGENT
    is_over = state[1 + team] == maze[DOTS_EACH] or state[MOVES_LEFT] == 0
    state[0] = -1 if is_over else 1 - team
    move_stream_on(state)


@kernel
def meet(maze, state, agent, is_abroad, met_first, met_second):
    """Send agents home after an agent met enemies on its new cell.

    Args:
        maze: the maze of the game.
        state: the position, which is changed.
        agent: the agent that has moved.
        is_abroad: whether the agent is in the enemy's half. It is then sent home, otherwise the
            enemies are.
        met_first: whether the first enemy is on the cell.
        met_second: whether the second enemy is on the cell.
    """
    team = agent & 1
    if is_abroad:
        send_home(maze, state, agent)
    else:
        if met_first:
            send_home(maze, state, 1 - team)
        if met_second:
            send_home(maze, state, 3 - team)


@kernel
def record_of(state, agent):
    """Return the index in a maze at which the record of the cell of an agent begins."""
    return CELL + RECORD * (np.int64(state[PLACE + agent]) & POSITIVE)


@kernel
def squares_apart(maze, record, other):
    """Return the Manhattan distance of two cells of a maze, given the indices of their records."""
    across = np.int64(maze[record + COLUMN]) - maze[other + COLUMN]
    down = np.int64(maze[record + ROW]) - maze[other + ROW]
    return abs(across) + abs(down)


@kernel
def hear(maze, state, seat, seen):
    """Write the noisy distances from a team's agents to the enemies into its view of a maze.

    The two draws after the last move are red's and blue's. The noises are the first base-13 digits
    of a draw as a fraction. ``seat`` is the team, ``seen`` its view.
    """
    word = read_stream(state)
    drawn = drawn_by(before(word) if seat == 0 else word, DRAWN)
    for red in range(0, AGENTS, 2):
        for blue in range(1, AGENTS, 2):
            away = squares_apart(maze, record_of(state, red), record_of(state, blue))
            place = 2 * blue + red // 2 if seat == 1 else 2 * red + blue // 2
            drawn *= LEVELS
            seen[HEARD + place] = away + (drawn >> BITS) - NOISE
            drawn &= LAST_BITS


@kernel
def is_seen(maze, state, seat, enemy):
    """Return whether an agent of a team of capture the flag is near enough to see an enemy."""
    if state[PLACE + enemy] < 0:
        return False
    there = record_of(state, enemy)
    first = squares_apart(maze, record_of(state, seat), there)
    second = squares_apart(maze, record_of(state, seat + 2), there)
    return min(first, second) <= SIGHT


@kernel
def view(board, state, seat, seen):
    """Write the view that a team of capture the flag has of a position into ``seen``.

    The stream and unseen enemies are left out, and the team's noisy distances are added.
    """
    hide_chance(board, state, seat, seen)
    maze = board[maze_begins(board, state) :]
    if read_stream(state) != 0:  # a view has been told already
        hear(maze, state, seat, seen)
    for enemy in range(1 - seat, AGENTS, 2):
        seen[HEARD + 2 * enemy] = UNHEARD
        seen[HEARD + 2 * enemy + 1] = UNHEARD
        if not is_seen(maze, state, seat, enemy):
            seen[PLACE + enemy] = UNSEEN
            seen[FACING + enemy] = UNSEEN
