"""Laying layouts on the broker and taking them off again."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.cluster import Cluster, error_text
from conformance.ledger import NO_LEDGER
from conformance.placement.offsets import (
    await_ends,
    late_ends,
    list_offsets,
    other_end,
    set_log_starts,
)
from conformance.placement.placed_partition import Placed, PlacedPartition
from conformance.placement.pool import SEGMENT_MS, Pool, Pooled
from conformance.placement.problem import LayingStep, LeaderAway, PlacementFailed
from conformance.placement.transactions import Producer, Transactions
from conformance.wire.batches import restamp
from conformance.wire.outcomes import Answer, NoAnswer, NotConnected
from conformance.wire.sizing import NoSuchBatchError, batch_of_size
from spec.frozen import replace
from spec.kafka import LEADER_MOVES, MARKER_SIZE, RETRIABLE
from spec.layout import Codec, Marker
from spec.log import log_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from conformance.wire.connection import Connection
    from spec.layout import Batch, Entry, Layout, Partition

PRODUCE_VERSION = 9
ZSTD_SINCE = 7
"""The first version of Produce that takes batches compressed by zstd (KIP-110)."""
"""The newest Produce version that goes by topic names and leaves transactions to
AddPartitionsToTxn.
"""

CLEAN_UP_S = 2.0
"""How long the broker may take to say that it deletes the topics, seconds: it does so in any case,
and an interrupt is not to wait.
"""

THERE_S = 10.0
"""How long a broker that refused a layout, or did not answer while it was laid, may take to show
that it is still there, seconds.
"""
WRONG_S = 2.0
"""How long ends and last stable offsets are waited for once one of them stayed wrong, seconds."""


@dataclass(slots=True)
class _Partition:
    """A partition while it is being laid."""

    layout: int
    pooled: Pooled
    placed_partition: PlacedPartition
    steps: list[tuple[bool, Entry]]
    producers: dict[int, Producer] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int]:
        return self.pooled.topic, self.pooled.partition


class Deployment:
    """The layouts that lie on one broker.

    Attributes:
        step: what the broker was last asked to do for a layout.
    """

    def __init__(
        self,
        cluster: Cluster,
        run: str,
        make_pool: Callable[[Cluster, Connection, str], Pool] = Pool,
        *,
        distinct: bool = False,
    ) -> None:
        """Lay out on partitions of a pool.

        Args:
            cluster: the broker.
            run: names the topics and transactional ids; it must be fresh.
            make_pool: gives the partitions.
            distinct: whether no two batches of a layout hold the same values; otherwise batches of
                one shape are equal.
        """
        self.distinct = distinct
        self.cluster = cluster
        self.step = LayingStep.TOPIC
        self.connection = cluster.connect()
        self.pool = make_pool(cluster, self.connection, run)
        self.transactions = Transactions(cluster, self.connection, run)
        self._patience_s = self._stable_s = self._end_s = cluster.timeout
        self._open: dict[tuple[str, int], list[Producer]] = {}
        """By (topic, partition): the producers whose transaction the layout on it leaves open."""

    def place(self, layouts: Sequence[Layout]) -> list[Placed]:
        """Lay the layouts side by side.

        Raises:
            LeaderAway: a partition has no leader for the moment, as where a broker is fenced.
            PlacementFailed: the broker refused a step, or did something else than it was asked to.
            NoSuchBatchError: one of the batches can't be made.
        """
        for layout in layouts:
            if layout.is_crafted:
                raise PlacementFailed(
                    "this layout has holes or old formats: no Produce request can write it, see "
                    "BrokerPlayer.place"
                )
        self.step = LayingStep.TOPIC
        self.connection.wake()
        wanted = [
            (number, partition)
            for number, layout in enumerate(layouts)
            for partition in layout.partitions
        ]
        pooled = self.pool.take(len(wanted))
        try:
            return self._lay(layouts, wanted, pooled)
        except (PlacementFailed, NoAnswer, NoSuchBatchError):
            for slot in pooled:
                self.pool.retire(slot.topic, slot.partition)
            if self.step is LayingStep.LOG_START:
                self.pool.use_once()
            raise

    def _lay(
        self,
        layouts: Sequence[Layout],
        wanted: Sequence[tuple[int, Partition]],
        pooled: Sequence[Pooled],
    ) -> list[Placed]:
        laying = [
            self._laying(number, partition, slot)
            for (number, partition), slot in zip(wanted, pooled, strict=True)
        ]
        plain = [
            one
            for one in laying
            if not any(isinstance(e, Marker) or e.txn is not None for _, e in one.steps)
        ]
        self.step = LayingStep.RECORDS
        self._produce_plain(plain)
        plain_keys = {one.key for one in plain}
        self.step = LayingStep.TRANSACTION
        self._produce_transactional([one for one in laying if one.key not in plain_keys])
        self.step = LayingStep.LOG_START
        starts = {
            one.key: one.placed_partition.base + partition.log_start
            for one, (_, partition) in zip(laying, wanted, strict=True)
        }
        set_log_starts(self.cluster, self.connection, starts)
        placed_partitions: list[list[PlacedPartition]] = [[] for _ in layouts]
        for one in laying:
            placed_partitions[one.layout].append(one.placed_partition)
            self._open[one.key] = [producer for producer in one.producers.values() if producer.open]
        return [
            Placed(layout, tuple(found))
            for layout, found in zip(layouts, placed_partitions, strict=True)
        ]

    def release(self, placed: Placed) -> None:
        """Take a layout off: end what it left open, and free its partitions."""
        partitions = [
            (placed_partition.topic, placed_partition.partition)
            for placed_partition in placed.placed_partitions
        ]
        if placed.layout.is_crafted:
            for topic, number in partitions:
                self.pool.retire(topic, number)
            return
        ends = dict.fromkeys(partitions, 0)
        for placed_partition, partition in zip(
            placed.placed_partitions, placed.layout.partitions, strict=True
        ):
            ends[placed_partition.topic, placed_partition.partition] = (
                placed_partition.base + log_of(partition).end
            )
        lost: set[tuple[str, int]] = set()
        if _grew(placed):
            found = list_offsets(self.cluster, self.connection, partitions, isolation=0)
            ends = {key: offset for key, (_, offset) in found.items()}
            lost = {key for key, (error, _) in found.items() if error}
        left_open = [(key, producer) for key in partitions for producer in self._open.pop(key, ())]
        for key, producer in left_open:
            self.transactions.end(producer, commit=False)
            ends[key] += 1
        ends = {key: end for key, end in ends.items() if key not in lost}
        if left_open:
            await_ends(self.cluster, self.connection, ends, isolation=0)
            lost |= {*self._unstable(ends)}
        for topic, number in partitions:
            if (topic, number) in lost:
                self.pool.retire(topic, number)
            else:
                self.pool.give_back(topic, number, ends[topic, number])

    def abandon(self, placed: Placed) -> None:
        """Give up the partitions of a layout that could not be taken off."""
        for one in placed.placed_partitions:
            self._open.pop((one.topic, one.partition), None)
            self.pool.retire(one.topic, one.partition)

    def recover(self, answer_s: float | None = None) -> None:
        """Continue over a new connection after a step failed.

        Args:
            answer_s: how long an answer may take from now on; None for the cluster's time limit.

        Raises:
            NotConnected, NoAnswer: the broker is gone.
        """
        self.connection.close()
        self.cluster = replace(self.cluster, timeout=answer_s or self._patience_s)
        self.connection = self.cluster.connect()
        version = self.cluster.version("Metadata", 12)
        self.connection.ask("Metadata", version, {"topics": []}, timeout=THERE_S)
        self.pool.go_on(self.cluster, self.connection)
        self.transactions.reopen(self.cluster, self.connection)

    def reconnect(self) -> None:
        """Continue over a new connection, once all partitions have leaders again.

        Raises:
            PlacementFailed: they have none within the cluster's time limit.
        """
        self.connection.close()
        self.connection = self.cluster.connect()
        self.pool.await_leaders(self.connection)
        self.transactions.reopen(self.cluster, self.connection)

    def reopen(self, cluster: Cluster) -> None:
        """Continue with the same topics after the broker was restarted; nothing that was placed may
        be asked about any more.
        """
        self.connection.close()
        self.cluster, self.connection = cluster, cluster.connect()
        self.pool.refresh(cluster, self.connection)
        self.transactions.reopen(cluster, self.connection)

    def close(self, *, delete: bool = True) -> None:
        """Close the connection, and delete the topics that were made, as far as the broker lets us
        soon; not where `delete` says that nobody needs that.

        That is asked on a fresh connection: after an interrupt the other one may still owe answers.
        Topics that a ledger lists are left to whoever removes what it lists: share groups must go
        first, a broker is slow to delete those of topics that are gone.
        """
        self.connection.close()
        if not delete or not self.pool.topics or self.cluster.ledger is not NO_LEDGER:
            return
        with (
            suppress(NoAnswer, NotConnected),
            self.cluster.connect(timeout=CLEAN_UP_S) as connection,
        ):
            self.pool.clean_up(connection)

    def _laying(self, number: int, partition: Partition, pooled: Pooled) -> _Partition:
        placed_partition = PlacedPartition(
            pooled.topic,
            pooled.topic_id,
            pooled.partition,
            pooled.end,
            pooled.leader_epoch,
            pooled.first_timestamp,
        )
        steps = [
            (index > 0 and place == 0, entry)
            for index, segment in enumerate(partition.segments)
            for place, entry in enumerate(segment)
        ]
        return _Partition(number, pooled, placed_partition, steps)

    def _batch_bytes(self, one: _Partition, batch: Batch, *, rolls: bool) -> bytes:
        if rolls:
            one.pooled.first_timestamp += SEGMENT_MS + 1
            one.placed_partition.timestamp = one.pooled.first_timestamp
        seed = (one.pooled.partition << 40) + one.pooled.end if self.distinct else 0
        made = batch_of_size(batch.size, batch.records, batch.codec.value, seed=seed)
        if batch.txn is None:
            return restamp(made, base_timestamp=one.pooled.first_timestamp)
        producer = one.producers.get(batch.txn)
        if producer is None:
            producer = one.producers[batch.txn] = self.transactions.begin(*one.key)
            one.placed_partition.producers[producer.producer_id, one.pooled.end] = batch.txn
        sent = restamp(
            made,
            base_timestamp=one.pooled.first_timestamp,
            producer_id=producer.producer_id,
            producer_epoch=producer.epoch,
            base_sequence=producer.sequence,
            transactional=True,
        )
        producer.sequence += batch.records
        return sent

    def _note_batch(self, one: _Partition, sent: bytes, batch: Batch) -> None:
        one.placed_partition.add(
            one.pooled.end, sent, one.pooled.end + batch.records - 1, batch.records
        )
        one.pooled.end += batch.records

    def _produce_plain(self, laying: Sequence[_Partition]) -> None:
        """All rounds are sent before the first answer is read: a connection's requests are served
        in order.
        """
        expected: list[dict[tuple[str, int], int]] = []
        for round_number in range(max((len(one.steps) for one in laying), default=0)):
            batches: dict[tuple[str, int], bytes] = {}
            bases: dict[tuple[str, int], int] = {}
            for one in laying:
                if round_number < len(one.steps):
                    rolls, entry = one.steps[round_number]
                    assert not isinstance(entry, Marker)
                    batches[one.key] = self._batch_bytes(one, entry, rolls=rolls)
                    bases[one.key] = one.pooled.end
                    self._note_batch(one, batches[one.key], entry)
            self.connection.send(
                "Produce",
                self.cluster.version("Produce", PRODUCE_VERSION),
                produce_request(batches),
            )
            expected.append(bases)
        for bases in expected:
            self._check_produced(bases)

    def _check_produced(self, bases: dict[tuple[str, int], int]) -> None:
        outcome = self.connection.receive()
        if not isinstance(outcome, Answer):
            raise PlacementFailed(f"expected an answer to Produce, found {outcome}")
        for key, error, offset in produce_results(outcome.value):
            if error or offset != bases[key]:
                passes = error in LEADER_MOVES | RETRIABLE
                raise (LeaderAway if passes else PlacementFailed)(
                    f"expected a batch to land at offset {bases[key]} of {key}, found offset "
                    f"{offset}, {error_text(error, '')}"
                )

    def _produce_transactional(self, laying: Sequence[_Partition]) -> None:
        """One entry of each partition at a time; a round's batches are sent before the first answer
        is read.
        """
        for round_number in range(max((len(one.steps) for one in laying), default=0)):
            ended: list[_Partition] = []
            written: list[tuple[_Partition, bytes, Batch]] = []
            for one in laying:
                if round_number >= len(one.steps):
                    continue
                rolls, entry = one.steps[round_number]
                if isinstance(entry, Marker):
                    self.transactions.end(one.producers[entry.txn], commit=entry.commit)
                    one.placed_partition.add(
                        one.pooled.end, b"", one.pooled.end, 1, size=MARKER_SIZE
                    )
                    one.pooled.end += 1
                    ended.append(one)
                else:
                    written.append((one, self._batch_bytes(one, entry, rolls=rolls), entry))
            for one, sent, entry in written:
                name = one.producers[entry.txn].name if entry.txn is not None else None
                request = produce_request({one.key: sent}, transactional_id=name)
                self.connection.send(
                    "Produce", self.cluster.version("Produce", PRODUCE_VERSION), request
                )
            for one, sent, entry in written:
                self._check_produced({one.key: one.pooled.end})
                self._note_batch(one, sent, entry)
            self._await_ends({one.key: one.pooled.end for one in ended})
        stable = {}
        for one in laying:
            opened = [
                first
                for (_, first), txn in one.placed_partition.producers.items()
                if one.producers[txn].open
            ]
            stable[one.key] = min(opened, default=one.pooled.end)
        self._unstable(stable)

    def _await_ends(self, ends: dict[tuple[str, int], int]) -> None:
        """Wait until the markers of transactions are there; less long once one was not.

        Raises:
            PlacementFailed: one is not, or the broker refuses to say.
        """
        late = late_ends(self.cluster, self.connection, ends, isolation=0, limit_s=self._end_s)
        for key, found in late.items():
            self._end_s = WRONG_S
            raise PlacementFailed(other_end(key, ends[key], 0, (0, found)))

    def _unstable(self, stable: dict[tuple[str, int], int]) -> dict[tuple[str, int], int]:
        """Wait for last stable offsets; those that stay other than expected.

        The layout lies there all the same, and what the broker answers about it is judged.

        Raises:
            PlacementFailed: the broker refuses to say.
        """
        late = late_ends(self.cluster, self.connection, stable, isolation=1, limit_s=self._stable_s)
        if late:
            self._stable_s = WRONG_S
        return late


def _grew(placed: Placed) -> bool:
    """Whether a scenario appended to it, so that its end is not the layout's any more."""
    return any(
        len(placed_partition.known) > sum(1 for _ in partition.entries())
        for placed_partition, partition in zip(
            placed.placed_partitions, placed.layout.partitions, strict=True
        )
    )


def produce_version(cluster: Cluster, codec: Codec) -> int:
    """The version in which a batch of this codec is produced.

    Raises:
        MissingApiError: the broker has none.
    """
    since = ZSTD_SINCE if codec is Codec.ZSTD else 0
    return cluster.version("Produce", PRODUCE_VERSION, since)


def produce_request(
    batches: dict[tuple[str, int], bytes], *, transactional_id: str | None = None
) -> dict[str, Any]:
    """A Produce request (by topic names) of one batch for each (topic, partition)."""
    by_topic: dict[str, list[dict[str, Any]]] = {}
    for (topic, partition), records in batches.items():
        by_topic.setdefault(topic, []).append({"index": partition, "records": records})
    return {
        "transactional_id": transactional_id,
        "acks": -1,
        "timeout_ms": 60_000,
        "topic_data": [{"name": name, "partition_data": parts} for name, parts in by_topic.items()],
    }


def produce_results(answer: dict[str, Any]) -> Iterator[tuple[tuple[str, int], int, int]]:
    """The ((topic, partition), error, base offset) of each partition of a Produce answer."""
    for topic in answer["responses"]:
        for part in topic["partition_responses"]:
            yield (topic["name"], part["index"]), part["error_code"], part["base_offset"]
