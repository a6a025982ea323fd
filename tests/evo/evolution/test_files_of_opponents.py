"""Programs and weights that are fixed opponents: a run goes on against their content alone."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

import evo
from evo.cli.main import main
from evo.config.config import from_dict
from evo.evolution.runs import versions_of
from results import open_run
from tournaments import games, players

BOT = """while read -r line; do case "$line" in *'"legal":['*)
    rest=${line#*'"legal":['}
    echo "{\\"action\\": ${rest%%[],]*}}";; esac
done
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bot.sh").write_text(BOT)


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("bot.sh", ("bot.sh",)),
        ("./bot.sh:seconds=2", ("./bot.sh",)),
        ("bot:cmd=sh ./bot.sh --deep,per=tournament", ("./bot.sh",)),
        ("network:weights=a.npy,hidden=4", ("a.npy",)),
        ("a.npy", ("a.npy",)),
        ("level-1", ()),
    ],
)
def test_a_name_says_which_files_hold_a_player(name, files):
    assert players.files_of(name, games.parse("dots-and-boxes:rows=1,cols=1")) == files


def test_their_digests_are_what_results_depend_on():
    scheme = {"name": "direct", "opponents": ["./bot.sh", "random"]}
    config = from_dict({"scheme": scheme, "game": "nim:heaps=1-2"})
    digest = hashlib.sha256(BOT.encode()).hexdigest()
    assert versions_of(config)["./bot.sh"] == f"sha256:{digest}"


@pytest.mark.slow
def test_a_run_goes_on_against_the_program_that_it_began_with(capsys):
    evo.run(
        "run",
        {"scheme": {"name": "direct", "opponents": ["./bot.sh", "random"], "matches": 1}},
        game="nim:heaps=1-2",
        population=2,
        generations=0,
        threads=1,
    )
    digest = hashlib.sha256(BOT.encode()).hexdigest()
    assert open_run("run").info["versions"]["./bot.sh"] == f"sha256:{digest}"
    Path("bot.sh").write_text(f"{BOT}# other\n")
    resume = ["resume", "run", "--generations", "1", "--threads", "1", "--trust"]
    assert main(resume) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"run was made with ./bot.sh of sha256:{digest[:12]}..., which is now of sha256:" in line
    assert line.endswith("evo run ... --set start=run")
    Path("bot.sh").write_text(BOT)
    assert main(resume[:-1]) == 2
    assert "add --trust" in capsys.readouterr().err
    assert main(resume) == 0
