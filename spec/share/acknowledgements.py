"""What is answered to acknowledgements: their shape, and whose records they name."""

from collections.abc import Callable

from spec.clause import KIP, Chapter, Code, Doc, Held, Reading, Report, breaks, holds
from spec.kafka import Error, error_name
from spec.scenario import Scenario
from spec.share.acknowledging import ShapeFault, named
from spec.share.examples import FIVES, confirm, fetch, history, release
from spec.share.records import RecordState
from spec.share.session import Mode
from spec.share.steps import RENEW_SINCE, AcknowledgementBatch, AcknowledgeType, ShareAcknowledge, ShareFetch, SharePartition
from spec.share.turn import Confirmed, Turn
from spec.verdict import LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter()

ACKNOWLEDGE = KIP(932, "ShareAcknowledge API")
SHAPE = Code("KafkaApis.scala", "4078")
STATE = Code("SharePartition.java", "2104-2450")


def _judged(turn: Turn) -> tuple[Confirmed, ...]:
    """The partitions that something was acknowledged in, of a request that was taken as a whole."""
    if turn.answer is None or turn.answer.error or turn.admission.mode not in {Mode.GOING_ON, Mode.FINAL}:
        return ()
    return turn.confirmed


def _shape(turn: Turn, fault: ShapeFault, where: Callable[[AcknowledgementBatch], Side]) -> Held | None:
    """Whether acknowledgements with this fault of shape were refused, and on which sides of its fence any stood."""
    sides = Side.NONE
    for one in _judged(turn):
        if one.before is None or (one.fault is not None and one.fault is not fault):
            continue
        for batch in one.batches:
            sides |= where(batch)
        if one.fault is fault and one.got != Error.INVALID_REQUEST:
            why = f"partition {one.partition}, {fault}: expected INVALID_REQUEST, found {error_name(one.got or 0)}"
            return breaks(sides, why, "not refused" if not one.got else "error code")
    return holds(sides) if sides else None


@chapter.clause("SHR-301", Strength.MUST, LimitClass.HARD, ACKNOWLEDGE, SHAPE, fence="a range of one offset")
def inverted_ranges_are_refused(turn: Turn) -> Held | None:
    """Acknowledgements with a range that ends before it begins are INVALID_REQUEST, and nothing of that partition is applied."""
    return _shape(turn, ShapeFault.INVERTED, lambda batch: side(batch.last - batch.first + 1, 1))


@chapter.clause(
    "SHR-302",
    Strength.MUST,
    LimitClass.HARD,
    ACKNOWLEDGE,
    SHAPE,
    Report("librdkafka#5393"),
    fence="the last offset of the range before, for the first offset of the next",
    aliases=("S11",),
)
def ranges_go_up(turn: Turn) -> Held | None:
    """Acknowledgements with ranges that overlap or go down are refused. Apache Kafka says INVALID_REQUEST, save at one shared offset."""
    where = Side.NONE
    for one in _judged(turn):
        if one.before is None or one.fault not in {None, ShapeFault.OVERLAPPING}:
            continue
        pairs = list(zip(one.batches, one.batches[1:], strict=False))
        for before, batch in pairs:
            where |= side(batch.first, before.last)
        reached = one.before.start <= max([batch.last for batch in one.batches], default=-1)
        if not one.got and reached and any(_clash(before, batch) for before, batch in pairs):
            return breaks(where, f"partition {one.partition}: ranges overlap or go down: expected an error, found none", "not refused")
    return holds(where) if where else None


def _clash(before: AcknowledgementBatch, batch: AcknowledgementBatch) -> bool:
    """Whether two ranges overlap or go down; what was renewed by the first may be acknowledged by the second."""
    renewed = bool(before.types) and before.types[-1] == AcknowledgeType.RENEW
    return batch.first < before.last or (batch.first == before.last and not renewed)


@chapter.clause("SHR-303", Strength.MUST, LimitClass.HARD, ACKNOWLEDGE, SHAPE, fence="one acknowledge type")
def a_range_needs_a_type(turn: Turn) -> Held | None:
    """A range without acknowledge types is INVALID_REQUEST."""
    return _shape(turn, ShapeFault.NO_TYPES, lambda batch: side(len(batch.types), 1))


