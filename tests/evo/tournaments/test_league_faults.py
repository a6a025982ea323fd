"""Games of a league that were lost by faults: who, why, and the games again."""

from __future__ import annotations

from pathlib import Path

import pytest
from html_pages import sections_in

import evo
from evo.cli.main import main
from evo.tournaments import submissions as module
from results import open_tournament
from tournaments.errors import ConfigError

GAME = "nim:heaps=1-2"
BOT = """while read -r line; do case "$line" in
*'"type":"game"'*) seed=${line##*:}; seed=${seed%\\}};;
*'"legal":['*) rest=${line#*'"legal":['}; action=${rest%%[],]*}
    [ $((seed % 3)) = 2 ] && action=-1
    echo "{\\"action\\": $action}";;
esac; done
"""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Two programs that play alike; one of them makes illegal moves in every third game or so."""
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "sound.sh").write_text(BOT.replace("seed % 3", "0"))
    (tmp_path / "bots" / "faulty.sh").write_text(BOT)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "bots"


def test_the_page_says_who_lost_games_by_faults_and_they_are_played_again(folder, capsys):
    table = evo.league("bots", GAME, 12, threads=1, seed=1)
    by_file = {row["submission"]: row for row in table.rows()}
    faults = open_tournament(table.folder).faults
    assert by_file["sound.sh"]["forfeits"] == 0
    assert by_file["faulty.sh"]["forfeits"] == len(faults) > 1
    assert by_file["faulty.sh"]["causes"] == f"illegal {len(faults)}"
    assert faults.loc[by_file["faulty.sh"]["fault"], "player"].startswith("faulty.sh@")
    page = (table.folder / "index.html").read_text()
    assert "Games lost by faults" in sections_in(table.folder / "index.html")
    assert "evo watch bots-league --fault NUMBER --trust" in page
    assert "chose -1, which is illegal" in page
    assert str(folder.parent) not in page
    evo.league("bots", GAME, 12, threads=1, show_errors=True)
    page = (table.folder / "index.html").read_text()
    assert f"evo watch {table.folder} --fault NUMBER --trust" in page

    watch = ["watch", str(table.folder), "--fault", "1", "--plain"]
    assert main(watch) == 2
    assert "names the program" in capsys.readouterr().err
    assert main([*watch, "--trust"]) == 0
    assert "faulty.sh chose -1, which is illegal" in capsys.readouterr().out
    (folder / "faulty.sh").rename(folder / "renamed.sh")
    assert main([*watch, "--trust"]) == 0
    assert "renamed.sh chose -1" in capsys.readouterr().out
    (folder / "renamed.sh").rename(folder / "faulty.sh")
    (folder / "faulty.sh").write_text(BOT.replace("% 3", "% 5"))
    assert main([*watch, "--trust"]) == 2
    assert "put the old file back to watch the game" in capsys.readouterr().err


@pytest.mark.slow
def test_a_fault_against_a_bot_of_the_staff_is_played_again(folder, capsys):
    (folder.parent / "staff").mkdir()
    (folder / "faulty.sh").rename(folder.parent / "staff" / "faulty.sh")
    (folder.parent / "staff" / "same.py").write_text(
        "def first(state, rng):\n    return state.legal_actions()[0]\n"
    )
    (folder.parent / "staff" / "players.txt").write_text("same.py:first")
    (folder / "crashing.sh").write_text(f"{BOT}\n# a submission")
    table = evo.league("bots", GAME, 12, threads=1, seed=1, staff="staff")
    faults = open_tournament(table.folder).faults
    opponents = faults["opponent"].str.partition("@")[0].tolist()
    assert set(faults["player"].str.partition("@")[0]) == {"faulty.sh", "crashing.sh"}
    for number in (opponents.index("same.py:first"), opponents.index("faulty.sh")):
        watch = ["watch", "bots-league", "--fault", str(number), "--plain", "--trust"]
        assert main(watch) == 0
        assert "crashing.sh chose -1, which is illegal" in capsys.readouterr().out


PYTHON = """
import os
import league_help

def sound(state, rng):
    return league_help.first(state)

class Last:
    def __init__(self, back=1):
        self.back = back

    def choose(self, state, rng):
        return state.legal_actions()[-self.back]

def broken(state, rng):
    raise OSError("no network")

def ends(state, rng):
    os._exit(3)
