package io.distributedlock.autoconfigure;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockCapability;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockType;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedSemaphore;
import io.distributedlock.annotation.OnContention;
import io.distributedlock.annotation.ScheduledLock;
import io.distributedlock.autoconfigure.etcd.EtcdLockAutoConfiguration;
import io.distributedlock.autoconfigure.execution.LockExecutionAutoConfiguration;
import io.distributedlock.autoconfigure.jdbc.JdbcLockAutoConfiguration;
import io.distributedlock.autoconfigure.memcached.MemcachedLockAutoConfiguration;
import io.distributedlock.autoconfigure.redis.RedisLockAutoConfiguration;
import io.distributedlock.autoconfigure.redis.RedissonLockAutoConfiguration;
import io.distributedlock.autoconfigure.redis.RedlockAutoConfiguration;
import io.distributedlock.autoconfigure.zookeeper.ZooKeeperLockAutoConfiguration;
import io.distributedlock.engine.DefaultLockTemplate;
import io.distributedlock.local.LocalLockProvider;
import io.distributedlock.spi.LockProvider;
import io.distributedlock.test.server.RedisTestServer;
import io.lettuce.core.RedisClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.Answers;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.PropertySourcesPlaceholderConfigurer;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Every way to misconfigure locks: the application does not start, and instead of a stack
 * trace it says what is wrong and what to do about this mistake. All failure analyzers
 * are asked, those of Spring Boot too, as when an application starts.
 */
class MisconfigurationTests {

	private static final String[] REDIS = { "spring.data.redis.port=${redis.port}", "lock.fail-fast=true" };

	private static @Nullable RedisTestServer redis;

	private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(AutoConfigurations
		.of(DistributedLockAutoConfiguration.class, LockExecutionAutoConfiguration.class,
				LocalLockAutoConfiguration.class, RedissonLockAutoConfiguration.class, RedisLockAutoConfiguration.class,
				RedlockAutoConfiguration.class, JdbcLockAutoConfiguration.class, ZooKeeperLockAutoConfiguration.class,
				EtcdLockAutoConfiguration.class, MemcachedLockAutoConfiguration.class, SslAutoConfiguration.class));

	@BeforeAll
	static void startRedis() {
		redis = RedisTestServer.run();
	}

	@AfterAll
	static void stopRedis() {
		Objects.requireNonNull(redis).close();
	}

