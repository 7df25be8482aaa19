"""Errata: statements of the sources that running brokers do not bear out."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
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
        "only one idle for 120 s; otherwise by size and privilege, and only one created 120 s ago (FET-037)",
        "FetchSessionCacheShard.java:166-234 of Kafka 4.3.1",
    ),
    Erratum(
        "MaxRecords draft (KAFKA-19554)",
        "brokers that do not understand the new field will ignore it",
        "true of a tagged field only (FET-075); a new plain field needs Fetch v19, at which a broker closes the connection (FET-042)",
        "seen on 4.0.2 to 4.4.0",
    ),
    Erratum(
        "MaxRecords draft (KAFKA-19554)",
        "an exact count of records in a compressed batch needs decompression",
        "the record count stands uncompressed in the header of a v2 batch, bytes 57 to 60, whatever the codec",
        "record batch format of KIP-98; gzip, snappy, lz4 and zstd batches read back from 4.0.2 to 4.4.0",
    ),
    Erratum(
        "MaxRecords draft (KAFKA-19554)",
        "the field is optional and internal, like MaxRecords of ShareFetch",
        "MaxRecords of ShareFetch is a mandatory int32 of a public protocol (v1 and up), and there it limits what is acquired",
        "ShareFetchRequest.json of Kafka 4.4.0; KIP-932",
    ),
    Erratum(
        "MaxRecords draft (KAFKA-19554)",
        "once the count is reached the broker stops adding batches to the answer",
        "today's read path does not look at batches past the first: it cuts bytes (FET-102), and counting would add a walk over headers",
        "LogSegment.java:431-459 of Kafka 4.3.1; answers cut inside the 12-byte prefix of a batch, seen on 4.0.2 to 4.4.0",
    ),
    Erratum(
        "MaxRecords draft (KAFKA-19554)",
        "the consumer asks for no more than so many messages, and the assembly stops once the count is reached",
        "both can't hold of whole batches: to stop once it is reached passes the limit, to keep within it stops before (axis `stop`)",
        "batches of 4,4,4 and limit 6 give 8 by the one and 4 by the other; `fencepost readings MXR-A2`",
    ),
    Erratum(
        "MaxRecords draft (KAFKA-19554)",
        "clients fall back to today's behaviour if the broker does not support the field",
        "a client can only know that by a new request version: a tagged field in an old one is dropped in silence (axis `encoding`)",
        "Fetch v17 with an unknown tag is answered as without, seen on 4.0.2 to 4.4.0 (FET-075)",
    ),
    Erratum(
        "MaxRecords draft (KAFKA-19554)",
        "a limit for all partitions and a limit for each may both be meant",
        "a limit for both is the limit for all: no partition gets to its own before the request gets to its",
        "spec/max_records/counting.py, of_both_scopes, proved for all whole numbers",
    ),
    Erratum(
        "MaxRecords draft (KAFKA-19554)",
        "the field is optional, and the feature is off where it is omitted",
        "a plain field is never absent: its default must be settled with it, or a client's 0 may be refused as invalid",
        "served with zero=invalid,encoding=plain and asked by a client whose default is 0: INVALID_REQUEST without any limit (MXR-A21)",
    ),
    Erratum(
        "reference rule MXR-003",
        "under every reading a limit of at least all records gives an identical answer",
        "only its whole batches are the same: under tail=left_out the head of the batch at a byte limit is missing (MXR-102)",
        "batches of 300 and 300 bytes, partition limit 450, limit 2: 300 bytes, or 450",
    ),
    Erratum(
        "KIP-1206, example of batch_optimized",
        "two whole batches are acquired, from offsets 0 to 5 inclusive, 10 records in all",
        "offsets 0 to 9, in the ranges 0 to 4 and 5 to 9; 0 to 5 is six records, which is what record_limit acquires (SHR-120, SHR-126)",
        "ShareFetch with MaxRecords 6 and BatchSize 2 over batches of five, seen on 4.1.2 to 4.4.0",
    ),
    Erratum(
        "KIP-1206, example of batch_optimized",
        "with batch.size=2 the acquired ranges are of five records",
        "BatchSize is no maximum: a range ends with the first batch that brings it to BatchSize, and no batch is split (SHR-122)",
        "batches of 3,3,3,3 with BatchSize 5 give 0 to 5 and 6 to 11, seen on 4.1.2 to 4.4.0",
    ),
    Erratum(
        "reference rule SHR-314",
        "an acknowledgement across the start offset with nothing cached there fails the whole request, which a model may copy",
        "KIP-932 has an error code for each partition, and nothing of it is the request's: a finding (SHR-322)",
        "start offset 2, acknowledging 0 to 4, seen on 4.3.1",
    ),
    Erratum(
        "reference rule FET-001",
        "with one partition the answer is exactly as long as its limit says",
        "nothing promises the exact length: a broker may leave out the batch that the limit falls into (FET-102, a reference clause)",
        "KIP-74 says at most; kfake and WarpStream answer with whole batches",
    ),
    Erratum(
        "reference rule FET-036",
        "a session id outside the shards is an internal error that a model may copy",
        "KIP-227 promises FETCH_SESSION_ID_NOT_FOUND for every unknown id, so it is a finding (FET-071)",
        "ids 2147483640, 2147483647 and -268435455, seen on 4.0.2 to 4.4.0",
    ),
    Erratum(
        "reference rule FET-051",
        "a read_committed answer without error never has a null list of aborted transactions",
        "the list is null for a partition that was not read because the limits were used up before it",
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
        "only that of a newcomer: members join again (GRP-003), and while a join phase lasts those who wait are counted instead (GRP-009)",
        "a follower of a full group, and a stranger that takes a member's place, seen on 4.0.2 to 4.4.0",
    ),
    Erratum(
        "KIP-389, Proposed Changes",
        "after a restart the newly formed generation of a group over its limit abides by it",
        "true of dynamic members (GRP-100); static ones that do not come in time stay, past the limit too (GRP-018)",
        "a static group of two and a dynamic third, one of them late, seen on 4.3.1",
    ),
)
