"""What a scenario of produce does: it says which topic its partitions belong to, sends batches, and
looks at what is stored then.

A batch is a shape: its size, its record count and one flaw of its bytes; the bytes follow from the
shape and from its place in the scenario, so that no two batches of one scenario hold the same
records.
"""

from collections.abc import Iterator
from enum import StrEnum

from spec.frozen import frozen, replace
from spec.kafka import BATCH_HEADER
from spec.layout import Codec
from spec.produce.topic import TopicSettings
from spec.steps import Step

OLDEST_PRODUCE = 3
"""The oldest Produce version that carries record batches of format 2 (KIP-98, KIP-896)."""
ZSTD_SINCE = 7
"""The Produce version from which on batches may be compressed by zstd (KIP-110)."""
TOPIC_IDS_SINCE = 13
"""The Produce version that names topics by their ids (KIP-516)."""
FLEXIBLE_SINCE = 9
"""The Produce version whose requests may have tagged fields (KIP-482)."""
HEADERS = 512
"""Bytes of a request beside its batches, and beside one of them, at most."""
BEGINS_PARTITIONS_SINCE = 12
"""The Produce version from which on a batch makes its partition part of the transaction (KIP-890).
"""
RECORD_ERRORS_SINCE = 8
"""The Produce version whose answers name each refused record (KIP-467)."""


class Flaw(StrEnum):
    """One thing that is wrong, or unusual, in the bytes of a batch."""

    NONE = "none"
    CRC = "crc"
    """The checksum is another one than that of the batch."""
    MAGIC_0 = "magic_0"
    MAGIC_1 = "magic_1"
    """A message of an older format in place of the batch."""
    MAGIC_3 = "magic_3"
    """The batch says that it is of a format that does not exist."""
    SHORT_LENGTH = "short_length"
    """The length field is 13: no format has so short a batch."""
    COUNT_ABOVE = "count_above"
    """Count and last offset delta of the header say one more record than there is."""
    COUNT_BELOW = "count_below"
    """Count and last offset delta of the header say one record less than there is."""
    COUNT_ZERO = "count_zero"
    """The header's count is 0."""
    DELTA_ABOVE = "delta_above"
    """The last offset delta is one more than the records need."""
    DELTA_BELOW = "delta_below"
    """The last offset delta is one less than the records need."""
    TWO_BATCHES = "two_batches"
    """The same batch twice, one after the other."""
    EMPTY = "empty"
    """No bytes at all."""
    HEADER_ONLY = "header_only"
    """A header of 61 bytes that says there are no records."""
    CUT = "cut"
    """The last byte is missing."""
    BYTES_AFTER = "bytes_after"
    """Eleven bytes follow the batch, too few for another one."""
    BASE_OFFSET = "base_offset"
    """The base offset is 1, not 0."""
    BASE_OFFSET_NEGATIVE = "base_offset_negative"
    """The base offset is -1, not 0."""
    CONTROL = "control"
    """The attribute bit of control batches is set."""
    TRANSACTIONAL = "transactional"
    """The attribute bit of transactional batches is set."""
    APPEND_TIME = "append_time"
    """The attribute bit says that the timestamps are the broker's."""
    SPARE_BIT = "spare_bit"
    """An attribute bit is set that means nothing."""
    CODEC_5 = "codec_5"
    """The attributes name a codec that does not exist."""
    UNDECODABLE = "undecodable"
    """The attributes name gzip, and the records are no gzip."""
    NO_SEQUENCE = "no_sequence"
    """It has a producer id and epoch, and no sequence."""
    MAX_TIMESTAMP_ABOVE = "max_timestamp_above"
    """The header's max timestamp is 999 ms past that of the records."""
    MAX_TIMESTAMP_UNSET = "max_timestamp_unset"
    """The header's max timestamp is -1."""
    NO_TIMESTAMP = "no_timestamp"
    """All timestamps are -1."""


class ProduceStep(Step):
    """A step of this subject."""

    __slots__ = ()

    @property
    def subject(self) -> str:
        """The one subject that has it."""
        return "produce"


