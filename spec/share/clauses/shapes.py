"""The shape of acknowledgements: what is refused whatever the state of the records that they
name.
"""

from collections.abc import Callable

from spec.clause import KIP, Chapter, Held, Report, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.kafka import Error, error_name
from spec.scenario import Scenario
from spec.share.clauses.acknowledgements import ACKNOWLEDGE, SHAPE, acknowledged_partitions
from spec.share.examples import acknowledgements_of, holding_ten
from spec.share.model.acknowledge import ShapeFault
from spec.share.steps import RENEW_SINCE, AcknowledgementBatch, AcknowledgeType
from spec.share.turn import Turn
from spec.verdict import NO_SIDE, LimitClass, Side, Strength, side

chapter: Chapter[Turn] = Chapter()


def _shape(
    turn: Turn, fault: ShapeFault, where: Callable[[AcknowledgementBatch], Side]
) -> Held | None:
    """Whether acknowledgements with this fault of shape were answered with an error, and on which
    sides of its fence any stood.
    """
    sides = NO_SIDE
    for one in acknowledged_partitions(turn):
        if one.before is None or (one.fault is not None and one.fault is not fault):
            continue
        for batch in one.batches:
            sides |= where(batch)
        if one.fault is fault and not one.got:
            why = f"partition {one.partition}, {fault}: expected an error, found none"
            return breaks(sides, why, "not refused")
    return holds(sides) if sides else None


@chapter.clause(
    "SHR-301",
    Strength.MUST,
    LimitClass.HARD,
    ACKNOWLEDGE,
    SHAPE,
    slug="share/acknowledge/inverted-range",
    fence=Fence(
        "the length of an acknowledged range",
        Unit.OFFSETS,
        "one",
        meaning="below is a range that ends before it begins",
    ),
)
def inverted_ranges_are_refused(turn: Turn) -> Held | None:
    """Acknowledgements of a partition with a batch whose LastOffset is below its FirstOffset are
    answered with an error, whichever it is (SHR-323).
    """
    return _shape(turn, ShapeFault.INVERTED, lambda batch: side(batch.last - batch.first + 1, 1))


@inverted_ranges_are_refused.example("4 to 0, and 0 to 0")
def _inverted_example() -> Scenario:
    return holding_ten(acknowledgements_of((4, 0, (1,))), acknowledgements_of((0, 0, (1,))))


@chapter.clause(
    "SHR-302",
    Strength.MUST,
    LimitClass.HARD,
    ACKNOWLEDGE,
    SHAPE,
    Report("confluentinc/librdkafka#5393"),
    slug="share/acknowledge/ranges-go-up",
    fence=Fence("the first offset of a range", Unit.OFFSETS, "the last offset of the range before"),
    aliases=("S11",),
)
def ranges_go_up(turn: Turn) -> Held | None:
    """Acknowledgements of a partition are answered with an error, whichever it is, if a batch
    begins below the LastOffset of the batch before it, or at that offset. One shared offset is
    allowed where the batch before renews it or ends below the start offset; and batches that all
    end below the start offset may be in any order.

    Apache Kafka answers INVALID_REQUEST, and at one shared offset INVALID_RECORD_STATE.
    """
    where = NO_SIDE
    for one in acknowledged_partitions(turn):
        if one.before is None or one.fault not in {None, ShapeFault.OVERLAPPING}:
            continue
        pairs = list(zip(one.batches, one.batches[1:], strict=False))
        for before, batch in pairs:
            where |= side(batch.first, before.last)
        reached = one.before.start <= max([batch.last for batch in one.batches], default=-1)
        if (
            not one.got
            and reached
            and any(_clash(before, batch, one.before.start) for before, batch in pairs)
        ):
            return breaks(
                where,
                f"partition {one.partition}: ranges overlap or go down: expected an error, found "
                "none",
                "not refused",
            )
    return holds(where) if where else None


@ranges_go_up.example("ranges that share two offsets, one, and none")
def _overlapping() -> Scenario:
    return holding_ten(
        acknowledgements_of((0, 4, (1,)), (3, 5, (1,))),
        acknowledgements_of((0, 4, (1,)), (4, 4, (1,))),
        acknowledgements_of((0, 4, (1,)), (5, 5, (1,))),
    )


def _clash(before: AcknowledgementBatch, batch: AcknowledgementBatch, start: int) -> bool:
    """Whether two ranges overlap or go down.

    One offset may be shared: what was renewed by the first, or lies below the share-partition start
    offset, where nothing counts.
    """
    free = before.last < start or (bool(before.types) and before.types[-1] == AcknowledgeType.RENEW)
    return batch.first < before.last or (batch.first == before.last and not free)


@chapter.clause(
    "SHR-303",
    Strength.MUST,
    LimitClass.HARD,
    ACKNOWLEDGE,
    SHAPE,
    slug="share/acknowledge/no-type",
    fence=Fence("the acknowledge types of a range", Unit.VALUES, "one"),
)
def a_range_needs_a_type(turn: Turn) -> Held | None:
    """Acknowledgements of a partition with a batch that has no AcknowledgeTypes are answered with
    an error, whichever it is (SHR-323).
    """
    return _shape(turn, ShapeFault.NO_TYPES, lambda batch: side(len(batch.types), 1))


