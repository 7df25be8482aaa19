"""A partition that is written to: rolls, sequences, transactions and the log start, by the
reference's worked examples.
"""

from dataclasses import replace

from spec.kafka import INT32_MAX, Error
from spec.log import Aborted
from spec.replica import (
    Incoming,
    Replica,
    WriteLimits,
    Written,
    append,
    delete_records,
    end_transaction,
)

ROOMY = WriteLimits()


def written(*batches: Incoming, limits: WriteLimits = ROOMY) -> tuple[Replica, list[Written]]:
    replica, answers = Replica(), []
    for batch in batches:
        replica, answer = append(replica, batch, limits)
        answers.append(answer)
    return replica, answers


def segments(replica: Replica) -> list[list[int]]:
    found: dict[int, list[int]] = {}
    for batch in replica.log.batches:
        found.setdefault(batch.segment, []).append(batch.size)
    return list(found.values())


def idempotent(sequence: int, records: int = 1, epoch: int = 0) -> Incoming:
    return Incoming(100, records, producer=7, epoch=epoch, sequence=sequence)


def test_a_batch_may_be_as_large_as_max_message_bytes_and_no_larger() -> None:
    limits = replace(ROOMY, max_message_bytes=500)
    _, answers = written(Incoming(500, 1), Incoming(501, 1), limits=limits)
    assert [answer.error for answer in answers] == [0, Error.MESSAGE_TOO_LARGE]


def test_a_batch_larger_than_a_segment_is_refused() -> None:
    limits = replace(ROOMY, segment_bytes=400)
    _, answers = written(Incoming(400, 1), Incoming(401, 1), limits=limits)
    assert [answer.error for answer in answers] == [0, Error.RECORD_LIST_TOO_LARGE]


def test_a_segment_may_be_exactly_full() -> None:
    limits = replace(ROOMY, segment_bytes=250)
    replica, _ = written(*[Incoming(size, 1) for size in (100, 150, 100, 151)], limits=limits)
    assert segments(replica) == [[100, 150], [100], [151]]


def test_a_segment_ends_where_a_batch_is_more_than_segment_ms_later_than_its_first() -> None:
    limits = replace(ROOMY, segment_ms=1000)
    times = (10000, 11000, 11001, 5000, -1)
    replica, _ = written(*[Incoming(100, 1, time) for time in times], limits=limits)
    assert segments(replica) == [[100, 100], [100, 100, 100]]


def test_offsets_follow_each_other() -> None:
    replica, answers = written(Incoming(100, 3), Incoming(100, 1), Incoming(100, 2))
    assert [answer.base for answer in answers] == [0, 3, 4]
    assert replica.log.end == 6


def test_a_repeated_batch_keeps_its_first_offset_and_is_not_written_again() -> None:
    replica, answers = written(idempotent(0, 2), idempotent(2), idempotent(0, 2))
    assert answers[-1] == Written(base=0, repeated=True)
    assert replica.log.end == 3


def test_only_five_batches_are_remembered() -> None:
    _, answers = written(*[idempotent(number) for number in range(6)], idempotent(1), idempotent(0))
    assert answers[-2] == Written(base=1, repeated=True)
    assert answers[-1].error == Error.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_a_gap_in_the_sequence_is_refused_and_an_unknown_producer_may_start_anywhere() -> None:
    _, answers = written(idempotent(5), idempotent(7))
    assert [answer.error for answer in answers] == [0, Error.OUT_OF_ORDER_SEQUENCE_NUMBER]


def test_a_new_epoch_starts_at_0_and_an_older_one_is_refused() -> None:
    _, answers = written(
        idempotent(0), idempotent(1, epoch=1), idempotent(0, epoch=1), idempotent(1, epoch=0)
    )
    assert [answer.error for answer in answers] == [
        0,
        Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
        0,
        Error.INVALID_PRODUCER_EPOCH,
    ]


def test_sequences_wrap_to_0() -> None:
    _, answers = written(idempotent(2**31 - 1), idempotent(0))
    assert [answer.error for answer in answers] == [0, 0]


def test_a_duplicate_on_a_full_segment_leaves_an_empty_one() -> None:
    limits = replace(ROOMY, segment_bytes=300)
    replica, answers = written(
        *[idempotent(number) for number in range(3)], idempotent(2), limits=limits
    )
    assert answers[-1].repeated
    assert (replica.segment, replica.segment_size, replica.segment_base) == (1, 0, 3)


def test_the_last_stable_offset_waits_for_the_oldest_open_transaction() -> None:
    first = Incoming(100, 2, producer=1, epoch=0, sequence=0, transactional=True)
    second = Incoming(100, 1, producer=2, epoch=0, sequence=0, transactional=True)
    replica, _ = written(Incoming(100, 1), first, second, Incoming(100, 1))
    assert (replica.log.stable, replica.log.end) == (1, 5)
    replica = end_transaction(replica, 1, 0, commit=False, timestamp=0, limits=ROOMY)
    assert (replica.log.stable, replica.log.end) == (3, 6)
    replica = end_transaction(replica, 2, 0, commit=True, timestamp=0, limits=ROOMY)
    assert (replica.log.stable, replica.log.end) == (7, 7)
    assert replica.log.aborted == (Aborted(1, 1, 5),)


def test_the_log_start_moves_up_to_the_high_watermark_and_never_back() -> None:
    replica, _ = written(Incoming(100, 3), Incoming(100, 3))
    replica, answer = delete_records(replica, 4)
    assert (answer.base, replica.log.start, [batch.base for batch in replica.log.batches]) == (
        4,
        4,
        [3],
    )
    assert delete_records(replica, 1)[1].base == 4
    assert delete_records(replica, 7)[1] == Written(Error.OFFSET_OUT_OF_RANGE)
    assert delete_records(replica, -1)[1].base == 6


def test_g03_a_segment_ends_before_its_relative_offsets_overflow() -> None:
    for last, expected in ((INT32_MAX, 0), (INT32_MAX + 1, 1)):
        began = written(Incoming(100, 1))[0]
        sparse = replace(began, log=replace(began.log, end=last))
        after, answer = append(sparse, Incoming(100, 1), ROOMY)
        assert answer == Written(base=last)
        assert after.segment == expected
