"""Client ids of our own with a consumer byte quota each (KIP-546), for fetches that ask what a
quota lets through (FET-017).
"""

from __future__ import annotations

import secrets
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from conformance.cluster import error_text
from conformance.facts.limits import QUOTA_SAMPLE_S, QUOTA_SAMPLES
from conformance.ledger import PREFIX, Kind
from conformance.retries import tries
from conformance.wire.outcomes import NoAnswer, NotConnected

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conformance.cluster import Cluster
    from conformance.wire.connection import Connection

CONSUMER_BYTE_RATE = "consumer_byte_rate"
CLEAN_UP_S = 2.0
"""How long the broker may take to say that it takes quotas away, seconds: it does so in any case,
and the ledger has those of a broker that does not.
"""
WINDOW_UNKNOWN = (
    f"expected the broker to report {QUOTA_SAMPLES} and {QUOTA_SAMPLE_S} by DescribeConfigs, found "
    "no such configs: give its own values in a facts file (--facts)"
)
NEWEST = 1
EXACTLY = 0


class QuotaRefusedError(Exception):
    """The broker sets no quota for us."""


@contextmanager
def clients_with(
    cluster: Cluster, rates: Sequence[int], *, knows_window: bool = True
) -> Iterator[tuple[str, ...]]:
    """Fresh client ids with a quota of so many bytes a second each; the quotas are gone afterwards,
    where the broker takes them away within `CLEAN_UP_S`.

    Args:
        cluster: whose.
        rates: the quotas, bytes a second.
        knows_window: whether anyone says what a quota lets through at once.

    Raises:
        QuotaRefusedError: the broker has no such API, its window is not known, or it refuses.
    """
    if not rates:
        yield ()
        return
    if not (cluster.offers("AlterClientQuotas") and cluster.offers("DescribeClientQuotas")):
        raise QuotaRefusedError(
            "this broker has no AlterClientQuotas: no client id can be given a quota"
        )
    if not knows_window:
        raise QuotaRefusedError(WINDOW_UNKNOWN)
    run = secrets.token_hex(4)
    names = tuple([f"{PREFIX}quota-{run}-{number}" for number in range(len(rates))])
    last = f"{PREFIX}quota-{run}-last"
    cluster.ledger.will_make(Kind.QUOTA, *names, last)
    try:
        with cluster.connect() as connection:
            _alter(cluster, connection, dict(zip(names, rates, strict=True)))
            _alter(cluster, connection, {last: 1})
            _await(cluster, connection, last)
        yield names
    finally:
        _take_away(cluster, (*names, last))


def _take_away(cluster: Cluster, names: tuple[str, ...]) -> None:
    """Take the quotas away, as far as the broker lets us soon.

    That is asked on a fresh connection: after an interrupt the other one may still owe answers.
    """
    with (
        suppress(NoAnswer, NotConnected, QuotaRefusedError),
        cluster.connect(timeout=CLEAN_UP_S) as connection,
    ):
        _alter(cluster, connection, dict.fromkeys(names))
        cluster.ledger.note_removed(Kind.QUOTA, *names)


def _alter(cluster: Cluster, connection: Connection, rates: Mapping[str, int | None]) -> None:
    """Set the quota of each client id, or take it away where there is no rate."""
    entries = [
        {
            "entity": [{"entity_type": "client-id", "entity_name": name}],
            "ops": [{"key": CONSUMER_BYTE_RATE, "value": float(rate or 0), "remove": rate is None}],
        }
        for name, rate in rates.items()
    ]
    value: dict[str, Any] = {"entries": entries, "validate_only": False}
    answer = connection.ask(
        "AlterClientQuotas", cluster.version("AlterClientQuotas", NEWEST), value
    )
    for entry in answer["entries"]:
        if entry["error_code"]:
            raise QuotaRefusedError(
                "expected to set a quota, the broker says "
                f"{error_text(entry['error_code'], entry.get('error_message'))}"
            )


def _await(cluster: Cluster, connection: Connection, name: str) -> None:
    """Wait until the broker reports this quota. It takes over quotas in the order they were set in,
    so that it goes by the earlier ones then.
    """
    component = {"entity_type": "client-id", "match_type": EXACTLY, "match": name}
    version = cluster.version("DescribeClientQuotas", NEWEST)
    for _ in tries(cluster.timeout):
        if connection.ask(
            "DescribeClientQuotas", version, {"components": [component], "strict": True}
        )["entries"]:
            return
    raise QuotaRefusedError(
        "expected the broker to report a quota that it took, found none within "
        f"{cluster.timeout:.0f} s"
    )
