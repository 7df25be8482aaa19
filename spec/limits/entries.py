"""The limits of the limits table: partitions, messages, requests, connections, storage, throughput
and durability.

`rows` name the rows of that table that an entry answers, as `table/row`.
"""

from spec.limits.limit import Limit, config_limit, emergent_limit, hard_limit
from spec.limits.quantities import BYTES

MS = "ms"

PARTITIONS: tuple[Limit, ...] = (
    hard_limit(
        "partition-id",
        2**31 - 1,
        "partitions",
        "The number of a partition is an int32, so a topic has at most so many.",
        "catalogue/partitions per topic",
        sources=("protocol guide: Metadata, partition_index int32",),
        clauses=("LIM-022",),
        probes=("field-widths",),
        note="Up to 4.3 the totals of a request are added in 32 bits too: what wraps is no excess.",
    ),
    hard_limit(
        "partitions-per-request",
        "ReplicationControlManager#MAX_PARTITIONS_PER_BATCH",
        "partitions",
        "Partitions of all topics of one CreateTopics request together.",
        "controller/MAX_PARTITIONS_PER_BATCH",
        "catalogue/partitions per request",
        "kinds/HARD",
        sources=("Kafka 4.3.1, ReplicationControlManager.java:152,1222-1239",),
        clauses=("LIM-020", "LIM-022", "LIM-032"),
        probes=("create-partitions",),
        calculators=("create-requests", "largest-new-topic"),
        note="Not attainable: records-per-operation allows 9,999 partitions of one new topic.",
    ),
    hard_limit(
        "records-per-operation",
        "QuorumController#MAX_RECORDS_PER_USER_OP",
        "records",
        "Metadata records that one operation of a client makes: one for each topic, each partition "
        "and each config of a topic.",
        "controller/MAX_RECORDS_PER_USER_OP",
        "catalogue/metadata records per operation",
        "kinds/HARD",
        sources=("Kafka 4.3.1, QuorumController.java:179-186",),
        clauses=("LIM-021",),
        probes=("create-partitions",),
        calculators=("largest-new-topic",),
    ),
    hard_limit(
        "partition-count-grows",
        0,
        "partitions",
        "The partitions that can be taken from a topic: none. CreatePartitions with a count that "
        "is not above the present one is refused with INVALID_PARTITIONS.",
        "catalogue/reduce partition count",
        sources=("protocol guide: CreatePartitions; Kafka 4.3.1, ReplicationControlManager.java",),
        clauses=("LIM-030", "LIM-051"),
        probes=("shrink-topic",),
        calculators=("partition-of-key",),
    ),
    hard_limit(
        "topic-name",
        "Topic#MAX_NAME_LENGTH",
        "characters",
        "Characters of a topic's name.",
        sources=("Kafka 4.3.1, Topic.java:39-124",),
        clauses=("LIM-010", "LIM-011", "LIM-012", "LIM-013"),
        probes=("topic-name",),
    ),
    emergent_limit(
        "mmap-partitions",
        "Partitions of a broker until it can map no further index file.",
        "catalogue/partitions per broker (mmap)",
        sources=("vm.max_map_count of Linux; Kafka 4.3.1, AbstractIndex.java:72",),
        note="A planning figure: older segments that are read map two files more each.",
    ),
    emergent_limit(
        "open-files",
        "File descriptors that a broker has open.",
        sources=("Kafka 4.3.1, AbstractIndex.java:100-124; measured on 4.1.2",),
    ),
    emergent_limit(
        "failover-time",
        "Time until the partitions of a lost broker have leaders again.",
        "clusters/ZooKeeper, before 1.1.0",
        "clusters/ZooKeeper, from 1.1.0",
        sources=("measurements of others, of the years of ZooKeeper; measure it",),
        note="Its planning figures are older than KRaft, which no Kafka from 4.0 on is without.",
    ),
    emergent_limit(
        "recovery-time",
        "Time that a broker takes to read its logs again after an unclean stop.",
        sources=("Kafka 4.3.1, LogLoader.java:376-390",),
    ),
    emergent_limit(
        "partitions-per-broker",
        "Partitions of a broker, the least that its resources allow.",
        "catalogue/partitions per broker (practical)",
        "clusters/KRaft",
        "catalogue/partitions per cluster",
        "kinds/EMERGENT",
        sources=("the four bounds of the limits table",),
        others=("mmap-partitions", "open-files", "failover-time", "recovery-time"),
        note="No constant bounds a cluster: its partitions are those of its brokers.",
    ),
    emergent_limit(
        "page-cache",
        "Memory that a broker's heap leaves for reading and writing files.",
        sources=("the limits table",),
    ),
)

