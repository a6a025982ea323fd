"""A check of the sizes that a Parquet file declares, before any of its data is decoded.

Three layers of a file declare how much memory it needs: the footer (columns, row groups, rows), the
header of each page (its unpacked size and number of values), and the pages themselves, which the
library unpacks into a buffer of the size in their header. The footer and the headers are therefore
parsed here first. pyarrow may crash the process when it parses a damaged footer. Features that
neither this package nor pyarrow uses by default (nested columns, delta encodings, columns in other
files) are rejected.

Sources: https://parquet.apache.org/docs/file-format, and, for the footer and the headers of pages,
https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from results.errors import DamagedError, shown
from results.format.limits import check_size, most_decoded
from results.format.schema import as_in, check_columns

MAGIC = b"PAR1"
MOST_MEMBERS = 100
"""Maximum length of any list in a footer: columns, row groups of up to a million rows, metadata."""
MOST_DEPTH = 8
"""Maximum nesting of structs and lists."""
TEXT_BYTES = 100
"""Approximate memory of a text, or overhead of a genome, per row of a frame, in bytes."""
_TAIL = 8
"""Number of bytes at the end of a file: the length of the footer and the magic."""
_CODECS = {0, 1, 2, 6}
"""None, snappy, gzip and zstd, which never unpack into more memory than a page declares."""
_ENCODINGS = {0, 2, 3, 8}
"""Plain, plain dictionary, run lengths, and run lengths of dictionary indices."""
_NOT_REPEATED = {0, 1}  # required, and optional
# Types of the compact protocol; of the first two the value is in the type.
_TRUE, _FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, STRUCT = *range(1, 10), 12
Struct = dict[tuple[int, int], Any]
"""Values by number and type of their field. A reader ignores a field of an unexpected type."""

# Fields of the footer and of the headers of pages, by their numbers and types in parquet.thrift.
_SCHEMA, _ROWS, _GROUPS = (2, LIST), (3, I64), (4, LIST)
_REPETITION, _NAME, _CHILDREN = (3, I32), (4, BINARY), (5, I32)
_COLUMNS, _GROUP_ROWS = (1, LIST), (3, I64)
_FILE, _CHUNK = (1, BINARY), (3, STRUCT)
_PATH, _CODEC, _VALUES, _PACKED = (3, LIST), (4, I32), (5, I64), (7, I64)
_CHUNK_ENCODINGS, _DATA_PLACE, _DICTIONARY_PLACE = (2, LIST), (9, I64), (11, I64)
_PAGE_TYPE, _PAGE_UNPACKED, _PAGE_PACKED, _PAGE_VALUES = (1, I32), (2, I32), (3, I32), (1, I32)
_DICTIONARY = 2
_HEADERS = {0: ((5, STRUCT), (2, I32)), 2: ((7, STRUCT), (2, I32)), 3: ((8, STRUCT), (4, I32))}
"""The field of a page's own header, and the field of its encoding, by the type of the page."""


def check_declared(data: bytes, schema: pa.Schema, source: object) -> None:
    """Raise if a Parquet file declares sizes that do not match its data, or that are too large.

    Raises:
        DamagedError: the file contradicts itself, or uses features that this package never writes.
        ResultsError: the file has other columns, or would take too much memory.
    """
    end = _end_of_pages(data)
    footer, _ = read_struct(data, end, len(data) - _TAIL)
    names = _column_names(_structs(footer, _SCHEMA))
    schema = as_in(schema, names)
    check_columns(set(names), set(schema.names), source)
    if len(names) != len(schema):
        raise DamagedError("a column occurs twice")
    rows = _size(footer, _ROWS)
    check_size(source, rows * sum(map(_width, schema.types)), most_decoded(len(data)))
    groups = _structs(footer, _GROUPS)
    if sum(_size(group, _GROUP_ROWS) for group in groups) != rows:
        raise DamagedError(f"its parts have other rows than the {rows} that it declares")
    unpacked = sum(_unpacked_bytes(data, group, names, end) for group in groups)
    check_size(source, unpacked, most_decoded(len(data)))


