"""The command line: what it prints, what it refuses, what it leaves behind."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import tomllib
from fcntl import ioctl
from importlib.metadata import EntryPoint
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import evo
from evo.cli.commands.run import _spent_beside, _where_it_is
from evo.cli.main import COMMANDS, main
from evo.config import config as configuration
from results import open_run
from results.format.schema import arrow_schema
from results.storage import system
from tests.bots_with_faults import offer
from tournaments import games, registry

RUN = ["run", "--scheme", "round-robin", "--population", "8", "--seed", "3", "--threads", "1"]


@pytest.fixture(scope="module")
def evolved(tmp_path_factory) -> Path:
    """A small finished run with evaluations; tests read it and leave it as it is."""
    path = tmp_path_factory.mktemp("evolved") / "rr"
    evo.run(path, scheme="round-robin", population=8, generations=12, seed=3, threads=1)
    evo.evaluate(path, ["level-0", "level-1"], games=20, best=2, threads=1)
    return path


def content(folder: Path) -> dict[Path, bytes | None]:
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def evo_command(*arguments: object, **options) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "evo", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


# --- help -----------------------------------------------------------------------------------------


def test_help_without_a_command_lists_the_commands(capsys):
    assert main([]) == 0
    bare = capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == bare
    assert all(re.search(rf"^  {command}\s+\w", bare, re.MULTILINE) for command in COMMANDS.names())


GREET = """
from dataclasses import dataclass

from evo.cli.options import command_of
from evo.requests.base import Request, flag

@dataclass(frozen=True)
class GreetRequest(Request):
    "Say hello."
    times: int = flag(1, low=1)

def greet(request, execution):
    print(*["hello"] * request.times)
    return 7

