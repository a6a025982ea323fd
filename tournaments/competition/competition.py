"""Competitions: evaluation of players by a scheme, through an ask-and-tell interface."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from tournaments import schemes
from tournaments.arena.entrants import Entrants
from tournaments.arena.evaluator import Evaluator, ThisThread, play_all
from tournaments.arena.forfeits import ABORT, FORFEIT, fault_policy
from tournaments.arena.outcomes import GameCounter, Played
from tournaments.competition.members import (
    Maker,
    Members,
    Record,
    members_of,
    members_of_record,
    recalled,
    record_of,
)
from tournaments.competition.progress import progress_report
from tournaments.competition.result import ALL, PlayedRound, Result, parts_of
from tournaments.errors import TournamentError, shown
from tournaments.game import Game, parse
from tournaments.kernels.cache import write
from tournaments.named_files import read_named_json
from tournaments.options import as_options, seed_of
from tournaments.player import identity
from tournaments.players import as_player
from tournaments.players.objects import check_several, takes_two
from tournaments.registry import parse_spec
from tournaments.schedules.base import Matches
from tournaments.schemes.base import Contest, Scheme, Sizes, carried, kept_rows

FORMAT = 1
"""Of a saved competition."""
SHORT = 16
"""Matches between two reports of the evaluator of this thread, if progress is shown."""
Report = Callable[[int, int], None]
"""Told (games played, games foreseen); archives that grow may make them more than foreseen."""


class Archive(NamedTuple):
    """The archive that a scheme keeps of a population.

    Attributes:
        members: the players in the archive, or None if it is empty.
        parts: rows of the archive, one part per reason to keep players.
    """

    members: Members | None
    parts: tuple[tuple[int, ...], ...]


class Competition:
    """An evaluation of players against one another by a scheme, generation by generation.

    Each call of :meth:`evaluate` is a generation. The competition stores the archives that the
    scheme keeps between generations, and ``save`` and ``open`` preserve them. Results equal those
    of ``evo run`` for the same players, game, scheme and seed in every generation.

    Attributes:
        game, scheme, seed, evaluator, progress, recorder: the arguments.
        panel: the fixed opponents of the scheme.
        generation: number of generations evaluated so far, and the number of the next one.
    """

    def __init__(
        self,
        game: Game | str,
        scheme: Scheme | str = "round-robin",
        seed: int = 1,
        evaluator: Evaluator | None = None,
        *,
        opponents: Sequence[Any] | None = None,
        faults: str = ABORT,
        progress: bool = False,
        recorder: Any = None,
    ) -> None:
        """Create a competition.

        Args:
            game: a text, or a game from :func:`tournaments.games.make`.
            scheme: a text such as ``direct:matches=5``, or a scheme from
                :func:`tournaments.schemes.make`.
            seed: the seed. All matches depend only on it, the generation and the players.
            evaluator: plays the matches: ``cluster.LocalEvaluator(4)`` by threads,
                ``cluster.RayEvaluator()`` by Ray actors. None: this thread.
            opponents: at least one fixed opponent, in place of the opponents that the scheme names.
                Only for schemes with fixed opponents (``direct``). Accepts the same objects as
                :func:`tournaments.players.as_player`.
            faults: the policy for faults of players, such as exceptions and illegal actions.
                ``abort`` raises the fault, ``forfeit`` counts the game as lost.
            progress: whether to show a line of progress for each generation on standard error, in a
                terminal or a notebook. Elsewhere a line is printed every two seconds.
            recorder: keeps every generation in the folder of a run: ``results.Recorder("runs/a")``.
                None: nothing is kept.

        Raises:
            TournamentError: the game, the scheme or an opponent does not exist.
        """
        self.game = parse(game)
        self.scheme = _scheme_of(scheme)
        self.seed = seed_of(seed)
        self.policy = fault_policy(faults)
        self.progress = progress
        own = ThisThread(SHORT) if progress else ThisThread()
        self.evaluator = own if evaluator is None else evaluator
        is_class = isinstance(self.evaluator, type)
        if is_class or not callable(getattr(self.evaluator, "play", None)):
            raise TournamentError(
                f"evaluator={shown(evaluator)} given; one such as cluster.LocalEvaluator(4) is "
                "expected, or None: this thread"
            )
        self.opponents = _several(opponents, self.scheme)
        _, panel = Maker(self.game).players(self.opponents or self.scheme.panel)
        self.panel = tuple(panel)
        if self.opponents:
            self.scheme = _against(self.scheme, tuple(player.name for player in self.panel))
        self.recorder = recorder
        self.generation = 0
        self._makers = Maker(self.game, self.policy), Maker(self.game, self.policy)
        self._archives: tuple[Archive, ...] = ()

    def evaluate(
        self,
        players: Any,
        others: Any = None,
        *more: Any,
        report: Report | None = None,
        ids: Any = None,
        parents: Any = None,
    ) -> Result:
        """Play a generation.

        Args:
            players: a list of players of any kind, see :func:`tournaments.players.as_player`; a
                dict of such players by name; or genomes,
                :class:`tournaments.arena.entrants.Genomes`, which play at full speed.
            others: a second population for the second seat. ``players`` then play the first seat
                only, and a match is one game. None: ``players`` meet one another, and a match is
                two games with the seats swapped.
            more: further populations, which raise an error.
            report: called with the progress after each part of the matches, if given.
            ids: for a recorder, the number of each individual, which no other individual of the
                run may have. An individual that stays keeps its number. For two populations a pair
                of lists. None: new numbers.
            parents: for a recorder, the parents of each individual by id: None, an id, or two. For
                two populations a pair of lists.

        Raises:
            TournamentError: a player cannot play the game, or the scheme does not support the
                populations. The competition does not change if this or any other error is raised.
            PlayerFault: a player commits a fault, and ``faults`` is ``abort``.
            ResultsError: the recorder's folder holds another competition, or other genomes; the ids
                or the parents are wrong; or the system refused to write.
        """
        given = [players] if others is None else [players, others]
        _check_call(len([*given, *more]), report)
        pairs = zip(given, self._makers, strict=False)
        sides = [members_of(population, maker) for population, maker in pairs]
        own, sizes = sides, tuple(len(side.population) for side in sides)
        self._check(sizes)
        self._begin(sides, ids, parents)
        if self._archives:
            kept = zip(sides, self._archives, strict=True)
            sides = [
                side.followed_by(archive.members) if archive.members else side
                for side, archive in kept
            ]
        populations = tuple(side.population for side in sides)
        entrants = Entrants(self.game, self.panel, populations, self.policy)
        self.scheme.check_players(entrants.singles)
        show = progress_report(self.generation) if self.progress else None
        contest, counter, rounds = self._played(sizes, entrants, report, show)
        fitness = self.scheme.raw_fitness(contest, entrants.starts[-1])
        starts = entrants.starts[:-1]
        panel = tuple(player.name for player in self.panel)
        result = Result(
            self.generation,
            parts_of(fitness, starts, sizes),
            parts_of(counter.tally, starts, sizes),
            counter.games,
            sizes,
            starts,
            (panel, *(side.names for side in sides)),
            rounds,
            self._names(len(sides)),
            self.game.name,
        )
        archives = self._kept(contest, sides, sizes, starts)
        if self.recorder is not None:
            state = self._state(archives, self.generation + 1)
            self.recorder.record(result, [side.packed for side in own], state)
        self._archives, self.generation = archives, self.generation + 1
        return result

    def _begin(self, sides: Sequence[Members], ids: Any, parents: Any) -> None:
        """Raise if there is a recorder, and it cannot record a generation of these players."""
        if self.recorder is None:
            if ids is not None or parents is not None:
                raise TournamentError(
                    "ids or parents given to a competition that is not recorded; give it a "
                    'recorder: Competition(game, recorder=results.Recorder("runs/mine"))'
                )
            return
        encodings = {
            name: (*side.encoding, len(side.names))
            for name, side in zip(self._names(len(sides)), sides, strict=True)
        }
        config = {
            "seed": self.seed,
            "game": {"name": self.game.name, **self.game.options},
            "scheme": {"name": self.scheme.name, **as_options(self.scheme)},
        }
        self.recorder.begin(self.generation, config, encodings, (ids, parents))

    def _names(self, populations: int) -> tuple[str, ...]:
        return (ALL,) if populations == 1 else self.game.seats

    def _check(self, sizes: Sizes) -> None:
        """Raise if the scheme cannot evaluate populations of these sizes."""
        if min(sizes) < 1:
            raise TournamentError("a population of nobody given; at least one player is expected")
        if self._archives and len(self._archives) != len(sizes):
            raise TournamentError(
                f"{len(sizes)} populations given; this competition has evaluated "
                f"{len(self._archives)} before: give as many, or make another competition"
            )
        self.scheme.check_seats(sizes, len(self.game.seats))
        self.scheme.check(sizes)

    def _played(
        self, sizes: Sizes, entrants: Entrants, *reports: Report | None
    ) -> tuple[Contest, GameCounter, list[PlayedRound]]:
        """Play all rounds and return the contest, the games per entrant and the rounds."""
        archives = tuple(archive.parts for archive in self._archives)
        seats = len(self.game.seats)
        contest = self.scheme.contest(sizes, self.seed, self.generation, archives, seats)
        foreseen = self.scheme.num_tables(sizes, seats) * contest.games
        rounds, games = list[PlayedRound](), 0

        def play(matches: Matches) -> Iterator[Played]:
            nonlocal games
            end, parts = games + len(matches) * matches.games, list[Played]()
            for played in play_all(self.evaluator, entrants, matches):
                parts.append(played)
                yield played
                games += len(played.pairs) * matches.games
                for report in filter(None, reports):
                    report(games, max(foreseen, end))
            rounds.append(PlayedRound.of(matches, parts))

        counter = contest.play(self.seed, entrants.starts[-1], play)
        return contest, counter, rounds

    def _kept(
        self, contest: Contest, sides: Sequence[Members], sizes: Sizes, starts: Sequence[int]
    ) -> tuple[Archive, ...]:
        """Return the archives of the entrants that the scheme keeps."""
        archives, kept = [], kept_rows(contest.scoring.kept(), starts)
        for side, size, parts in zip(sides, sizes, kept, strict=False):
            rows, own = carried(parts)
            members = side.kept(rows, size, self.generation) if rows else None
            archives.append(Archive(members, tuple(map(tuple, own))))
        return tuple(archives)

    # --- in files --------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the competition atomically to a JSON file.

        The file contains players by name, arrays of weights, and genomes. Functions and objects are
        represented only by their identity.

        Raises:
            TournamentError: the file cannot be written.
        """
        try:
            write(Path(path), json.dumps(self._state(self._archives, self.generation)).encode())
        except (OSError, TypeError) as error:
            raise TournamentError(
                f"{path} cannot be written ({getattr(error, 'strerror', error)}); a file in a "
                "folder that is there is expected"
            ) from error

    def _state(self, archives: Sequence[Archive], generation: int) -> dict[str, Any]:
        """Return the state of the competition before a generation, as JSON types."""
        options = as_options(self.scheme)
        if self.opponents:
            options.pop("opponents", None)
        return {
            "competition": FORMAT,
            "game": self.game.spec,
            **({"contest": contest.identity} if (contest := self.game.rules.contest) else {}),
            "scheme": {"name": self.scheme.name, **options},
            "seed": self.seed,
            "generation": generation,
            "faults": ABORT if self.policy is None else FORFEIT,
            "opponents": [
                record_of(*each) for each in zip(self.opponents, self.panel, strict=False)
            ],
            "archives": [
                {"parts": archive.parts, **(archive.members.record() if archive.members else {})}
                for archive in archives
            ],
        }

    @classmethod
    def open(
        cls,
        path: Any,
        evaluator: Evaluator | None = None,
        *,
        game: Game | str | None = None,
        players: Sequence[Any] = (),
        progress: bool = False,
    ) -> Competition:
        """Load a saved competition. It continues exactly like the competition that was saved.

        Args:
            path: the file, or a recorder whose folder holds the competition.
            evaluator: plays the matches.
            game: the game of the competition, if no name or file holds it, such as a contest of a
                function. None: the game that the file names.
            players: the functions and objects among the opponents and in the archives, if any. If
                the archives hold genomes from lists (``[*genomes, bot]``), one genome of the same
                encoding.
            progress: as for :class:`Competition`.

        Raises:
            TournamentError: the file is not a competition, is of another game than ``game``, or
                needs functions that are missing from ``players``.
        """
        check_several(players)
        try:
            recorder = None if isinstance(path, str | Path) else path
            content = read_named_json(path) if recorder is None else recorder.saved
            if recorder is not None and not content:
                raise TournamentError(
                    f"{recorder.path} is a new folder; Competition(game, recorder=recorder) begins "
                    "in it"
                )
            if content["competition"] != FORMAT:
                raise ValueError(f"of format {content['competition']}, not {FORMAT}")
            game, options = _game_of(content, game), dict(content["scheme"])
            at_hand = {identity(as_player(thing, game)): thing for thing in players}
            opponents = [recalled(record, game, at_hand) for record in content["opponents"]] or None
            scheme = schemes.make(options.pop("name"), **options)
            options = {"opponents": opponents, "faults": content["faults"], "progress": progress}
            opened = cls(game, scheme, content["seed"], evaluator, **options)
            opened.recorder = recorder
            opened.generation = int(content["generation"])
            opened._archives = tuple(
                _archive_of(record, game, at_hand) for record in content["archives"]
            )
        except TournamentError:
            raise
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise TournamentError(
                f"{getattr(path, 'path', path)}: holds no competition ({type(error).__name__} "
                f"{error}); a file that Competition.save wrote is expected"
            ) from error
        return opened

    def __repr__(self) -> str:
        return (
            f"Competition({self.game.short_spec!r}, {self.scheme.name!r}, seed={self.seed}, "
            f"generation={self.generation})"
        )


