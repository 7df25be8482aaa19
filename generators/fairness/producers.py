"""Histories of a producer: records whose batches and requests lie at its own limits and at the
topic's, to the byte.
"""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.numbers import below
from generators.weighted import several, weighted
from spec.fairness.model.record_sizes import batch_size, estimated_size
from spec.fairness.steps import ClientKind, CloseClient, LimitMessages, SendRecords, StartClient
from spec.layout import Layout, Partition
from spec.scenario import Scenario

VALUE = 1100
"""Bytes of the value that limits lie around: batches of it are larger than the least limit that
clients take.
"""
LEAST = 8

_partitions = several(1, 3, 50)
_sends = several(1, 3, 50)
_counts = several(1, 6, 65)
_edges = weighted((0, 4), (1, 3), (-1, 3), (-500, 1), (700, 1))
_in_batch = weighted((1, 3), (2, 3), (3, 2), (4, 1))
_limits = weighted(("batch", 3), ("request", 3), ("topic", 3))
_both = weighted((False, 2), (True, 1))
_offs = weighted((0, 3), (1, 1), (-1, 1))
_closes = weighted((False, 2), (True, 1))


@st.composite
def _limit(draw: st.DrawFn, *, request: bool = False) -> int:
    """A limit that so many records of one size reach, or miss by a byte."""
    if request and draw(_both):
        return estimated_size(VALUE) + draw(_offs)
    return batch_size([VALUE] * draw(_in_batch)) + draw(_offs)


@st.composite
def _histories(draw: st.DrawFn) -> Scenario:
    count = draw(_partitions)
    limited = {draw(_limits), draw(_limits)}
    start = StartClient(
        ClientKind.PRODUCER,
        batch_size=draw(_limit()) if "batch" in limited else None,
        max_request_size=draw(_limit(request=True)) if "request" in limited else None,
    )
    steps: list[LimitMessages | SendRecords | CloseClient] = []
    if "topic" in limited:
        steps.append(LimitMessages(draw(_limit())))
    for _ in range(draw(_sends)):
        sizes = tuple([max(LEAST, VALUE + draw(_edges)) for _ in range(draw(_counts))])
        first = draw(below(count))
        partitions = tuple([(first + number) % count for number in range(1 + draw(below(count)))])
        steps.append(SendRecords(partitions, sizes))
    if draw(_closes):
        steps.append(CloseClient())
    layout = Layout((Partition(((),)),) * count)
    return Scenario(layout, (start, *steps), subject="fairness")


def producer_histories() -> SearchStrategy[Scenario]:
    """Histories of one producer; they shrink towards one record for one partition."""
    return _histories()
