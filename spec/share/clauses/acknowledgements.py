"""Which acknowledgements succeed, and which errors others get, by the records that they name."""

from spec.clause import KIP, Chapter, Code, Doc, Held, Reading, Report, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.in_words import in_words
from spec.kafka import Error, error_name
from spec.scenario import Scenario
from spec.share.examples import (
    FIVES,
    acknowledgements_of,
    confirm,
    fetch,
    history,
    holding_ten,
    release,
)
from spec.share.model.acknowledge import named_offsets
from spec.share.model.records import RecordState
from spec.share.model.session import Mode
from spec.share.steps import FINAL_EPOCH, AcknowledgeType, AlterGroupConfig, ShareFetch
from spec.share.turn import Confirmed, Turn
from spec.verdict import NO_SIDE, LimitClass, Strength, side

chapter: Chapter[Turn] = Chapter()

ACKNOWLEDGE = KIP(932, "ShareAcknowledge API")
SESSIONS = KIP(932, "share sessions")
SHAPE = Code("KafkaApis.scala", "4078")
STATE = Code("SharePartition.java", "2104-2450")

OF_ACKNOWLEDGING = frozenset({Error.INVALID_REQUEST, Error.INVALID_RECORD_STATE})
"""The errors that are about acknowledgements alone. Any other may be about the share
partition, which is being loaded, say, and then the fetch gets it too.
"""


def acknowledged_partitions(turn: Turn) -> tuple[Confirmed, ...]:
    """The partitions in which a request acknowledges something; none if it has no answer, was
    refused as a whole, or opens a session.
    """
    if (
        turn.answer is None
        or turn.answer.error
        or turn.admission.mode not in {Mode.CONTINUING, Mode.FINAL}
    ):
        return ()
    return turn.confirmed


@chapter.clause(
    "SHR-309",
    Strength.MUST,
    LimitClass.EMERGENT,
    ACKNOWLEDGE,
    STATE,
    slug="share/acknowledge/held",
    aliases=("SHR-319", "DIV-18"),
)
def what_is_held_can_be_acknowledged(turn: Turn) -> Held | None:
    """Acknowledgements of a partition with a ShareSessionEpoch above 0 are answered without an
    error if they are well-formed, name each offset once and name only records, at or past the start
    offset, that the member holds. The partition need not be in the session. An answer that leaves
    the partition out conforms.

    Those that renew are a matter of SHR-404 where the group forbids renewing.
    """
    return None if turn.admission.mode is Mode.FINAL else _own_records_succeed(turn)


@what_is_held_can_be_acknowledged.example("all ten accepted")
def _accepted_example() -> Scenario:
    return holding_ten(confirm(0, 9))


@chapter.clause(
    "SHR-024",
    Strength.MUST,
    LimitClass.EMERGENT,
    ACKNOWLEDGE,
    SESSIONS,
    Code("KafkaApis.scala", "3385"),
    slug="share/acknowledge/final-epoch",
)
def the_final_epoch_acknowledges_first(turn: Turn) -> Held | None:
    """A request with ShareSessionEpoch -1 applies its acknowledgements before it ends the session:
    they are answered without an error under the conditions of SHR-309.

    What they accept or reject is never delivered again (SHR-131), though the session gives back the
    rest.
    """
    return _own_records_succeed(turn) if turn.admission.mode is Mode.FINAL else None


@the_final_epoch_acknowledges_first.example("three of ten records accepted with the final epoch")
def _with_the_final_epoch() -> Scenario:
    last = ShareFetch(confirm(0, 2).partitions, epoch=FINAL_EPOCH, version=2)
    return holding_ten(last, fetch(0, max_records=1, actor=1))


def _own_records_succeed(turn: Turn) -> Held | None:
    """Hold each partition whose acknowledgements name the member's own records alone against
    success.
    """
    own = [one for one in acknowledged_partitions(turn) if _names_own_records_once(turn, one)]
    for one in own:
        if one.got:
            count = len(list(named_offsets(one.batches)))
            why = (
                f"partition {one.partition}: all {count} offsets are the member's, expected "
                f"success, found {error_name(one.got)}"
            )
            return fails(why, "refused")
    return holds() if own else None


