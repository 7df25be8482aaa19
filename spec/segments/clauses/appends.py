"""Which batches fit into a segment at all."""

from spec.clause import Chapter, Code, Doc, Held, Report, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.kafka import Error, error_name
from spec.outcomes import AppendAnswer
from spec.scenario import Scenario
from spec.segments.examples import batches, scenario
from spec.segments.settings import SegmentSettings
from spec.segments.steps import AppendBatch
from spec.segments.turn import Turn
from spec.verdict import LimitClass, Strength, side

PRODUCER_UNKNOWN = (Error.UNKNOWN_PRODUCER_ID, Error.OUT_OF_ORDER_SEQUENCE_NUMBER)
"""The errors of a broker that has forgotten an idempotent producer
(`producer.id.expiration.ms`).
"""


def _of_append(turn: Turn) -> bool:
    return (
        turn.place is None
        and isinstance(turn.step, AppendBatch)
        and isinstance(turn.outcome, AppendAnswer)
        and not (turn.step.idempotent and turn.outcome.error in PRODUCER_UNKNOWN)
    )


chapter: Chapter[Turn] = Chapter(_of_append)

TOO_LARGE = Doc(
    "protocol guide, error RECORD_LIST_TOO_LARGE: the request included a message batch larger than "
    "the configured segment size on the server"
)
CHECK = Code("UnifiedLog.java", "1228-1231")
FENCE = Fence("the bytes of the batch", Unit.BYTES, "segment.bytes")


@chapter.clause(
    "SEG-014",
    Strength.MUST,
    LimitClass.SOFT,
    TOO_LARGE,
    CHECK,
    Report("KAFKA-7022"),
    slug="segments/batch/limit",
    fence=FENCE,
)
def a_batch_is_no_larger_than_a_segment(turn: Turn) -> Held | None:
    """A batch of more bytes than segment.bytes is answered with an error, one of as many or fewer
    with none, where max.message.bytes allows its size. A producer that the broker does not know is
    no matter of its size: UNKNOWN_PRODUCER_ID and, for a sequence that does not begin at 0,
    OUT_OF_ORDER_SEQUENCE_NUMBER say nothing.
    """
    assert isinstance(turn.step, AppendBatch)
    assert isinstance(turn.outcome, AppendAnswer)
    size, limit = turn.step.size, turn.settings.segment_bytes
    where, error = side(size, limit), turn.outcome.error
    if (size > limit) == bool(error):
        return holds(where)
    expected = "an error" if size > limit else "none"
    why = f"a batch of {size} bytes under segment.bytes={limit}: expected {expected}, found "
    return breaks(where, why + error_name(error), "refused" if error else "accepted")


@a_batch_is_no_larger_than_a_segment.example(
    "one byte below the limit, at it, and one byte past it"
)
def _around() -> Scenario:
    return scenario(SegmentSettings(segment_bytes=400), *batches(399, 400, 401))


@chapter.clause(
    "SEG-015",
    Strength.REFERENCE,
    LimitClass.HARD,
    CHECK,
    Report("emqx/emqx#15906"),
    slug="segments/batch/code",
)
def a_batch_that_is_too_large_has_its_code(turn: Turn) -> Held | None:
    """A batch that is refused because it is larger than segment.bytes, and within
    max.message.bytes, is answered with RECORD_LIST_TOO_LARGE (18), not MESSAGE_TOO_LARGE (10).
    """
    assert isinstance(turn.step, AppendBatch)
    assert isinstance(turn.outcome, AppendAnswer)
    error = turn.outcome.error
    if turn.step.size <= turn.settings.segment_bytes or not error:
        return None
    if error == Error.RECORD_LIST_TOO_LARGE:
        return holds()
    return fails(f"expected RECORD_LIST_TOO_LARGE, found {error_name(error)}", "other code")


@a_batch_that_is_too_large_has_its_code.example("a batch of 401 bytes, segments of 400")
def _coded_example() -> Scenario:
    return scenario(SegmentSettings(segment_bytes=400), *batches(401))