MESSAGES: tuple[Limit, ...] = (
    config_limit(
        "topic/max.message.bytes",
        BYTES,
        "Bytes of the largest batch that a topic takes: the stored, compressed batch with its "
        "header of 61 bytes.",
        "messages/max.message.bytes (topic)",
        "catalogue/max.message.bytes, message.max.bytes",
        "kinesis/record or batch size",
        "kinds/SOFT",
        sources=("documentation: topic configs, max.message.bytes",),
        clauses=("PRO-001",),
        note="The default is 1 MiB and 12 bytes, the prefix that a batch's own length leaves out.",
    ),
    config_limit(
        "broker/message.max.bytes",
        BYTES,
        "The same for topics that do not set it.",
        "messages/message.max.bytes (broker)",
        "catalogue/max.message.bytes, message.max.bytes",
        sources=("documentation: broker configs, message.max.bytes",),
    ),
    config_limit(
        "topic/max.decompressed.message.bytes",
        BYTES,
        "Bytes of the largest record of a compressed batch once it is decompressed.",
        sources=("the jars of 4.2.2 and 4.4.0",),
        note="4.2.2 is younger than 4.3.1, which lacks it.",
    ),
    config_limit(
        "producer/max.request.size",
        BYTES,
        "Bytes of the largest request, and of the largest uncompressed batch, of a producer.",
        "messages/max.request.size (producer)",
        "catalogue/max.request.size (producer)",
        sources=("documentation: producer configs, max.request.size",),
    ),
    config_limit(
        "producer/buffer.memory",
        BYTES,
        "Bytes that a producer keeps for records that are not sent yet.",
        sources=("documentation: producer configs, buffer.memory",),
        calculators=("producer-partitions",),
    ),
    config_limit(
        "broker/replica.fetch.max.bytes",
        BYTES,
        "Bytes that a follower asks for of one partition; a larger first batch is sent all the "
        "same.",
        "messages/replica.fetch.max.bytes",
        "catalogue/replica.fetch.max.bytes, response.max.bytes",
        sources=("documentation: broker configs, replica.fetch.max.bytes",),
        clauses=("FET-004",),
    ),
    config_limit(
        "broker/replica.fetch.response.max.bytes",
        BYTES,
        "Bytes that a follower asks for in all; a larger first batch is sent all the same.",
        "messages/replica.fetch.response.max.bytes",
        "catalogue/replica.fetch.max.bytes, response.max.bytes",
        sources=("documentation: broker configs, replica.fetch.response.max.bytes",),
        clauses=("FET-004",),
    ),
    config_limit(
        "broker/fetch.max.bytes",
        BYTES,
        "Bytes of records in the answer to a consumer's fetch; a larger first batch is sent all "
        "the same.",
        "messages/fetch.max.bytes (broker)",
        "catalogue/fetch.max.bytes (broker, consumer)",
        sources=("documentation: broker configs, fetch.max.bytes",),
        clauses=("FET-018",),
    ),
    config_limit(
        "consumer/fetch.max.bytes",
        BYTES,
        "Bytes of records that a consumer asks for in all.",
        "messages/fetch.max.bytes (consumer)",
        "catalogue/fetch.max.bytes (broker, consumer)",
        sources=("documentation: consumer configs, fetch.max.bytes",),
        clauses=("FET-003",),
    ),
    config_limit(
        "consumer/max.partition.fetch.bytes",
        BYTES,
        "Bytes of records that a consumer asks for of one partition; it does not stall on a larger "
        "batch, which is returned first.",
        "messages/max.partition.fetch.bytes (consumer)",
        sources=("documentation: consumer configs, max.partition.fetch.bytes",),
        clauses=("FET-001", "FET-004"),
    ),
)