def _names_own_records_once(turn: Turn, one: Confirmed) -> bool:
    """Whether well-formed acknowledgements were answered, name each offset once, and only records
    that the member holds, at or past the start offset; they renew only where the group allows it.
    """
    before = one.before
    if before is None or one.fault is not None or one.got is None or turn.request is None:
        return False
    acknowledged = list(named_offsets(one.batches))
    if not turn.settings.renew and AcknowledgeType.RENEW in {kind for _, kind in acknowledged}:
        return False
    offsets = [offset for offset, _ in acknowledged]
    if len(set(offsets)) != len(offsets):
        return False
    records = [before.record(offset) for offset in offsets]
    member = turn.request.actor
    all_held = all(record is not None and record.held_by(member) for record in records)
    return all_held and offsets[0] >= before.start


@chapter.clause(
    "SHR-315",
    Strength.MUST,
    LimitClass.EMERGENT,
    ACKNOWLEDGE,
    STATE,
    slug="share/acknowledge/not-held",
)
def what_is_not_held_can_not_be_acknowledged(turn: Turn) -> Held | None:
    """Well-formed acknowledgements of a partition that name a record in flight, at or past the
    start offset, which nobody holds are answered with an error, whichever it is: the record is
    available, acknowledged or archived.

    Those that also name a record which another member holds are a matter of SHR-316.
    """
    unheld = [one for one, states in _not_own_records(turn) if RecordState.ACQUIRED not in states]
    return _each_is_refused(unheld, "records that nobody holds")


@what_is_not_held_can_not_be_acknowledged.example(
    "a record accepted after it was rejected, and one released twice"
)
def _repeated_acknowledgement() -> Scenario:
    return holding_ten(
        confirm(6, 6, AcknowledgeType.REJECT), confirm(6, 6), release(8, 8), release(8, 8)
    )


@chapter.clause(
    "SHR-316",
    Strength.MUST,
    LimitClass.EMERGENT,
    ACKNOWLEDGE,
    STATE,
    Report("confluentinc/librdkafka#5393"),
    slug="share/acknowledge/held-by-another",
    aliases=("S11",),
)
def another_members_records_can_not_be_acknowledged(turn: Turn) -> Held | None:
    """Well-formed acknowledgements of a partition that name a record, at or past the start offset,
    which another member holds are answered with an error, whichever it is.
    """
    held = [one for one, states in _not_own_records(turn) if RecordState.ACQUIRED in states]
    return _each_is_refused(held, "records that another member holds")


@another_members_records_can_not_be_acknowledged.example(
    "a second member accepts what the first holds"
)
def _stolen_example() -> Scenario:
    return history(
        (FIVES,), fetch(0, max_records=5), fetch(0, max_records=5, actor=1), confirm(0, 4, actor=1)
    )


def _each_is_refused(partitions: list[Confirmed], what: str) -> Held | None:
    """Hold the acknowledgements of partitions, which name `what`, against an error, whichever."""
    for one in partitions:
        if not one.got:
            why = f"partition {one.partition}: names {what}, expected an error, found none"
            return fails(why, "not refused")
    return holds() if partitions else None


def _not_own_records(turn: Turn) -> list[tuple[Confirmed, set[RecordState]]]:
    """The partitions whose well-formed acknowledgements name cached records, at or past the start
    offset, that the member does not hold; with the states of those records.
    """
    found = []
    for one in acknowledged_partitions(turn):
        if one.before is None or one.fault is not None or turn.request is None:
            continue
        known = [
            one.before.record(offset)
            for offset, _ in named_offsets(one.batches)
            if offset >= one.before.start
        ]
        states = {
            record.state
            for record in known
            if record is not None and not record.held_by(turn.request.actor)
        }
        if states:
            found.append((one, states))
    return found


@chapter.clause(
    "SHR-307",
    Strength.MUST,
    LimitClass.HARD,
    ACKNOWLEDGE,
    KIP(516),
    slug="share/acknowledge/unknown-partition",
    fence=Fence(
        "the partition's number",
        Unit.PARTITIONS,
        "the number of partitions of its topic",
        meaning="at is the first that the topic does not have, above an unknown topic id",
    ),
)
def acknowledging_unknown_partitions_is_refused(turn: Turn) -> Held | None:
    """Well-formed acknowledgements in a partition that its topic does not have are answered with
    UNKNOWN_TOPIC_OR_PARTITION, in a topic id that does not exist with UNKNOWN_TOPIC_ID.
    """
    where = NO_SIDE
    for one in acknowledged_partitions(turn):
        if one.fault is not None or turn.partitions == 0 or one.got is None:
            continue
        where |= side(one.partition, turn.partitions)
        if one.partition < turn.partitions:
            continue
        expected = (
            Error.UNKNOWN_TOPIC_OR_PARTITION
            if one.partition == turn.partitions
            else Error.UNKNOWN_TOPIC_ID
        )
        if one.got != expected:
            return breaks(
                where,
                f"unknown partition: expected {error_name(expected)}, found {error_name(one.got)}",
                "error code",
            )
    return holds(where) if where else None


