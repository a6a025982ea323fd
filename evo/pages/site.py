"""``evo league``: the nightly games, then the page of the league, or its pages for a web server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path

from evo.execution import Execution
from evo.pages import blocks
from evo.pages.blocks import Block, Sections
from evo.pages.document import linked_file, one_file, page_files
from evo.pages.games import game_block
from evo.pages.league import (
    EARLIER,
    PLAYS,
    League,
    Row,
    sections_of,
    slug_of,
    submission_sections,
    subtitle_of,
)
from evo.pages.replays import Replays
from evo.play.watched import Watched, of_fault
from evo.requests.base import called_with
from evo.requests.tournaments import LeagueRequest
from evo.tournaments.league import play_league
from evo.tournaments.league_table import LeagueTable
from results.errors import ResultsError
from results.folder.files import atomic_write
from results.folder.tournament import LEAGUE_FILES, Tournament
from tournaments import games
from tournaments.arena.forfeits import LATE
from tournaments.errors import ConfigError, TournamentError

REPLAY_SECONDS = 120.0
"""Seconds after which no more games are played again for the pages of a night."""
GAMES, SUBMISSIONS = "games", "submissions"
"""Folders of the pages of games and of submissions."""


@called_with(LeagueRequest)
def league(request: LeagueRequest, execution: Execution) -> LeagueTable:
    """Play the missing games of a league of submissions, and write its page and table.

    Submissions are files that :func:`evo.evaluation.players.player` accepts. A round that would
    exceed ``most_games`` is cut. Each broken submission is announced in a line. ``report`` is
    called with (pairs met, pairs foreseen, games of this part).

    Returns:
        The table of the league, with the paths of the page and the table.

    Raises:
        ConfigError, TournamentError, ResultsError: wrong input, or another process is playing this
            league. A fault of a submission does not raise.
    """
    if request.site is not None:
        _check_site(request, Path(request.site))
    table = play_league(request, execution)
    held = League(Tournament(table.folder), request.show_errors)
    page, _ = blocks.filled_page(table.folder.name, subtitle_of(held), sections_of(held))
    text = one_file(page, is_shared=not request.show_errors)
    atomic_write(table.folder / LEAGUE_FILES[0], text.encode())
    if request.site is not None:
        write_site(held, table, Path(request.site), request.replays)
    return table


def _check_site(request: LeagueRequest, site: Path) -> None:
    """Raise if a folder cannot hold the pages of a league."""
    if not site.parent.is_dir():
        request.refuse("site", ", but the folder that holds it is not there; make it first")
    for folder in (request.folder, request.staff, request.out or f"{request.folder}-league"):
        if folder is not None and Path(folder).resolve() in (
            site.resolve(),
            *site.resolve().parents,
        ):
            request.refuse("site", f", in {folder}; give a folder outside of it")


def write_site(held: League, table: LeagueTable, folder: Path, most: int) -> None:
    """Write the pages of a league for a web server. The first page is written last.

    Pages of submissions that no longer take part stay, as those of earlier versions. Games that no
    page leads to are removed.

    Args:
        held: the league.
        table: the league as it was played tonight, with the players.
        folder: folder of the pages.
        most: maximum number of games that are shown.
    """
    for name in (GAMES, SUBMISSIONS):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, text in page_files().items():
        _write(folder / name, text)
    shown = ShownGames(held, table, folder, most)
    shown.choose()
    address = lambda row: f"{SUBMISSIONS}/{_file_of(held, row)}"  # noqa: E731
    beside = lambda row: _file_of(held, row)  # noqa: E731
    above = [blocks.link("League", "../index.html")]
    for name, row in held.by_name.items():
        sections: Sections = [
            *submission_sections(held, name, beside, shown.lost.get(name, {})),
            ("Games of faults", partial(_faults, shown.faults.get(name, {}))),
        ]
        page = _page(str(row["submission"]), subtitle_of(held), sections, above)
        _write(folder / SUBMISSIONS / _file_of(held, row), linked_file(page, ".."))
    page = _page(folder.name, subtitle_of(held), sections_of(held, address))
    _write(folder / "index.html", linked_file(page, "."))
    for path in (folder / GAMES).glob("*.html"):
        if path.name not in shown.files:
            path.unlink()


def _page(title: str, subtitle: str, sections: Sections, links: list[Block] | None = None) -> Block:
    page, _ = blocks.filled_page(title, subtitle, sections)
    return {**page, "links": links or []}


def _write(path: Path, text: str) -> None:
    atomic_write(path, text.encode())


def _file_of(held: League, row: Row) -> str:
    return f"{slug_of(held.name_of(row))}.html"


def _faults(links: dict[str, Block]) -> Iterator[Block]:
    if links:
        yield blocks.table({"cause": "", "game": ""}, links.items(), "fault-games")


@dataclass
class ShownGames:
    """The games that the pages of a league show: games that submissions lost, and faults.

    A game of a pair that has a page already is not played again.

    Attributes:
        lost: links to lost games, by loser and opponent.
        faults: links to games that were lost by a fault, by player and cause.
        files: names of the files of all shown games.
    """

    held: League
    table: LeagueTable
    folder: Path
    most: int
    lost: dict[str, dict[str, Block]] = field(default_factory=dict)
    faults: dict[str, dict[str, Block]] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)

    def choose(self) -> None:
        """Write the pages of games, up to the maximum, in turn for each submission.

        A submission's faults come first, then its games against the strongest opponents.
        """
        info, until = self.held.tournament.info, time.monotonic() + REPLAY_SECONDS
        nights = [(night["last_round"], int(night["seed"])) for night in info.get("nights", [])]
        seed_of = lambda number: next(seed for last, seed in nights if number <= last)  # noqa: E731
        rows = self.held.tournament.pairs
        if nights:
            rows = rows[rows["round"] <= nights[-1][0]]
        game = games.parse(info["game"])
        replays = Replays(game, self.table.players, rows, seed_of)
        plays = [n for n, row in self.held.by_name.items() if row["state"] in (PLAYS, EARLIER)]
        wanted = zip_longest(*(list(self._wanted(name, replays)) for name in plays))
        for make in filter(None, chain.from_iterable(wanted)):
            if len(self.files) >= self.most or time.monotonic() > until:
                return
            make()

    def _wanted(self, name: str, replays: Replays) -> Iterator[Callable[[], None]]:
        """Yield functions that write a page of a game of a submission, most wanted first."""
        faults = self.held.tournament.faults
        mine = faults[(faults["player"] == name) & (faults["cause"] != LATE)]
        for number, cause in mine["cause"].drop_duplicates().items():
            yield partial(self._show_fault, name, int(str(number)), str(cause))
        pairs = self.held.tournament.by_player()
        beaten = {*pairs.loc[(pairs["player"] == name) & (pairs["losses"] > 0), "opponent"]}
        for opponent in self.held.by_name:  # the strongest first
            if opponent in beaten:
                yield partial(self._show_lost, name, opponent, replays)

    def _show_fault(self, name: str, number: int, cause: str) -> None:
        path = str(self.table.folder)
        make = lambda: of_fault(path, number, trust=True)  # noqa: E731
        link = self._shown(f"{slug_of(name)}-fault-{number}", f"lost by a fault: {cause}", make)
        if link is not None:
            self.faults.setdefault(name, {})[cause] = link

    def _show_lost(self, name: str, opponent: str, replays: Replays) -> None:
        make = lambda: replays.lost_game(name, opponent)  # noqa: E731
        link = self._shown(f"{slug_of(name)}-{slug_of(opponent)}", "a lost game", make)
        if link is not None:
            self.lost.setdefault(name, {})[opponent] = link

    def _shown(self, name: str, title: str, make: Callable[[], Watched | None]) -> Block | None:
        """Return a link to the page of a game, which is written if it is not there."""
        file = self.folder / GAMES / f"{name}.html"
        link = blocks.link("watch", f"../{GAMES}/{file.name}")
        if not file.exists():
            try:
                watched = make()
                if watched is None:
                    return None
                block = game_block(watched, title, "game")
            except (ConfigError, TournamentError, ResultsError):
                return None  # a player is no longer the one that played
            above = [blocks.link("League", "../index.html")]
            page = blocks.page(" against ".join(watched.names), title, [("Game", [block])], above)
            _write(file, linked_file(page, ".."))
        self.files.add(file.name)
        return link
