"""Slow and obvious hill climbing and annealing: lists, one game after another, move by move.

Of the project it takes streams of random numbers, players made of genomes, and the readable match.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evo.config.config import Config
from tournaments.arena import match
from tournaments.kernels.rng import generator, match_seeds

Genes = list[int]


@dataclass
class Side:
    """One side: what it plays, what it played when turns ended, and how long it is stuck."""

    name: str
    alleles: list[list[int]]
    make_player: Callable[[Genes], Any]
    incumbent: Genes
    archive: list[Genes] = field(default_factory=list)
    without_gain: int = 0


@dataclass
class Round:
    """What a round was: by name of each side its incumbent and archive; the rest of who learned."""

    learning: int
    challengers: list[Genes]
    merits: list[list[int]]
    accepted: int
    then: int
    stuck: int
    incumbents: dict[str, Genes]
    archives: dict[str, list[Genes]]


class Climb:
    """A run of ``hill-climbing`` or ``annealing``, round by round."""

    def __init__(self, config: Config) -> None:
        self.config, self.options = config, config.learner
        self.sides = [self._side(plan) for plan in config.populations]
        self.alone = len(self.sides) == 1
        self.number, self.learner, self.rounds, self.stuck = 0, 0, 0, 0

    def _side(self, plan: Any) -> Side:
        genome, game = plan.genome, self.config.game
        is_table = hasattr(genome.representation, "alleles")
        if is_table:
            listed = [[int(a) for a in row if a >= 0] for row in genome.representation.alleles]
        else:
            listed = [[0, 1]] * genome.num_genes

        def make_player(genes: Genes) -> Any:
            packed = genome.pack(np.array([genes], dtype=np.uint8))[0].tobytes()
            return genome.representation.player(game, [packed], "of these genes")

        stream = generator(self.config.seed, f"initial/{plan.name}")
        return Side(plan.name, listed, make_player, genome.random(1, stream)[0].tolist())

    def play_round(self) -> Round:
        """The next round; the first is one without variants."""
        side = self.sides[self.learner]
        challengers = [side.incumbent]
        if self.number:
            challengers += self.variants(side)
        before = {one.name: one.incumbent for one in self.sides}
        archives = {one.name: list(one.archive) for one in self.sides}
        merits, games, won = [], 0, []
        for challenger in challengers:
            merit, wins, games = self.merit(challenger)
            merits.append(merit)
            won.append(wins)
        learning, accepted = self.learner, 0
        if self.number:
            accepted = self.accepted(merits, games)
            self.note_gain(side, merits[accepted] > merits[0])
        self.end_round(side, challengers[accepted], won[accepted] == games)
        self.number += 1
        return Round(
            learning, challengers, merits, accepted, self.learner, self.stuck, before,
            archives,
        )  # fmt: skip

    def variants(self, side: Side) -> list[Genes]:
        """Each has so many genes changed to another allele; the last of two changes counts."""
        options = self.options
        stream = generator(self.config.seed, f"variants/{side.name}", self.number)
        most = options.changes
        if options.jump_after:
            for _ in range(side.without_gain // options.jump_after):
                most = max(options.changes, min(2 * most, options.most_changes))
        counts = [most] * options.candidates
        if options.changes_drawn:
            counts = stream.integers(1, most + 1, options.candidates).tolist()
        able = [gene for gene, alleles in enumerate(side.alleles) if len(alleles) > 1]
        drawn = stream.integers(0, len(able), sum(counts)).tolist()
        others = [0] * len(drawn)
        if max(map(len, side.alleles)) > 2:  # bits have no choice to draw
            limits = np.array([len(side.alleles[able[place]]) - 1 for place in drawn])
            others = stream.integers(0, limits).tolist()
        made = []
        for count in counts:
            genes = list(side.incumbent)
            for _ in range(count):
                gene, other = able[drawn.pop(0)], others.pop(0)
                kept = [one for one in side.alleles[gene] if one != side.incumbent[gene]]
                genes[gene] = kept[other]
            made.append(genes)
        return made

    def merit(self, challenger: Genes) -> tuple[list[int], int, int]:
        """The measures in their order, games won, and games played."""
        options, config = self.options, self.config
        side, other = (
            self.sides[self.learner],
            self.sides[self.learner if self.alone else 1 - self.learner],
        )
        opponents = [other.make_player(other.incumbent)] if options.current else []
        known = [other.incumbent] if options.current else []
        opponents += [other.make_player(one) for one in other.archive if one not in known]
        opponents += config.panel
        generation = 0 if options.same_games else self.number
        seeds = match_seeds(config.seed, "matches", generation, len(opponents) * options.games)
        me, number = side.make_player(challenger), 0
        sums, won, games = dict.fromkeys(options.measures, 0), 0, 0
        for opponent in opponents:
            for _ in range(options.games):
                a, b = (me, opponent) if self.learner == 0 else (opponent, me)
                played = match.play_match(
                    config.game, a, b, int(seeds[number]), 2 if self.alone else 1, measured=True
                )
                number += 1
                for game, (first, second, plies, distance) in enumerate(played.tolist()):
                    seat = game if self.alone else self.learner
                    mine, its = (first, second) if seat == 0 else (second, first)
                    worth = {
                        "wins": int(mine > its),
                        "score": mine - its,
                        "plies": (plies if seat == 1 else -plies) if first > second else 0,
                        "distance": distance if seat == 1 else -distance,
                    }
                    won, games = won + worth["wins"], games + 1
                    for name in sums:
                        sums[name] += worth[name]
        return [sums[name] for name in options.measures], won, games

    def accepted(self, merits: list[list[int]], games: int) -> int:
        """The best variant, if it is better, as good and drift is on, or the dice say so."""
        best = max(range(1, len(merits)), key=lambda row: (merits[row], -row))
        if merits[best] > merits[0] or (merits[best] == merits[0] and self.options.drift):
            return best
        if self.options.name != "annealing" or merits[best] == merits[0]:
            return 0
        options = self.options
        temperature = options.temperature * 0.5 ** (self.number / options.half_life)
        pairs = zip(options.measures, merits[best], merits[0], strict=True)
        name, mine, its = next(pair for pair in pairs if pair[1] != pair[2])
        loss = (its - mine) / (games if name == "wins" else max(abs(its), 1))
        chance = generator(self.config.seed, "annealing", self.number).random()
        return best if temperature > 0 and chance < math.exp(-loss / temperature) else 0

    def note_gain(self, side: Side, gained: bool) -> None:
        side.without_gain = 0 if gained else side.without_gain + 1
        self.stuck = 0 if gained else self.stuck + 1

    def end_round(self, side: Side, incumbent: Genes, wins_all: bool) -> None:
        """Take the new incumbent, and end the turn where it is over."""
        options = self.options
        if self.alone:
            if incumbent is not side.incumbent:
                self.put_away(side)
            side.incumbent = incumbent
            return
        side.incumbent = incumbent
        if self.number == 0:
            self.learner = 1 if wins_all else 0
            return
        self.rounds += 1
        has_lasted = options.turn_after > 0 and self.rounds >= options.turn_after
        if not has_lasted and not wins_all:
            return
        self.learner, self.rounds = 1 - self.learner, 0
        self.put_away(self.sides[self.learner])  # what it ended its turn with, or began with

    def put_away(self, side: Side) -> None:
        if self.options.archive and side.archive[-1:] != [side.incumbent]:
            side.archive = [*side.archive, side.incumbent][-self.options.archive :]
