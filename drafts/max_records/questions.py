"""Every small layout with every small question about a limit of records, the smallest first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from drafts.max_records.change import DRAFT_VERSION, limited_to
from generators.small_scope import OLD_VERSION, fetches, layouts, plain_layouts
from spec.fetch.steps import OWN, Fetch, FetchPartition
from spec.frozen import replace
from spec.kafka import FULL_EPOCH
from spec.layout import Batch
from spec.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from generators.distinguishing import Strategy
    from generators.small_scope import Bounds
    from spec.layout import Layout

LIMITS = (1, 2, 3, 4)
"""Limits of records."""
WAIT_MS = 300
"""How long a question about `min_bytes` may wait, ms."""


def scenarios(bounds: Bounds, limits: Sequence[int] = LIMITS) -> Iterator[Scenario]:
    """Each scenario within the bounds: one fetch of all partitions; the fewest batches first, then
    the lowest limit.
    """
    for layout in layouts(bounds):
        for limit in limits:
            for fetch in fetches(layout):
                yield Scenario(
                    layout, (replace(fetch, version=DRAFT_VERSION, extra=limited_to(limit)),)
                )


def waiting(bounds: Bounds) -> Iterator[Scenario]:
    """Fetches of plain batches, asked with more `min_bytes` than a limit of records lets
    through.
    """
    for layout, fetch in _simple(bounds):
        wanted = sum(
            entry.size
            for partition in layout.partitions
            for entry in partition.entries()
            if isinstance(entry, Batch)
        )
        yield Scenario(layout, (replace(fetch, min_bytes=wanted, max_wait_ms=WAIT_MS),))


def in_session(bounds: Bounds) -> Iterator[Scenario]:
    """Fetch sessions: a full request with a limit, then an incremental one without."""
    for layout, fetch in _simple(bounds):
        following = replace(fetch, session=OWN, epoch=1, extra=())
        yield Scenario(layout, (replace(fetch, epoch=FULL_EPOCH), following))


def by_version(bounds: Bounds) -> Iterator[Scenario]:
    """Fetches by a version that every release has, the field as a tag that it may know or not; and
    by the draft's.
    """
    for layout, fetch in _simple(bounds):
        yield Scenario(layout, (replace(fetch, version=OLD_VERSION),))
        yield Scenario(layout, (fetch,))


def _simple(bounds: Bounds) -> Iterator[tuple[Layout, Fetch]]:
    """Layouts of plain batches in one partition, each under every limit."""
    for layout in plain_layouts(bounds):
        for limit in LIMITS:
            yield (
                layout,
                Fetch((FetchPartition(0, 0),), version=DRAFT_VERSION, extra=limited_to(limit)),
            )


STRATEGIES: Mapping[str, Strategy] = {
    "zero": partial(scenarios, limits=(0,)),
    "negative": partial(scenarios, limits=(-1,)),
    "min_bytes": waiting,
    "session": in_session,
    "encoding": by_version,
}
"""Where the questions that are not about counting are met; all others in `scenarios`."""
