"""Thrift's compact protocol, in which Parquet has its footer and the headers of its pages.

Source: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

from typing import Any

from results.errors import DamagedError

BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, STRUCT = 3, 4, 5, 6, 7, 8, 9, 12
_TRUE, _FALSE = 1, 2
MOST_DEPTH = 8
"""Structs and lists within one another."""
Struct = dict[tuple[int, int], Any]
"""Values by the number of their field and its type, as a reader passes over a field of another."""


def read_struct(data: bytes, place: int, end: int, most: int) -> tuple[Struct, int]:
    """Return the struct that begins at a place, and the place after it.

    Args:
        data: what it stands in, up to ``end``.
        most: members of a list.

    Raises:
        DamagedError: it does not end there, has a list of more, or is none.
    """
    reader = _Reader(memoryview(data)[:end], place, most)
    try:
        return reader.struct(MOST_DEPTH), reader.place
    except IndexError:
        raise DamagedError("its footer, or a page, ends too early") from None


class _Reader:
    """Reads on from its place; IndexError beyond the end."""

    def __init__(self, data: memoryview, place: int, most: int) -> None:
        self.place = place
        self._data, self._most = data, most

    def struct(self, depth: int) -> Struct:
        """The fields up to the one of type 0."""
        fields: Struct = {}
        data, number = self._data, 0
        while head := data[self.place]:
            self.place += 1
            delta, kind = head >> 4, head & 15
            number = number + delta if delta else self._number()
            if (number, kind) in fields or not depth:
                raise DamagedError("a part of its footer, or of a page, stands there twice")
            if I16 <= kind <= I64:
                fields[number, kind] = self._number()
            else:
                fields[number, kind] = self._value(kind, depth - 1)
        self.place += 1
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (_TRUE, _FALSE):  # types of their own
            return kind == _TRUE
        if kind in (I16, I32, I64):
            return self._number()
        if kind == STRUCT:
            return self.struct(depth)
        if kind == BINARY:
            return self._bytes(self._varint())
        if kind == LIST and depth > 0:
            return self._list(depth - 1)
        if kind in (BYTE, DOUBLE):
            return self._bytes(1 if kind == BYTE else 8)
        raise DamagedError("its footer, or a page, has parts of an unknown type")

    def _list(self, depth: int) -> tuple[int, list[Any]]:
        """The type of the members, and the members."""
        head = self._data[self.place]
        self.place += 1
        kind, count = head & 15, head >> 4
        count = self._varint() if count == 15 else count
        if count > self._most:
            raise DamagedError(
                f"a list of {count} in its footer; at most {self._most} are expected"
            )
        if kind in (_TRUE, _FALSE):
            return kind, [byte == _TRUE for byte in self._bytes(count)]
        return kind, [self._value(kind, depth) for _ in range(count)]

    def _bytes(self, count: int) -> bytes:
        content = self._data[self.place : self.place + count].tobytes()
        if len(content) < count:
            raise IndexError(count)
        self.place += count
        return content

    def _number(self) -> int:
        """A signed number, whose sign is its last bit."""
        number = self._varint()
        return (number >> 1) ^ -(number & 1)

    def _varint(self) -> int:
        byte = self._data[self.place]
        self.place += 1
        number = byte & 127
        shift = 7
        while byte > 127:
            byte = self._data[self.place]
            self.place += 1
            number |= (byte & 127) << shift
            shift += 7
            if shift > 70:
                raise DamagedError("a number in its footer, or in a page, is too long")
        return number
