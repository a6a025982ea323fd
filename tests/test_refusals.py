"""What is refused before it does harm: broken packages, other versions, lost rows, operators."""

from __future__ import annotations

import importlib.metadata
import pathlib
from types import SimpleNamespace

import pytest
from results_data import go_on, written_run

from cluster import ClusterError
from cluster import ray_matches as ray_pool
from evo.config.config import from_dict
from evo.errors import ConfigError
from results import ResultsError, RunWriter
from tournaments import TournamentError, games, players

GAME = games.make("dots-and-boxes", rows=1, cols=1)


def offers(monkeypatch, module, name: str, value: str) -> None:
    """Have an installed package offer something under the group of a module."""
    point = importlib.metadata.EntryPoint(name, value, module.GROUP)
    monkeypatch.setattr(module, "entry_points", lambda group: [point])


def test_a_game_that_cannot_be_imported_is_named_and_hides_no_other(monkeypatch, capsys):
    from evo.cli.main import main

    offers(monkeypatch, games, "broken", "no_such_module:RULES")
    with pytest.raises(TournamentError, match=r"'broken' of .* cannot be loaded from no_such_modu"):
        games.make("broken")
    assert main(["games"]) == 0
    out = capsys.readouterr().out
    assert "dots-and-boxes" in out
    assert "cannot be loaded" in out


def test_a_package_must_offer_rules_and_players(monkeypatch):
    offers(monkeypatch, games, "odd", "pathlib:Path")
    with pytest.raises(TournamentError, match="Rules is expected"):
        games.make("odd")
    offers(monkeypatch, players, "odd", "builtins:repr")
    with pytest.raises(TournamentError, match="makes a str; an object with a name and choose"):
        players.make("odd", GAME)


def test_options_of_a_players_package_are_checked_by_its_own_signature(monkeypatch):
    def maker(game, depth=2):
        return SimpleNamespace(name=f"depth {depth}", choose=lambda state, rng: 0)

    point = SimpleNamespace(name="mine", load=lambda: maker, value="", dist=None)
    monkeypatch.setattr(players, "entry_points", lambda group: [point])
    assert players.make("mine:depth=3", GAME).name == "depth 3"
    with pytest.raises(TournamentError, match=r"did you mean 'depth'.*options: depth"):
        players.make("mine:dept=3", GAME)


def test_a_worker_with_other_versions_is_refused(monkeypatch):
    actor = SimpleNamespace(starting="answer", handle=None)
    ray = SimpleNamespace(
        get=lambda answer: "python 3.0, numpy 0", exceptions=SimpleNamespace(RayError=OSError)
    )
    pool = ray_pool._Pool.__new__(ray_pool._Pool)
    pool.ray, pool.actors, pool._failed_starts = ray, [actor], 0
    with pytest.raises(ClusterError, match=r"plays with python 3\.0, numpy 0, this process with"):
        pool.greet("answer")
    ray.get = lambda answer: ray_pool.fingerprint()
    pool.greet("answer")
    assert actor.starting is None


def test_a_run_falls_back_to_where_its_rows_are_whole(tmp_path):
    path = written_run(tmp_path / "run", until=6, interval=2)
    before = {file.name: file.read_bytes() for file in (path / "snapshots").iterdir()}
    part = sorted((path / "generations").iterdir())[2]
    part.write_bytes(part.read_bytes()[:100])
    with RunWriter.open(path) as writer:
        assert writer.last.generation == 2
        assert "row of generation 3" in writer.damaged[0]
        go_on(writer, 6)
    assert {file.name: file.read_bytes() for file in (path / "snapshots").iterdir()} == before
    with RunWriter.open(path) as writer:
        assert (writer.last.generation, writer.damaged) == (6, [])


def test_a_snapshot_that_may_not_be_read_is_not_replaced(tmp_path, monkeypatch):
    path = written_run(tmp_path / "run", until=6, interval=2)
    before = sorted(file.name for file in (path / "snapshots").iterdir())
    opened = pathlib.Path.open

    def refusing(self, *arguments, **options):
        if self.name == "generation-000002.parquet":
            raise PermissionError(13, "denied")
        return opened(self, *arguments, **options)

    monkeypatch.setattr(pathlib.Path, "open", refusing)
    with pytest.raises(ResultsError, match="permission denied"):
        RunWriter.open(path)
    assert sorted(file.name for file in (path / "snapshots").iterdir()) == before


@pytest.mark.parametrize(
    ("field", "value"),
    [("mutation", "os.path.basename"), ("crossover", "operator.add"), ("selection", "heapq.merge")],
)
def test_an_operator_that_does_not_work_is_refused_with_the_configuration(field, value):
    with pytest.raises(ConfigError, match=f"learner.{field}="):
        from_dict({"learner": {field: value}})


def test_what_cannot_fit_in_memory_is_refused():
    with pytest.raises(ConfigError, match=r"12,499,997,500,000 matches a generation"):
        from_dict({"scheme": "round-robin", "population": 5_000_000})
    with pytest.raises(ConfigError, match="genes in the population"):
        from_dict({"game": "dots-and-boxes:rows=60,cols=60"})
