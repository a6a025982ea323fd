"""Games, players, schemes, learners, genomes and operators that are files in the current folder."""

from __future__ import annotations

import json
import pickle
import shutil
import sys
from pathlib import Path

import pytest
from processes import ROOT

import evo
from cluster.ray_matches import RayEvaluator
from evo.cli.main import main
from evo.config.config import from_dict
from evo.evolution.runs import versions_of
from evo.sweeps.experiment import from_dict as from_table
from evo.sweeps.sweep import sweep
from results import open_run
from tournaments import code_files, games, players
from tournaments.errors import ConfigError
from tournaments.kernels.rng import Stream

BOTS = """
class Last:
    def __init__(self, back=1):
        self.back = back

    def choose(self, state, rng):
        return state.legal_actions()[-self.back :][0]


class OfGame:
    name = "known"

    def __init__(self, game):
        self.actions = game.num_actions

    def choose(self, state, rng):
        return rng.below(len(state.legal_actions()))


def first(state, rng):
    return state.legal_actions()[0]


def maker(game, *, back=1):
    return Last(back)


THIRD = Last()
NUMBER = 3
"""
OPERATORS = """
def select(individuals, k):
    return [max(individuals, key=lambda each: each.fitness.values)] * k
"""
SCHEME = """
from dataclasses import dataclass
from tournaments.schemes.round_robin import SCHEME as RoundRobin

@dataclass(frozen=True)
class Mine(RoundRobin):
    "As round-robin."
"""
LEARNER = """
from dataclasses import dataclass
from evo.learners.genetic import LEARNER as Genetic
from tournaments.options import option

@dataclass(frozen=True)
class Mine(Genetic):
    name: str = option("mine", "the learner")
"""
GENOME = """
from dataclasses import dataclass
from evo.genomes.policy_table import table_plans
from evo.genomes.position_table import GENOME as PositionTable
from tournaments.options import option

@dataclass(frozen=True)
class Mine(PositionTable):
    encoding: str = option("position-table", "how an individual is written down")

    def plans(self, game):
        return table_plans(game, "position-table", self.pairs)
"""
BEYOND = """
from dataclasses import replace
RULES = replace(RULES, state_size=lambda board: HEADER)
"""
RUN = {"scheme": "round-robin", "population": 4, "generations": 2, "snapshot_interval": 1}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch) -> Path:
    """A folder with the files of a user; nothing was named in this process yet."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "tests" / "game_of_a_stranger.py", "stones.py")
    texts = {"bots": BOTS, "ops": OPERATORS, "scheme": SCHEME, "learner": LEARNER}
    for name, text in {**texts, "genome": GENOME}.items():
        Path(f"{name}.py").write_text(text)
    forget(monkeypatch)
    return tmp_path


def forget(monkeypatch) -> None:
    """As in another process."""
    monkeypatch.setattr(code_files, "_by_module", {})
    monkeypatch.setattr(code_files, "_newest", {})
    monkeypatch.setattr(code_files, "_received", set())
    for name in [name for name in sys.modules if name.startswith("code_file_")]:
        monkeypatch.delitem(sys.modules, name)


def refusal(capsys, *words: object) -> str:
    """The one line with which a command is refused."""
    try:
        status = main([str(word) for word in words])
    except SystemExit as ended:
        status = ended.code
    (line,) = capsys.readouterr().err.splitlines()
    assert status == 2
    return line


@pytest.fixture
def evolved(here) -> Path:
    operators = {"learner": {"selection": "ops.py:select"}}
    return evo.run("run", {**RUN, **operators}, game="./stones.py:stones=5", threads=1).path


# --- names --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "name", "options"),
    [
        ("./a.py", "./a.py", {}),
        ("a.py:rows=4,cols=5", "a.py", {"rows": 4, "cols": 5}),
        ("x/a.py:RULES", "x/a.py:RULES", {}),
        ("a.py:RULES:rows=4", "a.py:RULES", {"rows": 4}),
        ("network:weights=a.npy", "network", {"weights": "a.npy"}),
        ("nim:", "nim", {}),
    ],
)
def test_what_stands_behind_the_path_is_a_thing_in_the_file_or_its_options(spec, name, options):
    assert games.parse_spec(spec) == (name, options)


def test_a_game_is_called_by_its_path_and_found_by_that_again(here):
    game = games.parse("./stones.py:RULES:stones=4")
    assert game.spec == "./stones.py:RULES:stones=4"
    assert games.parse(game.spec) == game != games.parse("stones.py:stones=4")
    assert {"taker", "optimal", "random"} <= {*players.names(game)}


@pytest.mark.parametrize(
    ("spec", "moves"),
    [
        ("bots.py:Last", 1),
        ("bots.py:Last:back=2", 0),
        ("bots.py:first", 0),
        ("bots.py:maker:back=2", 0),
        ("bots.py:THIRD", 1),
        ("stones.py:PASSER:taken=2", 1),
    ],
)
def test_a_player_is_a_class_a_function_or_an_object(spec, moves):
    game = games.make("./stones.py")
    player = players.make(spec, game)
    assert player.choose(game.start(), Stream(0)) == moves
    assert isinstance(player.name, str)


def test_players_of_files_meet_in_a_tournament_whose_game_is_a_file(capsys, evolved):
    words = ["bots.py:Last", "bots.py:OfGame", "bots.py:first", evolved]
    assert main(["tournament", "./stones.py:stones=5", *map(str, words), "--games", "4"]) == 0
    assert "bots.py:OfGame" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("players ./no.py", "'./no.py' given, which cannot be read (No such file or directory)"),
        ("players ./bots.py", "game './bots.py': ./bots.py holds 0 of them; a tournaments.rules."
         "Rules, called RULES, is expected; a contest is named by its function: ./bots.py:FUNC"),
        ("players stones.py:RULE", "stones.py has no RULE; did you mean 'RULES'?"),
        ("players stones.py:TABLE", "stones.py has another thing as TABLE; a tournaments.rules."),
        ("players two.py", "two.py holds 2 of them; a tournaments.rules.Rules, called RULES, is "
         "expected; or say which: two.py:A, two.py:B"),
        ("players bad.py", "'bad.py' cannot be loaded: SyntaxError"),
        ("players raises.py", "'raises.py' cannot be loaded: ZeroDivisionError: division by zero "
         "(line 2); mend the file"),
        ("players stones.py:stone=4", "unknown option of stones.py 'stone'; did you mean 'stones'"),
        ("tournament ./stones.py random bots.py:Lost", "bots.py has no Lost; did you mean 'Last'"),
        ("tournament ./stones.py random bots.py:NUMBER", "player 3 given; a name, a file,"),
        ("run --game ./beyond.py", "start or legal goes beyond its arrays (index 3 is out of "
         "bounds for axis 0 with size 3)"),
        ("tournament ./stones.py random bots.py:Last:bck=1", "did you mean 'back'?"),
        ("run --game ./stones.py --set learner.selection=ops.py:selec", "has no function 'selec'; "
         "did you mean 'select'?"),
        ("run --game ./stones.py --set learner.selection=no.py:select", "'no.py' given, which "
         "cannot be read"),
        ("run --game ./stones.py --scheme bots.py", "bots.py holds 0 of them; a subclass of "
         "tournaments.schemes.Scheme, called SCHEME, is expected"),
    ],
)  # fmt: skip
def test_mistakes_are_refused_in_a_line(words, message, capsys):
    Path("two.py").write_text("from stones import RULES as A\nfrom dataclasses import replace\n"
                              "B = replace(A, name='b')\n")  # fmt: skip
    Path("bad.py").write_text("RULES = (\n")
    Path("beyond.py").write_text(Path("stones.py").read_text() + BEYOND)
    Path("raises.py").write_text("\n1 / 0\n")
    assert message in refusal(capsys, *words.split())


def test_an_interruption_names_the_file_whose_import_it_ended(capsys):
    Path("endless.py").write_text("import os\n\nraise KeyboardInterrupt\n")
    assert main(["tournament", "nim", "endless.py:Bot", "random"]) == 130
    assert capsys.readouterr().err.endswith("endless.py, line 3\n")


def test_an_empty_name_is_that_of_no_player(capsys):
    assert "player '' given; a name" in refusal(capsys, "tournament", "nim", "", "random")


# --- runs ---------------------------------------------------------------------------------------


def test_a_run_says_which_files_it_was_made_with_and_goes_on_with_these_alone(evolved, capsys):
    made_with = open_run(evolved).info["versions"]
    assert made_with["./stones.py"].startswith("sha256:")
    assert made_with["ops.py"].startswith("sha256:")
    assert evo.resume(evolved, 3, trust=True, threads=1).snapshots[-1] == 3
    was = Path("stones.py").read_text()
    Path("stones.py").write_text(was + "# other\n")
    refused = refusal(capsys, "resume", evolved, "--generations", 4, "--trust")
    assert "was made with ./stones.py of sha256:" in refused
    assert f"evo run ... --set start={evolved}" in refused
    said = []
    evo.evaluate(evolved, ["random"], 2, best=1, trust=True, threads=1, announce=said.append)
    assert "was made with ./stones.py of sha256:" in said[0]
    fork = {**RUN, "start": str(evolved)}
    assert evo.run("fork", fork, game="./stones.py:stones=5", threads=1).snapshots[-1] == 2
    Path("stones.py").write_text(was)
    assert evo.resume(evolved, 4, trust=True, threads=1).snapshots[-1] == 4


def test_a_function_of_a_module_in_this_folder_counts_as_its_file(here, monkeypatch):
    Path("mine_alone.py").write_text(OPERATORS)
    options = {**RUN, "generations": 1, "learner": {"selection": "mine_alone.select"}}
    run = evo.run("run", options, game="./stones.py:stones=5", threads=1)
    monkeypatch.delitem(sys.modules, "mine_alone")
    assert {"./stones.py", "mine_alone.py"} <= {*run.info["versions"]}
    Path("mine_alone.py").write_text("select = None\n")
    with pytest.raises(ConfigError, match=r"was made with mine_alone\.py of sha256"):
        evo.resume("run", 2, trust=True, threads=1)


def test_the_folder_of_a_run_names_no_file_that_the_user_has_not_named(
    evolved, monkeypatch, capsys
):
    assert evo.champion(evolved).game.name == "./stones.py"  # named a moment ago
    forget(monkeypatch)
    Path("stones.py").write_text("open('ran', 'w')\n")
    commands = (
        ["resume"],
        ["evaluate"],
        ["best-response"],
        ["watch"],
        ["export", "a.npy"],
        ["analyse"],
    )
    for name, *rest in commands:
        assert "names the file './stones.py'" in refusal(capsys, name, evolved, *rest)
    words = ["tournament", "nim", "random", evolved]
    assert "names the file './stones.py'" in refusal(capsys, *words)
    assert not Path("ran").exists()
    record = {"version": 1, "game": "./stones.py", "players": ["a", "b"], "start": "", "moves": []}
    Path("record.json").write_text(json.dumps(record))
    assert "names the file './stones.py'" in refusal(capsys, "watch", "record.json")
    assert not Path("ran").exists()


def test_every_part_of_a_run_may_be_a_file():
    options = {
        "game": "./stones.py:stones=5",
        "scheme": "./scheme.py:win=2.0",
        "learner": {"name": "./learner.py", "selection": "ops.py:select"},
        "genome": "./genome.py",
        "population": 4,
        "generations": 1,
    }
    config = from_dict(options)
    written = config.to_dict()
    assert written["scheme"]["name"] == "./scheme.py"
    assert written["scheme"]["win"] == 2.0
    assert from_dict(written) == config
    files = ["./stones.py", "./genome.py", "./learner.py", "./scheme.py", "ops.py"]
    assert list(config.code_files) == files
    run = evo.run("run", config, threads=1)
    assert {*files} <= {*run.info["versions"]}


# --- files that a file imports from its own folder ----------------------------------------------

HELPERS = """
import near_more

