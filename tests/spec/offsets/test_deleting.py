"""Which clause a refused DeleteRecords breaks."""

import pytest

from spec.judge import judge
from spec.kafka import Error
from spec.layout import Partition
from spec.observation import Exchange, Observation
from spec.offsets.examples import EMPTY, OPEN, play_on
from spec.outcomes import AppendAnswer, Closed
from spec.releases import semantics_for
from spec.steps import DeleteRecords
from spec.verdict import Outcome


@pytest.mark.parametrize(
    ("partition", "broken"),
    [
        (
            EMPTY,
            {
                ("OFF-010", Outcome.VIOLATES),
                ("OFF-012", Outcome.VIOLATES),
                ("OFF-111", Outcome.DEVIATES),
            },
        ),
        (OPEN, {("OFF-014", Outcome.DEVIATES)}),
    ],
)
def test_a_refused_high_watermark_breaks_what_it_is_about(
    partition: Partition, broken: set[tuple[str, Outcome]]
) -> None:
    refused = Exchange(0, AppendAnswer(Error.OFFSET_OUT_OF_RANGE, -1))
    verdicts = judge(
        play_on(partition, DeleteRecords(0, -1)), Observation((refused,)), semantics_for("4.3")
    ).breaks
    assert {(one.clause, one.outcome) for one in verdicts} == broken


@pytest.mark.parametrize("partition", [EMPTY, OPEN])
def test_no_answer_breaks_the_promise_of_one_and_says_nothing_of_error_codes(
    partition: Partition,
) -> None:
    closed = Exchange(0, Closed(control_answered=True))
    found = judge(
        play_on(partition, DeleteRecords(0, -1)), Observation((closed,)), semantics_for("4.3")
    )
    assert ("OFF-010", "no answer") in {(one.clause, one.signature) for one in found.breaks}
    assert not {"OFF-012", "OFF-111"} & {one.clause for one in found.verdicts}
