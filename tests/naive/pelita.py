"""A game of pelita by plain Python: what bots are shown, and where they may be by all they know.

Written from pelita 2.7's documents, for teams that are to be watched step by step; there is no
scoring but of pellets and kills, and pellets stay where they are.
"""

from __future__ import annotations

import random
from types import SimpleNamespace

from tests.naive.tracking import motion

NEAR = 5


def apart(a, b):
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


class Game:
    """Four bots in a maze: 0 and 2 of the left team, 1 and 3 of the right one."""

    def __init__(self, text, starts, seed):
        lines = text.strip().split("\n")
        squares = {(x, y): at for y, line in enumerate(lines) for x, at in enumerate(line)}
        self.shape = len(lines[0]), len(lines)
        self.walls = tuple(sorted(square for square, at in squares.items() if at == "#"))
        self.free = [square for square, at in squares.items() if at != "#"]
        pellets = [square for square, at in squares.items() if at == "."]
        self.food = [{p for p in pellets if self.home(p) == team} for team in (0, 1)]
        self.starts, self.bots = list(starts), list(starts)
        self.deaths, self.was_killed, self.score = [0] * 4, [False] * 4, [0, 0]
        self.turn, self.rng = 0, random.Random(seed)

    def home(self, square):
        return int(square[0] >= self.shape[0] / 2)

    def ways(self, square):
        x, y = square
        beside = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
        return [other for other in beside if other in self.free]

    def step_towards(self, square, goals):
        """The next square on a shortest way to the nearest goal."""
        reached = set(goals)
        if square in reached:
            return square
        while True:
            for way in self.ways(square):
                if way in reached:
                    return way
            reached |= {way for goal in reached for way in self.ways(goal)}

    def shown(self, whims):
        """The bot whose turn it is, as pelita hands it to a team."""
        agent = self.turn % 4
        team = agent % 2
        bots = [self._bot(agent, other, whims) for other in range(4)]
        bots[agent].enemy = bots[1 - team :: 2]
        bots[agent].other = bots[(agent + 2) % 4]
        return bots[agent]

    def _bot(self, agent, other, whims):
        square = self.bots[other]
        is_noisy = agent % 2 != other % 2 and apart(self.bots[agent], square) > NEAR
        if is_noisy:
            square = self.rng.choice([free for free in self.free if apart(free, square) <= NEAR])
        return SimpleNamespace(
            position=square,
            is_noisy=is_noisy,
            turn=other // 2,
            is_blue=other % 2 == 0,
            walls=self.walls,
            shape=self.shape,
            food=sorted(self.food[other % 2]),
            score=self.score[other % 2],
            deaths=self.deaths[other],
            was_killed=self.was_killed[other],
            round=1 + self.turn // 4,
            random=whims,
        )

    def move(self, square):
        """The bot whose turn it is goes to a square."""
        agent = self.turn % 4
        team = agent % 2
        assert square == self.bots[agent] or square in self.ways(self.bots[agent])
        self.was_killed[agent] = False
        self.bots[agent] = square
        if square in self.food[1 - team]:
            self.food[1 - team].remove(square)
            self.score[team] += 1
        ghosts = self.home(square)
        for other in range(4):
            is_pacman = self.bots[other] == square and other % 2 != ghosts
            if is_pacman and square in self.bots[ghosts::2]:
                self._kill(other)
        self.turn += 1

    def _kill(self, agent):
        self.bots[agent] = self.starts[agent]
        self.was_killed[agent] = True
        self.deaths[agent] += 1
        self.score[1 - agent % 2] += 5


class Follower:
    """Where an enemy may be, by adding up over all squares: a dictionary of probabilities."""

    def __init__(self, game, enemy, beta):
        self.game, self.enemy, self.beta = game, enemy, beta
        self.belief = {square: float(square == game.starts[enemy]) for square in game.free}
        self.visits = dict(self.belief)
        self.deaths = 0

    def turn(self, bot, moved, eaten):
        """What a bot is shown at its turn; ``eaten`` is where the enemy just ate, if at all."""
        shown = bot.enemy[self.enemy // 2]
        died = shown.deaths > self.deaths
        if died:
            self.deaths = shown.deaths
            self.belief = self._only(self.game.starts[self.enemy])
            if moved and not shown.was_killed:
                self._go()
            eaten = None
        elif moved:
            self._go()
        if not shown.is_noisy:
            self.belief = self._only(shown.position)
        elif moved and eaten:
            self.belief = self._only(eaten)
        else:
            self._weigh(bot, shown.position)
        if moved or died:
            for square, share in self.belief.items():
                self.visits[square] += share

    def _only(self, square):
        return {other: float(other == square) for other in self.game.free}

    def _go(self):
        after = dict.fromkeys(self.game.free, 0.0)
        neighbours = {square: self.game.ways(square) for square in self.game.free}
        for square, share in self.belief.items():
            for other, part in motion(neighbours, self.visits, self.beta, True, square).items():
                after[other] += share * part
        self.belief = after

    def _weigh(self, bot, noisy):
        for square in self.belief:
            near = sum(apart(square, free) <= NEAR for free in self.game.free)
            is_possible = apart(square, noisy) <= NEAR < apart(square, bot.position)
            self.belief[square] *= is_possible / near
        total = sum(self.belief.values())
        self.belief = {square: share / total for square, share in self.belief.items()}
