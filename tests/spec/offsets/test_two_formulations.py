"""What the reference answers about offsets is permitted, but for what the findings list."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.placement import pool
from generators.offsets.histories import offset_histories
from spec.catalogue import clauses_of
from spec.clause import KIP, Doc
from spec.judge import judge
from spec.offsets.dry_run import answer_all
from spec.offsets.examples import EMPTY, ask_time, play_on, times
from spec.offsets.outcomes import ListOffsetsAnswer
from spec.offsets.releases import DeletedRecords, OffsetSemantics
from spec.offsets.timeline import SEGMENT_MS, timeline_of
from spec.releases import RELEASES, semantics_for
from spec.scenario import Scenario
from spec.steps import DeleteRecords, Step
from spec.verdict import Outcome, Strength

LISTED = {
    ("OFF-003", "below log start"),
    ("OFF-004", "deleted record decides"),
    ("OFF-005", "deleted record decides"),
    ("OFF-030", "below log start"),
    ("OFF-030", "deleted record decides"),
    ("OFF-031", "deleted record decides"),
}
KAFKA = semantics_for("4.3")
TEXT = KAFKA.with_decisions(OffsetSemantics, deleted=DeletedRecords.IGNORED, stable_in_batch=False)
"""A broker that does as the texts say."""

drawn = settings(
    max_examples=80, deadline=None, suppress_health_check=list(HealthCheck), database=None
)


def found_by(scenario: Scenario) -> list[int | None]:
    """The offset that each lookup of one partition gives."""
    return [
        exchange.outcome.found[0].offset
        for exchange in answer_all(scenario, TEXT).exchanges
        if isinstance(exchange.outcome, ListOffsetsAnswer)
    ]


@drawn
@given(
    st.sampled_from(tuple(RELEASES))
    .map(semantics_for)
    .flatmap(lambda one: st.tuples(st.just(one), offset_histories(one, older_epochs=True)))
)
def test_the_reference_breaks_nothing_but_what_is_listed(drawn: tuple) -> None:  # type: ignore[type-arg]
    semantics, scenario = drawn
    broken = {
        (verdict.clause, verdict.signature)
        for verdict in judge(scenario, answer_all(scenario, semantics), semantics).breaks
    }
    assert broken <= LISTED


@drawn
@given(offset_histories(TEXT, older_epochs=True))
def test_a_broker_that_does_as_the_texts_say_breaks_nothing(scenario: Scenario) -> None:
    assert judge(scenario, answer_all(scenario, TEXT), KAFKA).breaks == ()


def test_times_inside_a_batch_lead_to_the_first_record_that_is_not_earlier() -> None:
    asked = [ask_time(time) for time in (-1, 0, 1, 5, 10, 11, 20, 21)]
    assert found_by(play_on(EMPTY, times(0, 10, 10, 20), *asked)) == [0, 0, 1, 1, 1, 3, 3, None]


def test_times_that_go_backwards_are_searched_in_the_order_of_offsets() -> None:
    asked = [ask_time(time) for time in (60, 110, 121)]
    assert found_by(play_on(EMPTY, times(100), times(50), times(120), *asked)) == [0, 2, None]


@pytest.mark.parametrize(("later", "segments"), [(SEGMENT_MS, 1), (SEGMENT_MS + 1, 2)])
def test_a_batch_opens_a_segment_past_segment_ms(later: int, segments: int) -> None:
    timeline = timeline_of(EMPTY).with_batch((0,)).with_batch((later,))
    assert timeline.segment + 1 == segments


@pytest.mark.parametrize(("later", "broken"), [(SEGMENT_MS, False), (SEGMENT_MS + 61, True)])
def test_a_deleted_record_decides_where_the_next_one_lies_in_a_later_segment(
    later: int,
    broken: bool,
) -> None:
    written: list[Step] = [times(60), times(50), times(later)]
    scenario = play_on(EMPTY, *written, DeleteRecords(0, 1), ask_time(55))
    verdicts = judge(scenario, answer_all(scenario, KAFKA), KAFKA).breaks
    assert [(one.clause, one.outcome) for one in verdicts] == (
        [("OFF-004", Outcome.VIOLATES)] if broken else []
    )


def test_the_model_rolls_as_the_topics_of_layouts_do() -> None:
    assert SEGMENT_MS == pool.SEGMENT_MS


def test_each_must_clause_cites_a_promise() -> None:
    for clause in clauses_of("offsets").values():
        if clause.strength is Strength.MUST:
            assert any(isinstance(source, KIP | Doc) for source in clause.sources), clause.id