	static Stream<Mistake> annotations() {
		return Stream.of(
				annotation(UnknownParameter.class)
					.describedBy("UnknownParameter.run(String)", "key = \"#idd\"", "no parameter 'idd'")
					.advised("#id", "SpEL"),
				annotation(UnquotedLiteral.class).describedBy("key", "no property 'orders'").advised("'orders'"),
				annotation(UnknownFunction.class).describedBy("key = \"#format(#id)\"", "no parameter 'format'")
					.advised("#id"),
				annotation(MethodOfNothing.class).describedBy("key = \"format(#id)\"", "no method 'format'")
					.advised("#id.format(…)", "T("),
				annotation(BrokenExpression.class).describedBy("key", "not a SpEL expression").advised("'#id..name'"),
				annotation(PlaceholderInKey.class).describedBy("key", "placeholders").advised("name"),
				annotation(BlankKey.class).describedBy("key", "blank").advised("leave the key out"),
				annotation(TwoKeys.class).describedBy("TwoKeys.run(String, String)", "'key'", "'value'", "#a", "#b")
					.advised("one of two attributes"),
				annotation(TwoKeysOnTheSecondMethod.class)
					.describedBy("TwoKeysOnTheSecondMethod.second(String, String)", "#a", "#b")
					.advised("one of two attributes"),
				annotation(TwoKeysOfOwn.class).describedBy("TwoKeysOfOwn.run(String, String)", "#a", "#b")
					.advised("one of two attributes", "@AliasFor"),
				annotation(UnknownInCondition.class).describedBy("condition", "no parameter 'nope'").advised("#id"),
				annotation(TextAsCondition.class).describedBy("condition = \"'yes'\"", "boolean").advised("comparison"),
				annotation(NumberAsCondition.class).describedBy("condition = \"1\"", "boolean").advised("comparison"),
				annotation(TemplateAsCondition.class).describedBy("condition = \"#{#a} and #{#b}\"", "boolean")
					.advised("one expression"),
				annotation(QuotedKey.class).describedBy("key = \"'order:#id'\"", "the same for all calls")
					.advised("without quotes"),
				annotation(QuotedPart.class).describedBy("QuotedPart.run(String)", "the same for all calls")
					.advised("without quotes"),
				annotation(QuotedPartOfATemplate.class).describedBy("the same for all calls").advised("without quotes"),
				annotation(MirrorOfOwn.class).describedBy("MirrorOfOwn.run(String)", "waitTime of @MirrorLock")
					.advised("@AliasFor", "another name"),
				annotation(AttributeOfOwn.class).describedBy("AttributeOfOwn.run(String)", "waitTime of @PatientLock")
					.advised("@AliasFor", "another name"),
				annotation(NullAsKey.class).describedBy("key = \"null\"", "always null").advised("leave the key out"),
				annotation(ExpressionAsName.class).describedBy("name = \"#id\"", "the same for all calls")
					.advised("into key"),
				annotation(ExpressionInName.class).describedBy("name = \"order-#id\"", "the same for all calls")
					.advised("into key"),
				annotation(NoUnit.class).describedBy("waitTime = \"5\"", "without a unit").advised("30s"),
				annotation(BlankName.class).describedBy("name = \" \"", "blank").advised("leave it out"),
				annotation(UnheldSchedule.class).describedBy("holdAtLeast", "minimum hold time").advised("30s"),
				annotation(NoParameters.class).describedBy("no parameter 'p5'").advised("#root"),
				annotation(NoDuration.class).describedBy("leaseTime = \"5 parsecs\"", "not a duration").advised("30s"),
				annotation(SeveralParts.class).describedBy("leaseTime = \"1m30s\"", "several parts").advised("30s"),
				annotation(NegativeTime.class).describedBy("waitTime = \"-5s\"", "negative").advised("0"),
				annotation(ZeroLease.class).describedBy("leaseTime", "zero").advised("-1"),
				annotation(NoSuchProperty.class)
					.describedBy("@DistributedLock on", "NoSuchProperty.run()", "waitTime = \"${no.such}\"")
					.advised("no.such"),
				annotation(NoSuchProperty.class)
					.with("placeholders", PropertySourcesPlaceholderConfigurer.class,
							PropertySourcesPlaceholderConfigurer::new)
					.describedBy("@DistributedLock on", "NoSuchProperty.run()", "waitTime = \"${no.such}\"")
					.advised("no.such"),
				annotation(TooShort.class, "lock.provider=memcached").describedBy("TooShort.run()", "memcached", "1s")
					.advised("another lease time"),
				annotation(HeldTooLong.class).describedBy("minimum hold time", "20s", "10s")
					.advised("longer lease time"),
				annotation(OnEtcd.class).describedBy("OnEtcd.run()", "'etcd'", "local")
					.advised("lock.providers", "io.distributedlock:lock-spring-boot-starter-etcd"),
				annotation(OnReddison.class).describedBy("'reddison'").advised("redisson, redis,"),
				annotation(NeedsFailover.class).describedBy("SURVIVES_FAILOVER", "local").advised("another provider"),
				annotation(ExactWithoutKey.class).describedBy("exactKey = \"true\"", "no key").advised("full key"),
				annotation(Unnamed.class, "lock.require-name=true")
					.describedBy("Unnamed.first(String)", "Unnamed.second()", "without one")
					.advised("name", "lock.require-name=false"),
				annotation(NamedByProperty.class, "lock.require-name=true")
					.describedBy("NamedByProperty.run(String)", "without one")
					.advised("name"),
				annotation(Unnamed.class, "lock.require-name=true").with("lambda", UnnamedApi.class, () -> (id) -> {
				}).describedBy("MisconfigurationTests$UnnamedApi.run(String)").advised("name"),
				annotation(NoPermits.class).describedBy("permits", "number of permits")
					.advised("@DistributedSemaphore"),
				annotation(ZeroPermits.class).describedBy("permits = \"0\"").advised("number from 1"),
				annotation(NegativeWaiters.class).describedBy("maxWaiters = \"-2\"").advised("-1"),
				annotation(NoFallback.class).describedBy("fallback = \"other\"", "no method").advised("same class"),
				annotation(OtherFallback.class).describedBy("fallback", "returns int").advised("same type"),
				annotation(NoHandler.class).describedBy("handler = \"nobody\"").advised("LockContentionHandler"),
				annotation(TwoPolicies.class).describedBy("exclude each other").advised("Keep one"),
				annotation(SkippedNumber.class).describedBy("onContention", "int").advised("fallback"),
				annotation(Unwoven.class, "lock.mode=aspectj").describedBy("lock.mode is aspectj", "not woven")
					.advised("-javaagent:aspectjweaver.jar", "lock.mode=proxy"),
				annotation(OutlivingType.class).describedBy("OutlivingType.run()").advised("LockTemplate"));
	}

