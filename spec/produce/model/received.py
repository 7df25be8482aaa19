"""A batch as a leader sees it: what the bytes for one partition of a Produce request say."""

from enum import StrEnum
from typing import Any

from spec.frozen import frozen, replace
from spec.kafka import BATCH_HEADER, CURRENT_MAGIC, INT32_MAX
from spec.layout import Codec
from spec.produce.steps import Flaw, Outgoing
from spec.replica import Incoming


class Framing(StrEnum):
    """How the bytes for a partition divide into batches."""

    ONE = "one"
    """One whole batch; the start of another one may follow it."""
    NONE = "none"
    """No whole batch."""
    SEVERAL = "several"
    UNREADABLE = "unreadable"
    """The first batch has a length or a format that none can have."""


@frozen
class Received:
    """The first batch for a partition, and what follows it.

    Attributes:
        framing: see `Framing`; where it is not `ONE`, only `magic` and `codec` are of use.
        size: bytes of the whole batch.
        unpacked: bytes that the whole batch has with its records uncompressed; None where that is
            not known.
        magic: its format.
        base_offset: that of its header.
        sound: its checksum is right.
        codec: how its records are compressed; None for a number that names no codec.
        count: the header's count of records.
        last_delta: the header's last offset delta.
        records: how many records its bytes hold; None where they can't be read.
        control: it says that it is a control batch.
        log_append_time: it says that its timestamps are the broker's.
        transactional: it says that it is part of a transaction.
        producer, epoch, sequence: of an idempotent producer; -1 for any other.
        lies: its header's max timestamp is not that of its records.
        keyless: the indices of its records without a key.
        times: the time of each record, milliseconds from the leader's clock; None for a timestamp
            of -1.
        longest: bytes of its largest record as its length counts them, at least and at most.
        bytes_after: it is followed by bytes that are no whole batch.
    """

    framing: Framing = Framing.ONE
    size: int = 0
    unpacked: int | None = None
    magic: int = CURRENT_MAGIC
    base_offset: int = 0
    sound: bool = True
    codec: Codec | None = Codec.NONE
    count: int = 1
    last_delta: int = 0
    records: int | None = 1
    control: bool = False
    log_append_time: bool = False
    transactional: bool = False
    producer: int = -1
    epoch: int = -1
    sequence: int = -1
    lies: bool = False
    keyless: tuple[int, ...] = ()
    times: tuple[int | None, ...] = ()
    longest: tuple[int, int] = (0, INT32_MAX)
    bytes_after: bool = False


def incoming_of(received: Received) -> Incoming:
    """A batch that was checked, as the model of a replica takes it."""
    return Incoming(
        received.size,
        max(1, received.last_delta + 1),
        producer=received.producer,
        epoch=received.epoch,
        sequence=received.sequence,
        transactional=received.transactional,
    )


EVEN, EVEN_FROM = 16, 8
"""The records of a batch that unpacks to so many times its size and more are of one size, but for
so many bytes.
"""


def even_share(batch: Outgoing) -> int:
    """Bytes that each record of a compressed batch has at least; 0 where that is not known."""
    if not batch.unpacked or batch.unpacked < EVEN_FROM * batch.size:
        return 0
    return max(0, (batch.unpacked - BATCH_HEADER) // batch.records - EVEN)


def _longest_record(batch: Outgoing) -> tuple[int, int]:
    """Bytes of the largest record as its length counts them, at least and at most."""
    if batch.codec is Codec.NONE or not batch.unpacked:
        return 0, INT32_MAX
    section, others = batch.unpacked - BATCH_HEADER, batch.records - 1
    if not others:
        (alone,) = [size for size in range(section - 5, section) if size + _varint(size) == section]
        return alone, alone
    share = even_share(batch)
    return share, section - others * max(1, share)


def _varint(value: int) -> int:
    """Bytes of a length before what it counts: seven bits a byte, with a bit for the sign."""
    return ((2 * value).bit_length() + 6) // 7


UNREADABLE: dict[str, Any] = {"unpacked": None, "records": None, "keyless": (), "times": ()}
"""What is seen of records that can't be uncompressed."""


def received_of(batch: Outgoing) -> Received:
    """What a leader sees of a batch of this shape."""
    records, flaw = batch.records, batch.flaw
    plain = Received(
        size=batch.size,
        unpacked=batch.size if batch.codec is Codec.NONE else batch.unpacked or None,
        codec=batch.codec,
        count=records,
        last_delta=records - 1,
        records=records,
        longest=_longest_record(batch),
        keyless=batch.without_key,
        times=batch.record_times,
        producer=-1 if batch.producer is None else batch.producer,
        epoch=-1 if batch.producer is None else batch.epoch,
        sequence=-1 if batch.producer is None else batch.sequence,
    )
    changes: dict[Flaw, dict[str, Any]] = {
        Flaw.CRC: {"sound": False},
        Flaw.MAGIC_0: {"magic": 0, "codec": Codec.NONE, "unpacked": None},
        Flaw.MAGIC_1: {"magic": 1, "codec": Codec.NONE, "unpacked": None},
        Flaw.MAGIC_3: {"framing": Framing.UNREADABLE, "magic": 3},
        Flaw.SHORT_LENGTH: {"framing": Framing.UNREADABLE},
        Flaw.COUNT_ABOVE: {"count": records + 1, "last_delta": records},
        Flaw.COUNT_BELOW: {"count": records - 1, "last_delta": records - 2},
        Flaw.COUNT_ZERO: {"count": 0},
        Flaw.DELTA_ABOVE: {"last_delta": records},
        Flaw.DELTA_BELOW: {"last_delta": records - 2},
        Flaw.TWO_BATCHES: {"framing": Framing.SEVERAL},
        Flaw.EMPTY: {"framing": Framing.NONE},
        Flaw.HEADER_ONLY: {
            "size": BATCH_HEADER,
            "unpacked": BATCH_HEADER,
            "codec": Codec.NONE,
            "count": 0,
            "last_delta": -1,
            "records": 0,
            "keyless": (),
            "times": (),
        },
        Flaw.CUT: {"framing": Framing.NONE},
        Flaw.BYTES_AFTER: {"bytes_after": True},
        Flaw.BASE_OFFSET: {"base_offset": 1},
        Flaw.BASE_OFFSET_NEGATIVE: {"base_offset": -1},
        Flaw.CONTROL: {"control": True},
        Flaw.TRANSACTIONAL: {"transactional": True},
        Flaw.APPEND_TIME: {"log_append_time": True},
        Flaw.CODEC_5: {"codec": None, **UNREADABLE},
        Flaw.UNDECODABLE: {"codec": Codec.GZIP, **UNREADABLE},
        Flaw.NO_SEQUENCE: {"producer": 0, "epoch": 0},
        Flaw.MAX_TIMESTAMP_ABOVE: {"lies": True},
        Flaw.MAX_TIMESTAMP_UNSET: {"lies": True},
        Flaw.NO_TIMESTAMP: {"times": (None,) * records},
    }
    return replace(plain, **changes.get(flaw, {}))
