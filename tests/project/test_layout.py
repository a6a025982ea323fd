"""How the project is laid out: which package may import what, and what may stand in a file."""

from __future__ import annotations

import ast
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import grimp
import pytest
from processes import ROOT

PACKAGES = ("evo", "tournaments", "cluster", "results")
ONLY_IN = {
    "cmaes": {"evo"},
    "deap": {"evo"},
    "ray": {"cluster"},
    "pandas": {"results", "evo/studies", "tournaments/competition"},
    "matplotlib": {"results", "evo/studies", "tournaments/drawing"},
    "PIL": {"results"},
    "numba": {"tournaments"},
    "pyarrow": {"results"},
    "rich": {"evo"},
    "scipy": {"tournaments"},
    "threadpoolctl": {"tournaments"},
    "obstore": {"results"},
    "gymnasium": {"tournaments/adapters"},
    "pettingzoo": {"tournaments/adapters"},
    "pyspiel": {"tournaments/adapters"},
}
COMES_WITH = {
    "llvmlite": "numba",
    "PIL": "pillow",
    "gymnasium": "pettingzoo",
    "pyspiel": "open_spiel",
}
PICKLES = {"pickle", "cloudpickle", "dill", "joblib", "shelve", "marshal"}
MAY_PICKLE = {
    "tournaments/contract/player.py",
    "tournaments/contract/schemes.py",
    "tournaments/contests.py",
    "tournaments/players/programs.py",
    "tournaments/players/bot/function_server.py",
    "cluster/trial.py",
    "cluster/process_matches.py",
}
"""To see that a player travels to another process, or to send it there; nothing of it is kept."""
IMPORTERS = {"import_module", "__import__", "find_spec", "importorskip"}


