"""A small consumer with the draft's config `fetch.max.message.count`, and its fallback to today's
behaviour.

It assigns its partitions itself and reads uncommitted records. Its fetches are sessionless, so that
each says all that it asks.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Self

from conformance.misuse import BadConfiguration
from conformance.wire.batch_format import decode_records, parse_batches
from drafts.max_records.change import DRAFT_VERSION
from spec.frozen import frozen
from spec.kafka import FETCH_API, INT32_MAX, SESSIONLESS_EPOCH, Error, error_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from conformance.cluster import Cluster

MESSAGE_COUNT = "fetch.max.message.count"
POLL_RECORDS = "max.poll.records"
FALLBACK_VERSION = 12
"""A Fetch version that every release has, by topic names."""
DEFAULT_POLL_RECORDS = 500


@frozen
class Delivered:
    """One record that was delivered: where it lies, its key and value."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None


@frozen
class ConsumerConfig:
    """The settings of the consumer.

    Attributes:
        message_count: `fetch.max.message.count`, records of a fetch; None for no limit.
        poll_records: `max.poll.records`, records that one poll delivers, over all partitions.
        fetch_max_bytes, partition_bytes: `fetch.max.bytes` and `max.partition.fetch.bytes`.
    """

    message_count: int | None = None
    poll_records: int = DEFAULT_POLL_RECORDS
    fetch_max_bytes: int = 52428800
    partition_bytes: int = 1048576

    @classmethod
    def read(cls, configs: Mapping[str, str]) -> Self:
        """From configs by Kafka's names.

        Raises:
            BadConfiguration: an unknown name, or a value that is no whole number from 1 to
            2147483647.
        """
        names = {
            MESSAGE_COUNT: "message_count",
            POLL_RECORDS: "poll_records",
            "fetch.max.bytes": "fetch_max_bytes",
            "max.partition.fetch.bytes": "partition_bytes",
        }
        found: dict[str, int] = {}
        for name, value in configs.items():
            if name not in names:
                raise BadConfiguration(
                    f"expected the configs {', '.join(names)}, found {name!r}; leave it out"
                )
            found[names[name]] = _positive(name, value)
        return cls(**found)


def _positive(name: str, value: str) -> int:
    if value.isascii() and value.isdigit() and 0 < int(value) <= INT32_MAX:
        return int(value)
    mend = "leave it out for no limit" if name == MESSAGE_COUNT else "mend it"
    raise BadConfiguration(
        f"expected a whole number from 1 to {INT32_MAX} for {name}, found {value!r}; {mend}"
    )


class FetchFailed(Exception):  # noqa: N818 - it describes what happened
    """A fetch, or a partition of it, was answered with an error."""


class DraftConsumer:
    """Reads assigned partitions from a position on.

    Args:
        cluster: whom to ask; its codec has the draft's message definitions, or none of the draft is
            sent.
        config: see `ConsumerConfig`.
        say: called once, with a sentence that says that a broker has no MaxRecords and the limit is
            not sent.
    """

    def __init__(
        self, cluster: Cluster, config: ConsumerConfig, say: Callable[[str], None]
    ) -> None:
        self._config = config
        self._connection = cluster.connect()
        self._positions: dict[tuple[str, int], int] = {}
        self._ids: dict[str, bytes] = {}
        self._buffer: deque[Delivered] = deque()
        self.version = FALLBACK_VERSION
        self.fetched_bytes = 0
        newest = cluster.versions.ranges.get(FETCH_API, (0, -1))[1]
        if config.message_count is None:
            return
        if newest >= DRAFT_VERSION and DRAFT_VERSION in cluster.codec.versions("Fetch"):
            self.version = DRAFT_VERSION
        else:
            say(
                f"{MESSAGE_COUNT}={config.message_count} is not sent: it takes a broker with Fetch "
                f"v{DRAFT_VERSION}, this one has up to "
                f"v{newest}; fetches are limited by bytes alone, as without it"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def assign(self, positions: Mapping[tuple[str, int], int]) -> None:
        """Read these partitions, each from an offset; what was fetched before is dropped."""
        self._positions = dict(positions)
        self._buffer.clear()
        topics = [
            {"name": topic, "topic_id": bytes(16)}
            for topic in sorted({topic for topic, _ in positions})
        ]
        answer = self._connection.ask("Metadata", FALLBACK_VERSION, {"topics": topics})
        self._ids = {topic["name"]: topic["topic_id"] for topic in answer["topics"]}

    def poll(self, max_wait_ms: int = 500) -> list[Delivered]:
        """Up to `max.poll.records` records, in the order of the partitions; one fetch is made where
        none are at hand.

        Raises:
            FetchFailed: the broker answered with an error.
        """
        if not self._buffer:
            self._fetch(max_wait_ms)
        return [
            self._buffer.popleft() for _ in range(min(self._config.poll_records, len(self._buffer)))
        ]

    def _fetch(self, max_wait_ms: int) -> None:
        answer = self._connection.ask("Fetch", self.version, self.request(max_wait_ms))
        if answer["error_code"]:
            raise FetchFailed(
                f"expected an answer to Fetch v{self.version}, found "
                f"{error_name(answer['error_code'])}"
            )
        names = {topic_id: name for name, topic_id in self._ids.items()}
        for topic in answer["responses"]:
            name = topic.get("topic") or names[topic["topic_id"]]
            for part in topic["partitions"]:
                if part["error_code"] != Error.NONE:
                    where = f"partition {part['partition_index']} of {name}"
                    raise FetchFailed(
                        f"expected the records of {where}, found {error_name(part['error_code'])}"
                    )
                records = part["records"] or b""
                self.fetched_bytes += len(records)
                self._buffer.extend(self._deliver(name, part["partition_index"], records))

    def request(self, max_wait_ms: int) -> dict[str, Any]:
        """The fields of the next fetch."""
        topics = []
        for name in dict.fromkeys(topic for topic, _ in self._positions):
            partitions = [
                {
                    "partition": partition,
                    "fetch_offset": offset,
                    "partition_max_bytes": self._config.partition_bytes,
                }
                for (topic, partition), offset in self._positions.items()
                if topic == name
            ]
            topics.append({"topic": name, "topic_id": self._ids[name], "partitions": partitions})
        limit = {"max_records": self._config.message_count} if self.version == DRAFT_VERSION else {}
        return {
            "max_wait_ms": max_wait_ms,
            "min_bytes": 1,
            "max_bytes": self._config.fetch_max_bytes,
            "session_epoch": SESSIONLESS_EPOCH,
            "topics": topics,
            **limit,
        }

    def _deliver(self, topic: str, partition: int, data: bytes) -> Iterator[Delivered]:
        """The records from the position on; the position moves past every whole batch."""
        position = self._positions[topic, partition]
        for header in parse_batches(data).batches:
            for record in (
                ()
                if header.control
                else decode_records(data[header.position : header.position + header.size])
            ):
                offset = header.base_offset + record.offset_delta
                if offset >= position:
                    yield Delivered(topic, partition, offset, record.key, record.value)
            self._positions[topic, partition] = max(position, header.last_offset + 1)
