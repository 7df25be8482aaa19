"""The histories of the cases about share groups, by name: played on a broker, and judged as a
broker with the fault would answer them.
"""

from dataclasses import replace

from generators.share.histories import FEW_LOCKS
from spec.catalogue import examples
from spec.layout import Batch, Partition
from spec.share.examples import (
    FIVES,
    acknowledgements_of,
    confirm,
    fetch,
    fetch_again,
    history,
    plain,
    release,
)
from spec.share.outcomes import Acquired
from spec.share.steps import (
    FINAL_EPOCH,
    RECORD_LIMIT,
    AcknowledgementBatch,
    AlterGroupConfig,
    Pause,
    ShareFetch,
    SharePartition,
)
from spec.steps import DeleteRecords

SECOND_LOCKS = (("group.share.min.record.lock.duration.ms", "1000"),)
"""The broker's config under which a group may have locks of a second."""

TENS = plain(*[30] * 10)
ONE_LARGE = history((Partition(((Batch(20072, 1),),)),), fetch(0, max_bytes=10000))
RELEASED_AT_THE_LIMIT = history(
    (TENS,),
    fetch(0, max_records=90),
    fetch(0, max_records=90, actor=1),
    release(0, 29),
    fetch(0, max_records=1000, actor=2),
    config=FEW_LOCKS,
)

WORN_RANGES = (
    *[Acquired(0, 19, count) for count in (1, 2, 3)],
    Acquired(0, 9, 4),
    *[Acquired(offset, offset, 5) for offset in range(10)],
)
"""How one batch of twenty comes that is released each time, under the delivery limit of five."""
WORN = history(
    (plain(20),),
    fetch(0),
    *[step for one in WORN_RANGES[:-1] for step in (release(one.first, one.last), fetch_again())],
)
COLON = examples()["SHR-503"][0].scenario
COORDINATOR_OF_COLON = examples()["SHR-504"][1].scenario

_HUNDREDS = plain(50, 50, 50, 50)
_PARKED = ShareFetch(
    (SharePartition(0),), epoch=0, max_wait_ms=5000, version=2, actor=1, parked=True
)
_ALONG = ShareFetch(confirm(0, 99).partitions, max_records=0, version=2)
WAITING_AT_THE_LIMIT = history(
    (_HUNDREDS,), fetch(0, max_records=100), _PARKED, Pause(500), _ALONG, config=FEW_LOCKS
)

_COMPACTED = Partition(
    ((Batch(100, 3, span=5), Batch(100, 5, gap=5), Batch(100, 5), Batch(100, 5)),)
)
GONE = history(
    (_COMPACTED,),
    fetch(0, max_records=16),
    release(0, 19),
    fetch(max_records=5, mode=RECORD_LIMIT),
    confirm(0, 4),
    fetch_again(max_records=6),
    confirm(10, 19),
    fetch_again(),
    confirm(20, 24),
)
"""A cached batch has offsets that no batch of the log has: 5 to 9."""

ACKS_AT_EPOCH_ZERO = history(
    (FIVES,),
    fetch(0, max_records=6),
    replace(ShareFetch(confirm(0, 9).partitions, version=2), epoch=0),
    confirm(0, 9),
)
LATE_ACK = history(
    (FIVES,),
    AlterGroupConfig((("share.record.lock.duration.ms", "1000"),)),
    fetch(0, max_records=6),
    Pause(4000),
    fetch(0, max_records=6, actor=1),
    confirm(0, 4),
    config=SECOND_LOCKS,
)
ACKS_DOWNWARDS = history(
    (FIVES,), fetch(0, max_records=6), acknowledgements_of((5, 9, (1,)), (0, 4, (1,)))
)
THIRTY_OF_A_HUNDRED = history((plain(100),), fetch(0), release(0, 29), fetch_again(max_records=1))

FULL_CACHE = history(
    (plain(*[30] * 5),), fetch(0), release(0, 119), fetch(0, actor=1, max_bytes=271)
)
"""At the lock limit all is released, and a fetch whose bytes suffice for one batch comes."""

_TENS = plain(10, 10)
_ACCEPTED = SharePartition(1, (AcknowledgementBatch(0, 9),))
NAMED_TO_ACKNOWLEDGE = history(
    (plain(10), _TENS),
    fetch(1, max_records=1),
    replace(fetch(0, max_records=1), forgotten=(1,)),
    replace(fetch(max_records=0, patience_ms=0), partitions=(_ACCEPTED,)),
    fetch_again(max_records=1),
)
"""A partition that was forgotten is named again, by a fetch that acknowledges and acquires nothing.
"""
FORGOTTEN_AND_ACKNOWLEDGED = history(
    (_TENS, _TENS),
    fetch(1, max_records=1),
    replace(fetch(max_records=1), partitions=(_ACCEPTED, SharePartition(0)), forgotten=(1,)),
    fetch_again(max_records=1),
    fetch_again(max_records=1, patience_ms=0),
)
CLOSING_WITH_PARTITIONS = history(
    (_TENS,),
    fetch(0, max_records=1),
    fetch(0, epoch=FINAL_EPOCH, max_records=100, patience_ms=0),
    fetch(0, actor=1),
)
ACKS_BELOW_THE_LOG_START = history(
    (_TENS,), fetch(0, max_records=1), DeleteRecords(0, 5), confirm(0, 9), fetch_again()
)
ACKS_THAT_FAIL_AS_ONE = history(
    (_TENS,),
    fetch(0, max_records=1),
    acknowledgements_of((0, 4, (1,)), (10, 14, (1,))),
    confirm(0, 4),
    confirm(5, 9),
)
"""The first range is the member's own, the second one nobody's."""
