"""Statements of the draft that running brokers, or its own other sentences, do not bear out."""

from spec.errata import Erratum

ERRATA = (
    Erratum(
        "MaxRecords draft (KAFKA-19554)",
        "brokers that do not understand the new field will ignore it",
        "true of a tagged field only (FET-075); a new plain field needs Fetch v19, at which a "
        "broker closes the connection (FET-042)",
        "seen on 4.0.2 to 4.4.0",
    ),
    Erratum(
        "MaxRecords draft (KAFKA-19554)",
        "an exact count of records in a compressed batch needs decompression",
        "the record count stands uncompressed in the header of a v2 batch, bytes 57 to 60, "
        "whatever the codec",
        "record batch format of KIP-98; gzip, snappy, lz4 and zstd batches read back from 4.0.2 "
        "to 4.4.0",
    ),
    Erratum(
        "MaxRecords draft (KAFKA-19554)",
        "the field is optional and internal, like MaxRecords of ShareFetch",
        "MaxRecords of ShareFetch is a mandatory int32 of a public protocol (v1 and up), and "
        "there it limits what is acquired",
        "ShareFetchRequest.json of Kafka 4.4.0; KIP-932",
    ),
    Erratum(
        "MaxRecords draft (KAFKA-19554)",
        "once the count is reached the broker stops adding batches to the answer",
        "today's read path does not look at batches past the first: it cuts bytes (FET-102), and "
        "counting would add a walk over headers",
        "LogSegment.java:431-459 of Kafka 4.3.1; answers cut inside the 12-byte prefix of a "
        "batch, seen on 4.0.2 to 4.4.0",
    ),
    Erratum(
        "MaxRecords draft (KAFKA-19554)",
        "the consumer asks for no more than so many messages, and the assembly stops once the "
        "count is reached",
        "both can't hold of whole batches: to stop once it is reached passes the limit, to keep "
        "within it stops before (axis `stop`)",
        "batches of 4,4,4 and limit 6 give 8 by the one and 4 by the other; `fencepost readings "
        "MXR-A2`",
    ),
    Erratum(
        "MaxRecords draft (KAFKA-19554)",
        "clients fall back to today's behaviour if the broker does not support the field",
        "a client can only know that by a new request version: a tagged field in an old one is "
        "dropped in silence (axis `encoding`)",
        "Fetch v17 with an unknown tag is answered as without, seen on 4.0.2 to 4.4.0 (FET-075)",
    ),
    Erratum(
        "MaxRecords draft (KAFKA-19554)",
        "a limit for all partitions and a limit for each may both be meant",
        "a limit for both is the limit for all: no partition gets to its own before the request "
        "gets to its",
        "drafts/max_records/counting.py, of_both_scopes, proved for all whole numbers",
    ),
    Erratum(
        "MaxRecords draft (KAFKA-19554)",
        "the field is optional, and the feature is off where it is omitted",
        "a plain field is never absent: its default must be settled with it, or a client's 0 may "
        "be refused as invalid",
        "served with zero=invalid,encoding=plain and asked by a client whose default is 0: "
        "INVALID_REQUEST without any limit (MXR-A21)",
    ),
    Erratum(
        "reference rules of the draft",
        "under every reading a limit of at least all records gives an identical answer",
        "only its whole batches are the same: under tail=left_out the head of the batch at a byte "
        "limit is missing (MXR-102)",
        "batches of 300 and 300 bytes, partition limit 450, limit 2: 300 bytes, or 450",
    ),
)