def _game_of(content: Mapping[str, Any], given: Game | str | None) -> Game:
    """Return the game of a saved competition: by its name, or as given.

    Raises:
        TournamentError: there is no game of this name, or it is another game.
    """
    mend = "give the game of the competition: Competition.open(path, game=...)"
    try:
        game = parse(content["game"] if given is None else given)
    except TournamentError as error:
        raise error if given is not None else TournamentError(f"{error}; {mend}") from None
    identity = game.rules.contest and game.rules.contest.identity
    saved = content["game"], content.get("contest", identity)
    if (game.spec, identity) != saved:
        was, now = (f"{spec} ({of})" if of else spec for spec, of in (saved, (game.spec, identity)))
        raise TournamentError(
            f"the competition was saved with the game {was}, and {now} is given; {mend}"
        )
    return game


def _archive_of(record: Record, game: Game, at_hand: Mapping[str, Any]) -> Archive:
    """Return the archive of a record in a file.

    Raises:
        ValueError: the parts do not consist of the members.
    """
    parts = tuple(tuple(map(int, part)) for part in record["parts"])
    members = members_of_record(record, game, at_hand) if "names" in record else None
    count = 0 if members is None else len(members.names)
    if {*chain(*parts)} != {*range(count)}:
        raise ValueError(f"parts of an archive of {count} that are not of it")
    return Archive(members, parts)


