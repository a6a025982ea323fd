"""A configuration as commented TOML, and tables of TOML files and of the command line."""

from __future__ import annotations

import json
import re
import shlex
import textwrap
import tomllib
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any

from evo.config.config import Config
from evo.config.islands import Islands
from evo.config.run_options import UNLIMITED
from evo.config.tables import NAMED, merge, nested
from tournaments import options as fields
from tournaments.errors import ConfigError, TournamentError, shown
from tournaments.named_files import read_named

MOST_BYTES = 16 << 20
"""Maximum size of a TOML file, in bytes."""


def as_toml(config: Config) -> str:
    """Return a configuration as TOML: each field with its value, below a comment on its meaning."""
    needless = ["population"] if config.scheme is None else []
    needless += ["generations"] if config.run.generations == UNLIMITED else []
    parts = [_table("", config.run, leave_out=needless)]
    game = [f"name = {_value(config.game.name)}"]
    game += [f"{key} = {_value(value)}" for key, value in config.game.options.items()]
    parts.append(f"\n# {config.game.rules.summary}\n[game]\n" + "\n".join(game) + "\n")
    if config.scheme is not None:
        named = f"name = {_value(config.scheme.name)}\n"
        parts.append(_table("scheme", config.scheme, named))
    parts.append(_table("genome", config.genome))
    parts.append(_table("learner", config.learner))
    if config.islands is not None:
        parts += _islands(config.islands)
    return "".join(parts)


def _islands(islands: Islands) -> Iterator[str]:
    """Yield the lines of the table ``[islands]`` in TOML, and of the tables below it."""
    yield _table("islands", islands.options)
    yield _table("islands.topology", islands.topology)
    for own in islands.each:
        lines = [f"{key} = {_value(value)}" for key, value in own.items()]
        yield "\n".join(["", "[[islands.each]]", *lines, ""])


def _table(name: str, record: Any, first: str = "", leave_out: Container[str] = ()) -> str:
    heading = f"\n[{name}]\n{first}" if name else ""
    record_class: type = type(record)
    lines = []
    for field, value in fields.as_options(record, whole=True).items():
        if field not in leave_out:
            meaning = fields.sentences_of(record_class).get(field, "")
            lines += [f"# {line}" for line in textwrap.wrap(meaning, 96)]
            lines.append(f"{field} = {_value(value)}")
    return heading + "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return _text(value) if isinstance(value, str) else str(value)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _text(value: str) -> str:
    # TOML accepts JSON's texts, but no lone surrogates, and DEL is a control character there.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def load(path: str | Path) -> dict[str, Any]:
    """Return the content of a TOML file as a table.

    Raises:
        ConfigError: the file cannot be read or is not TOML.
    """
    try:
        return tomllib.loads(read_named(path, MOST_BYTES).decode("utf-8-sig"))
    except TournamentError as error:
        raise ConfigError(str(error)) from None
    except IsADirectoryError:
        raise ConfigError(f"{path} is {_folder_in_words(path)}") from None
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be read ({error.strerror}); a TOML file is expected"
        ) from None
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits among them
        raise ConfigError(f"{path}: is not TOML ({error})") from None


@contextmanager
def fields_of(path: str | Path | None) -> Iterator[None]:
    """Return a context that adds the file and the line to a ConfigError on a field of a TOML file.

    Errors on fields that the file does not set, and without a file, stay as they are.
    """
    try:
        yield
    except ConfigError as error:
        if path is None or str(path) in str(error):  # the file cannot be read
            raise
        line = _line_of_field(Path(path), str(error))
        if line is None:
            raise
        raise ConfigError(f"{path}, line {line}: {error}") from None


def _line_of_field(path: Path, message: str) -> int | None:
    """Return the line of a TOML file that sets the first field that an error message names.

    Lines are counted from 1. None means that the file sets no such field.
    """
    table, found = "", {}
    for number, text in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
        if heading := re.match(r"\s*\[\s*([\w.-]+)\s*\]", text):
            table = f"{heading[1]}."
        elif field := re.match(r'\s*(?:"([^"]+)"|([\w.-]+))\s*=', text):
            name = re.escape(table + (field[1] or field[2]))
            place = re.search(rf"(?<![\w.]){name}(?![\w.])(?:=(\S+) given)?", message)
            # A value that is not in the line was given by a flag.
            if place and (place[1] or "").strip("'") in text:
                found[place.start()] = number
    return found[min(found)] if found else None


def _folder_in_words(path: str | Path) -> str:
    """Return words on a folder that was given in place of a TOML file, with the right commands."""
    from results.folder.files import place_of
    from results.folder.runfile import holds_run

    folder = shlex.quote(str(path))
    if holds_run(place_of(path)):
        return (
            f"a run, and a TOML file is expected; go on with it by evo resume {folder}, or start "
            f"another from its individuals by --set start={folder}"
        )
    return (
        "a folder, and a TOML file is expected; a folder for the run to be made in is given by "
        f"--out {folder}"
    )


def assignment(text: str) -> dict[str, Any]:
    """Return the nested table for an assignment of ``--set``, such as ``learner.elites=2``.

    Values are TOML, or plain text.
    """
    name, equals, value = text.partition("=")
    if not equals or not all(part.strip() for part in name.split(".")):
        raise ConfigError(f"--set {text!r} given; FIELD=VALUE is expected, as in learner.elites=2")
    try:
        parsed = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        parsed = value.strip()
    except (ValueError, RecursionError) as error:
        raise ConfigError(
            f"--set {shown(text)} given; its value cannot be read ({error})"
        ) from None
    return nested(name, parsed)


def with_fields(table: dict[str, Any], assignments: Iterable[str]) -> dict[str, Any]:
    """Return a configuration table after the assignments of ``--set``.

    Fields that name another game, scheme, encoding or learner drop the options of the one before,
    so they are assigned first.
    """
    in_order = sorted(assignments, key=lambda text: not _names_kind(text.partition("=")[0]))
    return reduce(merge, map(assignment, in_order), table)


def _names_kind(name: str) -> bool:
    """Return whether a dotted field names a game, a scheme or the like, or is its whole table."""
    table, _, last = name.replace(" ", "").rpartition(".")
    return last in NAMED or NAMED.get(table.rpartition(".")[2], ("",))[0] == last
