"""The four codecs in the framings that Kafka uses, bounded in what they may unpack to.

gzip is a plain member (RFC 1952); snappy is cut into blocks of 32 KiB behind the header of
snappy-java; LZ4 is a frame of independent 64 KiB blocks (the only kind Kafka's reader takes); zstd
is a plain frame.
"""

from __future__ import annotations

import struct
import zlib
from typing import Literal, get_args

import cramjam

CodecName = Literal["none", "gzip", "snappy", "lz4", "zstd"]
"""A batch's codec; its place in the list is the number in the batch's attributes."""

CODECS: tuple[CodecName, ...] = get_args(CodecName)

SNAPPY_MAGIC = b"\x82SNAPPY\x00"
SNAPPY_HEADER = SNAPPY_MAGIC + struct.pack(">ii", 1, 1)
SNAPPY_BLOCK = 32 * 1024

LZ4_MAGIC = b"\x04\x22\x4d\x18"
LZ4_HEADER = (
    LZ4_MAGIC + b"\x60\x40\x82"
)  # version 1, independent blocks, at most 64 KiB each, checksum of these two
LZ4_BLOCK = 64 * 1024
LZ4_BLOCKS = {4: 64 * 1024, 5: 256 * 1024, 6: 1024 * 1024, 7: 4 * 1024 * 1024}
LZ4_STORED = 0x80000000

GZIP_WINDOW = 31  # zlib's way of asking for a gzip member with the largest window


class Undecodable(Exception):  # noqa: N818 - it describes the bytes
    """Compressed bytes that can't be unpacked, or that unpack to more than was allowed."""


def compress(codec: CodecName, data: bytes) -> bytes:
    """Compress as Kafka's own producer frames it; the same input always gives the same bytes.

    Raises:
        ValueError: an unknown codec.
    """
    match codec:
        case "none":
            return data
        case "gzip":
            packer = zlib.compressobj(6, zlib.DEFLATED, GZIP_WINDOW)
            return packer.compress(data) + packer.flush()
        case "snappy":
            return _snappy(data)
        case "lz4":
            return _lz4(data)
        case "zstd":
            return bytes(cramjam.zstd.compress(data))
    raise ValueError(f"expected one of {', '.join(CODECS)}, found codec {codec!r}")


def decompress(codec: CodecName, data: bytes, *, most: int) -> bytes:
    """Unpack at most `most` bytes; nothing larger is allocated on the way.

    Raises:
        Undecodable: the bytes are damaged or unpack to more.
    """
    match codec:
        case "none":
            unpacked = data
        case "gzip":
            unpacked = _gunzip(data, most)
        case "snappy":
            unpacked = _unsnappy(data, most)
        case "lz4":
            unpacked = _unlz4(data, most)
        case "zstd":
            unpacked = _unzstd(data, most)
    if len(unpacked) > most:
        raise Undecodable(_too_large(codec, most))
    return unpacked


def _too_large(codec: str, most: int) -> str:
    return f"{codec}: unpacks to more than the {most} bytes allowed"


def _snappy(data: bytes) -> bytes:
    parts = [SNAPPY_HEADER]
    for start in range(0, len(data), SNAPPY_BLOCK):
        block = bytes(cramjam.snappy.compress_raw(data[start : start + SNAPPY_BLOCK]))
        parts += (len(block).to_bytes(4, "big"), block)
    return b"".join(parts)


def _lz4(data: bytes) -> bytes:
    parts = [LZ4_HEADER]
    for start in range(0, len(data), LZ4_BLOCK):
        block = data[start : start + LZ4_BLOCK]
        packed = bytes(cramjam.lz4.compress_block(block, store_size=False))
        if len(packed) < len(block):
            parts += (len(packed).to_bytes(4, "little"), packed)
        else:
            parts += ((len(block) | LZ4_STORED).to_bytes(4, "little"), block)
    parts.append(bytes(4))
    return b"".join(parts)


