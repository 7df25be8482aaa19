"""Logs that no Produce request can write: their segment files, which a stopped broker is given and
finds when it starts.

The files go behind what a pooled partition holds already, so that a crafted layout has its own
offset window like any other. They have no index files, which makes the broker scan them, and take
their end for the log's.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from conformance.placement.offsets import await_ends, set_log_starts
from conformance.placement.placed_partition import Placed, PlacedPartition
from conformance.placement.problem import LayingStep, PlacementFailed, Unlaid
from conformance.wire.batches import batch_of_size, encode_batch, old_message, restamp
from spec.frozen import frozen
from spec.kafka import CURRENT_MAGIC
from spec.layout import Batch
from spec.log import log_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.placement.pool import Pool, Pooled
    from conformance.systems.base import Files, SparseFile
    from spec.layout import Layout, Partition
    from spec.log import Stored

INDEXES = ("index", "timeindex", "txnindex")


@frozen
class Written:
    """One batch in a segment's file.

    Attributes:
        segment: the base offset that names the file.
        base, last: its first and last offset.
        batch: its shape.
        data: its bytes.
    """

    segment: int
    base: int
    last: int
    batch: Batch
    data: bytes


@frozen
class Crafted:
    """Layouts on their way to the broker.

    Attributes:
        layouts: the layouts.
        slots: the pooled partitions of each.
        batches: what each of those partitions gets.
        files: the files to put into the data folder while the broker is stopped.
    """

    layouts: tuple[Layout, ...]
    slots: tuple[tuple[Pooled, ...], ...]
    batches: tuple[tuple[tuple[Written, ...], ...], ...]
    files: Files


def craft(pool: Pool, layouts: Sequence[Layout]) -> Crafted:
    """Take partitions for the layouts, and make their files.

    Raises:
        PlacementFailed: a layout has transactions, or a topic could not be made.
    """
    slots = tuple([tuple(pool.take(len(layout.partitions))) for layout in layouts])
    batches = []
    files: dict[Path, bytes | SparseFile | None] = {}
    for layout, own in zip(layouts, slots, strict=True):
        batches.append(
            tuple(
                [
                    tuple(batches_to_write(partition, slot))
                    for partition, slot in zip(layout.partitions, own, strict=True)
                ]
            )
        )
        for slot, found in zip(own, batches[-1], strict=True):
            files |= files_of(slot, found)
    return Crafted(tuple(layouts), slots, tuple(batches), files)


def settle(pool: Pool, crafted: Crafted) -> list[Placed | Unlaid]:
    """Wait until the restarted broker shows what was put there, and move the log starts; a layout
    of which the broker has made something else is left out.
    """
    settled: list[Placed | Unlaid] = []
    for placed in _placements(crafted):
        try:
            _settle(pool, placed)
        except PlacementFailed as failed:
            settled.append(Unlaid(placed.layout, LayingStep.FILES, str(failed)))
            for one in placed.placed_partitions:
                pool.retire(one.topic, one.partition)
        else:
            settled.append(placed)
    return settled


def _settle(pool: Pool, placed: Placed) -> None:
    """Wait for the ends of a layout's partitions, and move their log starts.

    Raises:
        PlacementFailed: they are others.
    """
    ends: dict[tuple[str, int], int] = {}
    starts: dict[tuple[str, int], int] = {}
    for one, partition in zip(placed.placed_partitions, placed.layout.partitions, strict=True):
        ends[one.topic, one.partition] = one.base + log_of(partition).end
        starts[one.topic, one.partition] = one.base + partition.log_start
    await_ends(pool.cluster, pool.connection, ends, isolation=0)
    await_ends(pool.cluster, pool.connection, ends, isolation=1)
    set_log_starts(pool.cluster, pool.connection, starts)


def _placements(crafted: Crafted) -> list[Placed]:
    """Where the layouts lie."""
    placed = []
    for layout, own, batches in zip(crafted.layouts, crafted.slots, crafted.batches, strict=True):
        placed_partitions = []
        for partition, slot, found in zip(layout.partitions, own, batches, strict=True):
            placed_partition = PlacedPartition(
                slot.topic,
                slot.topic_id,
                slot.partition,
                slot.end,
                slot.leader_epoch,
                slot.first_timestamp,
            )
            for one in found:
                placed_partition.add(
                    one.base, one.data, one.last, one.batch.records, magic=one.batch.magic
                )
            slot.end = placed_partition.base + log_of(partition).end
            placed_partitions.append(placed_partition)
        placed.append(Placed(layout, tuple(placed_partitions)))
    return placed


def batches_to_write(partition: Partition, slot: Pooled) -> Iterator[Written]:
    """The batches of a partition, from the end of what its slot holds already.

    Raises:
        PlacementFailed: it has transactions, whose index and producers' state no file here makes.
    """
    log = log_of(partition)
    segment = slot.end
    for number, (stored, entry) in enumerate(zip(log.batches, partition.entries(), strict=True)):
        if not isinstance(entry, Batch) or entry.txn is not None:
            raise PlacementFailed(
                "this layout has holes or old formats, and transactions: both together can't be "
                "laid out"
            )
        if number and stored.position == 0:
            segment = slot.end + stored.base - len(log.hole(number)) // 2
        data = _bytes(entry, stored, slot)
        yield Written(segment, slot.end + stored.base, slot.end + stored.last, entry, data)


def _bytes(batch: Batch, stored: Stored, slot: Pooled) -> bytes:
    base, delta = slot.end + stored.base, stored.last - stored.base
    if batch.magic < CURRENT_MAGIC:
        return old_message(batch.size, batch.magic, base, slot.first_timestamp)
    if not batch.records:
        return encode_batch(
            (),
            base_offset=base,
            base_timestamp=slot.first_timestamp,
            partition_leader_epoch=slot.leader_epoch,
            last_offset_delta=delta,
        )
    return restamp(
        batch_of_size(batch.size, batch.records, batch.codec.value),
        base_offset=base,
        base_timestamp=slot.first_timestamp,
        partition_leader_epoch=slot.leader_epoch,
        last_offset_delta=delta,
    )


def files_of(slot: Pooled, batches: Sequence[Written]) -> dict[Path, bytes | None]:
    """The segments' files. A hole between two lies half in each: the second is named from its
    middle.
    """
    folder = Path(f"{slot.topic}-{slot.partition}")
    contents: dict[int, list[bytes]] = {}
    for one in batches:
        contents.setdefault(one.segment, []).append(one.data)
    files: dict[Path, bytes | None] = {}
    for segment, content in contents.items():
        files[folder / f"{segment:020d}.log"] = b"".join(content)
        files |= {folder / f"{segment:020d}.{index}": None for index in INDEXES}
    return files
