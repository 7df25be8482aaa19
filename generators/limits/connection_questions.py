"""Histories of connections: addresses with limits, around which connections come and go."""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from generators.weighted import chance, weighted
from spec.limits.connections import PER_ADDRESS
from spec.limits.examples import NO_RECORDS
from spec.limits.steps import CloseConnection, ConnectionStep, LimitConnections, OpenConnection
from spec.scenario import Scenario

_another = chance(85, 15)
MOST_STEPS = 12
_kinds = weighted(("open", 8), ("close", 2), ("limit", 2))
_addresses = weighted((0, 3), (1, 1))
_limits = weighted((1, 3), (PER_ADDRESS, 1), (PER_ADDRESS + 1, 3), (0, 1), (PER_ADDRESS + 2, 1))


@st.composite
def _histories(draw: st.DrawFn) -> Scenario:
    steps: list[ConnectionStep] = []
    while not steps or (len(steps) < MOST_STEPS and draw(_another)):
        kind, address = draw(_kinds), draw(_addresses)
        if kind == "limit":
            steps.append(LimitConnections(draw(_limits), address))
        else:
            steps.append(OpenConnection(address) if kind == "open" else CloseConnection(address))
    return Scenario(NO_RECORDS, tuple(steps), subject="limits")


def connection_histories() -> SearchStrategy[Scenario]:
    """One to twelve steps about the connections of two addresses; they shrink towards one that is
    opened.
    """
    return _histories()
