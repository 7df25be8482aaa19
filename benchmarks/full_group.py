"""What real clients do that join a full group, on a real broker: refused, failed otherwise, joined
all the same, or spinning.

Run: python benchmarks/full_group.py [VERSION]
"""

import sys

from conformance.cli.common import make_codec
from conformance.cluster import reach
from conformance.subjects.groups.full_group import CLIENTS, FULL_AT_ONE, fill, joining, serve
from conformance.systems.embedded import Embedded

VERSION = "4.3.1"
TOPIC = "wanted"


def main() -> None:
    """Print a line for each client and protocol."""
    with Embedded(sys.argv[1] if len(sys.argv) > 1 else VERSION, config=FULL_AT_ONE) as broker:
        cluster = reach(*broker.address, make_codec())
        serve(cluster, TOPIC)
        for client in CLIENTS:
            group = f"full-{client.name}-{client.protocol}"
            fill(cluster, client.protocol, group, TOPIC)
            found = joining(client, f"{cluster.host}:{cluster.port}", TOPIC, group)
            print(f"{client.name:<13} {client.protocol:<9} {found.did:<9} {found.said}", flush=True)


if __name__ == "__main__":
    main()
