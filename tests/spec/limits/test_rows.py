"""Each row of the limits table is answered by an entry, and what it states is computed, or is what
the jars define, or is an erratum.
"""

import pytest

from spec.catalogue import catalogue
from spec.disk.rules import RULES
from spec.errata import ERRATA
from spec.limits.calculators import calculator
from spec.limits.configs import configs, constants
from spec.limits.entries import LIMITS
from spec.limits.limit import EvidenceKind, Limit
from spec.limits.quantities import read_quantity
from spec.verdict import LimitClass

STATED_FOR = "4.4.0"
HARD, SOFT, EMERGENT = LimitClass.HARD, LimitClass.SOFT, LimitClass.EMERGENT
JARS, DESCRIBED, CLAUSE = EvidenceKind.JARS, EvidenceKind.DESCRIBED, EvidenceKind.CLAUSE
PROBE, AUDIT, CALCULATOR = EvidenceKind.PROBE, EvidenceKind.AUDIT, EvidenceKind.CALCULATOR
MIB = 2**20

ROWS: tuple[tuple[str, LimitClass, str, object, EvidenceKind], ...] = (
    ("kinds/HARD", HARD, "segment-file", 2**31 - 1, PROBE),
    ("kinds/HARD", HARD, "records-per-operation", 10_000, JARS),
    ("kinds/SOFT", SOFT, "topic/max.message.bytes", MIB + 12, JARS),
    ("kinds/SOFT", SOFT, "broker/queued.max.requests", 500, JARS),
    ("kinds/SOFT", SOFT, "broker/max.connections", 2**31 - 1, JARS),
    ("kinds/EMERGENT", EMERGENT, "partitions-per-broker", None, CALCULATOR),
    ("kinds/EMERGENT", EMERGENT, "topic-throughput", None, CALCULATOR),
    ("controller/MAX_PARTITIONS_PER_BATCH", HARD, "partitions-per-request", 10_000, CLAUSE),
    ("controller/MAX_RECORDS_PER_USER_OP", HARD, "records-per-operation", 10_000, CLAUSE),
    ("clusters/ZooKeeper, before 1.1.0", EMERGENT, "failover-time", None, CALCULATOR),
    ("clusters/ZooKeeper, from 1.1.0", EMERGENT, "failover-time", None, CALCULATOR),
    ("clusters/KRaft", EMERGENT, "partitions-per-broker", None, CALCULATOR),
    ("messages/max.message.bytes (topic)", SOFT, "topic/max.message.bytes", MIB + 12, CLAUSE),
    ("messages/message.max.bytes (broker)", SOFT, "broker/message.max.bytes", MIB + 12, CLAUSE),
    ("messages/max.request.size (producer)", SOFT, "producer/max.request.size", MIB, JARS),
    ("messages/replica.fetch.max.bytes", SOFT, "broker/replica.fetch.max.bytes", MIB, CLAUSE),
    (
        "messages/replica.fetch.response.max.bytes",
        SOFT,
        "broker/replica.fetch.response.max.bytes",
        10 * MIB,
        CLAUSE,
    ),
    ("messages/fetch.max.bytes (broker)", SOFT, "broker/fetch.max.bytes", 55 * MIB, CLAUSE),
    ("messages/fetch.max.bytes (consumer)", SOFT, "consumer/fetch.max.bytes", 50 * MIB, CLAUSE),
    (
        "messages/max.partition.fetch.bytes (consumer)",
        SOFT,
        "consumer/max.partition.fetch.bytes",
        MIB,
        CLAUSE,
    ),
    ("requests/queued.max.requests", SOFT, "broker/queued.max.requests", 500, CLAUSE),
    ("requests/queued.max.request.bytes", SOFT, "broker/queued.max.request.bytes", -1, CLAUSE),
    (
        "requests/max.incremental.fetch.session.cache.slots",
        SOFT,
        "broker/max.incremental.fetch.session.cache.slots",
        1000,
        CLAUSE,
    ),
    (
        "requests/max.request.partition.size.limit",
        SOFT,
        "broker/max.request.partition.size.limit",
        2000,
        PROBE,
    ),
    (
        "requests/socket.request.max.bytes",
        SOFT,
        "broker/socket.request.max.bytes",
        100 * MIB,
        PROBE,
    ),
    ("connections/max.connections", SOFT, "broker/max.connections", 2**31 - 1, CLAUSE),
    (
        "connections/max.connections.per.ip",
        SOFT,
        "broker/max.connections.per.ip",
        2**31 - 1,
        CLAUSE,
    ),
    (
        "connections/max.connection.creation.rate",
        SOFT,
        "broker/max.connection.creation.rate",
        2**31 - 1,
        CLAUSE,
    ),
    (
        "connections/max.connections.per.ip.overrides",
        SOFT,
        "broker/max.connections.per.ip.overrides",
        "",
        PROBE,
    ),
    (
        "connections/connections.max.idle.ms",
        SOFT,
        "broker/connections.max.idle.ms",
        600_000,
        CLAUSE,
    ),
    ("storage/log.segment.bytes, segment.bytes", SOFT, "topic/segment.bytes", 2**30, PROBE),
    (
        "storage/log.segment.bytes, segment.bytes",
        SOFT,
        "broker/log.segment.bytes",
        2**30,
        DESCRIBED,
    ),
    (
        "storage/segment.index.bytes, log.index.size.max.bytes",
        SOFT,
        "topic/segment.index.bytes",
        10 * MIB,
        CLAUSE,
    ),
    (
        "storage/segment.index.bytes, log.index.size.max.bytes",
        SOFT,
        "broker/log.index.size.max.bytes",
        10 * MIB,
        CLAUSE,
    ),
    ("storage/index.interval.bytes", SOFT, "topic/index.interval.bytes", 4096, CALCULATOR),
    ("storage/OffsetIndex entry size", HARD, "offset-index-entry", 8, AUDIT),
    ("storage/TimeIndex entry size", HARD, "time-index-entry", 12, AUDIT),
    ("kinesis/write throughput", EMERGENT, "topic-throughput", None, CALCULATOR),
    ("kinesis/read throughput", EMERGENT, "topic-throughput", None, CALCULATOR),
    ("kinesis/record or batch size", SOFT, "topic/max.message.bytes", MIB + 12, JARS),
    ("kinesis/rate limiting", SOFT, "broker/quota.window.num", 11, CLAUSE),
    ("durability/min.insync.replicas", SOFT, "topic/min.insync.replicas", 1, CLAUSE),
    (
        "durability/min.insync.replicas and replication factor",
        SOFT,
        "topic/min.insync.replicas",
        1,
        PROBE,
    ),
    (
        "durability/replica.lag.time.max.ms",
        SOFT,
        "broker/replica.lag.time.max.ms",
        30_000,
        CLAUSE,
    ),
    (
        "durability/replica.fetch.wait.max.ms",
        SOFT,
        "broker/replica.fetch.wait.max.ms",
        500,
        CLAUSE,
    ),
    (
        "durability/unclean.leader.election.enable",
        SOFT,
        "topic/unclean.leader.election.enable",
        "false",
        CLAUSE,
    ),
    ("catalogue/partitions per topic", HARD, "partition-id", 2**31 - 1, PROBE),
    ("catalogue/partitions per request", HARD, "partitions-per-request", 10_000, PROBE),
    ("catalogue/metadata records per operation", HARD, "records-per-operation", 10_000, PROBE),
    ("catalogue/partitions per broker (mmap)", EMERGENT, "mmap-partitions", 32_765, CALCULATOR),
    (
        "catalogue/partitions per broker (practical)",
        EMERGENT,
        "partitions-per-broker",
        None,
        CALCULATOR,
    ),
    ("catalogue/partitions per cluster", EMERGENT, "partitions-per-broker", None, CALCULATOR),
    ("catalogue/reduce partition count", HARD, "partition-count-grows", 0, CLAUSE),
    ("catalogue/segment data file", HARD, "segment-file", 2**31 - 1, AUDIT),
    ("catalogue/log.segment.bytes", SOFT, "topic/segment.bytes", 2**30, JARS),
    ("catalogue/absolute offset", HARD, "offset", 2**63 - 1, PROBE),
    (
        "catalogue/max.message.bytes, message.max.bytes",
        SOFT,
        "broker/message.max.bytes",
        MIB + 12,
        JARS,
    ),
    ("catalogue/max.request.size (producer)", SOFT, "producer/max.request.size", MIB, JARS),
    (
        "catalogue/replica.fetch.max.bytes, response.max.bytes",
        SOFT,
        "broker/replica.fetch.max.bytes",
        MIB,
        JARS,
    ),
    (
        "catalogue/fetch.max.bytes (broker, consumer)",
        SOFT,
        "broker/fetch.max.bytes",
        55 * MIB,
        JARS,
    ),
    ("catalogue/queued.max.requests", SOFT, "broker/queued.max.requests", 500, JARS),
    (
        "catalogue/max.incremental.fetch.session.cache.slots",
        SOFT,
        "broker/max.incremental.fetch.session.cache.slots",
        1000,
        JARS,
    ),
    (
        "catalogue/max.request.partition.size.limit",
        SOFT,
        "broker/max.request.partition.size.limit",
        2000,
        JARS,
    ),
    (
        "catalogue/socket.request.max.bytes",
        SOFT,
        "broker/socket.request.max.bytes",
        100 * MIB,
        JARS,
    ),
    ("catalogue/max.connections, per ip, rate", SOFT, "broker/max.connections", 2**31 - 1, JARS),
    ("catalogue/per-partition throughput", EMERGENT, "topic-throughput", None, CALCULATOR),
    ("catalogue/per-topic throughput", EMERGENT, "topic-throughput", None, CALCULATOR),
)
"""Each row of the table: its class, an entry that answers it, the default that the table states
(for 4.4.0), and one of the ways in which that is settled.
"""
TABLES = {
    "kinds": 3,
    "controller": 2,
    "clusters": 3,
    "messages": 8,
    "requests": 5,
    "connections": 5,
    "storage": 5,
    "kinesis": 4,
    "durability": 5,
    "catalogue": 21,
}
"""How many rows the tables have."""
ENTRIES = {limit.name: limit for limit in LIMITS}