COMMAND = command_of(GreetRequest, greet, group="manners")
"""


@pytest.fixture
def strangers(tmp_path, monkeypatch):
    """Installed packages of somebody else: a command that works, and two that do not."""
    (tmp_path / "greeting.py").write_text(GREET)
    (tmp_path / "broken_greeting.py").write_text("import no_such_module  # 100%")
    installed = tmp_path / "greetings-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: greetings\nVersion: 1\n")
    (installed / "entry_points.txt").write_text(
        "[evo.commands]\ngreet = greeting:COMMAND\nbroken = broken_greeting:COMMAND\n"
        "odd = greeting:greet\nrun = greeting:COMMAND\n"
    )
    monkeypatch.syspath_prepend(tmp_path)


def test_a_command_of_another_package_is_listed_and_runs(strangers, capsys):
    assert main([]) == 0
    assert re.search(r"^manners:\n  greet +say hello$", capsys.readouterr().out, re.MULTILINE)
    assert main(["greet", "--times", "2"]) == 7
    assert capsys.readouterr() == ("hello hello\n", "")
    assert main(["greet", "--times", "0"]) == 2
    assert "--times 0 given; 1 or more is expected" in capsys.readouterr().err
    assert main(["config", "--seed", "5"]) == 0


def test_a_broken_command_of_another_package_hides_no_other(strangers, capsys):
    assert main([]) == 0
    listed = " ".join(capsys.readouterr().out.split())
    assert "broken command 'broken' of greetings cannot be loaded from broken_greet" in listed
    assert "evolve a population from scratch" in listed  # our own run, not that package's
    for name, expected in (("broken", "No module named 'no_such_module'"), ("odd", "a function")):
        with pytest.raises(SystemExit) as ended:
            main([name])
        out, err = capsys.readouterr()
        assert (ended.value.code, out, err.count("\n")) == (2, "", 1)
        assert expected in err


def test_the_version_is_that_of_the_distribution(capsys):
    from importlib.metadata import version

    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"evo-tournaments {version('evo-tournaments')}\n"


def loaded_by(code: str, *arguments: str) -> set[str]:
    """The top-level packages that a process has loaded when it ends."""
    script = f"{code}\nimport sys; print('\\n' + ' '.join(sys.modules), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in done.stderr.splitlines()[-1].split()}


def test_help_loads_nothing_heavy():
    heavy = {"numpy", "pandas", "numba", "ray", "pyarrow", "deap", "matplotlib", "rich"}
    ask = "from evo.cli.main import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    assert not heavy & loaded_by(ask)
    assert not heavy & loaded_by("import evo, evo.cli.main; evo.cli.main.main([])")


@pytest.mark.slow
def test_a_run_by_threads_never_loads_ray_or_draws_pictures(tmp_path):
    ask = "import sys; from evo.cli.main import main; assert main(sys.argv[1:]) == 0"
    flags = [*RUN, "--generations", "2", "--out", str(tmp_path / "run")]
    loaded = loaded_by(ask, *flags)
    assert not {"ray", "matplotlib"} & loaded
    assert {"numba", "deap", "pyarrow"} <= loaded  # the check sees what is loaded


# --- mistakes ----------------------------------------------------------------------------------

MISTAKES = {
    # what is wrong: the command line, and what its one line of answer holds
    "unknown-command": ("rnu", "'rnu'"),
    "a-flag-without-value": ("run --out", "--out"),
    "nothing-to-resume": ("resume", "RUN"),
    "a-tournament-of-nobody": ("tournament dots-and-boxes", "PLAYER"),
    "unknown-game": ("run --game dots-and-boxs", "did you mean 'dots-and-boxes'?"),
    "no-value": ("run --game dots-and-boxes:rows", "key=value"),
    "unknown-scheme": ("run --scheme round-robbin", "did you mean 'round-robin'?"),
    "a-field-of-another-scheme": (
        "run --set scheme.opponent=level-1",
        "scheme 'antibody-antigen' has no such field, direct has: leave it out, or choose direct "
        "by --scheme",
    ),
    "a-field-of-other-learners": (
        "run --set learner.sigma=1",
        "evolution-strategy, openai-es have: leave it out, or choose evolution-strategy or "
        "openai-es by --learner",
    ),
    "symmetry-of-bits": (
        "run --set genome.symmetry=true",
        "real-network has: leave it out, or choose real-network by genome.encoding",
    ),
    "symmetry-without-any": (
        "run --game tic-tac-toe --learner openai-es --set genome.symmetry=true",
        "genome.symmetry=true given for a 18-9-9 network of tic-tac-toe; a game that declares",
    ),
    "a-run-for-a-configuration": ("run RUN", "is a run, and a TOML file is expected; go on with"),
    "a-field-of-a-run-resumed": ("resume RUN --set seed=4", "run --set start="),
    "a-scheme-of-a-run-resumed": (
        "resume RUN --scheme direct",
        "--scheme direct given, but only the end of a run",
    ),
    "unknown-field": ("run --set populaton=10", "did you mean 'population'?"),
    "no-assignment": ("run --set learner.elites", "FIELD=VALUE"),
    "not-toml": ("run bad.toml", "bad.toml: is not TOML"),
    "not-text": ("run binary.toml", "binary.toml: is not TOML"),
    "no-toml": ("run none.toml", "none.toml: cannot be read"),
    "a-folder-for-toml": ("run foreign", "is a folder, and a TOML file is expected; a folder for"),
    "config-not-toml": ("config bad.toml", "bad.toml: is not TOML"),
    "threads-and-ray": ("run --threads 2 --ray", "--actors"),
    "or-resume-without-a-folder": ("run --or-resume", "--out DIR"),
    "or-resume-another-run": (
        "run --scheme round-robin --population 8 --seed 4 --or-resume --out RUN",
        "was made with seed=3, and 4 is given",
    ),
    "out-is-a-run": ("run --out RUN", "holds a run; go on with: evo resume"),
    "out-is-a-file": ("run --out file", "file is a file"),
    "out-below-a-file": ("run --out file/run", "choose another path"),
    "out-is-foreign": ("run --out foreign", "not a run (it holds notes.txt)"),
    "resume-nothing": ("resume none", "none does not exist"),
    "resume-a-file": ("resume file", "file is a file"),
    "resume-foreign": ("resume foreign", "holds no run.json"),
    "resume-unreadable": ("resume unreadable", "not readable as JSON"),
    "resume-another-version": ("resume newer", "schema version 99"),
    "resume-another-json": ("resume list", "not the file of a run"),
    "resume-backwards": ("resume RUN --generations 3", "is at generation 12 already"),
    "evaluate-nothing": ("evaluate none", "none does not exist"),
    "evaluate-foreign": ("evaluate foreign", "holds no run.json"),
    "evaluate-no-such-snapshot": ("evaluate RUN --generation 11", "generation 11; the nearest"),
    "evaluate-unknown-player": ("evaluate RUN --opponents level-7", "did you mean 'level-"),
    "evaluate-against-nobody": ("evaluate RUN --opponents", "--opponents"),
    "evaluate-no-file": ("evaluate RUN --opponents none.npy", "none.npy: cannot be read"),
    "evaluate-too-few-weights": ("evaluate RUN --opponents short.json", "3 weights given"),
    "evaluate-weights-damaged": ("evaluate RUN --opponents damaged.npy", "damaged.npy"),
    "evaluate-against-foreign": ("evaluate RUN --opponents foreign", "holds no run.json"),
    "evaluate-no-generation": ("evaluate RUN --opponents RUN@11", "generation 11; the nearest"),
    "plot-nothing": ("plot none", "none does not exist"),
    "plot-below-a-file": ("plot RUN --out file/pictures", "choose another path"),
    "tournament-unknown-player": ("tournament dots-and-boxes level-0 optimum", "'optimal'?"),
    "tournament-too-large": (
        "tournament dots-and-boxes:rows=5,cols=5 level-0 optimal",
        "up to 24 edges",
    ),
    "tournament-another-game": (
        "tournament dots-and-boxes:rows=2,cols=2 level-0 RUN",
        "cannot play dots-and-boxes:rows=2,cols=2",
    ),
    "tournament-network-of-nothing": (
        "tournament dots-and-boxes level-0 network",
        "argument: 'weights'",
    ),
    "tournament-player-option": ("tournament dots-and-boxes level-0 level-1:depth=3", "depth"),
    "players-unknown-game": ("players boxes", "unknown game 'boxes'"),
    "export-nothing": ("export none weights.npy", "none does not exist"),
    "export-no-such-snapshot": ("export RUN weights.npy --generation 5", "generation 5; the"),
    "export-another-ending": ("export RUN weights.txt", "ends in .npy or .json"),
    "export-below-a-file": ("export RUN file/weights.npy", "there is no folder file"),
    "export-nowhere": ("export RUN none/weights.npy", "there is no folder none"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_line_and_leaves_everything_as_it_was(
    mistake, evolved, here, capsys
):
    (here / "file").write_text("text")
    (here / "bad.toml").write_text("population = = 3\n")
    (here / "binary.toml").write_bytes(b"\xff\xfe\x00\n")
    (here / "short.json").write_text("[1, 2, 3]")
    (here / "text.json").write_text('["a", "b"]')
    (here / "ragged.json").write_text("[[1], [2, 3]]")
    (here / "damaged.npy").write_bytes(b"\x93NUMPY\x01")
    for folder, name, text in [
        ("foreign", "notes.txt", "mine"),
        ("unreadable", "run.json", "{"),
        ("newer", "run.json", '{"schema_version": 99}'),
        ("list", "run.json", "[1, 2]"),
    ]:
        (here / folder).mkdir()
        (here / folder / name).write_text(text)
    before = content(here) | content(evolved)
    line, expected = MISTAKES[mistake]
    status: object
    try:
        status = main(line.replace("RUN", str(evolved)).split())
    except SystemExit as ended:
        status = ended.code
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert err.startswith("evo: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1, err
    assert expected in err
    assert content(here) | content(evolved) == before


@pytest.mark.parametrize(("newest", "more"), [(0, 10), (3, 13), (1200, 2400), (120_000, 240_000)])
def test_a_run_suggests_to_go_on_for_as_long_again(newest, more):
    config, info = {"generations": newest}, {"versions": {}}
    run = SimpleNamespace(path=Path("runs/x"), config=config, info=info)
    text = _where_it_is(run, newest, games.make("nim"))
    assert f"resume runs/x --generations {more}\n" in text


def test_parents_are_whole_numbers_as_a_run_says_to_read_them(evolved):
    line = _where_it_is(open_run(evolved), 12, games.make("nim")).splitlines()[-1].strip()
    names = {"pd": pd}
    exec(line, names)
    assert names["population"]["parent_a"].dtype == "Int64"
    assert names["population"]["parent_b"].isna().any()


def test_what_is_spent_on_compiling_is_told_beside_evolution():
    first = SimpleNamespace(generation=0, seconds=7.0)
    assert _spent_beside(first, 0.0, by_ray=False) == ""
    told = _spent_beside(first, 53.0, by_ray=False)
    assert told == ", plus 53.0 s to compile kernels, once"
    told = _spent_beside(first, 53.0, by_ray=True)
    assert told.startswith(", of which 7.0 s in generation 0, ")


def test_a_mistake_in_a_process_of_its_own_has_no_traceback(here):
    done = evo_command("run", "--scheme", "round-robbin")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("evo: unknown scheme 'round-robbin'; did you mean 'round-robin'?")
    assert done.stderr.count("\n") == 1


def test_a_full_disk_is_told_in_one_line(here, monkeypatch, capsys):
    import errno

    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(system, "fsync", full)
    assert main([*RUN, "--generations", "2", "--out", "run"]) == 2
    told = capsys.readouterr().err.splitlines()
    assert "no space is left" in told[-1]
    assert told[-1].startswith("evo: cannot ")
    monkeypatch.undo()
    monkeypatch.chdir(here)
    assert main([*RUN, "--generations", "2", "--out", "run"]) == 0  # nothing stands in the way


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_the_right_to_write_is_told_in_one_line(here, capsys):
    (here / "closed").mkdir(mode=0o500)
    assert main([*RUN, "--out", "closed/run"]) == 2
    assert "permission denied" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["config"], ["games"], ["players", "dots-and-boxes"]])
def test_output_that_nobody_reads_to_its_end_is_told_by_the_status_alone(arguments):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "evo", *arguments],
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_run_whose_progress_nobody_reads_has_not_succeeded(tmp_path):
    read, write = os.pipe()
    os.close(read)
    flags = ["--game", "dots-and-boxes:rows=1,cols=1", "--population", "4", "--generations", "20"]
    done = subprocess.run(
        [sys.executable, "-m", "evo", "run", *flags, "--out", str(tmp_path / "run")],
        stdout=write,
        stderr=write,
        check=False,
    )
    os.close(write)
    assert done.returncode == 141


class Leaver:
    """A player that ends the process."""

    name = "leaver"

    def choose(self, state, rng):
        sys.exit()


def test_a_player_that_ends_the_process_is_a_failure_and_named(monkeypatch, capsys):
    offer(monkeypatch, leaver=Leaver())
    line = "tournament dots-and-boxes:rows=1,cols=1 leaver level-0 --games 2 --threads 1"
    assert main([*line.split(), "--faults", "abort"]) == 2
    err = capsys.readouterr().err.splitlines()
    assert err[-1].startswith("evo: player 'leaver' ended by sys.exit(None)")


@pytest.mark.parametrize("kind", ["mutation", "crossover", "selection"])
def test_an_operator_that_ends_the_process_is_a_failure_and_named(kind, here, capsys):
    name = "operators_of_a_user.leaves"
    line = f"run --game dots-and-boxes:rows=1,cols=1 --set learner.{kind}={name}"
    assert main([*line.split(), "--out", "run"]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"evo: learner.{kind} '{name}': the operator raised SystemExit: 0")
    assert err.count("\n") == 1


def test_a_module_that_ends_the_process_is_a_failure_and_named(here, monkeypatch, capsys):
    (here / "a_module_that_leaves.py").write_text("import sys\nsys.exit()\n")
    assert main(["run", "--set", "learner.mutation=a_module_that_leaves.flip"]) == 2
    assert "a_module_that_leaves cannot be imported (SystemExit" in capsys.readouterr().err
    monkeypatch.syspath_prepend(here)
    point = EntryPoint("leaver", "a_module_that_leaves:make", "tournaments.players")
    offered = {"tournaments.players": [point]}
    monkeypatch.setattr(registry, "entry_points", lambda group: offered.get(group, []))
    assert main(["tournament", "dots-and-boxes", "leaver", "level-0"]) == 2
    assert "player 'leaver' of an installed package cannot be load" in capsys.readouterr().err


def test_whatever_else_ends_the_process_is_a_failure_and_named(monkeypatch, capsys):
    def maker(game):
        sys.exit()

    point = SimpleNamespace(name="leaver", load=lambda: maker, value="", dist=None)
    offered = {"tournaments.players": [point]}
    monkeypatch.setattr(registry, "entry_points", lambda group: offered.get(group, []))
    assert main(["tournament", "dots-and-boxes", "leaver", "level-0"]) == 1
    err = capsys.readouterr().err
    assert re.fullmatch(r"evo: maker in .*test_cli\.py, line \d+, called sys\.exit\(\).*\n", err)


# --- what is printed --------------------------------------------------------------------------


def json_rows(text: str) -> list[dict]:
    """Every line a JSON object."""
    rows = [json.loads(line) for line in text.splitlines()]
    assert rows
    assert all(isinstance(row, dict) for row in rows)
    return rows


EVALUATION_COLUMNS = arrow_schema("evaluations").names


def test_json_of_a_run_is_the_champion_against_each_opponent(here, capsys):
    assert main([*RUN, "--generations", "3", "--out", "run", "--json"]) == 0
    out, err = capsys.readouterr()
    rows = json_rows(out)
    assert [list(row) for row in rows] == [EVALUATION_COLUMNS] * 4
    assert [row["opponent"] for row in rows] == ["level-0", "level-1", "level-2", "optimal"]
    assert {row["generation"] for row in rows} == {3}
    assert "generation 3/3" in err
    assert main(["resume", "run", "--generations", "4", "--json"]) == 0
    assert {row["generation"] for row in json_rows(capsys.readouterr().out)} == {4}


def test_json_of_the_other_commands_is_rows_and_nothing_else(evolved, here, capsys):
    def rows(*arguments: object) -> list[dict]:
        assert main([*map(str, arguments), "--json"]) == 0
        return json_rows(capsys.readouterr().out)

    measured = rows("evaluate", evolved, "--opponents", "level-0", "--games", 20, "--best", 2)
    assert [list(row) for row in measured] == [EVALUATION_COLUMNS] * 2  # of the last snapshot
    measured = rows(
        "evaluate", evolved, "--opponents", "level-0", "--games", 20, "--best", 2, "--every", 1
    )
    assert [list(row) for row in measured] == [EVALUATION_COLUMNS] * 6
    assert [Path(row["file"]).suffix for row in rows("plot", evolved, "--out", "p")]
    met = rows("tournament", "dots-and-boxes", "level-0", "level-1", evolved, "--games", 10)
    assert [row["table"] for row in met] == ["pairs"] * 6 + ["ratings"] * 3
    assert {"player", "opponent", "win_rate_low", "win_rate_high"} <= met[0].keys()
    assert {"rank", "player", "rating", "rating_low", "rating_high"} <= met[-1].keys()
    assert [row["game"] for row in rows("games")] == games.names()
    listed = [row["player"] for row in rows("players", "dots-and-boxes")]
    assert {"level-0", "level-1", "level-2", "optimal", "box-completion-network"} <= set(listed)


def test_a_run_ends_with_a_table_and_what_to_do_next(here, capsys):
    assert main([*RUN, "--generations", "3", "--out", "runs/a b"]) == 0
    out, err = capsys.readouterr()
    assert "champion of generation 3 (individual" in out
    assert [line.split()[0] for line in out.splitlines()[3:8]] == [
        "opponent", "level-0", "level-1", "level-2", "optimal"
    ]  # fmt: skip
    assert "go on:        evo resume 'runs/a b' --generations 13" in out
    lines = out.partition("in pandas:\n")[2]
    names: dict = {}
    exec("\n".join(line.strip() for line in lines.splitlines()), names)
    assert len(names["generations"]) == 4
    assert len(names["population"]) == 8
    assert re.search(r"^generation 3/3  best .* games/s  .* left$", err, re.MULTILINE)


def test_plain_progress_goes_to_standard_error_line_by_line(here):
    done = evo_command(*RUN, "--generations", "3", "--out", "run", cwd=here)
    assert done.returncode == 0
    shown = [line for line in done.stderr.splitlines() if line.startswith("generation ")]
    numbers = r"best \S+  mean \S+  diversity \S+"
    assert re.match(rf"generation 0/3  {numbers}", shown[0])
    assert re.fullmatch(rf"generation 3/3  {numbers}  [\d,]+ games/s  .* left", shown[-1])
    assert "generation 0/3" not in done.stdout
    assert "\x1b" not in done.stderr + done.stdout


def test_a_terminal_shows_a_bar_with_generations_speed_and_time_left(begin, here):
    main_end, terminal = pty.openpty()
    ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 150, 0, 0))
    process = begin(
        [sys.executable, "-m", "evo", *RUN, "--generations", "30", "--out", "run"],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        cwd=here,
        env={**os.environ, "TERM": "xterm-256color"} | {"COLUMNS": "150"},
    )
    os.close(terminal)
    shown = b""
    while True:
        ready, _, _ = select.select([main_end], [], [], 600)
        assert ready, "nothing is shown"
        try:
            piece = os.read(main_end, 65536)
        except OSError:  # Linux: the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(main_end)
    assert process.wait() == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert re.search(r"generation ━+ 30/30  .* games/s  0 s left", text)
    assert "champion of generation 30" in text
    assert b"\x1b[" in shown  # drawn again in place


def test_the_default_folder_is_a_new_one_that_says_what_is_in_it(here, capsys):
    for _ in range(2):
        assert main([*RUN, "--generations", "1", "--json"]) == 0
    names = sorted(path.name for path in (here / "runs").iterdir())
    assert names == ["dots-and-boxes-round-robin-seed3", "dots-and-boxes-round-robin-seed3-2"]


# --- config, export, plot -------------------------------------------------------------------


def test_the_configuration_that_is_printed_is_taken_again(here, capsys):
    flags = ["--scheme", "direct", "--set", "scheme.opponent=level-2", "--population", "8"]
    flags += ["--game", "dots-and-boxes:rows=2,cols=3", "--generations", "2"]
    assert main(["config", *flags]) == 0
    text = capsys.readouterr().out
    (here / "my.toml").write_text(text)
    wanted = {
        "population": 8,
        "generations": 2,
        "game": {"name": "dots-and-boxes", "rows": 2, "cols": 3},
        "scheme": {"name": "direct", "opponent": "level-2"},
    }
    expected = configuration.from_dict(wanted).to_dict()
    assert configuration.from_dict(tomllib.loads(text)).to_dict() == expected
    assert main(["config", "my.toml"]) == 0
    assert capsys.readouterr().out == text
    assert main(["run", "my.toml", "--out", "run", "--json"]) == 0
    assert open_run("run").config == expected


def test_flags_change_what_a_file_says(here, capsys):
    (here / "my.toml").write_text('population = 20\nseed = 5\n[scheme]\nname = "direct"\n')
    flags = ["--seed", "6", "--set", "scheme.matches=2", "--set", "learner.elites=2"]
    assert main(["config", "my.toml", *flags]) == 0
    table = tomllib.loads(capsys.readouterr().out)
    assert (table["population"], table["seed"], table["learner"]["elites"]) == (20, 6, 2)
    assert (table["scheme"]["name"], table["scheme"]["matches"]) == ("direct", 2)


def test_every_field_of_the_printed_configuration_has_a_comment(capsys):
    assert main(["config"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for before, line in pairwise(lines):
        if " = " in line and not line.startswith(("#", "name", "rows", "cols")):
            assert before.startswith("# "), line


@pytest.mark.parametrize("ending", ["npy", "json"])
def test_exported_weights_play_as_the_champion_does(ending, evolved, here, capsys):
    file = f"champion.{ending}"
    assert main(["export", str(evolved), file]) == 0
    assert "465 weights" in capsys.readouterr().out
    by_file = evo.tournament("dots-and-boxes", [file, "level-0", "level-1"], games=600, seed=9)
    by_run = evo.tournament(
        "dots-and-boxes", [str(evolved), "level-0", "level-1"], games=600, seed=9
    )
    np.testing.assert_array_equal(by_file.wins, by_run.wins)
    np.testing.assert_array_equal(by_file.draws, by_run.draws)


def test_the_weights_of_an_earlier_champion_can_be_exported(evolved, here, capsys):
    assert main(["export", str(evolved), "first.npy", "--generation", "0"]) == 0
    run = open_run(evolved)
    expected = run.weights(0)[run.champion(0)["individual"]]
    np.testing.assert_array_equal(np.load("first.npy"), expected)


def test_plots_are_pictures(evolved, here, capsys):
    assert main(["plot", str(evolved), "--out", "pictures"]) == 0
    files = [Path(line) for line in capsys.readouterr().out.split() if line.startswith("pictures")]
    assert {file.name for file in files} == {
        f"{name}.{kind}"
        for name in ("fitness", "diversity", "win-rate", "win-rate-by-seat")
        for kind in ("png", "svg")
    }
    for file in files:
        beginning = file.read_bytes()[:200]
        assert beginning.startswith(b"\x89PNG") or b"<svg" in file.read_bytes()
