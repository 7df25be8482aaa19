"""Errata: statements of the sources that running brokers do not bear out."""

from spec.frozen import frozen


@frozen
class Erratum:
    """One statement that is wrong, or not so any more.

    Attributes:
        source: where it stands.
        says: what it says, in short.
        found: what is so.
        evidence: where that was seen.
    """

    source: str
    says: str
    found: str
    evidence: str


ERRATA = (
    Erratum(
        "limits table",
        "a consumer may stall if max.message.bytes is above max.partition.fetch.bytes",
        "the first partition with data returns its first batch however small the limits (FET-004)",
        "seen on 4.0.2 to 4.4.0",
    ),
    Erratum(
        "limits table",
        "the fetch session cache evicts the least recently used session of a shard",
        "only one idle for 120 s; otherwise by size and privilege, and only one created 120 s ago "
        "(FET-037)",
        "FetchSessionCacheShard.java:166-234 of Kafka 4.3.1",
    ),
    Erratum(
        "limits table",
        "one CreateTopics request can make 10,000 partitions, so that 50,000 take 5 of them",
        "a topic, each partition and each config is a metadata record, and 10,000 of these is the "
        "bound: 9,999 partitions of one topic without configs, and 6 requests",
        "9,999 and 10,000 partitions, without and with a config, seen on 4.0.2 to 4.4.0",
    ),
    Erratum(
        "limits table",
        "an operation of too many records fails fast",
        "CreatePartitions that adds more than 10,000 is answered with UNKNOWN_SERVER_ERROR, and "
        "10,000 are made all the same; 4.4.0 answers POLICY_VIOLATION and makes none",
        "seen on 4.0.2 and 4.3.1, and on 4.4.0",
    ),
    Erratum(
        "limits table",
        "2,000 partitions in one request is a HARD cap, that protects from wide requests",
        "max.request.partition.size.limit is a config, and the size of a page in the answer to "
        "DescribeTopicPartitions; nothing is rejected",
        "DescribeTopicPartitionsRequestHandler.java:108 of Kafka 4.3.1; pages seen on 4.3.1",
    ),
    Erratum(
        "limits table",
        "the floor of segment.bytes is 1 MiB",
        "of a topic's it is 14 in 4.0; from 4.1 on it is 1 MiB, and internal.segment.bytes, which "
        "is not described, has none",
        "the jars of 4.0.2 to 4.4.0",
    ),
    Erratum(
        "limits table",
        "a segment takes 3 file descriptors, so that 2,000 partitions of 20 segments take 125,000 "
        "with 5,000 connections",
        "its index files are mapped and closed: one, and one more for a transaction index; 45,000",
        "397 open .log files, 757 mapped and no open index files, seen on 4.1.2",
    ),
    Erratum(
        "limits table",
        "an offset index has an entry for each 4 KiB",
        "at most one for each batch, and only after more than index.interval.bytes since the last",
        "LogSegment.java:263-278 of Kafka 4.3.1",
    ),
    Erratum(
        "limits table",
        "a key whose hash is 7654321 moves from partition 1 of 4 to partition 3 of 6",
        "7654321 mod 6 is 1: this key stays, with 7 partitions it moves to 3",
        "arithmetic (`fencepost limits partition-of-key`)",
    ),
    Erratum(
        "limits table",
        "1 GiB/s is 1,024 MB/s, which takes 21 partitions of 50 MB/s, or 103 of 10 MB/s",
        "it is 1,074 MB/s: 22 partitions, or 108",
        "arithmetic (`fencepost limits partitions-for-throughput --set produced=1GiB/s`)",
    ),
    Erratum(
        "KIP-1206, example of batch_optimized",
        "two whole batches are acquired, from offsets 0 to 5 inclusive, 10 records in all",
        "offsets 0 to 9, in the ranges 0 to 4 and 5 to 9; 0 to 5 is six records, which is what "
        "record_limit acquires (SHR-120, SHR-126)",
        "ShareFetch with MaxRecords 6 and BatchSize 2 over batches of five, seen on 4.1.2 to 4.4.0",
    ),
    Erratum(
        "KIP-1206, example of batch_optimized",
        "with batch.size=2 the acquired ranges are of five records",
        "BatchSize is no maximum: a range ends with the first batch that brings it to BatchSize, "
        "and no batch is split (SHR-122)",
        "batches of 3,3,3,3 with BatchSize 5 give 0 to 5 and 6 to 11, seen on 4.1.2 to 4.4.0",
    ),
    Erratum(
        "reference rule SHR-314",
        "an acknowledgement across the start offset with nothing cached there fails the whole "
        "request, which a model may copy",
        "KIP-932 has an error code for each partition, and nothing of it is the request's: a "
        "finding (SHR-322)",
        "start offset 2, acknowledging 0 to 4, seen on 4.3.1",
    ),
    Erratum(
        "reference rule FET-001",
        "with one partition the answer is exactly as long as its limit says",
        "nothing promises the exact length: a broker may leave out the batch that the limit falls "
        "into (FET-102, a reference clause)",
        "KIP-74 says at most; kfake and WarpStream answer with whole batches",
    ),
    Erratum(
        "reference rule FET-036",
        "a session id outside the shards is an internal error that a model may copy",
        "KIP-227 promises FETCH_SESSION_ID_NOT_FOUND for every unknown id, so it is a finding "
        "(FET-071)",
        "ids 2147483640, 2147483647 and -268435455, seen on 4.0.2 to 4.4.0",
    ),
    Erratum(
        "reference rule FET-051",
        "a read_committed answer without error never has a null list of aborted transactions",
        "the list is null for a partition that was not read because the limits were used up "
        "before it; the field is nullable, and no document promises an empty list: FET-051 is a "
        "reference clause",
        "seen on 4.3.1",
    ),
    Erratum(
        "KIP-389, Public Interfaces",
        "GROUP_MAX_SIZE_REACHED has the error code 77",
        "its code is 81 in every JoinGroup version; 77 is STALE_BROKER_EPOCH (GRP-001, GRP-002)",
        "JoinGroup v2 to v9 to a full group, seen on 4.0.2 to 4.4.0",
    ),
    Erratum(
        "KIP-389, Proposed Changes",
        "once the capacity is reached any subsequent JoinGroup is answered with the error",
        "only that of a newcomer: members join again (GRP-003), and while a join phase lasts "
        "those who wait are counted instead (GRP-009)",
        "a follower of a full group, and a stranger that takes a member's place, seen on 4.0.2 to "
        "4.4.0",
    ),
    Erratum(
        "KIP-389, Proposed Changes",
        "after a restart the newly formed generation of a group over its limit abides by it",
        "true of dynamic members (GRP-100); static ones that do not come in time stay, past the "
        "limit too (GRP-018)",
        "a static group of two and a dynamic third, one of them late, seen on 4.3.1",
    ),
    Erratum(
        "KIP-345, Static Membership",
        "a static member that comes back in a Stable group sets off no join phase",
        "where it comes back before it has sent SyncGroup, its old id is still waited for, and "
        "when that wait ends the whole group has to join again",
        "two static members, one back before its SyncGroup: PreparingRebalance once the rebalance "
        "timeout is over, though both have sent SyncGroup since; seen on 4.0.2 and 4.3.1 "
        "(ClassicGroup.java, replaceStaticMember)",
    ),
)
