"""Faults in which batches are well-formed, and how many a partition may be sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.subjects.produce.faults.fault import (
    DEVIATES,
    VIOLATES,
    ProduceFault,
    change_check,
    misread,
)
from spec.frozen import replace
from spec.kafka import Error
from spec.produce.model.received import Framing
from spec.produce.model.seams import AcceptedBatches, Leader

if TYPE_CHECKING:
    from spec.produce.model.received import Received


def _of_records(received: Received) -> bool:
    return received.framing is Framing.ONE and received.records not in {0, received.count}


def _counts_disagree(received: Received) -> bool:
    return _of_records(received) or received.last_delta + 1 != received.count


FAULTS: tuple[ProduceFault, ...] = (
    ProduceFault(
        "first-batch-of-a-partition-taken",
        "PRO-023",
        DEVIATES,
        "Of several batches for one partition of a request, the first is stored and answered.",
        Leader(several=AcceptedBatches.FIRST),
    ),
    ProduceFault(
        "each-batch-of-a-partition-answered",
        "PRO-165",
        DEVIATES,
        "Of several batches for one partition of a request, each is stored and answered.",
        Leader(several=AcceptedBatches.EACH),
    ),
    ProduceFault(
        "checksum-ignored",
        "PRO-060",
        VIOLATES,
        "A batch with a wrong checksum is accepted.",
        misread(lambda received: not received.sound, sound=True),
    ),
    ProduceFault(
        "old-formats-accepted",
        "PRO-011",
        VIOLATES,
        "Messages of formats 0 and 1 are accepted.",
        misread(lambda received: received.magic < 2, magic=2),
    ),
    ProduceFault(
        "old-format-is-corrupt",
        "PRO-111",
        DEVIATES,
        "A message of format 0 or 1 is answered with CORRUPT_MESSAGE.",
        misread(lambda received: received.magic < 2, magic=2, sound=False),
    ),
    ProduceFault(
        "unreadable-fails-alone",
        "PRO-066",
        DEVIATES,
        "An unreadable batch is refused with INVALID_RECORD, and its neighbours are accepted.",
        misread(lambda received: received.framing is Framing.UNREADABLE, framing=Framing.NONE),
    ),
    ProduceFault(
        "two-batches-taken",
        "PRO-010",
        DEVIATES,
        "The first of two batches for a partition is accepted.",
        misread(lambda received: received.framing is Framing.SEVERAL, framing=Framing.ONE),
    ),
    ProduceFault(
        "two-batches-are-corrupt",
        "PRO-110",
        DEVIATES,
        "Two batches for a partition are answered with CORRUPT_MESSAGE.",
        misread(
            lambda received: received.framing is Framing.SEVERAL,
            framing=Framing.ONE,
            sound=False,
        ),
    ),
    ProduceFault(
        "nothing-is-corrupt",
        "PRO-014",
        DEVIATES,
        "A partition without a whole batch is answered with CORRUPT_MESSAGE.",
        misread(
            lambda received: received.framing is Framing.NONE,
            framing=Framing.ONE,
            sound=False,
        ),
    ),
    ProduceFault(
        "base-offset-ignored",
        "PRO-012",
        DEVIATES,
        "A batch whose base offset is not 0 is accepted.",
        misread(lambda received: received.base_offset != 0, base_offset=0),
    ),
    ProduceFault(
        "counts-are-corrupt",
        "PRO-013",
        DEVIATES,
        "A batch whose counts disagree is answered with CORRUPT_MESSAGE.",
        misread(_counts_disagree, sound=False),
    ),
    ProduceFault(
        "control-batches-accepted",
        "PRO-016",
        DEVIATES,
        "A producer may write control batches.",
        misread(lambda received: received.control, control=False),
    ),
    ProduceFault(
        "bytes-after-refused",
        "PRO-015",
        DEVIATES,
        "A batch that is followed by other bytes is refused.",
        Leader(
            receiving=lambda received: (
                replace(received, framing=Framing.NONE) if received.bytes_after else received
            )
        ),
    ),
    ProduceFault(
        "three-records-refused",
        "PRO-067",
        VIOLATES,
        "A sound batch of three records is refused.",
        change_check(
            lambda received, _, error: (
                Error.INVALID_RECORD if received.records == received.count == 3 else error
            )
        ),
    ),
)
