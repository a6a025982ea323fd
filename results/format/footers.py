"""What a Parquet file declares, checked before anything of it is decoded.

Three layers of a file say how much memory it takes: the footer (columns, row groups, rows), the
header of each page (its size once it is unpacked, and its values), and the pages themselves, which
the library unpacks into just the room that their headers declare. So the footer and the headers are
read here first; pyarrow asked for parts of a damaged footer may end the process. What this package
never writes nor pyarrow by default (nested columns, encodings by differences, columns in other
files) is no file of a run.

Source: https://parquet.apache.org/docs/file-format
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from results.errors import DamagedError, ResultsError, shown
from results.format.limits import check_size, most_decoded
from results.format.schema import as_in
from results.format.thrift import BINARY, I32, I64, LIST, STRUCT, Struct, read_struct

MAGIC = b"PAR1"
MOST_MEMBERS = 100
"""Of any list in a footer: columns, row groups of up to a million rows, metadata."""
TEXT_BYTES = 100
"""What a text of a row, or a genome beside its own bytes, takes in a frame, about."""
_TAIL = 8
"""The length of the footer, and the magic, at the end."""
_CODECS = {0, 1, 2, 6}
"""None, snappy, gzip and zstd, which unpack into as much room as a page declares, and no more."""
_ENCODINGS = {0, 2, 3, 8}
"""Plain, plain dictionary, run lengths, and run lengths of places in a dictionary."""
_REQUIRED, _OPTIONAL = 0, 1

# Fields of the footer and of the headers of pages, by their numbers and types in parquet.thrift.
_SCHEMA, _ROWS, _GROUPS = (2, LIST), (3, I64), (4, LIST)
_REPETITION, _NAME, _CHILDREN = (3, I32), (4, BINARY), (5, I32)
_COLUMNS, _GROUP_ROWS = (1, LIST), (3, I64)
_FILE, _CHUNK = (1, BINARY), (3, STRUCT)
_PATH, _CODEC, _VALUES, _PACKED = (3, LIST), (4, I32), (5, I64), (7, I64)
_CHUNK_ENCODINGS, _DATA_PLACE, _DICTIONARY_PLACE = (2, LIST), (9, I64), (11, I64)
_PAGE_TYPE, _PAGE_UNPACKED, _PAGE_PACKED = (1, I32), (2, I32), (3, I32)
_PAGE_VALUES = (1, I32)
_DICTIONARY = 2
_HEADERS = {
    0: ((5, STRUCT), (2, I32)),
    _DICTIONARY: ((7, STRUCT), (2, I32)),
    3: ((8, STRUCT), (4, I32)),
}
"""By the type of a page the field that holds its own header, and that of the encoding in it."""


class _Page(NamedTuple):
    is_dictionary: bool
    values: int
    unpacked: int


def opened(data: bytes, schema: pa.Schema, source: object) -> pq.ParquetFile:
    """Return a Parquet file whose sizes are those of its data, to be read.

    Texts come as dictionaries, so that one that stands in each row is held once.

    Raises:
        DamagedError: it contradicts itself, or is of a kind that this package never writes.
        ResultsError: it has other columns, or would take too much memory.
        pa.ArrowException, OSError, ValueError: the library cannot read its footer.
    """
    end = _end_of_pages(data)
    footer, _ = read_struct(data, end, len(data) - _TAIL, MOST_MEMBERS)
    names = [name.decode() for name in _columns_of(_members(footer, _SCHEMA))]
    schema = as_in(schema, names)
    check_columns(set(names), set(schema.names), source)
    if len(names) != len(schema):
        raise DamagedError("a column stands there twice")
    rows = _size(footer, _ROWS)
    check_size(source, rows * sum(map(_width, schema.types)), most_decoded(len(data)))
    groups = _members(footer, _GROUPS)
    if sum(_size(group, _GROUP_ROWS) for group in groups) != rows:
        raise DamagedError(f"its parts have other rows than the {rows} that it declares")
    unpacked = 0
    for group in groups:
        for page in _pages_of_group(data, group, names, end):
            unpacked += page.unpacked
    check_size(source, unpacked, most_decoded(len(data)))
    return pq.ParquetFile(
        pa.BufferReader(data),
        read_dictionary=[field.name for field in schema if field.type == pa.string()],
        pre_buffer=False,
        page_checksum_verification=True,
        thrift_string_size_limit=len(data),
        thrift_container_size_limit=MOST_MEMBERS,
    )


def _end_of_pages(data: bytes) -> int:
    """Where the footer begins."""
    length = int.from_bytes(data[-_TAIL:-4], "little")
    if data[:4] != MAGIC or data[-4:] != MAGIC or length > len(data) - _TAIL - 4:
        raise DamagedError("it does not begin and end as a Parquet file does")
    return len(data) - _TAIL - length


def check_columns(given: set[Any], expected: set[Any], source: object) -> None:
    """Refuse a file with other columns: their names, or these and more.

    Raises:
        ResultsError: it is no file of the run.
    """
    if given != expected:
        strange = {each if isinstance(each, str) else each[0] for each in given ^ expected}
        names = shown(", ".join(sorted(strange)))
        raise ResultsError(
            f"{source} is not a file of this run: its columns differ in {names}; move it out of "
            "the folder"
        )


def _columns_of(elements: list[Struct]) -> Iterator[bytes]:
    """The names of columns, none of them nested."""
    root, *columns = elements or [{}]
    if root.get(_CHILDREN) != len(columns):
        raise DamagedError("its columns are not those that it declares")
    for column in columns:
        if column.get(_CHILDREN) or column.get(_REPETITION) not in (_REQUIRED, _OPTIONAL):
            raise DamagedError("its columns are nested")
        yield column.get(_NAME, b"")


def _width(kind: pa.DataType) -> int:
    """Bytes of a value in a frame."""
    if kind == pa.string():
        return TEXT_BYTES
    if pa.types.is_fixed_size_binary(kind):
        return kind.byte_width + TEXT_BYTES
    return kind.bit_width // 8


def _pages_of_group(data: bytes, group: Struct, names: list[str], end: int) -> Iterator[_Page]:
    """The pages of all columns of a row group."""
    columns = _members(group, _COLUMNS)
    if len(columns) != len(names):
        raise DamagedError(f"a part of it has {len(columns)} columns of {len(names)}")
    for column, name in zip(columns, names, strict=True):
        chunk = column.get(_CHUNK, {})
        encodings = chunk.get(_CHUNK_ENCODINGS, (0, [-1]))[1]
        is_here = not column.get(_FILE) and chunk.get(_CODEC) in _CODECS
        if not is_here or not _ENCODINGS.issuperset(encodings):
            raise DamagedError(f"column {shown(name)} is written in a way that runs never are")
        if (
            chunk.get(_PATH) != (BINARY, [name.encode()])
            or chunk.get(_VALUES) != group[_GROUP_ROWS]
        ):
            raise DamagedError(f"column {shown(name)} has another name, or other rows, in a part")
        yield from _pages_of_column(data, chunk, name, end)


def _pages_of_column(data: bytes, chunk: Struct, name: str, end: int) -> Iterator[_Page]:
    begin = _size(chunk, _DATA_PLACE)
    first = chunk.get(_DICTIONARY_PLACE) or begin
    place = first
    last = first + _size(chunk, _PACKED)
    if first == last and not chunk[_VALUES]:
        return
    if not len(MAGIC) <= first < last <= end or (begin < first and chunk[_VALUES]):
        raise DamagedError(f"column {shown(name)} does not lie within the file")
    values = 0
    while place < last:
        header, place = read_struct(data, place, last, MOST_MEMBERS)
        page = _page(header, name)
        place += _size(header, _PAGE_PACKED)
        values += 0 if page.is_dictionary else page.values
        yield page
    if place > last or values != chunk[_VALUES]:
        raise DamagedError(
            f"the pages of column {shown(name)} hold {values} values of {chunk[_VALUES]}"
        )


def _page(header: Struct, name: str) -> _Page:
    kind = header.get(_PAGE_TYPE)
    if kind not in _HEADERS:
        raise DamagedError(f"column {shown(name)} has a page of an unknown type")
    field, encoding = _HEADERS[kind]
    own = header.get(field, {})
    page = _Page(kind == _DICTIONARY, _size(own, _PAGE_VALUES), _size(header, _PAGE_UNPACKED))
    if own.get(encoding) not in _ENCODINGS or (page.is_dictionary and page.values > page.unpacked):
        raise DamagedError(f"column {shown(name)} has a page written in a way that runs never are")
    return page


def _members(struct: Struct, field: tuple[int, int]) -> list[Any]:
    """The structs of a list."""
    kind, members = struct.get(field, (STRUCT, []))
    if kind != STRUCT:
        raise DamagedError("its footer has parts of an unknown type")
    return members


def _size(struct: Struct, field: tuple[int, int]) -> int:
    size = struct.get(field, -1)
    if size < 0:
        raise DamagedError("its footer, or a page, lacks a size")
    return size
