"""The page of a run: settings and state, strength and games of the champions, and genomes."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from evo.evaluation.findings import Analysis
from evo.pages import blocks
from evo.pages.blocks import Block, Sections
from evo.pages.games import game_block
from evo.pages.genomes import genomes_block
from evo.pages.islands import GAMES, by_role, island_lines, islands_blocks
from evo.pages.programs import mutator_blocks, programs_blocks
from results import Run
from results.format.genomes import are_programs
from results.format.islands import ALL, has_islands, role_and_island
from results.read.curves import champion_curve, exploitability_curve, regret_curve
from results.read.status import status_of
from results.statistics import wants_odds
from tournaments.errors import TournamentError

if TYPE_CHECKING:
    from results import DataFrame

MOST_LINEAGE = 400
"""Maximum number of ancestors in the table of the lineage."""
SHOWN_OPPONENTS = 3
"""Number of fixed opponents whose game against the champion is shown, the last ones named."""


def sections_of(
    run: Run, trust: bool = False, analysed: Callable[[], Analysis] | None = None
) -> Sections:
    """Return the sections of the page of a run, each by its title with its maker.

    Args:
        run: the run, which may be in progress, stopped or damaged.
        trust: whether to load files that the run names, see :func:`results.open_run`.
        analysed: returns the analysis of the run. None: the page has none.
    """
    return [
        ("What it is", lambda: _identity(run, trust)),
        ("Strength", lambda: _strength(run)),
        *([] if analysed is None else _of_analysis(analysed)),
        *(_of_programs(run) if are_programs(run.layouts) else []),
        ("Games of the champion", lambda: _games(run, trust)),
        ("Evolution", lambda: _evolution(run)),
        *([("Islands", lambda: _islands(run, trust))] if "islands" in run.config else []),
        ("Population", lambda: _population(run, trust)),
        ("Descent of the champion", lambda: _descent(run)),
        ("Faults", lambda: blocks.faults(run.faults, "generation")),
        ("Configuration", lambda: _configuration(run)),
    ]


def _of_analysis(analysed: Callable[[], Analysis]) -> Sections:
    return [
        ("Verdicts", lambda: _verdicts(analysed())),
        ("Champions against champions", lambda: _contests(analysed())),
    ]


def _of_programs(run: Run) -> Sections:
    return [
        ("Programs", lambda: programs_blocks(run)),
        ("Mutator", lambda: mutator_blocks(run)),
    ]


def subtitle_of(run: Run) -> str:
    """Return the heading of a run in words: its players, game, learner and scheme."""
    config = run.config
    table = config.get("game")
    game = dict(table) if isinstance(table, Mapping) else {"name": table or "an unknown game"}
    options = ", ".join(f"{name}={value}" for name, value in game.items() if name != "name")
    who = " and ".join(run.genome.get("populations", [])) or "players"
    how = config.get("learner", {}).get("name", "genetic")
    scheme = config.get("scheme", {}).get("name")
    games = f"{game.get('name')} ({options})" if options else f"{game.get('name')}"
    return f"{who.capitalize()} of {games} evolved by {how}" + (
        f" under the scheme {scheme}" if scheme else ""
    )


def _identity(run: Run, trust: bool) -> Iterator[Block]:
    state = status_of(run.path, trust=trust)
    if state["error"]:
        yield blocks.text(f"{state['state']}: {state['error']}", tone="warning")
    ends = state["generations"]
    most = run.config.get("games", 0)
    reached = "none yet" if state["generation"] is None else f"{state['generation']:,}"
    yield blocks.facts(
        {
            "state": state["state"],
            "generation": reached if most else f"{reached} of {ends:,}",
            "games": _counted(state["games_played"], most),
            "seed": run.info["seed"],
            "population": run.config.get("population"),
            "genome": _genome(run.genome),
            "best raw fitness": ", ".join(
                f"{value:.4g}" if name == ALL else f"{name} {value:.4g}"
                for name, value in (state["best"] or {}).items()
            ),
            "created": run.info.get("created"),
            "whole": {True: "yes", False: "no"}.get(state["whole"]),
        }
    )
    made_by = run.info.get("command")
    if isinstance(made_by, list):
        yield blocks.command(shlex.join(map(str, made_by)), "the command that made it")


def _counted(games: int | None, most: int) -> str | None:
    return None if games is None else f"{games:,} of {most:,}" if most else f"{games:,}"


def _genome(genome: Mapping[str, Any]) -> str:
    layers = "-".join(map(str, genome.get("layers", ())))
    size = f"{genome['bytes']:,} bytes" if "bytes" in genome else ""
    size = genome.get("suffix", size)  # the bytes of a program are those of its SHA-256
    return ", ".join(part for part in (genome.get("encoding"), layers, size) if part)


def _strength(run: Run) -> Iterator[Block]:
    curve = champion_curve(run)
    if curve.empty:
        yield blocks.text("No win rates yet: evo evaluate measures them.")
    for who, against, name, rows, lines in _charts(curve, "win_rate", "opponent"):
        yield blocks.curves(
            f"Games that the champion{who} wins{against}",
            (GAMES, "games won"),
            lines,
            f"win-rates{name}",
            scale="odds" if wants_odds(rows["win_rate"].to_numpy(float)) else "share",
            note="The band is the 95% interval of the games that were played."
            if "low" in lines[0] and not has_islands(rows)
            else "",
        )
    for what, curve, column, by in (
        ("Exploitability", exploitability_curve(run), "exploitability", "population"),
        ("Loss per move", regret_curve(run), "regret", "opponent"),
    ):
        for who, against, name, _, lines in _charts(curve, column, by):
            title = f"{what} of the champion{who}{against}"
            yield blocks.curves(title, (GAMES, what.lower()), lines, f"{column}{name}")


def _charts(
    curve: DataFrame, column: str, by: str
) -> Iterator[tuple[str, str, str, DataFrame, list[Block]]]:
    """Yield the charts of a curve of champions: words of the title, end of the file, rows, lines.

    A chart is about a population and has a line per opponent. In a run with islands it is about the
    islands of a role and one opponent, and has a line per island.

    Args:
        curve: a table of :mod:`results.read.curves`.
        column: the column that is drawn.
        by: the column with the names of the lines of a population.
    """
    if has_islands(curve):
        for role, placed in by_role(curve):
            parts: Iterable[tuple[Any, Any]] = [("", placed)]
            parts = parts if by == "population" else placed.groupby(by, sort=False)
            for other, rows in parts:
                against = f" against {other!s}, by island" if other else ", by island"
                name = _suffix(role) + _suffix(other or ALL)
                yield _of(role), against, name, rows, island_lines(rows, column)
        return
    ends = ("low", "high") if "low" in curve else ()
    against = " against each opponent" if by == "opponent" else ""
    for population, rows in curve.groupby("population", sort=True):
        lines = [
            blocks.line(str(name), *(each[k] for k in ("games_played", column, *ends)))
            for name, each in rows.groupby(by, sort=False)
        ]
        yield _of(population), against, _suffix(population), rows, lines


def _of(population: Any) -> str:
    """Return the words that name a population in a title; empty for the only population."""
    return "" if population == ALL else f" of {population}"


def _suffix(population: Any) -> str:
    return "" if population == ALL else f"-{str(population).replace('/', '-')}"


def _verdicts(analysis: Analysis) -> Iterator[Block]:
    has_roles = any(each.population for each in analysis.diagnoses)
    columns = {"about": "", **({"population": ""} if has_roles else {}), "verdict": "", "why": ""}
    yield blocks.table(
        columns,
        (
            [each.about, *([each.population] if has_roles else []), each.verdict, each.text]
            for each in analysis.diagnoses
        ),
        "verdicts",
    )


def _contests(analysis: Analysis) -> Iterator[Block]:
    if len(analysis.generations) < 2:
        return
    for population, rows in analysis.scores.groupby("population", sort=False):
        numbers = np.array(analysis.generations)
        shares = np.full((len(numbers), len(numbers)), np.nan)
        places = [np.searchsorted(numbers, rows[k]) for k in ("generation", "opponent_generation")]
        shares[tuple(places)] = rows["score"]
        yield blocks.heat(
            f"Points of each champion{_of(population)} against each other champion",
            ("champion of generation", "opponent of generation"),
            (list(numbers), list(numbers)),
            shares,
            f"champions{_suffix(population)}",
            f"Each cell is {analysis.games:,} games. Blue: the champion of the row is ahead.",
        )


def _games(run: Run, trust: bool) -> Iterator[Block]:
    from evo.config.config import of_run as config_of
    from evo.evaluation.evaluate import default_opponents
    from evo.play.watched import of_run

    config = config_of(run, trust)
    names = [None, *default_opponents(config.game)[-SHOWN_OPPONENTS:]]
    for number, name in enumerate(names):
        title = "The champion against itself" if name is None else f"The champion against {name}"
        watched = of_run(str(run.path), opponent=name, trust=trust)
        yield game_block(watched, title, f"game-{number}")
    folder = shlex.quote(run.path.name)
    yield blocks.command(f"evo play {folder}", "play against it in the terminal")
    yield blocks.command(f"evo serve {folder}", "play against it by mouse, in a browser")


def _evolution(run: Run) -> Iterator[Block]:
    rows = run.generations
    if rows.empty:
        return
    note = ""
    if has_islands(rows):  # the section about islands has each of them
        note = "All islands: the best of all, and means of the numbers of each."
        how = {"games_played": "max", "best": "max", "mean": "mean", "std": "mean"}
        roles = [role_and_island(str(name))[0] for name in rows["population"]]
        groups = rows.assign(population=roles).groupby(["generation", "population"])
        rows = groups.agg({**how, "diversity": "mean"}).reset_index()
    for title, column, extra in (
        ("Raw fitness", "mean", ("best",)),
        ("Diversity", "diversity", ()),
    ):
        lines = []
        for population, part in rows.groupby("population", sort=True):
            of = "" if population == ALL else f" {population}"
            x = part["games_played"]
            low, high = part["mean"] - part["std"], part["mean"] + part["std"]
            ends = (low, high) if column == "mean" else (None, None)
            lines += [blocks.line(f"{each}{of}", x, part[each]) for each in extra]
            lines.append(blocks.line(f"{column}{of}", x, part[column], *ends))
        band = "The band is one standard deviation about the mean." if column == "mean" else ""
        said = " ".join(filter(None, (band, note)))
        yield blocks.curves(title, (GAMES, title.lower()), lines, column, note=said)


def _islands(run: Run, trust: bool) -> Iterator[Block]:
    from evo.config.config import of_run as config_of

    yield from islands_blocks(run, config_of(run, trust))


def _population(run: Run, trust: bool) -> Iterator[Block]:
    from evo.config.config import of_run as config_of
    from evo.play.watched import of_run

    pictures: list[Block | None] = []
    try:
        config = None if are_programs(run.layouts) else config_of(run, trust)
        play = cache(lambda: list(of_run(str(run.path), trust=trust).scenes()))
        if config is not None:
            pictures = [genomes_block(run, name, config, play) for name in run.populations]
    except TournamentError as error:
        pictures = [blocks.text(f"No pictures of genomes: {error}", tone="warning")]
    yield from filter(None, pictures)
    rows = run.population()
    kept = [name for name in rows.columns if name not in ("genome", "generation", "source")]
    forms = {name: "" if name == "population" else "g" for name in kept}
    yield blocks.table(forms, rows[kept].to_numpy(object), "population", "fitness")


def _descent(run: Run) -> Iterator[Block]:
    if not run.config.get("lineage"):
        return
    rows = run.lineage()
    line = rows[rows["is_first_line"]]
    yield blocks.text(
        f"{len(rows):,} ancestors in {rows['generation'].nunique():,} generations; "
        f"the line of first parents has {len(line):,}."
    )
    columns = ["generation", "population", "id", "parent_a", "parent_b", "operator"]
    forms = {name: "" if name in ("population", "operator") else "d" for name in columns}
    yield blocks.table(forms, line[columns].tail(MOST_LINEAGE).to_numpy(object), "descent")


def _configuration(run: Run) -> Iterator[Block]:
    yield blocks.table({"setting": "", "value": ""}, _flat(run.config), "configuration")
    versions = run.info.get("versions", {})
    yield blocks.table({"version of": "", "is": ""}, sorted(versions.items()), "versions")


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[Sequence[str]]:
    """Yield the fields of nested tables as pairs of a dotted name and a value."""
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", str(value)
