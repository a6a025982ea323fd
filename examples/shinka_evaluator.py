"""An evaluator of ShinkaEvolve: ``shinka_evaluator.py --program_path FILE --results_dir DIR``.

It writes ``metrics.json`` and ``correct.json`` from games against an archive that grows, those of
``openevolve_evaluator.py``.
"""

import argparse
import json
import runpy
from pathlib import Path
from tempfile import TemporaryDirectory

EVALUATOR = Path(__file__).with_name("openevolve_evaluator.py")


def write_results(program_path, results_dir, archive="archive"):
    """Write the two files that ShinkaEvolve reads, and return the metrics."""
    made = runpy.run_path(str(EVALUATOR))["evaluate"](program_path, archive)
    faults, lost = made["artifacts"]["faults"], made["artifacts"]["lost_to"]
    metrics = {
        "combined_score": made["metrics"]["combined_score"],
        "public": {"opponents": made["metrics"]["opponents"]},
        "private": {},
        "text_feedback": f"beaten by: {lost or 'none'}\nfaults: {faults or 'none'}",
    }
    correct = {"correct": not faults, "error": faults or None}
    for name, content in (("metrics", metrics), ("correct", correct)):
        Path(results_dir, f"{name}.json").write_text(json.dumps(content))
    return metrics


def main(population=4, generations=3):
    with TemporaryDirectory() as folder:
        for generation in range(generations):
            program = Path(folder, "program.py")
            program.write_text(f"def act(x):\n    return x + {generation / 2}\n")
            metrics = write_results(program, folder, Path(folder, "archive"))
            print(f"generation {generation}: {metrics['combined_score']}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program_path", required=True)
    parser.add_argument("--results_dir", required=True)
    write_results(**vars(parser.parse_args()))
