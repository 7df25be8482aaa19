"""Limits that no constant defines: each a small pure function of resources.

Every function takes and returns exact numbers in base units (bytes, bytes per second, seconds,
counts). A calculator names the function's quantities, with their units, and examples.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from fractions import Fraction
from math import ceil, floor

from spec.frozen import frozen
from spec.limits.quantities import BYTES, RATE, SECONDS, read_quantity

Exact = Fraction


@frozen
class Quantity:
    """One thing that a limit depends on.

    Attributes:
        name: `max_map_count`.
        unit: a base unit, or the plural of what is counted.
        default: what is taken where nothing is given, as text; None where it must be given.
        meaning: what it is, and where the default comes from.
        effect: the limit's way when it grows: 1 never falls, -1 never rises, 0 either.
        least: the smallest that makes sense.
    """

    name: str
    unit: str
    default: str | None
    meaning: str
    effect: int
    least: Fraction = Fraction(1)


@frozen
class WorkedExample:
    """One computation with its result.

    Attributes:
        given: the quantities that are not the default, as texts.
        result: what comes out, as text.
        stated: the number of the source where it is another one; empty where it is this.
    """

    given: Mapping[str, str]
    result: str
    stated: str = ""


@frozen
class Calculator:
    """A limit that is computed.

    Attributes:
        name: `mmap-partitions`.
        title: what it is, in a phrase.
        formula: as text, with the names of the quantities.
        unit: the unit of the limit.
        quantities: what it depends on, in the order of the function's arguments.
        compute: the function.
        examples: computations with their results.
        note: what else is known of it.
    """

    name: str
    title: str
    formula: str
    unit: str
    quantities: tuple[Quantity, ...]
    compute: Callable[..., Fraction]
    examples: tuple[WorkedExample, ...] = field(default=())
    note: str = ""

    def __call__(self, given: Mapping[str, str]) -> Fraction:
        """The limit, from quantities as texts.

        Raises:
            BadGivenError: a name is unknown, or one that has no default is missing, or too small.
            BadQuantityError: a text is no quantity.
        """
        unknown = given.keys() - {one.name for one in self.quantities}
        if unknown:
            known = ", ".join(one.name for one in self.quantities)
            raise BadGivenError(f"expected {known}, found {', '.join(sorted(unknown))}")
        return self.compute(*[self._value(one, given) for one in self.quantities])

    def _value(self, quantity: Quantity, given: Mapping[str, str]) -> Fraction:
        text = given.get(quantity.name, quantity.default)
        if text is None:
            raise BadGivenError(f"expected {quantity.name} ({quantity.meaning}), found none")
        value = read_quantity(text, quantity.unit)
        if value < quantity.least:
            raise BadGivenError(
                f"{quantity.name}: expected at least {quantity.least} {quantity.unit}, found {text}"
            )
        return value


class BadGivenError(ValueError):
    """Quantities that a limit can't be computed from."""


def mmap_partitions(max_map_count: Exact, maps_per_partition: Exact) -> Exact:
    """Partitions until the kernel refuses another memory map."""
    return Exact(floor(max_map_count / maps_per_partition))


def open_files(
    partitions: Exact, retained: Exact, segment: Exact, per_segment: Exact, connections: Exact
) -> Exact:
    """File descriptors of a broker: those of its segments, and one for each connection."""
    return partitions * max(1, ceil(retained / segment)) * per_segment + connections


def failover_time(leaders: Exact, per_leader: Exact) -> Exact:
    """Time until leaders, elected one after the other, are all elected."""
    return leaders * per_leader


def recovery_time(
    partitions: Exact, bytes_per_partition: Exact, threads: Exact, rate: Exact
) -> Exact:
    """Time to read again what an unclean stop left unchecked; a partition is read by one thread."""
    return ceil(partitions / threads) * bytes_per_partition / rate