"""


@pytest.fixture
def several(folder) -> Path:
    """A folder with players in a Python file, and a file that this one imports."""
    (folder / "several.py").write_text(PYTHON)
    (folder / "league_help.py").write_text(
        "def first(state):\n    return state.legal_actions()[0]\n"
    )
    (folder / "faulty.sh").unlink()
    return folder


def listed(folder, *names) -> None:
    (folder / "players.txt").write_text("# a line each\n" + "".join(f"{name}\n" for name in names))


def test_players_in_python_files_are_named_by_a_list(several, monkeypatch):
    tried = []
    monkeypatch.setattr(module, "tried", lambda trial, seconds: tried.append(trial.a))
    listed(several, "several.py:sound", "several.py:Last:back=1  # of two", "several.py:missing")
    table = evo.league("bots", GAME, 4, threads=1, seconds=60)
    rows = {row["submission"]: row for row in table.rows()}
    states = {name: row["state"] for name, row in rows.items()}
    assert states == {
        "sound.sh": "plays",
        "several.py:sound": "plays",
        "several.py:Last:back=1": "plays",
        "several.py:missing": "broken",
    }
    assert "has no missing" in rows["several.py:missing"]["why"]
    assert [player.limit_seconds for player in tried] == [60, 60]
    assert evo.league("bots", GAME, 4, threads=1).games == 0
    (several / "league_help.py").write_text("def first(state):\n    return state.array[9]\n")
    changed = {row["submission"]: row["why"] for row in evo.league("bots", GAME, 4).rows()}
    assert "IndexError" in changed["several.py:sound"]


def test_a_threshold_of_a_file_that_is_no_bot_is_refused(several):
    Path("staff").mkdir()
    Path("staff/README.md").write_text("no bot")
    Path("staff/thresholds.toml").write_text('"README.md" = 0.5')
    with pytest.raises(ConfigError, match=r"README.md given, which is no bot; one of none"):
        evo.league("bots", GAME, 4, threads=1, staff="staff")


def test_a_broken_python_player_is_not_run_again(several):
    (several / "several.py").write_text("open('tried', 'a').write('x')\nraise OSError(2, '/a b/c')")
    listed(several, "several.py:sound")
    for again, tries in ((False, 2), (False, 2), (True, 3)):  # a content in a process once, too
        table = evo.league("bots", GAME, 4, threads=1, again=again)
        assert len(Path("tried").read_text()) == tries
        assert (
            "/a b/c" in {row["submission"]: row for row in table.rows()}["several.py:sound"]["why"]
        )
        assert "/a b/c" not in (table.folder / "index.html").read_text()
    (several / "several.py").write_text(PYTHON)
    rows = evo.league("bots", GAME, 4, threads=1).rows()
    assert {row["submission"]: row["state"] for row in rows}["several.py:sound"] == "plays"


ERROR_OUTPUT = "#!/bin/sh\necho a secret of /srv/bob >&2\nexit 3\n"


def test_error_output_is_on_the_page_only_if_asked_for(folder):
    (folder / "exits.sh").write_text(ERROR_OUTPUT)
    for show_errors in (False, True, False):
        table = evo.league("bots", GAME, 4, threads=1, show_errors=show_errors)
        assert "a secret of /srv/bob" in repr(table.rows())
        for file in ("index.html", "league.csv"):
            text = (table.folder / file).read_text()
            assert ("a secret" in text) is show_errors
            assert "ended with status 3" in text


@pytest.mark.slow
def test_an_import_that_never_ends_is_a_broken_submission(several):
    (several / "several.py").write_text("while True:\n    pass\n")
    listed(several, "several.py:sound")
    rows = evo.league("bots", GAME, 4, threads=1, seconds=1).rows()
    row = {row["submission"]: row for row in rows}["several.py:sound"]
    assert row["state"] == "broken"
    assert "did not end within 11 seconds" in row["why"]


@pytest.mark.slow
def test_a_python_player_is_looked_at_in_a_process_of_its_own(several):
    listed(several, "several.py:ends", "several.py:broken", "several.py:sound")
    rows = evo.league("bots", GAME, 2, threads=1, seconds=60).rows()
    why = {row["submission"]: row["why"] for row in rows}
    assert why["several.py:ends"] == "it ended its process with status 3"
    assert why["several.py:broken"].startswith("it raised OSError: no network")
    assert why["several.py:sound"] == ""


@pytest.mark.parametrize("line", ["several.py", "../several.py:sound", "random", "a/b.py:sound"])
def test_a_list_that_names_no_player_of_the_folder_is_refused(several, line, capsys):
    listed(several, line)
    assert main(["league", "bots", "--game", GAME]) == 2
    expected = f"{line!r} given; FILE.py:NAME is expected, a player in a file of that folder"
    assert expected in capsys.readouterr().err
    assert not Path("bots-league/pairs").exists()
