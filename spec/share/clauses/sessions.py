"""Share sessions as a member sees them (KIP-932): epochs, refusals, the end of a session and what
it gives back.
"""

from spec.clause import KIP, Chapter, Code, Doc, Held, Reading, Report, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.in_words import in_words
from spec.kafka import Error, error_name
from spec.scenario import Scenario
from spec.semantics import decision_change
from spec.share.examples import FIVES, PATIENCE_MS, confirm, fetch, fetch_again, history
from spec.share.model.session import Mode, next_epoch
from spec.share.releases import ClosedCount, ShareSemantics
from spec.share.steps import (
    FINAL_EPOCH,
    OPENING_EPOCH,
    DropConnection,
    ShareAcknowledge,
    ShareFetch,
    SharePartition,
)
from spec.share.turn import Turn
from spec.verdict import AT, BELOW, NO_SIDE, LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter()

SESSIONS = KIP(932, "share sessions")
MANAGER = Code("SharePartitionManager.java", "353-536")
APIS = Code("KafkaApis.scala", "3204-3316")


def expect_refusal(turn: Turn, where: Side, *rules: str) -> Held | None:
    """Whether a request that one of these clauses refuses was refused with its error."""
    if (
        turn.answer is None
        or turn.admission.rule not in rules
        or turn.admission.mode is not Mode.REFUSED
        or not turn.known_version
    ):
        return None
    expected, found = turn.admission.error, turn.answer.error
    if found != expected:
        why = (
            f"epoch {turn.admission.epoch}: expected {error_name(expected)}, found "
            f"{error_name(found)}"
        )
        return breaks(where, why, "error code" if found else "not refused")
    return holds(where)


@chapter.clause(
    "SHR-001", Strength.MUST, LimitClass.HARD, SESSIONS, MANAGER, slug="share/session/opened"
)
def epoch_zero_opens_a_session(turn: Turn) -> Held | None:
    """A ShareFetch with ShareSessionEpoch 0, a valid group and member id and no acknowledgements is
    answered without a top-level error and opens a session, in place of one that the member may
    have. SHARE_SESSION_LIMIT_REACHED conforms too.

    Which epoch the session expects next is a matter of SHR-003; unknown acquire modes and topic ids
    are of SHR-012 and SHR-013.
    """
    if (
        turn.answer is None
        or turn.admission.mode is not Mode.OPENING
        or not turn.known_version
        or _whole_request_fails(turn)
    ):
        return None
    if turn.answer.error == Error.SHARE_SESSION_LIMIT_REACHED:
        return None
    return (
        holds()
        if turn.answer.error == 0
        else fails(f"expected a session, found {error_name(turn.answer.error)}", "refused")
    )


@epoch_zero_opens_a_session.example("opened, and opened again")
def _opened_example() -> Scenario:
    return history(
        (FIVES,),
        fetch(0, max_records=1),
        ShareFetch((SharePartition(0),), epoch=0, max_records=1, version=2),
    )


@epoch_zero_opens_a_session.example("by a member id of 36 characters, which SHR-017 still takes")
def _longest_member() -> Scenario:
    return history((FIVES,), ShareFetch((SharePartition(0),), member="m" * 36, version=2))


def _whole_request_fails(turn: Turn) -> bool:
    return (
        turn.answer is not None
        and turn.answer.error == Error.UNKNOWN_SERVER_ERROR
        and (bool(turn.confirmed) or unknown_topic(turn))
    )


def unknown_topic(turn: Turn) -> bool:
    """Whether the session has a partition of an unknown topic id."""
    return (
        any(served.fault == Error.UNKNOWN_TOPIC_ID for served in turn.served)
        or turn.admission.rule == "SHR-013"
    )