def _check_call(populations: int, report: Report | None) -> None:
    """Raise if the arguments of a call are wrong."""
    if populations > 2:
        raise TournamentError(
            f"{populations} populations given; one is expected, or two, one a seat: a third may "
            "stand behind the first, evaluate([*a, *c], b)"
        )
    if report is not None and not takes_two(report):
        raise TournamentError(
            f"report={shown(report)} given; a function (games played, games foreseen) is expected, "
            "such as report=print, or None"
        )


def _scheme_of(given: Scheme | str) -> Scheme:
    if isinstance(given, Scheme):
        return given
    if not isinstance(given, str):
        raise TournamentError(
            f"{shown(given)} given as a scheme; a text such as 'direct:matches=5', or one of "
            "tournaments.schemes.make, is expected"
        )
    name, options = parse_spec(given, booleans=True)
    return schemes.make(name, **options)


def _several(opponents: Sequence[Any] | None, scheme: Scheme) -> tuple[Any, ...]:
    """Return the fixed opponents from a user, or an empty tuple to use those of the scheme.

    Raises:
        TournamentError: the list is empty, but the scheme needs fixed opponents.
    """
    if opponents is None:
        return ()
    check_several(opponents)
    several = tuple(opponents)
    if not several and scheme.panel:
        raise TournamentError(
            f"opponents=[] given with {scheme.name}; at least one is expected, or None: those that "
            "the scheme names"
        )
    return several


def _against(scheme: Scheme, names: tuple[str, ...]) -> Scheme:
    """Return the scheme with its fixed opponents replaced."""
    if not scheme.panel or "opponents" not in {each.name for each in fields(scheme)}:
        raise TournamentError(
            f"opponents={list(names)} given with {scheme.name}, which has no fixed opponents; take "
            "the scheme direct, or leave them out"
        )
    return replace(scheme, opponents=names)  # type: ignore[call-arg]