@pytest.mark.parametrize(("row", "limit_class", "name", "stated", "by"), ROWS)
def test_a_row_of_the_table_is_settled(
    row: str, limit_class: LimitClass, name: str, stated: object, by: EvidenceKind
) -> None:
    limit = ENTRIES[name]
    assert row in limit.rows
    assert limit.limit_class is limit_class
    assert by in {one.by for one in limit.settled}
    value = limit.value(STATED_FOR)
    assert value is not None
    if stated is not None:
        assert value.default == str(stated)


def test_every_row_is_there_once() -> None:
    rows = {row for row, *_ in ROWS}
    assert {row for limit in LIMITS for row in limit.rows} == rows
    counted = dict.fromkeys(TABLES, 0)
    for row in rows:
        counted[row.partition("/")[0]] += 1
    assert counted == TABLES


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.name)
def test_what_settles_a_limit_exists(limit: Limit) -> None:
    """Probes aside: these are looked at where brokers are started."""
    assert limit.settled
    assert limit.sources
    for one in limit.settled:
        if one.by is JARS:
            assert one.name in configs(STATED_FOR) or one.name in constants(STATED_FOR)
        elif one.by is DESCRIBED:
            assert not configs(STATED_FOR)[one.name].internal
        elif one.by is CLAUSE:
            assert catalogue()[one.name].check is not None
        elif one.by is AUDIT:
            assert one.name in RULES
        elif one.by is CALCULATOR:
            assert calculator(one.name) is not None


def test_a_number_of_the_table_that_is_another_one_is_an_erratum() -> None:
    """Where an example of a calculator has another result than the table states."""
    said = " ".join(one.says + one.found for one in ERRATA if one.source.startswith("limits table"))
    for limit in LIMITS:
        for settled in limit.settled:
            computes = calculator(settled.name)
            for example in () if computes is None else computes.examples:
                if example.stated:
                    assert computes is not None
                    assert read_quantity(example.stated, computes.unit) != computes(example.given)
                    assert f"{int(computes(example.given)):,}" in said, (computes.name, example)
