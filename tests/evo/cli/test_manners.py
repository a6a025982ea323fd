"""Output on a full disk, limits on memory, and no passwords in what is kept or shown."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import evo
from evo.cli.main import COMMANDS, main
from evo.cli.options import Command
from results import open_run
from results.redact import redacted
from tournaments.errors import ConfigError

FULL = Path("/dev/full")
SMALL = {"scheme": "round-robin", "population": 4, "game": "dots-and-boxes:rows=1,cols=1"}


def evo_command(*arguments: str, **streams) -> subprocess.CompletedProcess[str]:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, "-m", "evo", *arguments]
    return subprocess.run(command, check=False, text=True, **{**pipes, **streams})


# --- a full disk ------------------------------------------------------------------------------


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "arguments", [["games"], *(pytest.param(line, marks=SLOW) for line in (["--help"], []))]
)
def test_output_that_cannot_be_written_is_a_failure_told_in_a_line(arguments):
    with FULL.open("w") as full:
        done = evo_command(*arguments, stdout=full)
    assert done.returncode == 1
    assert done.stderr == "evo: standard output cannot be written: No space left on device\n"


@pytest.mark.parametrize(
    ("arguments", "status"), [pytest.param(["games"], 0, marks=SLOW), (["run", "--nope"], 2)]
)
def test_messages_that_cannot_be_written_change_no_status(arguments, status):
    with FULL.open("w") as full:
        done = evo_command(*arguments, stderr=full)
        assert done.returncode == status
        assert ("dots-and-boxes" in done.stdout) == (status == 0)
        if status == 0:
            assert evo_command(*arguments, stdout=full, stderr=full).returncode == 1


# --- memory -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (MemoryError("Unable to allocate 8 GiB"), "memory is short (Unable to allocate 8 GiB)"),
        (MemoryError(), "memory is short (MemoryError)"),
        (RuntimeError("can't start new thread"), "memory or the number of threads is short"),
    ],
)
def test_memory_that_is_short_is_told_in_a_line(error, told, monkeypatch, capsys):
    def act(options):
        raise error

    load = COMMANDS.load
    short = Command("", lambda command: None, act)
    monkeypatch.setattr(
        type(COMMANDS), "load", lambda self, name: short if name == "games" else load(name)
    )
    assert main(["games"]) == 1
    err = capsys.readouterr().err
    assert err.startswith(f"evo: {told}")
    assert err.count("\n") == 1


def test_any_other_error_of_the_program_is_none_of_memory(monkeypatch):
    def act(options):
        raise RuntimeError("of the program")

    short = Command("", lambda command: None, act)
    monkeypatch.setattr(type(COMMANDS), "load", lambda self, name: short)
    with pytest.raises(RuntimeError, match="of the program"):
        main(["games"])


@pytest.mark.parametrize("kibibytes", [300_000, 500_000, 800_000])
def test_a_limit_that_no_command_can_work_under_is_told_before_anything_is_loaded(kibibytes):
    """With less, libraries are not found, and compilers end the process."""
    bytes_ = kibibytes << 10
    script = (
        f"import resource, sys; resource.setrlimit(resource.RLIMIT_AS, ({bytes_}, {bytes_})); "
        "from evo.cli.main import main; sys.exit(main(['run', '--game', 'nim']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(
        f"evo: memory is short: this process may have {kibibytes >> 10} MiB (uli"
    )


@pytest.mark.slow
def test_a_run_under_a_limit_on_memory_ends_in_a_line(tmp_path):
    """As `ulimit -v` sets it; what is large is the population."""
    line = ["run", "--population", "3_000_000", "--scheme", "direct", "--threads", "1"]
    line += ["--game", "dots-and-boxes:rows=1,cols=1", "--out", str(tmp_path / "run")]
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)); "
        "from evo.cli.main import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *line], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "memory is short" in done.stderr.splitlines()[-1]
    assert "this process may have 3.0 GiB" in done.stderr
    assert "Traceback" not in done.stderr


# --- passwords --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("ray://user:token@head:10001", "ray://***@head:10001"),
        ("ray://head:10001", "ray://head:10001"),
        ("s3://AKIA:secret/with@bucket/run", "s3://AKIA:secret/with@bucket/run"),
        ("s3://AKIA:secret@bucket/run@20", "s3://***@bucket/run@20"),
        ("s3://b/r?access_key=AK&secret_key=SK&region=x", "s3://b/r?access_key=***&secret_key=***&region=x"),
        ("https://h/x?X-Amz-Signature=abc&sig=1&a=2", "https://h/x?X-Amz-Signature=***&sig=***&a=2"),
        ("RAY_AUTH_TOKEN=abc", "RAY_AUTH_TOKEN=***"),
        ("learner.mutation_probability=0.01", "learner.mutation_probability=0.01"),
        ("fox=runs/a@20+hounds=runs/b", "fox=runs/a@20+hounds=runs/b"),
        ("dots-and-boxes:rows=3,cols=3", "dots-and-boxes:rows=3,cols=3"),
        ("signals=3 design=2", "signals=3 design=2"),
    ],
)  # fmt: skip
def test_what_opens_doors_is_left_out_and_nothing_else(text, kept):
    assert redacted(text) == kept


def test_a_run_keeps_no_password_of_its_command_line(tmp_path):
    command = ["evo", "run", "--ray", "ray://me:hush@head:1", "--set", "a.token=hush"]
    evo.run(tmp_path / "run", SMALL, generations=0, threads=1, command=command)
    kept = (tmp_path / "run" / "run.json").read_text()
    assert "hush" not in kept
    assert open_run(tmp_path / "run").info["command"][3] == "ray://***@head:1"
    assert json.loads(kept)["command"][5] == "a.token=***"
    assert not [path for path in (tmp_path / "run").rglob("*") if b"hush" in path_bytes(path)]


def path_bytes(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


def test_a_configuration_with_a_password_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"start='s3://\*\*\*@bucket/run' given with a password"):
        evo.run(tmp_path / "run", SMALL, start="s3://key:hush@bucket/run", threads=1)
    assert not (tmp_path / "run").exists()


def test_messages_show_no_password(tmp_path, capsys):
    line = ["run", "--out", str(tmp_path / "run"), "--ray", "ray://me:hush@127.0.0.1:1"]
    assert main([*line, "--population", "4"]) == 2
    out, err = capsys.readouterr()
    assert "hush" not in out + err
    assert "***@127.0.0.1:1" in err
