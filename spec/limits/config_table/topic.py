"""Topic configs, as the jars of each release define them.

Made by `tools/config_table.py`, not by hand; see `spec.limits.config_table`.
"""

CONFIGS = """\
4.0.2,4.1.2	topic	cleanup.policy	LIST	delete	[compact, delete]	per-topic	public	log.cleanup.policy
4.2.2,4.3.1,4.4.0	topic	cleanup.policy	LIST	delete	[compact, delete], may be empty, never null	per-topic	public	log.cleanup.policy
all	topic	compression.gzip.level	INT	-1	[1,...,9] or -1	per-topic	public	compression.gzip.level
all	topic	compression.lz4.level	INT	9	[1,...,17]	per-topic	public	compression.lz4.level
all	topic	compression.type	STRING	producer	[uncompressed, zstd, lz4, snappy, gzip, producer]	per-topic	public	compression.type
all	topic	compression.zstd.level	INT	3	[-131072,...,22]	per-topic	public	compression.zstd.level
all	topic	delete.retention.ms	LONG	86400000	[0,...]	per-topic	public	log.cleaner.delete.retention.ms
4.4.0	topic	errors.deadletterqueue.group.enable	BOOLEAN	false	-	per-topic	public	-
all	topic	file.delete.delay.ms	LONG	60000	[0,...]	per-topic	public	log.segment.delete.delay.ms
all	topic	flush.messages	LONG	9223372036854775807	[1,...]	per-topic	public	log.flush.interval.messages
all	topic	flush.ms	LONG	9223372036854775807	[0,...]	per-topic	public	log.flush.interval.ms log.flush.scheduler.interval.ms
all	topic	follower.replication.throttled.replicas	LIST		[partitionId]:[brokerId],[partitionId]:[brokerId],...	per-topic	public	-
all	topic	index.interval.bytes	INT	4096	[0,...]	per-topic	public	log.index.interval.bytes
4.1.2,4.2.2,4.3.1,4.4.0	topic	internal.segment.bytes	INT	null	-	per-topic	internal	-
all	topic	leader.replication.throttled.replicas	LIST		[partitionId]:[brokerId],[partitionId]:[brokerId],...	per-topic	public	-
all	topic	local.retention.bytes	LONG	-2	[-2,...]	per-topic	public	log.local.retention.bytes
all	topic	local.retention.ms	LONG	-2	[-2,...]	per-topic	public	log.local.retention.ms
all	topic	max.compaction.lag.ms	LONG	9223372036854775807	[1,...]	per-topic	public	log.cleaner.max.compaction.lag.ms
4.2.2,4.4.0	topic	max.decompressed.message.bytes	INT	2147483639	[1,...,2147483639]	per-topic	public	max.decompressed.message.bytes
all	topic	max.message.bytes	INT	1048588	[0,...]	per-topic	public	message.max.bytes
all	topic	message.timestamp.after.max.ms	LONG	3600000	[0,...]	per-topic	public	log.message.timestamp.after.max.ms
all	topic	message.timestamp.before.max.ms	LONG	9223372036854775807	[0,...]	per-topic	public	log.message.timestamp.before.max.ms
all	topic	message.timestamp.type	STRING	CreateTime	[CreateTime, LogAppendTime]	per-topic	public	log.message.timestamp.type
all	topic	min.cleanable.dirty.ratio	DOUBLE	0.5	[0,...,1]	per-topic	public	log.cleaner.min.cleanable.ratio
all	topic	min.compaction.lag.ms	LONG	0	[0,...]	per-topic	public	log.cleaner.min.compaction.lag.ms
all	topic	min.insync.replicas	INT	1	[1,...]	per-topic	public	min.insync.replicas
all	topic	preallocate	BOOLEAN	false	-	per-topic	public	log.preallocate
4.4.0	topic	remote.copy.lag.bytes	LONG	-1	[-1,...]	per-topic	public	log.remote.copy.lag.bytes
4.4.0	topic	remote.copy.lag.ms	LONG	0	[-1,...]	per-topic	public	log.remote.copy.lag.ms
all	topic	remote.log.copy.disable	BOOLEAN	false	-	per-topic	public	-
all	topic	remote.log.delete.on.disable	BOOLEAN	false	-	per-topic	public	-
all	topic	remote.storage.enable	BOOLEAN	false	-	per-topic	public	-
all	topic	retention.bytes	LONG	-1	-	per-topic	public	log.retention.bytes
all	topic	retention.ms	LONG	604800000	[-1,...]	per-topic	public	log.retention.ms log.retention.minutes log.retention.hours
4.0.2	topic	segment.bytes	INT	1073741824	[14,...]	per-topic	public	log.segment.bytes
4.1.2,4.2.2,4.3.1,4.4.0	topic	segment.bytes	INT	1073741824	[1048576,...]	per-topic	public	log.segment.bytes
all	topic	segment.index.bytes	INT	10485760	[4,...]	per-topic	public	log.index.size.max.bytes
all	topic	segment.jitter.ms	LONG	0	[0,...]	per-topic	public	log.roll.jitter.ms log.roll.jitter.hours
all	topic	segment.ms	LONG	604800000	[1,...]	per-topic	public	log.roll.ms log.roll.hours
all	topic	unclean.leader.election.enable	BOOLEAN	false	-	per-topic	public	unclean.leader.election.enable
"""