REQUESTS: tuple[Limit, ...] = (
    config_limit(
        "broker/queued.max.requests",
        "requests",
        "Requests that wait for an I/O thread; when there are so many no further one is read.",
        "requests/queued.max.requests",
        "catalogue/queued.max.requests",
        "kinds/SOFT",
        sources=("documentation: broker configs, queued.max.requests",),
        note="No history asks for it: whether a request waits in the queue or in its socket, it "
        "is answered alike.",
    ),
    config_limit(
        "broker/queued.max.request.bytes",
        BYTES,
        "Bytes of the requests that wait; -1 for no bound.",
        "requests/queued.max.request.bytes",
        sources=("documentation: broker configs, queued.max.request.bytes",),
        note="No history asks for it, as for queued.max.requests. A request that is larger than "
        "what is left is still read (KIP-72).",
    ),
    config_limit(
        "broker/num.io.threads",
        "threads",
        "Threads that handle requests.",
        sources=("documentation: broker configs, num.io.threads",),
        note="While the broker runs it can be at most doubled and at most halved at a time.",
    ),
    config_limit(
        "broker/max.incremental.fetch.session.cache.slots",
        "sessions",
        "Fetch sessions that a broker keeps, an eighth of them in each of eight shards; fewer than "
        "eight keep none.",
        "requests/max.incremental.fetch.session.cache.slots",
        "catalogue/max.incremental.fetch.session.cache.slots",
        sources=(
            "documentation: broker configs; Kafka 4.3.1, FetchSessionCacheShard.java:166-234",
        ),
        clauses=("FET-030",),
        calculators=("sessions-per-shard",),
    ),
    config_limit(
        "broker/max.request.partition.size.limit",
        "partitions",
        "Partitions in one answer to DescribeTopicPartitions, which is continued by a cursor; "
        "nothing is rejected.",
        "requests/max.request.partition.size.limit",
        "catalogue/max.request.partition.size.limit",
        "kinds/HARD",
        sources=("Kafka 4.3.1, DescribeTopicPartitionsRequestHandler.java:108",),
        clauses=("LIM-070", "LIM-071", "LIM-072"),
        probes=("partition-pages",),
    ),
    config_limit(
        "broker/socket.request.max.bytes",
        BYTES,
        "Bytes of a request's frame, its length of four bytes left out; a longer one closes the "
        "connection.",
        "requests/socket.request.max.bytes",
        "catalogue/socket.request.max.bytes",
        sources=("documentation: broker configs, socket.request.max.bytes",),
        probes=("long-frame",),
    ),
    config_limit(
        "broker/max.connections",
        "connections",
        "Connections of a broker; the longest idle one of another listener than the brokers' gives "
        "way.",
        "connections/max.connections",
        "catalogue/max.connections, per ip, rate",
        "kinds/SOFT",
        sources=("documentation: broker configs, max.connections",),
        clauses=("LIM-085", "LIM-086", "LIM-087", "LIM-088"),
        calculators=("connection-memory",),
        note="0 is in the range of the definition, and refused while the broker runs. As the "
        "default of all brokers it also limits the controllers' listener, and so the connections "
        "that the cluster itself needs.",
    ),
    config_limit(
        "broker/max.connections.per.ip",
        "connections",
        "Connections from one address.",
        "connections/max.connections.per.ip",
        "catalogue/max.connections, per ip, rate",
        sources=("documentation: broker configs, max.connections.per.ip",),
        clauses=("LIM-080", "LIM-082", "LIM-083"),
        probes=("connections-of-one-address",),
    ),
    config_limit(
        "broker/max.connection.creation.rate",
        "connections/s",
        "New connections a second.",
        "connections/max.connection.creation.rate",
        "catalogue/max.connections, per ip, rate",
        sources=("documentation: broker configs, max.connection.creation.rate",),
        note="No history asks for it: the rate is an average over quota.window.num windows of "
        "quota.window.size.seconds, so that it takes connections for longer than those.",
    ),
    config_limit(
        "broker/max.connections.per.ip.overrides",
        "",
        "Connections from single addresses, where they are others.",
        "connections/max.connections.per.ip.overrides",
        sources=("documentation: broker configs, max.connections.per.ip.overrides",),
        clauses=("LIM-081", "LIM-084"),
        probes=("connections-of-one-address",),
    ),
    config_limit(
        "broker/connections.max.idle.ms",
        MS,
        "How long a connection may be idle before the broker closes it.",
        "connections/connections.max.idle.ms",
        sources=("documentation: broker configs, connections.max.idle.ms",),
        note="No history asks for it: it is set when a broker starts, and goes for all of a run's "
        "connections.",
    ),
)