def partitions_per_broker(
    max_map_count: Exact,
    maps_per_partition: Exact,
    nofile: Exact,
    connections: Exact,
    files_per_partition: Exact,
    outage: Exact,
    per_leader: Exact,
) -> Exact:
    """The partitions that all of mmap regions, file descriptors and failover time allow."""
    return max(
        Exact(0),
        min(
            mmap_partitions(max_map_count, maps_per_partition),
            Exact(floor((nofile - connections) / files_per_partition)),
            Exact(floor(outage / per_leader)),
        ),
    )


def partitions_for_throughput(produced: Exact, per_partition: Exact, per_consumer: Exact) -> Exact:
    """Partitions so that none is written, nor read by its consumer, faster than it can be."""
    return Exact(max(ceil(produced / per_partition), ceil(produced / per_consumer)))


def topic_throughput(partitions: Exact, per_partition: Exact) -> Exact:
    """What all partitions of a topic take together, if no broker is short of something."""
    return partitions * per_partition


def replication_egress(ingress: Exact, replication_factor: Exact) -> Exact:
    """What a leader sends to its followers."""
    return (replication_factor - 1) * ingress


def broker_ingress(line_rate: Exact, amplification: Exact) -> Exact:
    """What a broker can be sent, so that its network carries the copies too."""
    return line_rate / amplification


def brokers_for_throughput(produced: Exact, ingress: Exact) -> Exact:
    """Brokers so that none is sent more than it can take."""
    return Exact(ceil(produced / ingress))


def offset_lifetime(rate: Exact) -> Exact:
    """Time until a partition that is written at a steady rate has used up its offsets."""
    return Exact(2**63 - 1) / rate


def create_requests(partitions: Exact, per_request: Exact) -> Exact:
    """CreateTopics requests for so many partitions."""
    return Exact(ceil(partitions / per_request))


def largest_new_topic(records_per_operation: Exact, configs: Exact, topics: Exact) -> Exact:
    """Partitions that one CreateTopics request can make: its topics, their configs and their
    partitions are a metadata record each.
    """
    return max(Exact(0), records_per_operation - configs - topics)


def producer_partitions(buffer_memory: Exact, per_partition: Exact) -> Exact:
    """Partitions that a producer can write to at a time with its buffer."""
    return Exact(floor(buffer_memory / per_partition))


def connection_memory(connections: Exact, per_connection: Exact) -> Exact:
    """Memory of a broker's connections."""
    return connections * per_connection


def index_bytes(segment: Exact, interval: Exact) -> Exact:
    """At most so many bytes of offset index for a full segment; one entry of 8 bytes for each
    interval.
    """
    return Exact(8 * floor(segment / (interval + 1)))


def index_capacity(index: Exact, entry: Exact) -> Exact:
    """Entries that an index takes before its segment rolls."""
    return Exact(floor(index / entry))


def sessions_per_shard(slots: Exact, shards: Exact) -> Exact:
    """Fetch sessions that one shard of the cache holds."""
    return Exact(floor(slots / shards))


def page_cache(memory: Exact, heap: Exact) -> Exact:
    """Memory that the heap leaves to the page cache."""
    return max(Exact(0), memory - heap)


def unreplicated_bytes(lag: Exact, rate: Exact) -> Exact:
    """Data that a follower may lack and still be in sync, at a steady rate of writing."""
    return lag * rate


def partition_of_key(key_hash: Exact, partitions: Exact) -> Exact:
    """The partition of a key's hash, as the default partitioner maps it: the remainder."""
    return key_hash % partitions


_ELECTED = Quantity(
    "per_leader", SECONDS, "5ms", "to elect one leader; a planning figure", 1, Exact(0)
)
_MAP_COUNT = Quantity("max_map_count", "regions", "65530", "vm.max_map_count of Linux", 1)
_MAPS = Quantity(
    "maps_per_partition",
    "regions",
    "2",
    "offset and time index of the active segment; two more for each older one that was read",
    -1,
)

