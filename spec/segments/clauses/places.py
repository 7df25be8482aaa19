"""Batches and entries of indexes as messages name them."""

from collections.abc import Iterable

from spec.segments.outcomes import SegmentBatch

Place = tuple[int, int, int]
"""First and last offset of a batch, and its bytes."""


def place_of(batch: SegmentBatch) -> Place:
    """Where a batch lies in the log."""
    return batch.base, batch.last, batch.size


def places_in_words(places: Iterable[Place]) -> str:
    """`0 to 19 (201 bytes), 20 to 21 (798 bytes)`; `none` where there are none."""
    return ", ".join([f"{base} to {last} ({size} bytes)" for base, last, size in places]) or "none"


def entries_in_words(entries: Iterable[tuple[int, int]]) -> str:
    """The entries of an offset index: `offset 2 at position 75`; `none` where there are none."""
    shown = [f"offset {offset} at position {position}" for offset, position in entries]
    return ", ".join(shown) or "none"


def times_in_words(entries: Iterable[tuple[int, int]]) -> str:
    """The entries of a time index: `9 at offset 3`; `none` where there are none."""
    return ", ".join([f"{time} at offset {offset}" for time, offset in entries]) or "none"
