"""Group configs, as the jars of each release define them.

Made by `tools/config_table.py`, not by hand; see `spec.limits.config_table`.
"""

CONFIGS = """\
4.3.1,4.4.0	group	consumer.assignment.interval.ms	INT	1000	[0,...]	per-group	public	-
4.4.0	group	consumer.assignor.offload.enable	BOOLEAN	true	-	per-group	internal	-
all	group	consumer.heartbeat.interval.ms	INT	5000	[1,...]	per-group	public	-
all	group	consumer.session.timeout.ms	INT	45000	[1,...]	per-group	public	-
4.4.0	group	errors.deadletterqueue.copy.record.enable	BOOLEAN	false	-	per-group	public	-
4.4.0	group	errors.deadletterqueue.topic.name	STRING		-	per-group	public	-
4.3.1,4.4.0	group	share.assignment.interval.ms	INT	1000	[0,...]	per-group	public	-
4.4.0	group	share.assignor.offload.enable	BOOLEAN	true	-	per-group	internal	-
4.0.2	group	share.auto.offset.reset	STRING	latest	[earliest, latest, by_duration:PnDTnHnMn.nS]	per-group	public	-
4.1.2,4.2.2,4.3.1,4.4.0	group	share.auto.offset.reset	STRING	latest	[latest, earliest, by_duration:PnDTnHnMn.nS]	per-group	public	-
4.3.1,4.4.0	group	share.delivery.count.limit	INT	5	[2,...]	per-group	public	-
all	group	share.heartbeat.interval.ms	INT	5000	[1,...]	per-group	public	-
4.1.2,4.2.2,4.3.1,4.4.0	group	share.isolation.level	STRING	read_uncommitted	[read_committed, read_uncommitted]	per-group	public	-
4.3.1,4.4.0	group	share.partition.max.record.locks	INT	2000	[100,...]	per-group	public	-
all	group	share.record.lock.duration.ms	INT	30000	[1000,...]	per-group	public	-
4.3.1,4.4.0	group	share.renew.acknowledge.enable	BOOLEAN	true	-	per-group	public	-
all	group	share.session.timeout.ms	INT	45000	[1,...]	per-group	public	-
4.4.0	group	streams.acceptable.recovery.lag	LONG	10000	[0,...]	per-group	internal	-
4.3.1,4.4.0	group	streams.assignment.interval.ms	INT	1000	[0,...]	per-group	public	-
4.4.0	group	streams.assignor.name	STRING	null	-	per-group	public	-
4.4.0	group	streams.assignor.offload.enable	BOOLEAN	true	-	per-group	internal	-
4.1.2,4.2.2,4.3.1,4.4.0	group	streams.heartbeat.interval.ms	INT	5000	[1,...]	per-group	public	-
4.2.2,4.3.1,4.4.0	group	streams.initial.rebalance.delay.ms	INT	3000	[0,...]	per-group	public	-
4.1.2,4.2.2,4.3.1,4.4.0	group	streams.num.standby.replicas	INT	0	[0,...]	per-group	public	-
4.4.0	group	streams.num.warmup.replicas	INT	2	[0,...]	per-group	internal	-
4.4.0	group	streams.rack.aware.assignment.tags	LIST		may be empty, never null	per-group	public	-
4.1.2,4.2.2,4.3.1,4.4.0	group	streams.session.timeout.ms	INT	45000	[1,...]	per-group	public	-
4.4.0	group	streams.task.offset.interval.ms	INT	60000	[1,...]	per-group	internal	-
"""