	static Stream<Mistake> properties() {
		return Stream.of(
				property("lock.provider=LOCAL").describedBy("lock.provider is 'LOCAL'").advised("redisson, redis,"),
				property("lock.provider=local", "lock.key-prefix=${no.such}:lock")
					.describedBy("lock.key-prefix", "${no.such}")
					.advised("lock.key-prefix"),
				property("lock.provider=reddison").describedBy("lock.provider is 'reddison'")
					.advised("redisson, redis,"),
				property("lock.provider=hazelcast").describedBy("'hazelcast'")
					.advised("redisson, redis,", "LockProvider bean"),
				property("lock.provider=local", "lock.providers=reddis")
					.describedBy("lock.providers", "'reddis'", "[local]")
					.advised("redisson, redis,"),
				property().describedBy("several").advised("lock.provider"),
				local("lock.wait-time=5").describedBy("lock.wait-time", "without a unit").advised("30s"),
				local("lock.wait-time=5 parsecs").describedBy("lock.wait-time", "5 parsecs").advised("configuration"),
				local("lock.wait-time=-5s").describedBy("lock.wait-time", "negative").advised("lock.wait-time"),
				local("lock.lease-time=-5s").describedBy("lock.lease-time", "positive")
					.advised("lock.lease-time", "-1"),
				property("lock.provider=memcached", "lock.lease-time=1s")
					.describedBy("lock.lease-time", "1s", "memcached")
					.advised("lock.lease-time"),
				property("lock.provider=jdbc", "lock.jdbc.url=jdbc:h2:mem:delay", "lock.jdbc.username=sa",
						"lock.jdbc.strategy=for-update", "lock.lock-delay=1s")
					.describedBy("lock.lock-delay", "LOCK_DELAY", "jdbc")
					.advised("lock.lock-delay"),
				local("lock.renewal.lease-time=0").describedBy("lock.renewal.lease-time", "positive")
					.advised("lock.renewal.lease-time"),
				property("lock.provider=memcached", "lock.renewal.lease-time=1s")
					.describedBy("lock.renewal.lease-time", "1s", "memcached")
					.advised("lock.renewal.lease-time"),
				local("lock.order=first").describedBy("lock.order", "first").advised("configuration"),
				local("lock.enabled=maybe").describedBy("lock.enabled", "maybe").advised("configuration"),
				local("lock.fail-fast=maybe").describedBy("lock.fail-fast", "maybe").advised("configuration"),
				property("lock.provider=redisson", "spring.data.redis.sentinel.master=m").describedBy("sentinel.nodes")
					.advised("host:port"),
				property("lock.provider=redis", "spring.data.redis.sentinel.master=m").describedBy("sentinel.nodes")
					.advised("host:port"),
				property("lock.provider=redisson", "spring.data.redis.sentinel.nodes=s1:26379")
					.describedBy("sentinel.master")
					.advised("host:port"),
				property("lock.provider=redis", "spring.data.redis.port=99999").describedBy("spring.data.redis.port")
					.advised("65535"),
				property("lock.provider=redisson", "spring.data.redis.port=99999").describedBy("spring.data.redis.port")
					.advised("65535"),
				property("lock.provider=redisson", "spring.data.redis.database=-1")
					.describedBy("spring.data.redis.database")
					.advised("from 0"),
				property("lock.provider=redis", "spring.data.redis.database=-1")
					.describedBy("spring.data.redis.database")
					.advised("from 0"),
				property("lock.provider=redisson", "lock.redisson.config=classpath:none.yaml")
					.describedBy("lock.redisson.config", "none.yaml")
					.advised("location"),
				property("lock.provider=zookeeper", "lock.zookeeper.session-timeout=100d")
					.describedBy("lock.zookeeper.session-timeout")
					.advised("lock.zookeeper.session-timeout"),
				property("lock.provider=zookeeper", "lock.zookeeper.session-timeout=-1s")
					.describedBy("lock.zookeeper.session-timeout")
					.advised("lock.zookeeper.session-timeout"),
				property("lock.provider=zookeeper", "lock.zookeeper.connection-timeout=-1s")
					.describedBy("lock.zookeeper.connection-timeout")
					.advised("lock.zookeeper.connection-timeout"),
				property("lock.provider=redlock", "lock.redis.redlock.nodes=redis://a,redis://b,redis://c",
						"lock.redis.redlock.node-timeout=0")
					.describedBy("lock.redis.redlock.node-timeout")
					.advised("lock.redis.redlock.node-timeout"),
				property("lock.provider=jdbc", "lock.jdbc.url=jdbc:h2:mem:x", "lock.jdbc.threads=0")
					.describedBy("lock.jdbc.threads")
					.advised("lock.jdbc.threads"),
				property("lock.provider=jdbc", "lock.jdbc.url=jdbc:h2:mem:x", "lock.jdbc.username=sa",
						"lock.jdbc.sweep-after=-1s")
					.describedBy("lock.jdbc.sweep-after")
					.advised("lock.jdbc.sweep-after"),
				property("lock.provider=jdbc", "lock.jdbc.url=jdbc:h2:mem:x", "lock.jdbc.dialect=oracle")
					.describedBy("lock.jdbc.dialect", "oracle")
					.advised("POSTGRESQL"),
				local("lock.command-timeout=-1s").describedBy("lock.command-timeout").advised("lock.command-timeout"),
				local("lock.poll-interval=0").describedBy("lock.poll-interval").advised("lock.poll-interval"),
				local("lock.lock-delay=2d").describedBy("lock.lock-delay").advised("lock.lock-delay"),
				local("lock.hand-over.window=-1s").describedBy("lock.hand-over.window")
					.advised("lock.hand-over.window"),
				local("lock.hand-over.limit=0").describedBy("lock.hand-over.limit").advised("lock.hand-over.limit"),
				local("lock.interop.polling=-1s").describedBy("lock.interop.polling").advised("lock.interop.polling"),
				local("lock.warn-after=0").describedBy("lock.warn-after").advised("lock.warn-after"),
				local("lock.shutdown-timeout=-1s").describedBy("lock.shutdown-timeout").advised("10s"),
				local("lock.key-prefix=" + "p".repeat(200)).describedBy("lock.key-prefix", "200 characters")
					.advised("lock.key-prefix"),
				local("lock.executor.threads=0").describedBy("lock.executor.threads").advised("at least 1"),
				local("lock.executor.threads=many").describedBy("lock.executor.threads", "many")
					.advised("configuration"),
				local("lock.executor.queue-capacity=-1").describedBy("lock.executor.queue-capacity")
					.advised("0 for no queue"),
				local("lock.mode=weaving").describedBy("lock.mode", "weaving").advised("ASPECTJ", "PROXY"),
				property("lock.provider=jdbc").describedBy("no DataSource")
					.advised("spring.datasource.url", "lock.jdbc.url", "R2DBC"),
				property("lock.provider=jdbc", "lock.jdbc.url=jdbc:h2:mem:x").without(HikariDataSource.class)
					.describedBy("lock.jdbc.url", "HikariCP")
					.advised("com.zaxxer:HikariCP"),
				property("lock.provider=jdbc", "lock.jdbc.url=jdbc:postgresql://localhost/x")
					.describedBy("lock.jdbc.url", "driver")
					.advised("org.postgresql:postgresql"),
				property("lock.provider=jdbc", "lock.jdbc.url=jdbc:nosuch://localhost/x")
					.describedBy("lock.jdbc.url", "driver")
					.advised("driver"),
				property("lock.provider=jdbc", "lock.jdbc.url=localhost/x").describedBy("lock.jdbc.url")
					.advised("jdbc:"),
				property("lock.provider=redisson", "spring.data.redis.url=localhost:6379")
					.describedBy("spring.data.redis.url")
					.advised("redis://"),
				property("lock.provider=redis", "spring.data.redis.url=http://localhost:6379")
					.describedBy("spring.data.redis.url")
					.advised("redis://"),
				property("lock.provider=redis", "spring.data.redis.url=redis://redis_1:6379")
					.describedBy("spring.data.redis.url")
					.advised("no underscore"),
				property("lock.provider=redisson", "spring.data.redis.url=redis://redis_1:6379")
					.describedBy("spring.data.redis.url")
					.advised("no underscore"),
				property("lock.provider=redlock",
						"lock.redis.redlock.nodes=redis://redis_1,redis://redis_2,redis://redis_3")
					.describedBy("lock.redis.redlock.nodes[0]")
					.advised("no underscore"),
				property("lock.provider=redis", "spring.data.redis.cluster.nodes=one:two")
					.describedBy("cluster.nodes", "one:two")
					.advised("host:port"),
				property("lock.provider=redis", "spring.data.redis.cluster.nodes=one:66000")
					.describedBy("cluster.nodes", "one:66000")
					.advised("host:port"),
				property("lock.provider=redlock", "lock.redis.redlock.nodes=localhost:1,localhost:2,localhost:3")
					.describedBy("lock.redis.redlock.nodes[0]")
					.advised("redis://"),
				property("lock.provider=redlock", "lock.redis.redlock.nodes=redis://a").describedBy("at least three")
					.advised("lock.provider=redis"),
				property("lock.provider=etcd", "lock.etcd.endpoints=localhost:2379")
					.describedBy("lock.etcd.endpoints", "localhost:2379")
					.advised("http://"),
				property("lock.provider=etcd", "lock.etcd.endpoints=http://a b").describedBy("lock.etcd.endpoints")
					.advised("http://"),
				property("lock.provider=zookeeper", "lock.zookeeper.connect-string=one:two")
					.describedBy("lock.zookeeper.connect-string", "one:two")
					.advised("server1:2181"),
				property("lock.provider=zookeeper", "lock.zookeeper.connect-string=zk://one")
					.describedBy("lock.zookeeper.connect-string", "zk:")
					.advised("server1:2181"),
				property("lock.provider=zookeeper", "lock.zookeeper.root=locks")
					.describedBy("lock.zookeeper.root", "locks")
					.advised("/locks"),
				property("lock.provider=memcached", "lock.memcached.servers=one:two")
					.describedBy("lock.memcached.servers")
					.advised("host:port"),
				property("lock.provider=memcached", "lock.memcached.servers=memcached://one")
					.describedBy("lock.memcached.servers")
					.advised("host:port"),
				property("lock.provider=etcd", "lock.etcd.username=shop").describedBy("lock.etcd.password")
					.advised("lock.etcd.username"),
				property("lock.provider=zookeeper", "lock.zookeeper.username=shop", "lock.zookeeper.password=")
					.describedBy("lock.zookeeper.password")
					.advised("lock.zookeeper.username"),
				property("lock.provider=memcached", "lock.memcached.password=secret")
					.describedBy("lock.memcached.username")
					.advised("lock.memcached.password"),
				property("lock.provider=redis", "spring.data.redis.ssl.bundle=nope",
						"spring.ssl.bundle.pem.web.reload-on-update=false")
					.describedBy("spring.data.redis.ssl.bundle", "'nope'", "[web]")
					.advised("spring.ssl.bundle"),
				property("lock.provider=redlock", "lock.redis.redlock.ssl-bundle=nope",
						"lock.redis.redlock.nodes=rediss://a,rediss://b,rediss://c")
					.describedBy("lock.redis.redlock.ssl-bundle", "'nope'")
					.advised("spring.ssl.bundle"),
				property("lock.provider=etcd", "lock.etcd.ssl-bundle=nope")
					.describedBy("lock.etcd.ssl-bundle", "'nope'")
					.advised("spring.ssl.bundle"),
				property("lock.provider=redis", "spring.data.redis.masterreplica.nodes=one:6379,two:6379")
					.describedBy("spring.data.redis.masterreplica.nodes", "primary")
					.advised("spring.data.redis.sentinel"),
				property("lock.provider=redisson", "spring.data.redis.masterreplica.nodes=one:6379,two:6379")
					.describedBy("spring.data.redis.masterreplica.nodes", "primary")
					.advised("spring.data.redis.sentinel"),
				property("lock.provider=redis").with("one", RedisClient.class, RedisClient::create)
					.with("two", RedisClient.class, RedisClient::create)
					.describedBy("'redis'", "one", "two")
					.advised("@Primary", "RedisLockProvider"),
				property("lock.provider=redis").with("one", RedisConnectionFactory.class, LettuceConnectionFactory::new)
					.with("two", RedisConnectionFactory.class, LettuceConnectionFactory::new)
					.describedBy("'redis'", "one", "two")
					.advised("@Primary", "RedisLockProvider"),
				property("lock.provider=redisson").with("one", RedissonClient.class, MisconfigurationTests::redisson)
					.with("two", RedissonClient.class, MisconfigurationTests::redisson)
					.describedBy("'redisson'", "one", "two")
					.advised("@Primary", "RedissonLockProvider"),
				property("lock.provider=jdbc").with("one", DataSource.class, HikariDataSource::new)
					.with("two", DataSource.class, HikariDataSource::new)
					.describedBy("'jdbc'", "one", "two")
					.advised("@Primary", "lock.jdbc.url"),
				property("lock.provider=jdbc").with("tenants", DataSource.class, MisconfigurationTests::tenants)
					.describedBy("AbstractRoutingDataSource", "lookup key [null]")
					.advised("lock.jdbc.url"),
				property("lock.provider=jdbc", "lock.jdbc.dialect=postgresql", "lock.jdbc.initialize-schema=never")
					.with("tenants", DataSource.class, () -> new LazyConnectionDataSourceProxy(tenants()))
					.describedBy("AbstractRoutingDataSource", "lookup key [null]")
					.advised("lock.jdbc.url"),
				property("lock.provider=jdbc").with("orders", DataSource.class, MisconfigurationTests::oracle)
					.describedBy("the database Oracle", "only H2, PostgreSQL, MariaDB and MySQL")
					.advised("lock.jdbc.url", "separate database"),
				local().with("one", LockProvider.class, LocalLockProvider::new)
					.describedBy("two lock providers named 'local'", "a second LockTemplate")
					.advised("bean"),
				local().with("one", LockTemplate.class, MisconfigurationTests::template)
					.with("two", LockTemplate.class, MisconfigurationTests::template)
					.with("locked", Locked.class, Locked::new)
					.describedBy("Annotated methods use one LockTemplate", "one", "two")
					.advised("@Primary", "lock.providers"));
	}

