"""Each request record, told once: its flags, keywords, checks, help and documentation agree."""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING, dataclass
from functools import partial
from types import SimpleNamespace

import pytest
from declared import PAGE, STUB, calls, commands, page, parser_of, stub

import evo
from evo.cli.main import main
from evo.cli.options import command_of, flag_of, flags_of
from evo.execution import Execution
from evo.requests.base import Request, called_with, flag, keywords_of
from tournaments import registry
from tournaments.errors import ConfigError
from tournaments.options import kind_of

BEYOND = 10.0**12
FLAGS = [
    pytest.param(name, item, id=f"{name} {item.name}")
    for name, command in commands().items()
    for record, names in ((command.takes, None), (Execution, command.takes.execution))
    for item in flags_of(record, names)
]


def line_of(name: str) -> list[str]:
    """A command with the arguments and the flags that it needs."""
    line = [name]
    for item in flags_of(commands()[name].takes):
        if item.default is item.default_factory is MISSING:
            line += ["x"] if item.metadata.get("argument") else [flag_of(item), "x"]
    return line


def wrong_values(item) -> list[tuple[str, str]]:
    """Values that a field refuses, and what the answer says of each."""
    kind, of = kind_of(item), item.metadata
    values = []
    if kind in ("int", "float", "tuple[int", "tuple[float"):
        values.append(("x", "number"))
        if of["low"] > -BEYOND:
            values.append((f"{of['low'] - 1:g}", f"{of['low']:g}"))
        if of["high"] < BEYOND:
            values.append((f"{of['high'] + 2:.0f}", f"{of['high']:,}"))
    if "above" in of:
        values.append((f"{of['above']:g}", f"above {of['above']:g}"))
    if of.get("even"):
        values.append(("3", "an even number"))
    if kind == "float":
        values.append(("nan", "is expected"))
    if "known" in of:
        values.append((of["known"][0] + "x", f"did you mean '{of['known'][0]}'"))
    if kind in ("str", "Any") and of.get("nargs") is None:
        values.append(("", "or leave it out"))
    return values


@pytest.mark.parametrize(("name", "item"), FLAGS)
def test_a_wrong_value_is_told_in_a_line_with_the_flag_and_the_mend(name, item, capsys):
    takes_one = not item.metadata.get("argument")
    for value, mend in wrong_values(item) if takes_one else []:
        values = [value] * 2 if item.metadata.get("nargs") == 2 else [value]
        assert main([*line_of(name), flag_of(item), *values]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1), err
        assert err.startswith(f"evo: {flag_of(item)} "), err
        assert mend.replace(",", "") in err.replace(",", ""), (value, err)


@pytest.mark.parametrize("name", commands())
def test_a_flag_with_a_typo_is_answered_with_the_nearest(name, capsys):
    parser = parser_of(commands()[name])
    for word in parser._option_string_actions:
        if not word.startswith("--") or len(word) < 6:
            continue
        with pytest.raises(SystemExit) as ended:
            main([*line_of(name), f"{word[:4]}q{word[4:]}"])
        out, err = capsys.readouterr()
        assert (ended.value.code, out, err.count("\n")) == (2, "", 1)
        assert f"did you mean '{word}'" in err
        assert err.endswith(f"See evo {name} --help\n")


@pytest.mark.parametrize("name", commands())
def test_the_help_of_a_command_has_each_field(name, capsys):
    with pytest.raises(SystemExit):
        main([name, "--help"])
    out = " ".join(capsys.readouterr().out.split())
    record = commands()[name].takes
    for item in [*flags_of(record), *flags_of(Execution, record.execution)]:
        is_told = re.search(rf"{re.escape(flag_of(item))}(?![a-z-])", out) is not None
        assert is_told != bool(item.metadata.get("hidden"))


@pytest.mark.parametrize("name", calls())
def test_a_call_of_python_takes_the_fields_by_name_and_refuses_others(name):
    call = calls()[name]
    parameters = inspect.signature(call).parameters
    assert [*keywords_of(call.request)] == [*parameters][: len(keywords_of(call.request))]
    required = {
        key: "x" for key, item in keywords_of(call.request).items() if item.default is MISSING
    }
    mend = "" if call.request.rest else "; did you mean 'threads'"
    with pytest.raises(ConfigError, match=f"unknown field 'thread'{mend}"):
        call(**required, thread=1)
    with pytest.raises(ConfigError, match="threads=0 given; 1 or more is expected"):
        call(**required, threads=0)
    with pytest.raises(ConfigError, match=f"no {next(iter(required))} given; it is expected"):
        call()
    with pytest.raises(TypeError, match="each once"):
        call("x", **required)
    assert all(f"    {key}: " in call.__doc__ for key in keywords_of(call.request))


def test_an_unknown_field_of_a_run_is_one_of_its_configuration(tmp_path):
    with pytest.raises(ConfigError, match="unknown field 'populaton'; did you mean 'population'"):
        evo.run(tmp_path / "run", populaton=3)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"actors": 2}, "actors=2 given without Ray; add --ray"),
        ({"check": 2}, "check=2 given without Ray"),
        ({"patience": 2.0}, "patience=2.0 given without Ray"),
        ({"ray": "", "threads": 2}, "threads=2 given with Ray"),
    ],
)
def test_threads_and_ray_do_not_go_together(fields, words):
    with pytest.raises(ConfigError, match=words):
        evo.tournament("nim", ["random", "optimal"], **fields)


def test_the_stub_for_editors_and_the_page_of_commands_are_current():
    """``python -m tests.declared`` writes them."""
    assert STUB.read_text() == stub()
    assert PAGE.read_text() == page()


# --- a new option is declared in one place ------------------------------------------------------


@dataclass(frozen=True)
class GreetRequest(Request):
    """A greeting, with an option that nothing else names.

    Attributes:
        name: who is greeted
        times: how often that is said
    """

    name: str = flag("world")
    times: int = flag(1, low=1, high=9)


@called_with(GreetRequest)
def greet(request: GreetRequest, execution: Execution) -> str:
    """Return a greeting."""
    return " ".join(["hello", *[request.name] * request.times])


@pytest.fixture
def greeting(monkeypatch):
    def act(request, execution):
        print(greet(request, execution))
        return 0

    command = command_of(GreetRequest, act)
    point = SimpleNamespace(name="greet", load=lambda: command, value="", dist=None)
    offered = {"evo.commands": [point]}
    monkeypatch.setattr(registry, "entry_points", lambda group: offered.get(group, []))
    monkeypatch.setattr("declared.commands", partial(dict, greet=command))


def test_an_option_is_declared_in_one_place(greeting, capsys):
    assert main(["greet", "--times", "2"]) == 0
    assert capsys.readouterr().out == "hello world world\n"
    assert main(["greet", "--times", "10"]) == 2
    assert capsys.readouterr().err == "evo: --times 10 given; a value from 1 to 9 is expected\n"
    with pytest.raises(SystemExit):
        main(["greet", "--help"])
    assert "how often that is said (default: 1)" in " ".join(capsys.readouterr().out.split())
    assert greet("you", 2) == greet(GreetRequest("you", 2), Execution()) == "hello you you"
    with pytest.raises(ConfigError, match="times=0 given; a value from 1 to 9"):
        greet(times=0)
    assert "times: how often that is said (default: 1)." in greet.__doc__
    assert "| `--times` | integer from 1 | how often that is said (default: 1) |" in page()
