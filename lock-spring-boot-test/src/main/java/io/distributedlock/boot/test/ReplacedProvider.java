package io.distributedlock.boot.test;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

import io.distributedlock.LockCapability;
import io.distributedlock.spi.LeaseLimits;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * What the providers of this library are called, and what they can do. A test compares
 * this with docs/providers/README.md, and with what the providers say.
 */
enum ReplacedProvider {

	REDISSON("redisson.RedissonLockProvider", true),

	REDIS("redis.RedisLockProvider", true),

	REDLOCK("redis.RedlockProvider", false),

	JDBC("jdbc.JdbcLocks", true),

	ZOOKEEPER("zookeeper.ZooKeeperLockProvider", true),

	ETCD("etcd.EtcdLockProvider", true),

	MEMCACHED("memcached.MemcachedLockProvider", true),

	LOCAL("local.LocalLockProvider", false);

	private static final Set<String> SESSION_STRATEGIES = Set.of("forupdate", "advisory");

	private final String className;

	/**
	 * Whether it is enough that it is on the class path.
	 */
	private final boolean unnamed;

	ReplacedProvider(String className, boolean unnamed) {
		this.className = "io.distributedlock." + className;
		this.unnamed = unnamed;
	}

	static Optional<ReplacedProvider> of(String name) {
		return Arrays.stream(values()).filter((each) -> each.providerName().equals(name)).findFirst();
	}

	String providerName() {
		return name().toLowerCase(Locale.ROOT);
	}

	/**
	 * Return the name of its bean, which no bean of the application has.
	 */
	String beanName() {
		return "distributedLockProvider" + StringUtils.capitalize(providerName());
	}

	/**
	 * Return the name of a bean of the application that takes its place.
	 */
	String ownBeanName() {
		return providerName() + "LockProvider";
	}

	String className() {
		return this.className;
	}

	/**
	 * Return whether the application gets this provider without naming it.
	 */
	boolean isDefault(ClassLoader classLoader) {
		return this.unnamed && ClassUtils.isPresent(this.className, classLoader);
	}

	/**
	 * Return what it can do with the configuration of the application.
	 */
	Set<LockCapability> capabilities(Environment environment) {
		if (holdsBySession(environment)) {
			return EnumSet.of(LockCapability.BLOCKING_WAIT, LockCapability.FENCING, LockCapability.EXACT_EXPIRY);
		}
		return switch (this) {
			case REDLOCK ->
				EnumSet.of(LockCapability.EXACT_EXPIRY, LockCapability.LOCK_DELAY, LockCapability.SURVIVES_FAILOVER);
			case MEMCACHED -> EnumSet.of(LockCapability.LOCK_DELAY);
			case ZOOKEEPER, ETCD -> without(LockCapability.EXACT_EXPIRY, LockCapability.ANY_KEY);
			case REDISSON, REDIS, LOCAL -> without(LockCapability.SURVIVES_FAILOVER);
			case JDBC -> without(LockCapability.SURVIVES_FAILOVER, LockCapability.ANY_KEY);
		};
	}

	/**
	 * Return the lease times that it keeps with the configuration of the application.
	 */
	LeaseLimits limits(Environment environment) {
		if (this == MEMCACHED) {
			return new LeaseLimits(Duration.ofSeconds(3), Duration.ofDays(30).minusSeconds(2));
		}
		if (this == REDLOCK) {
			Duration nodeTimeout = Binder.get(environment)
				.bind("lock.redis.redlock.node-timeout", Duration.class)
				.orElse(Duration.ofMillis(100));
			return new LeaseLimits(nodeTimeout.multipliedBy(5), LeaseLimits.DEFAULT.longest());
		}
		return holdsBySession(environment) ? new LeaseLimits(Duration.ofMillis(1), Duration.ofDays(24))
				: LeaseLimits.DEFAULT;
	}

	private boolean holdsBySession(Environment environment) {
		String strategy = environment.getProperty("lock.jdbc.strategy", "").replaceAll("[-_]", "");
		return this == JDBC && SESSION_STRATEGIES.contains(strategy.toLowerCase(Locale.ROOT));
	}

	private static Set<LockCapability> without(LockCapability... missing) {
		return EnumSet.complementOf(EnumSet.copyOf(List.of(missing)));
	}

}