@acknowledging_unknown_partitions_is_refused.example(
    "a partition that the topic does not have, and a topic that there is not"
)
def _nowhere() -> Scenario:
    return holding_ten(confirm(0, 4, partition=1), confirm(0, 4, partition=2))


@chapter.clause(
    "SHR-330",
    Strength.MUST,
    LimitClass.HARD,
    KIP(932, "ShareFetch API"),
    slug="share/acknowledge/fails-apart",
)
def acknowledgements_and_fetch_fail_apart(turn: Turn) -> Held | None:
    """Where a ShareFetch answers a partition of its session that exists with the
    AcknowledgeErrorCode INVALID_REQUEST or INVALID_RECORD_STATE, the partition's ErrorCode is not
    that error.

    Its fetch continues as if nothing had been acknowledged; what it acquires is a matter of other
    clauses.
    """
    arose = False
    for served in turn.served if turn.is_answered_fetch else ():
        one = next((one for one in turn.confirmed if one.partition == served.partition), None)
        if one is None or served.got is None or served.fault or served.before is None:
            continue
        if one.got not in OF_ACKNOWLEDGING:
            continue
        arose = True
        if served.got.error == one.got:
            why = (
                f"partition {served.partition}: expected the fetch to continue, found "
                f"{error_name(served.got.error)} for it too"
            )
            return fails(why, "fetch failed")
    return holds() if arose else None


@acknowledgements_and_fetch_fail_apart.example(
    "an acknowledgement far past the end, sent along with a fetch"
)
def _along() -> Scenario:
    return holding_ten(ShareFetch(confirm(0, 99).partitions, version=2, max_records=5))


@chapter.clause(
    "SHR-404",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(1222),
    Doc("group config share.renew.acknowledge.enable"),
    Code("SharePartition.java", "2301"),
    slug="share/renew/forbidden",
    since="4.3",
)
def renewing_can_be_forbidden(turn: Turn) -> Held | None:
    """Where the group's share.renew.acknowledge.enable is false, well-formed acknowledgements of a
    partition that have the type 4 (renew) for an offset at or past the start offset are answered
    with an error, whichever it is.

    The records stay with their member (SHR-408).
    """
    if turn.settings.renew:
        return None
    arose = False
    for one in acknowledged_partitions(turn):
        renews = one.fault is None and any(
            kind == AcknowledgeType.RENEW and one.before is not None and offset >= one.before.start
            for offset, kind in named_offsets(one.batches)
        )
        if not renews:
            continue
        arose = True
        if not one.got:
            return fails(
                f"partition {one.partition}: renewing is forbidden, expected an error, found none",
                "not refused",
            )
    return holds() if arose else None


@renewing_can_be_forbidden.example("renewing, allowed at first and then forbidden")
def _forbidden_example() -> Scenario:
    renewing = acknowledgements_of((0, 4, (4,)), renew=True)
    forbidding = AlterGroupConfig((("share.renew.acknowledge.enable", "false"),))
    return holding_ten(renewing, forbidding, renewing)


@chapter.clause(
    "SHR-408",
    Strength.REFERENCE,
    LimitClass.HARD,
    STATE,
    slug="share/acknowledge/all-or-none",
)
def acknowledgements_are_applied_all_or_none(turn: Turn) -> Held | None:
    """Where the acknowledgements of a partition are answered with an error, each record that they
    name stays as it was, the member's own included.

    No document promises it. What was applied all the same shows in what is answered later of the
    records.
    """
    refused = [one for one in acknowledged_partitions(turn) if one.got and one.fault is None]
    if not refused:
        return None
    if turn.applied_in_part:
        numbers = sorted({one.partition for one in refused})
        why = f"partitions {in_words(numbers)}: expected all batches to be without effect"
        return fails(f"{why}, found the effect of some in later answers", "applied in part")
    return holds()


