"""The pictures of connections: those of an address, or of a listener, beside their limit."""

from collections.abc import Iterator

from results.limit_state import Before
from results.shapes import Box, Fence, Row
from results.text import count_of
from spec.limits.connections import PER_ADDRESS
from spec.limits.outcomes import ConnectionsHeld, ListenerConnections
from spec.limits.steps import (
    CloseConnection,
    CloseOnListener,
    ConnectionStep,
    LimitConnections,
    LimitListener,
    ListenerStep,
    OpenConnection,
    OpenOnListener,
)
from spec.outcomes import Outcome


def connection_words(step: ConnectionStep | ListenerStep) -> str:
    """A step on connections, as the title of its panel says it."""
    match step:
        case LimitConnections(limit=limit, address=address):
            return f"address {address} may have {count_of(limit, 'connection')}"
        case OpenConnection(address=address):
            return f"address {address} opens one more connection"
        case CloseConnection(address=address):
            return f"address {address} closes its last connection"
        case LimitListener(limit=limit):
            return f"the listener may have {count_of(limit, 'connection')}"
        case OpenOnListener():
            return "one more connection to the listener is opened"
        case CloseOnListener():
            return "the first connection of the listener that is served is closed by its client"


def connection_rows(
    step: LimitConnections | OpenConnection | CloseConnection,
    outcome: Outcome | None,
    before: Before,
) -> Iterator[Row]:
    """The connections of an address, those that answered in green, beside its limit."""
    if not isinstance(outcome, ConnectionsHeld):
        return
    held, opens = before.held.get(step.address, 0), isinstance(step, OpenConnection)
    count = held + opens
    own = step.limit if isinstance(step, LimitConnections) else before.limits.get(step.address)
    words = [f"{outcome.answered} of those before it"] if held else []
    words += [f"the new one was {'served' if outcome.served else 'closed'}"] if opens else []
    boxes = [Box(place, 1, None, "plain", f"connection {place}") for place in range(count)]
    yield Row(
        f"connections of address {step.address}",
        boxes=tuple(boxes),
        length=count,
        fences=(
            Fence(PER_ADDRESS, f"max.connections.per.ip={PER_ADDRESS}")
            if own is None
            else Fence(own, f"its limit of {own}"),
        ),
        answered=((0, outcome.answered), *(((held, 1),) if outcome.served else ())),
        answer=", ".join(words),
    )


def listener_rows(outcome: Outcome | None, limit: int) -> Iterator[Row]:
    """The connections of a listener after a step, those that are served in green first, beside its
    limit.
    """
    if not isinstance(outcome, ListenerConnections):
        return
    count = outcome.served + outcome.waiting
    words = [f"{outcome.served} are served"]
    words += [f"{outcome.waiting} wait"] if outcome.waiting else []
    words += [f"{outcome.closed} were closed by the broker"] if outcome.closed else []
    boxes = [Box(place, 1, None, "plain", f"connection {place}") for place in range(count)]
    yield Row(
        "connections of the listener",
        boxes=tuple(boxes),
        length=count,
        fences=(Fence(limit, f"max.connections={limit}"),),
        answered=((0, outcome.served),),
        answer=", ".join(words),
    )
