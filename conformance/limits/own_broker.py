"""Probes of limits that take a broker which is started for them, with settings of its own."""

from __future__ import annotations

import socket
from types import MappingProxyType
from typing import TYPE_CHECKING

from conformance.limits.probes import ProbeAnswer
from conformance.limits.share_state import MOST_UPDATES, STATE_CONFIG, updates_between_snapshots
from conformance.retries import tries
from conformance.wire.negotiation import ASK_VERSIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from conformance.limits.admin import Admin

ADDRESS = "127.0.0.2"
"""Another loopback address than the one that everything else connects from."""
MOST = 3
OWN_CONFIG: Mapping[str, str] = MappingProxyType(
    {"max.connections.per.ip.overrides": f"{ADDRESS}:{MOST}", STATE_CONFIG: str(MOST_UPDATES)}
)
"""The settings that the broker is started with."""
_ANSWER_S, _FREED_S = 10.0, 10.0


def connections_of_one_address(admin: Admin) -> Iterator[ProbeAnswer]:
    """As many connections from one address as it may have, one more, and one more again once one of
    them was closed.
    """
    held: list[socket.socket] = []
    try:
        for number in range(1, MOST + 2):
            found = _connect(admin, held)
            expected = "answered" if number <= MOST else "closed"
            yield ProbeAnswer(f"connection {number} of {MOST} from one address", expected, found)
        held.pop().close()
        found = "closed"
        for _ in tries(_FREED_S):
            found = _connect(admin, held)
            if found == "answered":
                break
        yield ProbeAnswer("a connection after one was closed", "answered", found)
    finally:
        for one in held:
            one.close()


def _connect(admin: Admin, held: list[socket.socket]) -> str:
    """Connect from the address, and ask for the versions; a connection that is served is kept."""
    made = socket.create_connection(
        (admin.cluster.host, admin.cluster.port), _ANSWER_S, source_address=(ADDRESS, 0)
    )
    try:
        made.sendall(ASK_VERSIONS)
        served = bool(made.recv(1))
    except ConnectionError:
        served = False
    if not served:
        made.close()
        return "closed"
    held.append(made)
    return "answered"


OWN_PROBES: Mapping[str, Callable[[Admin], Iterator[ProbeAnswer]]] = MappingProxyType(
    {
        "connections-of-one-address": connections_of_one_address,
        "share-state-updates": updates_between_snapshots,
    }
)
"""By the name by which a limit says what settles it."""