STORAGE: tuple[Limit, ...] = (
    hard_limit(
        "segment-file",
        2**31 - 1,
        BYTES,
        "Bytes of a segment's .log: the position of a batch in it is an int32.",
        "catalogue/segment data file",
        "kinds/HARD",
        sources=("Kafka 4.3.1, OffsetIndex.java:44,56, LogSegment.java:255",),
        probes=("segment-bytes",),
        rules=("SEG-106",),
    ),
    hard_limit(
        "relative-offset",
        2**31 - 1,
        "offsets",
        "How far a batch's last offset may be from its segment's base offset; a batch that is "
        "farther begins a new segment.",
        sources=("Kafka 4.3.1, LogSegment.java:172,236-238, AbstractIndex.java:555-561",),
        rules=("SEG-105",),
        calculators=("index-capacity",),
    ),
    hard_limit(
        "offset",
        2**63 - 1,
        "offsets",
        "The offset of a record is an int64.",
        "catalogue/absolute offset",
        sources=("KIP-98; Kafka 4.3.1, AbstractIndex.java:63",),
        probes=("field-widths",),
        calculators=("offset-lifetime",),
    ),
    config_limit(
        "topic/segment.bytes",
        BYTES,
        "Bytes of a segment, above which the next batch begins a new one.",
        "storage/log.segment.bytes, segment.bytes",
        "catalogue/log.segment.bytes",
        sources=("documentation: topic configs, segment.bytes; KIP-1030",),
        probes=("segment-bytes",),
        note="4.0 takes 14 bytes; from 4.1 on the floor is 1 MiB, which internal.segment.bytes "
        "passes by.",
    ),
    config_limit(
        "broker/log.segment.bytes",
        BYTES,
        "The same for topics that do not set it.",
        "storage/log.segment.bytes, segment.bytes",
        "catalogue/log.segment.bytes",
        sources=("documentation: broker configs, log.segment.bytes",),
    ),
    config_limit(
        "topic/segment.index.bytes",
        BYTES,
        "Bytes of an index file, with which the next batch begins a new segment.",
        "storage/segment.index.bytes, log.index.size.max.bytes",
        sources=("documentation: topic configs, segment.index.bytes",),
        calculators=("index-capacity",),
        note="4 to 11 are accepted: the partition of a new topic never starts, and where an older "
        "topic is given 4, the broker does not start again (seen on 4.0.2, 4.3.1 and 4.4.0).",
    ),
    config_limit(
        "broker/log.index.size.max.bytes",
        BYTES,
        "The same for topics that do not set it.",
        "storage/segment.index.bytes, log.index.size.max.bytes",
        sources=("documentation: broker configs, log.index.size.max.bytes",),
    ),
    config_limit(
        "topic/index.interval.bytes",
        BYTES,
        "Bytes of batches between two entries of an index, at least one more than this.",
        "storage/index.interval.bytes",
        sources=("documentation: topic configs, index.interval.bytes",),
        calculators=("index-bytes",),
    ),
    hard_limit(
        "offset-index-entry",
        "OffsetIndex#ENTRY_SIZE",
        BYTES,
        "Bytes of an entry of an offset index: relative offset int32, position int32.",
        "storage/OffsetIndex entry size",
        sources=("Kafka 4.3.1, OffsetIndex.java:44,56",),
        rules=("SEG-120", "SEG-121"),
    ),
    hard_limit(
        "time-index-entry",
        "TimeIndex#ENTRY_SIZE",
        BYTES,
        "Bytes of an entry of a time index: timestamp int64, relative offset int32.",
        "storage/TimeIndex entry size",
        sources=("Kafka 4.3.1, TimeIndex.java:56",),
        rules=("SEG-120", "SEG-130"),
    ),
    config_limit(
        "broker/num.recovery.threads.per.data.dir",
        "threads",
        "Threads that read the logs of one data folder again after an unclean stop.",
        sources=("documentation: broker configs, num.recovery.threads.per.data.dir",),
        calculators=("recovery-time",),
    ),
)

