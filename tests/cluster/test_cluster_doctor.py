"""What the doctor says of this machine."""

from __future__ import annotations

import json

from cluster import doctor
from evo.cli.main import main


def test_a_machine_on_which_all_agree(capsys):
    assert main(["doctor", "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    finding = json.loads(line)
    assert finding["mend"] == ""
    assert finding["bytes"] == doctor.played(doctor.sample(), 1)[0]
    assert main(["doctor"]) == 0
    assert capsys.readouterr().out.endswith("all agree: the same versions, the same bytes\n")


def test_threads_that_differ_are_named(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "available_threads", lambda: 7)
    monkeypatch.setattr(doctor, "played", lambda request, threads: (f"by {threads}", 1.0))
    assert main(["doctor"]) == 1
    captured = capsys.readouterr()
    assert "evo: this process: 7 threads give other outcomes than one" in captured.err
    assert "all agree" not in captured.out


def test_a_cache_that_cannot_be_written_is_named(monkeypatch, capsys, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("EVO_CACHE_DIR", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(doctor, "played", lambda request, threads: ("same", 1.0))
    assert main(["doctor"]) == 1
    assert "cannot be written (Not a directory); set EVO_CACHE_DIR" in capsys.readouterr().err
