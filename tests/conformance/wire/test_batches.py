"""Record batches to the byte, and against kafka-python's reader and writer."""

import random
import struct
import zlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kafka.record.default_records import DefaultRecordBatch, DefaultRecordBatchBuilder
from kafka.record.legacy_records import LegacyRecordBatchBuilder
from kafka.record.memory_records import MemoryRecords

from conformance.wire.batches import (
    ABORT,
    CODECS,
    COMMIT,
    CodecName,
    Record,
    control_record,
    control_type,
    decode_records,
    encode_batch,
    old_message,
    parse_batches,
    restamp,
)
from conformance.wire.decoding import Malformed
from conformance.wire.records import (
    decode_section,
    encode_records,
    read_varint,
    varint,
    varint_size,
)

BLOBS = st.none() | st.binary(max_size=90)
HEADERS = st.lists(st.tuples(st.text(max_size=8).map(str.encode), BLOBS), max_size=3).map(tuple)
GAPS_AND_RECORDS = st.tuples(
    st.integers(0, 9), st.builds(Record, st.just(0), st.integers(0, 2**40), BLOBS, BLOBS, HEADERS)
)


def with_gaps(drawn: list[tuple[int, Record]]) -> list[Record]:
    """Records whose offsets ascend, with gaps as compaction leaves them."""
    offset = -1
    placed = []
    for gap, record in drawn:
        offset += 1 + gap
        placed.append(replace(record, offset_delta=offset))
    return placed


RECORDS = st.lists(GAPS_AND_RECORDS, min_size=1, max_size=6).map(with_gaps)


def test_a_batch_of_two_records_has_these_bytes() -> None:
    batch = encode_batch(
        [Record(0, 0, b"k", b"v"), Record(1, 5, None, b"vv", ((b"h", None),))],
        base_offset=100,
        base_timestamp=10,
        producer_id=7,
        producer_epoch=2,
        base_sequence=5,
        transactional=True,
    )
    records = "10 00 00 00 02 6b 02 76 00" + "16 00 0a 02 01 04 7676 02 02 68 01"
    assert batch.hex() == (
        "0000000000000064 00000046 ffffffff 02 a97340af"
        "0010 00000001 000000000000000a 000000000000000f 0000000000000007 0002 00000005 00000002"
        + records
    ).replace(" ", "")


@settings(max_examples=80, deadline=None)
@given(RECORDS, st.sampled_from(CODECS), st.booleans())
def test_what_is_written_is_read_back(
    records: list[Record], codec: CodecName, transactional: bool
) -> None:
    batch = encode_batch(
        records,
        codec=codec,
        base_offset=9,
        base_timestamp=1000,
        transactional=transactional,
        producer_id=3,
        producer_epoch=1,
        base_sequence=0,
        partition_leader_epoch=4,
    )
    (header,), trailing = parse_batches(batch)
    assert trailing == 0
    assert header.crc_ok
    assert (header.position, header.base_offset, header.size) == (0, 9, len(batch))
    assert header.last_offset == 9 + records[-1].offset_delta
    assert header.records_count == len(records)
    assert (header.codec, header.transactional, header.control) == (codec, transactional, False)
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (3, 1, 0)
    assert header.partition_leader_epoch == 4
    assert header.max_timestamp == 1000 + max(each.timestamp_delta for each in records)
    assert decode_records(batch, max_decompressed=10_000) == records


@settings(max_examples=60, deadline=None)
@given(RECORDS, st.sampled_from(["none", "gzip"]))
def test_kafka_python_reads_what_we_write(records: list[Record], codec: CodecName) -> None:
    batch = encode_batch(records, codec=codec, base_offset=9, base_timestamp=1000)
    found = MemoryRecords(batch).next_batch()
    assert found.validate_crc()
    read = [(each.offset, each.timestamp, each.key, each.value, each.headers) for each in found]
    assert read == [
        (
            9 + each.offset_delta,
            1000 + each.timestamp_delta,
            each.key,
            each.value,
            [(name.decode(), value) for name, value in each.headers],
        )
        for each in records
    ]


@settings(max_examples=60, deadline=None)
@given(RECORDS, st.sampled_from([0, 1]), st.booleans())
def test_we_read_what_kafka_python_writes_and_write_the_same_bytes(
    records: list[Record], codec: int, transactional: bool
) -> None:
    builder = DefaultRecordBatchBuilder(2, codec, transactional, 5, 1, 2, 1 << 20)
    contiguous = [replace(each, offset_delta=index) for index, each in enumerate(records)]
    contiguous[0] = replace(contiguous[0], timestamp_delta=0)
    for each in contiguous:
        headers = [(name.decode(), value) for name, value in each.headers]
        builder.append(
            each.offset_delta, 1000 + each.timestamp_delta, each.key, each.value, headers
        )
    batch = bytes(builder.build())
    (header,), trailing = parse_batches(batch)
    assert (header.crc_ok, trailing, header.transactional) == (True, 0, transactional)
    assert decode_records(batch, max_decompressed=10_000) == contiguous
    if header.codec == "none":
        ours = encode_batch(
            contiguous,
            base_timestamp=1000,
            transactional=transactional,
            partition_leader_epoch=header.partition_leader_epoch,
            producer_id=5,
            producer_epoch=1,
            base_sequence=2,
        )
        assert ours == batch


