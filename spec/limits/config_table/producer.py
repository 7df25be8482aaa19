"""Producer configs, as the jars of each release define them.

Made by `tools/config_table.py`, not by hand; see `spec.limits.config_table`.
"""

CONFIGS = """\
all	producer	acks	STRING	all	[all, -1, 0, 1]	client	public	-
all	producer	batch.size	INT	16384	[0,...]	client	public	-
4.4.0	producer	bootstrap.resolve.timeout.ms	LONG	0	[0,...]	client	public	-
4.0.2,4.1.2	producer	bootstrap.servers	LIST		non-null string	client	public	-
4.2.2,4.3.1,4.4.0	producer	bootstrap.servers	LIST	<required>	never empty, never null	client	public	-
all	producer	buffer.memory	LONG	33554432	[0,...]	client	public	-
4.4.0	producer	buffer.memory.allocation.strategy	STRING	full	(case insensitive) [FULL, INCREMENTAL]	client	internal	-
all	producer	client.dns.lookup	STRING	use_all_dns_ips	[use_all_dns_ips, resolve_canonical_bootstrap_servers_only]	client	public	-
all	producer	client.id	STRING		-	client	public	-
4.4.0	producer	client.rack	STRING		-	client	public	-
all	producer	compression.gzip.level	INT	-1	[1,...,9] or -1	client	public	-
all	producer	compression.lz4.level	INT	9	[1,...,17]	client	public	-
all	producer	compression.type	STRING	none	[none, gzip, snappy, lz4, zstd]	client	public	-
all	producer	compression.zstd.level	INT	3	[-131072,...,22]	client	public	-
4.2.2,4.3.1,4.4.0	producer	config.providers	LIST		may be empty, never null	client	public	-
all	producer	connections.max.idle.ms	LONG	540000	-	client	public	-
all	producer	delivery.timeout.ms	INT	120000	[0,...]	client	public	-
all	producer	enable.idempotence	BOOLEAN	true	-	client	public	-
all	producer	enable.metrics.push	BOOLEAN	true	-	client	public	-
4.0.2,4.1.2	producer	interceptor.classes	LIST		non-null string	client	public	-
4.2.2,4.3.1,4.4.0	producer	interceptor.classes	LIST		may be empty, never null	client	public	-
all	producer	key.serializer	CLASS	<required>	-	client	public	-
all	producer	linger.ms	LONG	5	[0,...]	client	public	-
all	producer	max.block.ms	LONG	60000	[0,...]	client	public	-
all	producer	max.in.flight.requests.per.connection	INT	5	[1,...]	client	public	-
all	producer	max.request.size	INT	1048576	[0,...]	client	public	-
4.4.0	producer	metadata.cluster.check.enable	BOOLEAN	true	-	client	public	-
all	producer	metadata.max.age.ms	LONG	300000	[0,...]	client	public	-
all	producer	metadata.max.idle.ms	LONG	300000	[5000,...]	client	public	-
all	producer	metadata.recovery.rebootstrap.trigger.ms	LONG	300000	[0,...]	client	public	-
all	producer	metadata.recovery.strategy	STRING	rebootstrap	(case insensitive) [REBOOTSTRAP, NONE]	client	public	-
4.0.2,4.1.2	producer	metric.reporters	LIST	org.apache.kafka.common.metrics.JmxReporter	non-null string	client	public	-
4.2.2,4.3.1,4.4.0	producer	metric.reporters	LIST	org.apache.kafka.common.metrics.JmxReporter	may be empty, never null	client	public	-
all	producer	metrics.num.samples	INT	2	[1,...]	client	public	-
all	producer	metrics.recording.level	STRING	INFO	[INFO, DEBUG, TRACE]	client	public	-
all	producer	metrics.sample.window.ms	LONG	30000	[0,...]	client	public	-
all	producer	partitioner.adaptive.partitioning.enable	BOOLEAN	true	-	client	public	-
all	producer	partitioner.availability.timeout.ms	LONG	0	[0,...]	client	public	-
all	producer	partitioner.class	CLASS	null	-	client	public	-
all	producer	partitioner.ignore.keys	BOOLEAN	false	-	client	public	-
4.4.0	producer	partitioner.rack.aware	BOOLEAN	false	-	client	public	-
all	producer	receive.buffer.bytes	INT	32768	[-1,...]	client	public	-
all	producer	reconnect.backoff.max.ms	LONG	1000	[0,...]	client	public	-
all	producer	reconnect.backoff.ms	LONG	50	[0,...]	client	public	-
all	producer	request.timeout.ms	INT	30000	[0,...]	client	public	-
all	producer	retries	INT	2147483647	[0,...,2147483647]	client	public	-
all	producer	retry.backoff.max.ms	LONG	1000	[0,...]	client	public	-
all	producer	retry.backoff.ms	LONG	100	[0,...]	client	public	-
all	producer	sasl.client.callback.handler.class	CLASS	null	-	client	public	-
all	producer	sasl.jaas.config	PASSWORD	null	-	client	public	-
all	producer	sasl.kerberos.kinit.cmd	STRING	/usr/bin/kinit	-	client	public	-
all	producer	sasl.kerberos.min.time.before.relogin	LONG	60000	-	client	public	-
all	producer	sasl.kerberos.service.name	STRING	null	-	client	public	-
all	producer	sasl.kerberos.ticket.renew.jitter	DOUBLE	0.05	-	client	public	-
all	producer	sasl.kerberos.ticket.renew.window.factor	DOUBLE	0.8	-	client	public	-
all	producer	sasl.login.callback.handler.class	CLASS	null	-	client	public	-
all	producer	sasl.login.class	CLASS	null	-	client	public	-
all	producer	sasl.login.connect.timeout.ms	INT	null	-	client	public	-
all	producer	sasl.login.read.timeout.ms	INT	null	-	client	public	-
all	producer	sasl.login.refresh.buffer.seconds	SHORT	300	[0,...,3600]	client	public	-
all	producer	sasl.login.refresh.min.period.seconds	SHORT	60	[0,...,900]	client	public	-
all	producer	sasl.login.refresh.window.factor	DOUBLE	0.8	[0.5,...,1.0]	client	public	-
all	producer	sasl.login.refresh.window.jitter	DOUBLE	0.05	[0.0,...,0.25]	client	public	-
all	producer	sasl.login.retry.backoff.max.ms	LONG	10000	-	client	public	-
all	producer	sasl.login.retry.backoff.ms	LONG	100	-	client	public	-
all	producer	sasl.mechanism	STRING	GSSAPI	-	client	public	-
4.4.0	producer	sasl.oauthbearer.allow.unverified.audience	BOOLEAN	false	-	client	public	-
4.4.0	producer	sasl.oauthbearer.allow.unverified.issuer	BOOLEAN	false	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	producer	sasl.oauthbearer.assertion.algorithm	STRING	RS256	(case insensitive) [ES256, RS256]	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	producer	sasl.oauthbearer.assertion.claim.aud	STRING	null	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	producer	sasl.oauthbearer.assertion.claim.exp.seconds	INT	300	[0,...,86400]	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	producer	sasl.oauthbearer.assertion.claim.iss	STRING	null	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	producer	sasl.oauthbearer.assertion.claim.jti.include	BOOLEAN	false	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	producer	sasl.oauthbearer.assertion.claim.nbf.seconds	INT	60	[0,...,3600]	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	producer	sasl.oauthbearer.assertion.claim.sub	STRING	null	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	producer	sasl.oauthbearer.assertion.file	STRING	null	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	producer	sasl.oauthbearer.assertion.private.key.file	STRING	null	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	producer	sasl.oauthbearer.assertion.private.key.passphrase	PASSWORD	null	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	producer	sasl.oauthbearer.assertion.template.file	STRING	null	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	producer	sasl.oauthbearer.client.credentials.client.id	STRING	null	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	producer	sasl.oauthbearer.client.credentials.client.secret	PASSWORD	null	-	client	public	-
all	producer	sasl.oauthbearer.clock.skew.seconds	INT	30	-	client	public	-
4.0.2,4.1.2	producer	sasl.oauthbearer.expected.audience	LIST	null	-	client	public	-
4.2.2,4.3.1,4.4.0	producer	sasl.oauthbearer.expected.audience	LIST		may be empty, never null	client	public	-
all	producer	sasl.oauthbearer.expected.issuer	STRING	null	-	client	public	-
all	producer	sasl.oauthbearer.header.urlencode	BOOLEAN	false	-	client	public	-
all	producer	sasl.oauthbearer.jwks.endpoint.refresh.ms	LONG	3600000	-	client	public	-
all	producer	sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms	LONG	10000	-	client	public	-
all	producer	sasl.oauthbearer.jwks.endpoint.retry.backoff.ms	LONG	100	-	client	public	-
all	producer	sasl.oauthbearer.jwks.endpoint.url	STRING	null	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	producer	sasl.oauthbearer.jwt.retriever.class	CLASS	org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	producer	sasl.oauthbearer.jwt.validator.class	CLASS	org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	producer	sasl.oauthbearer.scope	STRING	null	-	client	public	-
all	producer	sasl.oauthbearer.scope.claim.name	STRING	scope	-	client	public	-
all	producer	sasl.oauthbearer.sub.claim.name	STRING	sub	-	client	public	-
all	producer	sasl.oauthbearer.token.endpoint.url	STRING	null	-	client	public	-
all	producer	security.protocol	STRING	PLAINTEXT	(case insensitive) [SASL_SSL, PLAINTEXT, SSL, SASL_PLAINTEXT]	client	public	-
all	producer	security.providers	STRING	null	-	client	public	-
all	producer	send.buffer.bytes	INT	131072	[-1,...]	client	public	-
all	producer	socket.connection.setup.timeout.max.ms	LONG	30000	-	client	public	-
all	producer	socket.connection.setup.timeout.ms	LONG	10000	-	client	public	-
4.0.2,4.1.2	producer	ssl.cipher.suites	LIST	null	-	client	public	-
4.2.2,4.3.1,4.4.0	producer	ssl.cipher.suites	LIST		may be empty, never null	client	public	-
4.0.2,4.1.2	producer	ssl.enabled.protocols	LIST	TLSv1.2,TLSv1.3	-	client	public	-
4.2.2,4.3.1,4.4.0	producer	ssl.enabled.protocols	LIST	TLSv1.2,TLSv1.3	may be empty, never null	client	public	-
all	producer	ssl.endpoint.identification.algorithm	STRING	https	-	client	public	-
all	producer	ssl.engine.factory.class	CLASS	null	-	client	public	-
all	producer	ssl.key.password	PASSWORD	null	-	client	public	-
all	producer	ssl.keymanager.algorithm	STRING	SunX509	-	client	public	-
all	producer	ssl.keystore.certificate.chain	PASSWORD	null	-	client	public	-
all	producer	ssl.keystore.key	PASSWORD	null	-	client	public	-
all	producer	ssl.keystore.location	STRING	null	-	client	public	-
all	producer	ssl.keystore.password	PASSWORD	null	-	client	public	-
all	producer	ssl.keystore.type	STRING	JKS	-	client	public	-
all	producer	ssl.protocol	STRING	TLSv1.3	-	client	public	-
all	producer	ssl.provider	STRING	null	-	client	public	-
all	producer	ssl.secure.random.implementation	STRING	null	-	client	public	-
all	producer	ssl.trustmanager.algorithm	STRING	PKIX	-	client	public	-
all	producer	ssl.truststore.certificates	PASSWORD	null	-	client	public	-
all	producer	ssl.truststore.location	STRING	null	-	client	public	-
all	producer	ssl.truststore.password	PASSWORD	null	-	client	public	-
all	producer	ssl.truststore.type	STRING	JKS	-	client	public	-
all	producer	transaction.timeout.ms	INT	60000	-	client	public	-
4.1.2,4.2.2,4.3.1,4.4.0	producer	transaction.two.phase.commit.enable	BOOLEAN	false	-	client	public	-
all	producer	transactional.id	STRING	null	non-empty string	client	public	-
all	producer	value.serializer	CLASS	<required>	-	client	public	-
"""