def sources(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Line and name of every module that a file imports, wherever it stands in it.

    Those named by a constant text in a call such as ``import_module("ray")`` are among them.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relative to itself"
            assert node.module is not None
            yield node.lineno, node.module
        elif isinstance(node, ast.Call) and node.args:
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else ""
            name = function.id if isinstance(function, ast.Name) else name
            first = node.args[0]
            if name in IMPORTERS and isinstance(first, ast.Constant):
                yield node.lineno, str(first.value)


@cache
def roots(package: str) -> list[tuple[str, str]]:
    """Where, and what top-level package is imported there."""
    return [
        (f"{path.relative_to(ROOT)}:{line}", name.partition(".")[0])
        for path in sources(package)
        for line, name in imported(path)
    ]


def test_imports_are_found_wherever_they_stand(tmp_path):
    file = tmp_path / "module.py"
    file.write_text(
        "import a.b\nfrom c.d import e\ndef f():\n    import g\n    import_module('h.i')\n"
        "    importlib.import_module('j')\nclass K:\n    from l import m\n"
    )
    assert {name for _, name in imported(file)} == {"a.b", "c.d", "g", "h.i", "j", "l"}


def folders_below(graph: grimp.ImportGraph, package: str) -> dict[str, set[str]]:
    """For each folder of a package the folders that its files import."""
    folders = {child for child in graph.find_children(package) if graph.find_children(child)}
    below: dict[str, set[str]] = {folder: set() for folder in folders}
    for folder in folders:
        for module in {folder, *graph.find_descendants(folder)}:
            for imported_module in graph.find_modules_directly_imported_by(module):
                home = ".".join(imported_module.split(".")[:2])
                below[folder] |= {home} & folders - {folder}
    return below


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_has_few_floors_of_folders(package):
    """A server of pages is a floor of its own, between the pages and the commands."""
    below = folders_below(grimp.build_graph(*PACKAGES), package)
    floors = 0
    while below:
        ground = {folder for folder, imported_folders in below.items() if not imported_folders}
        assert ground, f"a circle among {sorted(below)}"
        below = {folder: rest - ground for folder, rest in below.items() if folder not in ground}
        floors += 1
    assert floors <= (8 if package == "evo" else 7)


def test_what_stands_in_no_folder_of_evo_is_the_start_and_the_vocabulary():
    files = {path.stem for path in (ROOT / "evo").glob("*.py")}
    vocabulary = {"execution", "population", "progress", "topologies", "versions"}
    assert files == {"__init__", "__main__", *vocabulary}


@pytest.mark.parametrize("library", ONLY_IN)
def test_a_library_is_used_by_the_package_that_it_belongs_to_alone(library):
    uses = [where for package in PACKAGES for where, name in roots(package) if name == library]
    assert uses, f"nothing imports {library}: is it still a dependency?"
    rooms = tuple(f"{room}/" for room in ONLY_IN[library])
    assert [where for where in uses if not where.startswith(rooms)] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_nothing_is_imported_that_is_not_declared(package):
    table = project()["project"]
    extras = table["optional-dependencies"]
    dependencies = [*table["dependencies"]]
    for extra in ("completion", "peers", "serve", "storage"):
        dependencies += extras[extra]
    declared = {re.split(r"[<>=\[ ]", text)[0] for text in dependencies}
    known = declared | set(PACKAGES) | set(sys.stdlib_module_names)
    found = {COMES_WITH.get(name, name) for _, name in roots(package)}
    assert found <= known


@pytest.mark.parametrize("package", PACKAGES)
def test_nothing_is_pickled(package):
    found = [where.partition(":")[0] for where, name in roots(package) if name in PICKLES]
    assert set(found) <= MAY_PICKLE
    for path in sources(package):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                refused = isinstance(node.value, ast.Constant) and node.value.value is False
                assert refused, f"{path}:{node.value.lineno}"


def test_each_package_says_that_it_is_typed():
    assert [name for name in PACKAGES if not (ROOT / name / "py.typed").is_file()] == []


def test_the_packages_are_ours_and_no_folder_beside_them(tmp_path):
    """A folder such as ``results_old``, left in a checkout, does not get into the wheel."""
    setuptools = pytest.importorskip("setuptools")
    ours = {".".join(path.parent.relative_to(ROOT).parts) for path in inits()}
    assert ours >= {*PACKAGES, "evo.learners", "tournaments.games", "tournaments.players"}
    for name in [*ours, "results_old", "evolution", "tests", "benchmarks"]:
        folder = tmp_path.joinpath(*name.split("."))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").touch()
    patterns = project()["tool"]["setuptools"]["packages"]["find"]["include"]
    assert set(setuptools.find_packages(str(tmp_path), include=patterns)) == ours


def inits() -> list[Path]:
    return [path for package in PACKAGES for path in (ROOT / package).rglob("__init__.py")]


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def texts() -> list[Path]:
    """Every file that belongs to the project, as far as it is text."""
    folders = [*PACKAGES, "tests", "docs", "benchmarks", ".ci"]
    found = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    found += [path for path in ROOT.iterdir() if path.suffix in (".md", ".toml", ".cfg")]
    return sorted(
        path
        for path in found
        if path.is_file() and "__pycache__" not in path.parts and path.suffix not in (".pyc", ".so")
    )


def test_no_file_names_a_place_on_somebodys_machine():
    here = [Path.home(), ROOT, ROOT.parent, Path(sys.prefix), Path(tempfile.gettempdir())]
    places = {str(path) for path in here if len(path.parts) > 1}
    homes = "|".join(re.escape(place) + r"\b" for place in sorted(places))
    # Homes of other people's systems, put together so that this line is not one.
    pattern = re.compile(rf"(?<![\w.])(?:{homes}|/(?:home|Users|root|mnt)/\w|[A-Z]:\\\\?Users)")
    found = {
        str(path.relative_to(ROOT)): match[0]
        for path in texts()
        if (match := pattern.search(path.read_text(encoding="utf-8", errors="replace")))
    }
    assert found == {}