CALCULATORS: tuple[Calculator, ...] = (
    Calculator(
        "mmap-partitions",
        "partitions of a broker that memory maps allow",
        "floor(max_map_count / maps_per_partition)",
        "partitions",
        (_MAP_COUNT, _MAPS),
        mmap_partitions,
        (WorkedExample({}, "32765"), WorkedExample({"max_map_count": "262144"}, "131072")),
        "The indexes of older segments are mapped when they are first used, and stay mapped.",
    ),
    Calculator(
        "open-files",
        "file descriptors of a broker",
        "partitions * ceil(retained / segment_bytes) * files_per_segment + connections",
        "files",
        (
            Quantity("partitions", "partitions", "2000", "of this broker", 1, Exact(0)),
            Quantity("retained", BYTES, "20GiB", "kept of each partition", 1, Exact(0)),
            Quantity("segment_bytes", BYTES, "1GiB", "default of segment.bytes", -1),
            Quantity(
                "files_per_segment",
                "files",
                "1",
                "the .log; index files are mapped and closed; a .txnindex is one more",
                1,
            ),
            Quantity("connections", "files", "5000", "one for each", 1, Exact(0)),
        ),
        open_files,
        (WorkedExample({"files_per_segment": "3"}, "125000"), WorkedExample({}, "45000", "125000")),
        "Measured on 4.1.2: 397 open .log files, 757 mapped and no open index files.",
    ),
    Calculator(
        "failover-time",
        "time until all partitions of a lost broker have a leader",
        "leaders * per_leader",
        SECONDS,
        (Quantity("leaders", "partitions", "1000", "led by that broker", 1, Exact(0)), _ELECTED),
        failover_time,
        (
            WorkedExample({}, "5s"),
            WorkedExample({"leaders": "50000", "per_leader": "7.8ms"}, "6.5min"),
            WorkedExample({"leaders": "100000", "per_leader": "0.14ms"}, "14s"),
        ),
    ),
    Calculator(
        "recovery-time",
        "time to read the unchecked part of all logs after an unclean stop",
        "ceil(partitions / threads) * bytes_per_partition / rate",
        SECONDS,
        (
            Quantity("partitions", "partitions", None, "of this broker", 1, Exact(0)),
            Quantity("bytes_per_partition", BYTES, "1GiB", "above the recovery point", 1, Exact(0)),
            Quantity("threads", "threads", "2", "num.recovery.threads.per.data.dir", -1),
            Quantity("rate", RATE, "500MB/s", "read by one thread; measure it", -1),
        ),
        recovery_time,
        (
            WorkedExample({"partitions": "2000", "bytes_per_partition": "1GB"}, "2000s"),
            WorkedExample(
                {"partitions": "2000", "bytes_per_partition": "1GB", "threads": "8"}, "500s"
            ),
        ),
    ),
    Calculator(
        "partitions-per-broker",
        "partitions of a broker that memory maps, descriptors and failover time allow together",
        "min(max_map_count / maps_per_partition, (nofile - connections) / files_per_partition, "
        "outage / per_leader)",
        "partitions",
        (
            _MAP_COUNT,
            _MAPS,
            Quantity("nofile", "files", "100000", "ulimit -n of the broker", 1),
            Quantity("connections", "files", "5000", "one for each", -1, Exact(0)),
            Quantity("files_per_partition", "files", "20", "segments times files of each", -1),
            Quantity("outage", SECONDS, "20s", "without a leader that can be borne", 1, Exact(0)),
            Quantity("per_leader", SECONDS, "5ms", _ELECTED.meaning, -1, Exact(1, 10**6)),
        ),
        partitions_per_broker,
        (
            WorkedExample({}, "4000"),
            WorkedExample({"outage": "1h"}, "4750"),
            WorkedExample({"outage": "1h", "nofile": "1M"}, "32765"),
        ),
    ),
    Calculator(
        "partitions-for-throughput",
        "partitions that a topic needs for a throughput",
        "max(ceil(produced / per_partition), ceil(produced / per_consumer))",
        "partitions",
        (
            Quantity("produced", RATE, "1024MB/s", "to the topic", 1, Exact(0)),
            Quantity("per_partition", RATE, "50MB/s", "taken by one partition; measure it", -1),
            Quantity("per_consumer", RATE, "1GB/s", "handled by one consumer; measure it", -1),
        ),
        partitions_for_throughput,
        (
            WorkedExample({}, "21"),
            WorkedExample({"per_partition": "10MB/s"}, "103"),
            WorkedExample({"produced": "1GiB/s"}, "22", "21"),
            WorkedExample({"produced": "1GiB/s", "per_partition": "10MB/s"}, "108", "103"),
        ),
    ),
    Calculator(
        "topic-throughput",
        "what the partitions of a topic take together",
        "partitions * per_partition",
        RATE,
        (
            Quantity("partitions", "partitions", "20", "of the topic", 1, Exact(0)),
            Quantity("per_partition", RATE, "50MB/s", "taken by one partition; measure it", 1),
        ),
        topic_throughput,
        (WorkedExample({}, "1000MB/s"),),
    ),
    Calculator(
        "replication-egress",
        "what a leader sends to its followers",
        "(replication_factor - 1) * ingress",
        RATE,
        (
            Quantity("ingress", RATE, None, "written to the leader", 1, Exact(0)),
            Quantity("replication_factor", "replicas", "3", "of the topic", 1),
        ),
        replication_egress,
        (WorkedExample({"ingress": "100MB/s"}, "200MB/s"),),
    ),
    Calculator(
        "broker-ingress",
        "what a broker can be sent",
        "line_rate / amplification",
        RATE,
        (
            Quantity("line_rate", RATE, "10Gbit/s", "of its network", 1),
            Quantity(
                "amplification",
                "times",
                "3",
                "what the network carries for each byte sent: itself, and a copy to each follower",
                -1,
            ),
        ),
        broker_ingress,
        (
            WorkedExample({"line_rate": "9.6Gbit/s"}, "400MB/s"),
            WorkedExample({"amplification": "5"}, "250MB/s"),
        ),
    ),
    Calculator(
        "brokers-for-throughput",
        "brokers that a throughput needs",
        "ceil(produced / ingress)",
        "brokers",
        (
            Quantity("produced", RATE, "1024MB/s", "to the cluster", 1, Exact(0)),
            Quantity("ingress", RATE, "250MB/s", "that a broker takes, see broker-ingress", -1),
        ),
        brokers_for_throughput,
        (WorkedExample({}, "5"),),
    ),
    Calculator(
        "offset-lifetime",
        "time until a partition has used up its offsets",
        "(2^63 - 1) / rate",
        SECONDS,
        (Quantity("rate", "records/s", "1M", "written to the partition", -1),),
        offset_lifetime,
        (WorkedExample({"rate": "9223372036854775807"}, "1s"),),
        "At a million records a second some 292,000 years.",
    ),
    Calculator(
        "create-requests",
        "CreateTopics requests for so many partitions",
        "ceil(partitions / per_request)",
        "requests",
        (
            Quantity("partitions", "partitions", "50000", "to be created", 1, Exact(0)),
            Quantity("per_request", "partitions", "9999", "see largest-new-topic", -1),
        ),
        create_requests,
        (WorkedExample({"per_request": "10000"}, "5"), WorkedExample({}, "6", "5")),
    ),
    Calculator(
        "largest-new-topic",
        "partitions that one CreateTopics request can make",
        "records_per_operation - topics - configs",
        "partitions",
        (
            Quantity(
                "records_per_operation", "records", "10000", "MAX_RECORDS_PER_USER_OP", 1, Exact(0)
            ),
            Quantity("configs", "configs", "0", "given in the request", -1, Exact(0)),
            Quantity("topics", "topics", "1", "in the request", -1),
        ),
        largest_new_topic,
        (WorkedExample({}, "9999", "10000"), WorkedExample({"configs": "2"}, "9997")),
    ),
    Calculator(
        "producer-partitions",
        "partitions that a producer's buffer serves at a time",
        "floor(buffer_memory / per_partition)",
        "partitions",
        (
            Quantity("buffer_memory", BYTES, "32MiB", "default of buffer.memory", 1, Exact(0)),
            Quantity("per_partition", BYTES, "32KiB", "some tens of KB are advised", -1),
        ),
        producer_partitions,
        (WorkedExample({}, "1024"),),
    ),
    Calculator(
        "connection-memory",
        "memory of a broker's connections",
        "connections * per_connection",
        BYTES,
        (
            Quantity("connections", "connections", None, "open at a time", 1, Exact(0)),
            Quantity("per_connection", BYTES, "122kB", "one TLS channel, as was reported", 1),
        ),
        connection_memory,
        (WorkedExample({"connections": "10000"}, "1.22GB"),),
    ),
    Calculator(
        "index-bytes",
        "bytes of offset index of a full segment, at most",
        "8 * floor(segment_bytes / (index_interval + 1))",
        BYTES,
        (
            Quantity("segment_bytes", BYTES, "1GiB", "default of segment.bytes", 1, Exact(0)),
            Quantity(
                "index_interval", BYTES, "4096", "default of index.interval.bytes", -1, Exact(0)
            ),
        ),
        index_bytes,
        (WorkedExample({}, "2096640"), WorkedExample({"segment_bytes": "1MiB"}, "2040")),
        "An entry needs more than index.interval.bytes since the one before.",
    ),
    Calculator(
        "index-capacity",
        "entries that an index takes before its segment rolls",
        "floor(index_bytes / entry)",
        "entries",
        (
            Quantity("index_bytes", BYTES, "10MiB", "default of segment.index.bytes", 1, Exact(0)),
            Quantity("entry", BYTES, "8", "8 in an offset index, 12 in a time index", -1),
        ),
        index_capacity,
        (WorkedExample({}, "1310720"), WorkedExample({"entry": "12"}, "873813")),
    ),
    Calculator(
        "sessions-per-shard",
        "fetch sessions that one shard of the cache holds",
        "floor(slots / shards)",
        "sessions",
        (
            Quantity(
                "slots",
                "sessions",
                "1000",
                "max.incremental.fetch.session.cache.slots",
                1,
                Exact(0),
            ),
            Quantity("shards", "shards", "8", "of the cache", -1),
        ),
        sessions_per_shard,
        (WorkedExample({}, "125"), WorkedExample({"slots": "7"}, "0")),
    ),
    Calculator(
        "page-cache",
        "memory that the heap leaves to the page cache",
        "memory - heap",
        BYTES,
        (
            Quantity("memory", BYTES, "64GiB", "of the machine", 1, Exact(0)),
            Quantity("heap", BYTES, "6GiB", "of the broker's Java", -1, Exact(0)),
        ),
        page_cache,
        (WorkedExample({}, "58GiB"),),
    ),
    Calculator(
        "unreplicated-bytes",
        "data that a replica in sync may still lack",
        "replica_lag * rate",
        BYTES,
        (
            Quantity("replica_lag", SECONDS, "30s", "default of replica.lag.time.max.ms", 1),
            Quantity("rate", RATE, "50MB/s", "written to the partition", 1, Exact(0)),
        ),
        unreplicated_bytes,
        (WorkedExample({}, "1.5GB"),),
    ),
    Calculator(
        "partition-of-key",
        "the partition of a key's hash",
        "key_hash mod partitions",
        "",
        (
            Quantity("key_hash", "", None, "of the key's bytes, positive", 0, Exact(0)),
            Quantity("partitions", "partitions", None, "of the topic", 0),
        ),
        partition_of_key,
        (
            WorkedExample({"key_hash": "7654321", "partitions": "4"}, "1"),
            WorkedExample({"key_hash": "7654321", "partitions": "6"}, "1", "3"),
            WorkedExample({"key_hash": "7654321", "partitions": "5"}, "1"),
            WorkedExample({"key_hash": "7654321", "partitions": "7"}, "3"),
        ),
        "More partitions send most keys elsewhere, so that their order across the change is lost.",
    ),
)


def calculator(name: str) -> Calculator | None:
    """The calculator of a name; None where there is none."""
    return next((one for one in CALCULATORS if one.name == name), None)
