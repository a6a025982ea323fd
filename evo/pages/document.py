"""A page as a self-contained HTML file: styles, scripts and data are inline."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from results.redact import without_folders

FOLDER = Path(__file__).parent
STATIC = FOLDER / "static"
SCRIPTS = (
    *("dom.js", "save.js", "curves.js", "board.js", "heat.js", "table.js", "genomes.js"),
    "blocks.js",
)
"""The modules in the order in which they use each other."""
LIVE_SCRIPTS = ("live.js", "play.js")
"""The modules of pages of a server, after the others."""
STYLES = ("vendor/uPlot.min.css", "page.css")
CHARTS = "vendor/uPlot.iife.min.js"


def one_file(page: dict[str, Any], is_shared: bool = True) -> str:
    """Return the page as an HTML document whose parts are all inline.

    The content security policy of the document allows the inline style and script by their digests
    and nothing else, so that no text of a run can become code.

    Args:
        page: the page.
        is_shared: whether texts name files without the folders of paths, see :func:`shared`.
    """
    page = shared(page) if is_shared else page
    script, style = page_files().values()
    policy = [
        "default-src 'none'",
        f"script-src {_digest(script)}",
        f"style-src {_digest(style)}",
        "img-src data: blob:",
    ]
    return _filled(page, policy, script=script, style=style)


def linked_file(page: dict[str, Any], files: str) -> str:
    """Return the page as an HTML document that loads :func:`page_files` from its own server.

    Args:
        page: the page.
        files: address of the folder of the files, relative to the document.
    """
    return _filled(shared(page), ["default-src 'self'", "img-src 'self' data: blob:"], files=files)


def page_files(live: bool = False) -> dict[str, str]:
    """Return the files that every page needs, by name: the script, then the style sheet.

    ``live``: the pages are those of a server that sends events.
    """
    return {"page.js": _script(live), "page.css": _style()}


def _filled(page: dict[str, Any], policy: list[str], **parts: str) -> str:
    data = json.dumps(page, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    environment = Environment(
        loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined
    )
    template = environment.get_template("page.html")
    policy = [*policy, "base-uri 'none'", "form-action 'none'"]
    return template.render(page=page, policy="; ".join(policy), data=data, **parts)


def shared(content: Any) -> Any:
    """Return the content of a page to be shared: texts name files without the folders of paths.

    Absolute paths contain the names of users and machines. Texts of programs are left as they are,
    since a slash in a program is rarely that of a path.
    """
    if isinstance(content, dict):
        kept = ("code",) if content.get("kind") == "code" else ()
        return {k: value if k in kept else shared(value) for k, value in content.items()}
    if isinstance(content, list | tuple):
        return [shared(value) for value in content]
    return without_folders(content) if isinstance(content, str) else content


@cache
def _script(live: bool) -> str:
    """Return all modules joined into a single script, since modules do not load over ``file://``.

    Import lines are removed, and the keyword ``export`` before declarations.
    """
    names = (*SCRIPTS, *LIVE_SCRIPTS) if live else SCRIPTS
    modules = [(STATIC / name).read_text(encoding="utf-8") for name in names]
    own = [re.sub(r"^import .*\n|^export (?=\w)", "", text, flags=re.MULTILINE) for text in modules]
    start = 'const page = JSON.parse(document.getElementById("data").textContent);\n'
    start += f"show(page, document.body);\n{'follow(page);' * live}\n"
    charts = (STATIC / CHARTS).read_text(encoding="utf-8")
    return "\n".join([charts, "(() => {", '"use strict";', *own, start + "})();"])


@cache
def _style() -> str:
    return "\n".join((STATIC / name).read_text(encoding="utf-8") for name in STYLES)


def _digest(text: str) -> str:
    """Return the digest of an inline element as a content security policy names it."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"
