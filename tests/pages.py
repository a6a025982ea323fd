"""Pages in Markdown, read back."""

from __future__ import annotations


def tables(text: str) -> list[list[list[str]]]:
    """The tables of a page, cell by cell."""
    found: list[list[list[str]]] = [[]]
    for line in text.splitlines():
        if line.startswith("|"):
            cells = line.replace("\\|", "").strip("|").split("|")
            found[-1].append([cell.strip() for cell in cells])
        elif found[-1]:
            found.append([])
    return [table for table in found if table]
