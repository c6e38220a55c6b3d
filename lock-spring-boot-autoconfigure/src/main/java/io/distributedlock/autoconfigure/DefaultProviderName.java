package io.distributedlock.autoconfigure;

import java.util.List;

import io.distributedlock.spi.LockProvider;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the provider for requests that name none.
 */
final class DefaultProviderName {

	private static final String KNOWN = "redisson, redis, redlock, jdbc, zookeeper, etcd, memcached, local";

	private DefaultProviderName() {
	}

	/**
	 * Check that the providers named beside the default one are there.
	 */
	static void requireAll(List<String> wanted, List<LockProvider> providers) {
		List<String> names = providers.stream().map(LockProvider::name).toList();
		for (String each : wanted) {
			if (!names.contains(each)) {
				throw unknown("lock.providers names", each, names);
			}
		}
	}

	static String choose(@Nullable String wanted, List<LockProvider> providers) {
		List<String> names = providers.stream().map(LockProvider::name).toList();
		if (wanted != null) {
			if (names.contains(wanted)) {
				return wanted;
			}
			throw unknown("lock.provider is", wanted, names);
		}
		if (names.isEmpty()) {
			throw new LockConfigurationException(
					"There is no lock provider: no LockProvider bean, and none that could be configured.",
					"Add io.distributedlock:lock-spring-boot-starter, which brings Redisson, and set spring.data.redis.host; or set lock.provider=local to try locks out inside one JVM.",
					null);
		}
		if (names.size() > 1) {
			throw new LockConfigurationException("There are several lock providers and no choice: %s.".formatted(names),
					"Set lock.provider to the one that serves requests which name none.", null);
		}
		return names.get(0);
	}

	private static LockConfigurationException unknown(String where, String wanted, List<String> names) {
		return new LockConfigurationException(
				"%s '%s', and there is no such lock provider. Those that there are: %s.".formatted(where, wanted,
						names.isEmpty() ? "none" : names),
				"Name one of %s, in lower case, and add the module that brings it, such as io.distributedlock:lock-provider-jdbc; or declare a LockProvider bean of that name."
					.formatted(KNOWN),
				null);
	}

}