@chapter.clause("SHR-304", Strength.MUST, LimitClass.HARD, ACKNOWLEDGE, SHAPE, fence="as many acknowledge types as offsets")
def types_are_one_or_as_many_as_offsets(turn: Turn) -> Held | None:
    """A range has one acknowledge type for all its offsets, or one for each; any other number is INVALID_REQUEST."""
    return _shape(turn, ShapeFault.WRONG_NUMBER, lambda batch: side(len(batch.types), batch.last - batch.first + 1))


@chapter.clause(
    "SHR-305", Strength.MUST, LimitClass.HARD, ACKNOWLEDGE, SHAPE, KIP(1222), fence="the greatest acknowledge type of the request's version"
)
def unknown_types_are_refused(turn: Turn) -> Held | None:
    """An acknowledge type that the request's version does not have is INVALID_REQUEST: below 0, above 4, and above 3 before version 2."""
    newest = AcknowledgeType.RENEW if turn.request is not None and turn.request.version >= RENEW_SINCE else AcknowledgeType.REJECT
    return _shape(turn, ShapeFault.UNKNOWN_TYPE, lambda batch: side(max(batch.types, default=0), newest))


@chapter.clause("SHR-306", Strength.MUST, LimitClass.HARD, KIP(1222), SHAPE, fence="acknowledge type 4, renew", since="4.2")
def renewing_must_be_announced(turn: Turn) -> Held | None:
    """Renewing without IsRenewAck is INVALID_REQUEST."""
    return _shape(turn, ShapeFault.RENEW_UNANNOUNCED, lambda batch: side(max(batch.types, default=0), AcknowledgeType.RENEW))


@chapter.clause(
    "SHR-309",
    Strength.MUST,
    LimitClass.EMERGENT,
    ACKNOWLEDGE,
    STATE,
    fence="one offset that the member holds",
    aliases=("SHR-319", "DIV-18"),
)
def what_is_held_can_be_acknowledged(turn: Turn) -> Held | None:
    """A member can acknowledge every record that it holds, in a live session, whether the partition is in the session or not."""
    where = Side.NONE
    for one in _judged(turn):
        if one.before is None or one.fault is not None or one.got is None or turn.request is None:
            continue
        offsets = list(named(one.batches))
        renews = any(kind == AcknowledgeType.RENEW for _, kind in offsets)
        known = [one.before.record(offset) for offset, _ in offsets]
        if len({offset for offset, _ in offsets}) != len(offsets) or (renews and not turn.settings.renew):
            continue
        if any(record is None or not record.held_by(turn.request.actor) for record in known) or offsets[0][0] < one.before.start:
            continue
        where |= side(len(offsets), 1)
        if one.got:
            why = f"partition {one.partition}: all {len(offsets)} offsets are the member's, expected success, found {error_name(one.got)}"
            return breaks(where, why, "refused")
    return holds(where) if where else None


@chapter.clause(
    "SHR-315",
    Strength.MUST,
    LimitClass.EMERGENT,
    ACKNOWLEDGE,
    STATE,
    fence="a record that is held: at is one done with, above an available one",
)
def what_is_not_held_can_not_be_acknowledged(turn: Turn) -> Held | None:
    """An acknowledgement that names a record at or past the start offset that nobody holds is an error."""
    where = Side.NONE
    for one, states in _strangers(turn):
        if RecordState.ACQUIRED not in states:
            where |= Side.AT if any(state.terminal for state in states) else Side.ABOVE
            if not one.got:
                why = f"partition {one.partition}: names records that nobody holds, expected an error, found none"
                return breaks(where, why, "not refused")
    return holds(where) if where else None


@chapter.clause(
    "SHR-316",
    Strength.MUST,
    LimitClass.EMERGENT,
    ACKNOWLEDGE,
    STATE,
    Report("librdkafka#5393"),
    fence="a record that another member holds",
    aliases=("S11",),
)
def another_members_records_can_not_be_acknowledged(turn: Turn) -> Held | None:
    """An acknowledgement that names a record that another member holds is an error."""
    where = Side.NONE
    for one, states in _strangers(turn):
        if RecordState.ACQUIRED in states:
            where |= Side.AT
            if not one.got:
                why = f"partition {one.partition}: names records that another member holds, expected an error, found none"
                return breaks(where, why, "not refused")
    return holds(where) if where else None


def _strangers(turn: Turn) -> list[tuple[Confirmed, set[RecordState]]]:
    """Well-formed acknowledgements with the states of the cached records, at or past the start, that they name and the member lacks."""
    found = []
    for one in _judged(turn):
        if one.before is None or one.fault is not None or turn.request is None:
            continue
        known = [one.before.record(offset) for offset, _ in named(one.batches) if offset >= one.before.start]
        states = {record.state for record in known if record is not None and not record.held_by(turn.request.actor)}
        if states:
            found.append((one, {*states}))
    return found


