"""Connections: how many a broker keeps of one address."""

from spec.clause import KIP, Chapter, Code, Doc, Held, breaks, fails, holds
from spec.fence import Fence, Unit
from spec.limits.examples import connect, disconnect, history, limit_connections
from spec.limits.outcomes import ConnectionsHeld
from spec.limits.steps import LimitConnections, OpenConnection
from spec.limits.turn import Turn
from spec.scenario import Scenario
from spec.verdict import LimitClass, Strength, side

PER_ADDRESS = Doc("broker configs, max.connections.per.ip")
OVERRIDES = Doc("broker configs, max.connections.per.ip.overrides")
DYNAMIC = KIP(308)

chapter: Chapter[Turn] = Chapter()
seen = chapter.under(lambda turn: isinstance(turn.outcome, ConnectionsHeld))
opened = seen.under(lambda turn: isinstance(turn.step, OpenConnection))


def _outcome(turn: Turn) -> ConnectionsHeld:
    assert isinstance(turn.outcome, ConnectionsHeld)
    return turn.outcome


def _counts_closed(turn: Turn) -> bool:
    """Whether a connection within the limit would be beyond it if closed ones counted."""
    number = _outcome(turn).answered + 1
    return number <= turn.address.most < number + turn.address.closed


def _counts_others(turn: Turn) -> bool:
    """Whether it would be if those of other addresses counted."""
    number = _outcome(turn).answered + 1
    return number <= turn.address.most < number + turn.others_held


def _at_most(turn: Turn, config: str) -> Held | None:
    """Whether a connection is served if and only if its address has fewer than it may have.

    Those of the address that answer after it was opened count, with itself. Where it is refused for
    connections that were closed, or that are of other addresses, that is another clause's.
    """
    address, found = turn.address, _outcome(turn)
    number = found.answered + 1
    where = side(number, address.most)
    if found.served:
        if number <= address.most:
            return holds(where)
        return breaks(
            where,
            f"expected connection {number} of an address with {config} = {address.most} to be "
            f"closed, found it answered, and {found.answered} others of this address after it",
            "served",
        )
    if number > address.most:
        return holds(where)
    if _counts_closed(turn) or _counts_others(turn):
        return None
    return breaks(
        where,
        f"expected connection {number} of an address with {config} = {address.most} to be "
        "answered, found it closed",
        "closed",
    )


@opened.clause(
    "LIM-080",
    Strength.MUST,
    LimitClass.SOFT,
    PER_ADDRESS,
    DYNAMIC,
    slug="limits/connections/of-one-address",
    fence=Fence("the connections of the address", Unit.CONNECTIONS, "max.connections.per.ip"),
)
def an_address_has_at_most_so_many_connections(turn: Turn) -> Held | None:
    """A new connection from an address without a limit of its own is served if the address has
    fewer open connections than `max.connections.per.ip`, and is closed otherwise.

    All connections that count answer a request once the new one was answered. A connection that is
    closed, or served, otherwise than expected is tried again for as long as an answer may take (30
    s), since a broker may notice late that a client is gone. One that is closed where connections
    that were closed before, or those of other addresses, would fill the limit is a matter of
    LIM-082 and LIM-083.
    """
    return _at_most(turn, "max.connections.per.ip") if turn.address.limit is None else None


@an_address_has_at_most_so_many_connections.example("three connections where two are allowed")
def _three() -> Scenario:
    return history(*connect(3))


@opened.clause(
    "LIM-081",
    Strength.MUST,
    LimitClass.SOFT,
    OVERRIDES,
    DYNAMIC,
    slug="limits/connections/of-an-address-with-its-own-limit",
    fence=Fence("the connections of the address", Unit.CONNECTIONS, "the limit of the address"),
)
def an_address_has_a_limit_of_its_own(turn: Turn) -> Held | None:
    """A new connection from an address that `max.connections.per.ip.overrides` names is served if
    the address has fewer open connections than the number that stands there, and is closed
    otherwise; `max.connections.per.ip` does not matter then.

    Connections are counted, and tried again, as in LIM-080.
    """
    config = "max.connections.per.ip.overrides"
    return None if turn.address.limit is None else _at_most(turn, config)


@an_address_has_a_limit_of_its_own.example("a limit above max.connections.per.ip, and one below")
def _above_and_below() -> Scenario:
    return history(
        limit_connections(3), *connect(4), limit_connections(1, address=1), *connect(2, address=1)
    )


@opened.clause(
    "LIM-082",
    Strength.MUST,
    LimitClass.SOFT,
    PER_ADDRESS,
    slug="limits/connections/closed-ones",
)
def a_closed_connection_makes_room(turn: Turn) -> Held | None:
    """A new connection is served if its address has fewer open connections than it may have,
    however many its client has closed before.
    """
    if not _counts_closed(turn):
        return None
    address, found = turn.address, _outcome(turn)
    if found.served:
        return holds()
    if _counts_others(turn):
        return None
    return fails(
        f"expected connection {found.answered + 1} of {address.most} to be answered, since "
        f"{address.closed} were closed, found it closed",
        "closed ones count",
    )


@a_closed_connection_makes_room.example("one is closed and another one opened, at the limit")
def _room() -> Scenario:
    return history(*connect(2), disconnect(), *connect(2))


@opened.clause(
    "LIM-083",
    Strength.MUST,
    LimitClass.SOFT,
    PER_ADDRESS,
    slug="limits/connections/of-other-addresses",
)
def connections_of_other_addresses_do_not_count(turn: Turn) -> Held | None:
    """A new connection is served if its address has fewer open connections than it may have,
    however many other addresses have.
    """
    if not _counts_others(turn):
        return None
    address, found = turn.address, _outcome(turn)
    if found.served:
        return holds()
    return fails(
        f"expected connection {found.answered + 1} of {address.most} of an address to be "
        f"answered beside {turn.others_held} of another address, found it closed",
        "others count",
    )


@connections_of_other_addresses_do_not_count.example("two of each of two addresses")
def _two_addresses() -> Scenario:
    return history(*connect(2), *connect(2, address=1))


@seen.clause(
    "LIM-084",
    Strength.REFERENCE,
    LimitClass.SOFT,
    Code("SocketServer.scala", "updateMaxConnectionsPerIpOverride"),
    slug="limits/connections/lower-limit",
)
def a_lower_limit_closes_no_connection(turn: Turn) -> Held | None:
    """An address that is given a limit below its open connections keeps them: the limit decides
    about new ones only.
    """
    if not isinstance(turn.step, LimitConnections) or turn.step.limit >= turn.address.held:
        return None
    found = _outcome(turn).answered
    if found == turn.address.held:
        return holds()
    return fails(
        f"expected all {turn.address.held} connections to answer after the limit came to be "
        f"{turn.step.limit}, found {found}",
        "closed",
    )


@a_lower_limit_closes_no_connection.example("a limit of one where two are open")
def _lower_limit() -> Scenario:
    return history(*connect(2), limit_connections(1), *connect(1))
