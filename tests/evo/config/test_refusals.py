"""What is refused before it does harm: broken packages, other versions, lost rows, operators."""

from __future__ import annotations

import importlib.metadata
import pathlib
from types import ModuleType, SimpleNamespace

import pytest
from results_data import as_made_with, go_on, written_run

import evo
from evo.cli.main import main
from evo.config.config import from_dict, of_run
from evo.evolution.start import learner_of
from evo.learners.genetic import learner as genetic
from evo.learners.genetic import operators
from evo.sweeps.experiment import from_dict as experiment_of
from evo.sweeps.sweep import sweep
from results import ResultsError, RunWriter, open_run
from results.format import metadata
from results.storage.local import LocalStorage
from tournaments import TournamentError, games, players, registry
from tournaments.errors import ConfigError

GAME = games.make("dots-and-boxes", rows=1, cols=1)


def offers(monkeypatch, group: str, name: str, value: str, reader: ModuleType = registry) -> None:
    """Have an installed package offer something under a group of entry points."""
    point = importlib.metadata.EntryPoint(name, value, group)
    monkeypatch.setattr(reader, "entry_points", lambda group: [point] * (group == point.group))


def test_a_game_that_cannot_be_imported_is_named_and_hides_no_other(monkeypatch, capsys):
    offers(monkeypatch, "tournaments.games", "broken", "no_such_module:RULES")
    with pytest.raises(TournamentError, match=r"'broken' of .* cannot be loaded from no_such_modu"):
        games.make("broken")
    assert main(["games"]) == 0
    out = capsys.readouterr().out
    assert "dots-and-boxes" in out
    assert "cannot be loaded" in out


def test_a_package_must_offer_rules_and_players(monkeypatch):
    offers(monkeypatch, "tournaments.games", "odd", "pathlib:Path")
    with pytest.raises(TournamentError, match="Rules is expected"):
        games.make("odd")
    offers(monkeypatch, "tournaments.players", "odd", "builtins:repr")
    with pytest.raises(TournamentError, match="makes a str; an object with a name and choose"):
        players.make("odd", GAME)


def test_options_of_a_players_package_are_checked_by_its_own_signature(monkeypatch):
    def maker(game, depth=2):
        return SimpleNamespace(name=f"depth {depth}", choose=lambda state, rng: 0)

    point = SimpleNamespace(name="mine", load=lambda: maker, value="", dist=None)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])
    assert players.make("mine:depth=3", GAME).name == "depth 3"
    with pytest.raises(TournamentError, match=r"did you mean 'depth'.*options: depth"):
        players.make("mine:dept=3", GAME)


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
    read = LocalStorage.read

    def refusing(self, path, *more):
        if path.name == "generation-000002.parquet":
            raise PermissionError(13, "denied")
        return read(self, path, *more)

    monkeypatch.setattr(LocalStorage, "read", refusing)
    with pytest.raises(ResultsError, match="permission denied"):
        RunWriter.open(path)
    assert sorted(file.name for file in (path / "snapshots").iterdir()) == before


@pytest.mark.parametrize(
    ("field", "value"),
    [("mutation", "os.path.basename"), ("crossover", "operator.add"), ("selection", "heapq.merge")],
)
def test_an_operator_that_does_not_work_is_refused_before_a_run(field, value, tmp_path):
    config = from_dict({"learner": {field: value}})
    with pytest.raises(TournamentError, match=f"learner.{field} '{value}': the operator "):
        learner_of(config)
    with pytest.raises(TournamentError, match=f"learner.{field} '{value}': the operator "):
        evo.run(tmp_path / "run", config)
    assert not (tmp_path / "run").exists()


def test_a_folder_in_place_of_a_configuration_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"options='run' given; a Config, or a dict, is expected"):
        evo.run(tmp_path / "run", "run")


def test_what_cannot_fit_in_memory_is_refused():
    with pytest.raises(ConfigError, match=r"12,499,997,500,000 matches a generation"):
        from_dict({"scheme": "round-robin", "population": 5_000_000})
    with pytest.raises(ConfigError, match="genes in the population"):
        from_dict({"game": "dots-and-boxes:rows=60,cols=60"})


# --- data names no code ------------------------------------------------------------------------

SMALL = {"game": "dots-and-boxes:rows=1,cols=1", "population": 4, "generations": 1, "seed": 3}


def renamed(folder: pathlib.Path, **learner: object) -> None:
    """Let the operators of a run be others, as whoever sent the folder may have done."""
    as_made_with(folder, lambda info: info["config"]["learner"].update(learner))


