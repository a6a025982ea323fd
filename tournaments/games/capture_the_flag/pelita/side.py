"""A side of a game of pelita (2.7), played with the parameters of a team of this project.

``evo export RUN --pelita TEAM.py`` copies the code below the line, and the kernels that it imports,
into the exported file. The code follows pelita's rules where they differ from this project's:

* an enemy that the bot whose turn it is does not see has a noisy position: a free square drawn
  evenly from those within 5 of the true one (columns and rows together);
* a bot sees within 5 squares, and does not see what its friend sees;
* a kill is worth 5 points, and pellets that are guarded too long are moved to other squares.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from tournaments.games.capture_the_flag.agents.beliefs import estimate
from tournaments.games.capture_the_flag.agents.choice import choose
from tournaments.games.capture_the_flag.agents.costs import take_numbers
from tournaments.games.capture_the_flag.agents.memory import BETA, memory, read_maze
from tournaments.games.capture_the_flag.board import (
    ACTIONS,
    DOTS,
    DOTS_EACH,
    FACING,
    MOVER,
    PLACE,
    STAY,
    UNSEEN,
)
from tournaments.games.capture_the_flag.maze import AGENTS, STEPS
from tournaments.games.capture_the_flag.tracking.belief import (
    count_visits,
    place,
    predict,
    update,
    weigh_position,
    weigh_watcher,
)

# --- one side of a game --------------------------------------------------------------------------

BLUR = 5
"""How far a noisy position may be from the true one."""
REACH = 5
"""How far a bot sees."""
KILL = 5
"""Points of a kill; a pellet is one."""


class PelitaSide:
    """A team in a game of pelita: the maze, its memory, and where the enemies may be.

    Agents are numbered in the order of moves: 0 and 2 are of the left team, 1 and 3 of the right.
    """

    def __init__(self, bot: Any, numbers: Any) -> None:
        self.width, self.height = bot.shape
        walls = set(bot.walls)
        rows, columns = range(self.height), range(self.width)
        self.cells = [(x, y) for y in rows for x in columns if (x, y) not in walls]
        self.number = {square: number for number, square in enumerate(self.cells)}
        self.starts = self._starts()
        self.board = self._board()
        self.seat = 0 if bot.is_blue else 1
        game = SimpleNamespace(board=self.board, num_actions=len(ACTIONS))
        self.memory = memory(game, None)  # type: ignore[arg-type]
        self.memory.seat[0] = self.seat
        self.state = np.zeros(DOTS + 2 * int(self.board[DOTS_EACH]), dtype=np.int16)
        with np.errstate(over="ignore"):
            read_maze(self.board, self.state, self.memory)
            take_numbers(np.array([numbers], dtype=np.float64), 0, self.memory)
        apart = [[abs(x - u) + abs(y - v) for u, v in self.cells] for x, y in self.cells]
        self.near = (np.array(apart) <= BLUR).sum(axis=1)
        self.stream = np.array([bot.random.getrandbits(64)], dtype=np.uint64)
        self.deaths, self.facing = [0, 0], [1 + 2 * (1 - self.seat)] * 2
        self.score, self.food = 0, set(bot.food)
        for slot in range(2):
            place(self.memory.belief[slot], self.starts[1 - self.seat + 2 * slot])
            count_visits(self.memory.belief[slot], self.memory.visits[slot])

    def step(self, bot: Any) -> tuple[int, int]:
        """Return the square to which the team moves a bot of pelita in this turn."""
        with np.errstate(over="ignore"):
            self._look(bot)
            own = self.board, self.state, None, 0, self.memory, self.stream
            action = int(choose(*own))
        here = self.number[bot.position]
        beside = here if action == STAY else int(self.memory.neighbours[here, action])
        return self.cells[beside]

    def _starts(self) -> list[int]:
        """Return the agents' start cells: of each team the free cells nearest to its corner."""
        starts = [0] * AGENTS
        for team, (corner, row) in enumerate(((1, self.height - 2), (self.width - 2, 1))):
            away = sorted(
                (abs(x - corner) + abs(y - row), abs(x - corner), x, y) for x, y in self.cells
            )
            first, second = (self.number[square[2:]] for square in away[:2])
            starts[team], starts[team + 2] = second, first
        return starts

    def _board(self) -> np.ndarray:
        """Return pelita's maze as a board of capture the flag, with a possible dot on each cell.

        Pellets of pelita may move, so any cell may hold a dot.
        """
        dots_each = (len(self.cells) + 1) // 2
        head = self.width, self.height, len(self.cells), 1, dots_each, *self.starts
        beside = [
            [self.number.get((x + across, y + down), -1) for across, down in STEPS]
            for x, y in self.cells
        ]
        columns, rows = np.array(self.cells).T
        half, dots = columns >= self.width // 2, np.arange(len(self.cells))
        records = np.column_stack([beside, columns, rows, dots, half])
        return np.array([*head, *records.ravel()], dtype=np.int16)

    def _look(self, bot: Any) -> None:
        """Update the position and the beliefs about the enemies by what pelita shows to a bot."""
        agent = self.seat + 2 * bot.turn
        self.state[MOVER] = agent
        self.state[PLACE + agent] = self.number[bot.position]
        self.state[PLACE + (agent + 2) % AGENTS] = self.number[bot.other.position]
        self.state[DOTS:] = 0
        for pellet in (*bot.food, *bot.enemy[0].food):
            self.state[DOTS + self.number[pellet]] = 1
        eaten = self._eaten(bot)
        mover = (agent + AGENTS - 1) % AGENTS if (bot.round, agent) != (1, 0) else -1
        for slot, enemy in enumerate(bot.enemy):
            self._track(bot, slot, enemy, mover == 1 - self.seat + 2 * slot, eaten)

    def _eaten(self, bot: Any) -> int:
        """Return the cell of the pellet that an enemy of pelita has just eaten; -1 if unknown."""
        gained, gone = bot.enemy[0].score - self.score, self.food - set(bot.food)
        self.score, self.food = bot.enemy[0].score, set(bot.food)
        return self.number[gone.pop()] if gained % KILL == 1 and len(gone) == 1 else -1

    def _track(self, bot: Any, slot: int, enemy: Any, moved: bool, eaten: int) -> None:
        """Update the belief about one enemy of pelita, and its place and direction in the position.

        Args:
            bot: the bot to move, as pelita gives it.
            slot: the enemy, 0 or 1.
            enemy: the enemy, as pelita gives it.
            moved: whether the enemy made the last move.
            eaten: the cell of the pellet that was just eaten; -1 if none.
        """
        memory, number = self.memory, 1 - self.seat + 2 * slot
        belief, visits, start = memory.belief[slot], memory.visits[slot], self.starts[number]
        died, self.deaths[slot] = enemy.deaths > self.deaths[slot], enemy.deaths
        is_home = died and (enemy.was_killed or not moved)
        if died:
            place(belief, start)
        if moved and not is_home:
            beta = abs(self.memory.numbers[BETA])
            predict(memory.neighbours, visits, beta, True, belief, memory.shares, memory.before)
        if enemy.is_noisy:
            self._hear(bot, belief, enemy.position, eaten if moved and not died else -1)
        else:
            place(belief, self.number[enemy.position])
        if moved or died:
            count_visits(belief, visits)
        self.state[PLACE + number] = self.state[FACING + number] = UNSEEN
        if not enemy.is_noisy:
            self._face(slot, self.number[enemy.position], moved and not is_home)
            self.state[PLACE + number] = self.number[enemy.position]
            self.state[FACING + number] = self.facing[slot]
        estimate(memory, slot)

    def _hear(self, bot: Any, belief: np.ndarray, noisy: tuple[int, int], eaten: int) -> None:
        """Weigh an enemy's noisy position in pelita, and that the bot does not see the enemy.

        ``eaten`` is the cell on which the enemy is known to have eaten a pellet, or -1. If it is
        known, the noisy position is not used.
        """
        if eaten >= 0:
            place(belief, eaten)
            return
        columns, rows, evidence = self.memory.columns, self.memory.rows, self.memory.evidence
        evidence[:] = 1.0
        weigh_position(columns, rows, self.near, noisy[0], noisy[1], BLUR, evidence)
        weigh_watcher(self.memory, self.number[bot.position], 0, -1, REACH, evidence)
        update(belief, evidence)

    def _face(self, slot: int, cell: int, moved: bool) -> None:
        """Note the direction in which a seen enemy of pelita stepped onto its cell.

        The step began on the neighbouring cell where the enemy most likely was before. Nothing is
        noted if the enemy has not moved or has most likely stayed.
        """
        if moved:
            before, beside = self.memory.before, self.memory.neighbours[cell]
            likely = [before[other] if other >= 0 else 0.0 for other in beside]
            way = int(np.argmax(likely))
            if likely[way] > before[cell]:
                self.facing[slot] = (way + 2) % len(STEPS)
