"""Commands refuse a run whose ``run.json`` was changed in one line, unless it is trusted."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from processes import ROOT

import evo
from evo.cli.main import main
from results import ResultsError, open_run

RUN = ROOT / "tests" / "data" / "kept-runs" / "networks"
COMMANDS = {
    "evaluate": "evaluate {run} --opponents random --games 2 --best 1 --generation 0 --threads 1",
    "best-response": "best-response {run} --threads 1",
    "plot": "plot {run} --out {out}",
    "plot of several": "plot {run} {whole} --out {out}",
    "watch": "watch {run} --plain --delay 0",
    "watch a fault": "watch {run} --fault 0",
    "export": "export {run} {out}.npy",
    "analyse": "analyse {run} --games 2 --threads 1",
    "tournament": "tournament dots-and-boxes:rows=2,cols=2 {run} random --games 2 --threads 1",
    "tournament of all": "tournament dots-and-boxes:rows=2,cols=2 {run}@all --games 2 --threads 1",
    "evaluate against": "evaluate {whole} --opponents {run} --games 2 --best 1 --threads 1",
    "compare": "compare {run} {whole} --most 2 --threads 1",
    "run": "run --game dots-and-boxes:rows=2,cols=2 --generations 1 --set start={run} --out {out}",
    "resume": "resume {run} --threads 1",
    "resume trusted": "resume {run} --threads 1 --trust",
}
TRUSTED = ("plot", "plot of several", "export")
COMPILED = ("watch", "tournament", "evaluate", "compare")


@pytest.fixture
def words(tmp_path):
    """The folder of a run that was changed, of one that was not, and of what is written."""
    whole, run = (Path(shutil.copytree(RUN, tmp_path / name)) for name in ("whole", "run"))
    info = json.loads((run / "run.json").read_text())
    info["config"]["scheme"]["bonus"] = 0.5
    (run / "run.json").write_text(json.dumps(info))
    return {"run": run, "whole": whole, "out": tmp_path / "out"}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_run_json_that_was_changed_is_refused_in_a_line(name, words, capsys):
    assert main(COMMANDS[name].format(**words).split()) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert f"{words['run']}/run.json: the configuration was changed since snapshots/gen" in told
    assert "put it back as it was" in told


@pytest.mark.parametrize(
    "name", [*TRUSTED, *(pytest.param(name, marks=pytest.mark.slow) for name in COMPILED)]
)
def test_who_trusts_it_goes_on(name, words, capsys):
    assert main([*COMMANDS[name].format(**words).split(), "--trust"]) == 0
    assert "configuration was changed" not in capsys.readouterr().err


def test_python_refuses_and_trusts_it_too(words):
    for use in (
        open_run,
        evo.analyse,
        evo.best_response,
        lambda run: evo.evaluate(run, ["random"], 2),
    ):
        with pytest.raises(ResultsError, match="configuration was changed"):
            use(words["run"])
    assert evo.player(words["whole"], "dots-and-boxes:rows=2,cols=2")
    assert open_run(words["run"], trust=True).champion() is not None


def test_damage_that_a_run_can_be_read_with_is_a_warning_and_status_1(words, capsys):
    with open(words["whole"] / "snapshots.sha256", "a") as file:
        file.write("junk")
    assert main(f"plot {words['whole']} --out {words['out']}".split()) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("evo: warning: ")
    assert "snapshots.sha256: it holds" in line
    assert main(["verify", str(words["whole"])]) == 1
    assert f"evo resume {words['whole']} writes it again" in capsys.readouterr().out
    assert main(f"resume {words['whole']} --threads 1".split()) == 0
    capsys.readouterr()
    assert main(["verify", str(words["whole"])]) == 0