def _end_of_pages(data: bytes) -> int:
    """Return the offset of a Parquet file's footer, where its data ends."""
    end = len(data) - _TAIL - int.from_bytes(data[-_TAIL:-4], "little")
    if data[:4] != MAGIC or data[-4:] != MAGIC or end < len(MAGIC):
        raise DamagedError("it does not begin and end as a Parquet file does")
    return end


def _column_names(elements: list[Struct]) -> list[str]:
    """Return the names of a Parquet file's columns. Raise DamagedError if a column is nested.

    ``elements`` are the elements of the schema in the file's footer.
    """
    root, *columns = elements or [{}]
    if root.get(_CHILDREN) != len(columns):
        raise DamagedError("its columns are not those that it declares")
    if any(c.get(_CHILDREN) or c.get(_REPETITION) not in _NOT_REPEATED for c in columns):
        raise DamagedError("its columns are nested")
    return [column.get(_NAME, b"").decode() for column in columns]


def _width(kind: pa.DataType) -> int:
    """Return the number of bytes that a value of an Arrow type takes in a frame."""
    if kind == pa.string():
        return TEXT_BYTES
    return kind.bit_width // 8 + TEXT_BYTES * pa.types.is_fixed_size_binary(kind)


def _unpacked_bytes(data: bytes, group: Struct, names: list[str], end: int) -> int:
    """Return the bytes that all pages of a row group of a Parquet file take when unpacked.

    Args:
        data: the file.
        group: the row group, from the footer.
        names: the names of the columns.
        end: offset at which the file's data ends.
    """
    columns = _structs(group, _COLUMNS)
    if len(columns) != len(names):
        raise DamagedError(f"a row group has {len(columns)} columns; {len(names)} are expected")
    unpacked = 0
    for column, name in zip(columns, names, strict=True):
        chunk = column.get(_CHUNK, {})
        _, encodings = chunk.get(_CHUNK_ENCODINGS, (0, [-1]))
        if column.get(_FILE) or chunk.get(_CODEC) not in _CODECS or {*encodings} - _ENCODINGS:
            raise DamagedError(f"column {shown(name)} has a format that runs never have")
        path, values = chunk.get(_PATH), chunk.get(_VALUES)
        if path != (BINARY, [name.encode()]) or values != group[_GROUP_ROWS]:
            raise DamagedError(
                f"column {shown(name)} has another name or length in one of the row groups"
            )
        unpacked += _unpacked_column(data, chunk, shown(name), end)
    return unpacked


def _unpacked_column(data: bytes, chunk: Struct, name: str, end: int) -> int:
    """Return the bytes that the pages of one column of a row group take when unpacked.

    Args:
        data: the Parquet file.
        chunk: the column, from the footer.
        name: name of the column, for messages.
        end: offset at which the file's data ends.
    """
    begin = _size(chunk, _DATA_PLACE)
    first = place = chunk.get(_DICTIONARY_PLACE) or begin
    last = first + _size(chunk, _PACKED)
    expected, values, unpacked = chunk[_VALUES], 0, 0
    if first == last and not expected:
        return 0
    if not len(MAGIC) <= first < last <= end or (begin < first and expected):
        raise DamagedError(f"column {name} does not lie within the file")
    while place < last:
        page, place = read_struct(data, place, last)
        place += _size(page, _PAGE_PACKED)
        kind, size = page.get(_PAGE_TYPE), _size(page, _PAGE_UNPACKED)
        if kind not in _HEADERS:
            raise DamagedError(f"column {name} has a page of an unknown type")
        field, encoding = _HEADERS[kind]
        header = page.get(field, {})
        count = _size(header, _PAGE_VALUES)
        is_dictionary = kind == _DICTIONARY
        if header.get(encoding) not in _ENCODINGS or (is_dictionary and count > size):
            raise DamagedError(f"column {name} has a page in a format that runs never have")
        values += 0 if is_dictionary else count
        unpacked += size
    if place > last or values != expected:
        raise DamagedError(f"the pages of column {name} hold {values} values of {expected}")
    return unpacked


