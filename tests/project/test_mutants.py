"""The list of mutants fits the sources and the tests as they are; it is run by hand."""

from __future__ import annotations

import subprocess

import pytest

from benchmarks import mutants
from benchmarks.mutants import ROOT, Mutant, MutantError, load_mutants

SUBJECTS = {
    *("scoring", "seeds", "ties", "checksums", "fsync", "scaling", "intervals", "exact", "roles"),
    *("schedules", "resume", "kernel-cache", "ratings", "cross-table", "variation", "tables"),
    *("network", "pairings", "evaluation", "sweep", "config", "person", "drawing"),
    *("solver", "search", "rewards", "games", "two-networks", "secrets", "pool", "bots"),
    "files-by-path",
    "authors",
    "faults",
}


@pytest.mark.parametrize("mutant", load_mutants(), ids=lambda mutant: mutant.name)
def test_each_mutant_changes_one_place_and_stays_python(mutant):
    file, text = mutant.applied(ROOT)
    assert text != file.read_text(encoding="utf-8")
    compile(text, str(file), "exec")
    tests = [name for name in mutant.tests if name.endswith(".py")]
    assert tests
    assert all((ROOT / name).is_file() for name in tests)


def test_every_subject_has_mutants_of_different_names():
    listed = load_mutants()
    assert {mutant.subject for mutant in listed} == SUBJECTS
    assert len({mutant.name for mutant in listed}) == len(listed) >= 169


@pytest.mark.parametrize("content", ["nothing", "twice twice"])
def test_a_mutant_whose_text_is_not_there_once_is_refused(tmp_path, content):
    (tmp_path / "rules.py").write_text(content)
    for source in ("rules.py", "."):
        mutant = Mutant("name", "subject", source, "twice", "once", ())
        with pytest.raises(MutantError, match=r"stands [02] times in .*; once is expected"):
            mutant.applied(tmp_path)


def test_a_mutant_may_stand_in_any_file_of_a_folder(tmp_path):
    (tmp_path / "game").mkdir()
    (tmp_path / "game/rules.py").write_text("a < b")
    (tmp_path / "game/text.py").write_text("text")
    mutant = Mutant("name", "subject", "game", "<", "<=", ())
    assert mutant.applied(tmp_path) == (tmp_path / "game/rules.py", "a <= b")


def test_a_source_or_a_name_that_is_not_listed_is_refused(tmp_path):
    listed = tmp_path / "mutants.toml"
    listed.write_text('[sources]\n[tests]\n[mutants.ties]\nname = ["rng", "a", "b", "rng"]\n')
    with pytest.raises(MutantError, match="'rng' stands neither under"):
        load_mutants(listed)
    with pytest.raises(MutantError, match="'no-mutant' given; the name of a mutant"):
        mutants.mutants_named(["no-mutant"])


def test_only_what_no_test_finds_survives(tmp_path, monkeypatch, capsys):
    (tmp_path / "package").mkdir()
    (tmp_path / "package/__init__.py").write_text(
        '"""A comment."""\n\n\ndef half(x):\n    return x / 2\n'
    )
    (tmp_path / "test_half.py").write_text(
        "from package import half\n\n\ndef test_half():\n    assert half(3) == 1.5\n"
    )
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    listed = tmp_path / "mutants.toml"
    rows = {
        "found": ["half", "x / 2", "x // 2", "half"],
        "not-found": ["half", "A comment", "Another", "half"],
        "endless": ["half", "return x / 2", "while True: pass", "half"],
        "not-there": ["half", "x / 3", "x / 2", "half"],
        "not-run": ["half", "x / 2", "x // 2", "half -k nothing"],
    }
    text = "".join(f"{name} = {row}\n" for name, row in rows.items())
    listed.write_text(
        '[sources]\nhalf = "package"\n[tests]\nhalf = "test_half.py"\n[mutants.halves]\n' + text
    )
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # which take longer than the tests
    monkeypatch.setattr(mutants, "PYTEST", ("-m", "pytest", "-x", "-p", "no:cacheprovider"))
    monkeypatch.setattr(mutants, "ROOT", tmp_path)
    monkeypatch.setattr(mutants, "load_mutants", lambda: load_mutants(listed))
    assert mutants.main(["--limit", "0.01", "--only", "endless"]) == 0
    assert mutants.main(["--only", "found"]) == 0
    assert mutants.main(["--only", "not-found", "not-there", "not-run"]) == 1
    assert mutants.main(["--unmutated", "--only", "not-run"]) == 1
    lines = capsys.readouterr().out.splitlines()
    verdicts = [line.split(None, 2)[2] for line in lines if " halves " in line]
    assert [verdict.rpartition(" ")[0].strip() for verdict in verdicts] == [
        *("killed (time limit)", "killed", "SURVIVED", "DOES NOT APPLY", "TESTS DO NOT RUN"),
        "RED WITHOUT IT",
    ]
    assert (tmp_path / "package/__init__.py").read_text().endswith("return x / 2\n")