@pytest.fixture
def hostile(tmp_path, monkeypatch) -> pathlib.Path:
    """The run folder of a stranger, whose run.json names a function that runs a shell command."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(metadata, "config_digest", lambda config: "what a stranger writes agrees")
    evo.run("strange", SMALL, threads=1)
    folder = pathlib.Path("strange")
    renamed(folder, mutation="pydoc.pipepager", mutation_options={"cmd": "touch executed"})
    return folder


LOOKS = [
    "evaluate strange --opponents level-0 --games 2",
    "evaluate strange --opponents level-0 --exact",
    "tournament dots-and-boxes:rows=1,cols=1 strange level-0 --games 2",
    "tournament dots-and-boxes:rows=1,cols=1 strange@all level-0 --games 2",
    "watch strange --plain",
    "export strange champion.npy",
    "best-response strange",
    "analyse strange --games 2",
    "plot strange",
    "run --game dots-and-boxes:rows=1,cols=1 --generations 0 --population 4 --set start=strange",
]


@pytest.mark.parametrize("line", LOOKS)
def test_a_folder_that_is_looked_at_runs_nothing_that_it_names(line, hostile, monkeypatch):
    monkeypatch.setattr(genetic.Genetic, "next_population", None)  # nor an operator of ours
    assert main(line.split()) == 0
    assert not pathlib.Path("executed").exists()


def test_a_configuration_that_is_printed_runs_nothing_that_it_names(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("imported_by_name.py").write_text("open('executed', 'w')\ndef flip(x): pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    file = pathlib.Path("my.toml")
    for mutation, options in [
        ("pydoc.pipepager", "{ cmd = 'touch executed' }"),
        ("imported_by_name.flip", "{}"),
    ]:
        file.write_text(f"[learner]\nmutation = '{mutation}'\nmutation_options = {options}\n")
        assert main(["config", str(file)]) == 0
        assert f'mutation = "{mutation}"' in capsys.readouterr().out
        assert not pathlib.Path("executed").exists()


def test_an_experiment_that_is_read_runs_nothing_that_it_names(tmp_path):
    mutation = {"mutation": "operators_of_a_user.fails"}
    base = {"game": SMALL["game"], "population": 4}
    table = {"name": "x", "base": base, "populations": {"a": {"learner": mutation}}}
    experiment = experiment_of(table)
    with pytest.raises(
        ConfigError,
        match=r"^a: learner\.mutation 'operators_of_a_user\.fails': the operator rai",
    ):
        sweep(experiment, tmp_path / "sweep")  # a wish to run it
    assert not (tmp_path / "sweep").exists()


REFUSED = [
    "pydoc.pipepager",
    "operators_of_a_user.keep",
    "subprocess.Popen",
    "results.folder.files.remove",  # of this project, but no operator
    "deap.tools.support.deepcopy",
    "deap.toolsandmore.flip",
]


@pytest.mark.parametrize("name", REFUSED)
def test_a_run_that_is_resumed_calls_no_function_of_a_stranger(name, hostile, capsys):
    renamed(hostile, mutation=name, mutation_options={"cmd": "touch executed"})
    before = (hostile / "run.json").read_bytes()
    assert main(["resume", "strange", "--generations", "2"]) == 2
    refused = capsys.readouterr().err
    assert refused.count("\n") == 1
    assert f"evo: strange: learner.mutation='{name}' given; a folder may name functions" in refused
    assert "deap.tools, evo.learners.genetic.selection, evo.learners.genetic.variation" in refused
    assert "add --trust (trust=True)" in refused
    with pytest.raises(ConfigError, match="trust=True"):
        evo.resume("strange", 2)
    assert (hostile / "run.json").read_bytes() == before
    assert not pathlib.Path("executed").exists()


def test_a_run_that_is_resumed_calls_a_users_operator_where_it_is_trusted(hostile, capsys):
    renamed(hostile, mutation="operators_of_a_user.keep", mutation_options={})
    assert evo.resume("strange", 2, trust=True, threads=1).snapshots[-1] == 2
    assert main(["resume", "strange", "--generations", "3", "--trust", "--threads", "1"]) == 0


def test_a_run_that_is_resumed_calls_operators_of_deap_and_of_ours(hostile):
    for end, mutation in enumerate(["deap.tools.mutFlipBit", "bit-flip"], start=2):
        renamed(hostile, mutation=mutation, mutation_options={}, crossover="deap.tools.cxTwoPoint")
        assert evo.resume("strange", end, threads=1).snapshots[-1] == end


def test_operators_of_installed_packages_are_found_by_name_and_may_be_resumed(
    hostile, monkeypatch, capsys
):
    offers(monkeypatch, operators.GROUP, "stay", "operators_of_a_user:keep", operators)
    for end, name in enumerate(["stay", "operators_of_a_user.keep"], start=2):
        renamed(hostile, mutation=name, mutation_options={})
        assert evo.resume("strange", end, threads=1).snapshots[-1] == end
    with pytest.raises(ConfigError, match=r"'stya'; did you mean 'stay'"):
        from_dict({"learner": {"mutation": "stya"}})
    offers(monkeypatch, operators.GROUP, "stay", "operators_of_a_user:seen", operators)
    config = from_dict({"learner": {"mutation": "stay"}})  # nothing is imported
    with pytest.raises(ConfigError, match="offers a list; a function is expected"):
        learner_of(config)


def test_a_configuration_of_a_folder_stays_one_when_it_is_run(hostile, tmp_path):
    run = open_run(hostile)
    config = of_run(run)
    with pytest.raises(ConfigError, match="trust=True"):
        evo.run(tmp_path / "copy", config, generations=2)


def test_a_sweep_goes_on_with_the_operators_that_the_experiment_names(tmp_path, monkeypatch):
    experiment = {
        "name": "x",
        "base": {**SMALL, "learner": {"mutation": "operators_of_a_user.keep"}},
        "populations": {"a": {}},
    }
    del experiment["base"]["seed"]
    for generations in (1, 2):
        experiment["base"]["generations"] = generations
        (ended,) = sweep(experiment_of(experiment), tmp_path, threads=1)
        assert (ended.state, ended.error) == ("done", "")
    assert open_run(ended.folder).snapshots[-1] == 2
