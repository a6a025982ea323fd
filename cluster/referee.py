"""The treatment of faults while matches are played: forfeits are recorded and written.

A forfeit depends on the players and the seed, so every worker reproduces it. A time limit, or a
player that ends its process, is not reproducible. Such a verdict is on the disk before the outcomes
are used, and it counts when the same matches are played again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NamedTuple, TypeVar

from cluster.evaluator import Evaluator
from cluster.faults import MatchLost
from cluster.recorded import RecordedEvaluator
from cluster.trial import SILENCE_SECONDS, Trial, tried
from results.folder.faults import KEY, is_of_evolution, read_faults, write_faults
from results.folder.files import Place
from results.folder.recording import Recording
from results.format.schema import AND, FORFEIT, QUARANTINE
from tournaments.arena.contests import CONTEST
from tournaments.arena.entrants import Entrants
from tournaments.arena.evaluator import play_all
from tournaments.arena.forfeits import (
    EXITED,
    LATE,
    FaultPolicy,
    Forfeit,
    Patience,
    Verdict,
    fault_policy,
)
from tournaments.arena.outcomes import Played
from tournaments.errors import counted
from tournaments.game import Game
from tournaments.player import seconds_of
from tournaments.schedules.base import Matches

T = TypeVar("T")
Row = dict[str, Any]
Key = tuple[Any, ...]


class EntrantIdentity(NamedTuple):
    """The identity of an entrant in the table ``faults``.

    Attributes:
        name: name of a fixed opponent; population and row of an individual.
        population: of an individual; empty for a fixed opponent.
        id: of an individual; -1 for a fixed opponent.
        genome: packed, of an individual.
    """

    name: str
    population: str = ""
    id: int = -1
    genome: bytes = b""

    @property
    def key(self) -> Key:
        """The key of an entrant in the table of faults, which is the same in every generation."""
        return (self.population, self.id) if self.population else (self.name,)


NOBODY = 1 << 31
"""Number in place of an entrant that does not take part."""
WhoIs = Callable[[int], EntrantIdentity]
"""Function that returns the identity of an entrant."""


def _silently(line: str) -> None:
    """Ignore a message to the user. A lambda could not be pickled together with pieces of work."""


@dataclass
class Referee:
    """The referee of faults: forfeits games, counts forfeits and writes them into a folder.

    Attributes:
        faults: ``forfeit``, or ``abort``: the referee does nothing.
        folder: of the run or the tournament; None: nothing is written.
        announce: called with a line for each player's first fault of a kind.
        forfeits: number of games lost by faults.
        recording: records the outcomes of a run whose matches do not repeat, see
            :mod:`cluster.recorded`. None: outcomes are not recorded.
        island: the number of the island whose outcomes are recorded; None: there are no islands.
        is_replay: whether every outcome has to be in the recording.
        void: number of games that the simulator of a contest ended without scores.
        first_void: what the simulator did in the first of these games.
    """

    faults: str = "abort"
    folder: Place | None = None
    announce: Callable[[str], None] = _silently
    forfeits: int = 0
    recording: Recording | None = None
    island: int | None = None
    is_replay: bool = False
    void: int = 0
    first_void: str = ""
    _known: set[Key] = field(default_factory=set)
    _out: dict[Key, Row] = field(default_factory=dict)
    _rows: list[Row] = field(default_factory=list)
    _waiting: list[Row] = field(default_factory=list)
    _verdicts: list[Row] = field(default_factory=list)
    _said: set[tuple[str, str]] = field(default_factory=set)
    _call: tuple[Entrants, Matches, WhoIs] | None = None
    _patience: Patience = field(default_factory=Patience)

    def __post_init__(self) -> None:
        self.is_strict = fault_policy(self.faults) is None
        if self.folder is not None:
            self._remember(read_faults(self.folder).to_pylist())

    def _remember(self, rows: Iterable[Row]) -> None:
        """Record rows of the table ``faults`` that are written, and apply the verdicts in them."""
        for row in rows:
            self._known.add(_key(row))
            if _is_verdict(row):
                self._verdicts.append(row)
            if row["verdict"] == QUARANTINE:
                self._out[_keys(row)[0]] = row

    @property
    def quarantined(self) -> set[str]:
        """The names of fixed opponents that are quarantined, so that they lose all their games."""
        return {key[0] for key in self._out if len(key) == 1}

    # --- playing ----------------------------------------------------------------------------------

    def play(
        self, evaluator: Evaluator, entrants: Entrants, matches: Matches, who: WhoIs
    ) -> Iterator[Played]:
        """Play matches and yield their outcomes in parts. Faults of players are forfeited.

        Args:
            evaluator: plays the matches.
            entrants: the individuals and fixed opponents that meet.
            matches: the schedule.
            who: returns the identity of an entrant, by its number.

        Raises:
            TournamentError: as of :func:`tournaments.arena.evaluator.play_all`.
        """
        if self.recording is not None and is_of_evolution(matches.purpose):
            evaluator = RecordedEvaluator(evaluator, self.recording, self.island, self.is_replay)
        if self.is_strict:
            yield from play_all(evaluator, entrants, matches)
            return
        entrants = entrants.judged_by(self._policy(entrants, matches, who))
        self._call = entrants, matches, who
        for played in play_all(evaluator, entrants, matches):
            self.forfeits += len(played.forfeits)
            for forfeit in played.forfeits:
                if forfeit.seat == CONTEST:
                    self.void += 1
                    self.first_void = self.first_void or forfeit.what
                # The row of a player that is quarantined stands for all its games.
                if forfeit.seat < 0 or who(forfeit.entrant).key not in self._out:
                    self._rows.append(_row(forfeit, matches, who, FORFEIT, entrants.game))
            yield played

    def play_until_verdicts_settle(self, count: Callable[[], T]) -> T:
        """Call ``count``, which plays matches, and return its result.

        The call is repeated as long as it leads to new verdicts on players. Verdicts that are not
        reproducible are on the disk when this method returns.

        Raises:
            MatchLost: of a match which no worker survives, and for which no player is to blame.
        """
        while True:
            self._rows = []
            try:
                result = count()
            except MatchLost as lost:
                self._quarantine(lost)
            else:
                self.take(sorted(self._rows, key=_key))  # verdicts of the clock are written now
                return result

    def _policy(self, entrants: Entrants, matches: Matches, who: WhoIs) -> FaultPolicy:
        """Return the policy that applies the written verdicts to the entrants of these matches.

        ``who`` returns the identity of an entrant, by its number.
        """
        number = matches.generation
        verdicts = (row for row in self._verdicts if row["verdict"] == FORFEIT)
        late = [row for row in verdicts if row["generation"] == number]
        if not (self._out or late):
            return FaultPolicy(patience=self._patience)
        everybody = {n: who(n) for n in range(-len(entrants.panel), entrants.starts[-1])}
        entrant_of = {each.key: n for n, each in everybody.items()}
        named = {each.name: n for n, each in everybody.items()}
        quarantined, written = {}, dict[tuple[int, ...], Verdict]()
        for key, row in self._out.items():
            if row["generation"] <= number and _scope(row["purpose"]) == _scope(matches.purpose):
                quarantined[entrant_of.get(key, NOBODY)] = row["cause"], row["what"]
        for row in late:
            if entrants.game.rules.contest is None:
                pair = [entrant_of.get(key, NOBODY) for key in _keys(row)]
                if (row["seat"] + row["game"]) % 2:
                    pair.reverse()
            else:
                pair = [named.get(name, NOBODY) for name in row["opponent"].split(AND)]
                if row["seat"] >= 0:
                    place = (row["seat"] - row["game"]) % len(entrants.game.seats)
                    pair.insert(place, named.get(row["player"], NOBODY))
            verdict = Verdict(row["seat"], row["ply"], row["cause"], row["what"])
            written[row["match_seed"], row["game"], *pair] = verdict
        quarantined.pop(NOBODY, None)
        return FaultPolicy(quarantined, written, self._patience)

    # --- recorded rows ----------------------------------------------------------------------------

    def take(self, rows: Iterable[Row]) -> None:
        """Record new rows of the table ``faults`` and announce them to the user.

        The rows were made here or where an island was played. Verdicts are written to disk at once.
        """
        new = [row for row in rows if _key(row) not in self._known]
        self._waiting += [row for row in new if self.folder is None or not _is_verdict(row)]
        self._remember(new)
        if self.folder is not None:
            write_faults(self.folder, [row for row in new if _is_verdict(row)])
        for row in new:
            self._say(row)

    def elsewhere(self, named: Callable[[Row], Row | None], island: int | None = None) -> Referee:
        """Return a referee for work that another worker plays, with the verdicts so far.

        Args:
            island: the number of the island that is played.
            named: function that renames the populations of a row of ``faults`` for that work. It
                returns None for a row that does not concern the work.
        """
        other = Referee(
            self.faults, recording=self.recording, island=island, is_replay=self.is_replay
        )
        other._remember(row for each in self._verdicts if (row := named(each)) is not None)
        return other

    def noted(self) -> list[Row]:
        """Return and remove the recorded faults that are not written.

        The caller has to write them.
        """
        rows, self._waiting = self._waiting, []
        return rows

    def _quarantine(self, lost: MatchLost) -> None:
        """Quarantine the player that ends its workers, or keeps them waiting for ever.

        Raises:
            MatchLost: this error again, if no player is to blame.
        """
        if self.is_strict or lost.pair is None or self._call is None:
            raise lost
        entrants, matches, who = self._call
        assert lost.seed is not None
        a, b = (entrants.player(entrant) for entrant in lost.pair)
        limits = [seconds for seconds in map(seconds_of, (a, b)) if isfinite(seconds)]
        patience = max([SILENCE_SECONDS, *limits])
        blame = tried(Trial(entrants.game, a, b, lost.seed, matches.games), patience)
        if blame is None:
            raise lost
        forfeit = Forfeit(lost.match, blame.game, *blame.verdict, lost.pair, lost.seed)
        row = _row(forfeit, matches, who, QUARANTINE, entrants.game)
        if _key(row) in self._known:  # it was played all the same
            raise lost
        self.take([row])

    def _say(self, row: Mapping[str, Any]) -> None:
        if row["verdict"] == QUARANTINE:
            loss = "and is quarantined: it loses all its games"
            self.announce(f"{row['player']} {row['what']} {loss}")
            return
        kind = row["player"], row["cause"]
        if kind not in self._said and not row["population"]:
            self._said.add(kind)
            where = "" if self.folder is None else f"; all such games: {self.folder / 'faults'}"
            loss = "the game is void" if row["seat"] == CONTEST else "forfeits the game"
            self.announce(f"{row['player']} {row['what']} and {loss}{where}")

    def flush(self) -> None:
        """Write the faults recorded so far. They are on the disk when this method returns.

        Raises:
            ResultsError: the system refused.
        """
        if self.folder is not None:
            write_faults(self.folder, self.noted())

    def announce_forfeits(self) -> None:
        """Announce the number of games lost by faults, if any, and the folder of the faults."""
        where = "" if self.folder is None else f", see {self.folder / 'faults'}"
        if self.forfeits:
            self.announce(f"{counted(self.forfeits, 'game')} lost by faults{where}")

    def written(self, generation: int) -> int:
        """Return the number of rows of ``faults`` about the evolution up to a generation.

        Rows count when they have been recorded; call ``flush`` before, so that all are written.
        """
        return sum(is_of_evolution(key[0]) and key[1] <= generation for key in self._known)


def _row(forfeit: Forfeit, matches: Matches, who: WhoIs, verdict: str, game: Game) -> Row:
    losers, others = forfeit.sides
    loser = who(losers[0]) if losers else EntrantIdentity(game.name)
    winner = who(others[0])
    if len(others) > 1:
        winner = EntrantIdentity(AND.join(who(each).name for each in others))
    return {
        "generation": matches.generation,
        "purpose": matches.purpose,
        **{name: getattr(forfeit, name) for name in ("match", "game", "seat", "ply")},
        "verdict": verdict,
        "cause": forfeit.cause,
        "what": forfeit.what,
        "player": loser.name,
        "opponent": winner.name,
        "population": loser.population,
        "opponent_population": winner.population,
        "id": loser.id,
        "opponent_id": winner.id,
        "genome": loser.genome.hex(),
        "opponent_genome": winner.genome.hex(),
        "match_seed": forfeit.seed,
    }


def _is_verdict(row: Mapping[str, Any]) -> bool:
    """Return whether a row of ``faults`` is a verdict that cannot be reproduced by playing again.

    These are quarantines, exceeded time limits, and simulators that end their process. They are
    written and applied at once.
    """
    is_of_process = row["cause"] == LATE or (row["seat"] == CONTEST and row["cause"] == EXITED)
    return bool(row["verdict"] == QUARANTINE or is_of_process)


def _keys(row: Mapping[str, Any]) -> tuple[Key, Key]:
    """Return the keys of the loser and of the winner of a row of ``faults/``."""
    loser = EntrantIdentity(row["player"], row["population"], row["id"])
    winner = EntrantIdentity(row["opponent"], row["opponent_population"], row["opponent_id"])
    return loser.key, winner.key


def _key(row: Mapping[str, Any]) -> Key:
    """Return the values of the columns that identify a row of the table ``faults``."""
    return tuple(row[name] for name in KEY)


def _scope(purpose: str) -> str:
    """Return the scope of matches, the first word of their purpose.

    A quarantine applies to all matches of its scope.
    """
    return purpose.partition("/")[0]


def named(names: Sequence[str]) -> WhoIs:
    """Return a function from an entrant's number to its identity; all are fixed opponents.

    ``names`` are the names of the fixed opponents, which are numbered -1, -2 and so on.
    """
    return lambda entrant: EntrantIdentity(names[-entrant - 1])
