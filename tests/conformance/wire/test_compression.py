"""Framings as Kafka's readers take them, and bombs that don't go off."""

import tracemalloc
import zlib

import cramjam
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.wire.batch_format import HEADER_SIZE, TAIL, assemble, decode_records
from conformance.wire.batches import CodecName
from conformance.wire.compression import CODECS, SNAPPY_MAGIC, Undecodable, compress, decompress
from conformance.wire.decoding import Malformed
from conformance.wire.records import Record, encode_record

PACKED = CODECS[1:]
DATA = st.binary(max_size=300) | st.sampled_from(
    [b"ab" * 50_000, bytes(200_000), bytes(range(256)) * 600]
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(CODECS), DATA)
def test_what_is_compressed_comes_back(codec: CodecName, data: bytes) -> None:
    packed = compress(codec, data)
    assert compress(codec, data) == packed
    assert decompress(codec, packed, most=len(data)) == data


@pytest.mark.parametrize("codec", CODECS)
def test_one_byte_more_than_allowed_is_refused(codec: CodecName) -> None:
    with pytest.raises(Undecodable, match="more than the 999 bytes allowed"):
        decompress(codec, compress(codec, bytes(1000)), most=999)


def test_other_readers_take_our_framings() -> None:
    data = b"some text, some text" * 9000
    assert zlib.decompress(compress("gzip", data), 31) == data
    assert bytes(cramjam.lz4.decompress(compress("lz4", data))) == data
    assert bytes(cramjam.zstd.decompress(compress("zstd", data))) == data
    packed = compress("snappy", data)
    assert packed[:16] == SNAPPY_MAGIC + bytes.fromhex("00000001 00000001")
    size = int.from_bytes(packed[16:20], "big")
    assert bytes(cramjam.snappy.decompress_raw(packed[20 : 20 + size])) == data[: 32 * 1024]


def test_other_writers_frames_are_taken() -> None:
    data = b"some text, some text" * 200
    assert decompress("snappy", bytes(cramjam.snappy.compress_raw(data)), most=5000) == data
    assert (
        decompress("gzip", compress("gzip", data[:100]) + compress("gzip", data[100:]), most=5000)
        == data
    )
    assert decompress("zstd", bytes(cramjam.zstd.compress(data, 19)), most=5000) == data


def test_lz4_blocks_that_depend_on_each_other_are_refused_as_kafka_refuses_them() -> None:
    with pytest.raises(Undecodable, match="expected version 1 with independent blocks"):
        decompress("lz4", bytes(cramjam.lz4.compress(b"text" * 100)), most=1000)


@pytest.mark.parametrize("codec", PACKED)
def test_a_bomb_does_not_go_off(codec: CodecName) -> None:
    bomb = compress(codec, bytes(64 * 1024 * 1024))
    allowed = 100_000
    tracemalloc.start()
    try:
        with pytest.raises(Undecodable):
            decompress(codec, bomb, most=allowed)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * allowed + 4 * len(bomb)


@pytest.mark.parametrize("codec", PACKED)
def test_a_batch_that_holds_a_bomb_is_malformed(codec: CodecName) -> None:
    section = compress(codec, encode_record(Record(value=bytes(16 * 1024 * 1024))))
    batch = assemble(0, 0, TAIL.pack(CODECS.index(codec), 0, 0, 0, -1, -1, -1, 1), section)
    with pytest.raises(Malformed, match=f"records: {codec}") as caught:
        decode_records(batch, max_decompressed=1 << 20)
    assert caught.value.offset == HEADER_SIZE
    assert len(decode_records(batch, max_decompressed=17 << 20)[0].value or b"") == 16 << 20


@pytest.mark.parametrize("codec", PACKED)
def test_cut_or_damaged_bytes_are_refused(codec: CodecName) -> None:
    packed = compress(codec, bytes(range(256)) * 300)
    for cut in (1, 3, 7, 11, 19, len(packed) // 2, len(packed) - 1):
        with pytest.raises(Undecodable):
            decompress(codec, packed[:cut], most=100_000)


def test_claims_are_checked_before_they_are_believed() -> None:
    with pytest.raises(Undecodable, match="more than the 100 bytes"):
        decompress("snappy", b"\xff\xff\xff\xff\x0f", most=100)
    with pytest.raises(Undecodable, match="a block claims 2147483647 bytes"):
        decompress("snappy", compress("snappy", b"")[:16] + b"\x7f\xff\xff\xff", most=100)
    with pytest.raises(Undecodable, match="a block claims"):
        decompress("lz4", compress("lz4", b"")[:7] + b"\xff\xff\xff\x7f", most=100)


def test_an_unknown_codec_is_named() -> None:
    with pytest.raises(
        ValueError, match="expected one of none, gzip, snappy, lz4, zstd, found codec 'brotli'"
    ):
        compress("brotli", b"")  # type: ignore[arg-type]
