"""That there is an answer, that it can be read, and that it names what was asked for."""

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.in_words import in_words
from spec.kafka import Error, error_name
from spec.outcomes import Closed, Garbled, Silent
from spec.scenario import Scenario
from spec.share.clauses.sessions import unknown_topic
from spec.share.examples import FIVES, confirm, fetch, history
from spec.share.model.session import Mode
from spec.share.releases import ShareSemantics
from spec.share.steps import FINAL_EPOCH, ShareFetch
from spec.share.turn import Turn
from spec.verdict import ABOVE, AT, LimitClass, Strength, side_of_range

chapter: Chapter[Turn] = Chapter()
GUIDE = Doc("protocol guide, ShareFetch and ShareAcknowledge")

SILENT = "silent"
"""The signature of a request without an answer, where nothing below explains it."""
ACKNOWLEDGING_DELETED = "silent, acknowledging deleted records"
"""The signature where a request acknowledges offsets that lie below the log's start."""
BATCH_SIZE_OVER_ABORTED = "silent, BatchSize below 1 over an aborted transaction"
"""The signature where a read_committed fetch with a BatchSize of 0 or below has an aborted
transaction in its log.
"""


def _silence(turn: Turn) -> str:
    """Signature of an unanswered request, by the situation that it met."""
    if any(batch.first < one.log_start for one in turn.confirmed for batch in one.batches):
        return ACKNOWLEDGING_DELETED
    if (
        turn.fetch is not None
        and turn.fetch.batch_size <= 0
        and turn.settings.isolation
        and any(one.log is not None and one.log.aborted for one in turn.served)
    ):
        return BATCH_SIZE_OVER_ABORTED
    return SILENT


@chapter.clause(
    "SHR-020",
    Strength.MUST,
    LimitClass.HARD,
    Doc("protocol guide, API versioning"),
    KIP(1206, "version 2 of ShareFetch"),
    slug="share/version/unsupported",
    fence=Fence(
        "the request's version",
        Unit.VERSIONS,
        "the oldest and the newest version that the broker advertises",
        meaning="below is older than the oldest, above is newer than the newest",
    ),
    aliases=("A09",),
)
def unsupported_version_is_not_answered(turn: Turn) -> Held | None:
    """A ShareFetch or ShareAcknowledge of a version outside the range that ApiVersions advertises
    is never answered with the top-level error 0.

    Another error code conforms, and so does a closed connection.
    """
    request, share = turn.request, turn.semantics.of(ShareSemantics)
    if request is None:
        return None
    where = side_of_range(request.version, share.oldest_fetch, share.newest_fetch)
    if where is AT:
        return holds(where) if turn.answer is not None else None
    if turn.answer is not None and turn.answer.error == 0:
        why = (
            f"expected no data for v{request.version} (advertised {share.oldest_fetch} to "
            f"{share.newest_fetch}), found an answer"
        )
        return breaks(where, why, "answered")
    return holds(where)


@unsupported_version_is_not_answered.example("the newest version")
def _newest() -> Scenario:
    return history((FIVES,), fetch(0, max_records=1))


@chapter.clause("SHR-021", Strength.MUST, LimitClass.EMERGENT, GUIDE, slug="share/answer/given")
def supported_request_is_answered(turn: Turn) -> Held | None:
    """A share request of an advertised version is answered: its connection is not closed, and the
    answer comes within 30 s after its MaxWaitMs as long as other requests to the broker are
    answered.
    """
    if turn.request is None or not turn.known_version:
        return None
    if isinstance(turn.outcome, Closed):
        return fails(
            f"expected an answer to v{turn.request.version}, the connection was closed",
            "closed",
        )
    if isinstance(turn.outcome, Silent) and turn.outcome.control_answered:
        why = (
            f"expected an answer, found none {turn.outcome.waited_ms} ms past max_wait while other "
            "requests were answered"
        )
        return fails(why, _silence(turn))
    return holds() if turn.answer is not None else None


@supported_request_is_answered.example("a fetch and an acknowledgement")
def _both_requests() -> Scenario:
    return history((FIVES,), fetch(0, max_records=1), confirm(0, 4))


@chapter.clause(
    "SHR-022", Strength.MUST, LimitClass.HARD, GUIDE, KIP(482), slug="share/answer/well-formed"
)
def answer_can_be_decoded(turn: Turn) -> Held | None:
    """An answer is exactly one message of the request's version, with no byte missing, none after
    it and no null where the message definition has none. The Records of each partition can be read
    as record batches.
    """
    if turn.request is None or not turn.known_version:
        return None
    if isinstance(turn.outcome, Garbled):
        return fails(
            f"expected an answer of v{turn.request.version}, found bytes that are none: "
            f"{turn.outcome.reason}",
            "garbled",
        )
    if turn.answer is None:
        return None
    if turn.answer.nulls:
        return fails(
            f"expected values in {', '.join(turn.answer.nulls)}, found null, which is not allowed "
            "there",
            "null where a value is required",
        )
    if turn.answer.trailing:
        return fails(
            f"expected the answer to end with its last field, {turn.answer.trailing} bytes follow",
            "trailing bytes",
        )
    for part in turn.fetch_answer.partitions if turn.fetch_answer is not None else ():
        if part.garbled:
            return fails(
                f"expected record batches in partition {part.partition}, found {part.garbled}",
                "garbled records",
            )
    return holds()


