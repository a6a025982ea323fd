"""The source distribution and the wheel are whole: what the repository has is what users get."""

from __future__ import annotations

import os
import re
import subprocess
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from processes import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PACKAGES = ("cluster", "evo", "results", "tournaments")
BUILT = os.environ.get("EVO_DISTRIBUTIONS", "")
"""The folder of the distributions, which ``.ci/run`` builds."""

built = pytest.mark.skipif(not BUILT, reason="EVO_DISTRIBUTIONS names no folder of distributions")


def tracked(*folders: str) -> set[str]:
    """The files of the repository."""
    command = ["git", "ls-files", *folders]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(listed.stdout.splitlines())


@built
def test_the_wheel_has_each_file_of_the_packages_and_no_other():
    (wheel,) = Path(BUILT).glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name for name in names if ".dist-info/" not in name} == tracked(*PACKAGES)
    assert {f"{package}/py.typed" for package in PACKAGES} <= {*names}


@built
def test_the_source_distribution_has_each_file_of_the_repository():
    (source,) = Path(BUILT).glob("*.tar.gz")
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {name for name in tracked() - names if not name.startswith(".")} == set()
    assert not [name for name in names if "__pycache__" in name]


def test_citation_changelog_and_image_name_the_version():
    version = PROJECT["version"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {version}\n" in citation
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest, date = re.search(r"^## (\S+) \((.+)\)$", changelog, re.MULTILINE).groups()
    assert newest == version
    assert f"\ndate-released: {date}\n" in citation
    tags = re.findall(
        r"evo-tournaments:([\d.]+)", (ROOT / "docs/cluster/rayjob.yaml").read_text("utf-8")
    )
    assert {*tags} == {version}


def test_the_page_on_installing_names_each_extra_and_each_supported_python():
    page = (ROOT / "docs/installing.md").read_text(encoding="utf-8")
    assert {*re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)} >= {
        *PROJECT["optional-dependencies"]
    }
    declared = {text.rpartition(" ")[2] for text in PROJECT["classifiers"] if ":: 3." in text}
    minors = {int(version.partition(".")[2]) for version in declared}
    assert f"Python 3.{min(minors)} to 3.{max(minors)}" in page
