"""The answers of the reference, made of what was decided."""

from collections.abc import Sequence

from spec.frozen import replace
from spec.kafka import Error
from spec.log import Log, Stored
from spec.outcomes import Outcome
from spec.seen_batch import SeenBatch
from spec.share.model.fetching import FetchedPartition, Rules
from spec.share.model.session import ShareSession
from spec.share.outcomes import (
    Acquired,
    ShareAcknowledgeAnswer,
    ShareAnswerPartition,
    ShareFetchAnswer,
)
from spec.share.releases import ShareSemantics, Slicing
from spec.share.steps import (
    ACQUIRE_MODE_SINCE,
    MAX_RECORDS_SINCE,
    OPENING_EPOCH,
    ShareFetch,
)

Errors = Sequence[tuple[int, int]]
"""(partition, error code) of what was acknowledged."""


def refusal(request: object, epoch: int, error: Error | int) -> Outcome:
    """The answer to a request that is refused or fails as a whole."""
    if isinstance(request, ShareFetch):
        return ShareFetchAnswer(epoch, error)
    timeout = 0 if getattr(request, "version", 0) >= ACQUIRE_MODE_SINCE else None
    return ShareAcknowledgeAnswer(epoch, error, (), timeout)


def acknowledge_answer(
    version: int, epoch: int, errors: Errors, rules: Rules
) -> ShareAcknowledgeAnswer:
    """The answer to a ShareAcknowledge that was taken."""
    timeout = rules.settings.lock_duration_ms if version >= ACQUIRE_MODE_SINCE else None
    return ShareAcknowledgeAnswer(epoch, 0, tuple(errors), timeout)


def fetch_answer(
    version: int, epoch: int, fetched: Sequence[FetchedPartition], errors: Errors, rules: Rules
) -> ShareFetchAnswer:
    """The answer to a ShareFetch that was taken: its partitions, then those that only something was
    acknowledged in.
    """
    left = dict(errors)
    parts = [_part(one, left.pop(one.partition, 0), rules) for one in fetched]
    parts += [
        ShareAnswerPartition(number, acknowledge_error=error) for number, error in left.items()
    ]
    timeout = rules.settings.lock_duration_ms if version >= MAX_RECORDS_SINCE else None
    return ShareFetchAnswer(epoch, 0, tuple(parts), timeout)


def listed_partitions(
    session: ShareSession, epoch: int, fetched: Sequence[FetchedPartition]
) -> tuple[FetchedPartition, ...]:
    """The partitions that an answer has an entry for: all that were read by the fetch that opens
    the session; later those that give something or fail, or are new in it (ShareSession.java).
    """
    return tuple(
        [
            one
            for one in fetched
            if epoch == OPENING_EPOCH
            or one.error
            or one.gives_records
            or one.partition in session.announced
        ]
    )


def session_after_answer(
    session: ShareSession, epoch: int, shown: Sequence[FetchedPartition]
) -> ShareSession:
    """A session after an answer with these partitions: one that gave records is last from then on,
    and one that failed has an entry next time too. The answer that opens it changes nothing.

    Source: CachedSharePartition.java:92 and ShareSessionContext.java of Kafka 4.3.1. Which of two
    that gave records comes last depends on their topics' ids there.
    """
    if epoch == OPENING_EPOCH:
        return session
    moved = [one.partition for one in shown if one.gives_records]
    order = [number for number in session.partitions if number not in moved]
    announced = session.announced - {one.partition for one in shown}
    failed = {one.partition for one in shown if one.error}
    return replace(session, partitions=(*order, *moved), announced=announced | failed)


def _part(one: FetchedPartition, acknowledge_error: int, rules: Rules) -> ShareAnswerPartition:
    found = one.acquisition
    if one.log is None or found is None:
        return ShareAnswerPartition(one.partition, one.error, acknowledge_error)
    sliced = rules.semantics.of(ShareSemantics).slicing is Slicing.ACQUIRED
    sent = _batches_of(one.log, found.ranges) if sliced else found.read if found.ranges else ()
    batches = tuple([SeenBatch(each.base, each.last, each.size, each.records) for each in sent])
    whole = bool(found.ranges) and (not sliced or len(found.read) == 1)
    return ShareAnswerPartition(
        one.partition,
        0,
        acknowledge_error,
        found.ranges,
        batches,
        tail=found.rest if whole else 0,
    )


def _batches_of(log: Log, ranges: Sequence[Acquired]) -> tuple[Stored, ...]:
    """The batches from that of the first acquired offset to that of the last (SHR-150)."""
    real = [one for one in ranges if one.first <= one.last]
    if not real:
        return ()
    first, last = min([one.first for one in real]), max([one.last for one in real])
    return tuple([one for one in log.batches if one.last >= first and one.base <= last])
