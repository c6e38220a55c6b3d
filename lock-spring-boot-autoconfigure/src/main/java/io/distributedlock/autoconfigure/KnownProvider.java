package io.distributedlock.autoconfigure;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The providers of this library, and the dependency that brings each of them.
 */
enum KnownProvider {

	REDISSON("lock-spring-boot-starter", KnownProvider.REDIS_SETTINGS),

	REDIS("lock-spring-boot-starter-redis", KnownProvider.REDIS_SETTINGS),

	REDLOCK("lock-spring-boot-starter-redis", "lock.redis.redlock.*"),

	JDBC("lock-spring-boot-starter-jdbc", "lock.jdbc.*, or spring.datasource.* without lock.jdbc.url"),

	ZOOKEEPER("lock-spring-boot-starter-zookeeper", "lock.zookeeper.*"),

	ETCD("lock-spring-boot-starter-etcd", "lock.etcd.*"),

	MEMCACHED("lock-spring-boot-starter-memcached", "lock.memcached.*"),

	LOCAL("lock-core", "");

	private static final String REDIS_SETTINGS = "spring.data.redis.host and .port, or .url; spring.data.redis.username and spring.data.redis.password; spring.data.redis.database; spring.data.redis.ssl.*, since a server without TLS does not answer a client with TLS";

	private final String artifactId;

	private final String settings;

	KnownProvider(String artifactId, String settings) {
		this.artifactId = artifactId;
		this.settings = settings;
	}

	/**
	 * Return the properties that say where the backend is and how to sign in.
	 */
	String settings() {
		return this.settings;
	}

	/**
	 * Return the name of the provider, as it is written in {@code lock.provider}.
	 */
	String providerName() {
		return name().toLowerCase(Locale.ROOT);
	}

	/**
	 * Return the Maven coordinates of the dependency that brings the provider into a
	 * Spring Boot application, without a version.
	 */
	String dependency() {
		return "io.distributedlock:" + this.artifactId;
	}

	static Optional<KnownProvider> of(String providerName) {
		return Arrays.stream(values()).filter((each) -> each.providerName().equals(providerName)).findFirst();
	}

	/**
	 * Say what to do about the name of a provider that the application does not have.
	 * @param wanted the name
	 */
	static String advice(String wanted) {
		return of(wanted).map((
				known) -> "Add the dependency %s, which brings the provider '%s'. If the application has it already, check that it does not exclude the auto-configuration of this provider."
					.formatted(known.dependency(), wanted))
			.orElseGet(() -> "The providers of this library are %s; or declare a LockProvider bean with this name."
				.formatted(names()));
	}

	/**
	 * As {@link #advice}, for the name in an annotation: it may be that only the
	 * properties do not name the provider.
	 */
	static String adviceForAnnotation(String wanted) {
		return of(wanted).isPresent() ? "Name '%s' in lock.providers. %s".formatted(wanted, advice(wanted))
				: advice(wanted);
	}

	static String names() {
		return Arrays.stream(values()).map(KnownProvider::providerName).collect(Collectors.joining(", "));
	}

}
