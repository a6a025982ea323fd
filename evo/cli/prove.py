"""``evo prove``: what the best possible opponent does to the champions of a run, exactly."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evo.cli.console import print_rows, where_rows_are
from evo.cli.options import Command, Parser, check_threads
from evo.cli.progress import Display

if TYPE_CHECKING:
    from evo.config.config import Config
    from evo.evaluation.exact import Exactly
    from results import DataFrame, Run

PERFECT_PLAY = "optimal"
"""The opponent against which regret is measured."""


def prove(
    path: str | Path,
    *,
    best: int | None = 1,
    every: int | None = None,
    generations: Sequence[int] | None = None,
    threads: int | None = None,
    report: Callable[[int, int, int], None] = lambda done, total, games: None,
    announce: Callable[[str], None] = lambda line: None,
) -> DataFrame:
    """Compute what the best possible opponent does to individuals, and append it to a run.

    Nothing is played, and nothing is computed twice: it is :func:`evo.evaluate` against
    ``best-response`` and, for dots and boxes, exactly against perfect play, whose rows tell the
    regret and the share of optimal moves. Where a game draws its starts, what is proved is the game
    from the corners, and the rows say so.

    Args:
        path: the run's folder.
        best: how many of the fittest individuals of each population; None: all.
        every: each k-th snapshot from the first on, and the newest; None: the newest alone.
        generations: these snapshots instead.
        threads: how many share the work where a proof takes seconds; by default all processors.
        report, announce: as for :func:`evo.evaluate`.

    Returns:
        The rows of ``evaluations`` that this call asked for: see
        :class:`evo.evaluation.proofs.Proof` for what ``games``, ``wins``, ``exploitability`` and
        ``plies`` are in them.

    Raises:
        ConfigError, TournamentError, ResultsError: no such run or snapshot, or a game in which best
        responses cannot be computed.
    """
    from evo.config import config as configuration
    from evo.evaluation import evaluate as evaluation
    from evo.evaluation.exact import is_known_exactly
    from results import open_run
    from results.format.schema import BEST_RESPONSE

    run = open_run(path)
    if every is None and generations is None:
        generations = run.snapshots[-1:] or None
    config = configuration.of_run(run.config, run.genome, run.path)
    return evaluation.evaluate(
        path,
        [BEST_RESPONSE, PERFECT_PLAY] if is_known_exactly(config) else [BEST_RESPONSE],
        best=best,
        every=1 if every is None else every,
        generations=generations,
        threads=threads,
        exact=True,
        report=report,
        announce=announce,
    )


def _add_arguments(command: Parser) -> None:
    command.add_run()
    command.add_number("--best", "N", "the N fittest of each population (default: %(default)s)", 1)
    command.add_number("--every", "K", "each K-th snapshot (default: the newest alone)")
    command.add_snapshots()
    command.add_threads()
    command.add_json()


def _prove(options: argparse.Namespace) -> int:
    from results import open_run

    check_threads(options)
    with Display() as display:
        proved = prove(
            options.run,
            best=options.best,
            every=options.every,
            generations=options.generation,
            threads=options.threads,
            announce=display.say,
        )
    rows = proved.to_dict("records")
    if options.json:
        print_rows(rows, {}, as_json=True)
        return 0
    for line in _lines(open_run(options.run), rows, options.threads):
        print(line)
    print(f"\n{where_rows_are(options.run, len(rows))}")
    return 0


def _announce(line: str) -> None:
    """What takes a while: the sentences are computed again where their cache is lost."""
    print(line, file=sys.stderr, flush=True)


def _lines(run: Run, rows: Sequence[Mapping[Any, Any]], threads: int | None) -> Iterator[str]:
    """What was proved, a line for each individual and seat."""
    from evo.config import config as configuration
    from evo.evaluation.proofs import CORNERS, prover_of
    from evo.evaluation.task import individual_name

    config = configuration.of_run(run.config, run.genome, run.path)
    prover = prover_of(config, threads)
    if prover.opponent == CORNERS:
        yield "the game draws where it starts; this is about the game from the corners:\n"
    perfect = _perfect_play(config, threads)
    proved = [row for row in rows if row["opponent"] == prover.opponent]
    for (generation, population), some in groupby(proved, itemgetter("generation", "population")):
        genomes = run.population(generation, population)["genome"]
        for row in some:
            name = individual_name(population, row["individual"], generation)
            genome = genomes.iloc[row["individual"]]
            proof = prover.prove(config.plan(population), genome, name, _announce)
            yield from (f"{name}: {sentence}" for sentence in proof.sentences)
            if perfect is not None:
                yield f"{name}: {replace(perfect.meet(genome, name, _announce), player='it')}"


def _perfect_play(config: Config, threads: int | None) -> Exactly | None:
    """Perfect play as an opponent whose games are computed, where they can be."""
    from evo.evaluation.exact import exactly, is_known_exactly
    from evo.evaluation.players import named

    if not is_known_exactly(config):
        return None
    players = {PERFECT_PLAY: named(PERFECT_PLAY, config.game)[1]}
    return exactly(players, config, threads)[PERFECT_PLAY]


COMMAND = Command(
    "compute what the best possible opponent does to the champions of a run",
    _add_arguments,
    _prove,
    "Compute, exactly, what the best possible opponent does to the champion of each population, "
    "and append it to RUN/evaluations; for dots and boxes also what comes of its games against "
    "perfect play, its regret a move and its share of optimal moves. What was proved before is not "
    "computed again. For cat and mouse with one of each, and dots and boxes of up to 24 edges; a "
    "game that draws where it starts is proved from the corners.",
    rank=5,
)
