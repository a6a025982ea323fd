"""Templates of reports and pages, filled with the measurements of a study."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from string import Formatter
from typing import Any

_BLOCK = re.compile(r"^<!-- (if|each|table|text): ([\w.-]+) -->\n", re.MULTILINE)


class _Fields(Formatter):
    """Formats text by dotted names, such as ``{settings.games:,}``; None is written as nothing."""

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        return looked_up(kwargs, field_name), field_name

    def format_field(self, value: Any, format_spec: str) -> str:
        return "" if value is None else str(super().format_field(value, format_spec))


class _Cells(_Fields):
    """Formats a line of a table of Markdown, where a bar in a value is escaped."""

    def format_field(self, value: Any, format_spec: str) -> str:
        return super().format_field(value, format_spec).replace("|", "\\|")


def looked_up(values: Any, name: str) -> Any:
    """Return a value for a page by its dotted name.

    The parts of the name are keys of mappings, places of lists, or attributes.
    """
    for part in name.split("."):
        if isinstance(values, Mapping):
            values = values[part]
        else:
            values = values[int(part)] if part.isdigit() else getattr(values, part)
    return values


def filled(template: str, values: Mapping[str, Any]) -> str:
    """Return a text with each field ``{dotted.name:format}`` replaced by its value."""
    return _Fields().vformat(template, (), values)


def rendered(template: str, values: Mapping[str, Any]) -> str:
    """Return the text of a page: its template, filled with values paragraph by paragraph.

    Fields are written as ``{dotted.name:format}``. A line in a paragraph can say how what follows
    it in that paragraph is filled:

    * ``<!-- if: NAME -->``: the paragraph is left out if the value is empty;
    * ``<!-- each: NAME -->``: the text is repeated for each row of a list, or each ``{item}``;
    * ``<!-- table: NAME -->``: its last line is repeated for each row, as a table of Markdown;
    * ``<!-- text: NAME -->``: the text lists columns, ``name:format`` between commas, of a table
      for terminals; ``heading = {field}`` is a column of text.

    A line ``<!-- end -->`` ends the text that is repeated, if the paragraph goes on after it.
    """
    paragraphs = (_paragraph(part, values) for part in template.strip("\n").split("\n\n"))
    return "\n\n".join(part for part in paragraphs if part is not None)


def _paragraph(text: str, values: Mapping[str, Any]) -> str | None:
    block = _BLOCK.search(text)
    if block is None:
        return filled(text, values)
    before, after = text[: block.start()], text[block.end() :]
    after, end, rest = after.partition("\n<!-- end -->")
    kind, value = block[1], looked_up(values, block[2])
    if kind == "if":
        return _paragraph(after + end + rest, values) if value else None
    if kind == "text":
        return filled(before, values) + _text_table(value, after)
    head, _, row = after.rpartition("\n") if kind == "table" else ("", "", after)
    form = (_Cells if kind == "table" else _Fields)().vformat
    items = [each if isinstance(each, Mapping) else {"item": each} for each in value]
    rows = [form(row, (), {**values, **each}) for each in items]
    lines = [*([filled(head, values)] if head else []), *rows]
    return filled(before, values) + "\n".join(lines) + filled(rest, values)


def _text_table(rows: Sequence[Mapping[str, Any]], columns: str) -> str:
    from results import report  # late: the list of studies needs no numpy

    forms, written = {}, [dict(row) for row in rows]
    for column in re.split(r",\s+", columns.strip()):
        name, is_text, form = column.partition(" = ")
        if is_text:
            for row, values in zip(written, rows, strict=True):
                row[name] = filled(form, values)
            form = ""
        else:
            name, _, form = column.partition(":")
        forms[name] = form
    return report.table(written, forms)


def columns_of(rows: Iterable[Any]) -> dict[str, list[Any]]:
    """Return rows (dictionaries or records of one kind) as columns by name."""
    tables = [row if isinstance(row, Mapping) else vars(row) for row in rows]
    return {name: [table[name] for table in tables] for name in tables[0]}
