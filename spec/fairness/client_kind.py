"""What kind of client a history is of."""

from spec.fairness.steps import ClientKind, StartClient
from spec.scenario import Scenario


def client_kind_of(scenario: Scenario) -> ClientKind:
    """The kind of client that a history starts; a consumer where it starts none."""
    started = [one.client_kind for one in scenario.steps if isinstance(one, StartClient)]
    return started[0] if started else ClientKind.CONSUMER
