"""Planted faults of share groups, each at one seam, and legal variants that must pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.faults.planted import Expected
from conformance.subjects.share.faults.fault import (
    ShareFault,
    change_fetch,
    change_part,
    change_ranges,
    change_record,
    misread_acknowledgements,
    misread_fetch,
    replace_codes,
    replace_types,
)
from spec.frozen import replace
from spec.kafka import Error
from spec.share.model.acknowledge import shape_fault
from spec.share.model.records import Record, RecordState
from spec.share.outcomes import ShareAcknowledgeAnswer, ShareAnswerPartition, ShareFetchAnswer
from spec.share.releases import Throttling
from spec.share.steps import (
    FINAL_EPOCH,
    RECORD_LIMIT,
    AcknowledgementBatch,
    ShareAcknowledge,
    ShareFetch,
)

if TYPE_CHECKING:
    from spec.outcomes import Outcome
    from spec.steps import Step

VIOLATES, DEVIATES, CONFORMS = Expected.VIOLATES, Expected.DEVIATES, Expected.CONFORMS
ACCEPT, RELEASE, REJECT = 1, 2, 3
REQUEST, STATE, EPOCH, NO_SESSION = (
    int(Error.INVALID_REQUEST),
    int(Error.INVALID_RECORD_STATE),
    int(Error.INVALID_SHARE_SESSION_EPOCH),
    int(Error.SHARE_SESSION_NOT_FOUND),
)


def _shorter(batch: AcknowledgementBatch) -> AcknowledgementBatch:
    """Without its last offset, where it is a range with one type."""
    return (
        replace(batch, last=batch.last - 1)
        if len(batch.types) == 1 and batch.last > batch.first
        else batch
    )


def _one_type(batch: AcknowledgementBatch) -> AcknowledgementBatch:
    return replace(batch, types=batch.types[:1])


def _free(_: int, record: Record) -> Record:
    """Not held any more, though its member thinks so."""
    return (
        Record(RecordState.AVAILABLE, record.count)
        if record.state is RecordState.ACQUIRED
        else record
    )


def _forget_count(_: int, record: Record) -> Record:
    """A record that is available again counts no delivery."""
    return replace(record, count=0) if record.state is RecordState.AVAILABLE else record


def _archive_returned(_: int, record: Record) -> Record:
    """A record that was delivered before and is available again is archived."""
    return (
        Record(RecordState.ARCHIVED, record.count) if record.available and record.count else record
    )


def _make_available(_: int, record: Record) -> Record:
    """An accepted record is available again."""
    return (
        Record(RecordState.AVAILABLE, record.count)
        if record.state is RecordState.ACKNOWLEDGED
        else record
    )


def _refuse_next_epoch(_: Step, outcome: Outcome) -> Outcome:
    """Any fetch past the opening one is refused."""
    if isinstance(outcome, ShareFetchAnswer) and outcome.epoch > 0 and not outcome.error:
        return replace(outcome, error=EPOCH, partitions=())
    return outcome


def _final_epoch_refuses(_: Step, outcome: Outcome) -> Outcome:
    """What the final epoch acknowledges is answered with an error."""
    if isinstance(outcome, ShareAcknowledgeAnswer) and outcome.epoch == FINAL_EPOCH:
        refused = [(number, STATE) for number, _ in outcome.partitions]
        return replace(outcome, partitions=tuple(refused))
    if isinstance(outcome, ShareFetchAnswer) and outcome.epoch == FINAL_EPOCH:
        parts = [replace(part, acknowledge_error=STATE) for part in outcome.partitions]
        return replace(outcome, partitions=tuple(parts))
    return outcome


def malformed_partitions(step: ShareAcknowledge) -> frozenset[int]:
    """The partitions of which something is wrong with the shape of an acknowledgement."""
    return frozenset(
        part.partition
        for part in step.partitions
        if shape_fault(part.acknowledgements, step.version, renew=step.renew) is not None
    )


def _shape_is_a_state(step: Step, outcome: Outcome) -> Outcome:
    """A fault of shape is answered as if the records were in a wrong state."""
    if not isinstance(step, ShareAcknowledge) or not isinstance(outcome, ShareAcknowledgeAnswer):
        return outcome
    malformed = malformed_partitions(step)
    recoded_parts = [
        (number, STATE if error == REQUEST and number in malformed else error)
        for number, error in outcome.partitions
    ]
    return replace(outcome, partitions=tuple(recoded_parts))


def _wrong_session_error(_: Step, outcome: Outcome) -> Outcome:
    if isinstance(outcome, ShareFetchAnswer | ShareAcknowledgeAnswer) and outcome.error in {
        EPOCH,
        NO_SESSION,
    }:
        return replace(outcome, error=EPOCH if outcome.error == NO_SESSION else NO_SESSION)
    return outcome


def _first_batch(part: ShareAnswerPartition) -> ShareAnswerPartition:
    return replace(part, batches=part.batches[:1])


def _last_batch(part: ShareAnswerPartition) -> ShareAnswerPartition:
    return replace(part, batches=part.batches[-1:])


def _no_data(part: ShareAnswerPartition) -> ShareAnswerPartition:
    return replace(part, batches=())


def _alter_data(part: ShareAnswerPartition) -> ShareAnswerPartition:
    return replace(part, batches=tuple([replace(one, intact=False) for one in part.batches]))


def _one_further(part: ShareAnswerPartition) -> ShareAnswerPartition:
    last = part.acquired[-1]
    return replace(part, acquired=(*part.acquired[:-1], replace(last, last=last.last + 1)))


def _whole(step: ShareFetch) -> ShareFetch:
    """In batch_optimized mode instead of record_limit."""
    return replace(step, mode=0) if step.mode == RECORD_LIMIT else step


FAULTS: tuple[ShareFault, ...] = (
    ShareFault(
        "max-records-one-more",
        "SHR-126",
        VIOLATES,
        "MaxRecords is taken for one more.",
        misread_fetch(lambda step: replace(step, max_records=step.max_records + 1)),
    ),
    ShareFault(
        "record-limit-rounds-up",
        "SHR-126",
        VIOLATES,
        "record_limit is taken for batch_optimized.",
        misread_fetch(_whole),
    ),
    ShareFault(
        "share-max-records-ignored",
        "SHR-120",
        VIOLATES,
        "In batch_optimized mode MaxRecords is not looked at.",
        misread_fetch(
            lambda step: (
                step if step.mode or step.max_records <= 0 else replace(step, max_records=500)
            )
        ),
    ),
    ShareFault(
        "batch-size-ignored",
        "SHR-122",
        DEVIATES,
        "All that is new is one range, whatever the BatchSize.",
        misread_fetch(lambda step: replace(step, batch_size=10_000)),
    ),
    ShareFault(
        "batch-size-splits-every-batch",
        "SHR-122",
        DEVIATES,
        "Every batch is a range of its own.",
        misread_fetch(lambda step: replace(step, batch_size=1)),
    ),
    ShareFault(
        "release-taken-for-accept",
        "SHR-315",
        VIOLATES,
        "What is released is done with.",
        replace_types({RELEASE: ACCEPT}),
    ),
    ShareFault(
        "accept-taken-for-release",
        "SHR-131",
        VIOLATES,
        "What is accepted is delivered again.",
        replace_types({ACCEPT: RELEASE}),
    ),
    ShareFault(
        "reject-taken-for-release",
        "SHR-131",
        VIOLATES,
        "What is rejected is delivered again.",
        replace_types({REJECT: RELEASE}),
    ),
    ShareFault(
        "one-type-for-all",
        "SHR-131",
        VIOLATES,
        "Of an array of types only the first is read.",
        misread_acknowledgements(_one_type),
    ),
    ShareFault(
        "last-offset-not-acknowledged",
        "SHR-315",
        VIOLATES,
        "The last offset of a range stays held, and an answer to it later is refused no more.",
        misread_acknowledgements(_shorter),
    ),
    ShareFault(
        "held-records-are-free",
        "SHR-100",
        VIOLATES,
        "A record is delivered while another holds it.",
        remembered=change_record(_free),
    ),
    ShareFault(
        "accepted-comes-again",
        "SHR-131",
        VIOLATES,
        "A record that was accepted is delivered again.",
        remembered=change_record(_make_available),
    ),
    ShareFault(
        "released-is-lost",
        "SHR-315",
        VIOLATES,
        "A record that was released is never delivered again.",
        remembered=change_record(_archive_returned),
    ),
    ShareFault(
        "count-starts-anew",
        "SHR-400",
        VIOLATES,
        "The delivery count starts again at 1.",
        remembered=change_record(_forget_count),
    ),
    ShareFault(
        "count-told-one-high",
        "SHR-400",
        VIOLATES,
        "The delivery count is reported one too high.",
        altered=change_ranges(lambda one: replace(one, count=one.count + 1)),
    ),
    ShareFault(
        "count-always-one",
        "SHR-400",
        VIOLATES,
        "The delivery count is reported as 1.",
        altered=change_ranges(lambda one: replace(one, count=1)),
    ),
    ShareFault(
        "range-one-further",
        "SHR-129",
        VIOLATES,
        "The last range is reported one offset too long.",
        altered=change_part(_one_further),
    ),
    ShareFault(
        "first-batch-only",
        "SHR-153",
        VIOLATES,
        "Only the first batch of the data comes.",
        altered=change_part(_first_batch),
    ),
    ShareFault(
        "last-batch-only",
        "SHR-153",
        VIOLATES,
        "Only the last batch of the data comes.",
        altered=change_part(_last_batch),
    ),
    ShareFault(
        "no-data",
        "SHR-153",
        VIOLATES,
        "Acquired records come without their data.",
        altered=change_part(_no_data),
    ),
    ShareFault(
        "data-altered",
        "SHR-154",
        VIOLATES,
        "The data comes with other bytes than were stored.",
        altered=change_part(_alter_data),
    ),
    ShareFault(
        "epoch-stands-still",
        "SHR-003",
        VIOLATES,
        "The next epoch is refused.",
        altered=_refuse_next_epoch,
    ),
    ShareFault(
        "final-epoch-refuses",
        "SHR-024",
        VIOLATES,
        "What is acknowledged with the final epoch is refused.",
        altered=_final_epoch_refuses,
    ),
    ShareFault(
        "shape-is-a-state",
        "SHR-323",
        DEVIATES,
        "Acknowledgements of a wrong shape are answered with INVALID_RECORD_STATE.",
        altered=_shape_is_a_state,
    ),
    ShareFault(
        "session-errors-swapped",
        "SHR-004",
        VIOLATES,
        "The two errors of a session are mistaken for each other.",
        altered=_wrong_session_error,
    ),
    ShareFault(
        "bad-state-accepted",
        "SHR-316",
        VIOLATES,
        "What another holds may be acknowledged, with success.",
        altered=replace_codes({STATE: 0}),
    ),
    ShareFault(
        "bad-shape-accepted",
        "SHR-301",
        VIOLATES,
        "An inverted range is answered with success.",
        altered=replace_codes({REQUEST: 0}),
    ),
    ShareFault(
        "throttling-left-out",
        "SHR-170",
        DEVIATES,
        "Records near their last delivery come in full batches.",
        decided=lambda share: replace(share, throttling=Throttling.NONE),
    ),
)

VARIANTS: tuple[ShareFault, ...] = (
    ShareFault("as-the-reference", "", CONFORMS, "Nothing is different."),
    ShareFault(
        "partitions-the-other-way-round",
        "",
        CONFORMS,
        "The answer names its partitions in another order.",
        altered=change_fetch(lambda answer: replace(answer, partitions=answer.partitions[::-1])),
    ),
    ShareFault(
        "empty-share-partitions-left-out",
        "",
        CONFORMS,
        "An answer leaves out partitions that have nothing new.",
        altered=change_fetch(
            lambda answer: replace(
                answer,
                partitions=tuple(
                    [
                        one
                        for one in answer.partitions
                        if one.acquired or one.error or one.acknowledge_error
                    ]
                ),
            )
        ),
    ),
    ShareFault(
        "throttled",
        "",
        CONFORMS,
        "An answer has a throttle time.",
        altered=change_fetch(lambda answer: replace(answer, throttle_ms=7)),
    ),
    ShareFault(
        "unknown-tag",
        "",
        CONFORMS,
        "An answer carries a tagged field that no one knows.",
        altered=change_fetch(lambda a: replace(a, unknown_tags=(99,))),
    ),
    ShareFault(
        "null-records",
        "",
        CONFORMS,
        "Where nothing was acquired the records field is null.",
        altered=change_fetch(
            lambda answer: replace(
                answer,
                partitions=tuple(
                    [replace(one, null_records=not one.batches) for one in answer.partitions]
                ),
            )
        ),
    ),
)
