"""What the README and the guides show works: Python blocks run, commands parse, files exist."""

from __future__ import annotations

import importlib.util
import pkgutil
import re
import shlex
from pathlib import Path

import pytest
from processes import ROOT

import evo
from evo.cli import main as cli
from evo.cli.commands.config import configuration_of
from evo.cli.console import SEAT_COLUMNS, WIN_RATE_COLUMNS
from evo.cli.main import COMMANDS
from evo.cli.options import read
from evo.config import config as configuration
from evo.evaluation.evaluate import default_opponents
from evo.learners.genetic.operators import GROUP
from evo.requests.evolution import RunFlags
from evo.studies import STUDIES
from tournaments import games, players

README = ROOT / "README.md"
CONFIGURATION = ROOT / "docs/configuration.md"
PYTHON = ROOT / "docs/python.md"
GAMES = ROOT / "docs/games/index.md"
STUDIES_PAGE = ROOT / "docs/studies/index.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
TUTORIALS = sorted((ROOT / "docs/tutorials").glob("*.md"))
RUN = (ROOT / "docs/extending.md", *TUTORIALS)
"""Pages whose commands are run, too."""
WITH_PYTHON = [page for page in PAGES if "```python" in page.read_text(encoding="utf-8")]
WITH_BLOCKS = sorted({*WITH_PYTHON, *TUTORIALS})


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a language."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def command_lines(page: Path) -> list[list[str]]:
    """The simple commands of all shell blocks, without comments, as words."""
    lines = "\n".join(blocks(page, "sh")).replace("\\\n", " ").splitlines()
    found: list[list[str]] = []
    for line in lines:
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        found.append([])
        for word in lexer:
            if word in ("&&", "||", ";", "|"):
                found.append([])
            else:
                found[-1].append(word)
    return [words for words in found if words]


def evo_commands(page: Path) -> list[list[str]]:
    """The arguments of each call of ``evo``, up to a redirection."""
    calls = [words[1:] for words in command_lines(page) if Path(words[0]).name == "evo"]
    return [words[: words.index(">")] if ">" in words else words for words in calls]