def test_control_batches_say_whether_they_abort_or_commit() -> None:
    for kind in (ABORT, COMMIT):
        batch = encode_batch(
            [control_record(kind, 3)],
            control=True,
            transactional=True,
            producer_id=1,
            producer_epoch=0,
        )
        assert parse_batches(batch).batches[0].control
        (record,) = decode_records(batch)
        assert control_type(record) == kind
        (theirs,) = DefaultRecordBatch(batch)
        assert (theirs.abort, theirs.commit) == (kind == ABORT, kind == COMMIT)
    with pytest.raises(Malformed, match="control record"):
        control_type(Record(key=b"\0"))


def test_several_batches_and_a_cut_last_one_are_walked() -> None:
    one, two, three = (
        encode_batch([Record(value=b"x" * size)], base_offset=size) for size in (10, 20, 30)
    )
    data = one + two + three
    for cut in (0, 1, 11, 12, 16, 17, 60, 61, len(three) - 1):
        found = parse_batches(one + two + three[:cut])
        assert [each.base_offset for each in found.batches] == [10, 20]
        assert [each.position for each in found.batches] == [0, len(one)]
        assert found.trailing == cut
    assert len(parse_batches(data).batches) == 3
    assert parse_batches(b"") == ((), 0)


def test_a_wrong_crc_is_seen_and_no_error() -> None:
    batch = bytearray(encode_batch([Record(value=b"abc")]))
    batch[-2] ^= 1
    assert parse_batches(bytes(batch)).batches[0].crc_ok is False
    assert parse_batches(bytes(batch), check_crc=False).batches[0].crc_ok is None


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", [0, 1])
def test_sets_of_the_older_formats_are_walked(magic: int, codec: int) -> None:
    builder = LegacyRecordBatchBuilder(magic, codec, 1 << 20)
    for offset in range(2):
        builder.append(offset, 1234, b"k", b"value")
    data = bytes(builder.build())
    newer = encode_batch([Record(value=b"abc")], base_offset=50)
    found = parse_batches(data + newer + data[:20])
    assert [each.magic for each in found.batches] == ([magic] if codec else [magic, magic]) + [2]
    assert all(each.crc_ok for each in found.batches)
    assert found.batches[-1].base_offset == 50
    assert sum(each.size for each in found.batches) == len(data) + len(newer)
    assert found.trailing == 20
    assert found.batches[0].records_count == -1
    if not codec:
        assert found.batches[0].max_timestamp == (1234 if magic else -1)


@pytest.mark.parametrize(("magic", "least"), [(0, 26), (1, 34)])
def test_an_old_message_of_each_size_is_one_that_another_reader_takes(
    magic: int, least: int
) -> None:
    for size in (least, least + 1, 100):
        data = old_message(size, magic, 7, 1234)
        assert len(data) == size
        batch = MemoryRecords(data).next_batch()
        assert batch is not None
        assert batch.validate_crc()
        (record,) = list(batch)
        assert (record.offset, record.key, len(record.value or b"")) == (7, None, size - least)
        assert record.timestamp == (1234 if magic else None)
    with pytest.raises(ValueError, match=f"at least {least} bytes"):
        old_message(least - 1, magic, 0, 0)


def test_an_old_message_of_todays_format_is_refused() -> None:
    with pytest.raises(ValueError, match="format 0 or 1, found 2"):
        old_message(100, 2, 0, 0)


@pytest.mark.parametrize(
    ("position", "replacement", "text"),
    [
        (8, struct.pack(">i", 13), "batch length 13, the smallest is 14"),
        (8, struct.pack(">i", -1), "batch length -1"),
        (8, struct.pack(">i", 48), "batch length 48 with magic 2"),
        (16, b"\x03", "magic 3, expected 0, 1 or 2"),
        (16, b"\xff", "magic 255"),
    ],
)
def test_a_header_that_no_format_allows_is_malformed(
    position: int, replacement: bytes, text: str
) -> None:
    batch = encode_batch([Record(value=b"abc")])
    broken = batch[:position] + replacement + batch[position + len(replacement) :]
    for data in (broken, batch + broken, broken + batch):
        with pytest.raises(Malformed, match=text):
            parse_batches(data)


