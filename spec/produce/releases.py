"""Decisions about Produce in which releases differ."""

from collections.abc import Mapping

from spec.frozen import frozen
from spec.produce.topic import LEAST_SEGMENT

REQUEST_MAX_BYTES = 104_857_600
"""`socket.request.max.bytes` by default."""
TRANSACTION_MAX_MS = 900_000
"""`transaction.max.timeout.ms` by default."""


@frozen
class ProduceSemantics:
    """The model's decisions about Produce.

    Attributes:
        newest_produce: the newest Produce version; v13 names topics by their ids (KIP-516).
        least_segment_bytes: the least value of `segment.bytes` that a topic may have.
        request_max_bytes: `socket.request.max.bytes`, of a whole request without the length before
            it.
        transaction_max_ms: `transaction.max.timeout.ms`.
        knows_request_max, knows_transaction_max: the broker or its user says these two; otherwise
            they are Kafka's defaults, and what a broker does at them is not judged.
        limits_unpacked_records: its newest patch has `max.decompressed.message.bytes`.
    """

    newest_produce: int = 13
    least_segment_bytes: int = LEAST_SEGMENT
    request_max_bytes: int = REQUEST_MAX_BYTES
    transaction_max_ms: int = TRANSACTION_MAX_MS
    knows_request_max: bool = True
    knows_transaction_max: bool = True
    limits_unpacked_records: bool = False


PRODUCE_RELEASES: Mapping[str, ProduceSemantics] = {
    "4.0": ProduceSemantics(newest_produce=12, least_segment_bytes=14),
    "4.1": ProduceSemantics(),
    "4.2": ProduceSemantics(limits_unpacked_records=True),
    "4.3": ProduceSemantics(),
    "4.4": ProduceSemantics(limits_unpacked_records=True),
}