@chapter.clause(
    "SHR-003",
    Strength.MUST,
    LimitClass.HARD,
    SESSIONS,
    MANAGER,
    slug="share/session/next-epoch",
    fence=Fence(
        "the share session epoch",
        Unit.EPOCHS,
        "the one that the session expects next",
        meaning="below is -1, the final one",
    ),
)
def the_next_epoch_is_taken(turn: Turn) -> Held | None:
    """A ShareFetch or ShareAcknowledge whose ShareSessionEpoch is the one that its session expects
    next, or -1, is answered without a top-level error. A session expects 1 after epoch 0, and after
    each request of either API that was answered without a top-level error that request's epoch plus
    one (after 2147483647 comes 1). UNKNOWN_SERVER_ERROR conforms where the request acknowledges
    something, or its session has a partition of an unknown topic id.

    Those two are of SHR-322 and SHR-013. What is wrong with a request as such goes before its epoch
    (SHR-012, SHR-017, SHR-018, SHR-405).
    """
    if (
        turn.answer is None
        or turn.admission.mode not in {Mode.CONTINUING, Mode.FINAL}
        or not turn.known_version
        or _whole_request_fails(turn)
    ):
        return None
    before = turn.admission.before
    if before is None or before.doubtful:
        return None
    where = AT if turn.admission.epoch == before.epoch else BELOW
    if turn.answer.error:
        return breaks(
            where,
            f"epoch {turn.admission.epoch}: expected it to be taken, found "
            f"{error_name(turn.answer.error)}",
            "refused",
        )
    return holds(where)


@the_next_epoch_is_taken.example("fetch, acknowledge, fetch")
def _counted_example() -> Scenario:
    return history((FIVES,), fetch(0, max_records=1), confirm(0, 4), fetch_again(max_records=1))


@chapter.clause(
    "SHR-004",
    Strength.MUST,
    LimitClass.HARD,
    SESSIONS,
    MANAGER,
    slug="share/session/wrong-epoch",
    fence=Fence("the share session epoch", Unit.EPOCHS, "the one that the session expects next"),
)
def any_other_epoch_is_refused(turn: Turn) -> Held | None:
    """With a session, a ShareSessionEpoch other than 0, -1 and the one expected next is answered
    with the top-level error INVALID_SHARE_SESSION_EPOCH. A request that is taken moves the epoch
    when it comes, not when it is answered. Without a session, any other than 0 is answered with
    SHARE_SESSION_NOT_FOUND, -1 included. On 4.0 a ShareFetch without a session that names
    partitions with ShareSessionEpoch -1 is answered with INVALID_REQUEST.

    What is wrong with a request as such goes before its epoch (SHR-017, SHR-018, SHR-405). After a
    request that was answered with UNKNOWN_SERVER_ERROR, SHR-006 says what the session expects.
    """
    before = turn.admission.before
    if before is not None and before.doubtful:
        return None
    return expect_refusal(turn, side(turn.admission.epoch, next_epoch(before)), "SHR-004")


@any_other_epoch_is_refused.example("one epoch too far, and an epoch without a session")
def _wrong() -> Scenario:
    return history(
        (FIVES,),
        fetch(0, max_records=1),
        ShareFetch(skew=1, version=2),
        ShareFetch(epoch=3, version=2, actor=1),
    )


@chapter.clause(
    "SHR-005",
    Strength.MUST,
    LimitClass.HARD,
    SESSIONS,
    MANAGER,
    Report("confluentinc/librdkafka#5393"),
    slug="share/session/nothing-acknowledged-at-zero",
    aliases=("S11",),
)
def nothing_is_acknowledged_at_epoch_zero(turn: Turn) -> Held | None:
    """A ShareAcknowledge with ShareSessionEpoch 0 is answered with the top-level error
    INVALID_SHARE_SESSION_EPOCH, a ShareFetch with ShareSessionEpoch 0 and acknowledgements with
    INVALID_REQUEST.

    The session that the member has stays as it is, so that its next epoch is still taken (SHR-003).
    """
    return expect_refusal(turn, NO_SIDE, "SHR-005")


@nothing_is_acknowledged_at_epoch_zero.example("acknowledging at epoch 0")
def _zero() -> Scenario:
    return history((FIVES,), ShareAcknowledge(confirm(0, 4).partitions, epoch=0, version=2))


