"""A league: the submissions of a folder play each other in nightly rounds.

A league's folder has the format of a tournament's folder, but its players change over time. A
submission is identified by the content of its file: a changed file is a new submission, and the
earlier version keeps its games. Games are never played twice.

Each round is drawn from the pairs that have met so far, so that a night continues where the last
one ended. The pairs of a round are written before the round is played. A night that was killed
therefore has the same results when it is continued.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from evo.evaluation.players import check_two_players
from evo.execution import Execution
from evo.requests.tournaments import LeagueRequest
from evo.tournaments.cross_table import CrossTable
from evo.tournaments.folder import note, publish, refuse_other
from evo.tournaments.league_table import LeagueTable, csv_of, forfeits_of, standings
from evo.tournaments.ledger import Ledger, PairMatches, pair_of
from evo.tournaments.submissions import (
    EXPECTED,
    THRESHOLDS,
    Inspection,
    Submission,
    check_folder,
    playing,
    reason,
    thresholds_of,
)
from evo.versions import versions
from results.folder.faults import faults_of
from results.folder.files import Place, atomic_write, place_of
from results.folder.tournament import LEAGUE_FILES, SECRET_FILE, TournamentWriter
from tournaments import games as known_games
from tournaments.errors import ConfigError, TournamentError
from tournaments.game import Game
from tournaments.schedules.pairings import in_order, swiss_rounds

LEAGUE = "league"
"""Schedule in the folder of a league, so that ``evo tournament`` does not continue a league."""
Pair = tuple[str, str]
"""The names of two submissions, in order."""


def play_league(request: LeagueRequest, execution: Execution) -> LeagueTable:
    """Play the missing games of a league, write its table, and return it.

    See :func:`evo.pages.site.play`.
    """
    game, source = known_games.parse(request.game), Path(request.folder)
    check_two_players(game)
    folders = [source, *([] if request.staff is None else [Path(request.staff)])]
    for folder in folders:
        check_folder(folder)
    if len({folder.resolve() for folder in folders}) < len(folders):
        request.refuse("staff", ", the folder of the submissions; give another one for the staff")
    thresholds = {} if request.staff is None else thresholds_of(folders[1])
    kept = place_of(f"{source.resolve()}-league" if request.out is None else request.out)
    inside = {kept.resolve(), *kept.resolve().parents} if isinstance(kept, Path) else set()
    if any(folder.resolve() in inside for folder in folders):
        request.refuse("out", ", in the folder of submissions; give one outside of it")
    with (
        closing(TournamentWriter(kept)) as writer,
        execution.reporting("pair") as report,
        execution.playing() as evaluator,
    ):
        shown = replace(execution, evaluator=evaluator, report=report)
        resolved = [folder.resolve() for folder in folders]
        night = Night(request, game, resolved, thresholds, writer, shown)
        night.gather()
        night.play()
        return night.written(kept)


@dataclass
class Night:
    """A night of a league: the games of one call.

    Attributes:
        folders: folder of the submissions and, if given, folder of the staff's bots.
        thresholds: share of the points to reach against each bot of the staff, by file.
        listed: all submissions and bots of the staff. A submission or bot that fails during the
            night is marked as broken.
        broken: cause of each broken submission that was tried, by digest.
        history: rows of the table ``history``.
        games: number of games played tonight.
        seed: seed of tonight's games, set when they are over.
        goes_on: whether this night was begun by an earlier call and is continued.
        ledger: the games of all nights.
    """

    request: LeagueRequest
    game: Game
    folders: Sequence[Path]
    thresholds: Mapping[str, float]
    writer: TournamentWriter
    execution: Execution
    listed: list[Submission] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    games: int = 0
    seed: int | None = None
    goes_on: bool = False
    ledger: Ledger = field(init=False)

    def gather(self) -> None:
        """Check the submissions and write the list of players.

        Raises:
            ConfigError, ResultsError: a bot of the staff is broken, the folder is of another league
                or damaged.
        """
        info = self.writer.info
        if info is not None:
            refuse_other(self.writer, {"game": self.game.spec, "schedule": LEAGUE})
        names = {digest: name for name, digest in (info["players"] if info else {}).items()}
        self.history = self.writer.history.to_pylist()
        before = {} if self.request.again or info is None else info.get("broken", {})
        self.broken = dict(before)
        inspection = Inspection(self.game, names, self.broken, self.request.seconds)
        staff = [
            replace(bot, is_staff=True)
            for folder in self.folders[1:]
            for bot in inspection.submissions(folder)
        ]
        for bot in staff:
            if bot.why:
                raise ConfigError(
                    f"{self.request.staff}: {bot.file} does not play: {bot.why}; mend it, or take "
                    "it out of the folder of the staff"
                )
        bots = {bot.file for bot in staff if bot.counts}
        if strange := [file for file in self.thresholds if file not in bots]:
            raise ConfigError(
                f"{self.request.staff}/{THRESHOLDS}: {strange[0]} given, which is no bot; one of "
                f"{', '.join(sorted(bots)) or 'none'} is expected"
            )
        lying = inspection.submissions(self.folders[0])
        self.listed = [submission for submission in (*staff, *lying) if submission.counts]
        if others := [submission.file for submission in lying if not submission.counts]:
            self.execution.announce(
                f"no submissions, and left out: {', '.join(others)} ({EXPECTED})"
            )
        for submission in self.listed:
            if submission.why:
                known = " (not tried again without --again: unchanged)"
                self.execution.announce(
                    f"{submission.file} does not play: {submission.why}"
                    f"{known * (submission.digest in before)}"
                )
        self._note(info["underway"] if info else [])

    def _note(self, underway: Sequence[Sequence[str]]) -> None:
        """Write the players and the pairs of the next round, unless they are written already."""
        before = self.writer.info or {}
        known = {submission.name: submission.digest for submission in playing(self.listed)}
        now = {
            "game": self.game.spec,
            "nights": before.get("nights", []),
            "games": max(self.request.games, before.get("games", 0)),
            "schedule": LEAGUE,
            "submissions": str(self.folders[0]),
            **({"staff": str(self.folders[1])} if self.folders[1:] else {}),
            "players": {**before.get("players", {}), **known},
            "broken": self.broken,
            "thresholds": dict(self.thresholds),
            "underway": [list(pair) for pair in underway],
        }
        note(self.writer, now, versions())

    def opponents(self, players: int) -> int:
        """Return the number of opponents that each of ``players`` players must meet."""
        if self.request.schedule == "round-robin":
            return players - 1
        return min(self.request.rounds or swiss_rounds(players), players - 1)

    def active(self, is_staff: bool) -> list[str]:
        """Return the names of the submissions that play, or of the staff's bots, by file."""
        return [each.name for each in playing(self.listed) if each.is_staff == is_staff]

    def play(self) -> None:
        """Play rounds until each player has met enough opponents, or the night is over."""
        participants = [submission.participant() for submission in playing(self.listed)]
        referee = self.execution.referee(self.writer.path)
        seed = self._seed_of_tonight()
        evaluator = self.execution.evaluator
        self.ledger = Ledger(self.game, participants, seed, evaluator, referee, writer=self.writer)
        self.ledger.rounds = self._last_round
        underway = [(a, b) for a, b in (self.writer.info or {})["underway"]]
        while pairs := list(filter(self._can_meet, underway)) or self.next_round():
            if self.request.most_games is not None:
                pairs = pairs[: max(0, self.request.most_games - self.games) // self.request.games]
            if not pairs:
                break
            self._note(pairs)
            self._play(pairs)
            underway = []
        self._note([])
        self._publish(seed, self.ledger.rounds)

    @property
    def _last_round(self) -> int:
        """The number of the last round of earlier calls."""
        return int(self.writer.pairs["round"].max(initial=0))

    def _seed_of_tonight(self) -> int:
        """Return the seed of an interrupted night, else the given seed, else a new secret seed.

        The seed is stored until the night is over.

        Raises:
            ConfigError: the seed of an interrupted night differs from the given seed, or is lost.
        """
        path, given, kept = self.writer.path, self.request.seed, self.writer.secret_seed
        nights = self._nights
        if kept in [night["seed"] for night in nights]:
            kept = None
        self.goes_on = kept is not None
        if self.goes_on and given not in (None, kept):
            words = "was interrupted and has another seed: finish it first, without --seed"
            self.request.refuse("seed", f"; the last night in {path} {words}")
        before = nights[-1]["last_round"] if nights else 0
        if kept is None and given is None and self._last_round > before:
            raise ConfigError(
                f"{path} holds games of an interrupted night, but not the file {SECRET_FILE} that "
                "held its seed: give it with --seed, or another folder with --out"
            )
        seed = given if kept is None else kept
        seed = secrets.randbits(128) if seed is None else seed
        self.writer.secret_seed = seed
        return seed

    @property
    def _nights(self) -> list[dict[str, Any]]:
        return (self.writer.info or {}).get("nights", [])

    def _publish(self, seed: int, last_round: int) -> None:
        """Publish the seed of tonight's games, if there were any."""
        if self.games or self.goes_on:
            self.seed = seed
            night = {"seed": seed, "last_round": last_round}
            publish(self.writer, nights=[*self._nights, night])
        else:
            self.writer.secret_seed = None

    def _can_meet(self, pair: Pair) -> bool:
        return pair not in self._met and set(pair) <= {each.name for each in playing(self.listed)}

    @property
    def _met(self) -> set[Pair]:
        """The pairs that have played all their games."""
        names, done = self.ledger.names, self.request.games
        met = set()
        for (i, j), counts in self.ledger.played.items():
            pair = pair_of(names[i], names[j])
            if counts.sum() >= done or pair in self.ledger.repeated:
                met.add(pair)
        return met

    def next_round(self) -> list[Pair]:
        """Pair the players for the next round, those with the fewest matches first.

        Submissions first meet all bots of the staff. In later rounds, each submission is in one
        pair at most.
        """
        names, all_met = self.active(False), self._met
        with_staff = [pair_of(name, bot) for name in names for bot in self.active(True)]
        if new := [pair for pair in with_staff if pair not in all_met]:
            return new
        met = all_met & {pair_of(a, b) for a in names for b in names if a != b}
        many = Counter(chain(*met))
        ranks = self._ranks(names)
        return list(round_of(names, ranks, many, met, self.opponents(len(names))))

    def _ranks(self, names: Sequence[str]) -> dict[str, int]:
        """Return the rank of each player by rating. In a round-robin all ranks are 0."""
        if self.request.schedule == "round-robin":
            return dict.fromkeys(names, 0)
        ratings = self.table.of(names).ratings.ratings
        order = sorted(range(len(names)), key=lambda place: (-ratings[place], names[place]))
        return {names[place]: rank for rank, place in enumerate(order)}

    def _play(self, pairs: Sequence[Pair]) -> None:
        """Play a round. Games with faults are forfeited.

        If a game cannot be played at all, play the pairs one by one, so that the other pairs keep
        their games.
        """
        try:
            self._meet(pairs)
        except TournamentError as error:
            if len(pairs) == 1:
                self._fail(pairs[0], error)
                return
            for pair in pairs:
                if self._can_meet(pair):
                    self._play([pair])

    def _meet(self, pairs: Sequence[Pair]) -> None:
        matches, numbers = self.request.games // 2, self.ledger.names.index
        ends = [in_order(*map(numbers, pair)) for pair in pairs]
        meetings = [PairMatches(i, j, 0, matches) for i, j in ends]
        names, staff = self.active(False), self.active(True)
        done, before = sum({*names, *staff}.issuperset(pair) for pair in self._met), self.games
        foreseen = len(names) * (self.opponents(len(names)) + 2 * len(staff)) // 2

        def report(games: int) -> None:
            self.games += games
            so_far = done + (self.games - before) // self.request.games
            self.execution.report(so_far, max(so_far, foreseen), games)

        self.ledger.round(meetings, report)

    def _fail(self, pair: Pair, error: TournamentError) -> None:
        """Exclude the submission at fault for the rest of the night.

        If the error does not name a player, exclude both submissions of the pair.
        """
        both = [submission for submission in playing(self.listed) if submission.name in pair]
        guilty = [
            submission
            for submission in both
            if submission.player and str(error).startswith(f"player {submission.player.name!r} ")
        ]
        for submission in guilty or both:
            why = reason(error)
            for folder in self.folders:
                why = why.replace(f"{folder}/", "")
            broken = replace(submission, player=None, why=why)
            if guilty:
                self.broken[submission.digest] = why
            self.listed[self.listed.index(submission)] = broken
            self.execution.announce(f"{submission.file} plays no more: {broken.why}")

    @property
    def table(self) -> CrossTable:
        """The cross table of all games of the league."""
        return self.ledger.table(self.ledger.played)

    def written(self, kept: Place) -> LeagueTable:
        """Write the page and the files of the league and return its table."""
        present = [submission.name for submission in self.listed if submission.name]
        table = self.table
        met = {table.names[number] for pair in table.met for number in pair}
        everybody = table.of([*present, *sorted(met - set(present))])
        lost = forfeits_of(faults_of(kept))
        made = LeagueTable(
            *(self.game.spec, self.listed, everybody, kept, self.games, lost, self.seed),
            *(self.thresholds, self.history, self.request.show_errors),
            players={each.name: each for each in self.ledger.participants},
        )
        self.writer.write_ratings(standings(everybody))
        night = len(self._nights)
        if night and all(row["night"] != night for row in self.history):
            self.writer.add_to_history(rows := made.history_rows(night))
            self.history += rows
        atomic_write(kept / LEAGUE_FILES[1], csv_of(made).encode())
        return made


def round_of(
    names: Sequence[str],
    ranks: Mapping[str, int],
    many: Mapping[str, int],
    met: set[Pair],
    opponents: int,
) -> Iterator[Pair]:
    """Yield pairs that have not met, with each player in one pair at most.

    No pair is yielded if all players have met enough opponents. The players with the fewest
    matches are paired first. Each meets the player that is nearest in rank and, among equals, has
    the fewest matches.

    Args:
        names: names of the players.
        ranks: rank of each player. All ranks are equal if the rank does not count.
        many: number of players that each player has met.
        met: the pairs that have met.
        opponents: number of opponents that each player must meet.
    """
    free = sorted(names, key=lambda name: (many[name], ranks[name], name))
    while free:
        player = free.pop(0)
        if many[player] >= opponents:
            return  # all later players have met enough opponents, too
        new = [other for other in free if pair_of(player, other) not in met]
        if new:
            near = min(
                new, key=lambda other: (abs(ranks[other] - ranks[player]), many[other], other)
            )
            free.remove(near)
            yield pair_of(player, near)
