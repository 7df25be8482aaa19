"""The limits that no constant defines: each with its formula, its quantities and examples."""

from spec.limits.computed_limit import Calculator, Quantity, WorkedExample
from spec.limits.formulas import (
    Exact,
    broker_ingress,
    brokers_for_throughput,
    connection_memory,
    create_requests,
    failover_time,
    index_bytes,
    index_capacity,
    largest_new_topic,
    mmap_partitions,
    offset_lifetime,
    open_files,
    page_cache,
    partition_of_key,
    partitions_for_throughput,
    partitions_per_broker,
    producer_partitions,
    recovery_time,
    replication_egress,
    sessions_per_shard,
    topic_throughput,
    unreplicated_bytes,
)
from spec.limits.quantities import BYTES, RATE, SECONDS

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