def names_of(page: Path) -> list[str]:
    """What stands between backticks outside of blocks."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.findall(r"`([^`\n]+)`", text)


def id_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def as_case(page: Path):
    """Blocks on the page of a study evolve or train for some seconds; those of others compile."""
    marks = [] if page in (README, PYTHON) else [pytest.mark.slow]
    marks = [pytest.mark.study] if page.parent.name == "studies" else marks
    return pytest.param(page, id=id_of(page), marks=marks)


@pytest.mark.parametrize("page", [as_case(page) for page in WITH_BLOCKS])
def test_the_python_blocks_run_one_after_another(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {"__name__": "readme"}
    if page.name == "adapters.md":
        pytest.importorskip("pettingzoo")
    if page.name == "schema.md":
        names |= {name: pytest.importorskip(name) for name in ("pandas", "polars", "duckdb")}
        evo.run("runs/first", scheme="round-robin", population=8, generations=1, threads=1)
        evo.evaluate("runs/first", ["level-0"], games=2, threads=1)
    text = page.read_text(encoding="utf-8")
    for language, block in re.findall(r"^```(python|sh|toml)\n(.*?)^```$", text, re.M | re.S):
        file = re.match(r"# ([\w/]+\.(?:py|toml))\n", block)
        if file:
            Path(file[1]).parent.mkdir(exist_ok=True)
            Path(file[1]).write_text(block)
        elif language == "python":
            exec(compile(block, str(page), "exec", dont_inherit=True), names)
        elif language == "sh" and page in RUN:
            for line in block.splitlines():
                assert cli.main(shlex.split(line)[1:]) == 0, line


def test_the_readme_shows_python():
    assert len(blocks(README, "python") + blocks(PYTHON, "python")) >= 3


@pytest.mark.parametrize("page", PAGES, ids=id_of)
def test_the_command_lines_are_understood(page):
    for words in evo_commands(page):
        try:
            cli.parser().parse_args(words)
        except SystemExit:
            pytest.fail(f"evo {shlex.join(words)}")


def test_the_configurations_of_the_pages_are_right(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runs = 0
    for words in evo_commands(CONFIGURATION) + evo_commands(GAMES):
        options = cli.parser().parse_args(words)
        if options.command == "config":
            assert cli.main(words) == 0
            Path("my.toml").write_text(capsys.readouterr().out)
        elif options.command == "run":
            configuration.from_dict(configuration_of(read(RunFlags, options)))
            runs += 1
    assert runs >= 3


def test_the_readme_shows_what_a_run_ends_with():
    """No placeholder is left, and the table that is shown has the columns of the one printed."""
    assert "EXAMPLE" not in README.read_text(encoding="utf-8").splitlines()
    (shown,) = [
        text for text in blocks(README, "text") if "\nchampion of generation" in f"\n{text}"
    ]
    heading = [*WIN_RATE_COLUMNS, *SEAT_COLUMNS]
    lines = [line.split() for line in shown.splitlines()]
    assert heading in lines
    usual = default_opponents(games.make("dots-and-boxes"))
    rows = lines[lines.index(heading) + 1 :][: len(usual)]
    assert [row[0] for row in rows] == usual
    assert {len(row) for row in rows} == {len(heading)}


def test_the_readme_is_read_in_five_minutes():
    lines = README.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 150
    assert len([word for line in lines if line[:3] != "```" for word in line.split()]) <= 1000


def test_every_command_is_on_a_page():
    choices = next(
        action.choices for action in cli.parser()._actions if isinstance(action.choices, dict)
    )
    words = [name.split() for page in PAGES for name in names_of(page) if name.startswith("evo ")]
    assert set(choices) <= {word[1] for word in words} | {
        line[0] for page in PAGES for line in evo_commands(page)
    }


def test_every_study_is_in_the_list_of_studies():
    named = re.findall(r"^\| \[`([\w-]+)`\]", STUDIES_PAGE.read_text(encoding="utf-8"), re.M)
    assert sorted(named) == sorted(STUDIES.names())


def test_every_game_is_in_the_list_of_games_with_a_page_and_a_picture():
    text = GAMES.read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[`([\w-]+)`\]\(([\w-]+\.md)\) \|.*`evo (.*)` \|$", text, re.M)
    assert sorted(name for name, _, _ in rows) == sorted(games.GAMES.own())
    for name, page, line in rows:
        assert page == f"{name}.md"
        options = cli.parser().parse_args(line.split())
        assert options.command == "watch"
        game = games.parse(options.game)
        assert game.name == name
        assert {player.partition(":")[0] for player in options.players} <= {*players.names(game)}
        assert options.save.endswith(".svg")


@pytest.mark.parametrize("page", PAGES, ids=id_of)
def test_links_and_files_that_are_named_exist(page):
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    for link in links:
        if "://" not in link:
            assert (page.parent / link).exists(), link
    for name in names_of(page):
        if re.fullmatch(r"(evo|tournaments|cluster|results|tests|docs|benchmarks)/[\w/.-]+", name):
            assert (ROOT / name).exists(), name


@pytest.mark.parametrize("page", PAGES, ids=id_of)
def test_modules_and_functions_that_are_named_exist(page):
    for name in names_of(page):
        is_ours = re.fullmatch(r"(evo|tournaments|cluster|results)(\.\w+)+", name)
        if is_ours and name not in (GROUP, COMMANDS.group):  # of entry points
            try:
                pkgutil.resolve_name(name)
            except (ImportError, AttributeError):
                pytest.fail(f"{name} is named in {id_of(page)}")


def test_modules_that_are_run_exist():
    called = [words for page in PAGES for words in command_lines(page) if "-m" in words]
    modules = {words[words.index("-m") + 1] for words in called}
    assert modules >= {"benchmarks.games", "benchmarks.generation"}
    assert [name for name in modules if importlib.util.find_spec(name) is None] == []
