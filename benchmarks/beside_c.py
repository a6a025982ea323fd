"""What benchmarks share that play the same games in our arena and in a C loop."""

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks import Results
from benchmarks.peers import c_loop
from benchmarks.peers.c_loop import Outcomes
from benchmarks.report import emit, emit_row, machine
from benchmarks.timing import Plan, Play, compare
from cluster import Entrants
from tournaments import games, players
from tournaments.arena.arena import play_pairs
from tournaments.game import Game
from tournaments.kernels.rng import match_seeds

PLAN, QUICK_PLAN = Plan(0.1, 9, time.thread_time), Plan(0.02, 3, time.thread_time)


def our_arena(names: Sequence[str], game: Game, measured: bool = True) -> Outcomes:
    """Two players, by name and seat, in our arena."""
    entrants = Entrants(game, [players.make(name, game) for name in names])

    def play(seeds: NDArray[np.uint64]) -> NDArray[np.int16]:
        pairs = np.tile(np.array([[-1, -2]], dtype=np.int32), (len(seeds), 1))
        return play_pairs(entrants, pairs, seeds, 1, ((-1, -2),), measured=measured)

    return play


def as_play(outcomes: Outcomes, seeds: NDArray[np.uint64]) -> Play:
    """Return a function that plays a number of matches: the first of these games, over and over."""

    def play(matches: int) -> Results:
        won = 0
        for first in range(0, matches, len(seeds)):
            scores = outcomes(seeds[: min(matches - first, len(seeds))])[:, 0]
            won += int((scores[:, 0] > scores[:, 1]).sum())
        return won, 0, matches - won

    return play


def refuse_difference(what: str, ours: NDArray[np.int16], theirs: NDArray[np.int16]) -> None:
    """Raise RuntimeError where an outcome differs; the message says of what."""
    differing = np.flatnonzero((ours != theirs).any(axis=(1, 2)))
    if len(differing):
        number = differing[0]
        raise RuntimeError(
            f"{what}: {len(differing)} of {len(ours)} games differ, the first {number}: ours "
            f"{ours[number, 0].tolist()}, C's {theirs[number, 0].tolist()}"
        )


@dataclass(frozen=True)
class Duel:
    """Jobs that our arena and a C loop do alike, game for game.

    Attributes:
        name: begins the names of its figures.
        unit: of which its figures are.
        heads: of the columns for the game and its two players.
        jobs: job -> the players, by seat.
        compared: job -> games whose outcomes are compared, one by one.
        specs: the games; a quick look takes the first.
        label: what the table calls a game.
        loop: the C loop of a job in a game.
        steps: a game's moves or rounds, of outcomes, and what they are called.
    """

    name: str
    unit: str
    heads: tuple[str, str, str]
    jobs: Mapping[str, tuple[str, str]]
    compared: Mapping[str, int]
    specs: Sequence[str]
    label: Callable[[Game], str]
    loop: Callable[[str, Game], Outcomes]
    steps: tuple[Callable[[NDArray[np.int16]], float], str] = (
        lambda outcomes: float(outcomes[:, 0, 2].mean()),
        "moves",
    )

    def ours(self, job: str, game: Game) -> Outcomes:
        """Return a job as games of our arena."""
        return our_arena(self.jobs[job], game, measured=self.steps[1] == "moves")

    def check_equal(self, job: str, game: Game, seeds: NDArray[np.uint64]) -> float:
        """Return the mean steps of a game. Raise RuntimeError if an outcome differs."""
        outcomes = self.ours(job, game)(seeds)
        refuse_difference(f"{job} of {game.spec}", outcomes, self.loop(job, game)(seeds))
        return self.steps[0](outcomes)

    def main(self, page: str | None) -> None:
        """Print every job in every game: the outcomes compared, then the rates in turns."""
        parser = argparse.ArgumentParser(description=page)
        parser.add_argument("--jobs", nargs="+", choices=self.jobs, default=list(self.jobs))
        parser.add_argument("--quick", action="store_true", help="short turns, the first game only")
        parser.add_argument("--json", action="store_true", help="JSON objects in place of a table")
        chosen = parser.parse_args()
        if not c_loop.available():
            raise SystemExit(f"c is left out: {c_loop.INSTALL}")
        if chosen.json:
            emit("machine", 1, "machine", **machine())
        else:
            rates = "games/s", f"{self.steps[1]}/s", "ours/C", "C's games/s"
            emit_row(*self.heads, *rates)
        for spec in self.specs[:1] if chosen.quick else self.specs:
            for job in chosen.jobs:
                self._measure(job, games.parse(spec), chosen)

    def _measure(self, job: str, game: Game, chosen: argparse.Namespace) -> None:
        seeds = match_seeds(0, "benchmark", 0, self.compared[job])
        steps = self.check_equal(job, game, seeds)
        ours, theirs = as_play(self.ours(job, game), seeds), as_play(self.loop(job, game), seeds)
        rates = compare(ours, theirs, QUICK_PLAN if chosen.quick else PLAN)
        if chosen.json:
            each = 1.0 if self.unit == "games" else steps
            emit(
                f"{self.name}-{self.unit}",
                rates.ours * each,
                f"{self.unit}/s",
                job=job,
                game=game.spec,
            )
            emit(f"{self.name}-ratio", rates.ratio, "times c", job=job, game=game.spec)
        else:
            figures = rates.ours, rates.ours * steps
            row = [*(f"{figure:,.0f}" for figure in figures), f"{rates.ratio:.2f}"]
            emit_row(self.label(game), *self.jobs[job], *row, f"{rates.theirs:,.0f}")
