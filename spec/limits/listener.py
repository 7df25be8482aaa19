"""The model of the connections of one listener: how many a broker serves at a time."""

from collections.abc import Callable

from spec.frozen import frozen, replace

OF_LISTENER = 2
"""The `max.connections` of a scenario's listener until it is given another one."""


@frozen
class Listener:
    """The connections of a listener.

    Attributes:
        served: those that answer.
        waiting: those that are neither answered nor closed.
        limit: its `max.connections`.
    """

    served: int = 0
    waiting: int = 0
    limit: int = OF_LISTENER


def has_room(listener: Listener) -> bool:
    """Whether one more connection is served.

    Source: SocketServer.scala, ConnectionQuotas.connectionSlotAvailable, of Kafka 4.3.1.
    """
    return listener.served < listener.limit


@frozen
class ListenerRules:
    """The decisions about a listener's connections, so that a planted fault can take the place of
    each.

    Attributes:
        serves: whether one more connection is served.
        keeps_excess: whether a connection beyond the limit waits; otherwise it is closed.
        serves_waiting: whether one that waits is served once there is room.
        closes_excess: whether a limit that is lowered closes the connections that are too many.
    """

    serves: Callable[[Listener], bool] = has_room
    keeps_excess: bool = True
    serves_waiting: bool = True
    closes_excess: bool = False


def open_on(listener: Listener, rules: ListenerRules) -> Listener:
    """The connections after one more was opened."""
    if rules.serves(listener):
        return replace(listener, served=listener.served + 1)
    return replace(listener, waiting=listener.waiting + rules.keeps_excess)


def close_on(listener: Listener, rules: ListenerRules) -> Listener:
    """The connections after one that is served was closed, where there is any."""
    left = replace(listener, served=max(0, listener.served - 1))
    return _serve_waiting(left, rules)


def limit_listener(listener: Listener, limit: int, rules: ListenerRules) -> Listener:
    """The connections once the listener has another limit: those that are served stay."""
    served = min(listener.served, limit) if rules.closes_excess else listener.served
    return _serve_waiting(replace(listener, served=served, limit=limit), rules)


def _serve_waiting(listener: Listener, rules: ListenerRules) -> Listener:
    while rules.serves_waiting and listener.waiting and rules.serves(listener):
        listener = replace(listener, served=listener.served + 1, waiting=listener.waiting - 1)
    return listener