THROUGHPUT: tuple[Limit, ...] = (
    emergent_limit(
        "topic-throughput",
        "What a topic takes a second: as much as the brokers that lead its partitions.",
        "catalogue/per-topic throughput",
        "catalogue/per-partition throughput",
        "kinesis/write throughput",
        "kinesis/read throughput",
        "kinds/EMERGENT",
        sources=("the limits table; 10 to 100 MB/s a partition are planning figures, measure it",),
        others=("partitions-for-throughput", "broker-ingress", "brokers-for-throughput"),
        note="A Kinesis shard has quotas of its own instead: 1 MB/s in, 2 MB/s out.",
    ),
    emergent_limit(
        "partitions-for-throughput",
        "Partitions that a topic needs for a throughput.",
        sources=("the limits table",),
        note="1 GiB/s is 1,074 MB/s, not 1,024.",
    ),
    emergent_limit(
        "broker-ingress",
        "What a broker can be sent a second, so that its network carries the copies too.",
        sources=("the limits table",),
    ),
    emergent_limit(
        "replication-egress",
        "What a leader sends to its followers a second.",
        sources=("the limits table",),
    ),
    config_limit(
        "broker/quota.window.num",
        "windows",
        "Windows over which a client's bytes are averaged for its quota. Quotas themselves are set "
        "for users and clients; without one there is no limit.",
        "kinesis/rate limiting",
        sources=("documentation: quotas; KIP-13",),
        clauses=("FET-017",),
    ),
)

DURABILITY: tuple[Limit, ...] = (
    config_limit(
        "broker/share.coordinator.snapshot.update.records.per.snapshot",
        "records",
        "Updates of a share partition's state that its coordinator stores after a snapshot, before "
        "it stores the next one.",
        sources=("documentation: broker configs; KIP-932",),
        probes=("share-state-updates",),
        note="Kafka 4.1.2 stores one more after the first snapshot (apache/kafka#21426).",
    ),
    config_limit(
        "topic/min.insync.replicas",
        "replicas",
        "Replicas in sync that a write with acks=all needs; what is above the replication factor "
        "counts as that.",
        "durability/min.insync.replicas",
        "durability/min.insync.replicas and replication factor",
        sources=("documentation: topic configs, min.insync.replicas",),
        probes=("min-insync-above-replicas",),
    ),
    config_limit(
        "broker/replica.lag.time.max.ms",
        MS,
        "How long a follower may be behind before it is out of sync.",
        "durability/replica.lag.time.max.ms",
        sources=("documentation: broker configs, replica.lag.time.max.ms; KIP-16",),
        calculators=("unreplicated-bytes",),
    ),
    config_limit(
        "broker/replica.fetch.wait.max.ms",
        MS,
        "How long a follower's fetch may wait; below replica.lag.time.max.ms.",
        "durability/replica.fetch.wait.max.ms",
        sources=("documentation: broker configs, replica.fetch.wait.max.ms",),
    ),
    config_limit(
        "topic/unclean.leader.election.enable",
        "",
        "Whether a replica that is not in sync may lead, and lose what others have.",
        "durability/unclean.leader.election.enable",
        sources=("documentation: topic configs, unclean.leader.election.enable",),
    ),
)

LIMITS: tuple[Limit, ...] = (
    *PARTITIONS,
    *MESSAGES,
    *REQUESTS,
    *STORAGE,
    *THROUGHPUT,
    *DURABILITY,
)
