"""Runs at s3:// addresses, by a real server of the protocol that is cut, stopped and lied to."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pandas as pd
import pytest
from run_checks import snapshot_bytes
from s3_server import BUCKET, Server, serving

import evo
from evo.cli.main import main
from results import open_run
from results.folder.files import names_in, place_of, read_file
from results.storage import address

pytestmark = pytest.mark.slow

OPTIONS = ["--game", "dots-and-boxes:rows=2,cols=2", "--scheme", "round-robin", "--population", "8"]
OPTIONS += ["--seed", "3", "--threads", "1", "--set", "snapshot_interval=2"]
GENERATIONS = 30


@pytest.fixture(scope="module")
def server():
    with serving() as server:
        yield server


@pytest.fixture(autouse=True)
def at_home(server: Server, monkeypatch):
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    address._storage.cache_clear()
    server.harm = lambda method, path: ""
    server.log.clear()
    yield
    address._storage.cache_clear()


@pytest.fixture(scope="module")
def local(tmp_path_factory) -> Path:
    """The run on a disk."""
    path = tmp_path_factory.mktemp("local") / "run"
    assert main(["run", *OPTIONS, "--generations", str(GENERATIONS), "--out", str(path)]) == 0
    return path


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "evo", *map(str, arguments)]


def run_command(out: str, generations: int = GENERATIONS) -> list[str]:
    return command("run", *OPTIONS, "--generations", generations, "--out", out)


def ended(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=300)


def there(out: str) -> dict[str, bytes]:
    """What ``snapshot_bytes`` gives of a run on a disk."""
    run = place_of(out)
    names = [f"snapshots/{name}" for name in names_in(run / "snapshots")] + ["snapshots.sha256"]
    return {name.rpartition("/")[2]: read_file(run / name) for name in names}


def wait_for(server: Server, wanted: str) -> None:
    """Wait until a request for what is named so was made; with a limit."""
    until = time.monotonic() + 300
    while not any(wanted in path for _, path, _ in list(server.log)):
        assert time.monotonic() < until
        threading.Event().wait(0.01)


def test_a_run_that_is_killed_and_resumed_has_the_bytes_of_one_on_a_disk(server, begin, local):
    out = f"s3://{BUCKET}/runs/killed"
    process = begin(run_command(out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(server, "killed/snapshots/generation-000006")
    process.kill()
    process.wait()
    went_on = ended(command("resume", out, "--threads", "1"))
    assert went_on.returncode == 0, went_on.stderr
    assert f"{out} is locked by process {process.pid} on " in went_on.stderr
    assert f"the run is in {out}" in went_on.stdout
    assert there(out) == snapshot_bytes(local)
    assert open_run(out).generations["generation"].tolist() == list(range(GENERATIONS + 1))
    assert "a-secret-of-nobody" not in json.dumps(open_run(out).info) + went_on.stdout
    assert "a-secret-of-nobody" not in went_on.stderr + read_file(place_of(out) / ".lock").decode()


def test_two_drivers_at_once_are_one_and_a_refusal(server, begin):
    out = f"s3://{BUCKET}/runs/two"
    first = begin(run_command(out, 100_000), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(server, "two/snapshots/generation-000002")
    second = ended(command("resume", out, "--threads", "1"))
    assert second.returncode == 2
    lines = second.stderr.splitlines()
    assert re.fullmatch(
        rf"evo: another process is writing this run: {out}, by process {first.pid} on \S+; wait "
        "for it to end, or stop it",
        lines[-1],
    )
    assert first.poll() is None
    again = ended(run_command(out))
    assert again.returncode == 2
    assert again.stderr.splitlines()[-1].startswith(f"evo: {out} holds a run; go on with: evo res")


def test_a_driver_that_slept_while_another_took_over_stops(server, begin, local):
    out = f"s3://{BUCKET}/runs/slept"
    wanted, is_asked = "slept/snapshots/generation-000004", threading.Event()

    def stop(method: str, path: str) -> str:
        """While it waits for an answer it cannot come to its end."""
        if wanted in path and not is_asked.is_set():
            is_asked.set()
            os.kill(sleeper.pid, signal.SIGSTOP)
        return ""

    server.harm = stop
    sleeper = begin(run_command(out), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert is_asked.wait(300)
    try:
        assert ended(command("resume", out, "--threads", "1")).returncode == 0
    finally:
        sleeper.send_signal(signal.SIGCONT)
    errors = sleeper.communicate(timeout=300)[1]
    assert sleeper.returncode == 2
    assert re.search(r"evo: .*(another process took the lock|was changed by another)", errors)
    assert "Traceback" not in errors
    assert there(out) == snapshot_bytes(local)


def test_commands_read_a_run_there_and_write_beside_it(server, local, tmp_path, capsys):
    out = f"s3://{BUCKET}/runs/read"
    assert main(["run", *OPTIONS, "--generations", str(GENERATIONS), "--out", out]) == 0
    assert there(out) == snapshot_bytes(local)
    assert (
        pd.read_parquet(f"{out}/generations").shape == pd.read_parquet(local / "generations").shape
    )
    snapshot = "snapshots/generation-000030.parquet"
    assert pd.read_parquet(f"{out}/{snapshot}").equals(pd.read_parquet(local / snapshot))
    file = tmp_path / "champion.npy"
    for arguments in (
        ["evaluate", out, "--opponents", "level-0", "--games", "20", "--threads", "1"],
        ["plot", out],
        ["analyse", out, "--games", "10", "--threads", "1", "--every", "5"],
        ["watch", out, "--plain", "--opponent", "level-0"],
        ["export", out, str(file)],
        ["tournament", "dots-and-boxes:rows=2,cols=2", "level-0", f"{out}@10", "--games", "20"],
        ["evaluate", str(local), "--opponents", out, "--games", "20", "--threads", "1"],
        ["run", *OPTIONS, "--generations", "1", "--set", f"start={out}@10", "--out", f"{out}2"],
    ):
        capsys.readouterr()
        assert main(arguments) == 0, arguments
        said = capsys.readouterr()
        assert "Traceback" not in said.err
    assert file.exists()
    assert open_run(f"{out}2").config["start"] == f"{out}@10"
    assert "fitness.png" in names_in(place_of(out) / "plots")
    assert "result.json" in names_in(place_of(out) / "analysis")
    digests = read_file(place_of(out) / "snapshots.sha256").decode().split()
    assert hashlib.sha256(read_file(place_of(out) / snapshot)).hexdigest() == digests[-2]


def test_tournaments_and_sweeps_stand_there_and_go_on(server, tmp_path, capsys):
    out = f"s3://{BUCKET}/others/tournament"
    players = ["level-0", "level-1", "random"]
    game = "dots-and-boxes:rows=2,cols=2"
    assert main(["tournament", game, *players, "--games", "20", "--out", out]) == 0
    requests = len([entry for entry in server.log if entry[0] == "PUT"])
    assert main(["tournament", game, *players, "--games", "20", "--out", out]) == 0
    assert requests > 3
    experiment = tmp_path / "small.toml"
    experiment.write_text(
        f'name = "small"\nseeds = 2\n[base]\ngame = "{game}"\npopulation = 6\ngenerations = 2\n'
        '[populations.rr]\nscheme = "round-robin"\n'
        '[evaluation]\nopponents = ["level-0"]\ngames = 10\n'
    )
    sweep = f"s3://{BUCKET}/others/sweep"
    result = ended(command("sweep", experiment, "--out", sweep, "--threads", "2", "--json"))
    assert result.returncode == 0, result.stderr
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(row["generation"], row["state"]) for row in rows] == [(2, "done")] * 2
    assert all(row["path"].startswith(sweep) for row in rows)
    assert main(["plot", sweep]) == 0
    assert names_in(place_of(sweep) / "plots")


@pytest.mark.parametrize("seed", range(4))
def test_a_server_that_fails_now_and_then_costs_no_byte(server, local, seed):
    draw, out = random.Random(seed), f"s3://{BUCKET}/runs/fails-{seed}"
    kinds = ["refuse", "cut", "lose", "half"]

    def harm(method: str, path: str) -> str:
        return draw.choice(kinds) if draw.random() < 0.15 else ""

    server.harm = harm
    assert main(["run", *OPTIONS, "--generations", str(GENERATIONS), "--out", out]) == 0
    assert {kind for _, _, kind in server.log} >= set(kinds)
    server.harm = lambda method, path: ""
    assert there(out) == snapshot_bytes(local)
    assert evo.resume(out, GENERATIONS, threads=1).snapshots[-1] == GENERATIONS


def test_a_server_that_hangs_for_a_while_is_waited_for(server, begin, local):
    out = f"s3://{BUCKET}/runs/hangs"
    process = begin(run_command(out), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_for(server, "hangs/snapshots/generation-000004")
    with server.hanging():
        threading.Event().wait(4)  # longer than the lease, so that it has to be renewed
    assert process.wait(timeout=120) == 0
    assert there(out) == snapshot_bytes(local)


def test_a_server_that_goes_away_ends_the_run_in_a_line_and_it_goes_on_later(
    server, begin, local, monkeypatch
):
    monkeypatch.setenv("EVO_STORAGE_TIMEOUT", "2")
    out, gone = f"s3://{BUCKET}/runs/gone", []

    def harm(method: str, path: str) -> str:
        if "gone/snapshots/generation-000008" in path:
            gone.append(path)
        return ("lose" if len(gone) == 1 else "cut") if gone else ""

    server.harm = harm
    result = ended(run_command(out))
    assert result.returncode == 2
    last = result.stderr.splitlines()[-1]
    assert last.startswith(f"evo: cannot write {out}/snapshots")
    assert "the service does not answer as it should" in last
    assert "Traceback" not in result.stderr
    server.harm = lambda method, path: ""
    assert ended(command("resume", out, "--threads", "1")).returncode == 0
    assert there(out) == snapshot_bytes(local)


# --- what a user gets wrong -----------------------------------------------------------------------


def test_mistakes_are_one_line_that_says_what_to_do(server, monkeypatch):
    monkeypatch.setenv("EVO_STORAGE_TIMEOUT", "2")
    plain = server.environment
    cases = [
        ({}, "s3://no-such-bucket/x", "there is no bucket s3://no-such-bucket; make it first"),
        ({"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}, "s3://bucket/y", "check AWS_ENDPOINT_URL"),
        ({"deny": "1"}, "s3://bucket/z", "access was denied; check AWS_ACCESS_KEY_ID and AWS_SEC"),
        ({}, "s3://KEY:SECRET@bucket/x", "give them by environment variables"),
        ({}, "s3://", "s3://BUCKET/FOLDER is expected"),
    ]
    for variables, out, expected in cases:
        server.harm = (lambda method, path: "deny") if "deny" in variables else lambda *_: ""
        for name, value in {**plain, "EVO_STORAGE_TIMEOUT": "2", **variables}.items():
            monkeypatch.setenv(name, value)
        for arguments in (run_command(out), command("plot", out)):
            result = ended(arguments)
            assert result.returncode == 2, (out, result.stderr)
            assert re.fullmatch(rf"evo: [^\n]*{re.escape(expected)}[^\n]*\n", result.stderr), out
            assert "SECRET" not in result.stderr.replace("AWS_SECRET_ACCESS_KEY", "")


def test_who_gives_no_credentials_is_told_how(server, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setenv("EVO_STORAGE_TIMEOUT", "2")
    result = ended(command("plot", f"s3://{BUCKET}/x"))
    assert result.returncode == 2
    assert "no credentials were given; set AWS_ACCESS_KEY_ID and" in result.stderr
    assert result.stderr.count("\n") == 1
