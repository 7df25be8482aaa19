"""The options of a client, with the defaults of Kafka's consumer."""

from spec.fairness.steps import StartClient
from spec.frozen import frozen


@frozen
class Options:
    """What a client goes by; see `StartClient`."""

    max_poll_records: int = 500
    fetch_max_bytes: int = 50 * 2**20
    partition_max_bytes: int = 2**20
    fetch_min_bytes: int = 1
    max_wait_ms: int = 500
    isolation: int = 0
    check_crcs: bool = True


def options_of(step: StartClient) -> Options:
    """The options that a client is given, and the defaults of those that it is not.

    Source: ConsumerConfig.java of Kafka 4.3.1.
    """
    default = Options()

    def given(value: int | None, otherwise: int) -> int:
        return otherwise if value is None else value

    return Options(
        max_poll_records=given(step.max_poll_records, default.max_poll_records),
        fetch_max_bytes=given(step.fetch_max_bytes, default.fetch_max_bytes),
        partition_max_bytes=given(step.partition_max_bytes, default.partition_max_bytes),
        fetch_min_bytes=given(step.fetch_min_bytes, default.fetch_min_bytes),
        max_wait_ms=given(step.max_wait_ms, default.max_wait_ms),
        isolation=step.isolation,
        check_crcs=default.check_crcs if step.check_crcs is None else step.check_crcs,
    )