def _structs(struct: Struct, field: tuple[int, int]) -> list[Any]:
    """Return the structs of a list that is a field of a struct in a Parquet file's footer."""
    kind, members = struct.get(field, (STRUCT, []))
    if kind != STRUCT:
        raise DamagedError("its footer has parts of an unknown type")
    return members


def _size(struct: Struct, field: tuple[int, int]) -> int:
    size = struct.get(field, -1)
    if size < 0:
        raise DamagedError("its footer, or a page, lacks a size")
    return size


def read_struct(data: bytes, place: int, end: int) -> tuple[Struct, int]:
    """Return the Thrift struct at an offset of a Parquet file, and the offset after it.

    Raises:
        DamagedError: the struct does not end before ``end``, has too long a list, or is invalid.
    """
    try:
        return _struct(memoryview(data)[:end], place, MOST_DEPTH)
    except IndexError:
        raise DamagedError("its footer, or a page, ends too early") from None
    except KeyError:
        raise DamagedError("its footer, or a page header, has a field of an unknown type") from None


def _struct(data: memoryview, place: int, depth: int) -> tuple[Struct, int]:
    """Return the fields of a Thrift struct that begins at offset ``place``, and where it ends.

    Raise IndexError at the end of the data. ``depth`` limits how deeply structs may be nested.
    """
    fields: Struct = {}
    number = 0
    while head := data[place]:
        place, step, kind = place + 1, head >> 4, head & 15
        number, place = (number + step, place) if step else _number(data, place)
        if (number, kind) in fields or not depth:
            raise DamagedError("a part of its footer, or of a page, occurs twice")
        if I16 <= kind <= I64 and (byte := data[place]) < 128:  # most values: no call for each
            fields[number, kind], place = (byte >> 1) ^ -(byte & 1), place + 1
        else:
            fields[number, kind], place = _READERS[kind](data, place, depth - 1)
    return fields, place + 1


def _list(data: memoryview, place: int, depth: int) -> tuple[tuple[int, list[Any]], int]:
    """Return a Thrift list that begins at offset ``place``, and the offset after it.

    The list is a pair: type of its members, and members. ``depth`` limits nesting.
    """
    kind, count = data[place] & 15, data[place] >> 4
    place += 1
    if count == 15:
        count, place = _varint(data, place)
    if count > MOST_MEMBERS or not depth:
        raise DamagedError(
            f"its footer, or a page, has a list of {count:,} items; a list of at most "
            f"{MOST_MEMBERS}, in at most {MOST_DEPTH} levels, is expected"
        )
    read, members = _READERS[max(kind, BYTE)], []  # a truth in a list is a byte
    for _ in range(count):
        member, place = read(data, place, depth - 1)
        members.append(member)
    return (kind, members), place


def _number(data: memoryview, place: int, _depth: int = 0) -> tuple[int, int]:
    """Return the zigzag-encoded signed number at offset ``place``, and the offset after it."""
    number, place = _varint(data, place)
    return (number >> 1) ^ -(number & 1), place


def _varint(data: memoryview, place: int) -> tuple[int, int]:
    number, shift = data[place] & 127, 0
    while data[place] > 127:
        place, shift = place + 1, shift + 7
        number |= (data[place] & 127) << shift
        if shift > 63:
            raise DamagedError("a number in its footer, or in a page, is too long")
    return number, place + 1


def _text(data: memoryview, place: int, _depth: int) -> tuple[bytes, int]:
    count, place = _varint(data, place)
    return _bytes(data, place, count)


def _bytes(data: memoryview, place: int, count: int) -> tuple[bytes, int]:
    content = data[place : place + count].tobytes()
    if len(content) < count:
        raise IndexError(count)
    return content, place + count


_READERS: dict[int, Callable[[memoryview, int, int], tuple[Any, int]]] = {
    _TRUE: lambda _, place, __: (True, place),
    _FALSE: lambda _, place, __: (False, place),
    BYTE: lambda data, place, _: _bytes(data, place, 1),
    **dict.fromkeys((I16, I32, I64), _number),
    DOUBLE: lambda data, place, _: _bytes(data, place, 8),
    BINARY: _text,
    LIST: _list,
    STRUCT: _struct,
}
"""The function that reads a value of each type."""
