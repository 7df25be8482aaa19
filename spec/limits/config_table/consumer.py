"""Consumer configs, as the jars of each release define them.

Made by `tools/config_table.py`, not by hand; see `spec.limits.config_table`.
"""

CONFIGS = """\
all	consumer	allow.auto.create.topics	BOOLEAN	true	-	client	public	-
all	consumer	auto.commit.interval.ms	INT	5000	[0,...]	client	public	-
all	consumer	auto.offset.reset	STRING	latest	[latest, earliest, none, by_duration:PnDTnHnMn.nS]	client	public	-
4.4.0	consumer	bootstrap.resolve.timeout.ms	LONG	0	[0,...]	client	public	-
4.0.2,4.1.2	consumer	bootstrap.servers	LIST		non-null string	client	public	-
4.2.2,4.3.1,4.4.0	consumer	bootstrap.servers	LIST	<required>	never empty, never null	client	public	-
all	consumer	check.crcs	BOOLEAN	true	-	client	public	-
all	consumer	client.dns.lookup	STRING	use_all_dns_ips	[use_all_dns_ips, resolve_canonical_bootstrap_servers_only]	client	public	-
all	consumer	client.id	STRING		-	client	public	-
all	consumer	client.rack	STRING		-	client	public	-
4.2.2,4.3.1,4.4.0	consumer	config.providers	LIST		may be empty, never null	client	public	-
all	consumer	connections.max.idle.ms	LONG	540000	-	client	public	-
all	consumer	default.api.timeout.ms	INT	60000	[0,...]	client	public	-
all	consumer	enable.auto.commit	BOOLEAN	true	-	client	public	-
all	consumer	enable.metrics.push	BOOLEAN	true	-	client	public	-
all	consumer	exclude.internal.topics	BOOLEAN	true	-	client	public	-
all	consumer	fetch.max.bytes	INT	52428800	[0,...]	client	public	-
all	consumer	fetch.max.wait.ms	INT	500	[0,...]	client	public	-
all	consumer	fetch.min.bytes	INT	1	[0,...]	client	public	-
all	consumer	group.id	STRING	null	-	client	public	-
all	consumer	group.instance.id	STRING	null	non-empty string	client	public	-
all	consumer	group.protocol	STRING	classic	(case insensitive) [CONSUMER, CLASSIC]	client	public	-
all	consumer	group.remote.assignor	STRING	null	-	client	public	-
all	consumer	heartbeat.interval.ms	INT	3000	-	client	public	-
4.0.2,4.1.2	consumer	interceptor.classes	LIST		non-null string	client	public	-
4.2.2,4.3.1,4.4.0	consumer	interceptor.classes	LIST		may be empty, never null	client	public	-
4.0.2,4.1.2	consumer	internal.leave.group.on.close	BOOLEAN	true	-	client	internal	-
all	consumer	internal.throw.on.fetch.stable.offset.unsupported	BOOLEAN	false	-	client	internal	-
all	consumer	isolation.level	STRING	read_uncommitted	[read_committed, read_uncommitted]	client	public	-
all	consumer	key.deserializer	CLASS	<required>	-	client	public	-
all	consumer	max.partition.fetch.bytes	INT	1048576	[0,...]	client	public	-
all	consumer	max.poll.interval.ms	INT	300000	[1,...]	client	public	-
all	consumer	max.poll.records	INT	500	[1,...]	client	public	-
4.4.0	consumer	metadata.cluster.check.enable	BOOLEAN	true	-	client	public	-
all	consumer	metadata.max.age.ms	LONG	300000	[0,...]	client	public	-
all	consumer	metadata.recovery.rebootstrap.trigger.ms	LONG	300000	[0,...]	client	public	-
all	consumer	metadata.recovery.strategy	STRING	rebootstrap	(case insensitive) [REBOOTSTRAP, NONE]	client	public	-
4.0.2,4.1.2	consumer	metric.reporters	LIST	org.apache.kafka.common.metrics.JmxReporter	non-null string	client	public	-
4.2.2,4.3.1,4.4.0	consumer	metric.reporters	LIST	org.apache.kafka.common.metrics.JmxReporter	may be empty, never null	client	public	-
all	consumer	metrics.num.samples	INT	2	[1,...]	client	public	-
all	consumer	metrics.recording.level	STRING	INFO	[INFO, DEBUG, TRACE]	client	public	-
all	consumer	metrics.sample.window.ms	LONG	30000	[0,...]	client	public	-
4.0.2,4.1.2	consumer	partition.assignment.strategy	LIST	class org.apache.kafka.clients.consumer.RangeAssignor,class org.apache.kafka.clients.consumer.CooperativeStickyAssignor	non-null string	client	public	-
4.2.2,4.3.1,4.4.0	consumer	partition.assignment.strategy	LIST	class org.apache.kafka.clients.consumer.RangeAssignor,class org.apache.kafka.clients.consumer.CooperativeStickyAssignor	may be empty, never null	client	public	-
all	consumer	receive.buffer.bytes	INT	65536	[-1,...]	client	public	-
all	consumer	reconnect.backoff.max.ms	LONG	1000	[0,...]	client	public	-
all	consumer	reconnect.backoff.ms	LONG	50	[0,...]	client	public	-
all	consumer	request.timeout.ms	INT	30000	[0,...]	client	public	-
all	consumer	retry.backoff.max.ms	LONG	1000	[0,...]	client	public	-
all	consumer	retry.backoff.ms	LONG	100	[0,...]	client	public	-
all	consumer	sasl.client.callback.handler.class	CLASS	null	-	client	public	-
all	consumer	sasl.jaas.config	PASSWORD	null	-	client	public	-
all	consumer	sasl.kerberos.kinit.cmd	STRING	/usr/bin/kinit	-	client	public	-
all	consumer	sasl.kerberos.min.time.before.relogin	LONG	60000	-	client	public	-
all	consumer	sasl.kerberos.service.name	STRING	null	-	client	public	-
all	consumer	sasl.kerberos.ticket.renew.jitter	DOUBLE	0.05	-	client	public	-
all	consumer	sasl.kerberos.ticket.renew.window.factor	DOUBLE	0.8	-	client	public	-
all	consumer	sasl.login.callback.handler.class	CLASS	null	-	client	public	-
all	consumer	sasl.login.class	CLASS	null	-	client	public	-
all	consumer	sasl.login.connect.timeout.ms	INT	null	-	client	public	-
all	consumer	sasl.login.read.timeout.ms	INT	null	-	client	public	-
all	consumer	sasl.login.refresh.buffer.seconds	SHORT	300	[0,...,3600]	client	public	-
all	consumer	sasl.login.refresh.min.period.seconds	SHORT	60	[0,...,900]	client	public	-
all	consumer	sasl.login.refresh.window.factor	DOUBLE	0.8	[0.5,...,1.0]	client	public	-
all	consumer	sasl.login.refresh.window.jitter	DOUBLE	0.05	[0.0,...,0.25]	client	public	-
all	consumer	sasl.login.retry.backoff.max.ms	LONG	10000	-	client	public	-
all	consumer	sasl.login.retry.backoff.ms	LONG	100	-	client	public	-
all	consumer	sasl.mechanism	STRING	GSSAPI	-	client	public	-
4.4.0	consumer	sasl.oauthbearer.allow.unverified.audience	BOOLEAN	false	-	client	public	-
4.4.0	consumer	sasl.oauthbearer.allow.unverified.issuer	BOOLEAN	false	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	consumer	sasl.oauthbearer.assertion.algorithm	STRING	RS256	(case insensitive) [ES256, RS256]	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	consumer	sasl.oauthbearer.assertion.claim.aud	STRING	null	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	consumer	sasl.oauthbearer.assertion.claim.exp.seconds	INT	300	[0,...,86400]	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	consumer	sasl.oauthbearer.assertion.claim.iss	STRING	null	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	consumer	sasl.oauthbearer.assertion.claim.jti.include	BOOLEAN	false	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	consumer	sasl.oauthbearer.assertion.claim.nbf.seconds	INT	60	[0,...,3600]	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	consumer	sasl.oauthbearer.assertion.claim.sub	STRING	null	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	consumer	sasl.oauthbearer.assertion.file	STRING	null	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	consumer	sasl.oauthbearer.assertion.private.key.file	STRING	null	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	consumer	sasl.oauthbearer.assertion.private.key.passphrase	PASSWORD	null	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	consumer	sasl.oauthbearer.assertion.template.file	STRING	null	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	consumer	sasl.oauthbearer.client.credentials.client.id	STRING	null	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	consumer	sasl.oauthbearer.client.credentials.client.secret	PASSWORD	null	-	client	public	-
all	consumer	sasl.oauthbearer.clock.skew.seconds	INT	30	-	client	public	-
4.0.2,4.1.2	consumer	sasl.oauthbearer.expected.audience	LIST	null	-	client	public	-
4.2.2,4.3.1,4.4.0	consumer	sasl.oauthbearer.expected.audience	LIST		may be empty, never null	client	public	-
all	consumer	sasl.oauthbearer.expected.issuer	STRING	null	-	client	public	-
all	consumer	sasl.oauthbearer.header.urlencode	BOOLEAN	false	-	client	public	-
all	consumer	sasl.oauthbearer.jwks.endpoint.refresh.ms	LONG	3600000	-	client	public	-
all	consumer	sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms	LONG	10000	-	client	public	-
all	consumer	sasl.oauthbearer.jwks.endpoint.retry.backoff.ms	LONG	100	-	client	public	-
all	consumer	sasl.oauthbearer.jwks.endpoint.url	STRING	null	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	consumer	sasl.oauthbearer.jwt.retriever.class	CLASS	org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	consumer	sasl.oauthbearer.jwt.validator.class	CLASS	org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	consumer	sasl.oauthbearer.scope	STRING	null	-	client	public	-
all	consumer	sasl.oauthbearer.scope.claim.name	STRING	scope	-	client	public	-
all	consumer	sasl.oauthbearer.sub.claim.name	STRING	sub	-	client	public	-
all	consumer	sasl.oauthbearer.token.endpoint.url	STRING	null	-	client	public	-
all	consumer	security.protocol	STRING	PLAINTEXT	(case insensitive) [SASL_SSL, PLAINTEXT, SSL, SASL_PLAINTEXT]	client	public	-
all	consumer	security.providers	STRING	null	-	client	public	-
all	consumer	send.buffer.bytes	INT	131072	[-1,...]	client	public	-
all	consumer	session.timeout.ms	INT	45000	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	consumer	share.acknowledgement.mode	STRING	implicit	[implicit, explicit]	client	public	-
4.2.2,4.3.1,4.4.0	consumer	share.acquire.mode	STRING	BATCH_OPTIMIZED	[batch_optimized, record_limit]	client	public	-
all	consumer	socket.connection.setup.timeout.max.ms	LONG	30000	-	client	public	-
all	consumer	socket.connection.setup.timeout.ms	LONG	10000	-	client	public	-
4.0.2,4.1.2	consumer	ssl.cipher.suites	LIST	null	-	client	public	-
4.2.2,4.3.1,4.4.0	consumer	ssl.cipher.suites	LIST		may be empty, never null	client	public	-
4.0.2,4.1.2	consumer	ssl.enabled.protocols	LIST	TLSv1.2,TLSv1.3	-	client	public	-
4.2.2,4.3.1,4.4.0	consumer	ssl.enabled.protocols	LIST	TLSv1.2,TLSv1.3	may be empty, never null	client	public	-
all	consumer	ssl.endpoint.identification.algorithm	STRING	https	-	client	public	-
all	consumer	ssl.engine.factory.class	CLASS	null	-	client	public	-
all	consumer	ssl.key.password	PASSWORD	null	-	client	public	-
all	consumer	ssl.keymanager.algorithm	STRING	SunX509	-	client	public	-
all	consumer	ssl.keystore.certificate.chain	PASSWORD	null	-	client	public	-
all	consumer	ssl.keystore.key	PASSWORD	null	-	client	public	-
all	consumer	ssl.keystore.location	STRING	null	-	client	public	-
all	consumer	ssl.keystore.password	PASSWORD	null	-	client	public	-
all	consumer	ssl.keystore.type	STRING	JKS	-	client	public	-
all	consumer	ssl.protocol	STRING	TLSv1.3	-	client	public	-
all	consumer	ssl.provider	STRING	null	-	client	public	-
all	consumer	ssl.secure.random.implementation	STRING	null	-	client	public	-
all	consumer	ssl.trustmanager.algorithm	STRING	PKIX	-	client	public	-
all	consumer	ssl.truststore.certificates	PASSWORD	null	-	client	public	-
all	consumer	ssl.truststore.location	STRING	null	-	client	public	-
all	consumer	ssl.truststore.password	PASSWORD	null	-	client	public	-
all	consumer	ssl.truststore.type	STRING	JKS	-	client	public	-
all	consumer	value.deserializer	CLASS	<required>	-	client	public	-
"""
