"""The programs of a run as texts: champions, the changes that led to them, and the mutator."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator
from typing import Any

from evo.pages import blocks
from evo.pages.blocks import Block
from results import Run
from results.format.genomes import spec_of
from results.format.islands import ALL, role_and_island
from results.read.mutations import FAILED, LOST

MOST_CHANGES, MOST_CAUSES = 20, 20
"""Maximum number of changes of a champion, the last ones, and of causes of failures."""


def programs_blocks(run: Run) -> Iterator[Block]:
    """Yield the champion's program of each population, and the changes that led to it.

    Nothing is run. With islands, the champion of a role is the island champion with the highest raw
    fitness.
    """
    notes = {
        (call["generation"], call["population"], call["source"]): call["note"]
        for call in run.mutations.query("outcome == 'child'").to_dict("records")
    }
    for role, row in _champions(run).items():
        suffix = spec_of(run.genome, row["population"]).get("suffix", "")
        place = "" if row["population"] == role else f" of {row['population']}"
        yield blocks.code(
            "The champion" + ("" if role == ALL else f" of {role}"),
            row["source"],
            f"a file {suffix}: individual {row['individual']} (id {row['id']}){place} of "
            f"generation {row['generation']}, score {row['raw_fitness']:.4g}",
        )
        if run.config.get("lineage"):
            yield from _changes(run, int(row["id"]), notes)
    if not run.config.get("lineage"):
        yield blocks.text("The run keeps no lineage: --set lineage=true shows the changes.")
    folder = shlex.quote(run.path.name)
    yield blocks.command(f"evo export {folder}", "write all programs of the newest snapshot")


def _champions(run: Run) -> dict[str, Any]:
    """Return the champion of each role in the newest snapshot, a row of the snapshot each."""
    best: dict[str, Any] = {}
    for name in run.populations:
        role, row = role_and_island(name)[0], run.champion(population=name)
        if role not in best or row["raw_fitness"] > best[role]["raw_fitness"]:
            best[role] = row
    return best


def _changes(run: Run, number: int, notes: dict[tuple[Any, ...], Any]) -> Iterator[Block]:
    """Yield the changes on the line of first parents of an individual, the last ones.

    Args:
        run: the run.
        number: id of the individual.
        notes: notes of the mutator by generation, population and text of the child.
    """
    family = run.lineage(number)
    if "diff" not in family:
        yield blocks.text("No changes: the recording of the run is missing.", tone="warning")
        return
    line = family[family["is_first_line"] & (family["diff"] != "")]
    left_out = max(0, len(line) - MOST_CHANGES)
    more = f"; the first {left_out:,} are left out" if left_out else ""
    yield blocks.text(f"Changes on the line of first parents: {len(line):,}{more}.")
    for each in line.tail(MOST_CHANGES).to_dict("records"):
        note = notes.get((each["generation"], each["population"], each["source"]))
        title = f"Generation {each['generation']}: {each['operator']}"
        yield blocks.code(title, each["diff"], note if isinstance(note, str) else "", is_diff=True)


def mutator_blocks(run: Run) -> Iterator[Block]:
    """Yield the numbers of calls, children and failures of a run's mutator, and its cost."""
    calls = run.mutations
    if calls.empty:
        return
    failed = calls[calls["outcome"].isin(FAILED)]
    costs = calls.groupby("generation")["cost"].sum()
    lost = int((calls["outcome"] == LOST).sum())
    learner = run.config.get("learner", {})
    yield blocks.facts(
        {
            "mutator": learner.get("mutator"),
            "calls": f"{len(calls):,}",
            "children": f"{(calls['outcome'] == 'child').sum():,}",
            "failures": f"{len(failed):,}",
            "without an answer": f"{lost:,} (running, or asked twice after a crash)"
            if lost
            else "",
            "seconds": f"{calls['seconds'].sum():,.4g}",
            "cost": f"{costs.sum():,.4g}" if costs.sum() > 0 else "",
        }
    )
    whys = zip(failed["outcome"], failed["what"].fillna(""), strict=True)
    causes = Counter(whys).most_common()
    if causes:
        rows = [(outcome, what, number) for (outcome, what), number in causes[:MOST_CAUSES]]
        columns = {"failure": "", "cause": "", "calls": "d"}
        yield blocks.table(columns, rows, "failures")
    if len(causes) > MOST_CAUSES:
        yield blocks.text(f"{len(causes) - MOST_CAUSES:,} rarer causes are left out.")
    if costs.sum() > 0:
        line = blocks.line("cost", costs.index, costs)
        yield blocks.curves("Cost of the mutator", ("generation", "cost"), [line], "cost")
