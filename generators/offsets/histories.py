"""What is done in a scenario of offsets: a layout, writes with timestamps of their own, and lookups
that are enumerated from what lies there then.
"""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.layouts import layouts
from generators.numbers import below
from generators.offsets.commits import commit_steps
from generators.offsets.questions import Question, questions
from generators.weighted import chance, several, weighted
from spec.frozen import replace
from spec.layout import Batch, Codec, Layout, Partition
from spec.offsets.model import timelines_after
from spec.offsets.releases import OffsetSemantics
from spec.offsets.steps import AppendTimed, Lookup, OffsetForLeaderEpoch
from spec.offsets.timeline import SEGMENT_MS, Timeline, timeline_of
from spec.scenario import Scenario
from spec.semantics import Semantics
from spec.steps import DeleteRecords, Step

EMPTY = Layout((Partition(),))
TWO = Layout((Partition(), Partition()))
OPEN = Layout((Partition(((Batch(100), Batch(100, 2, txn=0)),)),))
"""A transaction is open, and no marker has a time that is not known."""
CUT = Layout((replace(OPEN.partitions[0], log_start=2),))
"""The log start lies inside a batch of the open transaction."""
ROLLED = Layout((Partition(((Batch(100),), (Batch(100),)), log_start=1),))
"""All records of the first segment were deleted."""
TIMES = (0, 10, 20, 30, 5, 15, -10)
"""Timestamps that come often, so that equal ones meet."""
LATER = (0, 0, 0, SEGMENT_MS, SEGMENT_MS + 1)
"""By how much a batch's timestamps are later than those, ms: the last one opens a segment behind
one that begins with time 0.
"""
EVERY = 40
"""The most lookups of a scenario."""
PADDED = 2_500
"""Bytes of a value where the indexes are to get entries."""

_write_counts = several(0, 6, 72)
_records = several(1, 4, 45)
_times = below(len(TIMES))
_later = below(len(LATER))
_codecs = weighted((Codec.NONE, 6), (Codec.GZIP, 1), (Codec.LZ4, 1), (Codec.ZSTD, 1))
_paddings = weighted((0, 4), (PADDED, 1))
_writes = weighted(("append", 3), ("delete", 2))
_known = weighted((EMPTY, 4), (OPEN, 2), (CUT, 2), (ROLLED, 1), (TWO, 2), (None, 3))
MOST_ROUNDS = 2
_another = chance(1, 4)
_some = several(1, 5, 70)
_kinds = weighted((0, 4), (1, 5), (2, 1), (3, 2), (4, 1), (5, 2))
_committing = weighted((False, 6), (True, 1))
_every = weighted((False, 3), (True, 1))
_lengths = weighted((1, 1), (3, 1), (10, 1), (EVERY, 5))
_places = below(10_000)
_joined = weighted((False, 5), (True, 1))


@st.composite
def _layout(draw: st.DrawFn) -> Layout:
    known = draw(_known)
    return draw(layouts(2)) if known is None else known


@st.composite
def _append(draw: st.DrawFn, partition: int) -> AppendTimed:
    later = LATER[draw(_later)]
    times = tuple([later + TIMES[draw(_times)] for _ in range(draw(_records))])
    return AppendTimed(partition, times, draw(_codecs), draw(_paddings))


@st.composite
def _write(draw: st.DrawFn, timelines: tuple[Timeline, ...]) -> Step:
    partition = draw(below(len(timelines)))
    if draw(_writes) == "append" or not timelines[partition].end:
        return draw(_append(partition))
    return DeleteRecords(partition, draw(_deletion_offset(timelines[partition])))


def _deletion_offset(timeline: Timeline) -> SearchStrategy[int]:
    """An offset to delete up to: inside the log, or at a fence."""
    inside = _places.map(lambda place: place % (timeline.end + 1))
    fences = sorted(
        {
            max(-2, fence + more)
            for fence in (timeline.start, timeline.stable, timeline.end, -1)
            for more in (-1, 0, 1)
        }
    )
    return st.one_of(inside, st.sampled_from(fences))


@st.composite
def _draw_lookups(
    draw: st.DrawFn, timelines: tuple[Timeline, ...], semantics: OffsetSemantics, older: bool
) -> list[Question]:
    """Some of the lookups that are worth asking, or all of them; at times those of two partitions
    in one request.
    """
    number = draw(below(len(timelines)))
    kinds = questions(timelines[number], number, semantics, older_epochs=older)
    if draw(_every):
        every = [question for kind in kinds for question in kind]
        first = draw(_places) % len(every)
        return (every[first:] + every[:first])[: draw(_lengths)]
    some: list[Question] = []
    for _ in range(draw(_some)):
        kind = kinds[draw(_kinds)]
        some.append(kind[draw(_places) % len(kind)])
    if len(timelines) > 1 and draw(_joined):
        return [_beside(request, timelines) for request in some]
    return some


def _beside(request: Question, timelines: tuple[Timeline, ...]) -> Question:
    """The same lookup of each partition, and of one that does not exist."""
    if isinstance(request, OffsetForLeaderEpoch):
        return request
    asked = request.lookups[0]
    numbers = range(len(timelines) + 1)
    lookups: tuple[Lookup, ...] = tuple([replace(asked, partition=number) for number in numbers])
    return replace(request, lookups=lookups)


@st.composite
def _round(
    draw: st.DrawFn, timelines: tuple[Timeline, ...], semantics: OffsetSemantics, older: bool
) -> tuple[tuple[Step, ...], tuple[Timeline, ...], bool]:
    """Writes and a question, the partitions after them, and whether they are the last: all at
    once, so that shrinking can leave out each round but the last one.
    """
    ended = not draw(_another)
    steps: list[Step] = []
    for _ in range(draw(_write_counts)):
        step = draw(_write(timelines))
        timelines = timelines_after(timelines, step)
        steps.append(step)
    if draw(_committing):
        steps += draw(commit_steps(len(timelines), semantics))
    else:
        steps += draw(_draw_lookups(timelines, semantics, older))
    return tuple(steps), timelines, ended


@st.composite
def _histories(draw: st.DrawFn, semantics: OffsetSemantics, older: bool) -> Scenario:
    layout = draw(_layout())
    timelines = tuple([timeline_of(partition) for partition in layout.partitions])
    steps: list[Step] = []
    for _ in range(MOST_ROUNDS):
        asked, timelines, ended = draw(_round(timelines, semantics, older))
        steps += asked
        if ended:
            break
    return Scenario(layout, tuple(steps), subject="offsets")


def offset_histories(
    semantics: Semantics, *, older_epochs: bool = False
) -> SearchStrategy[Scenario]:
    """Writes and lookups on one or two partitions; they shrink towards the end of an empty one.

    Args:
        semantics: of the release.
        older_epochs: whether partitions have had an older leader epoch, so that it can be sent.
    """
    return _histories(semantics.of(OffsetSemantics), older_epochs)
