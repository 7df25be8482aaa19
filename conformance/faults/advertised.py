"""Where a broker says that clients find it: rewritten, so that they come back through the proxy and
not past it.

The suite itself stays at the address it was given, but real clients follow what Metadata,
FindCoordinator and DescribeCluster say. All brokers get one address, so the cluster behind a proxy
should have one broker.
"""

from __future__ import annotations

from typing import Any

NAMING = frozenset({"Metadata", "FindCoordinator", "DescribeCluster"})
"""APIs whose every answer names brokers by host and port."""


def with_address(value: Any, host: str, port: int) -> Any:
    """A decoded answer in which every broker that is named is found at this host and port; "no
    broker" (port -1) stays so.
    """
    if isinstance(value, list):
        return [with_address(one, host, port) for one in value]
    if not isinstance(value, dict):
        return value
    found = {name: with_address(one, host, port) for name, one in value.items()}
    if found.get("host") and found.get("port", -1) > 0:
        found |= {"host": host, "port": port}
    return found
