"""Histories of a consumer whose group is full, for good or for a few requests."""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.weighted import several, weighted
from spec.fairness.steps import (
    FOR_GOOD,
    CloseClient,
    Poll,
    RefuseMembers,
    StartClient,
    SubscribeTopics,
)
from spec.layout import Batch, Layout, Partition
from spec.scenario import Scenario

POLL = Poll(520)
"""Long enough to say something where it returns nothing."""

_responses = weighted((FOR_GOOD, 3), (1, 1), (2, 1), (60, 1))
_polls = several(4, 8, 60)
_closes = weighted((True, 1), (False, 1))
_full = weighted((False, 19), (True, 1))


@st.composite
def _histories(draw: st.DrawFn) -> Scenario:
    closing = [CloseClient()] if draw(_closes) else []
    return Scenario(
        Layout((Partition(((Batch(200, 3),),)),)),
        (
            StartClient(),
            RefuseMembers(draw(_responses)),
            SubscribeTopics(),
            *[POLL] * draw(_polls),
            *closing,
        ),
        subject="fairness",
    )


@st.composite
def _or_full(draw: st.DrawFn, consumers: SearchStrategy[Scenario]) -> Scenario:
    return draw(_histories() if draw(_full) else consumers)


def or_full_group(consumers: SearchStrategy[Scenario]) -> SearchStrategy[Scenario]:
    """These histories, and now and then one of a consumer whose group is full, which shrinks
    towards a few polls in a group that stays full.
    """
    return _or_full(consumers)
