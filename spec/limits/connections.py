"""The model of connections: how many a broker keeps of one address."""

from collections.abc import Callable, Mapping

from spec.frozen import frozen, replace

PER_ADDRESS = 2
"""The broker's `max.connections.per.ip` in scenarios of limits: it goes for an address without a
limit of its own.
"""


@frozen
class FromAddress:
    """The connections of one address.

    Attributes:
        held: how many of them are open.
        closed: how many its client has closed so far.
        limit: its own in `max.connections.per.ip.overrides`; None where it has none.
    """

    held: int = 0
    closed: int = 0
    limit: int | None = None

    @property
    def most(self) -> int:
        """How many it may have."""
        return PER_ADDRESS if self.limit is None else self.limit


Addresses = Mapping[int, FromAddress]
"""The connections of each address of a scenario, by its number."""
Serves = Callable[[FromAddress, int], bool]
"""Whether one more connection is served, given those of its address, and how many the other
addresses of the scenario have.
"""


def serves_one_more(address: FromAddress, others: int) -> bool:
    """Whether an address has fewer connections than it may have.

    Source: SocketServer.scala, ConnectionQuotas.inc, of Kafka 4.3.1.
    """
    del others
    return address.held < address.most


@frozen
class ConnectionRules:
    """The decisions about connections, so that a planted fault can take the place of each.

    Attributes:
        serves: whether one more connection is served.
        closes_excess: whether a limit that is lowered closes the connections that are too many.
    """

    serves: Serves = serves_one_more
    closes_excess: bool = False


def count_others(addresses: Addresses, number: int) -> int:
    """The connections of the scenario's other addresses."""
    return sum(one.held for other, one in addresses.items() if other != number)


def open_one(addresses: Addresses, number: int, rules: ConnectionRules) -> tuple[bool, Addresses]:
    """Whether one more connection of an address is served, and the connections after it."""
    known = addresses.get(number, FromAddress())
    served = rules.serves(known, count_others(addresses, number))
    return served, {**addresses, number: replace(known, held=known.held + served)}


def close_one(addresses: Addresses, number: int) -> Addresses:
    """The connections after one of an address was closed, where it has any."""
    known = addresses.get(number, FromAddress())
    if not known.held:
        return addresses
    return {**addresses, number: replace(known, held=known.held - 1, closed=known.closed + 1)}


def limit_address(
    addresses: Addresses, number: int, limit: int, rules: ConnectionRules
) -> Addresses:
    """The connections once an address has a limit of its own: those that are open stay.

    Source: SocketServer.scala, ConnectionQuotas.updateMaxConnectionsPerIpOverride, of Kafka 4.3.1.
    """
    known = addresses.get(number, FromAddress())
    held = min(known.held, limit) if rules.closes_excess else known.held
    return {**addresses, number: replace(known, held=held, limit=limit)}
