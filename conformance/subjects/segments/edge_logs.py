"""Logs at an edge of offsets or positions: the files that a stopped broker is given."""

from __future__ import annotations

import struct
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import google_crc32c

from conformance.placement.crafted import INDEXES, batches_to_write, files_of
from conformance.placement.placed_partition import Placed, PlacedPartition
from conformance.systems.base import SparseFile
from conformance.wire.batch_format import CRC_AT
from conformance.wire.batches import batch_of_size, encode_batch, restamp
from spec.frozen import frozen
from spec.segments.initial_log import laid_log
from spec.segments.steps import TORN, UseSegments

if TYPE_CHECKING:
    from conformance.placement.pool import Pooled
    from conformance.systems.base import Files
    from spec.scenario import Scenario

LENGTH_AT, CRC_FROM, COUNT_AT, HEADER = 8, 21, 57, 61
ZEROS = bytes(2**20)


@frozen
class Edge:
    """A scenario whose log lies at an edge.

    Attributes:
        scenario: the scenario.
        slot: its partition, whose end is the offset of the layout's offset 0.
        files: the files of the partition.
        start, end: where its log starts and ends, relative to that.
    """

    scenario: Scenario
    slot: Pooled
    files: Files
    start: int
    end: int

    @property
    def placed(self) -> Placed:
        """Where its layout lies."""
        slot = self.slot
        where = PlacedPartition(
            slot.topic,
            slot.topic_id,
            slot.partition,
            slot.end,
            slot.leader_epoch,
            slot.first_timestamp,
        )
        return Placed(self.scenario.layout, (where,))


def edge_of(scenario: Scenario, slot: Pooled) -> Edge:
    """Lay a scenario's log into an empty partition.

    Raises:
        PlacementFailed: it has transactions.
    """
    use = scenario.steps[0]
    assert isinstance(use, UseSegments)
    slot.end = use.base
    batches = list(batches_to_write(scenario.layout.partitions[0], slot))
    folder = Path(f"{slot.topic}-{slot.partition}")
    files: dict[Path, bytes | SparseFile | None] = {}
    if not batches:
        return Edge(scenario, slot, files, 0, 0)
    for suffix in ("log", *INDEXES):
        files[folder / f"{0:020d}.{suffix}"] = None
    if use.filler:
        name = f"{use.base - 1:020d}"
        head = _filler(use.filler, use.base - 1, slot.first_timestamp)
        data = b"".join([one.data for one in batches])
        parts = ((0, head), (use.filler, data))
        files[folder / f"{name}.log"] = SparseFile(use.filler + len(data), parts)
        last = batches[0].last - (use.base - 1)
        files[folder / f"{name}.index"] = struct.pack(">ii", last, use.filler)
        files[folder / f"{name}.timeindex"] = b""
    else:
        whole = files_of(slot, batches)
        end = folder / f"{batches[-1].segment:020d}.log"
        files |= whole | {end: (whole[end] or b"") + _torn(use.torn, batches[-1].last + 1)}
        if use.indexed:
            logs = [one for one in whole if one.suffix == ".log"]
            files |= {one.with_suffix(f".{kind}"): b"" for one in logs for kind in INDEXES[:2]}
    log = laid_log(scenario)
    return Edge(scenario, slot, files, log.start, log.end)


def _torn(size: int, base: int) -> bytes:
    """So many bytes of a batch whose checksum is wrong."""
    sound = restamp(batch_of_size(TORN, 1, "none"), base_offset=base)
    return (sound[:-1] + bytes([sound[-1] ^ 0xFF]))[:size]


def _filler(size: int, base: int, timestamp: int) -> bytes:
    """The header of a batch of one record that is zeros from there on, up to its size."""
    made = bytearray(
        encode_batch((), base_offset=base, base_timestamp=timestamp, last_offset_delta=0)
    )
    struct.pack_into(">i", made, LENGTH_AT, size - 12)
    struct.pack_into(">i", made, COUNT_AT, 1)
    struct.pack_into(">I", made, CRC_AT, _crc(bytes(made[CRC_FROM:HEADER]), size - HEADER))
    return bytes(made[:HEADER])


@cache
def _crc(head: bytes, zeros: int) -> int:
    """The CRC-32C of some bytes and so many zeros."""
    found: int = google_crc32c.value(head)
    for _ in range(zeros // len(ZEROS)):
        found = google_crc32c.extend(found, ZEROS)
    return int(google_crc32c.extend(found, ZEROS[: zeros % len(ZEROS)]))
