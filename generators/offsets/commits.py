"""Commits around the limit of their metadata, and what comes back of them."""

from hypothesis import strategies as st

from generators.numbers import below
from generators.weighted import several, weighted
from spec.offsets.releases import OffsetSemantics
from spec.offsets.steps import Commit, OffsetCommit, OffsetFetch, Text
from spec.steps import Step

_rounds = several(1, 3, 50)
_texts = weighted((Text.ASCII, 3), (Text.ACCENTED, 1), (Text.ASTRAL, 1))
_offsets = below(1000)
_both = weighted((False, 1), (True, 1))


def lengths(limit: int) -> tuple[int, ...]:
    """Characters around the limit, and around the half and the quarter of it."""
    fences = (limit, limit // 2, limit // 4)
    return (0, 5, *[fence + more for fence in fences for more in (-1, 0, 1)])


@st.composite
def commit_steps(draw: st.DrawFn, partitions: int, semantics: OffsetSemantics) -> list[Step]:
    """One to three requests that commit one or all partitions, and a look at what is kept."""
    known = lengths(semantics.metadata_max)
    steps: list[Step] = []
    for _ in range(draw(_rounds)):
        numbers = range(partitions) if draw(_both) else [draw(below(partitions))]
        commits = [
            Commit(number, draw(_offsets), known[draw(below(len(known)))], draw(_texts))
            for number in numbers
        ]
        steps.append(OffsetCommit(tuple(commits)))
    return [*steps, OffsetFetch(tuple(range(partitions)), draw(_both))]