@chapter.clause(
    "SHR-307", Strength.MUST, LimitClass.HARD, ACKNOWLEDGE, KIP(516), fence="the last partition of the topic; above is an unknown topic id"
)
def acknowledging_unknown_partitions_is_refused(turn: Turn) -> Held | None:
    """Acknowledging in an unknown partition is UNKNOWN_TOPIC_OR_PARTITION, in an unknown topic id UNKNOWN_TOPIC_ID."""
    where = Side.NONE
    for one in _judged(turn):
        if one.fault is not None or turn.partitions == 0 or one.got is None:
            continue
        where |= side(one.partition, turn.partitions)
        if one.partition < turn.partitions:
            continue
        expected = Error.UNKNOWN_TOPIC_OR_PARTITION if one.partition == turn.partitions else Error.UNKNOWN_TOPIC_ID
        if one.got != expected:
            return breaks(where, f"unknown partition: expected {error_name(expected)}, found {error_name(one.got)}", "error code")
    return holds(where) if where else None


@chapter.clause(
    "SHR-330",
    Strength.MUST,
    LimitClass.HARD,
    KIP(932, "ShareFetch API"),
    fence="an acknowledgement sent along with a fetch: at is one that fails",
)
def acknowledgements_and_fetch_fail_apart(turn: Turn) -> Held | None:
    """An acknowledgement that fails does not fail the fetch that it came with."""
    where = Side.NONE
    for served in turn.served if turn.fetched else ():
        one = next((one for one in turn.confirmed if one.partition == served.partition), None)
        if one is None or served.got is None or served.fault or served.before is None:
            continue
        where |= Side.AT if one.got else Side.BELOW
        if one.got and served.got.error == one.got:
            why = f"partition {served.partition}: expected the fetch to go on, found {error_name(served.got.error)} for it too"
            return breaks(where, why, "fetch failed")
    return holds(where) if where else None


@chapter.clause(
    "SHR-404",
    Strength.MUST,
    LimitClass.SOFT,
    KIP(1222),
    Doc("group config share.renew.acknowledge.enable"),
    Code("SharePartition.java", "2301"),
    fence="share.renew.acknowledge.enable: at is false",
    since="4.3",
)
def renewing_can_be_forbidden(turn: Turn) -> Held | None:
    """Where the group forbids renewing, an acknowledgement that renews is an error; the records stay with the member."""
    where = Side.NONE
    for one in _judged(turn):
        renews = one.fault is None and any(
            kind == AcknowledgeType.RENEW and one.before is not None and offset >= one.before.start for offset, kind in named(one.batches)
        )
        if not renews:
            continue
        where |= Side.BELOW if turn.settings.renew else Side.AT
        if not turn.settings.renew and not one.got:
            return breaks(where, f"partition {one.partition}: renewing is forbidden, expected an error, found none", "not refused")
    return holds(where) if where else None


@chapter.clause(
    "SHR-312",
    Strength.REFERENCE,
    LimitClass.EMERGENT,
    Code("SharePartition.java", "980-1041"),
    fence="the last offset that is cached, for the last one acknowledged",
    readings=(
        Reading("invalid_request", "What reaches past the records in flight is not a request that can be understood: INVALID_REQUEST."),
        Reading("invalid_record_state", "It names records that are in another state than acquired: INVALID_RECORD_STATE."),
    ),
    aliases=("SHR-310", "SHR-311", "SHR-313", "SHR-317", "SHR-318", "DIV-13", "DIV-14"),
)
def acknowledgements_give_just_these_errors(turn: Turn) -> Held | None:
    """Past the last cached record is INVALID_REQUEST, not the member's INVALID_RECORD_STATE, below the start offset no error.

    All batches of a partition count or none: where one fails, the records of the others stay with their member.
    """
    where = Side.NONE
    for one in _judged(turn):
        if one.expected is None or one.before is None or one.got is None or one.expected.whole_request or not turn.quiet:
            continue
        last = one.before.cached[-1].last if one.before.cached else one.before.start - 1
        where |= side(max([batch.last for batch in one.batches], default=last), last)
        if one.got != one.expected.error:
            why = f"partition {one.partition}: expected {error_name(one.expected.error)}, found {error_name(one.got)}"
            return breaks(where, why, "no error" if not one.got else "another error" if one.expected.error else "an error")
    return holds(where) if where else None


