"""Broker configs, as the jars of each release define them.

Made by `tools/config_table.py`, not by hand; see `spec.limits.config_table`.
"""

CONFIGS = """\
all	broker	add.partitions.to.txn.retry.backoff.max.ms	INT	100	[0,...]	read-only	public	-
all	broker	add.partitions.to.txn.retry.backoff.ms	INT	20	[1,...]	read-only	public	-
4.0.2,4.1.2	broker	advertised.listeners	STRING	null	-	read-only	public	-
4.2.2,4.3.1,4.4.0	broker	advertised.listeners	LIST	null	never empty, may be null	read-only	public	-
all	broker	alter.config.policy.class.name	CLASS	null	-	read-only	public	-
all	broker	alter.log.dirs.replication.quota.window.num	INT	11	[1,...]	read-only	public	-
all	broker	alter.log.dirs.replication.quota.window.size.seconds	INT	1	[1,...]	read-only	public	-
all	broker	authorizer.class.name	STRING		non-null string	read-only	public	-
all	broker	auto.create.topics.enable	BOOLEAN	true	-	read-only	public	-
all	broker	auto.leader.rebalance.enable	BOOLEAN	true	-	read-only	public	-
all	broker	background.threads	INT	10	[1,...]	cluster-wide	public	-
all	broker	broker.heartbeat.interval.ms	INT	2000	-	read-only	public	-
all	broker	broker.id	INT	-1	-	read-only	public	-
all	broker	broker.rack	STRING	null	-	read-only	public	-
all	broker	broker.session.timeout.ms	INT	9000	-	read-only	public	-
all	broker	client.quota.callback.class	CLASS	null	-	read-only	public	-
all	broker	compression.gzip.level	INT	-1	[1,...,9] or -1	cluster-wide	public	-
all	broker	compression.lz4.level	INT	9	[1,...,17]	cluster-wide	public	-
all	broker	compression.type	STRING	producer	[uncompressed, zstd, lz4, snappy, gzip, producer]	cluster-wide	public	-
all	broker	compression.zstd.level	INT	3	[-131072,...,22]	cluster-wide	public	-
4.2.2,4.3.1,4.4.0	broker	config.providers	LIST		may be empty, never null	cluster-wide	public	-
all	broker	connection.failed.authentication.delay.ms	INT	100	[0,...]	read-only	public	-
all	broker	connections.max.idle.ms	LONG	600000	-	read-only	public	-
all	broker	connections.max.reauth.ms	LONG	0	-	read-only	public	-
all	broker	controlled.shutdown.enable	BOOLEAN	true	-	read-only	public	-
4.0.2,4.1.2	broker	controller.listener.names	STRING	null	-	read-only	public	-
4.2.2,4.3.1,4.4.0	broker	controller.listener.names	LIST	<required>	never empty, never null	read-only	public	-
all	broker	controller.performance.always.log.threshold.ms	LONG	2000	[0,...]	read-only	internal	-
all	broker	controller.performance.sample.period.ms	LONG	60000	[100,...]	read-only	internal	-
4.0.2	broker	controller.quorum.append.linger.ms	INT	25	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	controller.quorum.append.linger.ms	INT	25	[0,...]	read-only	public	-
4.2.2,4.3.1,4.4.0	broker	controller.quorum.auto.join.enable	BOOLEAN	false	-	read-only	public	-
all	broker	controller.quorum.bootstrap.servers	LIST		non-empty list	read-only	public	-
4.0.2	broker	controller.quorum.election.backoff.max.ms	INT	1000	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	controller.quorum.election.backoff.max.ms	INT	1000	[0,...]	read-only	public	-
4.0.2	broker	controller.quorum.election.timeout.ms	INT	1000	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	controller.quorum.election.timeout.ms	INT	1000	[0,...]	read-only	public	-
4.3.1,4.4.0	broker	controller.quorum.fetch.max.bytes	INT	1048576	[1,...]	read-only	public	-
4.3.1,4.4.0	broker	controller.quorum.fetch.snapshot.max.bytes	INT	1048576	[1,...]	read-only	public	-
4.0.2	broker	controller.quorum.fetch.timeout.ms	INT	2000	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	controller.quorum.fetch.timeout.ms	INT	2000	[0,...]	read-only	public	-
4.0.2	broker	controller.quorum.request.timeout.ms	INT	2000	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	controller.quorum.request.timeout.ms	INT	2000	[0,...]	read-only	public	-
4.0.2	broker	controller.quorum.retry.backoff.ms	INT	20	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	controller.quorum.retry.backoff.ms	INT	20	[0,...]	read-only	public	-
all	broker	controller.quorum.voters	LIST		non-empty list	read-only	public	-
all	broker	controller.quota.window.num	INT	11	[1,...]	read-only	public	-
all	broker	controller.quota.window.size.seconds	INT	1	[1,...]	read-only	public	-
all	broker	controller.socket.timeout.ms	INT	30000	-	read-only	public	-
4.3.1,4.4.0	broker	cordoned.log.dirs	LIST		may be empty, may be null	per-broker	public	-
all	broker	create.topic.policy.class.name	CLASS	null	-	read-only	public	-
all	broker	default.replication.factor	INT	1	-	read-only	public	-
all	broker	delegation.token.expiry.check.interval.ms	LONG	3600000	[1,...]	read-only	public	-
all	broker	delegation.token.expiry.time.ms	LONG	86400000	[1,...]	read-only	public	-
all	broker	delegation.token.max.lifetime.ms	LONG	604800000	[1,...]	read-only	public	-
all	broker	delegation.token.secret.key	PASSWORD	null	-	read-only	public	-
all	broker	delete.records.purgatory.purge.interval.requests	INT	1	-	read-only	public	-
all	broker	delete.topic.enable	BOOLEAN	true	-	read-only	public	-
4.0.2,4.1.2	broker	early.start.listeners	STRING	null	-	read-only	public	-
4.2.2,4.3.1,4.4.0	broker	early.start.listeners	LIST	null	may be empty, may be null	read-only	public	-
4.4.0	broker	errors.deadletterqueue.auto.create.topics.enable	BOOLEAN	false	-	cluster-wide	public	-
4.4.0	broker	errors.deadletterqueue.topic.name.prefix	STRING	dlq.	-	cluster-wide	public	-
all	broker	fetch.max.bytes	INT	57671680	[1024,...]	read-only	public	-
all	broker	fetch.purgatory.purge.interval.requests	INT	1000	-	read-only	public	-
4.3.1,4.4.0	broker	follower.fetch.last.tiered.offset.enable	BOOLEAN	false	-	cluster-wide	public	-
4.3.1,4.4.0	broker	group.consumer.assignment.interval.ms	INT	1000	[0,...]	cluster-wide	public	-
4.4.0	broker	group.consumer.assignor.offload.enable	BOOLEAN	true	-	cluster-wide	internal	-
4.0.2,4.1.2	broker	group.consumer.assignors	LIST	uniform,range	-	read-only	public	-
4.2.2,4.3.1,4.4.0	broker	group.consumer.assignors	LIST	uniform,range	never empty, never null	read-only	public	-
all	broker	group.consumer.heartbeat.interval.ms	INT	5000	[1,...]	read-only	public	-
4.3.1,4.4.0	broker	group.consumer.max.assignment.interval.ms	INT	15000	[0,...]	read-only	public	-
all	broker	group.consumer.max.heartbeat.interval.ms	INT	15000	[1,...]	read-only	public	-
all	broker	group.consumer.max.session.timeout.ms	INT	60000	[1,...]	read-only	public	-
all	broker	group.consumer.max.size	INT	2147483647	[1,...]	read-only	public	-
all	broker	group.consumer.migration.policy	STRING	bidirectional	(case insensitive) [DISABLED, DOWNGRADE, UPGRADE, BIDIRECTIONAL]	read-only	public	-
4.3.1,4.4.0	broker	group.consumer.min.assignment.interval.ms	INT	0	[0,...]	read-only	public	-
all	broker	group.consumer.min.heartbeat.interval.ms	INT	5000	[1,...]	read-only	public	-
all	broker	group.consumer.min.session.timeout.ms	INT	45000	[1,...]	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	group.consumer.regex.refresh.interval.ms	INT	600000	[10000,...]	read-only	internal	-
all	broker	group.consumer.session.timeout.ms	INT	45000	[1,...]	read-only	public	-
4.0.2,4.1.2	broker	group.coordinator.append.linger.ms	INT	5	[0,...]	read-only	public	-
4.2.2,4.3.1,4.4.0	broker	group.coordinator.append.linger.ms	INT	-1	[-1,...]	read-only	public	-
4.3.1,4.4.0	broker	group.coordinator.background.threads	INT	2	[1,...]	read-only	public	-
4.3.1,4.4.0	broker	group.coordinator.cached.buffer.max.bytes	INT	1048588	[524288,...]	cluster-wide	public	-
4.0.2	broker	group.coordinator.new.enable	BOOLEAN	true	-	read-only	internal	-
4.0.2	broker	group.coordinator.rebalance.protocols	LIST	classic,consumer	[consumer, classic, share]	read-only	public	-
4.1.2	broker	group.coordinator.rebalance.protocols	LIST	classic,consumer,streams	[consumer, classic, share, streams]	read-only	public	-
4.2.2,4.3.1,4.4.0	broker	group.coordinator.rebalance.protocols	LIST	classic,consumer,streams	[consumer, classic, share, streams], never empty, never null	read-only	public	-
all	broker	group.coordinator.threads	INT	4	[1,...]	read-only	public	-
all	broker	group.initial.rebalance.delay.ms	INT	3000	-	read-only	public	-
all	broker	group.max.session.timeout.ms	INT	1800000	-	read-only	public	-
all	broker	group.max.size	INT	2147483647	[1,...]	read-only	public	-
all	broker	group.min.session.timeout.ms	INT	6000	-	read-only	public	-
4.3.1,4.4.0	broker	group.share.assignment.interval.ms	INT	1000	[0,...]	cluster-wide	public	-
4.4.0	broker	group.share.assignor.offload.enable	BOOLEAN	true	-	cluster-wide	internal	-
4.1.2	broker	group.share.assignors	LIST	simple	-	read-only	public	-
4.2.2,4.3.1,4.4.0	broker	group.share.assignors	LIST	simple	never empty, never null	read-only	public	-
all	broker	group.share.delivery.count.limit	INT	5	[2,...,10]	read-only	public	-
4.4.0	broker	group.share.dlq.manager.class.name	STRING	org.apache.kafka.server.share.dlq.DefaultShareGroupDLQManager	-	read-only	internal	-
4.0.2,4.1.2,4.2.2	broker	group.share.enable	BOOLEAN	false	-	read-only	internal	-
all	broker	group.share.heartbeat.interval.ms	INT	5000	[1,...]	read-only	public	-
4.2.2,4.3.1,4.4.0	broker	group.share.initialize.retry.interval.ms	INT	30000	[1,...]	read-only	internal	-
4.3.1,4.4.0	broker	group.share.max.assignment.interval.ms	INT	15000	[0,...]	read-only	public	-
4.3.1,4.4.0	broker	group.share.max.delivery.count.limit	INT	10	[5,...,25]	read-only	public	-
4.0.2	broker	group.share.max.groups	SHORT	10	[1,...,100]	read-only	public	-
all	broker	group.share.max.heartbeat.interval.ms	INT	15000	[1,...]	read-only	public	-
4.3.1,4.4.0	broker	group.share.max.partition.max.record.locks	INT	4000	[2000,...,10000]	read-only	public	-
all	broker	group.share.max.record.lock.duration.ms	INT	60000	[30000,...,3600000]	read-only	public	-
all	broker	group.share.max.session.timeout.ms	INT	60000	[1,...]	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	group.share.max.share.sessions	INT	2000	[1,...]	read-only	public	-
all	broker	group.share.max.size	INT	200	[1,...,1000]	read-only	public	-
4.3.1,4.4.0	broker	group.share.min.assignment.interval.ms	INT	0	[0,...]	read-only	public	-
4.3.1,4.4.0	broker	group.share.min.delivery.count.limit	INT	2	[2,...,5]	read-only	public	-
all	broker	group.share.min.heartbeat.interval.ms	INT	5000	[1,...]	read-only	public	-
4.3.1,4.4.0	broker	group.share.min.partition.max.record.locks	INT	100	[100,...,2000]	read-only	public	-
all	broker	group.share.min.record.lock.duration.ms	INT	15000	[1000,...,30000]	read-only	public	-
all	broker	group.share.min.session.timeout.ms	INT	45000	[1,...]	read-only	public	-
4.0.2	broker	group.share.partition.max.record.locks	INT	200	[100,...,10000]	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	group.share.partition.max.record.locks	INT	2000	[100,...,10000]	read-only	public	-
all	broker	group.share.persister.class.name	STRING	org.apache.kafka.server.share.persister.DefaultStatePersister	-	read-only	internal	-
all	broker	group.share.record.lock.duration.ms	INT	30000	[1000,...,3600000]	read-only	public	-
all	broker	group.share.session.timeout.ms	INT	45000	[1,...]	read-only	public	-
4.4.0	broker	group.streams.acceptable.recovery.lag	LONG	10000	[0,...]	read-only	internal	-
4.3.1,4.4.0	broker	group.streams.assignment.interval.ms	INT	1000	[0,...]	cluster-wide	public	-
4.4.0	broker	group.streams.assignor.offload.enable	BOOLEAN	true	-	cluster-wide	internal	-
4.4.0	broker	group.streams.assignors	LIST	sticky	never empty, never null	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	group.streams.heartbeat.interval.ms	INT	5000	[1,...]	read-only	public	-
4.2.2,4.3.1,4.4.0	broker	group.streams.initial.rebalance.delay.ms	INT	3000	[0,...]	read-only	public	-
4.3.1,4.4.0	broker	group.streams.max.assignment.interval.ms	INT	15000	[0,...]	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	group.streams.max.heartbeat.interval.ms	INT	15000	[1,...]	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	group.streams.max.session.timeout.ms	INT	60000	[1,...]	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	group.streams.max.size	INT	2147483647	[1,...]	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	group.streams.max.standby.replicas	INT	2	[0,...]	read-only	public	-
4.4.0	broker	group.streams.max.warmup.replicas	INT	20	[0,...]	read-only	internal	-
4.3.1,4.4.0	broker	group.streams.min.assignment.interval.ms	INT	0	[0,...]	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	group.streams.min.heartbeat.interval.ms	INT	5000	[1,...]	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	group.streams.min.session.timeout.ms	INT	45000	[1,...]	read-only	public	-
4.4.0	broker	group.streams.min.task.offset.interval.ms	INT	15000	[1,...]	read-only	internal	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	group.streams.num.standby.replicas	INT	0	[0,...]	read-only	public	-
4.4.0	broker	group.streams.num.warmup.replicas	INT	2	[0,...]	read-only	internal	-
4.4.0	broker	group.streams.rack.aware.assignment.tags	LIST		may be empty, never null	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	group.streams.session.timeout.ms	INT	45000	[1,...]	read-only	public	-
4.4.0	broker	group.streams.task.offset.interval.ms	INT	60000	[1,...]	read-only	internal	-
4.4.0	broker	group.streams.topology.description.plugin.class	CLASS	null	-	read-only	public	-
all	broker	initial.broker.registration.timeout.ms	INT	60000	-	read-only	public	-
all	broker	inter.broker.listener.name	STRING	null	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	internal.metadata.delete.delay.millis	LONG	60000	-	read-only	internal	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	internal.metadata.log.segment.bytes	INT	null	-	read-only	internal	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	internal.metadata.max.batch.size.in.bytes	INT	8388608	-	read-only	internal	-
4.1.2,4.2.2	broker	internal.metadata.max.fetch.size.in.bytes	INT	8388608	-	read-only	internal	-
all	broker	kafka.metrics.polling.interval.secs	INT	10	[1,...]	read-only	public	-
4.0.2,4.1.2	broker	kafka.metrics.reporters	LIST		-	read-only	public	-
4.2.2,4.3.1,4.4.0	broker	kafka.metrics.reporters	LIST		may be empty, never null	read-only	public	-
all	broker	leader.imbalance.check.interval.seconds	LONG	300	[1,...]	read-only	public	-
all	broker	listener.security.protocol.map	STRING	SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT	-	per-broker	public	-
4.0.2,4.1.2	broker	listeners	STRING	PLAINTEXT://:9092	-	per-broker	public	-
4.2.2,4.3.1,4.4.0	broker	listeners	LIST	PLAINTEXT://:9092	never empty, never null	per-broker	public	-
all	broker	log.cleaner.backoff.ms	LONG	15000	[0,...]	cluster-wide	public	-
all	broker	log.cleaner.dedupe.buffer.size	LONG	134217728	-	cluster-wide	public	-
all	broker	log.cleaner.delete.retention.ms	LONG	86400000	[0,...]	cluster-wide	public	-
all	broker	log.cleaner.enable	BOOLEAN	true	-	read-only	public	-
all	broker	log.cleaner.io.buffer.load.factor	DOUBLE	0.9	-	cluster-wide	public	-
all	broker	log.cleaner.io.buffer.size	INT	524288	[0,...]	cluster-wide	public	-
all	broker	log.cleaner.io.max.bytes.per.second	DOUBLE	1.7976931348623157E308	-	cluster-wide	public	-
all	broker	log.cleaner.max.compaction.lag.ms	LONG	9223372036854775807	[1,...]	cluster-wide	public	-
all	broker	log.cleaner.min.cleanable.ratio	DOUBLE	0.5	[0,...,1]	cluster-wide	public	-
all	broker	log.cleaner.min.compaction.lag.ms	LONG	0	[0,...]	cluster-wide	public	-
all	broker	log.cleaner.threads	INT	1	[0,...]	cluster-wide	public	-
4.0.2,4.1.2	broker	log.cleanup.policy	LIST	delete	[compact, delete]	cluster-wide	public	-
4.2.2,4.3.1,4.4.0	broker	log.cleanup.policy	LIST	delete	[compact, delete], may be empty, never null	cluster-wide	public	-
4.0.2,4.1.2	broker	log.dir	STRING	/tmp/kafka-logs	-	read-only	public	-
4.2.2,4.3.1,4.4.0	broker	log.dir	LIST	/tmp/kafka-logs	never empty, never null	read-only	public	-
all	broker	log.dir.failure.timeout.ms	LONG	30000	[1,...]	read-only	public	-
4.0.2,4.1.2	broker	log.dirs	STRING	null	-	read-only	public	-
4.2.2,4.3.1,4.4.0	broker	log.dirs	LIST	null	never empty, may be null	read-only	public	-
all	broker	log.flush.interval.messages	LONG	9223372036854775807	[1,...]	cluster-wide	public	-
all	broker	log.flush.interval.ms	LONG	null	-	cluster-wide	public	-
all	broker	log.flush.offset.checkpoint.interval.ms	INT	60000	[0,...]	read-only	public	-
all	broker	log.flush.scheduler.interval.ms	LONG	9223372036854775807	-	read-only	public	-
all	broker	log.flush.start.offset.checkpoint.interval.ms	INT	60000	[0,...]	read-only	public	-
all	broker	log.index.interval.bytes	INT	4096	[0,...]	cluster-wide	public	-
all	broker	log.index.size.max.bytes	INT	10485760	[4,...]	cluster-wide	public	-
all	broker	log.initial.task.delay.ms	LONG	30000	[0,...]	read-only	internal	-
all	broker	log.local.retention.bytes	LONG	-2	[-2,...]	cluster-wide	public	-
all	broker	log.local.retention.ms	LONG	-2	[-2,...]	cluster-wide	public	-
all	broker	log.message.timestamp.after.max.ms	LONG	3600000	[0,...]	cluster-wide	public	-
all	broker	log.message.timestamp.before.max.ms	LONG	9223372036854775807	[0,...]	cluster-wide	public	-
all	broker	log.message.timestamp.type	STRING	CreateTime	[CreateTime, LogAppendTime]	cluster-wide	public	-
all	broker	log.preallocate	BOOLEAN	false	-	cluster-wide	public	-
4.4.0	broker	log.remote.copy.lag.bytes	LONG	-1	[-1,...]	cluster-wide	public	-
4.4.0	broker	log.remote.copy.lag.ms	LONG	0	[-1,...]	cluster-wide	public	-
all	broker	log.retention.bytes	LONG	-1	-	cluster-wide	public	-
all	broker	log.retention.check.interval.ms	LONG	300000	[1,...]	read-only	public	-
all	broker	log.retention.hours	INT	168	-	read-only	public	-
all	broker	log.retention.minutes	INT	null	-	read-only	public	-
all	broker	log.retention.ms	LONG	null	-	cluster-wide	public	-
all	broker	log.roll.hours	INT	168	[1,...]	read-only	public	-
all	broker	log.roll.jitter.hours	INT	0	[0,...]	read-only	public	-
all	broker	log.roll.jitter.ms	LONG	null	-	cluster-wide	public	-
all	broker	log.roll.ms	LONG	null	-	cluster-wide	public	-
all	broker	log.segment.bytes	INT	1073741824	[1048576,...]	cluster-wide	public	-
all	broker	log.segment.delete.delay.ms	LONG	60000	[0,...]	cluster-wide	public	-
all	broker	max.connection.creation.rate	INT	2147483647	[0,...]	cluster-wide	public	-
all	broker	max.connections	INT	2147483647	[0,...]	cluster-wide	public	-
all	broker	max.connections.per.ip	INT	2147483647	[0,...]	cluster-wide	public	-
all	broker	max.connections.per.ip.overrides	STRING		-	cluster-wide	public	-
4.2.2,4.4.0	broker	max.decompressed.message.bytes	INT	2147483639	[1,...,2147483639]	cluster-wide	public	-
all	broker	max.incremental.fetch.session.cache.slots	INT	1000	[0,...]	read-only	public	-
all	broker	max.request.partition.size.limit	INT	2000	[1,...]	read-only	public	-
all	broker	message.max.bytes	INT	1048588	[0,...]	cluster-wide	public	-
all	broker	metadata.log.dir	STRING	null	-	read-only	public	-
all	broker	metadata.log.max.record.bytes.between.snapshots	LONG	20971520	[1,...]	read-only	public	-
all	broker	metadata.log.max.snapshot.interval.ms	LONG	3600000	[0,...]	read-only	public	-
4.0.2	broker	metadata.log.segment.bytes	INT	1073741824	[12,...]	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	metadata.log.segment.bytes	INT	1073741824	[8388608,...]	read-only	public	-
4.0.2	broker	metadata.log.segment.min.bytes	INT	8388608	[12,...]	read-only	internal	-
all	broker	metadata.log.segment.ms	LONG	604800000	-	read-only	public	-
all	broker	metadata.max.idle.interval.ms	INT	500	[0,...]	read-only	public	-
all	broker	metadata.max.retention.bytes	LONG	104857600	-	read-only	public	-
all	broker	metadata.max.retention.ms	LONG	604800000	-	read-only	public	-
4.0.2,4.1.2	broker	metric.reporters	LIST	org.apache.kafka.common.metrics.JmxReporter	-	cluster-wide	public	-
4.2.2,4.3.1,4.4.0	broker	metric.reporters	LIST	org.apache.kafka.common.metrics.JmxReporter	may be empty, never null	cluster-wide	public	-
all	broker	metrics.num.samples	INT	2	[1,...]	read-only	public	-
all	broker	metrics.recording.level	STRING	INFO	-	read-only	public	-
all	broker	metrics.sample.window.ms	LONG	30000	[1,...]	read-only	public	-
all	broker	min.insync.replicas	INT	1	[1,...]	cluster-wide	public	-
all	broker	node.id	INT	<required>	[0,...]	read-only	public	-
all	broker	num.io.threads	INT	8	[1,...]	cluster-wide	public	-
all	broker	num.network.threads	INT	3	[1,...]	cluster-wide	public	-
all	broker	num.partitions	INT	1	[1,...]	read-only	public	-
all	broker	num.recovery.threads.per.data.dir	INT	2	[1,...]	cluster-wide	public	-
all	broker	num.replica.alter.log.dirs.threads	INT	null	-	read-only	public	-
4.0.2,4.1.2	broker	num.replica.fetchers	INT	1	-	cluster-wide	public	-
4.2.2,4.3.1,4.4.0	broker	num.replica.fetchers	INT	1	[1,...]	cluster-wide	public	-
all	broker	offset.metadata.max.bytes	INT	4096	-	read-only	public	-
all	broker	offsets.commit.timeout.ms	INT	5000	[1,...]	read-only	public	-
all	broker	offsets.load.buffer.size	INT	5242880	[1,...]	read-only	public	-
all	broker	offsets.retention.check.interval.ms	LONG	600000	[1,...]	read-only	public	-
all	broker	offsets.retention.minutes	INT	10080	[1,...]	read-only	public	-
all	broker	offsets.topic.compression.codec	INT	0	-	read-only	public	-
all	broker	offsets.topic.num.partitions	INT	50	[1,...]	read-only	public	-
all	broker	offsets.topic.replication.factor	SHORT	3	[1,...]	read-only	public	-
all	broker	offsets.topic.segment.bytes	INT	104857600	[1,...]	read-only	public	-
all	broker	principal.builder.class	CLASS	org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder	-	per-broker	public	-
4.0.2,4.1.2	broker	process.roles	LIST	<required>	[broker, controller]	read-only	public	-
4.2.2,4.3.1,4.4.0	broker	process.roles	LIST	<required>	[broker, controller], never empty, never null	read-only	public	-
all	broker	producer.id.expiration.check.interval.ms	INT	600000	[1,...]	read-only	internal	-
all	broker	producer.id.expiration.ms	INT	86400000	[1,...]	cluster-wide	public	-
all	broker	producer.purgatory.purge.interval.requests	INT	1000	-	read-only	public	-
all	broker	queued.max.request.bytes	LONG	-1	-	read-only	public	-
all	broker	queued.max.requests	INT	500	[1,...]	read-only	public	-
all	broker	quota.window.num	INT	11	[1,...]	read-only	public	-
all	broker	quota.window.size.seconds	INT	1	[1,...]	read-only	public	-
all	broker	remote.fetch.max.wait.ms	INT	500	[1,...]	cluster-wide	public	-
all	broker	remote.list.offsets.request.timeout.ms	LONG	30000	[1,...]	cluster-wide	public	-
all	broker	remote.log.index.file.cache.total.size.bytes	LONG	1073741824	[1,...]	cluster-wide	public	-
4.3.1,4.4.0	broker	remote.log.index.file.cache.ttl.ms	LONG	900000	[-1,...]	read-only	internal	-
all	broker	remote.log.manager.copier.thread.pool.size	INT	10	[1,...]	cluster-wide	public	-
all	broker	remote.log.manager.copy.max.bytes.per.second	LONG	9223372036854775807	[1,...]	cluster-wide	public	-
all	broker	remote.log.manager.copy.quota.window.num	INT	11	[1,...]	read-only	public	-
all	broker	remote.log.manager.copy.quota.window.size.seconds	INT	1	[1,...]	read-only	public	-
all	broker	remote.log.manager.expiration.thread.pool.size	INT	10	[1,...]	cluster-wide	public	-
all	broker	remote.log.manager.fetch.max.bytes.per.second	LONG	9223372036854775807	[1,...]	cluster-wide	public	-
all	broker	remote.log.manager.fetch.quota.window.num	INT	11	[1,...]	read-only	public	-
all	broker	remote.log.manager.fetch.quota.window.size.seconds	INT	1	[1,...]	read-only	public	-
4.2.2,4.3.1,4.4.0	broker	remote.log.manager.follower.thread.pool.size	INT	2	[1,...]	cluster-wide	public	-
all	broker	remote.log.manager.task.interval.ms	LONG	30000	[1,...]	read-only	public	-
all	broker	remote.log.manager.task.retry.backoff.max.ms	LONG	30000	[1,...]	read-only	internal	-
all	broker	remote.log.manager.task.retry.backoff.ms	LONG	500	[1,...]	read-only	internal	-
all	broker	remote.log.manager.task.retry.jitter	DOUBLE	0.2	[0,...,0.5]	read-only	internal	-
all	broker	remote.log.manager.thread.pool.size	INT	2	[1,...]	read-only	public	-
all	broker	remote.log.metadata.custom.metadata.max.bytes	INT	128	[0,...]	read-only	public	-
all	broker	remote.log.metadata.manager.class.name	STRING	org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager	non-empty string	read-only	public	-
all	broker	remote.log.metadata.manager.class.path	STRING	null	-	read-only	public	-
all	broker	remote.log.metadata.manager.impl.prefix	STRING	rlmm.config.	non-empty string	read-only	public	-
all	broker	remote.log.metadata.manager.listener.name	STRING	null	non-empty string	read-only	public	-
all	broker	remote.log.reader.max.pending.tasks	INT	100	[1,...]	read-only	public	-
all	broker	remote.log.reader.threads	INT	10	[1,...]	cluster-wide	public	-
all	broker	remote.log.storage.manager.class.name	STRING	null	non-empty string	read-only	public	-
all	broker	remote.log.storage.manager.class.path	STRING	null	-	read-only	public	-
all	broker	remote.log.storage.manager.impl.prefix	STRING	rsm.config.	non-empty string	read-only	public	-
all	broker	remote.log.storage.system.enable	BOOLEAN	false	-	read-only	public	-
all	broker	replica.fetch.backoff.ms	INT	1000	[0,...]	read-only	public	-
all	broker	replica.fetch.max.bytes	INT	1048576	[0,...]	read-only	public	-
all	broker	replica.fetch.min.bytes	INT	1	-	read-only	public	-
all	broker	replica.fetch.response.max.bytes	INT	10485760	[0,...]	read-only	public	-
all	broker	replica.fetch.wait.max.ms	INT	500	-	read-only	public	-
all	broker	replica.high.watermark.checkpoint.interval.ms	LONG	5000	-	read-only	public	-
all	broker	replica.lag.time.max.ms	LONG	30000	-	read-only	public	-
all	broker	replica.selector.class	STRING	null	-	read-only	public	-
all	broker	replica.socket.receive.buffer.bytes	INT	65536	-	read-only	public	-
all	broker	replica.socket.timeout.ms	INT	30000	-	read-only	public	-
all	broker	replication.quota.window.num	INT	11	[1,...]	read-only	public	-
all	broker	replication.quota.window.size.seconds	INT	1	[1,...]	read-only	public	-
all	broker	request.timeout.ms	INT	30000	-	read-only	public	-
all	broker	sasl.client.callback.handler.class	CLASS	null	-	read-only	public	-
4.0.2,4.1.2	broker	sasl.enabled.mechanisms	LIST	GSSAPI	-	per-broker	public	-
4.2.2,4.3.1,4.4.0	broker	sasl.enabled.mechanisms	LIST	GSSAPI	may be empty, never null	per-broker	public	-
all	broker	sasl.jaas.config	PASSWORD	null	-	per-broker	public	-
all	broker	sasl.kerberos.kinit.cmd	STRING	/usr/bin/kinit	-	per-broker	public	-
all	broker	sasl.kerberos.min.time.before.relogin	LONG	60000	-	per-broker	public	-
4.0.2,4.1.2	broker	sasl.kerberos.principal.to.local.rules	LIST	DEFAULT	-	per-broker	public	-
4.2.2,4.3.1,4.4.0	broker	sasl.kerberos.principal.to.local.rules	LIST	DEFAULT	may be empty, never null	per-broker	public	-
all	broker	sasl.kerberos.service.name	STRING	null	-	per-broker	public	-
all	broker	sasl.kerberos.ticket.renew.jitter	DOUBLE	0.05	-	per-broker	public	-
all	broker	sasl.kerberos.ticket.renew.window.factor	DOUBLE	0.8	-	per-broker	public	-
all	broker	sasl.login.callback.handler.class	CLASS	null	-	read-only	public	-
all	broker	sasl.login.class	CLASS	null	-	read-only	public	-
all	broker	sasl.login.connect.timeout.ms	INT	null	-	read-only	public	-
all	broker	sasl.login.read.timeout.ms	INT	null	-	read-only	public	-
all	broker	sasl.login.refresh.buffer.seconds	SHORT	300	-	per-broker	public	-
all	broker	sasl.login.refresh.min.period.seconds	SHORT	60	-	per-broker	public	-
all	broker	sasl.login.refresh.window.factor	DOUBLE	0.8	-	per-broker	public	-
all	broker	sasl.login.refresh.window.jitter	DOUBLE	0.05	-	per-broker	public	-
all	broker	sasl.login.retry.backoff.max.ms	LONG	10000	-	read-only	public	-
all	broker	sasl.login.retry.backoff.ms	LONG	100	-	read-only	public	-
all	broker	sasl.mechanism.controller.protocol	STRING	GSSAPI	-	read-only	public	-
all	broker	sasl.mechanism.inter.broker.protocol	STRING	GSSAPI	-	per-broker	public	-
4.4.0	broker	sasl.oauthbearer.allow.unverified.audience	BOOLEAN	false	-	read-only	public	-
4.4.0	broker	sasl.oauthbearer.allow.unverified.issuer	BOOLEAN	false	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	sasl.oauthbearer.assertion.algorithm	STRING	RS256	(case insensitive) [ES256, RS256]	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	sasl.oauthbearer.assertion.claim.aud	STRING	null	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	sasl.oauthbearer.assertion.claim.exp.seconds	INT	300	[0,...,86400]	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	sasl.oauthbearer.assertion.claim.iss	STRING	null	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	sasl.oauthbearer.assertion.claim.jti.include	BOOLEAN	false	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	sasl.oauthbearer.assertion.claim.nbf.seconds	INT	60	[0,...,3600]	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	sasl.oauthbearer.assertion.claim.sub	STRING	null	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	sasl.oauthbearer.assertion.file	STRING	null	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	sasl.oauthbearer.assertion.private.key.file	STRING	null	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	sasl.oauthbearer.assertion.private.key.passphrase	PASSWORD	null	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	sasl.oauthbearer.assertion.template.file	STRING	null	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	sasl.oauthbearer.client.credentials.client.id	STRING	null	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	sasl.oauthbearer.client.credentials.client.secret	PASSWORD	null	-	read-only	public	-
all	broker	sasl.oauthbearer.clock.skew.seconds	INT	30	-	read-only	public	-
4.0.2,4.1.2	broker	sasl.oauthbearer.expected.audience	LIST	null	-	read-only	public	-
4.2.2,4.3.1,4.4.0	broker	sasl.oauthbearer.expected.audience	LIST		may be empty, never null	read-only	public	-
all	broker	sasl.oauthbearer.expected.issuer	STRING	null	-	read-only	public	-
all	broker	sasl.oauthbearer.jwks.endpoint.refresh.ms	LONG	3600000	-	read-only	public	-
all	broker	sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms	LONG	10000	-	read-only	public	-
all	broker	sasl.oauthbearer.jwks.endpoint.retry.backoff.ms	LONG	100	-	read-only	public	-
all	broker	sasl.oauthbearer.jwks.endpoint.url	STRING	null	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	sasl.oauthbearer.jwt.retriever.class	CLASS	org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	sasl.oauthbearer.jwt.validator.class	CLASS	org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator	-	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	sasl.oauthbearer.scope	STRING	null	-	read-only	public	-
all	broker	sasl.oauthbearer.scope.claim.name	STRING	scope	-	read-only	public	-
all	broker	sasl.oauthbearer.sub.claim.name	STRING	sub	-	read-only	public	-
all	broker	sasl.oauthbearer.token.endpoint.url	STRING	null	-	read-only	public	-
all	broker	sasl.server.callback.handler.class	CLASS	null	-	read-only	public	-
all	broker	sasl.server.max.receive.size	INT	524288	-	read-only	public	-
all	broker	security.inter.broker.protocol	STRING	PLAINTEXT	[PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL]	read-only	public	-
all	broker	security.providers	STRING	null	-	read-only	public	-
all	broker	server.max.startup.time.ms	LONG	9223372036854775807	[0,...]	read-only	internal	-
4.0.2	broker	share.coordinator.append.linger.ms	INT	10	[0,...]	read-only	public	-
4.1.2	broker	share.coordinator.append.linger.ms	INT	5	[0,...]	read-only	public	-
4.2.2,4.3.1,4.4.0	broker	share.coordinator.append.linger.ms	INT	-1	[-1,...]	read-only	public	-
4.3.1,4.4.0	broker	share.coordinator.cached.buffer.max.bytes	INT	1048588	[524288,...]	cluster-wide	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	share.coordinator.cold.partition.snapshot.interval.ms	INT	300000	[1,...]	read-only	internal	-
all	broker	share.coordinator.load.buffer.size	INT	5242880	[1,...]	read-only	public	-
4.0.2,4.1.2,4.2.2	broker	share.coordinator.snapshot.update.records.per.snapshot	INT	500	[0,...]	read-only	public	-
4.3.1,4.4.0	broker	share.coordinator.snapshot.update.records.per.snapshot	INT	500	[0,...,500]	read-only	public	-
all	broker	share.coordinator.state.topic.compression.codec	INT	0	-	read-only	public	-
all	broker	share.coordinator.state.topic.min.isr	SHORT	2	[1,...]	read-only	public	-
all	broker	share.coordinator.state.topic.num.partitions	INT	50	[1,...]	read-only	public	-
all	broker	share.coordinator.state.topic.prune.interval.ms	INT	300000	[1,...]	read-only	internal	-
all	broker	share.coordinator.state.topic.replication.factor	SHORT	3	[1,...]	read-only	public	-
all	broker	share.coordinator.state.topic.segment.bytes	INT	104857600	[1,...]	read-only	public	-
all	broker	share.coordinator.threads	INT	1	[1,...]	read-only	public	-
all	broker	share.coordinator.write.timeout.ms	INT	5000	[1,...]	read-only	public	-
4.0.2	broker	share.fetch.max.fetch.records	INT	2147483647	-	read-only	internal	-
all	broker	share.fetch.purgatory.purge.interval.requests	INT	1000	-	read-only	public	-
all	broker	socket.connection.setup.timeout.max.ms	LONG	30000	-	read-only	public	-
all	broker	socket.connection.setup.timeout.ms	LONG	10000	-	read-only	public	-
all	broker	socket.listen.backlog.size	INT	50	[1,...]	read-only	public	-
all	broker	socket.receive.buffer.bytes	INT	102400	-	read-only	public	-
all	broker	socket.request.max.bytes	INT	104857600	[1,...]	read-only	public	-
all	broker	socket.send.buffer.bytes	INT	102400	-	read-only	public	-
all	broker	ssl.allow.dn.changes	BOOLEAN	false	-	read-only	public	-
all	broker	ssl.allow.san.changes	BOOLEAN	false	-	read-only	public	-
4.0.2,4.1.2	broker	ssl.cipher.suites	LIST		-	per-broker	public	-
4.2.2,4.3.1,4.4.0	broker	ssl.cipher.suites	LIST		may be empty, never null	per-broker	public	-
all	broker	ssl.client.auth	STRING	none	[required, requested, none]	per-broker	public	-
4.0.2,4.1.2	broker	ssl.enabled.protocols	LIST	TLSv1.2,TLSv1.3	-	per-broker	public	-
4.2.2,4.3.1,4.4.0	broker	ssl.enabled.protocols	LIST	TLSv1.2,TLSv1.3	may be empty, never null	per-broker	public	-
all	broker	ssl.endpoint.identification.algorithm	STRING	https	-	per-broker	public	-
all	broker	ssl.engine.factory.class	CLASS	null	-	per-broker	public	-
all	broker	ssl.key.password	PASSWORD	null	-	per-broker	public	-
all	broker	ssl.keymanager.algorithm	STRING	SunX509	-	per-broker	public	-
all	broker	ssl.keystore.certificate.chain	PASSWORD	null	-	per-broker	public	-
all	broker	ssl.keystore.key	PASSWORD	null	-	per-broker	public	-
all	broker	ssl.keystore.location	STRING	null	-	per-broker	public	-
all	broker	ssl.keystore.password	PASSWORD	null	-	per-broker	public	-
all	broker	ssl.keystore.type	STRING	JKS	-	per-broker	public	-
all	broker	ssl.principal.mapping.rules	STRING	DEFAULT	-	read-only	public	-
all	broker	ssl.protocol	STRING	TLSv1.3	-	per-broker	public	-
all	broker	ssl.provider	STRING	null	-	per-broker	public	-
all	broker	ssl.secure.random.implementation	STRING	null	-	per-broker	public	-
all	broker	ssl.trustmanager.algorithm	STRING	PKIX	-	per-broker	public	-
all	broker	ssl.truststore.certificates	PASSWORD	null	-	per-broker	public	-
all	broker	ssl.truststore.location	STRING	null	-	per-broker	public	-
all	broker	ssl.truststore.password	PASSWORD	null	-	per-broker	public	-
all	broker	ssl.truststore.type	STRING	JKS	-	per-broker	public	-
all	broker	telemetry.max.bytes	INT	1048576	[1,...]	read-only	public	-
all	broker	transaction.abort.timed.out.transaction.cleanup.interval.ms	INT	10000	[1,...]	read-only	public	-
all	broker	transaction.max.timeout.ms	INT	900000	[1,...]	read-only	public	-
all	broker	transaction.partition.verification.enable	BOOLEAN	true	-	cluster-wide	public	-
all	broker	transaction.remove.expired.transaction.cleanup.interval.ms	INT	3600000	[1,...]	read-only	public	-
all	broker	transaction.state.log.load.buffer.size	INT	5242880	[1,...]	read-only	public	-
all	broker	transaction.state.log.min.isr	INT	2	[1,...]	read-only	public	-
all	broker	transaction.state.log.num.partitions	INT	50	[1,...]	read-only	public	-
all	broker	transaction.state.log.replication.factor	SHORT	3	[1,...]	read-only	public	-
all	broker	transaction.state.log.segment.bytes	INT	104857600	[1,...]	read-only	public	-
4.1.2,4.2.2,4.3.1,4.4.0	broker	transaction.two.phase.commit.enable	BOOLEAN	false	-	read-only	public	-
all	broker	transactional.id.expiration.ms	INT	604800000	[1,...]	read-only	public	-
all	broker	unclean.leader.election.enable	BOOLEAN	false	-	cluster-wide	public	-
all	broker	unclean.leader.election.interval.ms	LONG	300000	[1,...]	read-only	internal	-
all	broker	unstable.api.versions.enable	BOOLEAN	false	-	read-only	internal	-
all	broker	unstable.feature.versions.enable	BOOLEAN	false	-	read-only	internal	-
"""
