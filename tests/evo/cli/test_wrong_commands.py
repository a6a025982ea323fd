"""Wrong command lines, generated from the request records: each gets one line with the mend."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import MISSING, Field
from pathlib import Path
from typing import Any

import pytest

from evo.cli.main import COMMANDS, main
from evo.cli.options import Command, flag_of, flags_of
from evo.execution import Execution
from tournaments.options import kind_of

COMMANDS_WITH_A_RECORD = {
    name: command
    for name, command in ((name, COMMANDS.load(name)) for name in COMMANDS.own())
    if command.record is not None
}
KEPT_RUN = Path(__file__).parents[2] / "data" / "kept-runs" / "networks"
NUMBERS = {"int", "float", "tuple[int", "tuple[float"}


def items_of(command: Command) -> list[Field[Any]]:
    """Return the fields that a command takes on the command line."""
    items = [*flags_of(command.record), *flags_of(Execution, command.record.execution)]
    return [item for item in items if not item.metadata.get("hidden")]


def start_of(name: str) -> list[str]:
    """Return a command line with all that the command requires."""
    line = [name]
    for item in items_of(COMMANDS_WITH_A_RECORD[name]):
        if item.metadata.get("argument") and item.metadata.get("nargs") != "?":
            line.append("nowhere")
        elif item.default is item.default_factory is MISSING:
            line += [flag_of(item), "nowhere"]
    return line


def flags() -> Iterator[tuple[str, Field[Any]]]:
    """Yield each flag of each command, with the command's name."""
    for name, command in COMMANDS_WITH_A_RECORD.items():
        for item in items_of(command):
            if not item.metadata.get("argument"):
                yield name, item


def with_value(name: str, item: Field[Any], value: str) -> list[str]:
    """Return a command line that gives a flag this value, as often as the flag takes one."""
    count = item.metadata.get("nargs")
    return [*start_of(name), flag_of(item), *[value] * (count if isinstance(count, int) else 1)]


