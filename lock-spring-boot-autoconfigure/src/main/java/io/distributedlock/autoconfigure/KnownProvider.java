package io.distributedlock.autoconfigure;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The providers of this library, and the module that contains each of them.
 */
enum KnownProvider {

	REDISSON("lock-provider-redisson"),

	REDIS("lock-provider-redis"),

	REDLOCK("lock-provider-redis"),

	JDBC("lock-provider-jdbc"),

	ZOOKEEPER("lock-provider-zookeeper"),

	ETCD("lock-provider-etcd"),

	MEMCACHED("lock-provider-memcached"),

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
	 * Return the Maven coordinates of the module, without a version.
	 */
	String module() {
		return "io.distributedlock:" + this.artifactId;
	}

	static Optional<KnownProvider> of(String providerName) {
		return Arrays.stream(values()).filter((each) -> each.providerName().equals(providerName)).findFirst();
	}

	static String names() {
		return Arrays.stream(values()).map(KnownProvider::providerName).collect(Collectors.joining(", "));
	}

}
