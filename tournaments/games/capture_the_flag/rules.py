"""Capture the flag: two teams of two agents eat each other's dots in a maze.

The rules are those of the game of J. DeNero, used for teaching by him and by H. Daume, as "PacMan
capture-the-flag: a fun game for artificial intelligence development and education" tells them. The
left half is red's, the right one blue's. At home an agent is a ghost, abroad a pac-man. Red 1,
blue 1, red 2 and blue 2 move in turn, a square each or none. A pac-man that steps on a dot of the
enemy eats it: one point. A pac-man and a ghost of the other team that meet, whoever steps on whom,
send the pac-man back to its start. The game ends when one team has eaten all dots of the other, or
after 3,000 moves; more points win.

A team sees an enemy that is within 5 squares (columns and rows together, as in the original) of one
of its agents. Of each enemy it hears two noisy distances, one from each of its agents: columns and
rows together, and a random number in -6..6 that is drawn anew after each move.

Where the text is silent: a pac-man that steps on a ghost eats the dot there before it is sent home;
whoever is sent home harms nobody by that; an agent that stays where an enemy stands meets it. Both
sides learn at once who was sent home.

State: header (seat 0 is red), the stream, the agent to move, moves left, who was sent home; a cell,
a direction and two noisy distances each agent; then a number each dot: 1 where it is left.
"""

from __future__ import annotations

import numpy as np

from tournaments.games.capture_the_flag.board import (
    CELL,
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
)
from tournaments.games.capture_the_flag.maze import AGENTS
from tournaments.kernels.chance import STREAM, STREAM_SIZE, chance, seed_chance
from tournaments.kernels.linker import kernel

LEVELS = 2 * NOISE + 1
"""Values of the noise."""
FOUR_NOISES = LEVELS**4
FAR = 10_000


@kernel
def start(board, state, seed):
    """All agents at their starts, facing the enemy, all dots there; red 1 is to move."""
    for place in range(DOTS):
        state[place] = 0
    for place in range(DOTS, state.size):
        state[place] = 1
    seed_chance(state, seed)
    state[MOVES_LEFT] = board[MOVES]
    for agent in range(AGENTS):
        send_home(board, state, agent)
    state[SENT] = 0
    listen(board, state)


@kernel
def send_home(board, state, agent):
    """Put an agent on its start."""
    state[PLACE + agent] = board[STARTS + agent]
    state[FACING + agent] = 1 + 2 * (agent % 2)
    state[SENT] |= 1 << agent


@kernel
def legal(board, state, actions):
    """Directions without a wall, then staying."""
    cell = CELL + RECORD * np.int64(state[PLACE + state[MOVER]])
    count = 0
    for direction in range(STAY):
        actions[count] = direction
        count += board[cell + direction] >= 0
    actions[count] = STAY
    return count + 1


@kernel
def is_pacman(board, agent, cell):
    """Whether an agent that stands there is abroad."""
    return board[CELL + RECORD * np.int64(cell) + HALF] != agent % 2


@kernel
def play(board, state, action):
    """Step, eat, meet; hand the turn on, and draw the noise of all distances."""
    agent = np.int64(state[MOVER])
    team = agent % 2
    if action < STAY:
        beside = CELL + RECORD * np.int64(state[PLACE + agent]) + action
        state[PLACE + agent] = board[beside]
        state[FACING + agent] = action
    cell = np.int64(state[PLACE + agent])
    abroad = is_pacman(board, agent, cell)
    dot = np.int64(board[CELL + RECORD * cell + DOT])
    if abroad and dot >= 0:
        state[1 + team] += state[DOTS + dot]
        state[DOTS + dot] = 0
    state[SENT] = 0
    for enemy in range(1 - team, AGENTS, 2):
        if state[PLACE + enemy] == cell:
            send_home(board, state, agent if abroad else enemy)
    state[MOVES_LEFT] -= 1
    state[MOVER] = (agent + 1) % AGENTS
    is_over = state[1 + team] == board[DOTS_EACH] or state[MOVES_LEFT] == 0
    state[0] = -1 if is_over else 1 - team
    listen(board, state)


@kernel
def squares_apart(board, cell, other):
    """Columns and rows between two cells together; FAR where a cell is not known."""
    if cell < 0 or other < 0:
        return FAR
    a = CELL + RECORD * np.int64(cell)
    b = CELL + RECORD * np.int64(other)
    across = np.int64(board[a + COLUMN]) - board[b + COLUMN]
    down = np.int64(board[a + ROW]) - board[b + ROW]
    return abs(across) + abs(down)


@kernel
def listen(board, state):
    """Draw each agent's noisy distances to both enemies; those of a team are drawn at once."""
    of_red = chance(state, FOUR_NOISES)
    of_blue = chance(state, FOUR_NOISES)
    for agent in range(0, AGENTS, 2):
        for enemy in range(1, AGENTS, 2):
            apart = squares_apart(board, state[PLACE + agent], state[PLACE + enemy]) - NOISE
            state[HEARD + 2 * agent + enemy // 2] = apart + of_red % LEVELS
            state[HEARD + 2 * enemy + agent // 2] = apart + of_blue % LEVELS
            of_red //= LEVELS
            of_blue //= LEVELS


@kernel
def is_seen(board, state, seat, enemy):
    """Whether an agent of a seat's team is near enough to an enemy to see it."""
    cell = state[PLACE + enemy]
    first = squares_apart(board, state[PLACE + seat], cell)
    second = squares_apart(board, state[PLACE + seat + 2], cell)
    return min(first, second) <= SIGHT


@kernel
def view(board, state, seat, seen):
    """All but the stream, the enemy's noisy distances, and where an unseen enemy is and faces."""
    for place in range(state.size):
        seen[place] = state[place]
    for place in range(STREAM_SIZE):
        seen[STREAM + place] = 0
    for enemy in range(1 - seat, AGENTS, 2):
        seen[HEARD + 2 * enemy] = UNHEARD
        seen[HEARD + 2 * enemy + 1] = UNHEARD
        if not is_seen(board, state, seat, enemy):
            seen[PLACE + enemy] = UNSEEN
            seen[FACING + enemy] = UNSEEN