@acknowledgements_are_applied_all_or_none.example(
    "five records released along with some that nobody holds"
)
def _released_in_part() -> Scenario:
    return holding_ten(
        acknowledgements_of((0, 4, (2,)), (10, 14, (1,))),
        fetch(0, max_records=5, actor=1),
        confirm(0, 9),
    )


@chapter.clause(
    "SHR-312",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("SharePartition.java", "980-1041"),
    slug="share/acknowledge/error-codes",
    fence=Fence(
        "the last offset that is acknowledged", Unit.OFFSETS, "the last offset that is cached"
    ),
    readings=(
        Reading(
            "invalid_request",
            "What reaches past the records in flight is not a request that can be understood: "
            "INVALID_REQUEST.",
        ),
        Reading(
            "invalid_record_state",
            "It names records that are in another state than acquired: INVALID_RECORD_STATE.",
        ),
    ),
    aliases=("SHR-310", "SHR-311", "SHR-313", "SHR-317", "SHR-318", "DIV-13", "DIV-14"),
)
def acknowledgements_give_exactly_these_errors(turn: Turn) -> Held | None:
    """Well-formed acknowledgements of a partition are looked at in the order of their batches, and
    the first that fails decides the error. A batch that ends below the start offset has none; one
    that ends past the last of its cached batches is INVALID_REQUEST; one that names a record which
    the member does not hold, at or past the start offset, is INVALID_RECORD_STATE.

    Its cached batches are those that begin at or before its last offset, from the last one on that
    begins at or before its first offset; where none begins so early, it is INVALID_RECORD_STATE, if
    it begins at or past the start offset. Two batches that share one offset are
    INVALID_RECORD_STATE as well, since the member does not hold it any more; so is type 4 (renew)
    where the group forbids renewing. Of a share partition that may still be loaded, and while
    records may change by themselves, nothing is said.
    """
    where = NO_SIDE
    for one in acknowledged_partitions(turn):
        if one.expected is None or one.before is None or one.got is None:
            continue
        if one.expected.whole_request or not one.loaded or not turn.quiet:
            continue
        last = one.before.cached[-1].last if one.before.cached else one.before.start - 1
        where |= side(max([batch.last for batch in one.batches], default=last), last)
        if one.got != one.expected.error:
            why = (
                f"partition {one.partition}: expected {error_name(one.expected.error)}, found "
                f"{error_name(one.got)}"
            )
            return breaks(where, why, _difference(one.expected.error, one.got))
    return holds(where) if where else None


def _difference(expected: int, found: int) -> str:
    """The signature of an error code that is not the expected one; 0 is success."""
    if not found:
        return "no error"
    return "another error" if expected else "an error"


@acknowledgements_give_exactly_these_errors.fits
def error_fits(turn: Turn) -> dict[str, bool]:
    """For each reading of SHR-312, whether the turn fits it; empty where the readings do not
    differ.
    """
    for one in acknowledged_partitions(turn):
        if one.expected is not None and one.got and one.expected.error == Error.INVALID_REQUEST:
            return {
                "invalid_request": one.got == Error.INVALID_REQUEST,
                "invalid_record_state": one.got == Error.INVALID_RECORD_STATE,
            }
    return {}


@acknowledgements_give_exactly_these_errors.example(
    "past the records in flight, and partly past them"
)
def _past() -> Scenario:
    return holding_ten(
        confirm(10, 14),
        confirm(5, 12),
        acknowledgements_of((0, 4, (1,)), (10, 14, (1,))),
        confirm(0, 9),
    )


chapter.exclude(
    "SHR-321",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(932, "share coordinator"),
    slug="share/acknowledge/written",
    statement=(
        "Acknowledgements are answered without an error only after they were written to the share "
        "coordinator, so that each request that any member sends afterwards meets the records as "
        "they are after them."
    ),
    reason=(
        "it has no answer of its own: the observer takes it for granted, and each later fetch "
        "would break SHR-100 or SHR-115"
    ),
)
chapter.exclude(
    "SHR-308",
    Strength.REFERENCE,
    LimitClass.HARD,
    SHAPE,
    slug="share/acknowledge/no-batches",
    statement=(
        "A partition that is named in ShareAcknowledge without AcknowledgementBatches is answered "
        "without an error, or left out."
    ),
    reason=(
        "whether it is listed means nothing to a member; an answer that lists it and one that does "
        "not are taken as the same"
    ),
)