def test_stamping_changes_the_header_and_nothing_else() -> None:
    batch = encode_batch([Record(0, 5, b"k", b"v")], base_timestamp=100)
    changed = restamp(
        batch,
        producer_id=9,
        producer_epoch=3,
        base_sequence=4,
        transactional=True,
        base_timestamp=1000,
        base_offset=7,
        partition_leader_epoch=2,
    )
    header = parse_batches(changed).batches[0]
    assert header.crc_ok
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (9, 3, 4)
    assert (header.base_timestamp, header.max_timestamp) == (1000, 1005)
    assert (header.base_offset, header.partition_leader_epoch, header.transactional) == (7, 2, True)
    assert decode_records(changed) == decode_records(batch)
    assert restamp(batch) == batch
    assert restamp(changed, transactional=False) != changed
    assert not parse_batches(restamp(changed, transactional=False)).batches[0].transactional


def test_a_header_can_be_made_to_lie() -> None:
    batch = encode_batch([Record()], records_count=3, last_offset_delta=-1, max_timestamp=99)
    header = parse_batches(batch).batches[0]
    assert (header.records_count, header.last_offset_delta, header.max_timestamp) == (3, -1, 99)
    with pytest.raises(Malformed, match="claims 3 records in 7 bytes"):
        decode_records(batch)


@pytest.mark.parametrize(
    ("section", "count", "text"),
    [
        ("0c 00 00 00 01 00 00", 2, "claims 2 records in 7 bytes"),
        ("0c 00 00 00 01 00 00 00", 1, "1 bytes after the last of 1 records"),
        ("0a 00 00 00 01 00 00", 1, "a record claims 5 bytes"),
        ("7e 00 00 00 01 00 00", 1, "a record claims 63 bytes, 6 are left"),
        ("0c 00 00 00 03 00 00", 1, "a key claims -2 bytes"),
        ("0c 00 00 00 01 7e 00", 1, "a value claims 63 bytes"),
        ("0c 00 00 00 01 00 01", 1, "claims -1 headers"),
        ("0c 00 00 00 01 00 7e", 1, "claims 63 headers"),
        ("10 00 00 00 01 00 02 01 00", 1, "a header's key is null"),
        ("0e 00 00 00 01 00 00 00", 1, "end 1 bytes before"),
        ("ff ff ff ff ff 0f 00", 1, "more than 32 bits"),
        ("80 80 80 80 80 80 80", 1, "more than 32 bits"),
    ],
)
def test_each_kind_of_damage_in_the_records_is_named(section: str, count: int, text: str) -> None:
    with pytest.raises(Malformed, match=text):
        decode_section(bytes.fromhex(section), count)


def test_mutated_batches_decode_or_are_malformed() -> None:
    draw = random.Random(5)
    for codec in CODECS:
        good = encode_batch(
            [Record(index, index, b"key", b"value" * 9, ((b"h", b"v"),)) for index in range(5)],
            codec=codec,
        )
        malformed = 0
        for _ in range(1500):
            data = bytearray(good)
            for _ in range(draw.randint(1, 3)):
                data[draw.randrange(len(data))] = draw.randrange(256)
            try:
                parse_batches(bytes(data))
                decode_records(bytes(data), max_decompressed=10_000)
            except Malformed:
                malformed += 1
        assert malformed > 100, codec


@pytest.mark.parametrize("number", [0, 1, -1, 63, 64, -64, -65, 8191, 8192, 2**31 - 1, -(2**31)])
def test_varints_are_zigzag_and_their_size_is_known(number: int) -> None:
    data = varint(number)
    assert len(data) == varint_size(number)
    assert read_varint(data, 0) == (number, len(data))


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63)])
def test_the_longest_varints_hold_64_bits(number: int) -> None:
    assert read_varint(varint(number), 0, 64) == (number, 10)
    with pytest.raises(Malformed, match="more than 32 bits"):
        read_varint(varint(number), 0)


def test_an_empty_batch_has_only_a_header() -> None:
    batch = encode_batch([], last_offset_delta=4)
    assert len(batch) == 61
    assert parse_batches(batch).batches[0].last_offset == 4
    assert decode_records(batch) == []
    assert encode_records([]) == b""


def test_an_older_format_and_an_unknown_codec_have_no_records_for_us() -> None:
    legacy = struct.pack(">qiIbb", 0, 49 + 20, zlib.crc32(b""), 1, 0) + bytes(80)
    with pytest.raises(Malformed, match="magic 1, expected 2"):
        decode_records(legacy)
    batch = bytearray(encode_batch([Record()]))
    batch[22] |= 5
    assert parse_batches(bytes(batch)).batches[0].codec is None
    with pytest.raises(Malformed, match="codec 5, expected 0 to 4"):
        decode_records(bytes(batch))
