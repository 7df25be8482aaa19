"""An answer that has no room for the batch behind it shows no end of a segment."""

import pytest

from spec.frozen import replace
from spec.judge import judge
from spec.releases import semantics_for
from spec.segments.examples import scenario
from spec.segments.outcomes import SegmentsRead
from spec.segments.releases import SegmentSemantics
from spec.segments.settings import SegmentSettings
from spec.segments.steps import AppendBatch, ReadSegments
from spec.subject_registry import subject_named

SEMANTICS = semantics_for("4.3")
ASKED = scenario(SegmentSettings(), AppendBatch(600), AppendBatch(600), ReadSegments())


@pytest.mark.parametrize(("limit", "clauses"), [(1199, set()), (1200, {"SEG-001"})])
def test_a_segment_is_not_taken_to_end_where_the_next_batch_had_no_room(
    limit: int, clauses: set[str]
) -> None:
    semantics = SEMANTICS.with_decisions(SegmentSemantics, fetch_max_bytes=limit)
    played = subject_named("segments").answer_all(ASKED, semantics)
    exchanges = tuple(
        [
            replace(one, outcome=_each_batch_alone(one.outcome))
            if isinstance(one.outcome, SegmentsRead)
            else one
            for one in played.exchanges
        ]
    )
    found = judge(ASKED, replace(played, exchanges=exchanges), semantics)
    assert {one.clause for one in found.breaks if one.primary} == clauses


def _each_batch_alone(read: SegmentsRead) -> SegmentsRead:
    return replace(read, runs=tuple([(batch,) for run in read.runs for batch in run]))
