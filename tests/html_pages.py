"""HTML pages as tests read them: their elements, and the data that their script draws."""

from __future__ import annotations

import html.parser
import json
from pathlib import Path


class Parts(html.parser.HTMLParser):
    """The elements of a document with their attributes, and the text in each script and style."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, data):
        tag, attributes = self.elements[-1] if self.elements else ("", {})
        if tag in ("script", "style") and data.strip():
            self.texts.append((tag, attributes, data))


def data_of(text):
    """Return the data of a page from its HTML."""
    (data,) = (text for _, attributes, text in Parts(text).texts if "type" in attributes)
    return json.loads(data)


def sections_in(path: Path) -> dict[str, list]:
    """Return the blocks of the sections of a page in a file, by title."""
    page = data_of(path.read_text(encoding="utf-8"))
    return {each["title"]: each["blocks"] for each in page["sections"]}


def rows_in(table) -> list[dict]:
    """Return the rows of a block ``table`` by the titles of its columns, links as their texts."""
    titles = [title for title, _ in table["columns"]]
    plain = lambda cell: cell["text"] if isinstance(cell, dict) else cell  # noqa: E731
    return [dict(zip(titles, map(plain, row), strict=True)) for row in table["rows"]]