@chapter.clause(
    "SHR-006",
    Strength.REFERENCE,
    LimitClass.HARD,
    APIS,
    slug="share/session/late-failure-counts",
    fence=Fence(
        "the share session epoch",
        Unit.EPOCHS,
        "the one after that of a request that failed past the session check",
    ),
)
def a_request_that_fails_late_is_counted(turn: Turn) -> Held | None:
    """After a request with a valid epoch that was answered with the top-level error
    UNKNOWN_SERVER_ERROR (SHR-012, SHR-013, SHR-322) the session expects that request's epoch plus
    one. A request with it is not answered with INVALID_SHARE_SESSION_EPOCH; one with another epoch,
    0 and -1 aside, is not answered without a top-level error.
    """
    before = turn.admission.before
    if (
        turn.answer is None
        or before is None
        or not before.doubtful
        or turn.admission.epoch in {OPENING_EPOCH, FINAL_EPOCH}
    ):
        return None
    where = side(turn.admission.epoch, before.epoch)
    if where is AT and turn.answer.error == Error.INVALID_SHARE_SESSION_EPOCH:
        return breaks(
            where,
            f"expected epoch {before.epoch} after a request that failed, found it refused",
            "not counted",
        )
    if where is not AT and not turn.answer.error:
        return breaks(
            where,
            f"expected epoch {before.epoch} after a request that failed, found "
            f"{turn.admission.epoch} taken",
            "another epoch taken",
        )
    return holds(where)


@a_request_that_fails_late_is_counted.example("an unknown acquire mode, then the next epoch")
def _late() -> Scenario:
    return history(
        (FIVES,), fetch(0, max_records=1), ShareFetch(mode=2, version=2), fetch_again(max_records=1)
    )


@a_request_that_fails_late_is_counted.example(
    "an unknown acquire mode, then its epoch again, and one too far"
)
def _late_and_wrong() -> Scenario:
    return history(
        (FIVES,),
        fetch(0, max_records=1),
        ShareFetch(mode=2, version=2),
        ShareFetch(skew=-1, version=2),
        ShareFetch(skew=1, version=2),
    )


@chapter.clause(
    "SHR-007",
    Strength.MUST,
    LimitClass.HARD,
    SESSIONS,
    Code("SharePartitionManager.java", "353"),
    slug="share/session/final-epoch",
)
def the_final_epoch_fetches_nothing(turn: Turn) -> Held | None:
    """A ShareFetch with ShareSessionEpoch -1 that is answered without a top-level error acquires no
    record in any partition.

    It ends the session (SHR-004). What it acknowledges is applied first (SHR-024), what the member
    still holds is given back (SHR-025).
    """
    if (
        turn.answer is None
        or turn.admission.mode is not Mode.FINAL
        or turn.answer.error
        or turn.fetch is None
    ):
        return None
    taken = [
        part.partition
        for part in (turn.fetch_answer.partitions if turn.fetch_answer is not None else ())
        if part.acquired
    ]
    return (
        fails(
            f"expected nothing acquired at epoch -1, found records of partitions {in_words(taken)}",
            "acquired",
        )
        if taken
        else holds()
    )


@the_final_epoch_fetches_nothing.example("ten records held, three accepted with the final epoch")
def _final() -> Scenario:
    last = ShareFetch(confirm(0, 2).partitions, epoch=FINAL_EPOCH, version=2)
    return history((FIVES,), fetch(0, max_records=6), last, fetch(0, max_records=1, actor=1))


@chapter.clause(
    "SHR-009",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("SharePartition.java", "1096-1180"),
    slug="share/session/closed-delivery-counts",
    readings=(
        Reading(
            "kept",
            "The delivery that ended with the session counts: the next one is one higher.",
            decision_change(ShareSemantics, closed_count=ClosedCount.KEPT),
        ),
        Reading(
            "taken_back",
            "It does not count: the record is delivered again with the same count.",
            decision_change(ShareSemantics, closed_count=ClosedCount.TAKEN_BACK),
        ),
    ),
    aliases=("DIV-12",),
)
def a_delivery_that_ended_with_its_session_counts(turn: Turn) -> Held | None:
    """A record that was held with DeliveryCount n by a member whose session closed is acquired next
    with DeliveryCount n + 1. On 4.1 it is acquired with DeliveryCount n again.

    Each of the two passes SHR-400; any third count breaks it.
    """
    arose = False
    for served in turn.followed_partitions:
        for offset, count in served.counts.items():
            record = served.before.record(offset) if served.before is not None else None
            if record is None or record.otherwise is None:
                continue
            arose = True
            if count != record.count + 1 and count == record.otherwise + 1:
                return fails(
                    f"offset {offset}: expected delivery count {record.count + 1}, found {count}",
                    "count after a close",
                )
    return holds() if arose else None