@frozen
class UseTopic(ProduceStep):
    """The layout's partitions belong to a topic with these configs. It comes first, if at all."""

    settings: TopicSettings
    actor: int = 0

    def settings_after(self, before: TopicSettings) -> TopicSettings:
        """The configs of the layout's topic after it, whatever they were before."""
        del before
        return self.settings


@frozen
class ChangeTopic(ProduceStep):
    """The configs of a topic that differ from these are altered (IncrementalAlterConfigs), and the
    broker shows them (DescribeConfigs).

    Attributes:
        settings: what the topic's configs are from then on; `segment_bytes` and `max_decompressed`
            stay as they are, since not each broker has these configs.
        elsewhere: another topic is altered, which has the same configs as the layout's: the
            layout's stays as it is.
        actor: which connection sends it.
    """

    settings: TopicSettings
    elsewhere: bool = False
    actor: int = 0

    def settings_after(self, before: TopicSettings) -> TopicSettings:
        """The configs of the layout's topic after it, by those before it."""
        return before if self.elsewhere else before.altered_to(self.settings)


@frozen
class Outgoing:
    """A batch for one partition of a request.

    Attributes:
        partition: its number in the layout; past the layout's, one that does not exist.
        size: bytes of the whole batch, the 12-byte prefix and the header included.
        records: how many records it holds.
        codec: how they are compressed.
        flaw: what is wrong with its bytes.
        times: the time of each record, milliseconds from now; empty: all are now.
        keyed: its records have keys.
        keyless: the indices of those that have none, though it is `keyed`.
        producer: the number of the idempotent producer that sends it; None for none. Each play
            gives it an id that the broker has not seen.
        epoch, sequence: the producer's epoch, and the sequence number of the first record.
        unpacked: bytes that the whole batch has with its records uncompressed; 0 where they do not
            matter, since its records are such that they can't be compressed.
    """

    partition: int
    size: int
    records: int = 1
    codec: Codec = Codec.NONE
    flaw: Flaw = Flaw.NONE
    times: tuple[int, ...] = ()
    keyed: bool = False
    keyless: tuple[int, ...] = ()
    producer: int | None = None
    epoch: int = 0
    sequence: int = 0
    unpacked: int = 0

    @property
    def record_times(self) -> tuple[int, ...]:
        """The time of each record, milliseconds from now."""
        return self.times or (0,) * self.records

    @property
    def without_key(self) -> tuple[int, ...]:
        """The indices of the records without a key."""
        return self.keyless if self.keyed else tuple(range(self.records))


@frozen
class Produce(ProduceStep):
    """One Produce request.

    Attributes:
        batches: in the order of the request; usually one for each partition.
        acks: how many replicas must have the records: 1 the leader, -1 all in sync; 0 asks for no
            answer.
        version: of the request.
        actor: which connection sends it.
        length: bytes of the whole request without the length before it, filled up by a tagged field
            that no broker knows; 0: as long as it is.
        transactional: the number of the transactional id that it names; None for none. No partition
            was made part of a transaction. The producer id and epoch of its batches are those that
            the last answer for this id had; where there was none, a broker knows neither.
    """

    batches: tuple[Outgoing, ...]
    acks: int = -1
    version: int = 9
    actor: int = 0
    length: int = 0
    transactional: int | None = None

    @property
    def lengths(self) -> tuple[int, int]:
        """Bytes of the whole request without the length before it, at least and at most."""
        if self.length:
            return self.length, self.length
        sent = [batch.size for batch in self.batches if batch.flaw is not Flaw.EMPTY]
        return sum(sent), HEADERS + sum([2 * batch.size + HEADERS for batch in self.batches])

    def problems(self) -> Iterator[str]:
        """A request has a batch, and a batch needs its header."""
        if not self.batches:
            yield "batches: expected at least one, found none"
        least = replace(self, length=0).lengths[1]
        if self.length and (self.version < FLEXIBLE_SINCE or self.length < least):
            yield (
                f"length: expected 0, or {least} bytes and more in version {FLEXIBLE_SINCE} and "
                f"later, found {self.length} in version {self.version}"
            )
        if self.transactional is not None:
            yield from self._transactional_problems()
        for number, batch in enumerate(self.batches):
            if batch.times and len(batch.times) != batch.records:
                yield (
                    f"batches[{number}].times: expected one for each of {batch.records} records, "
                    f"found {len(batch.times)}"
                )
            if batch.times and batch.codec is not Codec.NONE:
                yield f"batches[{number}].codec: expected none where times are given"
            if batch.unpacked and batch.codec is Codec.NONE:
                yield f"batches[{number}].unpacked: expected none where nothing is compressed"
            if batch.keyless and (not batch.keyed or max(batch.keyless) >= batch.records):
                yield (
                    f"batches[{number}].keyless: expected indices of records of a keyed batch, "
                    f"found {list(batch.keyless)}"
                )
            if batch.size <= BATCH_HEADER and batch.flaw is not Flaw.HEADER_ONLY:
                yield (
                    f"batches[{number}].size: expected more than {BATCH_HEADER} bytes, found "
                    f"{batch.size}"
                )

    def _transactional_problems(self) -> Iterator[str]:
        """What a newer version does makes the partition part of a transaction, which stays open."""
        if self.version >= BEGINS_PARTITIONS_SINCE:
            yield (
                f"version: expected less than {BEGINS_PARTITIONS_SINCE} where a transactional id "
                f"is named, found {self.version}"
            )
        if self.transactional == EMPTY_ID or not self.acks or self.length:
            yield "transactional: expected none, or a name, acks and no length"
        for number, batch in enumerate(self.batches):
            if batch.flaw is not Flaw.TRANSACTIONAL or batch.producer is not None:
                yield (
                    f"batches[{number}].flaw: expected transactional and no producer where a "
                    f"transactional id is named, found {batch.flaw} and {batch.producer}"
                )