@answer_can_be_decoded.example("three batches of five records")
def _three_batches() -> Scenario:
    return history((FIVES,), fetch(0))


@chapter.clause(
    "SHR-023",
    Strength.MUST,
    LimitClass.HARD,
    KIP(932, "ShareFetch API"),
    Code("ShareSession.java", "update"),
    slug="share/answer/each-partition-once",
    aliases=("SHR-011",),
)
def an_answer_names_each_partition_once_and_no_other(turn: Turn) -> Held | None:
    """A ShareFetch answer without a top-level error lists no partition twice, and only partitions
    that are in the session after the request (at the final epoch: before it) or that the request
    acknowledged something in.

    A partition in ForgottenTopicsData is out of the session from that very request on.
    """
    if turn.fetch is None or turn.fetch_answer is None or turn.fetch_answer.error:
        return None
    numbers = [part.partition for part in turn.fetch_answer.partitions]
    session = turn.admission.after or turn.admission.before
    known = {
        *(session.partitions if session is not None else ()),
        *[one.partition for one in turn.confirmed],
    }
    if len(set(numbers)) != len(numbers):
        return fails(f"expected each partition once, found {in_words(numbers)}", "named twice")
    strange = [number for number in numbers if number not in known]
    if strange:
        return fails(
            f"expected partitions of the session {in_words(sorted(known))}, found "
            f"{in_words(strange)}",
            "not asked for",
        )
    return holds()


@an_answer_names_each_partition_once_and_no_other.example("two partitions, one of them forgotten")
def _forgotten() -> Scenario:
    first = fetch(0, 1, max_records=1)
    return history(
        (FIVES, FIVES),
        first,
        ShareFetch(forgotten=(1,), max_records=1, version=2),
        ShareFetch(epoch=FINAL_EPOCH, version=2),
    )


@chapter.clause(
    "SHR-402",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(932, "record lock duration"),
    Doc(
        "config group.share.record.lock.duration.ms and group config share.record.lock.duration.ms"
    ),
    Code("SharePartition.java", "2886"),
    slug="share/lock/duration",
    since="4.1",
)
def the_lock_duration_is_reported(turn: Turn) -> Held | None:
    """AcquisitionLockTimeoutMs of an answer without a top-level error (ShareFetch from version 1,
    ShareAcknowledge from version 2) is the group's share.record.lock.duration.ms, or where the
    group has none the broker's group.share.record.lock.duration.ms.

    Of an answer to a request that should have been refused (SHR-004, SHR-005, SHR-017, SHR-018,
    SHR-405) nothing is said.
    """
    if (
        turn.answer is None
        or turn.answer.error
        or turn.answer.lock_timeout_ms is None
        or turn.admission.mode is Mode.REFUSED
    ):
        return None
    if turn.answer.lock_timeout_ms != turn.settings.lock_duration_ms:
        return fails(
            f"expected {turn.settings.lock_duration_ms} ms, found {turn.answer.lock_timeout_ms}",
            "lock duration",
        )
    return holds()


@the_lock_duration_is_reported.example("the broker's lock duration")
def _lock_duration() -> Scenario:
    return history((FIVES,), fetch(0))


@chapter.clause(
    "SHR-322",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(932, "ShareAcknowledge API, error codes"),
    Code("SharePartition.java", "2104"),
    slug="share/acknowledge/partition-by-partition",
    fence=Fence(
        "an acknowledged range",
        Unit.OFFSETS,
        "the share-partition start offset",
        meaning="at is a range that begins below it and reaches it, above any other",
    ),
    aliases=("SHR-314", "DIV-07"),
)
def acknowledgements_never_fail_the_whole_request(turn: Turn) -> Held | None:
    """Where the session and the epoch of a request are valid, what it acknowledges does not make
    its top-level error UNKNOWN_SERVER_ERROR, whatever offsets and types it names: an error of
    acknowledgements stands at their partition.

    A session with an unknown topic id is a matter of SHR-013.
    """
    if turn.answer is None or not turn.confirmed or unknown_topic(turn):
        return None
    crossing = any(
        one.before is not None
        and any(batch.first < one.before.start <= batch.last for batch in one.batches)
        for one in turn.confirmed
    )
    where = AT if crossing else ABOVE
    if turn.answer.error == Error.UNKNOWN_SERVER_ERROR:
        return breaks(
            where,
            f"expected an error for the partition, found {error_name(turn.answer.error)} for the "
            "request",
            "whole request",
        )
    return holds(where)


@acknowledgements_never_fail_the_whole_request.example(
    "a range across a start offset of 2, before anything was acquired (DIV-07)"
)
def _crossing() -> Scenario:
    return history((FIVES,), fetch(0, max_records=0, patience_ms=0), confirm(0, 4), start=2)