def _gunzip(data: bytes, most: int) -> bytes:
    parts = []
    left = most
    while data:
        unpacker = zlib.decompressobj(GZIP_WINDOW)
        try:
            part = unpacker.decompress(data, left + 1)
        except zlib.error as problem:
            raise Undecodable(f"gzip: {problem}") from None
        left -= len(part)
        if left < 0:
            raise Undecodable(_too_large("gzip", most))
        if not unpacker.eof:
            raise Undecodable("gzip: the data ends inside a member")
        parts.append(part)
        data = unpacker.unused_data
    return b"".join(parts)


def _unsnappy_block(block: bytes, left: int, most: int) -> bytes:
    try:
        size = cramjam.snappy.decompress_raw_len(block)
        if size > left:
            raise Undecodable(_too_large("snappy", most))
        room = bytearray(size)
        cramjam.snappy.decompress_raw_into(block, room)
    except cramjam.DecompressionError as problem:
        raise Undecodable(f"snappy: {problem}") from None
    return bytes(room)


def _unsnappy(data: bytes, most: int) -> bytes:
    if not data.startswith(SNAPPY_MAGIC):
        return _unsnappy_block(data, most, most)
    parts = []
    left = most
    position = len(SNAPPY_HEADER)
    if len(data) < position:
        raise Undecodable("snappy: the data ends inside the header")
    while position < len(data):
        if len(data) - position < 4:
            raise Undecodable("snappy: the data ends inside a block's length")
        size = int.from_bytes(data[position : position + 4], "big")
        position += 4
        if size > len(data) - position:
            raise Undecodable(
                f"snappy: a block claims {size} bytes, {len(data) - position} are left"
            )
        part = _unsnappy_block(data[position : position + size], left, most)
        parts.append(part)
        left -= len(part)
        position += size
    return b"".join(parts)


def _lz4_blocks_at(data: bytes) -> tuple[int, int, int]:
    """Where an LZ4 frame's blocks start, how large one may be, and the bytes of each block's
    checksum.
    """
    if len(data) < len(LZ4_HEADER) or not data.startswith(LZ4_MAGIC):
        raise Undecodable("lz4: no frame header")
    flags, block = data[4], data[5]
    if flags >> 6 != 1 or not flags & 0x20:
        raise Undecodable(f"lz4: flags {flags:#04x}; expected version 1 with independent blocks")
    size = LZ4_BLOCKS.get(block >> 4)
    if size is None:
        raise Undecodable(f"lz4: block size code {block >> 4}; expected 4 to 7")
    return 7 + (8 if flags & 0x08 else 0), size, 4 if flags & 0x10 else 0


def _unlz4(data: bytes, most: int) -> bytes:
    position, largest, checksum = _lz4_blocks_at(data)
    parts: list[bytes] = []
    left = most
    while True:
        word = int.from_bytes(data[position : position + 4], "little")
        if position + 4 > len(data):
            raise Undecodable("lz4: the data ends before the end mark")
        position += 4
        if word == 0:
            return b"".join(parts)
        size = word & ~LZ4_STORED
        if size > largest or size + checksum > len(data) - position:
            raise Undecodable(
                f"lz4: a block claims {size} bytes, {len(data) - position} are left, {largest} "
                "allowed"
            )
        part = data[position : position + size]
        if not word & LZ4_STORED:
            room = bytearray(min(largest, left + 1))
            try:
                part = bytes(memoryview(room)[: cramjam.lz4.decompress_block_into(part, room)])
            except cramjam.DecompressionError as problem:
                raise Undecodable(
                    f"lz4: damaged, or more than the {most} bytes allowed: {problem}"
                ) from None
        left -= len(part)
        if left < 0:
            raise Undecodable(_too_large("lz4", most))
        parts.append(part)
        position += size + checksum


def _unzstd(data: bytes, most: int) -> bytes:
    room = min(most, 4 * len(data) + LZ4_BLOCK)
    while True:
        output = bytearray(room)
        try:
            return bytes(memoryview(output)[: cramjam.zstd.decompress_into(data, output)])
        except cramjam.DecompressionError as problem:
            if room >= most:
                raise Undecodable(
                    f"zstd: damaged, or more than the {most} bytes allowed: {problem}"
                ) from None
        room = min(most, room * 4)
