"""The results of small runs of every learner, scheme and encoding stay as they were written down.

Write them down again on purpose only, as another digest means other results:

    python -m tests.evo.evolution.test_kept_results
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import evo
from evo.genomes import ENCODINGS
from evo.learners import LEARNERS
from tournaments import schemes

DIGESTS = Path(__file__).parents[2] / "data" / "kept-runs" / "results.json"
SMALL = {"population": 12, "generations": 3, "snapshot_interval": 2, "seed": 7}
BOXES = {"game": "dots-and-boxes:rows=2,cols=2"}
PURSUIT = {"game": "cat-and-mouse:rows=3,cols=4,cat_start=any,mouse_start=any"}
SCHEMES = {name: SMALL | BOXES | {"scheme": name, "lineage": True} for name in schemes.names()}
OTHERS: dict[str, dict[str, Any]] = {
    "annealing": {
        **PURSUIT,
        "learner": {"name": "annealing", "candidates": 4, "games": 4},
        "generations": 6,
    },
    "hill-climbing": {
        **PURSUIT,
        "learner": {"name": "hill-climbing", "candidates": 4, "games": 4, "archive": 2},
        "generations": 6,
    },
    "openai-es": {**BOXES, "learner": "openai-es", "scheme": "hall-of-fame"},
    "evolution-strategy": {
        **BOXES,
        "learner": {"name": "evolution-strategy", "method": "sep-cma"},
        "scheme": "round-robin",
    },
    "evolution-strategy-of-vectors": {
        "game": "cat-trap:size=5",
        "genome": "real-vector",
        "learner": "evolution-strategy",
        "scheme": "direct",
    },
    "q-learning": {
        "game": "nim:heaps=1-2-3",
        "learner": {"name": "q-learning", "turns": 200},
        "population": 2,
        "scheme": "round-robin",
    },
    "q-learning-of-roles": {
        "game": "fox-and-hounds:rows=4,cols=4",
        "learner": {"name": "q-learning", "turns": 200},
        "population": 2,
        "scheme": "direct",
    },
    "program-search": {
        "game": "nim:heaps=1-2",
        "learner": {"name": "program-search", "children": 2},
        "genome": "program",
        "population": 3,
        "scheme": "round-robin",
    },
    "roles": {**PURSUIT, "scheme": "antibody-antigen"},
    "roles-with-archives": {**PURSUIT, "scheme": {"name": "hall-of-fame", "kept": 2}},
    "position-table": {**PURSUIT, "genome": "position-table", "scheme": "direct"},
    "window-table": {
        "game": "cat-and-mouse:rows=5,cols=4,cat_start=any,mouse_start=any",
        "genome": "window-table",
        "scheme": "maxsolve",
    },
    "real-network": {**BOXES, "genome": "real-network", "scheme": "round-robin"},
    "shared-weights": {
        **BOXES,
        "genome": {"encoding": "real-network", "symmetry": True},
        "scheme": "round-robin",
    },
    "real-vector": {"game": "set:dimensions=3", "genome": "real-vector", "scheme": "round-robin"},
    "memory-one": {
        "game": "iterated-prisoners-dilemma:rounds=20,noise=0.05",
        "genome": "memory-one",
        "scheme": "round-robin",
    },
    "finite-state": {
        "game": "iterated-prisoners-dilemma:rounds=20",
        "genome": "finite-state",
        "scheme": "antibody-antigen",
    },
    "hidden": {"game": "karate:rounds=20", "genome": "memory-one", "scheme": "round-robin"},
    "by-games": {**BOXES, "scheme": "round-robin", "games": 400, "generations": 9},
    "islands": {
        **BOXES,
        "scheme": {"name": "hall-of-fame", "kept": 2},
        "islands": {"count": 3, "every": 1, "choose": "tournament", "replace": "random"},
        "lineage": True,
    },
    "islands-of-roles": {
        **PURSUIT,
        "scheme": "antibody-antigen",
        "islands": {"count": 2, "every": 2},
    },
}
CASES = SCHEMES | {name: SMALL | case for name, case in OTHERS.items()}
for climber in ("annealing", "hill-climbing"):
    del CASES[climber]["population"]


def digest_of_run(path: Path, case: Mapping[str, Any]) -> str:
    """Evolve a run of a case, measure it, and return the digest of all its tables.

    Left out are seconds, what Parquet says of its writer, and the digests in names of files, which
    depend on both.
    """
    evo.run(path, case, threads=1)
    evo.evaluate(path, ["random"], games=4, best=2, threads=1, trust=True)
    digest = hashlib.sha256()
    for file in sorted(path.rglob("*.parquet")):
        table = pq.read_table(file, partitioning=None)
        name = file.stem if file.parent.name == "snapshots" else file.stem.rpartition("-")[0]
        digest.update(f"{file.parent.name}/{name}".encode())
        for name, value in sorted((table.schema.metadata or {}).items()):
            digest.update(name + b"=" + value)
        for name in table.column_names:
            if not name.endswith("_seconds"):
                digest.update(repr((name, table[name].to_pylist())).encode())
    return digest.hexdigest()


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_results_of_a_run_are_those_that_were_written_down(name, tmp_path):
    digests = json.loads(DIGESTS.read_text(encoding="utf-8"))
    assert digest_of_run(tmp_path / "run", CASES[name]) == digests[name]


def test_every_learner_scheme_and_encoding_has_a_case():
    text = json.dumps(CASES) + "bit-network genetic value-table"  # what cases take by default
    known = {*LEARNERS.names(), *schemes.names(), *ENCODINGS.names()}
    assert {name for name in known if f'"{name}"' not in text and name not in text} == set()
    assert set(json.loads(DIGESTS.read_text(encoding="utf-8"))) == set(CASES)


def main() -> None:
    """Write the digests of all cases down, or those of the cases that are named."""
    digests = json.loads(DIGESTS.read_text(encoding="utf-8")) if DIGESTS.exists() else {}
    for name in sys.argv[1:] or CASES:
        with tempfile.TemporaryDirectory() as folder:
            digests[name] = digest_of_run(Path(folder) / "run", CASES[name])
            print(name, digests[name][:12])
    digests = {name: digests[name] for name in CASES}
    DIGESTS.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
