package io.distributedlock.autoconfigure;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The providers of this library, and the dependency that brings each of them.
 */
enum KnownProvider {

	REDISSON("lock-spring-boot-starter"),

	REDIS("lock-spring-boot-starter-redis"),

	REDLOCK("lock-spring-boot-starter-redis"),

	JDBC("lock-spring-boot-starter-jdbc"),

	ZOOKEEPER("lock-spring-boot-starter-zookeeper"),

	ETCD("lock-spring-boot-starter-etcd"),

	MEMCACHED("lock-spring-boot-starter-memcached"),

	LOCAL("lock-core");

	private final String artifactId;

	KnownProvider(String artifactId) {
		this.artifactId = artifactId;
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

	static String names() {
		return Arrays.stream(values()).map(KnownProvider::providerName).collect(Collectors.joining(", "));
	}

}
