"""Runs and tournaments as HTML for notebooks: static, so that no script must run."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import matplotlib
from jinja2 import Environment

from results.errors import ResultsError
from results.folder.tournament import Tournament
from results.plots.run import figures_of
from results.plots.style import STYLE
from results.read.run import Run
from results.read.settings import game_of, name_of
from results.read.status import status_of
from results.redact import without_folders

if TYPE_CHECKING:
    import pandas as pd

PAGE = Environment(autoescape=True).from_string(
    """<div style="font-family: sans-serif; max-width: 60em">
<div><strong>{{ title }}</strong></div>
<table>{% for name, value in facts.items() %}
<tr><td>{{ name }}</td><td style="text-align: left">{{ value }}</td></tr>{% endfor %}
</table>
{% for part in parts %}{{ part | safe }}
{% endfor %}<div>{{ words }}</div>
</div>"""
)
"""A title, facts, tables and pictures, and a last line."""
FORMS: dict[str, Any] = {"float_format": "{:.4g}".format, "escape": True, "border": 0, "na_rep": ""}


def html_of_run(run: Run) -> str:
    """Return a run as HTML: its game, settings and progress, and its first figure."""
    state = status_of(run.path)
    what = [game_of(run.config), *(name_of(run.config, name) for name in ("scheme", "learner"))]
    facts = {
        "what": ", ".join(filter(None, what)),
        "state": state["state"],
        "generation": state["generation"],
        "games": f"{state['games_played']:,}" if state["games_played"] else "",
        "seed": run.info["seed"],
    }
    try:
        name, draw = next(iter(figures_of(run).items()))
        picture, words = io.StringIO(), ""
        with matplotlib.rc_context({**STYLE, "svg.hashsalt": name}):
            draw().savefig(picture, format="svg", metadata={"Date": None})
        svg = picture.getvalue()
        parts = [svg[svg.index("<svg") :].replace("<svg ", '<svg style="max-width: 100%" ', 1)]
    except ResultsError as error:
        parts, words = [], str(error)
    words = words or f"evo report {run.path.name} writes a page with all of it"
    return _page(run.path.name, facts, parts, words)


def html_of_tournament(tournament: Tournament) -> str:
    """Return a tournament as HTML: its ratings with their intervals, and the cross table."""
    info = tournament.info
    facts = {"game": info["game"], "schedule": info["schedule"], "games of a pair": info["games"]}
    parts, words = [], ""
    try:
        ratings: pd.DataFrame = tournament.ratings
        kept = ["player", "rating", "rating_low", "rating_high", "games", "score"]
        parts = [
            ratings[kept].to_html(index=False, **FORMS),
            tournament.cross_table.to_html(**FORMS),
        ]
    except ResultsError as error:
        words = str(error)
    return _page(tournament.path.name, facts, parts, words)


def _page(title: str, facts: Mapping[str, Any], parts: list[str], words: str) -> str:
    """Return HTML without the folders of absolute paths in its texts."""
    shown = {k: without_folders(str(v)) for k, v in facts.items() if v not in (None, "")}
    return PAGE.render(title=title, facts=shown, parts=parts, words=without_folders(words))
