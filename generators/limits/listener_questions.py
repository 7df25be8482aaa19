"""Histories of a listener, around whose limit connections come and go."""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.weighted import chance, weighted
from spec.limits.examples import NO_RECORDS
from spec.limits.listener import OF_LISTENER
from spec.limits.steps import CloseOnListener, LimitListener, ListenerStep, OpenOnListener
from spec.scenario import Scenario

_another = chance(85, 15)
MOST_STEPS = 12
_kinds = weighted(("open", 8), ("close", 2), ("limit", 2))
_limits = weighted((1, 3), (OF_LISTENER, 1), (OF_LISTENER + 1, 3), (OF_LISTENER + 2, 1))


@st.composite
def _histories(draw: st.DrawFn) -> Scenario:
    steps: list[ListenerStep] = []
    while not steps or (len(steps) < MOST_STEPS and draw(_another)):
        kind = draw(_kinds)
        if kind == "limit":
            steps.append(LimitListener(draw(_limits)))
        else:
            steps.append(OpenOnListener() if kind == "open" else CloseOnListener())
    return Scenario(NO_RECORDS, tuple(steps), subject="limits")


def listener_histories() -> SearchStrategy[Scenario]:
    """One to twelve steps about the connections of a listener; they shrink towards one that is
    opened.
    """
    return _histories()
