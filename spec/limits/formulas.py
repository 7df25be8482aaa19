"""Formulas of limits that no constant defines: each a small pure function of resources.

Every function takes and returns exact numbers in base units: bytes, bytes per second, seconds,
counts.
"""

from fractions import Fraction
from math import ceil, floor

Exact = Fraction


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
