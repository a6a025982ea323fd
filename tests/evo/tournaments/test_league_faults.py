"""Games of a league that were lost by faults: who, why, and the games again."""

from __future__ import annotations

from pathlib import Path

import pytest

import evo
from evo.cli.main import main
from results import open_tournament

GAME = "nim:heaps=1-2"
BOT = """while read -r line; do case "$line" in
*'"type":"game"'*) seed=${line##*:}; seed=${seed%\\}};;
*'"legal":['*) rest=${line#*'"legal":['}; action=${rest%%[],]*}
    [ $((seed % 3)) = 1 ] && action=-1
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
    table = evo.league("bots", GAME, 12, threads=1)
    by_file = {row["submission"]: row for row in table.rows()}
    faults = open_tournament(table.folder).faults
    assert by_file["sound.sh"]["forfeits"] == 0
    assert by_file["faulty.sh"]["forfeits"] == len(faults) > 1
    assert by_file["faulty.sh"]["causes"] == f"illegal {len(faults)}"
    assert faults.loc[by_file["faulty.sh"]["fault"], "player"].startswith("faulty.sh@")
    page = (table.folder / "index.html").read_text()
    assert "<h2>Games lost by faults</h2>" in page
    assert f"evo watch {table.folder} --fault NUMBER --trust" in page
    assert "chose -1, which is illegal" in page

    watch = ["watch", str(table.folder), "--fault", "1", "--plain"]
    assert main(watch) == 2
    assert "names the program" in capsys.readouterr().err
    assert main([*watch, "--trust"]) == 0
    assert "faulty.sh chose -1, which is illegal" in capsys.readouterr().out
    (folder / "faulty.sh").write_text(BOT.replace("% 3", "% 5"))
    assert main([*watch, "--trust"]) == 2
    assert "put back what it was to watch that" in capsys.readouterr().err