EMPTY_ID = -1
"""Stands for the transactional id that is an empty string."""
CLAIMS_SINCE = 3
"""The InitProducerId version whose requests may carry a producer id and epoch (KIP-360)."""
FENCED_SINCE = 4
"""The InitProducerId version that knows PRODUCER_FENCED (KIP-588)."""
NEWEST_INIT_PRODUCER = 5


class CarriedProducer(StrEnum):
    """The producer id and epoch that an InitProducerId request carries: by those that the answers
    for its transactional id had before, each pair once.
    """

    NONE = "none"
    """Neither."""
    NOW = "now"
    """The last pair."""
    BEFORE = "before"
    """The pair before it."""
    NEWER = "newer"
    """The last producer id, and an epoch that is one more."""
    OTHER = "other"
    """A producer id that no answer had, and the last epoch."""
    ID_ALONE = "id_alone"
    """The last producer id, and no epoch."""
    EPOCH_ALONE = "epoch_alone"
    """The last epoch, and no producer id."""


@frozen
class InitProducer(ProduceStep):
    """One InitProducerId request (API key 22).

    Attributes:
        transactional: the number of its transactional id, which is another one in each play;
            `EMPTY_ID` for an empty one; None for none.
        timeout_ms: the transaction timeout.
        claim: the producer id and epoch that it carries.
        version: of the request.
        actor: which connection sends it.
    """

    transactional: int | None = None
    timeout_ms: int = 60_000
    claim: CarriedProducer = CarriedProducer.NONE
    version: int = NEWEST_INIT_PRODUCER
    actor: int = 0

    def problems(self) -> Iterator[str]:
        """An old version has no place for a claim."""
        if self.claim is not CarriedProducer.NONE and self.version < CLAIMS_SINCE:
            yield (
                f"claim: expected none before version {CLAIMS_SINCE}, found {self.claim} in "
                f"version {self.version}"
            )


@frozen
class EndOffsets(ProduceStep):
    """The latest offset of each partition of the layout is looked up (ListOffsets)."""

    actor: int = 0


@frozen
class LookUpTime(ProduceStep):
    """A time is looked up in one partition of the layout (ListOffsets): relative to the log append
    time of the last batch that was accepted for it, or to the clock where there was none.

    Attributes:
        partition: its number in the layout.
        after_ms: how much later than that; None: the largest timestamp is asked for (-3, KIP-734).
        actor: which connection sends it.
    """

    partition: int = 0
    after_ms: int | None = 0
    actor: int = 0


@frozen
class ReadBack(ProduceStep):
    """All partitions of the layout are fetched from their first offset on."""

    actor: int = 0