def refusal(line: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the only line that a wrong command line prints."""
    try:
        status = main(line)
    except SystemExit as ended:
        status = ended.code
    printed = capsys.readouterr()
    assert (status, printed.out) == (2, ""), line
    *progress, message = printed.err.splitlines()
    progress = [each for each in progress if not each.startswith("compiling kernels")]
    assert not progress or line[0] == "check-game"  # which names what it checks
    assert message.startswith("evo: ")
    return message


def named(cases: Iterator[tuple[str, Field[Any]]]) -> list[Any]:
    return [pytest.param(name, item, id=f"{name}{flag_of(item)}") for name, item in cases]


@pytest.mark.parametrize("name", COMMANDS.own())
def test_a_mistyped_command_gets_the_nearest_one(name, capsys):
    assert f"did you mean {name!r}?" in refusal([name[:-1] + "x" + name[-1]], capsys)


@pytest.mark.parametrize(("name", "item"), named(flags()))
def test_a_mistyped_flag_gets_the_nearest_one(name, item, capsys):
    flag = flag_of(item)
    wrong = flag[:-1] + "x" + flag[-1]
    message = refusal([*start_of(name), wrong], capsys)
    assert wrong in message
    assert f"did you mean {flag!r}?" in message


@pytest.mark.parametrize(
    ("name", "item"), named(each for each in flags() if kind_of(each[1]) in NUMBERS)
)
def test_a_word_in_place_of_a_number_is_refused(name, item, capsys):
    message = refusal(with_value(name, item, "many"), capsys)
    assert flag_of(item) in message
    assert "many" in message
    assert "expected" in message or "must be" in message


@pytest.mark.parametrize(
    ("name", "item"),
    named(
        each
        for each in flags()
        if kind_of(each[1]) in ("int", "float") and each[1].metadata.get("low", -1e300) > -1e300
    ),
)
def test_a_number_below_the_range_is_refused(name, item, capsys):
    low = item.metadata["low"]
    message = refusal(with_value(name, item, f"{int(low) - 1}"), capsys)
    assert flag_of(item) in message
    assert f"{low:,g}" in message or f"{low:g}" in message


@pytest.mark.parametrize(
    ("name", "item"), named(each for each in flags() if "known" in each[1].metadata)
)
def test_an_unknown_choice_is_refused_with_the_known_ones(name, item, capsys):
    message = refusal(with_value(name, item, "nowhere"), capsys)
    assert flag_of(item) in message
    assert all(str(choice) in message for choice in item.metadata["known"])


# --- arguments that name a file or a folder -------------------------------------------------------

A_RUN = ["missing", "foreign", "notes.txt", "damaged"]
A_TOML_FILE = ["missing.toml", "notes.txt", "damaged.toml"]
A_PLAYER = ["./missing", "./missing.npy", "damaged.npy", "damaged.json", "./damaged"]
LINES = {
    "analyse {}": A_RUN,
    "analyse good --against {}": A_PLAYER,
    "best-response {}": A_RUN,
    "check genome {}": ["./missing.py", "./damaged.py"],
    "check-bot {} --game nim": ["./missing.py", "./notes.txt"],
    "check-game {}": ["./missing.py", "./damaged.py"],
    "compact {}": A_RUN,
    "compare {} random --game nim": A_PLAYER,
    "compare random {} --game nim": A_PLAYER,
    "config {}": A_TOML_FILE,
    "evaluate {}": A_RUN,
    "evaluate good --opponents {}": A_PLAYER,
    "export {} x.npy": A_RUN,
    "league {} --game nim": ["missing", "notes.txt"],  # it lists damaged submissions
    "play nim {}": A_PLAYER,
    "play {}": ["./missing", "./notes.txt", "./damaged"],
    "players {}": ["./missing.py", "./damaged.py"],
    "plot {}": A_RUN,
    "report {}": ["missing", "foreign", "notes.txt"],  # it shows damaged runs
    "resume {}": A_RUN,
    "run {}": A_TOML_FILE,
    "status {}": ["missing", "foreign", "notes.txt"],  # it shows damaged runs
    "serve {}": ["missing", "notes.txt"],
    "sweep {}": A_TOML_FILE,
    "tournament nim {} random": A_PLAYER,
    "verify {}": ["missing", "foreign", "notes.txt"],  # it reports damaged runs
    "watch good --opponent {}": A_PLAYER,
    "watch {}": ["./missing", "./notes.txt", "./damaged"],
}
WITHOUT_FILES = {"doctor", "games", "new", "reproduce"}


def test_every_command_is_in_the_table_of_files():
    assert {line.split()[0] for line in LINES} | WITHOUT_FILES == set(COMMANDS.own())


@pytest.mark.parametrize(
    ("line", "file"), [(line, file) for line, files in LINES.items() for file in files]
)
def test_a_missing_foreign_or_damaged_file_is_named(line, file, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("good", "damaged"):
        shutil.copytree(KEPT_RUN, name)
    Path("damaged/run.json").write_text('{"version": ')
    Path("foreign").mkdir()
    for path in ("notes.txt", "foreign/notes.txt"):
        Path(path).write_text("a text\n")
    Path("damaged.toml").write_text("seed = \n")
    Path("damaged.npy").write_bytes(b"\x93NUMPY\x01\x00v\x00")
    Path("damaged.json").write_text('{"layers": [')
    Path("damaged.py").write_text("def start(:\n")
    message = refusal(line.format(file).split(), capsys)
    assert file.removeprefix("./") in message
    assert len(message) < 500


@pytest.mark.parametrize(
    ("text", "flags", "start"),
    [
        ("seed = -3\n", "", "evo: wrong.toml, line 1: seed=-3 given"),
        ("[learner]\n\nmutation_probability = 7\n", "", "evo: wrong.toml, line 3: learner.mut"),
        ("[learner]\nelitse = 1\n", "", "evo: wrong.toml, line 2: unknown field 'learner.elitse'"),
        ("population = 40\n", "--population -5", "evo: population=-5 given"),
    ],
)
def test_a_wrong_field_of_a_file_is_named_with_its_line(
    text, flags, start, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    Path("wrong.toml").write_text(text)
    for command in ("run", "config"):
        assert refusal([command, "wrong.toml", *flags.split()], capsys).startswith(start)
