"""How it is found which profile of the draft a broker follows: by small layouts under both modes,
and a mode that is not known.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from conformance.identify.candidates import Space
from conformance.identify.inquiry import (
    Inquiry,
    answer_contents,
    by_model,
    inseparable_by_model,
    seen_of_all,
)
from drafts.fetch_modes.change import BATCH_OPTIMIZED, DRAFT_VERSION, RECORD_LIMIT
from drafts.fetch_modes.clauses import ask_all, chapter
from drafts.fetch_modes.draft import DRAFT, NOT_KNOWN, QUESTIONS
from drafts.fetch_modes.profile import Profile
from generators.distinguishing import Search
from generators.small_scope import SIZE, Bounds, plain_layouts
from spec.layout import Batch, Layout, Partition

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

    from spec.observation import Observation
    from spec.scenario import Scenario

UNKNOWN_MODE = 2
_THREE = Layout((Partition((tuple([Batch(SIZE)] * 3),)),))


def scenarios(bounds: Bounds) -> Iterator[Scenario]:
    """Plain layouts under every small limit, in each mode; the smallest first."""
    for layout in plain_layouts(bounds):
        for records in (1, 2, 3):
            for mode in (BATCH_OPTIMIZED, RECORD_LIMIT, UNKNOWN_MODE):
                yield ask_all(layout, (records, mode))


@cache
def _pool(_: Profile, crafted: bool) -> tuple[Scenario, ...]:  # noqa: ARG001  no question needs a crafted layout
    return tuple(scenarios(Bounds(2)))


def _probe(_: Profile) -> Scenario:
    return ask_all(_THREE, (1, BATCH_OPTIMIZED))


def _feels(observation: Observation) -> bool:
    return [batches for _, batches in answer_contents(observation)] == [(3,), (3,), (1,)]


def _closing(_: random.Random, carrier: Profile, crafted: bool) -> Iterator[Scenario]:  # noqa: ARG001  the worked examples
    yield from dict.fromkeys(
        example.scenario for clause in chapter.clauses for example in clause.examples
    )


def _ways(newest: int) -> tuple[Profile, ...]:
    return (Profile(),) if newest >= DRAFT_VERSION else ()


INQUIRY: Inquiry[Profile] = Inquiry(
    draft=DRAFT,
    space=Space(QUESTIONS),
    search=Search(scenarios),
    ways=_ways,
    probe=_probe,
    feels=_feels,
    not_known=NOT_KNOWN,
    pool=_pool,
    predicted=by_model(QUESTIONS),
    closing=_closing,
    seen=seen_of_all,
    inseparable=inseparable_by_model(QUESTIONS, scenarios),
)
