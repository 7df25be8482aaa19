"""Layouts, fetches and profiles for tests of the draft MaxRecords."""

from hypothesis import strategies as st

from drafts.max_records.axes import AXES, QUESTIONS
from drafts.max_records.change import DRAFT_VERSION, limited_to
from drafts.max_records.profile import Profile
from spec.fetch.steps import Fetch, FetchPartition
from spec.kafka import INT32_MAX
from spec.layout import Batch, Codec, Entry, Layout, Marker, Partition
from spec.log import log_of

SIZES = st.sampled_from([70, 100, 150])


def profiles() -> st.SearchStrategy[Profile]:
    """Any profile, with questions that do not arise answered by default."""
    return st.builds(
        Profile, **{axis.name: st.sampled_from(list(QUESTIONS.answers(axis.name))) for axis in AXES}
    ).map(QUESTIONS.normal)


@st.composite
def partitions(draw: st.DrawFn) -> Partition:
    """Up to four batches: plain, compressed, thinned, emptied, of a transaction."""
    segments: list[list[Entry]] = [[]]
    txn, opened = 0, False
    for _ in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(["plain", "plain", "gzip", "lz4", "thin", "empty", "txn"]))
        records = draw(st.integers(1, 4))
        entry: Entry
        if kind == "txn" and opened:
            entry, txn, opened = Marker(txn, draw(st.booleans())), txn + 1, False
        elif kind == "txn":
            entry, opened = Batch(draw(SIZES), records, txn=txn), True
        elif kind == "empty":
            entry = Batch(61, 0, span=records)
        elif kind == "thin":
            entry = Batch(draw(SIZES), records, span=records + 2)
        else:
            entry = Batch(draw(SIZES), records, Codec(kind) if kind != "plain" else Codec.NONE)
        if segments[-1] and not isinstance(entry, Marker) and draw(st.integers(0, 9)) == 0:
            segments.append([])
        segments[-1].append(entry)
    return Partition(tuple([tuple(segment) for segment in segments]))


@st.composite
def questions(draw: st.DrawFn) -> tuple[Layout, Fetch]:
    """A layout of up to three partitions and a fetch of them all under a limit of records."""
    layout = Layout(tuple(draw(st.lists(partitions(), min_size=1, max_size=3))))
    limits = st.sampled_from([INT32_MAX, INT32_MAX, 90, 150, 250, 300])
    parts = [
        FetchPartition(number, draw(st.integers(0, log_of(partition).end)), draw(limits))
        for number, partition in enumerate(layout.partitions)
    ]
    return layout, Fetch(
        tuple(parts),
        max_bytes=draw(st.sampled_from([INT32_MAX, INT32_MAX, 100, 200, 260, 350])),
        isolation=draw(st.integers(0, 1)),
        version=DRAFT_VERSION,
        extra=limited_to(draw(st.integers(1, 7))),
    )
