"""A build backend (PEP 517) of Python files: pip installs the package with no other one at hand."""

from __future__ import annotations

import base64
import hashlib
import tomllib
import zipfile
from pathlib import Path
from typing import Any


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata: Any = None) -> str:
    """Write the wheel of the files beside ``pyproject.toml``; its name."""
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    name = f"{project['name'].replace('-', '_')}-{project['version']}"
    about = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    contents = {file.name: file.read_bytes() for file in sorted(Path().glob("*.py"))}
    info = f"{name}.dist-info"
    contents[f"{info}/METADATA"] = about.encode()
    contents[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    contents[f"{info}/entry_points.txt"] = _points(project["entry-points"]).encode()
    rows = [
        f"{path},sha256={_digest(content)},{len(content)}" for path, content in contents.items()
    ]
    contents[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,\n"]).encode()
    wheel = f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w") as archive:
        for path, content in contents.items():
            archive.writestr(path, content)
    return wheel


def _points(groups: dict[str, dict[str, str]]) -> str:
    return "\n".join(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in groups.items()
    )


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
