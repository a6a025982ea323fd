"""A table of values that goes on learning while a person plays it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evo.config import config as configuration
from evo.evaluation.export import check_file, write_file
from evo.evaluation.person import Ply
from evo.learners.base import LearnerOptions
from evo.learners.by_reward import LearningTables, RewardOptions
from evo.learners.q_learning import QLearningOptions
from evo.population import ALL
from results import open_run
from tournaments.errors import ConfigError
from tournaments.game import State
from tournaments.kernels.linker import build
from tournaments.kernels.rng import Stream, seeds_of
from tournaments.player import CompiledPlayer, Player, compiled
from tournaments.players.value_table import play as value_table
from tournaments.players.value_table.encoding import ValueTables
from tournaments.players.value_table.player import ValueGenomes


class Lesson(NamedTuple):
    """A game as far as it went: the table as it is now, and what it plays next (-1: nothing)."""

    values: np.ndarray
    action: int


class Apprentice:
    """An opponent that learns from each of its turns by its learner's own law, without exploring.

    What it has learned of a game follows from the plies that still stand: those that a person has
    taken back teach nothing, and a position that was changed begins another game.

    Attributes:
        player: the table, which stays as it is.
        options: of the learner by reward.
        file: where the table is written after a game.
        seed: of its draws.
    """

    def __init__(
        self, player: CompiledPlayer, options: RewardOptions, file: str, seed: int
    ) -> None:
        self.player = player
        self.options = options
        self.file = file
        self.seed = seed

    @property
    def name(self) -> str:
        return self.player.name

    @property
    def seats(self) -> tuple[int, ...]:
        return self.player.seats

    def choose(self, state: State, rng: Stream) -> int:
        """What the table plays."""
        return self.player.choose(state, rng)

    def answer(self, plies: Sequence[Ply], state: State) -> int:
        """What it plays after these plies, from which it has learned."""
        return self._learned(plies, state, state.seat_to_move).action

    def learn(self, plies: Sequence[Ply]) -> str:
        """Write the table down as it is after a whole game."""
        own = [ply for ply in plies if ply.player == self.name]
        if not own:
            return f"{self.name} has not played: nothing was learned"
        values = self._learned(plies, plies[-1].after, own[0].seat).values
        before = self.player.parameters.values[self.player.row]
        changed = int((values.view(np.uint32) != before.view(np.uint32)).sum())
        assert self.player.options is not None
        genomes = ValueGenomes(self.player.options["encoding"])
        held = genomes.export(self.player.game, [values.tobytes()], self.file)
        write_file(self.file, held)
        return f"{self.file}: {held.what}, {changed} of them changed by this game{held.note}"

    def _learned(self, plies: Sequence[Ply], state: State, seat: int) -> Lesson:
        """The lesson of a game that has come to this position."""
        game, kind = state.game, self.options.kind
        parameters = self._parameters(seat)
        begin, learn, is_known = (
            build(each, game.hooks, compiled=False)
            for each in (kind.begin, kind.learn, value_table.is_known)
        )
        memory = kind.memory(game, parameters)
        turns = [(number, ply.before) for number, ply in enumerate(plies) if self._is_own(ply)]
        begins = {number + 1 for number, ply in enumerate(plies) if not self._goes_on(ply, seat)}
        action, lead, begun = -1, 0.0, -1
        with np.errstate(over="ignore"):
            for number, before in [*turns, (len(plies), state)]:
                start = max((place for place in begins if place <= number), default=0)
                if not (before.is_over or is_known(game.board, before.array, parameters)):
                    action, begun = self._without_value(before, number), -1
                    continue
                if start != begun:
                    begun, lead = start, _lead(before, seat)
                    begin(game.board, before.array, parameters, 0, memory)
                now = _lead(before, seat)
                drawn = self._stream(number).state
                action = learn(game.board, before.array, now - lead, parameters, 0, memory, drawn)
                lead = now
        return Lesson(parameters.values[0], int(action))

    def _stream(self, number: int) -> Stream:
        """What is drawn from at a ply."""
        return Stream(int(seeds_of(self.seed, "apprentice", 0, np.array([number]))[0]))

    def _without_value(self, state: State, number: int) -> int:
        """An action in a position that cannot come up in a game: a person has made it."""
        return int(self._stream(number).choice(state.legal_actions()))

    def _is_own(self, ply: Ply) -> bool:
        return ply.player == self.name

    def _goes_on(self, ply: Ply, seat: int) -> bool:
        """Whether a ply belongs to the game in play: no change of it, and no turn of another."""
        return ply.seat >= 0 and (ply.seat != seat or self._is_own(ply))

    def _parameters(self, seat: int) -> LearningTables:
        """A copy of the table, with the rates of its role, without exploration."""
        held: ValueTables = self.player.parameters
        game = self.player.game
        _, eta, gamma = self.options.rates_of(game.seats[seat] if game.rules.has_roles else ALL)
        tables = held._replace(values=held.values[self.player.row][None].copy())
        return LearningTables(*tables, np.array([0.0, eta, gamma]))


def _lead(state: State, seat: int) -> float:
    return float(state.scores[seat] - state.scores[1 - seat])


def apprentice(opponent: Player, run: str, file: str, seed: int) -> Apprentice:
    """The opponent as one that learns, by the learner of its run or, of a file, by Q-learning.

    Args:
        opponent: a table of values.
        run: the folder of its run; empty: it is of none.
        file: where it writes what it has learned.
        seed: of its draws.

    Raises:
        ConfigError: it is no table of values, or the file is one of something else.
    """
    made = compiled(opponent)
    if made is None or not isinstance(made.parameters, ValueTables):
        raise ConfigError(
            f"--learn given, but {opponent.name} learns nothing from games: a run by q-learning, "
            "or a file of one, value-table:file=FILE.npy, is expected"
        )
    options: LearnerOptions = QLearningOptions()
    if run:
        held = open_run(run)
        options = configuration.of_run(held).learner
    assert isinstance(options, RewardOptions)
    check_file(file)
    if Path(file).exists() and made.name != file:
        raise ConfigError(
            f"--learn {file} given, which is there and is not the table of {made.name}; name a new "
            f"file, or play value-table:file={file}"
        )
    return Apprentice(made, options, file, seed)
