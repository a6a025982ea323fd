"""Messages quote at most 400 characters of what stands in a file."""

from __future__ import annotations

import copy
import json
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from processes import ROOT
from results_data import as_made_with

from evo.cli.main import main
from evo.config.config import of_run
from results import ResultsError, open_run, open_tournament
from results.folder.tournament import TournamentWriter
from results.read.sweep import open_sweep
from results.read.verify import verify
from tournaments import players
from tournaments.errors import ConfigError, TournamentError
from tournaments.games import make

RUN = ROOT / "tests" / "data" / "kept-runs" / "networks"
LETTER = "~"
"""Stands in no message of ours."""
LENGTH = 3_000
JUNK: dict[str, Any] = {
    "text": LETTER * LENGTH,
    "words": f"{LETTER} " * LENGTH,
    "list": [LETTER * 9] * (LENGTH // 9),
    "table": {f"{LETTER}{number}": LETTER * 9 for number in range(LENGTH // 9)},
    "nested": [[[LETTER * LENGTH]]],
}
TOLD = (ConfigError, TournamentError, ResultsError)


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all values of a tree of JSON."""
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in pairs:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def with_junk(tree: Any, path: tuple[Any, ...], junk: Any) -> Any:
    """A copy of the tree with another value at a path; None: under another key."""
    made = at = copy.deepcopy(tree)
    for key in path[:-1]:
        at = at[key]
    if junk is None and isinstance(at, dict):
        at[LETTER * LENGTH] = at.pop(path[-1])
    else:
        at[path[-1]] = junk
    return made


def quoted(use: Any) -> int:
    """How much of the junk the message of an error quotes."""
    try:
        use()
    except TOLD as error:
        return str(error).count(LETTER)
    return 0


def longest_quote(run: Path, kinds: list[str], each: int) -> int:
    """The longest quote of junk in ``run.json``, of the readers of a run."""
    content = json.loads((run / "run.json").read_text())
    cases = [(path, JUNK.get(kind)) for path in places(content) for kind in kinds]
    longest = 0
    for path, junk in cases[::each]:
        changed = with_junk(content, path, junk)
        (run / "run.json").write_text(json.dumps(changed))
        uses = [
            lambda: open_run(run),
            lambda: of_run(open_run(run, trust=True), trust=True),
            lambda: open_run(run, trust=True).weights(),
        ]
        found = [finding.detail.count(LETTER) for finding in verify(run)]
        longest = max([longest, *map(quoted, uses), *found])
    return longest


@pytest.fixture
def run(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield Path(shutil.copytree(RUN, tmp_path / "run"))


def test_messages_about_a_run_json_of_junk_can_be_read(run):
    assert longest_quote(run, ["text"], 5) <= 400
    assert longest_quote(run, ["list"], 7) <= 400


@pytest.mark.slow
def test_each_message_about_a_run_json_of_junk_can_be_read(run):
    assert longest_quote(run, [*JUNK, "key"], 1) <= 400


@pytest.mark.parametrize("kind", JUNK)
def test_so_can_those_about_other_files(kind, tmp_path):
    junk, longest = JUNK[kind], []
    cells = [{"cell": "a", "variant": "a", "factors": {}}]
    description = {"name": "s", "seeds": [1, 2], "cells": cells}
    for path in places(description):
        (tmp_path / "experiment.json").write_text(json.dumps(with_junk(description, path, junk)))
        longest.append(quoted(lambda: open_sweep(tmp_path)))
    (tmp_path / "experiment.json").unlink()
    writer = TournamentWriter(tmp_path / "t")
    writer.write_info({"game": "nim", "seed": 1, "games": 6, "schedule": "all", "players": {}})
    writer.close()
    info = json.loads((tmp_path / "t" / "tournament.json").read_text())
    for path in places(info):
        changed = json.dumps(with_junk(info, path, junk))
        (tmp_path / "t" / "tournament.json").write_text(changed)
        longest.append(quoted(lambda: open_tournament(tmp_path / "t").cross_table))
    weights = {"layers": [4, 3, 4], "weights": [1, 0.5, 2]}
    game = make("dots-and-boxes", rows=1, cols=1)
    for path in places(weights):
        (tmp_path / "w.json").write_text(json.dumps(with_junk(weights, path, junk)))
        longest.append(quoted(lambda: players.make(str(tmp_path / "w.json"), game)))
    assert max(longest) <= 400


def test_a_megabyte_makes_one_short_line(run, capsys):
    as_made_with(run, lambda info: info["config"]["game"].update(rows=LETTER * 1_000_000))
    for command in ("evaluate {} --threads 1", "export {} a.npy", "watch {}"):
        assert main(command.format(run).split()) == 2
        (line,) = [line for line in capsys.readouterr().err.splitlines() if LETTER in line]
        assert len(line) < 1_000
    (run / "run.json").write_text("[" * 1_000_000)
    with pytest.raises(ResultsError, match="is not readable as JSON"):
        open_run(run)
