"""SipHash-2-4 of any message, byte by byte, as the paper describes it."""

from __future__ import annotations

WORD = 2**64


def siphash(key: bytes, message: bytes) -> int:
    k0, k1 = (int.from_bytes(key[at : at + 8], "little") for at in (0, 8))
    v = [
        k0 ^ int.from_bytes(b"somepseu", "big"),
        k1 ^ int.from_bytes(b"dorandom", "big"),
        k0 ^ int.from_bytes(b"lygenera", "big"),
        k1 ^ int.from_bytes(b"tedbytes", "big"),
    ]
    padded = message + bytes(-(len(message) + 1) % 8) + bytes([len(message) % 256])
    for at in range(0, len(padded), 8):
        word = int.from_bytes(padded[at : at + 8], "little")
        v[3] ^= word
        rounds(v, 2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(v, 4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def rounds(v: list[int], count: int) -> None:
    for _ in range(count):
        for a, b, bits in ((0, 1, 13), (2, 3, 16), (0, 3, 21), (2, 1, 17)):
            v[a] = (v[a] + v[b]) % WORD
            v[b] = left(v[b], bits) ^ v[a]
            if bits in (13, 17):
                v[a] = left(v[a], 32)


def left(word: int, bits: int) -> int:
    return (word << bits | word >> (64 - bits)) % WORD