def move(state):
    return state.legal_actions()[near_more.PLACE]

class Helped:
    def choose(self, state, rng):
        from near_late import back  # read with the file, all the same
        return back(move(state))
"""


@pytest.fixture
def near(here) -> dict[str, str]:
    """A file, the files of its folder that it imports, and one that it does not."""
    texts = {
        "near_game.py": "import near_helpers as helpers\nfrom stones import RULES\nimport json\n"
        "Bot = helpers.Helped\n",
        "near_helpers.py": HELPERS,
        "near_more.py": "import near_game  # a circle\nPLACE = -1\n",
        "near_late.py": "def back(move):\n    return move\n",
        "json.py": "raise OSError('a library is not hidden')\n",
        "near_other.py": "raise OSError('nobody imports it')\n",
    }
    for name, text in texts.items():
        Path(name).write_text(text)
    return texts


READ = ["near_game.py", "near_helpers.py", "stones.py", "near_more.py", "near_late.py"]


def test_what_a_file_imports_from_its_folder_is_read_with_it_and_is_a_module_for_itself(near):
    file = code_files.read("./near_game.py")
    assert [part.name for part in file.parts] == [f"./{name}" for name in READ]
    game = games.make("./near_game.py", stones=5)
    player = players.make("./near_game.py:Bot", game)
    last = game.start().legal_actions()[-1]
    assert player.choose(game.start(), Stream(0)) == last
    assert not {name for name in sys.modules if name.startswith("near_")}
    before = players.sources_of("./near_game.py:Bot", game)
    Path("near_more.py").write_text("PLACE = 0\n")
    other = players.make("./near_game.py:Bot", game)
    assert other.choose(game.start(), Stream(0)) == 0 != last
    assert player.choose(game.start(), Stream(0)) == last
    assert players.sources_of("./near_game.py:Bot", game) != before


def test_it_is_sent_to_other_processes(near, monkeypatch):
    game = games.make("./near_game.py", stones=5)
    player = players.make("./near_game.py:Bot", game)
    content, files = pickle.dumps((game, player)), code_files.known_files()
    move = player.choose(game.start(), Stream(0))
    forget(monkeypatch)
    for name in near:
        Path(name).unlink()
    code_files.receive(pickle.loads(pickle.dumps(files)))
    there, received = pickle.loads(content)
    assert received.choose(there.start(), Stream(0)) == move


def test_a_mistake_in_it_is_named(near, capsys):
    Path("near_more.py").write_text("\n1 / 0\n")
    line = refusal(capsys, "players", "./near_game.py")
    assert "ZeroDivisionError: division by zero (line 2 of ./near_more.py); mend" in line


def test_a_run_says_what_its_files_import(near):
    made_with = versions_of(from_dict({"game": "./near_game.py:stones=5"}))
    assert {f"./{name}" for name in READ} <= {*made_with}
    assert not {"./json.py", "./near_other.py"} & {*made_with}


def test_a_folder_of_modules_is_part_of_who_imports_it(here, monkeypatch):
    texts = {
        "parts/board.py": "from .deep.rows import ROWS\nfrom . import deep\nclass Board: ...\n",
        "parts/deep/rows.py": "import parts.board as board\nROWS = 4\n",
        "parts/late.py": "LATE = 1\n",
        "whole/__init__.py": "from whole import sub\n",
        "whole/sub.py": "SIZE = 2\n",
        "numba/__init__.py": "raise OSError('a library is not hidden')\n",
        "evo/__init__.py": "raise OSError('nor are we')\n",
        "other/board.py": "raise OSError('nobody imports it')\n",
        "of_parts.py": "import parts.board, whole.sub, numba, evo\nfrom parts import board as b\n"
        "def late():\n    from parts.late import LATE\n    return LATE\n",
    }
    for name, text in texts.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    Path("parts/round").symlink_to(".")  # which ends
    before, paths = set(sys.modules), [*sys.path]
    file = code_files.read("./of_parts.py")
    module = code_files.module_of(file)
    parts = "parts/__init__.py", "parts/board.py", "parts/deep/__init__.py", "parts/deep/rows.py"
    names = {"of_parts.py", *parts, "parts/late.py", "whole/__init__.py", "whole/sub.py"}
    assert {part.name for part in file.parts} == {f"./{name}" for name in names}
    assert module.b is module.parts.board
    assert (module.parts.board.ROWS, module.whole.sub.SIZE) == (4, 2)
    assert not {"parts", "parts.board", "whole"} & ({*sys.modules} - before)
    assert sys.path == paths
    content, files = pickle.dumps(module.b.Board()), code_files.known_files()
    Path("parts/deep/rows.py").write_text("ROWS = 5\n")
    other = code_files.module_of(code_files.read("./of_parts.py"))
    assert (other.b.ROWS, module.b.ROWS) == (5, 4)
    forget(monkeypatch)
    shutil.rmtree("parts")
    code_files.receive(pickle.loads(pickle.dumps(files)))
    assert type(pickle.loads(content)).__name__ == "Board"
    assert code_files.module_called(file.module).late() == 1


def test_a_run_says_what_stands_in_folders_of_modules(here, capsys):
    Path("parts").mkdir()
    Path("parts/rules.py").write_text("from stones import RULES\n")
    Path("of_parts.py").write_text("from parts.rules import RULES\n")
    made_with = versions_of(from_dict({"game": "./of_parts.py:stones=5"}))
    assert {"./of_parts.py", "./parts/rules.py", "./stones.py"} <= {*made_with}
    Path("parts/rules.py").write_text("from stones import RULES, nothing\n")
    assert (
        versions_of(from_dict({"game": "./stones.py"}))["./stones.py"] == made_with["./stones.py"]
    )
    assert code_files.read("./parts/rules.py").digest not in made_with["./parts/rules.py"]
    now = refusal(capsys, "players", "./of_parts.py")
    assert "cannot import name 'nothing' from 'stones'" in now
    assert "(line 1 of ./parts/rules.py)" in now


@pytest.mark.slow
def test_a_run_goes_on_with_the_same_imports_alone(near, monkeypatch, capsys):
    path = evo.run("run", RUN, game="./near_game.py:stones=5", threads=1).path
    Path("near_more.py").write_text("PLACE = 0\n")
    refused = refusal(capsys, "resume", path, "--generations", 4, "--trust")
    assert "was made with ./near_more.py of sha256:" in refused
    forget(monkeypatch)
    Path("near_more.py").write_text("open('ran', 'w')\n")
    assert "names the file './near_game.py'" in refusal(capsys, "resume", path)
    assert not Path("ran").exists()
    Path("near_more.py").write_text(near["near_more.py"])
    assert evo.resume(path, 3, trust=True, threads=1).snapshots[-1] == 3


# --- other processes ----------------------------------------------------------------------------


def test_what_is_made_of_files_travels_with_their_text(monkeypatch):
    game = games.make("./stones.py", stones=5)
    sent = [players.make(name, game) for name in ("taker", "waverer", "bots.py:Last", "optimal")]
    content = pickle.dumps((sent, code_files.known_files()))
    files = code_files.known_files()
    moves = [player.choose(game.start(), Stream(0)) for player in sent]
    forget(monkeypatch)
    for name in ("stones.py", "bots.py"):
        Path(name).write_text("what stands here is not read")
    code_files.receive(files)
    received, _ = pickle.loads(content)
    there = games.make("./stones.py", stones=5)
    assert [player.choose(there.start(), Stream(0)) for player in received] == moves
    assert received[0].game == there


def test_two_versions_of_a_file_are_two_games(monkeypatch):
    before = games.make("./stones.py", stones=4)
    Path("stones.py").write_text(Path("stones.py").read_text().replace("% 3 == 0", "% 2 == 0"))
    after = games.make("./stones.py", stones=4)
    assert before != after
    kept, files = pickle.dumps([before, after]), code_files.known_files()
    forget(monkeypatch)
    code_files.receive(files)
    assert [game.fingerprint() for game in pickle.loads(kept)] == [
        before.fingerprint(),
        after.fingerprint(),
    ]
    assert games.make("./stones.py", stones=4).rules.module == after.rules.module


@pytest.mark.slow
def test_a_sweep_by_processes_and_a_run_by_actors_are_the_same_run(here, ray):
    options = {**RUN, "learner": {"selection": "ops.py:select"}}
    game = "./stones.py:stones=5"
    alone = evo.run("alone", options, game=game, threads=1)
    with_actors = RayEvaluator(2, chunk=2)
    try:
        actors = evo.run("actors", options, game=game, evaluator=with_actors)
    finally:
        with_actors.close()
    digests = [(run.path / "snapshots.sha256").read_text() for run in (alone, actors)]
    assert digests[0] == digests[1]
    experiment = {"name": "s", "seeds": [1, 2], "base": {**options, "game": game}}
    experiment |= {"populations": {"a": {}, "b": {"scheme": "./scheme.py"}}}
    ended = sweep(from_table(experiment), "sweep", threads=2)
    assert [each.state for each in ended] == ["done"] * 4, ended
