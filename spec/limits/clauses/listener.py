"""Connections of a listener: how many a broker serves at a time."""

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.limits.examples import close_listener, history, open_listener, set_listener_limit
from spec.limits.outcomes import ListenerConnections
from spec.limits.steps import CloseOnListener, LimitListener, OpenOnListener
from spec.limits.turn import Turn
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength, side

MOST = Doc("broker configs, max.connections")
FAIRNESS = KIP(402)
QUOTAS = "SocketServer.scala"

chapter: Chapter[Turn] = Chapter()
seen = chapter.under(lambda turn: isinstance(turn.outcome, ListenerConnections))


def _outcome(turn: Turn) -> ListenerConnections:
    assert isinstance(turn.outcome, ListenerConnections)
    return turn.outcome


def _count_left(turn: Turn) -> int:
    """How many were served before that the step itself does not close."""
    before = turn.listener.served
    return before - (isinstance(turn.step, CloseOnListener) and before > 0)


def _limit(turn: Turn) -> int:
    """The listener's limit after the step."""
    return turn.step.limit if isinstance(turn.step, LimitListener) else turn.listener.limit


@seen.clause(
    "LIM-085",
    Strength.MUST,
    LimitClass.SOFT,
    MOST,
    FAIRNESS,
    slug="limits/connections/of-a-listener",
    fence=Fence("the connections of the listener", Unit.CONNECTIONS, "max.connections"),
)
def a_listener_has_at_most_so_many_connections(turn: Turn) -> Held | None:
    """A new connection to a listener is served if the listener has fewer open connections than its
    `max.connections`, and is not served while it has that many.

    Connections are served that answer a request, all of them after the new one was answered. One
    that is not served within the limit is waited for as long as an answer may take (30 s), since a
    broker may notice late that a client is gone; one that is served beyond it is tried again for as
    long. Beyond the limit a connection may wait or be closed.
    """
    found, limit, left = _outcome(turn), _limit(turn), _count_left(turn)
    opened = isinstance(turn.step, OpenOnListener)
    number = left + turn.listener.waiting + opened
    where = side(number, limit)
    if found.served > max(limit, left):
        return breaks(
            where,
            f"expected at most {limit} connections of a listener with max.connections={limit} to "
            f"be served, found {found.served}",
            "served",
        )
    if not opened or turn.listener.waiting:
        return None if number <= limit else holds(where)
    if number <= limit and found.served < number and found.waiting + found.closed > 0:
        return breaks(
            where,
            f"expected connection {number} of a listener with max.connections={limit} to be "
            f"served, found {found.served} that are",
            "not served",
        )
    return holds(where)


@a_listener_has_at_most_so_many_connections.example("three connections where two are allowed")
def _three() -> Scenario:
    return history(*open_listener(3))


@seen.clause(
    "LIM-086",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code(QUOTAS, "waitForConnectionSlot"),
    slug="limits/connections/waits-for-its-listener",
)
def a_connection_beyond_the_limit_waits(turn: Turn) -> Held | None:
    """A connection that a listener's `max.connections` has no room for is not closed: it waits."""
    if not isinstance(turn.step, OpenOnListener):
        return None
    found = _outcome(turn)
    number = turn.listener.served + turn.listener.waiting + 1
    if number <= _limit(turn) or found.served > turn.listener.served:
        return None
    if found.closed == 0:
        return holds()
    return fails(
        f"expected connection {number} of a listener with max.connections={_limit(turn)} to wait, "
        f"found {found.closed} closed",
        "closed",
    )


@a_connection_beyond_the_limit_waits.example("two more connections than are allowed")
def _two_wait() -> Scenario:
    return history(*open_listener(4))


@seen.clause(
    "LIM-087",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code(QUOTAS, "dec"),
    Code(QUOTAS, "reconfigure"),
    slug="limits/connections/served-after-waiting",
)
def a_connection_that_waits_is_served_once_there_is_room(turn: Turn) -> Held | None:
    """Of the connections that wait for their listener as many are served as there is room for, once
    others were closed by their clients or the listener's `max.connections` was raised. They are
    waited for as in LIM-085.
    """
    if isinstance(turn.step, OpenOnListener):
        return None
    found, left = _outcome(turn), _count_left(turn)
    expected = min(_limit(turn), left + turn.listener.waiting)
    if expected <= left:
        return None
    if found.served >= expected:
        return holds()
    return fails(
        f"expected {expected} connections to be served, {turn.listener.waiting} of which waited, "
        f"found {found.served}",
        "not served",
    )


@a_connection_that_waits_is_served_once_there_is_room.example("one is closed, then there is more")
def _room() -> Scenario:
    return history(*open_listener(4), close_listener(), set_listener_limit(3))


@seen.clause(
    "LIM-088",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code(QUOTAS, "maxConnectionsExceeded"),
    slug="limits/connections/lower-limit-of-a-listener",
)
def a_lower_limit_of_a_listener_closes_no_connection(turn: Turn) -> Held | None:
    """A listener that is given a `max.connections` below its open connections keeps them: the limit
    decides about new ones only, other than that of the whole broker.
    """
    if not isinstance(turn.step, LimitListener) or turn.step.limit >= turn.listener.served:
        return None
    found, before = _outcome(turn).served, turn.listener.served
    if found >= before:
        return holds()
    return fails(
        f"expected all {before} connections to answer after max.connections came to be "
        f"{turn.step.limit}, found {found}",
        "closed",
    )


@a_lower_limit_of_a_listener_closes_no_connection.example("a limit of one where two are open")
def _lower_limit() -> Scenario:
    return history(*open_listener(2), set_listener_limit(1), *open_listener(1))