@a_delivery_that_ended_with_its_session_counts.fits
def closed_count_fits(turn: Turn) -> dict[str, bool]:
    """For each reading of SHR-009, whether the turn fits it; empty where the readings do not
    differ.
    """
    for served in turn.followed_partitions:
        for offset, count in served.counts.items():
            record = served.before.record(offset) if served.before is not None else None
            if record is not None and record.otherwise is not None:
                kept = max(record.count, record.otherwise) + 1
                return {"kept": count == kept, "taken_back": count == kept - 1}
    return {}


@a_delivery_that_ended_with_its_session_counts.example("a session that held ten records is closed")
def _given_back() -> Scenario:
    return history(
        (FIVES,),
        fetch(0, max_records=6),
        ShareFetch(epoch=FINAL_EPOCH, version=2),
        fetch(0, max_records=1, actor=1),
    )


@chapter.clause(
    "SHR-026",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("ShareSessionCache.java", "ClientConnectionDisconnectListener"),
    Report("KAFKA-19015"),
    slug="share/session/ends-with-its-connection",
    since="4.1",
)
def a_session_ends_with_its_connection(turn: Turn) -> Held | None:
    """Once the connection on which it was opened is lost, a share session is closed: what its
    member held is acquired by others as after ShareSessionEpoch -1 (SHR-025), and not only when
    its locks have run out.

    No text promises it: a broker, or what stands before it, may keep the session.
    """
    if turn.session_kept:
        return fails("expected the session to end with its connection, found it kept", "kept")
    for served in turn.followed_partitions:
        if served.before is None or not served.slot.dropped:
            continue
        found = [served.before.record(offset) for offset in served.counts]
        if any(record is not None and record.otherwise is not None for record in found):
            return holds()
    return None


@a_session_ends_with_its_connection.example("a member that held ten records loses its connection")
def _lost_connection() -> Scenario:
    return history(
        (FIVES,),
        fetch(0, max_records=6),
        fetch(0, max_records=1, actor=1),
        DropConnection(),
        fetch(0, actor=1, patience_ms=PATIENCE_MS),
    )


chapter.exclude(
    "SHR-015",
    Strength.MUST,
    LimitClass.SOFT,
    Doc("config group.share.max.share.sessions"),
    Code("SharePartitionManager.java", "455-500"),
    slug="share/session/slots",
    statement=(
        "A ShareFetch with ShareSessionEpoch 0 is answered with SHARE_SESSION_LIMIT_REACHED after "
        "its MaxWaitMs, if the broker has group.share.max.share.sessions sessions of other members."
    ),
    reason=(
        "the limit counts all sessions of a broker, and histories are played side by side on one"
    ),
)
chapter.exclude(
    "SHR-025",
    Strength.MUST,
    LimitClass.HARD,
    SESSIONS,
    Code("SharePartition.java", "1052"),
    slug="share/session/gives-back",
    statement=(
        "When a session is closed by ShareSessionEpoch -1, each record that its member still holds "
        "in the partitions of the session becomes available, or archived if its DeliveryCount has "
        "reached the delivery count limit (SHR-401)."
    ),
    reason=(
        "it has no answer of its own: a later fetch that acquires none of them breaks "
        "SHR-155, with the signature 'after a closed session'"
    ),
)
chapter.exclude(
    "SHR-002",
    Strength.REFERENCE,
    LimitClass.HARD,
    Code("SharePartitionManager.java", "455-500"),
    slug="share/session/reopened-keeps-locks",
    statement=(
        "ShareSessionEpoch 0 in place of an open session leaves each record that the member holds "
        "acquired: nobody else acquires it, and the member can still acknowledge it."
    ),
    reason=(
        "followed by the observer in every history (SHR-100, SHR-309 would break); it has no "
        "answer of its own"
    ),
)
