"""What ships for clusters: files that fit their schemas, scripts that run, an image."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest
from processes import ROOT

from evo.cli import main as cli

FILES = ROOT / "docs/cluster"
SCRIPTS = sorted(FILES.glob("*.sh"))
LAUNCHED = ("aws.yaml", "gcp.yaml")
BIN = Path(sys.executable).parent

RAY_JOB = {
    "": {"apiVersion", "kind", "metadata", "spec"},
    "spec": {
        *("entrypoint", "submissionMode", "backoffLimit", "shutdownAfterJobFinishes"),
        *("ttlSecondsAfterFinished", "rayClusterSpec"),
    },
    "spec.rayClusterSpec": {
        *("rayVersion", "enableInTreeAutoscaling", "autoscalerOptions"),
        *("headGroupSpec", "workerGroupSpecs"),
    },
    "spec.rayClusterSpec.headGroupSpec": {"rayStartParams", "template"},
    "spec.rayClusterSpec.workerGroupSpecs": {
        *("groupName", "replicas", "minReplicas", "maxReplicas", "rayStartParams", "template"),
    },
}
"""Part of a RayJob, `ray.io/v1` -> the fields of it that KubeRay documents and ours uses."""


def loaded(name: str):
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((FILES / name).read_text(encoding="utf-8"))


def fields_at(part: dict, path: str) -> set[str]:
    for name in filter(None, path.split(".")):
        part = part[name]
    return set().union(*part) if isinstance(part, list) else set(part)


@pytest.mark.parametrize("name", LAUNCHED)
def test_the_files_of_ray_up_fit_its_schema(name):
    jsonschema = pytest.importorskip("jsonschema")
    spec = importlib.util.find_spec("ray")
    if spec is None or spec.origin is None:
        pytest.skip("Ray is not installed")
    schema = Path(spec.origin).parent / "autoscaler/ray-schema.json"
    jsonschema.validate(loaded(name), json.loads(schema.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", LAUNCHED)
def test_the_head_is_on_demand_plays_nothing_and_workers_are_spot(name):
    config = loaded(name)
    kinds = config["available_node_types"]
    head = kinds.pop(config["head_node_type"])
    is_spot = re.compile("MarketType: spot|'MarketType': 'spot'|'preemptible': True").search
    assert head["resources"] == {"CPU": 0}
    assert not is_spot(str(head["node_config"]))
    assert all(is_spot(str(kind["node_config"])) for kind in kinds.values())
    assert sum(kind["max_workers"] for kind in kinds.values()) == config["max_workers"]
    assert all("0.0.0.0" not in line for line in config["head_start_ray_commands"])


def test_a_ray_job_has_the_fields_that_are_documented_and_one_version_of_ray():
    job = loaded("rayjob.yaml")
    assert (job["apiVersion"], job["kind"]) == ("ray.io/v1", "RayJob")
    for path, fields in RAY_JOB.items():
        assert fields_at(job, path) == fields, path
    version = job["spec"]["rayClusterSpec"]["rayVersion"]
    assert {loaded(name)["docker"]["image"] for name in LAUNCHED} == {
        f"rayproject/ray:{version}-py311"
    }


def test_the_driver_of_a_ray_job_is_a_command_that_is_understood():
    words = shlex.split(loaded("rayjob.yaml")["spec"]["entrypoint"])
    assert words.pop(0) == "evo"
    options = cli.parser().parse_args(words)
    assert options.ray == "auto"
    assert options.or_resume


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_bash_that_parses_and_may_be_run(script):
    subprocess.run(["bash", "-n", script], check=True)
    assert os.access(script, os.X_OK)
    assert "set -euo pipefail" in script.read_text(encoding="utf-8")


def test_the_image_copies_what_is_there_and_installs_all_of_it():
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    words = [line.split() for line in lines if line and not line.startswith("#")]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    sources = [source for line in words if line[0] == "COPY" for source in line[1:-1]]
    assert all((ROOT / source).exists() for source in sources)
    packages = project["tool"]["setuptools"]["packages"]["find"]["include"]
    assert {name for name in packages if "." not in name} <= {*sources}
    context = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert {line[1:] for line in context if line.startswith("!")} == {*sources}
    (extras,) = re.findall(r"pip install --no-cache-dir '\.\[([\w,]+)\]'", "\n".join(lines))
    assert {*extras.split(",")} <= {*project["project"]["optional-dependencies"]}
    (entry,) = [json.loads(" ".join(line[1:])) for line in words if line[0] == "ENTRYPOINT"]
    assert {*entry} <= {*project["project"]["scripts"]}
    assert [line[1] for line in words if line[0] == "USER"][-1] != "root"
    (base,) = [line[1] for line in words if line[0] == "FROM"]
    assert base.startswith("python:3.11")
    assert project["project"]["requires-python"] == ">=3.11"


# --- the scripts, run -----------------------------------------------------------------------------


def program(folder: Path, name: str, text: str) -> None:
    """A program of a name that the scripts call."""
    file = folder / name
    file.write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
    file.chmod(0o755)


def variables(folder: Path, **more: str) -> dict[str, str]:
    """Those of this process, with the programs of a folder before all others."""
    path = os.pathsep.join([str(folder), str(BIN), os.environ["PATH"]])
    own = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PATH": path, "PYTHONPATH": own, **more}


def task(number: int, count: int) -> dict[str, str]:
    """What Slurm tells a task of an array."""
    array = {"ID": number, "COUNT": count, "MIN": 1, "MAX": count, "STEP": 1}
    job = {"SLURM_JOB_ID": str(100 + number), "SLURM_CPUS_PER_TASK": "1"}
    return {**job, **{f"SLURM_ARRAY_TASK_{name}": str(value) for name, value in array.items()}}


@pytest.mark.parametrize(("status", "queued"), [(0, ""), (1, ""), (143, "requeue 101\n")])
def test_a_task_of_an_array_ends_as_its_sweep_does(tmp_path, status, queued):
    program(tmp_path, "evo", f'echo "$@" > called; exit {status}')
    program(tmp_path, "scontrol", 'echo "$@" >> queue')
    script = [FILES / "slurm-array.sh", "sweep.toml", "runs"]
    ended = subprocess.run(script, cwd=tmp_path, env=variables(tmp_path, **task(1, 2)))
    assert ended.returncode == status
    called = (tmp_path / "called").read_text()
    assert called == "sweep sweep.toml --out runs --slice auto --threads 1\n"
    queue = tmp_path / "queue"
    assert (queue.read_text() if queue.exists() else "") == queued


def test_a_task_whose_time_is_over_lets_its_sweep_end_and_begins_again(tmp_path, begin):
    waits = "while :; do read -t 0.05 <> fifo; done"
    ends = f"trap 'echo asked > asked; exit 143' TERM; echo ready; {waits}"
    program(tmp_path, "evo", ends)
    program(tmp_path, "scontrol", 'echo "$@" >> queue')
    os.mkfifo(tmp_path / "fifo")
    process = begin(
        [FILES / "slurm-array.sh", "sweep.toml", "runs"],
        cwd=tmp_path,
        env=variables(tmp_path, **task(2, 2)),
        stdout=subprocess.PIPE,
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)  # to the script alone, as `--signal=B:` has it
    assert process.wait(300) == 143
    assert (tmp_path / "asked").exists()
    assert (tmp_path / "queue").read_text() == "requeue 102\n"


@pytest.mark.slow
def test_the_tasks_of_an_array_make_all_runs_of_a_sweep_between_them(tmp_path):
    (tmp_path / "sweep.toml").write_text(
        'name = "tiny"\nseeds = 3\n[base]\npopulation = 6\ngenerations = 2\n'
        '[base.game]\nname = "tic-tac-toe"\n[populations.rr]\nscheme = "round-robin"\n'
        '[evaluation]\nopponents = ["random"]\ngames = 4\nagain = 0\n'
    )
    made = []
    for number in (1, 2):
        script = [FILES / "slurm-array.sh", "sweep.toml", "runs"]
        environment = variables(tmp_path, **task(number, 2))
        subprocess.run(script, cwd=tmp_path, env=environment, check=True, timeout=300)
        made.append(len([*tmp_path.glob("runs/rr/seed-*")]))
    assert 0 < made[0] < made[1] == 3


# --- Ray, by itself in namespaces of its own ------------------------------------------------------

APART = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--net")


def can_be_apart() -> bool:
    """Whether this machine lets a process have its own processes and ports.

    `ray symmetric-run` ends every Ray that it sees, and takes ports that others may have.
    """
    if not (shutil.which("unshare") and shutil.which("ip")):
        return False
    return not subprocess.run([*APART, "true"], capture_output=True).returncode


def run_apart(commands: str, tmp_path: Path, **more: str) -> str:
    """What shell commands print, run where they see no other process and have a loopback alone."""
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as short:
        given = {"RAY_TMPDIR": short, "RAY_USAGE_STATS_ENABLED": "0", **more}
        environment = variables(tmp_path, **given)
        line = f"set -euo pipefail; ip link set lo up; {commands}"
        done = subprocess.run(
            [*APART, "--kill-child", "bash", "-c", line],
            cwd=tmp_path,
            env=environment,
            text=True,
            capture_output=True,
            timeout=300,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def has_job_server() -> bool:
    """Whether Ray is installed with what its job server takes."""
    needed = ("ray", "aiohttp", "aiohttp_cors", "grpc", "opencensus", "prometheus_client")
    return all(importlib.util.find_spec(name) for name in needed)


needs_apart = pytest.mark.skipif(not can_be_apart(), reason="no namespaces for processes and ports")
SMALL = "--game tic-tac-toe --population 6 --generations"


@needs_apart
@pytest.mark.slow
def test_a_run_starts_and_goes_on_by_symmetric_run(tmp_path):
    program(tmp_path, "scontrol", "echo node1; echo node2")
    program(tmp_path, "hostname", "echo 127.0.0.1 10.0.0.1")
    srun = 'echo "$@" >> steps; while [[ $1 == --* ]]; do shift; done; exec "$@"'
    program(tmp_path, "srun", srun)
    job = {"SLURM_JOB_NODELIST": "node[1-2]", "SLURM_JOB_NUM_NODES": "1"}
    for generations in (2, 3):
        command = f"{FILES}/slurm-ray.sh {SMALL} {generations} --actors 1 --out runs/x"
        shown = run_apart(command, tmp_path, SLURM_CPUS_PER_TASK="1", **job)
        assert f"generation {generations}" in shown
    assert len([*tmp_path.glob("runs/x/snapshots/*.parquet")]) >= 2
    asked, started = (tmp_path / "steps").read_text().splitlines()[:2]
    assert asked == "--nodes=1 --ntasks=1 --nodelist=node1 hostname --ip-address"
    assert "--address 127.0.0.1:6379 --min-nodes 1" in started


@needs_apart
@pytest.mark.slow
@pytest.mark.skipif(not has_job_server(), reason="needs the extra cluster")
def test_a_job_is_submitted_with_the_checkout_and_runs(tmp_path):
    head = "ray start --head --num-cpus 2 --object-store-memory 80000000 > head.log"
    submit = f"cd {ROOT} && {FILES}/job-submit.sh run {SMALL} 2 --ray auto --actors 1"
    line = f"{head}; {submit} --out {tmp_path}/runs/x --or-resume"
    shown = run_apart(line, tmp_path, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN="a" * 32)
    assert "succeeded" in shown
    assert (tmp_path / "runs/x/run.json").exists()


# --- the page -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_commands_of_a_laptop_run_and_run_again(tmp_path):
    page = (ROOT / "docs/cluster.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"## A laptop\n+```sh\n(.*?)```", page, re.S)
    block = block.replace("--generations 2000", "--generations 2 --population 6")
    for _ in range(2):
        line = ["bash", "-euo", "pipefail", "-c", block]
        subprocess.run(line, cwd=tmp_path, env=variables(tmp_path), check=True, timeout=300)
    assert (tmp_path / "runs/x/run.json").exists()


def test_the_page_names_every_file_that_ships():
    page = (ROOT / "docs/cluster.md").read_text(encoding="utf-8")
    named = re.findall(r"\]\(cluster/([\w.-]+)\)", page)
    assert set(named) == {path.name for path in FILES.iterdir()}