def error_fits(turn: Turn) -> dict[str, bool]:
    """For each reading of SHR-312, whether the turn fits it; empty where the readings do not differ."""
    for one in _judged(turn):
        if one.expected is not None and one.got and one.expected.error == Error.INVALID_REQUEST:
            return {"invalid_request": one.got == Error.INVALID_REQUEST, "invalid_record_state": one.got == Error.INVALID_RECORD_STATE}
    return {}


chapter.excluded(
    "SHR-321",
    Strength.MUST,
    LimitClass.EMERGENT,
    KIP(932, "share coordinator"),
    statement="An acknowledgement is answered once it has been written, so that the next request of any member sees it.",
    reason="it has no answer of its own: the observer takes it for granted, and each later fetch would break SHR-100 or SHR-115",
)
chapter.excluded(
    "SHR-308",
    Strength.REFERENCE,
    LimitClass.HARD,
    SHAPE,
    statement="A partition with no acknowledgement batches is no error.",
    reason="whether it is listed tells a member nothing; an answer that lists it and one that does not are taken as the same",
)


def _acknowledged(*batches: tuple[int, int, tuple[int, ...]], version: int = 2, renew: bool = False) -> ShareAcknowledge:
    parts = tuple([AcknowledgementBatch(*batch) for batch in batches])
    return ShareAcknowledge((SharePartition(0, parts),), version=version, renew=renew)


def _held(*steps: ShareAcknowledge | ShareFetch, config: tuple[tuple[str, str], ...] = ()) -> Scenario:
    return history((FIVES,), fetch(0, max_records=6), *steps, config=config)


@chapter.example("SHR-301", "4 to 0, and 0 to 0")
def _inverted() -> Scenario:
    return _held(_acknowledged((4, 0, (1,))), _acknowledged((0, 0, (1,))))


@chapter.example("SHR-302", "ranges that share two offsets, one, and none")
def _overlapping() -> Scenario:
    return _held(
        _acknowledged((0, 4, (1,)), (3, 5, (1,))), _acknowledged((0, 4, (1,)), (4, 4, (1,))), _acknowledged((0, 4, (1,)), (5, 5, (1,)))
    )


@chapter.example("SHR-303", "no types")
def _typeless() -> Scenario:
    return _held(_acknowledged((0, 4, ())))


@chapter.example("SHR-304", "three types for five offsets, and five")
def _three_for_five() -> Scenario:
    return _held(_acknowledged((0, 4, (1, 1, 1))), _acknowledged((0, 4, (1, 2, 3, 0, 1))))


@chapter.example("SHR-305", "type 5, and type 4 before version 2")
def _type_five() -> Scenario:
    return _held(_acknowledged((0, 4, (5,))), _acknowledged((0, 4, (4,)), version=1))


@chapter.example("SHR-306", "renewing unannounced, and announced")
def _renewing() -> Scenario:
    return _held(_acknowledged((0, 4, (4,))), _acknowledged((0, 4, (4,)), renew=True))


@chapter.example("SHR-309", "all ten accepted")
def _accepted() -> Scenario:
    return _held(confirm(0, 9))


@chapter.example("SHR-315", "a record rejected twice, and one released twice")
def _again() -> Scenario:
    return _held(confirm(6, 6, AcknowledgeType.REJECT), confirm(6, 6), release(8, 8), release(8, 8))


@chapter.example("SHR-316", "a second member accepts what the first holds")
def _stolen() -> Scenario:
    return history((FIVES,), fetch(0, max_records=5), fetch(0, max_records=5, actor=1), confirm(0, 4, actor=1))


@chapter.example("SHR-307", "a partition that the topic does not have, and a topic that there is not")
def _nowhere() -> Scenario:
    return _held(confirm(0, 4, partition=1), confirm(0, 4, partition=2))


@chapter.example("SHR-330", "an acknowledgement far past the end, sent along with a fetch")
def _along() -> Scenario:
    return _held(ShareFetch(confirm(0, 99).partitions, version=2, max_records=5))


@chapter.example("SHR-404", "renewing where the group allows it")
def _allowed() -> Scenario:
    return _held(_acknowledged((0, 4, (4,)), renew=True))


@chapter.example("SHR-312", "past the records in flight, and partly past them")
def _past() -> Scenario:
    return _held(confirm(10, 14), confirm(5, 12), _acknowledged((0, 4, (1,)), (10, 14, (1,))), confirm(0, 9))
