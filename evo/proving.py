"""``evo prove``: what the best possible opponent does to the champions of a run, exactly."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evo import config as configuration
from evo import evaluation
from evo.console import check_threads, print_rows, where_rows_are
from evo.pieces import individual_name
from evo.progress import Display
from evo.proofs import CORNERS, prover_of
from results import Run, open_run
from results.schema import BEST_RESPONSE

if TYPE_CHECKING:
    from results import DataFrame


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
    ``best-response``. Where a game draws its starts, what is proved is the game from the corners,
    and the rows say so.

    Args:
        path: the run's folder.
        best: how many of the fittest individuals of each population; None: all.
        every: each k-th snapshot from the first on, and the newest; None: the newest alone.
        generations: these snapshots instead.
        threads: how many share the work where a proof takes seconds; by default all processors.
        report, announce: as for :func:`evo.evaluate`.

    Returns:
        The rows of ``evaluations`` that this call asked for: see :class:`evo.proofs.Proof` for what
        ``games``, ``wins``, ``exploitability`` and ``plies`` are in them.

    Raises:
        ConfigError, TournamentError, ResultsError: no such run or snapshot, or a game in which best
        responses cannot be computed.
    """
    if every is None and generations is None:
        generations = open_run(path).snapshots[-1:] or None
    return evaluation.evaluate(
        path,
        [BEST_RESPONSE],
        best=best,
        every=1 if every is None else every,
        generations=generations,
        threads=threads,
        report=report,
        announce=announce,
    )


def command(options: argparse.Namespace) -> int:
    """``evo prove``."""
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
    config = configuration.of_run(run.config, run.genome, run.path)
    prover = prover_of(config, threads)
    if prover.opponent == CORNERS:
        yield "the game draws where it starts; this is about the game from the corners:\n"
    for (generation, population), some in groupby(rows, itemgetter("generation", "population")):
        genomes = run.population(generation, population)["genome"]
        for row in some:
            name = individual_name(population, row["individual"], generation)
            genome = genomes.iloc[row["individual"]]
            proof = prover.prove(config.plan(population), genome, name, _announce)
            yield from (f"{name}: {sentence}" for sentence in proof.sentences)
