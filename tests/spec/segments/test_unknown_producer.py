"""A broker that refuses a producer which it does not know says nothing of a batch's size."""

import pytest

from spec.frozen import replace
from spec.judge import judge
from spec.kafka import Error
from spec.outcomes import AppendAnswer
from spec.releases import semantics_for
from spec.segments.examples import scenario
from spec.segments.settings import SegmentSettings
from spec.segments.steps import AppendBatch
from spec.subject_registry import subject_named

SEMANTICS = semantics_for("4.3")


@pytest.mark.parametrize(
    ("idempotent", "error", "kinds"),
    [
        (True, Error.UNKNOWN_PRODUCER_ID, set()),
        (True, Error.OUT_OF_ORDER_SEQUENCE_NUMBER, set()),
        (False, Error.OUT_OF_ORDER_SEQUENCE_NUMBER, {("SEG-014", "refused")}),
        (False, Error.UNKNOWN_PRODUCER_ID, {("SEG-014", "refused")}),
        (True, Error.RECORD_LIST_TOO_LARGE, {("SEG-014", "refused")}),
    ],
)
def test_only_a_producer_id_that_is_not_known_excuses_a_refusal(
    idempotent: bool, error: Error, kinds: set[tuple[str, str]]
) -> None:
    asked = scenario(SegmentSettings(segment_bytes=1000), AppendBatch(100, idempotent=idempotent))
    answers = subject_named("segments").answer_all(asked, SEMANTICS)
    exchanges = tuple(
        [
            replace(one, outcome=AppendAnswer(error, None))
            if isinstance(one.outcome, AppendAnswer)
            else one
            for one in answers.exchanges
        ]
    )
    verdicts = judge(asked, replace(answers, exchanges=exchanges), SEMANTICS).breaks
    assert {one.kind for one in verdicts if one.clause == "SEG-014"} == kinds