@a_range_needs_a_type.example("no types")
def _typeless() -> Scenario:
    return holding_ten(acknowledgements_of((0, 4, ())))


@chapter.clause(
    "SHR-304",
    Strength.MUST,
    LimitClass.HARD,
    ACKNOWLEDGE,
    SHAPE,
    slug="share/acknowledge/number-of-types",
    fence=Fence("the acknowledge types of a range", Unit.VALUES, "as many as it has offsets"),
)
def types_are_one_or_as_many_as_offsets(turn: Turn) -> Held | None:
    """A batch has one AcknowledgeType for all its offsets, or LastOffset - FirstOffset + 1 of them.
    Acknowledgements of a partition with any other number above 1 are answered with an error,
    whichever it is (SHR-323).
    """
    return _shape(
        turn,
        ShapeFault.WRONG_NUMBER,
        lambda batch: side(len(batch.types), batch.last - batch.first + 1),
    )


@types_are_one_or_as_many_as_offsets.example("three types for five offsets, and five")
def _three_for_five() -> Scenario:
    return holding_ten(
        acknowledgements_of((0, 4, (1, 1, 1))), acknowledgements_of((0, 4, (1, 2, 3, 0, 1)))
    )


@chapter.clause(
    "SHR-305",
    Strength.MUST,
    LimitClass.HARD,
    ACKNOWLEDGE,
    SHAPE,
    KIP(1222),
    slug="share/acknowledge/unknown-type",
    fence=Fence(
        "the greatest acknowledge type of a range",
        Unit.VALUES,
        "the greatest that the request's version has",
    ),
)
def unknown_types_are_refused(turn: Turn) -> Held | None:
    """Acknowledgements of a partition with an AcknowledgeType below 0 or above 4 (above 3 before
    version 2 of the request) are answered with an error, whichever it is (SHR-323).
    """
    newest = (
        AcknowledgeType.RENEW
        if turn.request is not None and turn.request.version >= RENEW_SINCE
        else AcknowledgeType.REJECT
    )
    return _shape(
        turn, ShapeFault.UNKNOWN_TYPE, lambda batch: side(max(batch.types, default=0), newest)
    )


@unknown_types_are_refused.example("type 5, and type 4 before version 2")
def _type_five() -> Scenario:
    return holding_ten(
        acknowledgements_of((0, 4, (5,))), acknowledgements_of((0, 4, (4,)), version=1)
    )


@chapter.clause(
    "SHR-306",
    Strength.MUST,
    LimitClass.HARD,
    KIP(1222),
    SHAPE,
    slug="share/renew/announced",
    fence=Fence("the greatest acknowledge type of a range", Unit.VALUES, "4, renew"),
    since="4.2",
)
def renewing_must_be_announced(turn: Turn) -> Held | None:
    """Acknowledgements of a partition with the AcknowledgeType 4 (renew), in a request whose
    IsRenewAck is false, are answered with an error, whichever it is (SHR-323).
    """
    return _shape(
        turn,
        ShapeFault.RENEW_UNANNOUNCED,
        lambda batch: side(max(batch.types, default=0), AcknowledgeType.RENEW),
    )


@renewing_must_be_announced.example("renewing unannounced, and announced")
def _renewing() -> Scenario:
    return holding_ten(
        acknowledgements_of((0, 4, (4,))), acknowledgements_of((0, 4, (4,)), renew=True)
    )


@chapter.clause(
    "SHR-323", Strength.REFERENCE, LimitClass.HARD, SHAPE, slug="share/acknowledge/shape-error"
)
def a_fault_of_shape_is_an_invalid_request(turn: Turn) -> Held | None:
    """Acknowledgements of a partition whose shape is wrong (SHR-301 to SHR-306) are answered with
    INVALID_REQUEST, whatever the state of the records that they name. Ranges that share one offset
    (SHR-302) are left out: any error conforms for them.

    KIP-932 lists the error, without saying when it comes. Where several things are wrong with the
    acknowledgements of a partition, the clause of the first is looked at, batch by batch and in a
    batch in the order SHR-301, SHR-302, SHR-303, SHR-304, SHR-305, SHR-306.
    """
    arose = False
    for one in acknowledged_partitions(turn):
        if one.before is None or one.fault is None:
            continue
        arose = True
        if one.got and one.got != Error.INVALID_REQUEST:
            why = (
                f"partition {one.partition}, {one.fault}: expected INVALID_REQUEST, found "
                f"{error_name(one.got)}"
            )
            return fails(why, "error code")
    return holds() if arose else None


@a_fault_of_shape_is_an_invalid_request.example("no types, and five types for four offsets")
def _wrong_shapes() -> Scenario:
    return holding_ten(
        acknowledgements_of((0, 4, ())), acknowledgements_of((0, 3, (1, 1, 1, 1, 1)))
    )