	static Stream<Mistake> redis() {
		return Stream.of("redis", "redisson")
			.flatMap((provider) -> Stream.of(

					onRedis(provider, "spring.data.redis.username=me", "spring.data.redis.password=secret")
						.describedBy(provider, "credentials")
						.advised("spring.data.redis.password"),
					onRedis(provider, "spring.data.redis.database=99").describedBy(provider)
						.advised("spring.data.redis.database"),
					onRedis(provider, "spring.data.redis.ssl.enabled=true", "lock.command-timeout=2s")
						.describedBy(provider)
						.advised("spring.data.redis.ssl", "TLS")));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource({ "annotations", "properties", "redis" })
	void isExplained(Mistake mistake) {
		AtomicReference<ConfigurableApplicationContext> started = new AtomicReference<>();
		mistake.application.apply(this.runner)
			.withInitializer(started::set)
			.withPropertyValues("redis.port=" + Objects.requireNonNull(redis).port())
			.run((context) -> {
				Throwable failure = context.getStartupFailure();
				assertThat(failure).as("failure to start").isNotNull();
				FailureAnalysis analysis = analyze(failure, started.get());
				assertThat(analysis).as(() -> "analysis of " + failure).isNotNull();
				assertThat(analysis.getDescription()).contains(mistake.description).doesNotContain("secret", "\tat ");
				assertThat(analysis.getAction()).contains(mistake.action);
			});
	}

	private static @Nullable FailureAnalysis analyze(Throwable failure, ConfigurableApplicationContext context) {
		return SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class,
					ArgumentResolver.of(BeanFactory.class, context.getBeanFactory())
						.and(Environment.class, context.getEnvironment()),
					// an analyzer of a library that is not there
					(type, name, absent) -> {
					})
			.stream()
			// as on a class path where this library comes last
			.sorted(Comparator.comparing((analyzer) -> analyzer.getClass().getName().startsWith("io.distributedlock")))
			.sorted(AnnotationAwareOrderComparator.INSTANCE)
			.map((analyzer) -> analyzer.analyze(failure))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	private static Mistake annotation(Class<?> bean, String... properties) {
		return new Mistake(bean.getSimpleName(),
				(runner) -> runner.withPropertyValues("lock.provider=local")
					.withPropertyValues(properties)
					.withBean(bean));
	}

	private static Mistake local(String... properties) {
		return new Mistake(List.of(properties).toString(),
				(runner) -> runner.withPropertyValues("lock.provider=local").withPropertyValues(properties));
	}

	private static Mistake property(String... properties) {
		return new Mistake(List.of(properties).toString(), (runner) -> runner.withPropertyValues(properties));
	}

	private static Mistake onRedis(String provider, String... properties) {
		return new Mistake(provider + " " + List.of(properties),
				(runner) -> runner.withPropertyValues(REDIS)
					.withPropertyValues("lock.provider=" + provider)
					.withPropertyValues(properties));
	}

	/**
	 * A mistake, and what an application says about it.
	 *
	 * @param name the name of the test
	 * @param application has the mistake
	 * @param description parts of what is wrong
	 * @param action parts of what to do
	 */
	record Mistake(String name, UnaryOperator<ApplicationContextRunner> application, List<String> description,
			List<String> action) {

		Mistake(String name, UnaryOperator<ApplicationContextRunner> application) {
			this(name, application, List.of(), List.of());
		}

		Mistake describedBy(String... parts) {
			return new Mistake(this.name, this.application, List.of(parts), this.action);
		}

		Mistake advised(String... parts) {
			return new Mistake(this.name, this.application, this.description, List.of(parts));
		}

		Mistake without(Class<?>... types) {
			return in(this.name + " without " + List.of(types),
					(runner) -> runner.withClassLoader(new FilteredClassLoader(types)));
		}

		<T> Mistake with(String beanName, Class<T> type, Supplier<T> bean) {
			return in(this.name + " with " + beanName, (runner) -> runner.withBean(beanName, type, bean));
		}

		private Mistake in(String changed, UnaryOperator<ApplicationContextRunner> change) {
			return new Mistake(changed, (runner) -> change.apply(this.application.apply(runner)), this.description,
					this.action);
		}

		@Override
		public String toString() {
			return this.name;
		}

	}

	private static LockTemplate template() {
		return DefaultLockTemplate.builder().provider(new LocalLockProvider()).build();
	}

	private static RedissonClient redisson() {
		Config config = new Config().setLazyInitialization(true);
		config.useSingleServer().setAddress("redis://127.0.0.1:1");
		return Redisson.create(config);
	}

	private static DataSource oracle() {
		DataSource oracle = mock(Answers.RETURNS_DEEP_STUBS);
		try {
			given(oracle.getConnection().getMetaData().getDatabaseProductName()).willReturn("Oracle");
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		return oracle;
	}

	private static AbstractRoutingDataSource tenants() {
		AbstractRoutingDataSource tenants = new AbstractRoutingDataSource() {
			@Override
			protected @Nullable Object determineCurrentLookupKey() {
				return null;
			}
		};
		tenants.setTargetDataSources(Map.of("shop", new HikariDataSource()));
		tenants.afterPropertiesSet();
		return tenants;
	}

	static class Locked {

		@DistributedLock
		public void run() {
		}

	}

	static class UnknownParameter {

		@DistributedLock("#idd")
		public void run(String id) {
		}

	}

	static class UnquotedLiteral {

		@DistributedLock("orders")
		public void run(String id) {
		}

	}

	static class UnknownFunction {

		@DistributedLock("#format(#id)")
		public void run(String id) {
		}

	}

	static class MethodOfNothing {

		@DistributedLock("format(#id)")
		public void run(String id) {
		}

	}

	static class BrokenExpression {

		@DistributedLock("#id..name")
		public void run(String id) {
		}

	}

	static class PlaceholderInKey {

		@DistributedLock("${shop.key}")
		public void run(String id) {
		}

	}

	static class BlankKey {

		@DistributedLock("' '")
		public void run(String id) {
		}

	}

	static class TwoKeys {

		@DistributedLock(key = "#a", value = "#b")
		public void run(String a, String b) {
		}

	}

	static class TwoKeysOnTheSecondMethod {

		@DistributedLock("#a")
		public void first(String a) {
		}

		@DistributedLock(key = "#a", value = "#b")
		public void second(String a, String b) {
		}

	}

	@DistributedLock
	@Retention(RetentionPolicy.RUNTIME)
	@interface OwnLock {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String id() default "";

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String part() default "";

	}

	static class TwoKeysOfOwn {

		@OwnLock(id = "#a", part = "#b")
		public void run(String a, String b) {
		}

	}

	static class UnknownInCondition {

		@DistributedLock(key = "#id", condition = "#nope")
		public void run(String id) {
		}

	}

	static class TextAsCondition {

		@DistributedLock(condition = "'yes'")
		public void run() {
		}

	}

	static class NumberAsCondition {

		@DistributedLock(condition = "1")
		public void run() {
		}

	}

	static class TemplateAsCondition {

		@DistributedLock(condition = "#{#a} and #{#b}")
		public void run(boolean a, boolean b) {
		}

	}

	static class QuotedKey {

		@DistributedLock("'order:#id'")
		public void run(String id) {
		}

	}

	static class QuotedPart {

		@DistributedLock("'order:' + (#id.isEmpty() ? '' : '#id')")
		public void run(String id) {
		}

	}

	static class QuotedPartOfATemplate {

		@DistributedLock("order-#{#id.length()}-#id")
		public void run(String id) {
		}

	}

	@DistributedLock("#id")
	@Retention(RetentionPolicy.RUNTIME)
	@interface MirrorLock {

		@AliasFor("timeout")
		String waitTime() default "5s";

		@AliasFor("waitTime")
		String timeout() default "5s";

	}

	static class MirrorOfOwn {

		@MirrorLock(timeout = "10s")
		public void run(String id) {
		}

	}

	@DistributedLock("#id")
	@Retention(RetentionPolicy.RUNTIME)
	@interface PatientLock {

		String waitTime() default "5s";

	}

	static class AttributeOfOwn {

		@PatientLock(waitTime = "10s")
		public void run(String id) {
		}

	}

	static class NullAsKey {

		@DistributedLock("null")
		public void run() {
		}

	}

	static class ExpressionAsName {

		@DistributedLock(name = "#id")
		public void run(String id) {
		}

	}

	static class ExpressionInName {

		@DistributedLock(name = "order-#id")
		public void run(String id) {
		}

	}

	static class NoUnit {

		@DistributedLock(waitTime = "5")
		public void run() {
		}

	}

	static class BlankName {

		@DistributedLock(name = " ")
		public void run() {
		}

	}

	static class UnheldSchedule {

		@ScheduledLock(holdAtLeast = "")
		public void run() {
		}

	}

	static class NoParameters {

		@DistributedLock(key = "#p5")
		public void run() {
		}

	}

	static class NoDuration {

		@DistributedLock(leaseTime = "5 parsecs")
		public void run() {
		}

	}

	static class SeveralParts {

		@DistributedLock(leaseTime = "1m30s")
		public void run() {
		}

	}

	static class NegativeTime {

		@DistributedLock(waitTime = "-5s")
		public void run() {
		}

	}

	static class ZeroLease {

		@DistributedLock(leaseTime = "0s")
		public void run() {
		}

	}

	static class NoSuchProperty {

		@DistributedLock(waitTime = "${no.such}")
		public void run() {
		}

	}

	static class TooShort {

		@DistributedLock(leaseTime = "1s")
		public void run() {
		}

	}

	static class HeldTooLong {

		@DistributedLock(leaseTime = "10s", holdAtLeast = "20s")
		public void run() {
		}

	}

	static class OnEtcd {

		@DistributedLock(provider = "etcd")
		public void run() {
		}

	}

	static class OnReddison {

		@DistributedLock(provider = "reddison")
		public void run() {
		}

	}

	static class NeedsFailover {

		@DistributedLock(requires = LockCapability.SURVIVES_FAILOVER)
		public void run() {
		}

	}

	static class ExactWithoutKey {

		@DistributedLock(exactKey = true)
		public void run() {
		}

	}

	static class Unnamed {

		@DistributedLock("#id")
		public void first(String id) {
		}

		@DistributedLock(name = "both", key = "'a'")
		@DistributedLock
		public void second() {
		}

	}

	static class NamedByProperty {

		@DistributedLock(name = "${no.such.name:}", key = "#id")
		public void run(String id) {
		}

	}

	interface UnnamedApi {

		@DistributedLock("#id")
		void run(String id);

	}

	static class NoPermits {

		@DistributedLock(type = LockType.SEMAPHORE)
		public void run() {
		}

	}

	static class ZeroPermits {

		@DistributedSemaphore(permits = "0")
		public void run() {
		}

	}

	static class NegativeWaiters {

		@DistributedLock(maxWaiters = -2)
		public void run() {
		}

	}

	static class NoFallback {

		@DistributedLock(fallback = "other")
		public void run() {
		}

	}

	static class OtherFallback {

		@DistributedLock(fallback = "other")
		public String run() {
			return "";
		}

		int other() {
			return 1;
		}

	}

	static class NoHandler {

		@DistributedLock(handler = "nobody")
		public void run() {
		}

	}

	static class TwoPolicies {

		@DistributedLock(onContention = OnContention.SKIP, handler = "nobody")
		public void run() {
		}

	}

	static class SkippedNumber {

		@DistributedLock(onContention = OnContention.SKIP)
		public int run() {
			return 1;
		}

	}

	static class Unwoven {

		@DistributedLock
		public void run() {
		}

	}

	static class OutlivingType {

		@DistributedLock
		public Iterator<String> run() {
			return Collections.emptyIterator();
		}

	}

}
